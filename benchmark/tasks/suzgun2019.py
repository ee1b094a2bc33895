"""Suzgun, Gehrmann, Belinkov & Shieber 2019: six tasks that need a stack (sections 5, 6 and 7).

All lengths are of the whole input: in the palindromes |w| is 1-24 and 26-49, in the reversal 1-25 and 26-50. The
law of the palindromes and the reversal is not in the paper; ours takes |w| and every letter uniformly.
"""

from marnn_bench.generators.language import Language
from marnn_bench.generators.languages.dyck import Dyck
from marnn_bench.generators.languages.palindromes import (
    MarkedPalindromes,
    StringReversal,
    homomorphic_palindromes,
)
from marnn_bench.generators.window import Window
from marnn_bench.papers import Paper, arxiv
from marnn_bench.task import Split, Task
from marnn_bench.views import NextSymbol, Synchronous, View

AUTHORS = ("Mirac Suzgun", "Sebastian Gehrmann", "Yonatan Belinkov", "Stuart M. Shieber")

PAPER = Paper(
    "suzgun2019", AUTHORS, 2019,
    "Memory-Augmented Recurrent Neural Networks Can Learn Generalized Dyck Languages",
    "https://arxiv.org/abs/1911.03329",
    fields={"journal": "arXiv preprint arXiv:1911.03329", **arxiv("1911.03329")},
)  # fmt: skip


SHORT, LONG = Window(2, 50), Window(52, 100)
GRAMMAR = "pcfg:p=1/2,q=1/4"


def _task(
    name: str, language: Language, view: View, *, train: int, law: str, paper: str, summary: str
) -> Task:
    splits = {"train": Split(train, SHORT, law), "test": Split(5_000, LONG, law)}
    return Task(
        name, "1.0", language, view, splits, "deterministic context-free", f"suzgun2019, {paper}", summary
    )


DYCK2 = _task(
    "dyck2", Dyck(2), NextSymbol(end=False), train=5_000, law=GRAMMAR, paper="Table 2",
    summary="Well-nested strings over ( ) [ ]: every bracket may open, only the last one open may close.",
)  # fmt: skip
DYCK3 = _task(
    "dyck3", Dyck(3), NextSymbol(end=False), train=5_000, law=GRAMMAR, paper="Table 3",
    summary="Well-nested strings over ( ) [ ] { }: every bracket may open, only the last one open may close.",
)  # fmt: skip
DYCK6 = _task(
    "dyck6", Dyck(6), NextSymbol(end=False), train=15_000, law=GRAMMAR, paper="Table 4",
    summary="Well-nested strings over six kinds of brackets: ( ) [ ] { } < > + - a b.",
)  # fmt: skip
HOM_PALINDROME = _task(
    "hom-palindrome", homomorphic_palindromes(), NextSymbol(end=True), train=5_000, law="uniform", paper="Table 5",
    summary="w # phi(w^R) over a b c, with phi: a -> x, b -> y, c -> z; after the marker one symbol is right.",
)  # fmt: skip
MARKED_PALINDROME = _task(
    "marked-palindrome", MarkedPalindromes(), NextSymbol(end=True), train=5_000, law="uniform", paper="section 6.2",
    summary="w # w^R over a b c; after the marker one symbol is right.",
)  # fmt: skip
STRING_REVERSAL = _task(
    "string-reversal", StringReversal(), Synchronous(), train=5_000, law="uniform", paper="Table 6",
    summary="w #^|w| over a b c becomes #^|w| w^R, one output for each input symbol.",
)  # fmt: skip

TASKS = (DYCK2, DYCK3, DYCK6, HOM_PALINDROME, MARKED_PALINDROME, STRING_REVERSAL)
