"""What all commands share: data on standard output, as text or in other formats; messages and progress on standard error."""

import csv
import io
import json
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol, TypeVar

import click

F = TypeVar("F", bound=Callable[..., object])

STYLES: Final = ("human", "json", "csv", "markdown", "latex")
TABLE_FORMATS: Final = {"human": "simple", "markdown": "pipe", "latex": "latex_booktabs"}
"""Our names of formats -> those of tabulate."""

EVERY_SECONDS: Final = 10.0
"""Between two lines of progress where there is no terminal."""


@dataclass(frozen=True)
class Table:
    """Rows of cells, shown as given; printed, it fits a terminal.

    align:  left or right, for each column
    """

    rows: Sequence[Sequence[Any]]
    headers: Sequence[str]
    align: Sequence[str] | None = None

    def __str__(self) -> str:
        return self.formatted("human")

    def narrowed(self) -> "Table":
        """The same with a law of several parameters on as many lines, for people."""
        rows = [
            [cell.replace(",", ",\n") if ":" in cell and "=" in cell else cell for cell in row]
            for row in self.rows
        ]
        return replace(self, rows=rows)

    def formatted(self, style: str) -> str:
        """The table in one of STYLES but json."""
        if style == "csv":
            text = io.StringIO()
            csv.writer(text, lineterminator="\n").writerows([self.headers, *self.rows])
            return text.getvalue().rstrip("\n")
        from tabulate import tabulate

        return str(
            tabulate(
                self.rows,
                self.headers,
                tablefmt=TABLE_FORMATS[style],
                disable_numparse=True,
                colalign=self.align if self.rows else None,
            )
        )


def format_option(command: F) -> F:
    """--format human|json|csv|markdown|latex, passed to the command as `style`."""
    return click.option(
        "--format",
        "style",
        type=click.Choice(STYLES),
        default="human",
        show_default=True,
        help="Of what is printed.",
    )(command)


def show(style: str, text: str, data: Any, tables: Sequence[Table]) -> None:
    """Print the text, the data as JSON, or the tables alone."""
    if style == "human":
        click.echo(text)
    elif style == "json":
        click.echo(json.dumps(data, indent=2, ensure_ascii=False))
    else:
        click.echo("\n\n".join(table.formatted(style) for table in tables))


def note(message: str) -> None:
    """A message to the person at the terminal."""
    click.echo(message, err=True)


def suggest(*commands: Sequence[object]) -> None:
    """Say which commands of ours can be typed next; their words are quoted as a shell wants them."""
    lines = [shlex.join(["marnn-bench", *map(str, words)]) for words in commands]
    note(f"Next: {lines[0]}" if len(lines) == 1 else "\n  ".join(["Next:", *lines]))


class Progress(Protocol):
    """Something that is told how much more is done."""

    def update(self, more: int) -> object:
        """So much more."""


def progress(total: int, what: str, unit: str) -> AbstractContextManager[Progress]:
    """A progress bar on standard error; where that is no terminal, a line every ten seconds."""
    if not sys.stderr.isatty():
        return _lines(total, what, unit)
    from tqdm import tqdm

    bar: AbstractContextManager[Progress] = tqdm(total=total, desc=what, unit=unit, leave=False, ncols=80)
    return bar


@contextmanager
def _lines(total: int, what: str, unit: str) -> Iterator[Progress]:
    yield _Lines(total, what, unit)


class _Lines:
    """Progress as lines of text."""

    def __init__(self, total: int, what: str, unit: str) -> None:
        self._total, self._what, self._unit = total, what, unit
        self._done = 0
        self._started = self._last = time.monotonic()

    def update(self, more: int) -> None:
        self._done += more
        now = time.monotonic()
        if now - self._last >= EVERY_SECONDS:
            self._last = now
            share = f", {self._done / self._total:.0%}" if self._total else ""
            note(f"{self._what}: {self._done:,} {self._unit}s{share}, {now - self._started:.0f} s")
