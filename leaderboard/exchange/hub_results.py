"""Results as the YAML of `.eval_results/`, by which a model's page on the Hugging Face Hub shows its figures."""

from collections.abc import Sequence
from typing import Any

from marnn_bench.scoring.metrics import Record


def hub_results(records: Sequence[Record], dataset: str, revision: str | None = None) -> list[dict[str, Any]]:
    """An entry for each result: the mean of its task's headline over runs.

    dataset:   ORG/NAME of the data on the Hub
    revision:  the commit of these
    """
    from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

    entries = [
        EvalResultEntry(
            dataset_id=dataset,
            task_id=f"{record['task']['name']}/{record['task']['split']}",
            value=record["summary"]["metrics"][record["summary"]["headline"]]["mean"],
            dataset_revision=revision,
            date=record["created_at"],
            notes=_notes(record),
        )
        for record in records
    ]
    found: list[dict[str, Any]] = eval_result_entries_to_yaml(entries)
    return found


def _notes(record: Record) -> str:
    runs, task = len(record["runs"]), record["task"]
    return (
        f"{record['summary']['headline']}, mean of {runs} {'runs' if runs > 1 else 'run'}; marnn-bench "
        f"{record['harness']['version']}; task version {task['version']}, data {task['digest'][:12]}"
    )
