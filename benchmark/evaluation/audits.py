"""Whether a model's answers follow from the prefix alone: asked again, in other company, before other continuations."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from marnn_bench.asking.failures import show_prefix
from marnn_bench.asking.protocol import IDLE, NONE, Failure, Loaded
from marnn_bench.asking.scripts import script_of
from marnn_bench.asking.waves import WAVE_ROWS, Model, Script, WaveFailure, by_step, run_wave
from marnn_bench.examples import Examples, LanguageModellingExamples, SetExamples
from marnn_bench.generators.strings import Strings
from marnn_bench.scoring.language_modelling import symbols_and_ends
from marnn_bench.scoring.predictions import Predictions

FEW: Final = 8
"""Answers about most strings of a batch that is asked again."""

WHOLE: Final = 32
"""Strings of it that are asked about to their end."""

TOLERANCE: Final = 1e-6
"""So far the logs of two equal probabilities may be apart: sums of floating-point numbers depend on the batch."""

CAUSAL_ROWS: Final = 8 * WAVE_ROWS
"""Strings whose prefixes are compared."""

MULTIPLIER: Final = np.uint64(0x9E3779B97F4A7C15)
SEED: Final = 20150701


@dataclass(frozen=True)
class Check:
    """What was tried, and what came of it."""

    name: str
    passed: bool
    detail: str


@dataclass(frozen=True)
class Audit:
    """Asks again about strings that a model has answered; those that lack an answer are left out.

    examples:     what was asked, in waves of WAVE_ROWS rows
    predictions:  what was answered
    few, whole:   how many answers are asked again about a string, and about how many strings all are
    asked:        [n]  how many answers about each string were asked for, if not all
    """

    model: Model
    loaded: Loaded
    examples: Examples
    predictions: Predictions
    threshold: float
    few: int = FEW
    whole: int = WHOLE
    asked: NDArray[np.int64] | None = None

    def checks(self) -> Iterator[Check]:
        """Every check, in order."""
        first = np.arange(min(WAVE_ROWS, len(self.examples)))
        yield self._asked_again("repeats", "the same answers when asked again", first)
        rng = np.random.default_rng(SEED)
        others = rng.permutation(len(self.examples))[:WAVE_ROWS]
        yield self._asked_again("companions", "the same answers among other strings", others)
        yield self._causal()

    def _asked_again(self, name: str, good: str, rows: NDArray[np.int64]) -> Check:
        """Whether these rows, as one batch, are answered as before."""
        before = self.predictions
        failed = np.repeat(np.arange(len(before)), before.lengths)[~before.answered]
        rows = rows[~np.isin(rows, failed)]
        if not len(rows):
            return Check(name, True, "no string that has all its answers")
        again = self.examples.take(rows)
        script = cut(script_of(again, self.loaded, self.threshold), self.few, self.whole)
        try:
            second = run_wave(self.model, script, _raise)
        except Failure as failure:
            return Check(name, False, f"{failure}")
        limits = script.wanted.sum(axis=0)
        if self.asked is not None:
            limits = np.minimum(limits, self.asked[rows])
        place = _first_difference(before, rows, second, np.arange(len(rows)), limits)
        differing = np.flatnonzero(place >= 0)
        if not len(differing):
            return Check(name, True, good)
        row, answers = int(rows[differing[0]]), int(place[differing[0]])
        return Check(
            name, False, f"{len(differing):,} of {len(rows):,} strings differ, {self._where(row, answers)}"
        )

    def _causal(self) -> Check:
        """Whether the same prefix was answered alike, whatever followed: over all that was answered."""
        examples = self.examples.take(range(min(CAUSAL_ROWS, len(self.examples))))
        tokens = examples.strings
        if isinstance(examples, LanguageModellingExamples):
            tokens = symbols_and_ends(examples)  # what is kept is about the symbol that came
        elif not isinstance(examples, SetExamples):
            return Check("causal", True, "whole strings are asked about, all different")
        offsets = self.predictions.offsets[: len(examples) + 1]
        answered = np.flatnonzero(self.predictions.answered[: offsets[-1]])
        rows = np.searchsorted(offsets, answered, side="right") - 1
        places = answered - offsets[rows]
        hashes = _prefix_hashes(tokens)[tokens.offsets[rows] + places]
        order = np.argsort(hashes, kind="stable")
        values = self.predictions.predicted[answered[order]]
        shared = hashes[order][1:] == hashes[order][:-1]
        differing = np.flatnonzero(shared & _differ(values[1:], values[:-1]))
        if not len(differing):
            return Check(
                "causal",
                True,
                f"the same answers whatever follows, {int(shared.sum()):,} equal prefixes",
            )
        one = order[differing[0] + 1]
        where = self._where(int(rows[one]), int(places[one]))
        return Check(
            "causal",
            False,
            f"{len(differing):,} of {int(shared.sum()):,} pairs of equal prefixes differ, {where}",
        )

    def _where(self, row: int, answers: int) -> str:
        """The prefix behind so many answers."""
        task, strings = self.examples.task, self.examples.strings
        if isinstance(self.examples, SetExamples):
            shown = strings[row][: answers + 1]
        elif isinstance(self.examples, LanguageModellingExamples):
            shown = strings[row][:answers]
        else:
            shown = strings[row]
        return f"such as after {show_prefix(' '.join(task.language.alphabet.symbols[i] for i in shown))}"


def cut(script: Script, few: int, whole: int) -> Script:
    """The same for the first `whole` strings, without anything behind the first few answers about the others."""
    wanted = script.wanted
    over = np.greater_equal(np.cumsum(wanted, axis=0) - wanted, few)
    over[:, :whole] = False
    return replace(script, requests=np.where(over, IDLE, script.requests))


def _first_difference(
    one: Predictions,
    rows: NDArray[np.int64],
    other: Predictions,
    others: NDArray[np.int64],
    limits: NDArray[np.int64],
) -> NDArray[np.int64]:
    """The place of the first answer that differs, of so many about each string, -1 if none does: [rows]."""
    lengths = [np.minimum(p.lengths[chosen], limits) for p, chosen in ((one, rows), (other, others))]
    shorter = np.minimum(*lengths)
    string = np.repeat(np.arange(len(rows)), shorter)
    place = np.arange(len(string)) - np.repeat(np.cumsum(shorter) - shorter, shorter)
    first, second = (p.offsets[chosen][string] + place for p, chosen in ((one, rows), (other, others)))
    differs = _differ(one.predicted[first], other.predicted[second])
    differing = np.flatnonzero(differs & one.answered[first])  # what failed may answer now
    found = np.where(np.equal(*lengths), -1, shorter)
    found[string[differing[::-1]]] = place[differing[::-1]]  # the first of a string is written last
    return found


def _differ(values: NDArray[Any], others: NDArray[Any]) -> NDArray[np.bool_]:
    if values.dtype.kind != "f":
        return np.asarray(values != others)
    with np.errstate(invalid="ignore"):  # infinities, which are equal
        return np.asarray((values != others) & ~(abs(values - others) <= TOLERANCE))


def _prefix_hashes(strings: Strings) -> NDArray[np.uint64]:
    """A hash of every prefix that is not empty; equal ones are the same prefix but for one chance in 2^64: [symbols]."""
    ids = by_step(strings)
    present = ids != NONE
    hashes = np.zeros(ids.shape, np.uint64)
    before = np.zeros(len(strings), np.uint64)
    for step, symbols in enumerate(ids.astype(np.uint64)):
        mixed = (before + symbols + np.uint64(1)) * MULTIPLIER
        before = hashes[step] = mixed ^ (mixed >> np.uint64(29))
    return np.asarray(hashes.T[present.T])


def _raise(failed: WaveFailure) -> None:
    raise failed.failure
