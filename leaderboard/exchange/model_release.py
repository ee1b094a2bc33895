"""A training as a model repository of the Hugging Face Hub: its files, a card with its results, and what the Hub lists of these."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from marnn_bench.baselines.training.folder import CHECKPOINT, FILES, MODEL, TRAINING
from marnn_bench.commands.report import accuracy_table
from marnn_bench.errors import DataError, UsageError
from marnn_bench.hub.release import check_tag
from marnn_bench.hub.repository import CARD, Release
from marnn_bench.leaderboard.exchange.hub_results import hub_results
from marnn_bench.papers import benchmark_bibtex
from marnn_bench.scoring.metrics import Record
from marnn_bench.tasks.registry import paper_of

EVAL_RESULTS: Final = ".eval_results/"

TEXT = """
# {model} on {task}

{parameters:,} parameters, trained {runs} by [marnn-bench](#use) {version}: all of them are in `checkpoint.safetensors`.{paper}

| | |
|---|---|
{facts}
{results}
## Use

`model.py` is a program, which marnn-bench runs: look at it, and at `cell.py` if there is one.

```console
$ pip install "marnn-bench[baselines]"
$ hf download {repo} --revision {tag} --local-dir model
$ marnn-bench eval model
```

In Python each run answers symbol by symbol, or for many prefixes at once:

```python
from pathlib import Path

from marnn_bench.baselines import TrainedModel

model = TrainedModel(Path("model")).load(0)
```

## Citation

```bibtex
{bibtex}
```
"""


def model_release(
    folder: Path,
    records: Sequence[Record],
    repo: str,
    tag: str | None = None,
    dataset: str | None = None,
    revision: str | None = None,
    licence: str | None = None,
) -> Release:
    """The release of a folder that `train` wrote, with results of it that were scored again.

    dataset, revision:  ORG/NAME and commit of the data on the Hub, whose page lists the results
    licence:            of the checkpoint, in the Hub's words, such as apache-2.0

    UsageError for a folder without a training, and for a result of another model; DataError for a damaged training.
    """
    check_tag(tag)
    if not (folder / TRAINING).is_file():
        raise UsageError(f"{folder} holds no training. Give the folder that `marnn-bench train --out` wrote.")
    files: dict[str, Path | bytes] = {name: folder / name for name in FILES if (folder / name).is_file()}
    digests = {
        name: hashlib.sha256(of.read_bytes()).hexdigest()
        for name, of in files.items()
        if isinstance(of, Path)
    }
    if missing := {MODEL, CHECKPOINT} - files.keys():
        raise DataError(f"{folder / min(missing)} is missing. Train again with --overwrite.")
    for record in records:
        _require_result_of(record, folder, digests)
    if dataset and records:
        files[f"{EVAL_RESULTS}marnn-bench.yaml"] = _yaml(hub_results(records, dataset, revision))
    tag = tag or f"v1.0-{hashlib.sha256(''.join(digests.values()).encode()).hexdigest()[:8]}"
    try:
        training = json.loads((folder / TRAINING).read_bytes())
        files[CARD] = _card(training, records, repo, tag, dataset, licence).encode()
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise DataError(
            f"{folder / TRAINING} is damaged ({error!r}). Train again with --overwrite."
        ) from error
    return Release("model", tag, files, (EVAL_RESULTS,))


def _require_result_of(record: Record, folder: Path, digests: Mapping[str, str]) -> None:
    opened = record["model"].get("files") or {}
    if opened.get(CHECKPOINT) != digests[CHECKPOINT]:
        task = record["task"]
        raise UsageError(
            f"The result on {task['name']} {task['split']} is not of {folder / CHECKPOINT}: give results of this model."
        )


def _card(
    training: Mapping[str, Any],
    records: Sequence[Record],
    repo: str,
    tag: str,
    dataset: str | None,
    licence: str | None,
) -> str:
    task, paper = training["task"], paper_of(training["paper"] or "")
    front = {
        **({"license": licence} if licence else {}),
        "library_name": "marnn-bench",
        "tags": ["formal-languages", "memory-augmented-neural-networks", training["model"], task["name"]],
        **({"datasets": [dataset]} if dataset else {}),
    }
    of_paper = f" The model is that of [{paper.name}]({paper.url}), {paper.title}." if paper else ""
    runs = "once" if training["runs"] == 1 else f"{training['runs']} times from different initial parameters"
    text = TEXT.format(
        model=training["model"],
        task=task["name"],
        parameters=training["parameters"],
        runs=runs,
        version=training["marnn_bench"],
        paper=of_paper,
        facts="\n".join(f"| {name} | {value} |" for name, value in _facts(training)),
        results="".join(map(_result, records)),
        repo=repo,
        tag=tag,
        bibtex="\n\n".join(filter(None, [benchmark_bibtex(), paper.bibtex() if paper else ""])),
    )
    return f"---\n{_yaml(front).decode()}---\n{text}"


def _facts(training: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    task, recipe = training["task"], training["recipe"]
    yield "task", f"{task['name']} {task['version']}, {task['view']}"
    yield "learned from", f"{task['rows']:,} strings, window {task['window']}, law `{task['law']}`"
    yield "procedure", recipe["procedure"]
    yield "epochs, learning rate", f"{recipe['epochs']}, {recipe['learning_rate']}"
    yield "seed", training["seed"]
    for name, value in training["deviations"].items():
        yield f"{name}, not as in the paper", f"{value['here']} instead of {value['paper']}"
    if selected := training["selected"]:
        yield "best run", f"{selected['best_run']}, by {selected['by']}"


def _result(record: Record) -> str:
    """A heading and a table; below the model, the trivial answers."""
    task = record["task"]
    heading = f"{task['name']} {task['version']}, {task['split']}: {task['rows']:,} strings, {task['window']}"
    return f"\n## {heading}\n\n{accuracy_table(record).formatted('markdown')}\n"


def _yaml(content: object) -> bytes:
    import yaml

    text: str = yaml.safe_dump(content, sort_keys=False, allow_unicode=True)
    return text.encode()
