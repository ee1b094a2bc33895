"""Probability laws over the strings of a language whose lengths lie in a window."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators import kernels
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.keys import Key, key_words
from marnn_bench.generators.strings import Strings
from marnn_bench.generators.thresholds import EXACT, Weight, thresholds
from marnn_bench.generators.window import Window

if TYPE_CHECKING:
    from marnn_bench.generators.language import Language

Draws = NDArray[np.uint64]


class Law(ABC):
    """A law that strings are drawn from. Draw j is a function of the key and j alone."""

    spec: str
    """The canonical spelling, parameters included: `pcfg:p=1/2,q=1/4`."""

    @abstractmethod
    def draw(self, window: Window, key: Key, draws: Draws) -> Strings:
        """The strings of these draws, one each."""

    def log_prob(self, strings: Strings, window: Window) -> NDArray[np.float64]:
        """Natural log of each string's probability, the choice of its length included; -inf outside the law: [n]."""
        raise LanguageError(f"Law {self.spec} has no exact probabilities; use one that has, such as uniform.")


class LengthFirst(Law):
    """A law in two steps: the length, by exact weights, then a string given its length."""

    @abstractmethod
    def length_weights(self, window: Window) -> Mapping[int, Weight]:
        """For each length of the window that some string has, a weight proportional to its probability."""

    @abstractmethod
    def sample(self, lengths: NDArray[np.int64], key: Key, draws: Draws) -> Strings:
        """For each draw, a string of the given length."""

    def draw(self, window: Window, key: Key, draws: Draws) -> Strings:
        lengths, upper_ends = _length_choice(self, window)
        chosen = kernels.choice.choose_lengths(upper_ends, key_words(key), draws)
        return self.sample(lengths[chosen], key, draws)

    def length_log_prob(self, lengths: NDArray[np.int64], window: Window) -> NDArray[np.float64]:
        """Natural log of the probability of each length; -inf for a length that no string of the window has: [n]."""
        weights = self.length_weights(window)
        total = sum(map(EXACT.create_decimal, weights.values()))
        table = np.full(max(window.high, int(lengths.max(initial=0))) + 1, -np.inf)
        for length, weight in weights.items():
            table[length] = float(EXACT.ln(EXACT.divide(EXACT.create_decimal(weight), total)))
        return np.asarray(table[lengths])


@lru_cache(maxsize=64)
def _length_choice(law: LengthFirst, window: Window) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    weights = law.length_weights(window)
    return np.array([*weights], np.int64), thresholds(weights.values())


@dataclass(frozen=True)
class Uniform(LengthFirst):
    """Length uniform over the lengths of the window that some string has, then every string of it equally likely."""

    language: "Language"
    spec = "uniform"

    def length_weights(self, window: Window) -> Mapping[int, Weight]:
        return dict.fromkeys(self.language.lengths(window), 1)

    def sample(self, lengths: NDArray[np.int64], key: Key, draws: Draws) -> Strings:
        return self.language.sample(lengths, key, draws)

    def log_prob(self, strings: Strings, window: Window) -> NDArray[np.float64]:
        lengths = strings.lengths
        counts = {int(n): self.language.count(int(n)) for n in np.unique(lengths)}
        table = np.full(int(lengths.max(initial=0)) + 1, -np.inf)
        for length, count in counts.items():
            if count:
                table[length] = -float(EXACT.ln(EXACT.create_decimal(count)))
        member = np.where(self.language.accepts(strings), 0.0, -np.inf)
        log_prob: NDArray[np.float64] = member + table[lengths] + self.length_log_prob(lengths, window)
        return log_prob


def parse_spec(spec: str) -> tuple[str, dict[str, Fraction]]:
    """A law's name and its parameters.

    >>> parse_spec("pcfg:p=1/2,q=1/4")
    ('pcfg', {'p': Fraction(1, 2), 'q': Fraction(1, 4)})
    """
    name, _, listed = spec.partition(":")
    parameters = {}
    for item in filter(None, listed.split(",")):
        key, equals, number = item.partition("=")
        try:
            parameters[key.strip()] = Fraction(number.strip())
        except (ValueError, ZeroDivisionError):
            equals = ""
        if not equals:
            raise LanguageError(f"Law {spec!r}: {item!r} is not NAME=NUMBER; write it like pcfg:p=1/2,q=1/4.")
    return name, parameters


def format_spec(name: str, parameters: Mapping[str, Any]) -> str:
    """The canonical spelling of a law."""
    listed = ",".join(f"{key}={value}" for key, value in parameters.items())
    return f"{name}:{listed}" if listed else name
