"""A result as Every Eval Ever has it (schema 0.3.0): a record for a model on a split, with all its metrics.

Scores are means over runs, as fractions or nats. Metrics that are infinite, as the cross-entropy of a model that calls a
string impossible, have no number there and are left out.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np

from marnn_bench.leaderboard.statistics import Interval, mean_intervals
from marnn_bench.scoring.metrics import LOWER_IS_BETTER, Record

SCHEMA_VERSION: Final = "0.3.0"
NAME: Final = "marnn-bench"


def every_eval_ever(record: Record, model_id: str, dataset: str | None = None) -> dict[str, Any]:
    """The record of a result.

    model_id:  ORG/NAME of the model
    dataset:   ORG/NAME of the data on the Hugging Face Hub, if they are there
    """
    task, when = record["task"], record["created_at"]
    seconds = f"{datetime.fromisoformat(when).replace(tzinfo=UTC).timestamp():.0f}"
    where = f"{task['name']}/{task['split']}"
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"{NAME}-{where}/{model_id}/{seconds}",
        "evaluation_timestamp": seconds,
        "retrieved_timestamp": seconds,
        "source_metadata": {
            "source_name": NAME,
            "source_type": "evaluation_run",
            "source_organization_name": model_id.partition("/")[0],
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": NAME, "version": record["harness"]["version"]},
        "model_info": {
            "name": record["model"]["name"],
            "id": model_id,
            "additional_details": {
                "deployment_type": "self_deployed",
                "model_availability": "unknown",
                "runs": str(len(record["runs"])),
            },
        },
        "evaluation_results": [
            {
                "evaluation_result_id": f"{where}/{metric}",
                "evaluation_name": f"{task['name']} {task['version']}",
                "source_data": _source(task, dataset),
                "metric_config": _metric(metric),
                "score_details": _score(record, metric),
            }
            for metric in _finite(record)
        ],
    }


def _finite(record: Record) -> Iterator[str]:
    for metric in record["summary"]["metrics"]:
        if all(run["metrics"][metric]["value"] is not None for run in record["runs"]):
            yield metric


def _source(task: Mapping[str, Any], dataset: str | None) -> dict[str, Any]:
    details = {name: str(task[name]) for name in ("split", "law", "window", "digest", "rows")}
    if dataset is None:
        return {"dataset_name": task["name"], "source_type": "other", "additional_details": details}
    return {
        "dataset_name": task["name"],
        "source_type": "hf_dataset",
        "hf_repo": dataset,
        "hf_split": task["split"],
        "samples_number": task["rows"],
        "additional_details": details,
    }


def _metric(name: str) -> dict[str, Any]:
    nats = name in LOWER_IS_BETTER
    return {
        "metric_id": name,
        "metric_name": name.replace("_", " "),
        "metric_unit": "nats" if nats else "proportion",
        "lower_is_better": nats,
        "score_type": "continuous",
        "min_score": 0.0,
        "max_score": "Infinity" if nats else 1.0,
    }


def _score(record: Record, metric: str) -> dict[str, Any]:
    of_runs = [run["metrics"][metric] for run in record["runs"]]
    values = np.array([[of_run["value"]] for of_run in of_runs])  # [runs, 1]
    (first, *others) = of_runs
    if others:
        (found,), method, count = mean_intervals(values), "bootstrap over runs", len(of_runs)
    elif first.get("lower") is None or first.get("upper") is None:
        return {"score": first["value"]}
    else:
        found = Interval(first["value"], first["lower"], first["upper"])
        method, count = first["method"], first["n"]
    interval = {
        "lower": found.lower,
        "upper": found.upper,
        "confidence_level": first["level"],
        "method": method,
    }
    return {
        "score": found.value,
        "uncertainty": {"confidence_interval": interval, "num_samples": count},
    }
