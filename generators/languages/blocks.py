"""Blocks of equal symbols whose lengths follow from one or two numbers, each at least 1.

    a^n b^n     a^n b^2n     a^n b^m c^(n+m)     a^n b^n c b^m a^m     a^n b^k c^nk

The exponents are all that counting, enumerating and drawing take: a size leaves finitely many parameters, found by
solving for the last of them, in which every exponent is linear.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from math import prod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators import kernels
from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.devices.counter_machine import CounterMachine
from marnn_bench.generators.devices.finite_automaton import DFA, Transition
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.keys import Key, key_words
from marnn_bench.generators.labeller import Labeller
from marnn_bench.generators.language import Language
from marnn_bench.generators.laws import Draws
from marnn_bench.generators.strings import Strings, offsets_of

Measure = Literal["length", "n"]
Values = Mapping[str, Any]
"""Of each parameter its value: an integer, or an array of one for each string."""


@dataclass(frozen=True)
class Exponent:
    """A sum of products of parameters: `2n+m` is ((2, "n"), (1, "m")).

    >>> Exponent.parse("nk+2n+1")({"n": 3, "k": 4})
    19
    """

    terms: tuple[tuple[int, str], ...]

    @classmethod
    def parse(cls, text: str) -> "Exponent":
        """Read `n`, `2n`, `nk`, `(n+m)`, `1`."""
        terms = [re.fullmatch(r"(\d*)([a-z]*)", term) for term in text.strip("()").split("+")]
        if not all(term and term[0] and len(set(term[2])) == len(term[2]) for term in terms):
            raise LanguageError(f"Exponent {text!r} is not of the form n, 2n, nk, n+m or 1.")
        return cls(tuple((int(term[1] or 1), term[2]) for term in terms if term))

    def __call__(self, values: Values) -> Any:
        return sum(number * prod(values[name] for name in names) for number, names in self.terms)

    @property
    def parameters(self) -> list[str]:
        """In the order in which they are met."""
        return list(dict.fromkeys(name for _, names in self.terms for name in names))


@dataclass(frozen=True)
class Blocks(Language):
    """The strings of a definition like `a^n b^m c^(n+m)`, n, m >= 1, labelled by a counter machine.

    measure `n`: a string's size is the sum of its parameters, which is n, n+m or n+k. Depth: the length of the shortest
    way to complete the string.

    >>> addition = Blocks("addition", "a^n b^m c^(n+m)")
    >>> [addition.count(size) for size in range(6)], addition.text(n=1, m=2)
    ([0, 0, 1, 2, 3, 4], 'a b b c c c')
    """

    name: str
    definition: str
    machine: str = ""
    measure: Measure = "n"

    def __post_init__(self) -> None:
        if not 1 <= len(self.parameters) <= 2:
            raise LanguageError(f"{self.definition} has {len(self.parameters)} parameters, not one or two.")
        if any(a == b for (a, _), (b, _) in pairwise(self.blocks)):
            raise LanguageError(f"{self.definition} has two blocks of one symbol side by side: join them.")
        for name in self.parameters:
            met = next(exponent for _, exponent in self.blocks if name in exponent.parameters)
            if [term for term in met.terms if name in term[1]] != [(1, name)]:
                raise LanguageError(f"{self.definition}: the first block with {name} must grow with it by 1.")
            if Exponent.parse(name) not in [exponent for _, exponent in self.blocks]:
                raise LanguageError(
                    f"{self.definition}: no block has the length {name}, so that strings show it."
                )

    @cached_property
    def blocks(self) -> tuple[tuple[str, Exponent], ...]:
        """Symbols and exponents."""
        parts = (block.partition("^") for block in self.definition.split())
        return tuple((symbol, Exponent.parse(exponent or "1")) for symbol, _, exponent in parts)

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """In the order in which the blocks name them."""
        return tuple(dict.fromkeys(name for _, exponent in self.blocks for name in exponent.parameters))

    @cached_property
    def alphabet(self) -> Alphabet:
        return Alphabet.of(dict.fromkeys(symbol for symbol, _ in self.blocks))

    @cached_property
    def automaton(self) -> Labeller:
        return CounterMachine.parse(f"alphabet {' '.join(self.alphabet)}\n{self.machine}")

    @cached_property
    def outline(self) -> tuple[tuple[int, int], ...]:
        return tuple(
            (self.alphabet.id(symbol), 0 if exponent.parameters else exponent({}))
            for symbol, exponent in self.blocks
        )

    @cached_property
    def envelope(self) -> DFA:
        """The blocks in their order, with exponents that are forgotten where they vary: a+ b+ for a^n b^n."""
        transitions, here = [], "start"
        for i, (symbol, exponent) in enumerate(self.blocks):
            for j in range(1 if exponent.parameters else exponent({})):
                transitions.append(Transition(here, symbol, f"{symbol}{i}.{j}"))
                here = transitions[-1].to
            if exponent.parameters:
                transitions.append(Transition(here, symbol, here))
        return DFA(self.alphabet, "start", frozenset({here}), tuple(transitions))

    # -- from parameters to strings

    def count(self, size: int) -> int:
        return len(_of_size(self, size))

    def enumerate(self, size: int) -> Iterator[tuple[int, ...]]:
        for values in _of_size(self, size):
            yield tuple(self._write(values[None]).ids.tolist())

    def sample(self, sizes: NDArray[np.int64], key: Key, draws: Draws) -> Strings:
        found, place = np.unique(sizes, return_inverse=True)
        tables = [_of_size(self, int(size)) for size in found]
        counts = np.array([len(table) for table in tables], np.int64)
        numbers = kernels.choice.randbelow_each(key_words(key), draws, counts[place][:, None])
        everything = np.concatenate([np.empty((0, len(self.parameters)), np.int64), *tables])
        return self._write(everything[offsets_of(counts)[place] + numbers[:, 0]])

    def text(self, **values: int) -> str:
        """The string of these parameters."""
        row = np.array([[values[name] for name in self.parameters]], np.int64)
        return self._write(row).texts(self.alphabet)[0]

    def size(self, values: Values) -> Any:
        """The size of the string of these parameters."""
        return sum(values.values()) if self.measure == "n" else self.length(values)

    def length(self, values: Values) -> Any:
        """The number of symbols of the string of these parameters."""
        return sum(exponent(values) for _, exponent in self.blocks)

    def _write(self, parameters: NDArray[np.int64]) -> Strings:
        """The strings of these parameters: [strings, parameters]."""
        values = dict(zip(self.parameters, parameters.T, strict=True))
        exponents = np.empty((len(parameters), len(self.blocks)), np.int64)
        for i, (_, exponent) in enumerate(self.blocks):
            exponents[:, i] = exponent(values)
        symbols = np.array([self.alphabet.id(symbol) for symbol, _ in self.blocks], self.alphabet.dtype)
        ids = np.repeat(np.tile(symbols, len(parameters)), exponents.ravel())
        return Strings(ids, offsets_of(exponents.sum(axis=1)))

    # -- from strings to parameters

    def sizes_of(self, strings: Strings) -> NDArray[np.int64]:
        return np.asarray(self.size(self._values(self._runs(strings))))

    def depths(self, strings: Strings) -> NDArray[np.int64]:
        # In block i, with `read` symbols of it read, the shortest string has base[i] + growth[i] * max(1, read - edge[i])
        # symbols: a parameter met here first is at least what these symbols ask for, one not met yet is 1.
        runs = self._runs(strings)
        actual = self._values(runs)
        known: dict[str, Any] = dict.fromkeys(self.parameters, 1)
        base, growth, edge = (np.zeros_like(runs) for _ in range(3))
        for i, (_, exponent) in enumerate(self.blocks):
            new = [name for name in exponent.parameters if known[name] is not actual[name]]
            without = known | dict.fromkeys(new[:1], 0)
            base[:, i], edge[:, i] = self.length(without), exponent(without)
            growth[:, i] = self.length(known) - base[:, i]
            known |= {name: actual[name] for name in new}
        starts = np.cumsum(runs.ravel()) - runs.ravel()
        behind = (np.cumsum(runs, axis=1) - runs).ravel()
        place = np.arange(len(strings.ids))
        beyond = place - np.repeat(starts + edge.ravel() - 1, runs.ravel())
        depths: NDArray[np.int64] = np.repeat(base.ravel() - behind + starts - 1, runs.ravel()) - place
        depths += np.repeat(growth.ravel(), runs.ravel()) * np.maximum(beyond, 1)
        return depths

    def _runs(self, strings: Strings) -> NDArray[np.int64]:
        """How long each block of members is: [strings, blocks]."""
        begins = np.ones(len(strings.ids) + 1, np.bool_)
        begins[1:-1] = strings.ids[1:] != strings.ids[:-1]
        begins[strings.offsets] = True
        return np.diff(np.flatnonzero(begins)).reshape(len(strings), len(self.blocks))

    def _values(self, runs: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
        """The parameters of members."""
        exponents = [exponent for _, exponent in self.blocks]
        return {name: runs[:, exponents.index(Exponent.parse(name))] for name in self.parameters}


@lru_cache(maxsize=4096)
def _of_size(language: Blocks, size: int) -> NDArray[np.int64]:
    """The parameters of all strings of a size, each at least 1: [strings, parameters]."""
    *others, last = language.parameters
    values: dict[str, Any] = {name: np.arange(1, max(size, 1)) for name in others}
    start = np.atleast_1d(language.size({**values, last: 0}))
    step = language.size({**values, last: 1}) - start
    solution = (size - start) // step
    exact = (solution >= 1) & (start + solution * step == size)
    return np.asarray(np.column_stack([*values.values(), solution])[exact])
