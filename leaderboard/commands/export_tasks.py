"""marnn-bench export-tasks"""

from pathlib import Path

import click

from marnn_bench.commands.output import note
from marnn_bench.errors import UsageError
from marnn_bench.store.manifest import read_manifest, write_text

FOLDER = click.Path(path_type=Path)


@click.command()
@click.argument("data", metavar="DIR", type=FOLDER)
@click.option("--out", type=FOLDER, required=True, help="The folder to write.")
@click.option(
    "--shots",
    type=click.IntRange(0),
    default=4,
    show_default=True,
    help="Solved examples before each question.",
)
@click.option("--overwrite", is_flag=True, help="Replace files that are there.")
def export_tasks(data: Path, out: Path, shots: int, overwrite: bool) -> None:
    """Write generated splits as tasks of the LM Evaluation Harness.

    DIR is a folder that `marnn-bench generate` wrote, whose Parquet files the tasks read where they are. OUT gets a YAML
    file for each task, and one for all of them, the group marnn_bench.
    """
    import yaml

    from marnn_bench.leaderboard.exchange.lm_eval import GROUP, lm_eval_tasks

    files = lm_eval_tasks(read_manifest(data), data.absolute(), shots)
    for name in files:
        if (out / name).exists() and not overwrite:
            raise UsageError(f"{out / name} is there. Choose another --out, or replace it with --overwrite.")
    out.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        write_text(out / name, yaml.safe_dump(content, sort_keys=False, allow_unicode=True))
        note(f"{out / name} written.")
    note(f"Next: lm_eval --model hf --model_args pretrained=NAME --tasks {GROUP} --include_path {out}")
