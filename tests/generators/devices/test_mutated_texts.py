"""2,000 texts with slips of the pen: each is an object that answers, or a LanguageError of one line, in no time.

Deletions, swaps, repetitions and insertions, at random by the seed of each case, in the valid texts of the package, its
documentation and these tests.
"""

import ast
import re
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from types import FrameType

import numpy as np
import pytest

from helpers.definitions.regular import GRAMMARS
from helpers.paths import ROOT
from marnn_bench.generators.alphabet import MASK_SYMBOLS
from marnn_bench.generators.devices.counter_machine import CounterMachine
from marnn_bench.generators.devices.finite_automaton import DFA
from marnn_bench.generators.devices.grammar import Grammar
from marnn_bench.generators.devices.pushdown import Pushdown
from marnn_bench.generators.devices.synchronous_grammar import SynchronousGrammar
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.keys import derive_key
from marnn_bench.generators.labeller import Labeller
from marnn_bench.generators.languages.regular import Regular
from marnn_bench.generators.languages.tomita import AUTOMATA
from marnn_bench.generators.strings import Strings

SEEDS, TEXTS_PER_SEED = range(40), 50
SECONDS = 10
KEY = derive_key({"test": "mutated texts"})

READERS: dict[str, Callable[[str], object]] = {
    "DFA.parse": DFA.parse,
    "Pushdown.parse": Pushdown.parse,
    "CounterMachine.parse": CounterMachine.parse,
    "Grammar.parse": Grammar.parse,
    "Grammar.without_probabilities": Grammar.without_probabilities,
    "SynchronousGrammar.parse": SynchronousGrammar.parse,
}

INSERTED = [
    *("->", "|", "[", "]", "[1/2]", "[1e-50]", "[0.5", "[1e-99999999]", "1/3", "0", "-1", "'", '"', "'a'", "''", "'END'"),
    *("start", "accept", "accept any", "alphabet", "any", "END", "if", "if x = 0", "and", ",", ", x + 1", "x - 1", "> 0"),
    *(", push X", ", pop X", ", write y", "q", "r", "S", "A", "S1", "{i}", "for i = 1..3", "for i = 5..1", "#", "\\", "\n"),
    *("for i = 1..99999999999", "9" * 60, "9" * 5_000, "a " * 2_000, "'a' " * 1_100, "\t", "\r\n", "  "),
    *("\x00", "\x07", "\x0b", "\x0c", "\x1c", "\x7f", "\x85", "\xa0", "\u00ad", "\u200b", "\u2028", "\ufeff", "\ud800"),
    *("é", "e\u0301", "ß", "٣", "日本", "\U0001f600", "𝔖", "→", "−", "’"),
]  # fmt: skip


@cache
def texts() -> list[tuple[str, str]]:
    """Every text that stands in a call of a reader: in the package, the documentation and these tests."""
    files = [
        ROOT / "docs" / "devices.md",
        *sorted((ROOT / "generators").rglob("*.py")),
        *sorted(Path(__file__).parent.glob("test_*.py")),
    ]
    call = re.compile(rf'({"|".join(map(re.escape, READERS))})\(\s*("""|\'\'\'|\\"\\"\\")(.*?)\2', re.DOTALL)
    found = [(match[1], match[3]) for file in files for match in call.finditer(file.read_text("utf-8"))]
    machines = re.compile(r'machine = """(.*?)"""', re.DOTALL)
    package = ROOT / "generators" / "languages"
    found += [
        ("CounterMachine.parse", text)
        for text in machines.findall((package / "counter_languages.py").read_text("utf-8"))
    ]
    for file in ("gender.py", "svo_sov.py"):
        source = (package / file).read_text("utf-8")
        found += [
            ("SynchronousGrammar.parse", text)
            for text in re.findall(r'PAIRS = """(.*?)"""', source, re.DOTALL)
        ]
        found += [
            ("Grammar.without_probabilities", text)
            for text in re.findall(r'SOURCES = """(.*?)"""', source, re.DOTALL)
        ]
    found = [(reader, re.sub(r"(?m)^ *\.\.\. ", "", text)) for reader, text in found]  # those in docstrings
    for statement in ast.parse((Path(__file__).parent / "test_grammar.py").read_text("utf-8")).body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Dict):
            for grammar in ast.literal_eval(statement.value).values():
                without = "Grammar.without_probabilities"
                found.append(("Grammar.parse" if re.search(r"\[\d+(/\d+)?\]", grammar) else without, grammar))
    found += [("DFA.parse", text) for text in AUTOMATA.values()]
    found += [("Grammar.without_probabilities", text) for text in GRAMMARS.values()]
    return found


def mutated(text: str, random: Random) -> str:
    """The text after one to three slips of the pen: of lines, of words or of characters."""
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        pieces = re.findall(random.choice([r"[^\n]+\n?|\n", r"\S+|\s+", r"\S+|\s+", r"(?s)."]), text)
        written = [place for place, piece in enumerate(pieces) if piece.strip()] or [0]
        i, j = random.choice(written), random.choice(written)
        match random.choice(["delete", "swap", "repeat", "replace", "replace", "insert", "number"]):
            case "delete":
                pieces[i] = ""
            case "swap":
                pieces[i], pieces[j] = pieces[j], pieces[i]
            case "repeat":
                pieces.insert(i, pieces[j])
            case "replace":
                pieces[i] = pieces[j]
            case "insert":
                pieces.insert(i, random.choice(INSERTED))
            case "number":
                number = random.choice(["0", "1", "2", "7", "100001", "3" * 20, "3" * 51])
                pieces[i] = re.sub(r"\d+", number, pieces[i], count=1)
        text = "".join(pieces) or "\n"
    return text


def ask(device: object) -> None:
    """A few questions: how many, which short strings, what next, a draw."""
    if isinstance(device, Labeller):
        symbols = device.alphabet.symbols[:3]
        words = [" ".join(word) for length in range(4) for word in product(symbols, repeat=length)]
        strings = Strings.from_texts(device.alphabet, words)
        assert len(device.accepts(strings)) == len(words)
        if len(device.alphabet) <= MASK_SYMBOLS:
            assert len(device.next_symbols(strings)) == len(strings.ids)
            assert device.first_symbols(), "no string begins"
        if isinstance(device, DFA):
            language = Regular("mutated", device)
            lengths = [length for length in range(40) if language.count(length)]
            assert device.accepts(
                language.sample(np.array(lengths[:1]), KEY, np.arange(len(lengths[:1]), dtype=np.uint64))
            ).all()
    elif isinstance(device, Grammar):
        lengths = [length for length in range(7) if device.probability(length)]
        drawn = device.sample(np.array(lengths, np.int64), KEY, np.arange(len(lengths), dtype=np.uint64))
        assert np.isfinite(device.log_prob(drawn)).all()
        with suppress(LanguageError):  # where there is no end of derivations
            assert sum(map(device.derivations, range(7))) >= bool(lengths)
    elif isinstance(device, SynchronousGrammar):
        ask(device.sources)
        lengths = [length for length in range(7) if device.sources.probability(length)]
        sources, targets = device.sample(
            np.array(lengths, np.int64), KEY, np.arange(len(lengths), dtype=np.uint64)
        )
        assert len(sources) == len(targets) == len(lengths)


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """TimeoutError behind so many seconds."""

    def stop(signal_number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"more than {seconds} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def test_every_kind_of_device_has_texts_and_unless_they_are_mutated_they_answer() -> None:
    assert {name for name, _ in texts()} == READERS.keys()
    assert len(texts()) > 50
    for reader, text in texts():
        ask(READERS[reader](text))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_text_with_slips_of_the_pen_is_an_object_that_answers_or_an_error_of_one_line(seed: int) -> None:
    random, refused = Random(seed), 0
    for _ in range(TEXTS_PER_SEED):
        reader, text = random.choice(texts())
        text = mutated(text, random)
        try:
            with warnings.catch_warnings(), at_most(SECONDS):
                warnings.simplefilter("ignore", UserWarning)
                ask(READERS[reader](text))
        except LanguageError as error:
            assert "\n" not in str(error)
            assert len(str(error)) < 600, str(error)
            refused += 1
        except BaseException as error:
            error.add_note(f"{reader}({text!r})")
            raise
    assert 0 < refused < TEXTS_PER_SEED
