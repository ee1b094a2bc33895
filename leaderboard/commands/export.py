"""marnn-bench export"""

import json
from collections.abc import Sequence
from pathlib import Path

import click

from marnn_bench.commands.output import note
from marnn_bench.errors import UsageError
from marnn_bench.evaluation.records import result_folders
from marnn_bench.hub.repository import check_repo
from marnn_bench.leaderboard.exchange.every_eval_ever import every_eval_ever
from marnn_bench.leaderboard.exchange.hub_results import hub_results
from marnn_bench.rescoring.rescore import believe
from marnn_bench.scoring.metrics import Record
from marnn_bench.store.manifest import write_text

FOLDER = click.Path(path_type=Path)


@click.command()
@click.argument("results", metavar="RESULT...", nargs=-1, required=True, type=FOLDER)
@click.option(
    "--to",
    "style",
    type=click.Choice(["every-eval-ever", "hub"]),
    required=True,
    help="JSON of Every Eval Ever, or YAML for `.eval_results/` of a model on the Hugging Face Hub.",
)
@click.option("--model", metavar="ORG/NAME", help="The model; needed for every-eval-ever.")
@click.option("--dataset", metavar="ORG/NAME", help="The data on the Hub; needed for hub.")
@click.option("--revision", metavar="COMMIT", help="Of the data.")
@click.option("--out", type=FOLDER, required=True, help="The folder to write.")
@click.option("--overwrite", is_flag=True, help="Replace files that are there.")
def export(
    results: tuple[Path, ...],
    style: str,
    model: str | None,
    dataset: str | None,
    revision: str | None,
    out: Path,
    overwrite: bool,
) -> None:
    """Write results in a format of others.

    RESULT is a folder that `marnn-bench eval` wrote, or one with such folders below it; each is scored again before it
    is believed. Every Eval Ever takes a file for each result, OUT/TASK-SPLIT.json; the Hub one for all,
    OUT/marnn-bench.yaml, which belongs into `.eval_results/` of the model's repository.
    """
    for name in filter(None, (model, dataset)):
        check_repo(name)
    records = [believe(folder).record for path in results for folder in result_folders(path)]
    files = _hub(records, dataset, revision) if style == "hub" else _every_eval_ever(records, model, dataset)
    for name in files:
        if (out / name).exists() and not overwrite:
            raise UsageError(f"{out / name} is there. Choose another --out, or replace it with --overwrite.")
    out.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        write_text(out / name, text)
        note(f"{out / name} written.")


def _every_eval_ever(records: Sequence[Record], model: str | None, dataset: str | None) -> dict[str, str]:
    if model is None:
        raise UsageError("Name the model with --model ORG/NAME.")
    files: dict[str, str] = {}
    for record in records:
        name = f"{record['task']['name']}-{record['task']['split']}.json"
        if name in files:
            raise UsageError(f"There are two results of {name.removesuffix('.json')}: export one of them.")
        files[name] = json.dumps(every_eval_ever(record, model, dataset), indent=1) + "\n"
    return files


def _hub(records: Sequence[Record], dataset: str | None, revision: str | None) -> dict[str, str]:
    import yaml

    if dataset is None:
        raise UsageError("Name the data with --dataset ORG/NAME: the Hub shows figures by their benchmark.")
    entries = hub_results(records, dataset, revision)
    return {"marnn-bench.yaml": yaml.safe_dump(entries, sort_keys=False, allow_unicode=True)}
