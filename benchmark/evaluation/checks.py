"""What `marnn-bench check` tries on a model: batches that a sound model answers alike."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from marnn_bench.evaluation.failures import model_error, show_prefix
from marnn_bench.evaluation.process import ModelProcess
from marnn_bench.evaluation.protocol import Failure, Masks, ModelTask
from marnn_bench.evaluation.waves import WaveFailure, run_wave
from marnn_bench.generators.kernels.arrays import Ids
from marnn_bench.generators.strings import Strings, offsets_of
from marnn_bench.task import Task

SAMPLE_SIZE: Final = 24
"""Strings that every check but the last asks about."""

PAIRS: Final = 8
"""Pairs of strings that share a prefix, for the last."""

BATCH: Final = 5
"""Strings of the smaller batches that the sample is asked in again."""


@dataclass(frozen=True)
class Check:
    """What was tried, and what came of it."""

    name: str
    passed: bool
    detail: str


@dataclass(frozen=True)
class Checker:
    """Tries a model on strings of a task. Raises ModelError or LimitError where it does not answer at all."""

    model: ModelProcess
    task: Task
    model_name: str

    def run(self, strings: Strings) -> Iterator[Check]:
        """Every check, in order."""
        yield self._loads()
        sample = strings.take(np.unique(np.linspace(0, len(strings) - 1, SAMPLE_SIZE).astype(np.int64)))
        started = time.perf_counter()
        answers = self._ask(sample)
        each = 1e6 * (time.perf_counter() - started) / len(sample.ids)
        yield Check("answers", True, f"{len(sample.ids):,} prefixes, {each:.1f} µs each")
        yield self._compare(
            "repeats", "the same answers when asked again", sample, answers, self._ask(sample)
        )
        yield self._compare(
            "companions", "the same answers among other strings", sample, answers, self._rebatched(sample)
        )
        yield self._causal(strings)

    def _loads(self) -> Check:
        started = time.perf_counter()
        try:
            loaded = self.model.load(ModelTask.of(self.task))
        except Failure as failure:
            raise model_error(failure, self.model_name, "") from None
        return Check("loads", True, f"asked by {loaded.interface}, {time.perf_counter() - started:.1f} s")

    def _rebatched(self, sample: Strings) -> Masks:
        """The answers to a sample, asked backwards in small batches: [symbols]."""
        backwards = np.arange(len(sample))[::-1]
        batches = [backwards[i : i + BATCH] for i in range(0, len(sample), BATCH)]
        answered = Strings.concatenate([self._answered(sample.take(rows)) for rows in batches])
        return answered.take(backwards).ids

    def _causal(self, strings: Strings) -> Check:
        """Pairs of strings that share a prefix: the firsts in one batch, the seconds in another."""
        pairs = shared_prefixes(strings, PAIRS)
        if not pairs:
            return Check("causal", True, "no two strings share a prefix")
        shared, *sides = np.array(pairs).T
        prefixes = _prefixes(strings.take(sides[0]), shared)
        firsts, seconds = (_prefixes(self._answered(strings.take(rows)), shared).ids for rows in sides)
        return self._compare("causal", "the same answers before strings part", prefixes, firsts, seconds)

    def _compare(self, name: str, good: str, strings: Strings, first: Masks, second: Masks) -> Check:
        """Whether two series of answers to the same strings agree; if not, where they part."""
        differing = np.flatnonzero(first != second)
        if not len(differing):
            return Check(name, True, good)
        symbol = int(differing[0])
        row = int(np.searchsorted(strings.offsets, symbol, side="right")) - 1
        prefix = self._show(strings[row][: symbol + 1 - int(strings.offsets[row])])
        one, other = (self._show_set(int(answers[symbol])) for answers in (first, second))
        return Check(name, False, f"after {prefix} first {one}, then {other}")

    def _answered(self, strings: Strings) -> Strings:
        """The answers in the place of the symbols."""
        return Strings(self._ask(strings), strings.offsets)

    def _ask(self, strings: Strings) -> Masks:
        """The answers to these strings, as one batch: [symbols]."""

        def stop(failed: WaveFailure) -> None:
            prefix = self._show(strings[failed.rows[0]][: failed.sent]) if failed.rows else ""
            raise model_error(failed.failure, self.model_name, f"prefix {prefix}" if prefix else "")

        return run_wave(self.model, strings, stop)

    def _show(self, ids: Ids) -> str:
        return show_prefix(" ".join(self.task.language.alphabet.symbols[i] for i in ids))

    def _show_set(self, mask: int) -> str:
        return "{" + " ".join(symbol for i, symbol in enumerate(self.task.columns) if mask >> i & 1) + "}"


class SharedPrefix(NamedTuple):
    """Two rows whose strings agree in the first `shared` symbols, and in no more."""

    shared: int
    first: int
    second: int


def shared_prefixes(strings: Strings, most: int) -> list[SharedPrefix]:
    """The pairs that share the longest prefixes before they part, among those next to each other in the dictionary."""
    spelt = [tuple(string.tolist()) for string in strings]
    order = sorted(range(len(spelt)), key=spelt.__getitem__)
    pairs = [SharedPrefix(_common_prefix_length(spelt[i], spelt[j]), i, j) for i, j in pairwise(order)]
    parting = [pair for pair in pairs if pair.shared < min(len(spelt[pair.first]), len(spelt[pair.second]))]
    return sorted(parting, reverse=True)[:most]


def _common_prefix_length(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    """How many symbols two strings begin with alike."""
    return next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def _prefixes(strings: Strings, lengths: NDArray[np.int64]) -> Strings:
    """The first so many symbols of each string."""
    places = np.arange(len(strings.ids)) - np.repeat(strings.offsets[:-1], strings.lengths)
    return Strings(strings.ids[places < np.repeat(lengths, strings.lengths)], offsets_of(lengths))
