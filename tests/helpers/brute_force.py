"""All strings there are, of an alphabet and of a language."""

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
