"""What a language and a transduction can be asked, and the uniform law that every language has."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.keys import Key
from marnn_bench.generators.labeller import Labeller
from marnn_bench.generators.laws import Draws, Law, TwoStageLaw
from marnn_bench.generators.strings import Strings
from marnn_bench.generators.thresholds import EXACT, Weight
from marnn_bench.generators.window import Window

Masks = NDArray[np.uint64]

MAX_SIZE = 10_000
"""Of any window; the numbers of strings of that size have thousands of digits."""


class Language(ABC):
    """A set of strings, asked in batches.

    Strings are drawn by one device (`law`, `sample`) and labelled by another (`automaton`), so that each checks the
    other.
    """

    measure: Literal["length", "n"] = "length"
    """What the sizes of its strings, and so its windows, count: symbols, or the n of its definition."""
    law_names: tuple[str, ...] = ("uniform",)

    if TYPE_CHECKING:  # in a class body these would be taken for the defaults of a dataclass's fields

        @property
        def name(self) -> str:
            """What it is called."""

        @property
        def alphabet(self) -> Alphabet:
            """The symbols of its strings."""

    @property
    def largest(self) -> int:
        """Up to this size, strings are counted and drawn within a minute."""
        return MAX_SIZE

    @property
    def automaton(self) -> Labeller:
        """The device that labels its strings; LanguageError for a language without next-symbol sets."""
        raise LanguageError(f"{self.name} has no next-symbol sets.")

    @property
    def envelope(self) -> Labeller | None:
        """A finite automaton that accepts all members, and others: how far one gets without a memory that grows.

        None where the language is regular itself, or no such automaton says much of it.
        """
        return None

    @property
    def outline(self) -> tuple[tuple[int, int], ...]:
        """Where every member is made of blocks of equal symbols in one order: the symbol's id and the length of each.

        The length is 0 where it varies; () for other languages.
        """
        return ()

    @abstractmethod
    def count(self, size: int) -> int:
        """How many strings have this size, exactly."""

    @abstractmethod
    def enumerate(self, size: int) -> Iterator[tuple[int, ...]]:
        """Every string of this size as symbol ids, each once, in a fixed order."""

    @abstractmethod
    def sample(self, sizes: NDArray[np.int64], key: Key, draws: Draws) -> Strings:
        """For each draw, a string of the given size, every one equally likely. Some string must have it."""

    def sizes_of(self, strings: Strings) -> NDArray[np.int64]:
        """The sizes of members: [n]."""
        return strings.lengths

    @abstractmethod
    def depths(self, strings: Strings) -> NDArray[np.int64]:
        """How many symbols are owed after each symbol of the members `strings`, by a closed form: [symbols]."""

    def max_depths(self, strings: Strings) -> NDArray[np.int64]:
        """The most symbols owed at once in each of these members: [n]."""
        return strings.maxima(self.depths(strings))

    def law(self, spec: str) -> Law:
        """The law of this spelling."""
        if spec == "uniform":
            return UniformLaw(self)
        raise LanguageError(f"{self.name} has no law {spec!r}; it has {', '.join(self.law_names)}.")

    def sizes(self, window: Window) -> list[int]:
        """The sizes in the window that some string has."""
        if window.high > self.largest:
            raise LanguageError(
                f"Window {window} is too wide: the tables of {self.name} reach up to {self.largest:,}, beyond which they "
                f"take minutes. Try {Window(min(window.low, 2), self.largest)}."
            )
        found = [size for size in window if self.count(size)]
        if not found:
            raise LanguageError(f"{self.name} has no strings in the window {window}. {self._nearest(window)}")
        return found

    def _nearest(self, window: Window) -> str:
        for step in range(1, 1000):
            for size in (window.high + step, window.low - step):
                if size >= 0 and self.count(size):
                    near = Window(min(window.low, size), max(window.high, size))
                    return f"Try {near}."
        return "It has none of any size nearby."

    def accepts(self, strings: Strings) -> NDArray[np.bool_]:
        """Whether each string is a member: [n]."""
        return self.automaton.accepts(strings)

    def next_symbols(self, strings: Strings) -> Masks:
        """The next-symbol set after each symbol, as masks over alphabet and END; 0 once a prefix is dead: [symbols]."""
        return self.automaton.next_symbols(strings)

    def show_next(self, text: str) -> str:
        """The next-symbol set after each symbol of a text, as the papers print it."""
        strings = Strings.from_texts(self.alphabet, [text])
        return " ".join(self.alphabet.show(int(mask)) for mask in self.next_symbols(strings))


@dataclass(frozen=True)
class UniformLaw(TwoStageLaw):
    """Size uniform over those in the window that some string has, then every string of it equally likely."""

    language: Language
    spec = "uniform"

    def size_weights(self, window: Window) -> Mapping[int, Weight]:
        return dict.fromkeys(self.language.sizes(window), 1)

    def sample(self, sizes: NDArray[np.int64], key: Key, draws: Draws) -> Strings:
        return self.language.sample(sizes, key, draws)

    def log_prob(self, strings: Strings, window: Window) -> NDArray[np.float64]:
        member = self.language.accepts(strings)
        sizes = self.language.sizes_of(strings.take(member))
        table = np.full(int(sizes.max(initial=0)) + 1, -np.inf)
        for size in np.unique(sizes):
            table[size] = -float(EXACT.ln(EXACT.create_decimal(self.language.count(int(size)))))
        log_prob = np.full(len(strings), -np.inf)
        log_prob[member] = table[sizes] + self.size_log_prob(sizes, window)
        return log_prob


class Transduction(Language):
    """A function from the strings of a language to strings over an output alphabet."""

    @property
    @abstractmethod
    def outputs(self) -> Alphabet:
        """The symbols of its targets."""

    @abstractmethod
    def transduce(self, sources: Strings) -> Strings:
        """The target of each source; all sources must be members."""

    def show(self, text: str) -> str:
        """The target of a source."""
        return self.transduce(Strings.from_texts(self.alphabet, [text])).texts(self.outputs)[0]

    def accepts_pairs(self, sources: Strings, targets: Strings) -> NDArray[np.bool_]:
        """Whether each target is the one of its source: [n]."""
        member = self.accepts(sources)
        expected = self.transduce(sources.take(member))
        right = np.zeros(len(sources), np.bool_)
        right[member] = [
            np.array_equal(want, targets[int(row)])
            for want, row in zip(expected, np.flatnonzero(member), strict=True)
        ]
        return right
