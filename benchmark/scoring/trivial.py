"""The trivial answers that stand beside every score: what can be had without learning the language."""

from collections.abc import Mapping

import numpy as np

from marnn_bench.examples import (
    Examples,
    LanguageModellingExamples,
    RecognitionExamples,
    SetExamples,
    TransductionExamples,
)
from marnn_bench.generators.language import Masks
from marnn_bench.generators.languages.dyck import Dyck
from marnn_bench.scoring import deterministic, language_modelling, recognition, sets, transduction
from marnn_bench.scoring.predictions import Predictions


def trivial_predictions(train: Examples | None, examples: Examples) -> Mapping[str, Predictions]:
    """The trivial answers that apply to a task, by name; some are fitted on `train`, if there is such a split."""
    match examples, train:
        case SetExamples(), SetExamples() | None if examples.task.view.answer == "choices":
            return _choices(train, examples)
        case SetExamples(), SetExamples() | None:
            return _sets(train, examples)
        case TransductionExamples(), TransductionExamples() | None:
            return _outputs(train, examples)
        case RecognitionExamples(), RecognitionExamples() | None:
            return _membership(train, examples)
        case LanguageModellingExamples(), LanguageModellingExamples() | None:
            return _distributions(train, examples)
    raise TypeError(f"{examples.task.name}: examples of different views.")


def _sets(train: SetExamples | None, examples: SetExamples) -> Mapping[str, Predictions]:
    found = {}
    if train is not None:
        found["best constant set"] = sets.best_constant_set(train, examples)
        found["best set by last symbol"] = sets.best_set_by_last_symbol(train, examples)
    if isinstance(examples.task.language, Dyck):
        found["counter"] = Predictions.of(counter(examples), examples.strings.offsets)
    return {name: _with_closing(examples, one) for name, one in found.items()}


def _with_closing(examples: SetExamples, predictions: Predictions) -> Predictions:
    """The same sets, and the closing bracket of each that has one alone, where the task looks at it."""
    closing = getattr(examples.task.view, "closing", ())
    if not closing:
        return predictions
    columns = np.sort([examples.task.columns.index(symbol) for symbol in closing]).astype(np.uint64)
    members = predictions.predicted[:, None] >> columns & np.uint64(1)  # [symbols, closing brackets]
    alone = np.where(members.sum(axis=1) == 1, members.argmax(axis=1), -1)
    return Predictions({**predictions.values, "closing": alone}, predictions.answered, predictions.offsets)


def _choices(train: SetExamples | None, examples: SetExamples) -> Mapping[str, Predictions]:
    if train is None:
        return {}
    return {
        "best constant symbol": deterministic.best_constant_choice(train, examples),
        "best symbol by last symbol": deterministic.best_choice_by_last_symbol(train, examples),
    }


def _outputs(train: TransductionExamples | None, examples: TransductionExamples) -> Mapping[str, Predictions]:
    found = {"copy of the source": transduction.copied_source(examples)}
    if train is not None:
        found["best constant symbol"] = transduction.best_constant_output(train, examples)
        found["best symbol by last symbol"] = transduction.best_output_by_last_symbol(train, examples)
    return found


def _membership(
    train: RecognitionExamples | None, examples: RecognitionExamples
) -> Mapping[str, Predictions]:
    found = {"always no": recognition.always(False, examples)}
    if train is not None:
        found["best answer by length"] = recognition.best_length_rule(train, examples)
    if (envelope := examples.task.language.envelope) is not None:
        found["regular envelope"] = recognition.within(envelope, examples)
    return found


def _distributions(
    train: LanguageModellingExamples | None, examples: LanguageModellingExamples
) -> Mapping[str, Predictions]:
    found = {"uniform": language_modelling.uniform(examples)}
    if train is not None:
        found["unigram"] = language_modelling.unigram(train, examples)
        found["bigram"] = language_modelling.bigram(train, examples)
    return found


def counter(examples: SetExamples) -> Masks:
    """Every opening bracket, and each closing one whose kind has more opened than closed: [symbols].

    What counters can do about a Dyck language, which is everything if it has one kind of bracket. END, where it is
    asked, is answered if all counts are zero.
    """
    language = examples.task.language
    if not isinstance(language, Dyck):
        raise TypeError(f"{language.name} has no brackets to count.")
    ids = examples.strings.ids
    masks = np.zeros(len(ids), np.uint64)
    closed = np.ones(len(ids), np.bool_)
    for kind in range(language.pairs):
        opening, closing = 2 * kind, 2 * kind + 1
        # Every string closes what it opens, so that the sum starts anew at each.
        count = np.cumsum((ids == opening).astype(np.int64) - (ids == closing))
        masks |= np.uint64(1 << opening) | (count > 0).astype(np.uint64) << np.uint64(closing)
        closed &= count == 0
    if len(examples.task.columns) > len(language.alphabet):
        masks |= closed.astype(np.uint64) << np.uint64(len(language.alphabet))
    return masks
