"""marnn-bench schema"""

from importlib.resources import files

import click


@click.command()
@click.argument("name", type=click.Choice(["result"]))
def schema(name: str) -> None:
    """Print the JSON Schema of what eval writes.

    `result` is result.json, in all versions that there are: draft 2020-12, for any validator.
    """
    text = files("marnn_bench.evaluation").joinpath(f"{name}.schema.json").read_text(encoding="utf-8")
    click.echo(text, nl=False)
