"""Tomita 1982, "Dynamic Construction of Finite-State Automata from Examples Using Hill-Climbing": regular languages.

The five of the seven languages that have more than one string of most lengths. Sizes, windows and the law, uniform over
lengths, then over the strings of a length, are ours: those of the tasks of Suzgun et al. 2019.
"""

from marnn_bench.generators.languages.tomita import tomita
from marnn_bench.papers import Paper
from marnn_bench.task import Split, Task
from marnn_bench.tasks.suzgun2019 import LONG, SHORT
from marnn_bench.views import NextSymbol

PAPER = Paper(
    "tomita1982", ("Masaru Tomita",), 1982,
    "Dynamic Construction of Finite-State Automata from Examples Using Hill-Climbing", "", "inproceedings",
    {
        "booktitle": "Proceedings of the Fourth Annual Conference of the Cognitive Science Society",
        "pages": "105--108",
    },
)  # fmt: skip


def _task(number: int, summary: str) -> Task:
    return Task(
        f"tomita{number}", version="1.0", language=tomita(number), view=NextSymbol(end=True),
        splits={"train": Split(5_000, SHORT), "test": Split(5_000, LONG)},
        language_class="regular", paper="tomita1982", summary=summary,
    )  # fmt: skip


TOMITA3 = _task(3, "Strings over 0 1 without an odd run of zeros after an odd run of ones.")
TOMITA4 = _task(4, "Strings over 0 1 without three zeros in a row.")
TOMITA5 = _task(5, "Strings over 0 1 with even numbers of zeros and of ones.")
TOMITA6 = _task(6, "Strings over 0 1 with as many zeros as ones, modulo 3.")
TOMITA7 = _task(7, "Strings 0*1*0*1*.")

TASKS = (TOMITA3, TOMITA4, TOMITA5, TOMITA6, TOMITA7)
