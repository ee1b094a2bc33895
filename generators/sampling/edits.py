"""Levenshtein distances: the fewest substitutions, insertions and deletions from one string to another.

By the bit-parallel algorithm of Myers 1999, in blocks as Hyyrö 2003 has it: 64 cells of the table in a few operations.
"""

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators import kernels
from marnn_bench.generators.strings import Strings


def levenshtein(strings: Strings, others: Strings) -> NDArray[np.int64]:
    """The distance between each string and the one in the same row of `others`: [n].

    >>> from marnn_bench.generators.alphabet import Alphabet
    >>> letters = Alphabet.of("a b")
    >>> ones, others = (Strings.from_texts(letters, texts) for texts in (["a b a b", "a", ""], ["b a b a", "b", "a b"]))
    >>> levenshtein(ones, others).tolist()
    [2, 1, 2]
    """
    symbols = 1 + max(int(batch.ids.max(initial=0)) for batch in (strings, others))
    return kernels.negatives.levenshtein(strings.ids, strings.offsets, others.ids, others.offsets, symbols)
