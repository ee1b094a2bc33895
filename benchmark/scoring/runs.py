"""The scores of all runs of a model on a split, beside those of trivial answers: what a result says."""

from collections.abc import Iterable
from math import isfinite

from marnn_bench.examples import (
    Examples,
    LanguageModellingExamples,
    RecognitionExamples,
    SetExamples,
    TransductionExamples,
)
from marnn_bench.scoring.deterministic import ChoiceScorer
from marnn_bench.scoring.language_modelling import LanguageModellingScorer
from marnn_bench.scoring.metrics import Record, RunRecords, Scorer, summary
from marnn_bench.scoring.predictions import Predictions
from marnn_bench.scoring.recognition import RecognitionScorer
from marnn_bench.scoring.sets import SetScorer
from marnn_bench.scoring.transduction import TransductionScorer
from marnn_bench.scoring.trivial import trivial_predictions


def scorer_of(examples: Examples) -> Scorer:
    """The scorer of a split, by what its task asks."""
    match examples:
        case SetExamples() if examples.task.view.answer == "choices":
            return ChoiceScorer(examples)
        case SetExamples():
            return SetScorer(examples)
        case TransductionExamples():
            return TransductionScorer(examples)
        case RecognitionExamples():
            return RecognitionScorer(examples)
        case LanguageModellingExamples():
            return LanguageModellingScorer(examples)
    raise TypeError(f"{examples.task.name}: nothing scores the view {examples.task.view.name}.")


class RunScores:
    """What a result says of the runs of a model, which are added one by one.

    train:  what trivial answers are fitted on, if there is such a split
    """

    def __init__(self, examples: Examples, train: Examples | None) -> None:
        lengths = None if train is None else train.strings.lengths
        span = (int(lengths.min()), int(lengths.max())) if lengths is not None and len(lengths) else None
        self._examples, self._train = examples, train
        self._runs = RunRecords(scorer_of(examples), examples.digest, span)

    def add(self, predictions: Predictions) -> None:
        """Score what the next run answers."""
        self._runs.add(predictions)

    def record(self) -> Record:
        """The entries `task`, `runs`, `summary` and `trivial` of a result."""
        runs = self._runs.records()
        return {
            "task": _task_record(self._examples, self._train),
            "runs": runs,
            "summary": summary(runs, self._examples.task.headline),
            "trivial": trivial_scores(self._train, self._examples),
        }


def score_runs(examples: Examples, train: Examples | None, predictions: Iterable[Predictions]) -> Record:
    """`RunScores` of what each run answers."""
    scores = RunScores(examples, train)
    for answers in predictions:
        scores.add(answers)
    return scores.record()


def trivial_scores(train: Examples | None, examples: Examples) -> list[Record]:
    """The metrics of the trivial answers to these examples."""
    scorer, scored = scorer_of(examples), []
    for name, predictions in trivial_predictions(train, examples).items():
        metrics = scorer.metrics(predictions)
        values = {metric: ratio.value for metric, ratio in metrics.items()}
        known = {metric: value if isfinite(value) else None for metric, value in values.items()}
        scored.append({"name": name, "metrics": known})
    return scored


def _task_record(examples: Examples, train: Examples | None) -> Record:
    task, split = examples.task, examples.task.split(examples.split)
    return {
        "name": task.name,
        "version": task.version,
        "view": task.view.name,
        "headline": task.headline,
        "split": examples.split,
        "law": split.law,
        "window": str(split.window),
        "rows": len(examples),
        "symbols": len(examples.strings.ids),
        "digest": examples.digest,
        "columns": list(task.columns),
        "train": train is not None,
        "splits": {
            name: {
                "rows": other.rows, "law": other.law, "window": str(other.window), "distinct": other.distinct,
            }
            for name, other in task.splits.items()
        },
    }  # fmt: skip
