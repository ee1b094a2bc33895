"""What all commands share: data on standard output, as text or in other formats; messages and progress on standard error."""

import csv
import io
import json
import shlex
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol, TypeVar

import click

F = TypeVar("F", bound=Callable[..., object])

STYLES: Final = ("human", "json", "csv", "markdown", "latex")
TABLE_FORMATS: Final = {"human": "simple", "markdown": "pipe", "latex": "latex_booktabs"}
"""Our names of formats -> those of tabulate."""

MARKDOWN: Final = str.maketrans({"\\": r"\\", "|": r"\|", "<": "&lt;", "\n": "<br>"})
"""What a cell of a Markdown table may not hold as it is."""

RAISED: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

COLUMNS: Final = 80
"""A terminal is so wide."""

NO_NEARER: Final = 1e-12
"""A share nearer to 0 or 1 than this is that, but for rounding."""

FIRST_SECONDS: Final = 1.0
"""After so long, progress is told where there is no terminal for a bar, and then"""

EVERY_SECONDS: Final = 10.0
"""Between two lines of progress where there is no terminal."""


@dataclass(frozen=True)
class Table:
    """Rows of cells, shown as given; printed, it fits a terminal.

    align:  left or right, for each column
    notes:  lines below the table, except in csv
    title:  a line above the table, except in csv
    """

    rows: Sequence[Sequence[Any]]
    headers: Sequence[str]
    align: Sequence[str] | None = None
    notes: Sequence[str] = ()
    title: str = ""

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
        from tabulate import LATEX_ESCAPE_RULES, tabulate

        rows, headers, notes, title = self.rows, self.headers, self.notes, self.title
        if style == "human":
            notes, title = [wrapped(note, hanging="  ") for note in notes], wrapped(title)
        elif style == "markdown":  # tabulate escapes what LaTeX needs, in cells, and nothing for Markdown
            rows = [[str(cell).translate(MARKDOWN) for cell in row] for row in rows]
            headers = [header.translate(MARKDOWN) for header in headers]
            notes = [note.translate(MARKDOWN) for note in notes]
            title = title and f"**{title.translate(MARKDOWN)}**"
        else:
            notes = [note.translate(str.maketrans(LATEX_ESCAPE_RULES)) for note in notes]
            title = title and f"% {title}"
        table = tabulate(
            rows,
            headers,
            tablefmt=TABLE_FORMATS[style],
            disable_numparse=True,
            colalign=self.align if rows else None,
        )
        between = "\n" if style == "human" else "\n\n"
        return "\n\n".join(filter(None, [title, str(table), between.join(notes)]))


def wrapped(text: str, indent: str = "", hanging: str | None = None) -> str:
    """Text in lines of at most 80 columns.

    hanging:  the indent of all lines but the first, if it is another
    """
    return textwrap.fill(
        text,
        COLUMNS,
        initial_indent=indent,
        subsequent_indent=indent if hanging is None else hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )


def show_share(share: float, decimals: int = 4) -> str:
    """A share with so many decimals, and with as many more as it takes not to pass for 0 or 1.

    >>> show_share(0.5), show_share(1), show_share(358831 / 358832), show_share(1 / 358832)
    ('0.5000', '1.0000', '0.999997', '0.000003')
    """
    return _show(share, 1, decimals)


def show_percent(share: float, decimals: int = 2) -> str:
    """The same in percent.

    >>> show_percent(0.5), show_percent(358831 / 358832), show_percent(0.996, 0)
    ('50.00', '99.9997', '99.6')
    """
    return _show(100 * share, 100, decimals)


def _show(part: float, whole: int, decimals: int) -> str:
    while NO_NEARER < part < whole - NO_NEARER and round(part, decimals) in (0, whole):
        decimals += 1
    text = f"{part:.{decimals}f}"
    return text if float(text) else text.lstrip("-")


def show_points(difference: float) -> str:
    """A difference of shares in percentage points, with its sign.

    >>> show_points(-0.125), show_points(1 / 358832), show_points(0)
    ('-12.50', '+0.0003', '+0.00')
    """
    return ("-" if difference < 0 else "+") + show_percent(abs(difference))


@dataclass(frozen=True)
class Footnotes:
    """Notes below a table, each with its mark, a raised number.

    >>> notes = Footnotes.of(["few strings", "old data", "few strings"])
    >>> notes.lines, notes.marked("mine", ["old data"])
    (['¹ few strings', '² old data'], 'mine ²')
    """

    marks: Mapping[str, str]

    @classmethod
    def of(cls, notes: Iterable[str]) -> "Footnotes":
        """Those that differ, in their order."""
        numbered = enumerate(dict.fromkeys(notes), 1)
        return cls({note: str(number).translate(RAISED) for number, note in numbered})

    @property
    def lines(self) -> list[str]:
        """The notes as they stand below the table."""
        return [f"{mark} {note}" for note, mark in self.marks.items()]

    def marked(self, label: str, notes: Iterable[str], width: int | None = None) -> str:
        """A label with the marks of its notes; where a width is given, it is cut to fit there with them."""
        marks = ("," if len(self.marks) > 9 else "").join(self.marks[note] for note in notes)
        behind = f" {marks}" if marks else ""
        return (shortened(label, width - len(behind)) if width else label) + behind


def shortened(name: str, width: int) -> str:
    """A name cut to a width.

    >>> shortened("my-transformer-with-a-stack", 19)
    'my-transformer-wit…'
    """
    return name if len(name) <= width else name[: width - 1] + "…"


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
    """A progress bar on standard error; where that is no terminal, a line after a second, then every ten."""
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
        self._started = time.monotonic()
        self._next = self._started + FIRST_SECONDS

    def update(self, more: int) -> None:
        self._done += more
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + EVERY_SECONDS
        rate = self._done / (now - self._started)
        said = [f"{self._done:,} {self._unit}s", f"{rate:,.0f} a second"]
        if self._total:
            left = max(self._total - self._done, 0) / rate if rate else 0
            said += [f"{self._done / self._total:.0%}", f"{_duration(left)} left"]
        note(f"{self._what}: {', '.join(said)}")


def _duration(seconds: float) -> str:
    """A time to wait, in words.

    >>> _duration(40), _duration(700), _duration(7300)
    ('40 s', '12 min', '2 h')
    """
    for unit, size in (("h", 3600), ("min", 60)):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
