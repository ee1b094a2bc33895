"""Probability laws over the strings of a language whose lengths lie in a window."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators import kernels
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.keys import Key, key_words
from marnn_bench.generators.number_text import read_number
from marnn_bench.generators.strings import Strings
from marnn_bench.generators.thresholds import EXACT, Weight, thresholds, total
from marnn_bench.generators.window import Window

Draws = NDArray[np.uint64]

EXAMPLE = "pcfg:p=1/2,q=1/4"


class Law(ABC):
    """A law that strings are drawn from. Draw j is a function of the key and j alone."""

    if TYPE_CHECKING:  # in a class body this would be taken for the default of a dataclass's field

        @property
        def spec(self) -> str:
            """The canonical spelling, parameters included: `pcfg:p=1/2,q=1/4`."""

    @abstractmethod
    def draw(self, window: Window, key: Key, draws: Draws) -> Strings:
        """The strings of these draws, one each."""

    @property
    def is_exact(self) -> bool:
        """Whether `log_prob` is known."""
        return type(self).log_prob is not Law.log_prob

    def can_draw(self, strings: Strings, window: Window) -> NDArray[np.bool_]:
        """Whether each string has a positive probability: [n]."""
        return np.isfinite(self.log_prob(strings, window))

    def log_prob(self, strings: Strings, window: Window) -> NDArray[np.float64]:
        """Natural log of each string's probability, the choice of its length included; -inf outside the law: [n]."""
        raise LanguageError(f"Law {self.spec} has no exact probabilities; use one that has, such as uniform.")


class TwoStageLaw(Law):
    """A law in two steps: the size (as `Language.measure` says), by exact weights, then a string given its size."""

    @abstractmethod
    def size_weights(self, window: Window) -> Mapping[int, Weight]:
        """For each size in the window that some string has, a weight proportional to its probability."""

    @abstractmethod
    def sample(self, sizes: NDArray[np.int64], key: Key, draws: Draws) -> Strings:
        """For each draw, a string of the given size."""

    def draw(self, window: Window, key: Key, draws: Draws) -> Strings:
        sizes, upper_ends = _size_choice(self, window)
        chosen = kernels.choice.choose_sizes(upper_ends, key_words(key), draws)
        return self.sample(sizes[chosen], key, draws)

    def size_log_prob(self, sizes: NDArray[np.int64], window: Window) -> NDArray[np.float64]:
        """Natural log of the probability of each size; -inf for a size that no string of the window has: [n]."""
        weights = self.size_weights(window)
        normaliser = total(weights.values())
        table = np.full(max(window.high, int(sizes.max(initial=0))) + 1, -np.inf)
        for size, weight in weights.items():
            table[size] = float(EXACT.ln(EXACT.divide(EXACT.create_decimal(weight), normaliser)))
        return np.asarray(table[sizes])


@lru_cache(maxsize=64)
def _size_choice(law: TwoStageLaw, window: Window) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    weights = law.size_weights(window)
    return np.array([*weights], np.int64), thresholds(weights.values())


def parse_spec(spec: str) -> tuple[str, dict[str, Fraction]]:
    """A law's name and its parameters.

    >>> parse_spec("pcfg:p=1/2,q=1/4")
    ('pcfg', {'p': Fraction(1, 2), 'q': Fraction(1, 4)})
    """
    name, _, listed = spec.partition(":")
    parameters: dict[str, Fraction] = {}
    for item in filter(None, listed.split(",")):
        key, equals, number = (part.strip() for part in item.partition("="))
        try:
            value = read_number(number)
        except ValueError as error:
            wrong = "is not NAME=NUMBER" if not equals or "no number" in str(error) else str(error)
            raise LanguageError(
                f"Law {_shown(spec)}: {_shown(item)} {wrong}; write it like {EXAMPLE}."
            ) from None
        if not key or key in parameters:
            wrong = "is given twice" if key else "has no name"
            raise LanguageError(f"Law {_shown(spec)}: {_shown(item)} {wrong}; write it like {EXAMPLE}.")
        parameters[key] = value
    return name, parameters


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}...")


def format_spec(name: str, parameters: Mapping[str, Any]) -> str:
    """The canonical spelling of a law."""
    listed = ",".join(f"{key}={value}" for key, value in parameters.items())
    return f"{name}:{listed}" if listed else name
