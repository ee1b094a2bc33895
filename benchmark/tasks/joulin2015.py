"""Joulin & Mikolov 2015: patterns that a short program writes, and a stack or two read (sections 2 and 5.1).

Trained with n < 20, tested with n up to 60, and scored "only on deterministically predictable characters" (Table 1):
where one symbol alone can come next. Their strings follow each other without a sign between them; here END stands for
the first symbol of the next string, which can be told in all patterns but memorization and addition. (The undelimited
stream itself: `marnn_bench.streams`.) An n is solved if all its strings are.

n is what their program draws: the exponent, n + m or n + k where there are two, |w| in memorization, the number of
digits of both summands in addition. It takes n from 2 on, and so does training here (in addition theirs begins at 0),
then every way to share n in two equally. It tests 200 draws for each n in 2-59; the paper says up to 60, in percent
that are sixtieths. Ours: n in 1-60 and every string there is, or 200 different ones for each n where there are more,
in memorization and addition. The marker # and the letters a b of memorization are ours too (theirs: a, and b c).

The last three are in the program, not in the paper.
"""

from marnn_bench.generators.language import Language
from marnn_bench.generators.languages.arithmetic import BinaryAddition
from marnn_bench.generators.languages.counter_languages import (
    anb2n,
    anb3n,
    anbmcndm,
    anbn,
    anbncn,
    anbncndn,
    unary_addition,
    unary_multiplication,
)
from marnn_bench.generators.languages.palindromes import MarkedPalindromes
from marnn_bench.generators.window import Window
from marnn_bench.task import Split, Task
from marnn_bench.views import NextSymbol

TRAIN, TEST = Window(2, 19), Window(1, 60)
OVERLAPS = "n up to 60 includes the n of train, as in the paper"
WITH_NEXT = NextSymbol(end=True, scored="deterministic")
OF_MEMORIZATION = NextSymbol(end=True, scored="deterministic", unscored=("END",))
OF_ADDITION = NextSymbol(end=True, scored="deterministic", unscored=("END", "+", "="))
"""Scored is what stands behind the =; where an operand is 0, one symbol alone can follow it, too."""


def _counting(language: Language, paper: str, summary: str, language_class: str = "counter") -> Task:
    splits = {
        "train": Split("fresh", TRAIN, distinct=False),
        "test": Split("all", TEST, overlaps=OVERLAPS),
    }
    paper = f"joulin2015, {paper}"
    return Task(language.name, "1.0", language, WITH_NEXT, splits, language_class, paper, summary)


def _remembering(language: Language, view: NextSymbol, law: str, language_class: str, summary: str) -> Task:
    splits = {
        "train": Split("fresh", TRAIN, law, distinct=False),
        "test": Split(200, TEST, law, per_size=True, overlaps=OVERLAPS),
    }
    return Task(language.name, "1.0", language, view, splits, language_class, "joulin2015, Figure 2", summary)


ANBN = _counting(anbn(), "Table 2", "a^n b^n")
ANBNCN = _counting(anbncn(), "Table 2", "a^n b^n c^n")
ANBNCNDN = _counting(anbncndn(), "Table 2", "a^n b^n c^n d^n")
ANB2N = _counting(anb2n(), "Table 2", "a^n b^2n")
UNARY_ADDITION = _counting(unary_addition(), "Table 2", "a^n b^m c^(n+m)")
MEMORIZATION = _remembering(
    MarkedPalindromes(("a", "b"), ("a", "b"), name="memorization", measure="n"),
    OF_MEMORIZATION, "uniform", "deterministic context-free", "w # w^R over a b; after the marker one symbol is right.",
)  # fmt: skip
BINARY_ADDITION = _remembering(
    BinaryAddition(), OF_ADDITION, "uniform-split", "beyond",
    "x + y = z in binary, z from its lowest digit on, a full stop at the end.",
)  # fmt: skip
ANB3N = _counting(anb3n(), "program", "a^n b^3n")
ANBMCNDM = _counting(anbmcndm(), "program", "a^n b^m c^n d^m")
UNARY_MULTIPLICATION = _counting(unary_multiplication(), "program", "a^n b^k c^nk", "beyond")

TASKS = (
    ANBN, ANBNCN, ANBNCNDN, ANB2N, UNARY_ADDITION, MEMORIZATION, BINARY_ADDITION,
    ANB3N, ANBMCNDM, UNARY_MULTIPLICATION,
)  # fmt: skip
