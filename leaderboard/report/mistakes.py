"""Strings that a model has wrong, place by place: the right answers beside its own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from marnn_bench.asking.protocol import TIE
from marnn_bench.evaluation.records import read_record
from marnn_bench.examples import (
    Examples,
    LanguageModellingExamples,
    RecognitionExamples,
    SetExamples,
    TransductionExamples,
)
from marnn_bench.generators.alphabet import END
from marnn_bench.rescoring.data import data_of
from marnn_bench.rescoring.stored import StoredAnswers
from marnn_bench.scoring.deterministic import NOT_SCORED, right_choices
from marnn_bench.scoring.predictions import Predictions
from marnn_bench.scoring.runs import scorer_of
from marnn_bench.scoring.transduction import wanted_outputs

MOST: Final = 10
"""So many strings are shown."""

BEFORE, BEHIND = 14, 5
"""So many places are shown around the first error."""

NO_ANSWER: Final = "none"
NOT_ASKED: Final = "·"
TIED: Final = "tie"


@dataclass(frozen=True)
class Place:
    """A symbol of a string, the right answer after it and the model's; empty where nothing was asked."""

    symbol: str
    right: str = ""
    answered: str = ""
    wrong: bool = False


@dataclass(frozen=True)
class Mistake:
    """A string that a model has wrong.

    row:           its number in the split, from 0
    length:        of the string, or the source
    said:          what is wrong, in words
    text:          the whole string, or the source
    places:        those around the first error
    first, total:  the number of the first place shown, from 0, and how many there are
    """

    row: int
    length: int
    said: str
    text: str
    places: tuple[Place, ...]
    first: int
    total: int


@dataclass(frozen=True)
class Mistakes:
    """The shortest strings that one run has wrong.

    run:      its number
    strings:  how many it has wrong, of how many
    """

    run: int
    wrong: int
    strings: int
    shown: tuple[Mistake, ...]


def find_mistakes(folder: Path, run: int) -> Mistakes:
    """The shortest strings that a run of a result has wrong, equally short ones in the order of the split."""
    record = read_record(folder)
    examples, _ = data_of(folder, record["task"])
    scorer = scorer_of(examples)
    answers = StoredAnswers(folder, examples, scorer, record["schema_version"] == 1).run(
        run, len(record["runs"])
    )
    correctness = scorer.correctness(answers)
    wrong = np.flatnonzero(~correctness.correct)
    rows = wrong[np.argsort(examples.strings.lengths[wrong], kind="stable")][:MOST]
    shown = [
        _mistake(examples.take([row]), _of_row(answers, row), int(row), int(correctness.first_error[row]))
        for row in rows
    ]
    return Mistakes(run, len(wrong), len(examples), tuple(shown))


def _of_row(answers: Predictions, row: int) -> Predictions:
    first, last = answers.offsets[row], answers.offsets[row + 1]
    return Predictions(
        {name: values[first:last] for name, values in answers.values.items()},
        answers.answered[first:last],
        np.array([0, last - first]),
    )


def _mistake(one: Examples, answers: Predictions, row: int, error: int) -> Mistake:
    places = list(_places(one, answers))
    length = int(one.strings.lengths[0])
    first = max(0, error - BEFORE)
    text = one.strings.texts(one.task.language.alphabet)[0]
    shown = tuple(places[first : error + BEHIND])
    return Mistake(row, length, _said(one, answers, error), text, shown, first, len(places))


def _said(one: Examples, answers: Predictions, error: int) -> str:
    match one:
        case RecognitionExamples():
            truth = "a member" if one.label[0] else f"no member ({one.kinds[int(one.negative[0])]})"
            said = f"{answers.predicted[0]:.3f}" if answers.answered[0] else NO_ANSWER
            return f"{truth}; probability given that it is one: {said}"
        case TransductionExamples():
            return f"output symbol {error + 1} is wrong or missing"
        case LanguageModellingExamples():
            return f"symbol {error + 1} was given the probability 0"
    return f"the answer after symbol {error + 1} is wrong"


def _places(one: Examples, answers: Predictions) -> Iterator[Place]:
    symbols = one.strings.texts(one.task.language.alphabet)[0].split()
    match one:
        case SetExamples() if one.task.view.answer == "choices":
            right = ["" if gold == NOT_SCORED else one.task.columns[gold] for gold in right_choices(one)]
            yield from _compared(symbols, right, _chosen(answers, one.task.columns))
        case SetExamples():
            given = one.sets(answers.predicted)[0]
            said = [text if came else NO_ANSWER for text, came in zip(given, answers.answered, strict=True)]
            yield from _compared(symbols, one.sets(one.answers)[0], said)
        case TransductionExamples():
            wanted = [one.task.columns[place] for place in wanted_outputs(one).ids]
            written = _chosen(answers, one.task.columns)
            missing = [NO_ANSWER] * (len(wanted) - len(written))
            yield from _compared([""] * len(wanted), wanted, [*written, *missing])
        case LanguageModellingExamples():
            for symbol, log_prob in zip([*symbols, END], answers.predicted, strict=True):
                yield Place(symbol, answered=f"{np.exp(log_prob):.3g}", wrong=bool(np.isneginf(log_prob)))


def _chosen(answers: Predictions, columns: Sequence[str]) -> list[str]:
    names = [TIED if place == TIE else columns[place] for place in answers.predicted.tolist()]
    return [name if came else NO_ANSWER for name, came in zip(names, answers.answered, strict=True)]


def _compared(symbols: Sequence[str], right: Sequence[str], answered: Sequence[str]) -> Iterator[Place]:
    for symbol, wanted, given in zip(symbols, right, answered, strict=True):
        yield Place(
            symbol, wanted or NOT_ASKED, given if wanted else NOT_ASKED, bool(wanted) and wanted != given
        )
