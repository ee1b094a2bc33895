"""All strings there are, of an alphabet and of a language."""

from itertools import chain, count, islice

import numpy as np

from marnn_bench.generators.language import Language
from marnn_bench.generators.strings import Strings
from marnn_bench.generators.window import Window


def all_strings(symbols: int, length: int) -> Strings:
    """Every string of this length over so many symbols."""
    ids = np.indices((symbols,) * length, np.uint8).reshape(length, -1).T.ravel() if length else []
    return Strings(np.array(ids, np.uint8), np.arange(symbols**length + 1, dtype=np.int64) * length)


def members(language: Language, window: Window) -> Strings:
    """Every string of the language with a size in the window."""
    return Strings.from_ids(language.alphabet, [row for size in window for row in language.enumerate(size)])


def small_window(language: Language, most: int = 2_000) -> Window:
    """The widest window from the third smallest size on that has at most so many strings, at least one size."""
    sizes = (size for size in count() if language.count(size))
    low, high, total = next(islice(sizes, 2, None)), 0, 0
    for size in chain([low], sizes):
        total += language.count(size)
        if high and (total > most or size > low + 10):
            break
        high = size
    return Window(low, high)
