"""Joulin & Mikolov 2015: patterns that a short program writes, and a stack or two read (sections 2 and 5.1).

Trained with n < 20, tested with n up to 60, and scored "only on deterministically predictable characters" (Table 1):
where one symbol alone can come next. Their strings follow each other without a sign between them; here END stands for
the first symbol of the next string, which can be told in all patterns but memorization and addition. (The undelimited
stream itself: `marnn_bench.streams`.) An n is solved if all its strings are.

n is what their program draws: the exponent, n + m or n + k where there are two, |w| in memorization, the number of
digits of both summands in addition. It takes n from 2 on, and so does training here (in addition theirs begins at 0),
then every way to share n in two equally. It tests 200 draws for each n in 2-59; the paper says up to 60, in percent
that are sixtieths. Ours: n in 1-60 and every string there is, or 200 different ones for each n where there are more,
in memorization and addition. So a model that remembers the strings of training, n < 20, has a part of the test right,
although the paper speaks of "sequences it has not seen during training"; its Table 2 calls what is above 33.3 %
generalization, 20 of 60 lengths.

Of memorization, Table 1 prints the letters 1 2 and the marker =; the program's are b c and a; ours a b and #. In binary
addition, the paper has the most significant digit of both summands at 1; a summand without digits, written 0, is the
program's.

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
from marnn_bench.papers import Paper, arxiv
from marnn_bench.task import Split, Task
from marnn_bench.views import NextSymbol

PAPER = Paper(
    "joulin2015", ("Armand Joulin", "Tomas Mikolov"), 2015,
    "Inferring Algorithmic Patterns with Stack-Augmented Recurrent Nets",
    "https://arxiv.org/abs/1503.01007", "inproceedings",
    {"booktitle": "Advances in Neural Information Processing Systems 28", **arxiv("1503.01007")},
)  # fmt: skip


TRAIN, TEST = Window(2, 19), Window(1, 60)
OVERLAPS = "n up to 60 includes the n of train, as in the paper"
SEEN = (
    "The test includes the n below 20 of training. The paper says that it tests on sequences not seen during training, "
    "but takes only what is above 33.3 % for generalization: more than 20 of the 60 n."
)
LETTERS = (
    "The letters a b and the marker # are ours: Table 1 of the paper prints 1 2 and =, its program b c and a."
)
ZERO = (
    "A summand without digits is written 0, as in the paper's program; by the paper, the most significant digit of "
    "both summands is 1."
)
WITH_NEXT = NextSymbol(end=True, scored="deterministic")
OF_MEMORIZATION = NextSymbol(end=True, scored="deterministic", unscored=("END",))
OF_ADDITION = NextSymbol(end=True, scored="deterministic", unscored=("END", "+", "="))
"""Scored is what stands behind the =; where an operand is 0, one symbol alone can follow it, too."""


def _counting(language: Language, paper: str, summary: str, language_class: str = "counter") -> Task:
    splits = {
        "train": Split("fresh", TRAIN, distinct=False),
        "test": Split("all", TEST, overlaps=OVERLAPS),
    }
    paper, summary = f"joulin2015, {paper}", f"{summary}."
    return Task(
        language.name, "1.0", language, WITH_NEXT, splits, language_class, paper, summary, notes=(SEEN,)
    )  # fmt: skip


def _remembering(
    language: Language, view: NextSymbol, law: str, language_class: str, summary: str, note: str
) -> Task:
    splits = {
        "train": Split("fresh", TRAIN, law, distinct=False),
        "test": Split(200, TEST, law, per_size=True, overlaps=OVERLAPS),
    }
    paper, notes = "joulin2015, Figure 2", (SEEN, note)
    return Task(language.name, "1.0", language, view, splits, language_class, paper, summary, notes=notes)


ANBN = _counting(anbn(), "Table 2", "a^n b^n")
ANBNCN = _counting(anbncn(), "Table 2", "a^n b^n c^n")
ANBNCNDN = _counting(anbncndn(), "Table 2", "a^n b^n c^n d^n")
ANB2N = _counting(anb2n(), "Table 2", "a^n b^2n")
UNARY_ADDITION = _counting(unary_addition(), "Table 2", "a^n b^m c^(n+m)")
MEMORIZATION = _remembering(
    MarkedPalindromes(("a", "b"), ("a", "b"), name="memorization", measure="n"),
    OF_MEMORIZATION, "uniform", "deterministic context-free", "w # w^R over a b; after the marker one symbol is right.",
    LETTERS,
)  # fmt: skip
BINARY_ADDITION = _remembering(
    BinaryAddition(), OF_ADDITION, "uniform-split", "beyond",
    "x + y = z in binary, z from its lowest digit on, a full stop at the end.", ZERO,
)  # fmt: skip
ANB3N = _counting(anb3n(), "program", "a^n b^3n")
ANBMCNDM = _counting(anbmcndm(), "program", "a^n b^m c^n d^m")
UNARY_MULTIPLICATION = _counting(unary_multiplication(), "program", "a^n b^k c^nk", "beyond")

TASKS = (
    ANBN, ANBNCN, ANBNCNDN, ANB2N, UNARY_ADDITION, MEMORIZATION, BINARY_ADDITION,
    ANB3N, ANBMCNDM, UNARY_MULTIPLICATION,
)  # fmt: skip
