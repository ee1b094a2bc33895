"""marnn-bench prune"""

from pathlib import Path

import click

from marnn_bench.commands.output import note, suggest


@click.command()
@click.argument("folder", metavar="TRAINED", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The folder to write.")
@click.option(
    "--run", "number", type=click.IntRange(0), default=0, show_default=True, help="Which of its runs."
)
@click.option(
    "--tolerance", type=click.FloatRange(0), default=0.01, show_default=True,
    help="By this share the loss in validation may grow.",
)  # fmt: skip
@click.option("--overwrite", is_flag=True, help="Replace the training that is there.")
def prune(folder: Path, out: Path, number: int, tolerance: float, overwrite: bool) -> None:
    """Remove the stacks that a trained model does not use.

    TRAINED is a folder that `marnn-bench train` wrote of a Stack RNN or List RNN of Joulin & Mikolov 2015. The largest set of
    stacks without which the loss in validation does not grow is searched for in a tree. OUT has the run without them, as
    `train` writes it.
    """
    from marnn_bench.baselines.pruning.trained import prune_run

    removed, memories = prune_run(folder, number, out, tolerance, overwrite)
    click.echo(
        f"{len(removed)} of {memories} removed: {', '.join(str(place + 1) for place in removed) or 'none'}"
    )
    note(f"Run {number} without them is in {out}.")
    suggest(("eval", out, "--stream"))
