"""What models are given: the symbols of a string, behind START where the empty prefix is asked about, too.

A source and its target are one joint sequence (Grefenstette et al. 2015, section 4),

    START a1 ... ak ||| b1 ... bm

in which their symbols are told apart, also where they are spelled alike: "separate word-to-index mappings are used for source
and target vocabularies".
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from marnn_bench.task import Task
from marnn_bench.views import SEPARATOR, LanguageModelling, Recognition, Transduce

START: Final = 0
"""The id of the paper's start-of-sequence symbol, in the views that have one."""

Symbol = tuple[str, str]
"""What a symbol is part of ("", "source", "target"), and how it is spelled."""

BEGUN: Final = (Transduce.name, Recognition.name, LanguageModelling.name)
"""The views whose strings begin with START."""


def input_symbols(task: Task) -> tuple[Symbol, ...]:
    """What a model is given the strings of a task in.

    transduction                     START, source, separator, target
    recognition, language modelling  START, alphabet
    next-symbol, synchronous         alphabet
    """
    return symbols_of(task.view.name, task.language.alphabet.symbols, task.columns)


def symbols_of(view: str, alphabet: Sequence[str], columns: Sequence[str]) -> tuple[Symbol, ...]:
    """The same by the name of the view, the alphabet of the language, and the columns of its answers."""
    start = (("", "START"),) if view in BEGUN else ()
    if view != Transduce.name:
        return *start, *(("", symbol) for symbol in alphabet)
    source, target = (("source", a) for a in alphabet), (("target", b) for b in columns[:-1])
    return *start, *source, ("", SEPARATOR), *target


def prefix_symbols(view: str, alphabet: Sequence[str], columns: Sequence[str]) -> tuple[str, ...]:
    """What the ids stand for that an evaluator feeds a model, as `Task.symbols`."""
    joint = (SEPARATOR, *columns[:-1]) if view == Transduce.name else ()
    return tuple(dict.fromkeys((*alphabet, *joint)))


class InputIds:
    """Ids of `prefix_symbols`, fed to strings side by side, as ids of `input_symbols`.

    >>> ids = InputIds("transduction", ("a", "b"), ("a", "b", "END"))
    >>> ids.begin(1).tolist(), [ids.of(np.array([fed])).tolist() for fed in (1, 0, 2, 1)]  # START; b a ||| b
    ([0], [[2], [1], [3], [5]])
    """

    def __init__(self, view: str, alphabet: Sequence[str], columns: Sequence[str]) -> None:
        self.symbols = symbols_of(view, alphabet, columns)
        self.has_start = view in BEGUN
        places, fed = (
            {symbol: i for i, symbol in enumerate(self.symbols)},
            prefix_symbols(view, alphabet, columns),
        )
        sides = ("source", "target") if view == Transduce.name else ("", "")
        # What stands on neither side is fed only to strings that have ended.
        self._places = np.array(
            [[places.get((side, a), places.get(("", a), START)) for a in fed] for side in sides]
        )
        self._separator = fed.index(SEPARATOR) if view == Transduce.name else -1
        self._side: NDArray[np.int64]

    def begin(self, n: int) -> NDArray[np.int64]:
        """Begin n strings: START for each."""
        self._side = np.zeros(n, np.int64)
        return np.full(n, START)

    def of(self, fed: NDArray[np.int64]) -> NDArray[np.int64]:
        """One more symbol of each: [n] -> [n]"""
        if self._separator < 0:
            return np.take(self._places[0], fed)
        found: NDArray[np.int64] = self._places[self._side, fed]
        self._side[fed == self._separator] = 1
        return found
