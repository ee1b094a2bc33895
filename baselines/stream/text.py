"""Texts as streams, for language modelling (Joulin & Mikolov 2015, section 5.2): the words or the characters of a file."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from marnn_bench.baselines.engine.program import Places
from marnn_bench.baselines.recipes import Halving, Recipe
from marnn_bench.baselines.stream.strings import StreamCourse, Streamed, stream_of
from marnn_bench.errors import UsageError

LINE_END: Final = "</s>"
UNKNOWN: Final = "<unk>"
"""A word for the end of a line, and one for those that a vocabulary lacks, spelled as in the Penn Treebank of language models."""

PIECE: Final = 100
"""Symbols that are learned from at a time."""


def words_of(text: str, characters: bool) -> list[str]:
    """The symbols of a text.

    >>> words_of("the cat\\nsat\\n", characters=False), words_of("a b", characters=True)
    (['the', 'cat', '</s>', 'sat', '</s>'], ['a', ' ', 'b'])
    """
    if characters:
        return [*text]
    return [word for line in text.splitlines() for word in (*line.split(), LINE_END)]


@dataclass(frozen=True)
class Vocabulary:
    """The symbols that a model knows; UNKNOWN, the first, stands for all others."""

    symbols: tuple[str, ...]

    @classmethod
    def of(cls, text: Sequence[str], most: int) -> "Vocabulary":
        """The most frequent symbols of a text, so many with UNKNOWN; of equally frequent ones those that come first.

        >>> Vocabulary.of(words_of("to be or not to be", False), 3).symbols
        ('<unk>', 'to', 'be')
        """
        counted = Counter(symbol for symbol in text if symbol != UNKNOWN)
        return cls((UNKNOWN, *(symbol for symbol, _ in counted.most_common(most - 1))))

    def ids(self, text: Sequence[str]) -> NDArray[np.int32]:
        """Places in the vocabulary."""
        places = {symbol: place for place, symbol in enumerate(self.symbols)}
        return np.array([places.get(symbol, 0) for symbol in text], np.int32)


def as_stream(ids: NDArray[np.int32]) -> Streamed:
    """Each symbol is fed, and the next one asked for. The state begins anew before the first alone.

    UsageError if nothing can be asked for.
    """
    if len(ids) < 2:
        raise UsageError("The text has less than two symbols: give a longer one.")
    emptied = np.zeros(len(ids) - 1, np.uint8)
    emptied[0] = 1
    first = np.append(np.arange(0, len(ids) - 1, PIECE), len(ids) - 1)
    return Streamed(Places(ids[:-1].copy(), ids[1:].copy(), emptied), first)


def text_course(training: Streamed, validation: Streamed) -> StreamCourse:
    """The same text in each epoch."""
    return StreamCourse(len(training.first) - 1, lambda epoch: training, lambda epoch: validation)


def text_recipe(recipe: Recipe, course: StreamCourse, epochs: int) -> Recipe:
    """The recipe for a text, halved after each epoch without a gain; UsageError if it does not learn from a stream."""
    stream = replace(stream_of(recipe), strings=course.strings, emptied=course.strings)
    floor = recipe.schedule.floor if recipe.schedule else 0.0
    return replace(recipe, epochs=epochs, stream=stream, curriculum=None, schedule=Halving(0, floor))
