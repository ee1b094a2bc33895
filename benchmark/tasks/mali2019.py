"""Mali, Ororbia & Giles 2019 (NSPDA): is a string a member of a language that takes a pushdown automaton?

The paper trains and tests on positive and negative strings of five context-free grammars. Of its text we have a
conversion without most formulas and table cells, and no code was published: it names Dyck(2), palindromes and "simple
algorithmic patterns", and tests at n = 60, 480 and 960 (Table 5). The rest is ours: the other grammars, which are those
traditional in learning pushdown automata (Das, Giles & Sun 1992, 1993); sizes; lengths, uniform over those that exist,
up to 30 in training and up to n in a test, and every string of a length equally likely; the kinds of negatives. The
languages of blocks are in their second version, in which every sixth negative is of the kind `blocks`: nearly all others
break the order of the blocks, which takes no stack to see.

Half of the rows are members, the empty string is none of them, and no string is in two splits. Where a window holds
fewer members than that, a split has all those that no earlier one has (`marnn_bench.recognition`): the 15 strings
a^n b^n of up to 30 symbols are all in `train`, so that `test_60` begins at length 32. Three languages are so thin that
most rows are negatives; what a model gets right by answering "no" is in the notes of their tasks.

Every prefix of an even palindrome can be completed, so that there are no guided negatives of it.
"""

from marnn_bench.generators.language import Language
from marnn_bench.generators.languages.counter_languages import anbn, anbncbmam, unary_addition_nm
from marnn_bench.generators.languages.dyck import Dyck
from marnn_bench.generators.languages.even_palindromes import EvenPalindromes
from marnn_bench.generators.languages.palindromes import MarkedPalindromes
from marnn_bench.generators.window import Window
from marnn_bench.papers import Paper, arxiv
from marnn_bench.task import Split, Task
from marnn_bench.views import NEGATIVES, Recognition

PAPER = Paper(
    "mali2019", ("Ankur Mali", "Alexander Ororbia", "C. Lee Giles"), 2019,
    "The Neural State Pushdown Automata",
    "https://arxiv.org/abs/1909.05233",
    fields={"journal": "arXiv preprint arXiv:1909.05233", **arxiv("1909.05233")},
)  # fmt: skip


SPLITS = {
    "train": Split(4_000, Window(1, 30)),
    "test_60": Split(2_000, Window(1, 60)),
    "test_480": Split(2_000, Window(1, 480)),
    "test_960": Split(2_000, Window(1, 960)),
}
ALL_BUT_BLOCKS, ALL_KINDS = Recognition(), Recognition((*NEGATIVES, "blocks"))


def _task(
    name: str,
    language: Language,
    language_class: str,
    summary: str,
    view: Recognition = ALL_BUT_BLOCKS,
    notes: tuple[str, ...] = (),
    version: str = "1.0",
) -> Task:
    return Task(
        f"{name}-recognition", version, language, view, SPLITS, language_class, "mali2019", summary, notes
    )


def _of_blocks(name: str, language: Language, summary: str, *notes: str) -> Task:
    return _task(name, language, "counter", summary, ALL_KINDS, notes, version="2.0")


def _thin(members: str, always_no: str) -> str:
    return f'{members} In the released splits, "no" is right in {always_no}: look at balanced accuracy first.'


ANBN = _of_blocks(
    "anbn", anbn("length"), "Is it a^n b^n, n >= 1?",
    _thin("There is one member of each even length.",
          "99.1 % of train, 98.5 % of test_60, 82.6 % of test_480 and 80.6 % of test_960"),
    "No string is in two splits, and train has all members of up to 30 symbols: test_60 begins at length 32.",
)  # fmt: skip
ANBNCBMAM = _of_blocks(
    "anbncbmam", anbncbmam(), "Is it a^n b^n c b^m a^m, n, m >= 1?",
    _thin("There are few members of each length.", "95.6 % of train and 76.0 % of test_60"),
)  # fmt: skip
UNARY_ADDITION = _of_blocks(
    "unary-addition", unary_addition_nm(), "Is it a^(n+m) b^n c^m, n, m >= 1?",
    _thin("There are few members of each length.", "94.9 % of train and 75.2 % of test_60"),
)  # fmt: skip
DYCK1 = _task("dyck1", Dyck(1), "counter", "Are the parentheses ( ) balanced?")
MARKED_PALINDROME = _task(
    "marked-palindrome", MarkedPalindromes(), "deterministic context-free", "Is it w # w^R over a b c?",
)  # fmt: skip
PALINDROME = _task(
    "palindrome", EvenPalindromes(), "context-free", "Is it w w^R over a b?",
    Recognition(("random", "edit", "swap", "permuted")),
)  # fmt: skip
DYCK2 = _task("dyck2", Dyck(2), "deterministic context-free", "Are the brackets ( ) [ ] well nested?")

TASKS = (ANBN, ANBNCBMAM, UNARY_ADDITION, DYCK1, MARKED_PALINDROME, PALINDROME, DYCK2)
