"""Suzgun, Gehrmann, Belinkov & Shieber 2019b, "LSTM Networks Can Perform Dynamic Counting": one kind of bracket.

Sizes, windows and law are those of dyck2 in Suzgun et al. 2019: ours, not this paper's.
"""

from marnn_bench.generators.dyck import Dyck
from marnn_bench.task import Task
from marnn_bench.tasks.suzgun2019 import DYCK2
from marnn_bench.views import NextSymbol

DYCK1 = Task(
    "dyck1", version="1.0", language=Dyck(1), view=NextSymbol(end=False), splits=DYCK2.splits,
    language_class="counter", paper="suzgun2019b",
    summary="Well-nested strings over ( ): a counter is enough.",
)  # fmt: skip

TASKS = (DYCK1,)
