"""What the strings of a split are sent, and what is kept of the answers, view by view."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from marnn_bench.asking.answers import THRESHOLD
from marnn_bench.asking.protocol import NONE, TIE, Answers, Loaded
from marnn_bench.asking.waves import Reading, Script, ask_after_each, ask_from, by_step
from marnn_bench.examples import (
    Examples,
    LanguageModellingExamples,
    RecognitionExamples,
    SetExamples,
    TransductionExamples,
)
from marnn_bench.generators.strings import Strings
from marnn_bench.scoring.language_modelling import symbols_and_ends
from marnn_bench.scoring.transduction import wanted_outputs
from marnn_bench.views import SEPARATOR

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Whole(Reading):
    """The answers as they are: one number for each stream."""

    kind: str
    name: str = "predicted"

    @property
    def fields(self) -> Mapping[str, str]:
        return {self.name: self.kind}

    def __call__(self, step: int, answers: Answers) -> Mapping[str, NDArray[Any]]:
        return {self.name: answers}


MASKS: Final = Whole("<u8")
CHOICES: Final = Whole("<i8")
PROBABILITIES: Final = Whole("<f8")


@dataclass(frozen=True)
class LogProbabilities(Reading):
    """The log of the probability of the symbol that comes next, of probabilities whose sum may be a little off 1.

    columns:  [steps, n]  which column that is
    """

    columns: NDArray[np.int64]

    @property
    def fields(self) -> Mapping[str, str]:
        return {"predicted": "<f8"}

    def __call__(self, step: int, answers: Answers) -> Mapping[str, NDArray[Any]]:
        chosen = answers[np.arange(len(answers)), self.columns[step]]
        with np.errstate(divide="ignore", invalid="ignore"):  # nothing was answered: 0 of 0
            return {"predicted": np.log(chosen / answers.sum(axis=1))}

    def repeated(self, times: int) -> Reading:
        return LogProbabilities(np.tile(self.columns, times))


@dataclass(frozen=True)
class SetsOfScores(Reading):
    """Sets out of scores: the columns from a threshold on.

    closing:  columns of closing brackets, of which the one with the highest score is kept, too
    legal:    [steps, n]  the right sets, if scores are probabilities: the sum of the others is kept
    """

    threshold: float
    columns: int
    closing: tuple[int, ...] = ()
    legal: NDArray[np.uint64] | None = None

    @property
    def fields(self) -> Mapping[str, str]:
        found = {"predicted": "<u8"}
        if self.closing:
            found["closing"] = "<i8"
        if self.legal is not None:
            found["illegal_mass"] = "<f8"
        return found

    def __call__(self, step: int, answers: Answers) -> Mapping[str, NDArray[Any]]:
        powers = np.uint64(1) << np.arange(self.columns, dtype=np.uint64)
        found: dict[str, NDArray[Any]] = {"predicted": (answers >= self.threshold) @ powers}
        if self.closing:
            found["closing"] = _highest(answers[:, list(self.closing)])
        if self.legal is not None:
            legal = self.legal[step][:, None] >> np.arange(self.columns, dtype=np.uint64) & np.uint64(1)
            found["illegal_mass"] = (answers * (legal == 0)).sum(axis=1)
        return found

    def repeated(self, times: int) -> Reading:
        return self if self.legal is None else replace(self, legal=np.tile(self.legal, times))


@dataclass(frozen=True)
class EveryScore(Reading):
    """All scores, each column under its number."""

    columns: int

    @property
    def fields(self) -> Mapping[str, str]:
        return {str(column): "<f8" for column in range(self.columns)}

    def __call__(self, step: int, answers: Answers) -> Mapping[str, NDArray[Any]]:
        return {str(column): answers[:, column] for column in range(self.columns)}


def _highest(scores: Floats) -> NDArray[np.int64]:
    """The column with the highest score in each row, TIE where there are several: [n]."""
    ties = (scores == scores.max(axis=1, keepdims=True)).sum(axis=1) > 1
    return np.where(ties, TIE, scores.argmax(axis=1))


def script_of(examples: Examples, loaded: Loaded, threshold: float = THRESHOLD) -> Script:
    """What a wave of these strings is sent.

    loaded:     what is read from the model's answers
    threshold:  from which probability on a symbol is in a set, for models whose scores are probabilities
    """
    strings = examples.strings
    match examples:
        case SetExamples():
            return Script(ask_after_each(strings), _set_reading(examples, loaded, threshold))
        case TransductionExamples():
            return _transduction_script(examples)
        case RecognitionExamples():
            return Script(ask_from(strings, strings.lengths - 1), PROBABILITIES)
        case LanguageModellingExamples():
            columns = np.maximum(by_step(symbols_and_ends(examples)), 0)
            return Script(ask_after_each(strings, first=True), LogProbabilities(columns))
    raise TypeError(f"{examples.task.name}: nothing asks the view {examples.task.view.name}.")


def answer_count(examples: Examples) -> int:
    """How many answers about these strings are wanted at most."""
    strings = examples.strings
    match examples:
        case TransductionExamples():
            return len(examples.targets.ids) + len(examples)
        case RecognitionExamples():
            return len(examples)
        case LanguageModellingExamples():
            return len(strings.ids) + len(examples)
    return len(strings.ids)


def sent_symbols(examples: Examples, row: int) -> list[str]:
    """What is sent of a string, as far as the model is right."""
    sent = examples.strings.take([row]).texts(examples.task.language.alphabet)[0].split()
    if isinstance(examples, TransductionExamples):
        sent += [SEPARATOR, *(examples.task.columns[column] for column in examples.targets[row])]
    return sent


def score_script(examples: SetExamples) -> Script:
    """What a wave is sent whose scores are all kept."""
    return Script(ask_after_each(examples.strings), EveryScore(len(examples.task.columns)))


def _set_reading(examples: SetExamples, loaded: Loaded, threshold: float) -> Whole | SetsOfScores:
    if loaded.answer in ("sets", "choices"):
        return MASKS if loaded.answer == "sets" else CHOICES
    columns = examples.task.columns
    closing = sorted(columns.index(symbol) for symbol in getattr(examples.task.view, "closing", ()))
    legal = None
    if loaded.answer == "distributions":
        masks = Strings(examples.answers.astype(np.int64), examples.strings.offsets)
        legal = np.where(by_step(examples.strings) == NONE, 0, by_step(masks)).astype(np.uint64)
    return SetsOfScores(threshold, len(columns), tuple(closing), legal)


def _transduction_script(examples: TransductionExamples) -> Script:
    """Source, separator, then what the model has written: while that is right it is the target, and then it ends."""
    task, sources, targets = examples.task, examples.strings, examples.targets
    place = {symbol: i for i, symbol in enumerate(task.symbols)}
    spelt = np.array([place[symbol] for symbol in task.columns[:-1]])
    separated = sources.append(place[SEPARATOR])
    whole = separated.append(Strings(spelt[targets.ids], targets.offsets))
    wanted = wanted_outputs(examples)
    # The answer to the separator is the first symbol of the output.
    gold = by_step(Strings(np.full(len(sources.ids), NONE), sources.offsets).append(wanted))
    return Script(ask_from(whole, sources.lengths), CHOICES, gold)
