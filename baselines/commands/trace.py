"""marnn-bench trace"""

from pathlib import Path

import click

from marnn_bench.commands.output import format_option, note, show


@click.command()
@click.argument("folder", metavar="TRAINED", type=click.Path(path_type=Path))
@click.argument("string")
@click.option(
    "--run", "number", type=click.IntRange(0), default=0, show_default=True, help="Which of its runs."
)
@click.option(
    "--out", "pictures", multiple=True, type=click.Path(path_type=Path),
    help="A picture to write: .html, .pdf, .png or .svg. Repeatable.",
)  # fmt: skip
@format_option
def trace(folder: Path, string: str, number: int, pictures: tuple[Path, ...], style: str) -> None:
    """Show what a trained model does with its memory.

    TRAINED is a folder that `marnn-bench train` wrote, STRING symbols with spaces between them. After each symbol:
    the weights of the memory's actions, what it holds, and the answer.
    """
    from marnn_bench.baselines.traces.recording import record
    from marnn_bench.baselines.traces.table import as_table
    from marnn_bench.baselines.training.checkpoint import load_checkpoint
    from marnn_bench.baselines.training.folder import CHECKPOINT

    if pictures:
        from marnn_bench.gallery.charts import check_suffix

        for path in pictures:
            check_suffix(path)
    run = load_checkpoint(folder / CHECKPOINT).run(number)
    recorded = record(run, number, string.split())
    table = as_table(recorded)
    show(style, str(table), recorded.as_json(), [table])
    for path in pictures:
        from marnn_bench.baselines.traces.picture import draw

        draw(recorded, f"{run.record.model} on {run.record.task.name}, run {number}", path)
        note(f"The picture is {path}.")
