"""The laws of Bernardy 2018, over well-nested strings.

Training strings are uniform over all that fit a window, so that nearly all are as long as it allows. Test strings
enclose what is familiar in brackets of which the last ones close far away:

    o s1 s2 c        long distances (subtask A): s1 and s2 of equal length
    o^5 s c^5        new depths (subtask B): five opening brackets of any kinds, and theirs in reverse

with s1, s2, s from pools of different strings, drawn anew for every split.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import log

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators import kernels
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.kernels.arrays import Ids
from marnn_bench.generators.keys import Key, derive_key, key_words
from marnn_bench.generators.language import Language, UniformLaw
from marnn_bench.generators.laws import Draws, TwoStageLaw, format_spec
from marnn_bench.generators.sampling.distinct import select_distinct
from marnn_bench.generators.strings import Strings, offsets_of
from marnn_bench.generators.thresholds import Weight
from marnn_bench.generators.window import Window

MOST = 1_000_000
"""Strings of a pool, which is made for every length and part; and the other numbers of the law."""


@dataclass(frozen=True)
class UniformStringsLaw(TwoStageLaw):
    """Every string of the window equally likely."""

    language: Language
    spec = "uniform-strings"

    def size_weights(self, window: Window) -> Mapping[int, Weight]:
        return {size: self.language.count(size) for size in self.language.sizes(window)}

    def sample(self, sizes: NDArray[np.int64], key: Key, draws: Draws) -> Strings:
        return self.language.sample(sizes, key, draws)

    def log_prob(self, strings: Strings, window: Window) -> NDArray[np.float64]:
        sizes = strings.lengths
        inside = (window.low <= sizes) & (sizes <= window.high) & self.language.accepts(strings)
        return np.where(inside, -log(sum(self.size_weights(window).values())), -np.inf)


@dataclass(frozen=True)
class EnclosedLaw(TwoStageLaw):
    """o^outer s_1 ... s_parts c^outer: each s from a pool of its own, of so many strings, all of one length.

    The lengths that this allows are equally likely, and so are the kinds of brackets and the strings of a pool.
    """

    language: Language
    outer: Fraction
    parts: Fraction
    pool: Fraction

    def __post_init__(self) -> None:
        numbers = (self.outer, self.parts, self.pool)
        if any(number.denominator > 1 or not 1 <= number <= MOST for number in numbers):
            raise LanguageError(f"Law {self.spec} needs whole numbers of at least 1 and at most {MOST:,}.")

    @property
    def spec(self) -> str:
        return format_spec("enclosed", {"outer": self.outer, "parts": self.parts, "pool": self.pool})

    def size_weights(self, window: Window) -> Mapping[int, Weight]:
        step, shortest = int(2 * self.parts), int(2 * self.outer)
        sizes = [size for size in window if size > shortest and (size - shortest) % step == 0]
        if not sizes:
            raise LanguageError(
                f"Law {self.spec} has lengths {shortest + step}, {shortest + 2 * step}, ...: "
                f"none is in the window {window}."
            )
        return dict.fromkeys(sizes, 1)

    def sample(self, sizes: NDArray[np.int64], key: Key, draws: Draws) -> Strings:
        longest = int(sizes.max(initial=0))
        rows = np.empty((len(draws), longest), self.language.alphabet.dtype)
        for size in np.unique(sizes):
            chosen = sizes == size
            rows[chosen, :size] = self._of_size(int(size), key, draws[chosen])
        return Strings(rows[np.arange(longest) < sizes[:, None]], offsets_of(sizes))

    def _of_size(self, size: int, key: Key, draws: Draws) -> Ids:
        """The strings of these draws, all of this length: [draws, length]."""
        outer, parts, pool = int(self.outer), int(self.parts), int(self.pool)
        bounds = np.array([len(self.language.alphabet) // 2] * outer + [pool] * parts, np.int64)
        numbers = kernels.choice.randbelow_each(key_words(key), draws, np.tile(bounds, (len(draws), 1)))
        opening = 2 * numbers[:, :outer]
        length = (size - 2 * outer) // parts
        inside = [_pool(self.language, length, pool, key, i)[numbers[:, outer + i]] for i in range(parts)]
        return np.hstack([opening, *inside, opening[:, ::-1] + 1])


@lru_cache(maxsize=16)
def _pool(language: Language, length: int, rows: int, key: Key, number: int) -> Ids:
    """So many different strings of a length, every such set equally likely: [rows, length]."""
    own_key, window = derive_key({"split": key, "pool": number}), Window(length, length)
    law = UniformLaw(language)
    chosen = select_distinct(language, law, window, own_key, rows)
    strings = Strings.concatenate([law.draw(window, own_key, chosen.draws), chosen.enumerated])
    return strings.ids.reshape(rows, length)
