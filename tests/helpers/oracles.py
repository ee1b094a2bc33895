"""Models that are right, built from a task's language, and models that are wrong in places that are known.

evaluate(next_symbol_oracle(task), task)                   every answer is right
evaluate(wrong_from(next_symbol_oracle(task), 3), task)    those to the first three questions about a string are
evaluate(wrong_every(next_symbol_oracle(task), 5), task)   those to every fifth question are wrong
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from helpers.brute_force import members
from marnn_bench.generators.alphabet import END
from marnn_bench.generators.strings import Strings
from marnn_bench.task import Task
from marnn_bench.views import Synchronous, Transduce

Prefix = tuple[str, ...]

SEPARATOR = "|||"
"""Between source and output in the prefixes of the transduction view."""


@dataclass(frozen=True)
class Oracle:
    """A model: what it answers after a prefix.

    right:     the right answer after a prefix
    wrong:     another answer than this one
    question:  the number of the question that a prefix is, among those about its string, counted from 0
    faulty:    the numbers of the questions that are answered wrongly
    """

    right: Callable[[Prefix], Any]
    wrong: Callable[[Any], Any]
    question: Callable[[Prefix], int]
    faulty: Callable[[int], bool] = lambda question: False

    def predict(self, prefix: Prefix) -> Any:
        answer = self.right(tuple(prefix))
        return self.wrong(answer) if self.faulty(self.question(tuple(prefix))) else answer


def wrong_from(oracle: Oracle, question: int) -> Oracle:
    """Right up to this question about a string, then wrong."""
    return replace(oracle, faulty=lambda number: number >= question)


def wrong_every(oracle: Oracle, period: int) -> Oracle:
    """Wrong at every question number period-1, 2 period - 1, ... about a string."""
    return replace(oracle, faulty=lambda number: number % period == period - 1)


def oracle_of(task: Task) -> Oracle:
    """The oracle of a task of any view."""
    return ORACLES[task.view.name](task)


# -- sets


def next_symbol_oracle(task: Task) -> Oracle:
    """The set of columns that may follow, by the language's automaton. Wrong: all the other columns."""
    columns = frozenset(task.columns)

    @cache
    def right(prefix: Prefix) -> frozenset[str]:
        mask = int(task.language.next_symbols(_strings(task, prefix))[-1])
        return columns & frozenset(task.language.alphabet.members(mask))

    return Oracle(right, columns.difference, _symbols_before_the_last)


def synchronous_oracle(task: Task) -> Oracle:
    """The set of the output at this step. Wrong: all the other outputs."""
    known: dict[Prefix, frozenset[str]] = {}

    def right(prefix: Prefix) -> frozenset[str]:
        if prefix not in known:
            member = _completed(task, prefix)
            outputs = _target(task, member)
            known.update({member[: i + 1]: frozenset([output]) for i, output in enumerate(outputs)})
        return known[prefix]

    return Oracle(right, frozenset(task.columns).difference, _symbols_before_the_last)


def _completed(task: Task, prefix: Prefix) -> Prefix:
    """A member that begins so: the last symbol that may follow is repeated until the string may end."""
    language, alphabet = task.language, task.language.alphabet
    allowed = alphabet.members(int(language.next_symbols(_strings(task, prefix))[-1]))
    if END in allowed:
        return prefix
    longest = (*prefix, *allowed[-1:] * len(prefix))
    ends = language.next_symbols(_strings(task, longest))[len(prefix) :] >> np.uint64(len(alphabet))
    return longest[: len(prefix) + 1 + int(np.flatnonzero(ends)[0])]


# -- single symbols, labels, distributions


def transduction_oracle(task: Task) -> Oracle:
    """The set of the next symbol of the target, END at last. Wrong: the set of the next column."""
    target = cache(lambda source: (*_target(task, source), END))
    following = {frozenset([a]): frozenset([b]) for a, b in pairwise((*task.columns, task.columns[0]))}

    def right(prefix: Prefix) -> frozenset[str]:
        source = prefix[: prefix.index(SEPARATOR)]
        return frozenset([target(source)[len(prefix) - len(source) - 1]])

    return Oracle(right, following.__getitem__, lambda prefix: len(prefix) - prefix.index(SEPARATOR) - 1)


def recognition_oracle(task: Task) -> Oracle:
    """1.0 for members, 0.0 for other strings. Wrong: the other one."""

    @cache
    def right(prefix: Prefix) -> float:
        return float(task.language.accepts(_strings(task, prefix))[0])

    return Oracle(right, lambda probability: 1 - probability, len)


def language_modelling_oracle(task: Task, split: str | None = None) -> Oracle:
    """The exact distribution of what follows under a split's law, one probability a column. Wrong: the uniform one.

    All strings of the window are enumerated: choose a small one by `with_splits(windows=...)`. KeyError for a prefix
    that none of them has.
    """
    name = split or task.default_split
    window, columns = task.split(name).window, task.columns
    strings = members(task.language, window)
    probabilities = np.exp(task.law(name).log_prob(strings, window))
    masses: defaultdict[Prefix, np.ndarray] = defaultdict(lambda: np.zeros(len(columns)))
    for text, probability in zip(strings.texts(task.language.alphabet), probabilities, strict=True):
        symbols = (*text.split(), END)
        for i, symbol in enumerate(symbols):
            masses[symbols[:i]][columns.index(symbol)] += probability
    distributions = {prefix: (mass / mass.sum()).tolist() for prefix, mass in masses.items() if mass.sum()}
    return Oracle(distributions.__getitem__, lambda answer: [1 / len(columns)] * len(columns), len)


ORACLES: dict[str, Callable[[Task], Oracle]] = {
    "next-symbol": next_symbol_oracle,
    "synchronous": synchronous_oracle,
    "transduction": transduction_oracle,
    "recognition": recognition_oracle,
    "language-modelling": language_modelling_oracle,
}


def _strings(task: Task, prefix: Prefix) -> Strings:
    return Strings.from_texts(task.language.alphabet, [" ".join(prefix)])


def _target(task: Task, source: Prefix) -> Prefix:
    assert isinstance(task.view, Synchronous | Transduce)
    targets = task.view.targets(task.language, _strings(task, source))
    return tuple(targets.texts(task.view.outputs(task.language))[0].split())


def _symbols_before_the_last(prefix: Prefix) -> int:
    return len(prefix) - 1
