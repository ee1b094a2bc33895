"""What all commands share: data on standard output, as text or JSON; messages and progress on standard error."""

import json
import shlex
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., object])


def format_option(command: F) -> F:
    """--format human|json, passed to the command as `style`."""
    choice = click.Choice(["human", "json"])
    return click.option(
        "--format", "style", type=choice, default="human", show_default=True, help="Of what is printed."
    )(command)


def show(style: str, text: str, data: Any) -> None:
    """Print the text, or the data as JSON."""
    click.echo(json.dumps(data, indent=2, ensure_ascii=False) if style == "json" else text)


def note(message: str) -> None:
    """A message to the person at the terminal."""
    click.echo(message, err=True)


def suggest(*commands: Sequence[object]) -> None:
    """Say which commands of ours can be typed next; their words are quoted as a shell wants them."""
    lines = [shlex.join(["marnn-bench", *map(str, words)]) for words in commands]
    note(f"Next: {lines[0]}" if len(lines) == 1 else "\n  ".join(["Next:", *lines]))


def table(rows: Sequence[Sequence[Any]], headers: Sequence[str], align: Sequence[str] | None = None) -> str:
    """A table that fits a terminal; cells are shown as given."""
    from tabulate import tabulate

    return str(tabulate(rows, headers, tablefmt="simple", disable_numparse=True, colalign=align))


def progress(total: int, what: str, unit: str) -> Any:
    """A progress bar on standard error, hidden where that is no terminal."""
    from tqdm import tqdm

    return tqdm(total=total, desc=what, unit=unit, disable=None, leave=False, ncols=80)
