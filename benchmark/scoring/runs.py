"""The scores of all runs of a model on a split, beside those of trivial answers: what a result says."""

from collections.abc import Iterable

import numpy as np

from marnn_bench.examples import Examples
from marnn_bench.generators.language import Masks
from marnn_bench.scoring.metrics import Correctness, Record, Scorer, position_intervals, summary
from marnn_bench.scoring.trivial import trivial_scores


def score_runs(examples: Examples, train: Examples | None, predicted: Iterable[Masks]) -> Record:
    """The entries `task`, `runs`, `summary` and `trivial` of a result.

    train:      what trivial answers are fitted on, if there is such a split
    predicted:  for each run the sets that it answers, [symbols]
    """
    correctness = [Correctness.of(examples.strings, examples.answers, masks) for masks in predicted]
    counts = np.stack([of_run.counts for of_run in correctness], axis=1)  # [n, runs]
    intervals = position_intervals(counts, examples.strings.lengths, examples.digest)
    scorer = Scorer(examples)
    runs = [
        {"run": run, **scorer.score(of_run, interval)}
        for run, (of_run, interval) in enumerate(zip(correctness, intervals.tolist(), strict=True))
    ]
    return {
        "task": _task_record(examples),
        "runs": runs,
        "summary": summary(runs),
        "trivial": trivial_scores(train, examples),
    }


def _task_record(examples: Examples) -> Record:
    task, split = examples.task, examples.task.split(examples.split)
    return {
        "name": task.name,
        "version": task.version,
        "view": task.view.name,
        "split": examples.split,
        "law": split.law,
        "window": str(split.window),
        "rows": len(examples),
        "symbols": len(examples.strings.ids),
        "digest": examples.digest,
        "columns": list(task.columns),
    }
