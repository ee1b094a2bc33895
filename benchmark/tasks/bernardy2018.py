"""Bernardy 2018, "Can Recurrent Neural Networks Learn Nested Recursion?": Dyck-1 and Dyck-5 (sections 4 and 5).

One kind of brackets: trained on 512 of the 625 strings up to length 14, tested on all 6,917 up to 18, training strings
included; `test_unseen` leaves them out. Five kinds: trained on 512 * 200 strings up to length 10, tested on 512 * 20
that hold what is familiar in brackets which close far away (subtask A) or deep down (subtask B):

    test_long   o s1 s2 c       |s1| = |s2| = 8
    test_deep   o^5 s c^5       |s| = 10, five opening brackets of any kinds and theirs in reverse

with s1, s2 and s from pools of 1,000 strings. Counts and lengths exclude the empty string, and END, the paper's #.

The paper only says "picked at random". Ours: every string up to a length equally likely, so that most have that
length; training strings of Dyck-5 are drawn with replacement; those of a pool, and of a test, are all different; one
test set, where the paper draws another for every run. Subtask A is described as "s1 s2 or o s1 s2 c"; the formula,
which is followed, has the latter alone.
"""

from marnn_bench.generators.languages.dyck import Dyck
from marnn_bench.generators.window import Window
from marnn_bench.papers import Paper
from marnn_bench.task import Split, Task
from marnn_bench.views import NextSymbol

PAPER = Paper(
    "bernardy2018", ("Jean-Philippe Bernardy",), 2018,
    "Can Recurrent Neural Networks Learn Nested Recursion?",
    "https://aclanthology.org/2018.lilt-16.1",
    fields={"journal": "Linguistic Issues in Language Technology", "volume": "16", "number": "1"},
)  # fmt: skip


ANY_STRING = "uniform-strings"
LONG_DISTANCE, NEW_DEPTHS = "enclosed:outer=1,parts=2,pool=1000", "enclosed:outer=5,parts=1,pool=1000"

DYCK1_SHORT = Task(
    "dyck1-short", version="1.0", language=Dyck(1), view=NextSymbol(end=True, closing=(")",)),
    splits={
        "train": Split(512, Window(2, 14), ANY_STRING),
        "test_unseen": Split("all", Window(2, 18)),
        "test": Split("all", Window(2, 18), overlaps="all strings, those of train included, as in the paper"),
    },
    language_class="counter", paper="bernardy2018, section 4",
    summary="Well-nested strings over ( ) of up to 14 symbols, then all of up to 18.",
)  # fmt: skip
DYCK5 = Task(
    "dyck5", version="1.0", language=Dyck(5), view=NextSymbol(end=True, closing=(")", "]", "}", ">", "-")),
    splits={
        "train": Split(512 * 200, Window(2, 10), ANY_STRING, distinct=False),
        "test_long": Split(512 * 20, Window(18, 18), LONG_DISTANCE),
        "test_deep": Split(512 * 20, Window(20, 20), NEW_DEPTHS),
    },
    language_class="deterministic context-free", paper="bernardy2018, section 5",
    summary="Well-nested strings over ( ) [ ] { } < > + - of up to 10 symbols, then longer and deeper ones.",
)  # fmt: skip

TASKS = (DYCK1_SHORT, DYCK5)
