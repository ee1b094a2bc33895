"""Suzgun, Gehrmann, Belinkov & Shieber 2019b, "LSTM Networks Can Perform Dynamic Counting": Dyck-1 and its shuffles.

Sizes and windows are those of dyck2 in Suzgun et al. 2019, and so is the law of dyck1: ours, not this paper's. Ours is
also the law of the shuffles, uniform over lengths, then over the strings of a length.
"""

from marnn_bench.generators.languages.dyck import Dyck
from marnn_bench.generators.languages.shuffles import Shuffle
from marnn_bench.papers import Paper, arxiv
from marnn_bench.task import Split, Task
from marnn_bench.tasks.suzgun2019 import AUTHORS, DYCK2, LONG, SHORT
from marnn_bench.views import NextSymbol

PAPER = Paper(
    "suzgun2019b", AUTHORS, 2019,
    "LSTM Networks Can Perform Dynamic Counting",
    "https://aclanthology.org/W19-3905", "inproceedings",
    {
        "booktitle": "Proceedings of the Workshop on Deep Learning and Formal Languages: Building Bridges",
        "pages": "44--54", "publisher": "Association for Computational Linguistics", **arxiv("1906.03648"),
    },
)  # fmt: skip


SHUFFLED = {"train": Split(5_000, SHORT), "test": Split(5_000, LONG)}

DYCK1 = Task(
    "dyck1", version="1.0", language=Dyck(1), view=NextSymbol(end=False), splits=DYCK2.splits,
    language_class="counter", paper="suzgun2019b",
    summary="Well-nested strings over ( ): a counter is enough.",
)  # fmt: skip


def _shuffle(pairs: int, brackets: str) -> Task:
    return Task(
        f"shuffle{pairs}", version="1.0", language=Shuffle(pairs), view=NextSymbol(end=False), splits=SHUFFLED,
        language_class="counter", paper="suzgun2019b",
        summary=f"Strings over {brackets}, each kind well nested for itself: a counter for each kind is enough.",
    )  # fmt: skip


SHUFFLE2 = _shuffle(2, "( ) [ ]")
SHUFFLE4 = _shuffle(4, "( ) [ ] { } < >")
SHUFFLE6 = _shuffle(6, "( ) [ ] { } < > + - a b")

TASKS = (DYCK1, SHUFFLE2, SHUFFLE4, SHUFFLE6)
