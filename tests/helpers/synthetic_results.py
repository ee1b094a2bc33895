"""Result folders whose answers are right or wrong as wanted, in the layout that `marnn-bench eval` writes."""

import json
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import ArrayLike, NDArray

from marnn_bench.evaluation.results import Part
from marnn_bench.evaluation.samples import samples_table
from marnn_bench.examples import (
    Examples,
    LanguageModellingExamples,
    RecognitionExamples,
    SetExamples,
    TransductionExamples,
)
from marnn_bench.scoring.deterministic import NOT_SCORED, right_choices
from marnn_bench.scoring.language_modelling import symbols_and_ends
from marnn_bench.scoring.predictions import Predictions
from marnn_bench.scoring.runs import score_runs, scorer_of
from marnn_bench.scoring.transduction import wanted_outputs
from marnn_bench.store.cache import cached_data
from marnn_bench.store.read import read_split, read_train
from marnn_bench.tasks.registry import find_task

Record = dict[str, Any]

TRAIN_ROWS = 50


def write_result(
    folder: Path,
    correct: ArrayLike,
    *,
    model: str = "mine",
    task: str = "dyck2",
    split: str = "test",
    law: str | None = None,
    own: bool = False,
    lost: int = 0,
    published_row: str | None = None,
    deviations: dict[str, Any] | None = None,
    **changes: Any,
) -> Path:
    """A finished result: which strings each run has right [runs, rows] of as many strings as the split then has.

    law:   of the strings, if not the task's own
    own:   take the task's own splits, whose strings must then be as many
    lost:  how many of the last strings of run 0 lack answers
    """
    right = np.atleast_2d(np.asarray(correct, bool))
    examples, train = own_strings(task, split) if own else strings(task, split, right.shape[1], law)
    folder.mkdir(parents=True, exist_ok=True)
    runs = [answers(examples, row) for row in right]
    runs[0] = without_last(runs[0], lost)
    write_samples(folder, examples, runs)
    (folder / "errors.jsonl").write_text("")
    training = {"published_row": published_row, "deviations": deviations or {}} if published_row else None
    record = {
        "schema_version": 2,
        "model": {"name": model, "interface": "step", "training": training},
        **score_runs(examples, train, runs),
        "audit": {"done": True, "checks": []},
        "samples": {"file": "samples.parquet", "rows": right.size},
        "errors": {"file": "errors.jsonl", "rows": lost},
        **changes,
    }
    write_record(folder, record)
    return folder


def write_record(folder: Path, record: Record) -> None:
    """Write result.json with digests that fit the record and the files beside it."""
    for entry in ("samples", "errors"):
        if isinstance(said := record.get(entry), dict) and (folder / str(said.get("file"))).is_file():
            said["sha256"] = sha256((folder / said["file"]).read_bytes()).hexdigest()
    record.pop("integrity", None)
    canonical = json.dumps(record, sort_keys=True, separators=(",", ":"))
    record["integrity"] = sha256(canonical.encode()).hexdigest()
    (folder / "result.json").write_text(json.dumps(record, indent=2))


def read_record(folder: Path) -> Record:
    """result.json as it is."""
    record: Record = json.loads((folder / "result.json").read_text())
    return record


@cache
def strings(
    task: str, split: str, rows: int | None = None, law: str | None = None
) -> tuple[Examples, Examples | None]:
    """So many strings of a split, if their number can be chosen, and train."""
    found = find_task(task)
    chosen = [name for name, own in found.splits.items() if isinstance(own.rows, int) and not own.per_size]
    sizes = {name: rows if name == split and rows else TRAIN_ROWS for name in chosen}
    asked = found.with_splits(sizes, law)
    data = cached_data(asked)
    return read_split(data, asked, split), read_train(data, asked)


def own_strings(task: str, split: str) -> tuple[Examples, Examples | None]:
    """The strings of a split as everybody has them, and train."""
    asked = find_task(task)
    data = cached_data(asked)
    return read_split(data, asked, split), read_train(data, asked)


def answers(examples: Examples, right: NDArray[np.bool_]) -> Predictions:
    """Answers of which these strings' are right; those of the others are wrong where they are first asked.

    In language modelling right is the probability of the string under its law, wrong is a nat a symbol less. Where the
    closing bracket with the highest score is looked at, that is the first one.
    """
    match examples:
        case SetExamples() if examples.task.view.answer == "choices":
            gold = right_choices(examples)
            values, offsets = np.where(gold == NOT_SCORED, 0, gold), examples.strings.offsets
            asked = np.flatnonzero(gold != NOT_SCORED)
            firsts = asked[np.searchsorted(asked, offsets[:-1])]
            values[firsts[~right]] = (values[firsts[~right]] + 1) % len(examples.task.columns)
        case SetExamples():
            values, offsets = examples.answers.copy(), examples.strings.offsets
            values[offsets[:-1][~right]] ^= np.uint64(1)
        case TransductionExamples():
            wanted = wanted_outputs(examples)
            kept = np.where(right, wanted.lengths, 1)
            taken = np.concatenate([ids[:n] for ids, n in zip(wanted, kept, strict=True)])
            values, offsets = taken.astype(np.int64), np.concatenate([[0], np.cumsum(kept)])
            wrong = offsets[:-1][~right]
            values[wrong] = (values[wrong] + 1) % len(examples.task.columns)
        case RecognitionExamples():
            values, offsets = (examples.label == right).astype(np.float64), np.arange(len(examples) + 1)
        case LanguageModellingExamples():
            offsets = symbols_and_ends(examples).offsets
            each = examples.log_probs / np.diff(offsets) - ~right
            values = np.repeat(each, np.diff(offsets))
    closing = (
        {"closing": np.zeros(len(values), np.int64)} if getattr(examples.task.view, "closing", ()) else {}
    )
    return replace(Predictions.of(values, offsets), values={"predicted": values, **closing})


def without_last(predictions: Predictions, lost: int) -> Predictions:
    """The same, of which nothing is answered about the last strings."""
    answered = predictions.answered.copy()
    answered[predictions.offsets[len(predictions) - lost] :] = False
    return Predictions(predictions.values, answered, predictions.offsets, predictions.totals)


def write_samples(folder: Path, examples: Examples, runs: list[Predictions]) -> None:
    """samples.parquet as `eval` writes it: a row group for each run."""
    scorer, columns, rows = scorer_of(examples), len(examples.task.columns), range(len(examples))
    tables = (samples_table(answered, scorer.correctness(answered), columns) for answered in runs)
    parts = [Part(run, 0, rows, table, []).numbered() for run, table in enumerate(tables)]
    with pq.ParquetWriter(folder / "samples.parquet", parts[0].schema, compression="zstd") as writer:
        for part in parts:
            writer.write_table(part, row_group_size=len(part))
