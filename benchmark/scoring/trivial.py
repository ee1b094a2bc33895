"""The trivial answers that stand beside every score: what can be had without learning the language."""

import numpy as np

from marnn_bench.examples import Examples
from marnn_bench.generators.language import Masks
from marnn_bench.generators.languages.dyck import Dyck
from marnn_bench.scoring.metrics import Correctness, Record, position_accuracy, sequence_accuracy


def trivial_scores(train: Examples | None, examples: Examples) -> list[Record]:
    """How the trivial answers that apply to a task do on these examples; two of them are fitted on `train`."""
    answers: dict[str, Masks] = {}
    if train is not None:
        answers["best constant set"] = best_constant_set(train, examples)
        answers["best set by last symbol"] = best_set_by_last_symbol(train, examples)
    if isinstance(examples.task.language, Dyck):
        answers["counter"] = counter(examples)
    return [{"name": name, **_score(examples, predicted)} for name, predicted in answers.items()]


def best_constant_set(train: Examples, examples: Examples) -> Masks:
    """Always the most frequent answer of train: [symbols]."""
    return np.full(len(examples.strings.ids), _most_frequent(train.answers), np.uint64)


def best_set_by_last_symbol(train: Examples, examples: Examples) -> Masks:
    """After each symbol the answer that most often follows it in train, after a new symbol the constant: [symbols]."""
    table = np.full(len(train.task.language.alphabet), _most_frequent(train.answers), np.uint64)
    for symbol in np.unique(train.strings.ids):
        table[symbol] = _most_frequent(train.answers[train.strings.ids == symbol])
    return table[examples.strings.ids]


def counter(examples: Examples) -> Masks:
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


def _most_frequent(answers: Masks) -> np.uint64:
    """The most frequent set, the smallest of equals."""
    sets, counts = np.unique(answers, return_counts=True)
    chosen: np.uint64 = sets[np.argmax(counts)]
    return chosen


def _score(examples: Examples, predicted: Masks) -> Record:
    correctness = Correctness.of(examples.strings, examples.answers, predicted)
    return {
        "sequence_accuracy": sequence_accuracy(correctness)["value"],
        "position_accuracy": position_accuracy(correctness),
    }
