"""Boards and comparisons as text: tables in percent that fit 80 columns, with their footnotes."""

from collections.abc import Iterator, Mapping
from textwrap import fill

from marnn_bench.commands.output import Table
from marnn_bench.leaderboard.boards import Board
from marnn_bench.leaderboard.comparison import Comparison
from marnn_bench.leaderboard.published import PublishedRow
from marnn_bench.leaderboard.results import Result
from marnn_bench.leaderboard.statistics import Spread

HEADERS = ("model", "runs", "min", "max", "med", "mean", "solved")
ALIGN = ("left", "right", "right", "right", "right", "right", "left")
MARKS = "¹²³⁴⁵⁶⁷⁸⁹"
NAME_WIDTH = 25


def board_text(board: Board) -> str:
    """Title, table and footnotes. Every line is either a paper's, under its printed name, or begins with `ours:`."""
    table = board_table(board)
    parts = [
        "\n".join(_heading(board)),
        str(table) if table.rows else "",
        "\n".join(_notes(board, _marks(board))),
    ]
    return "\n\n".join(filter(None, parts))


def board_table(board: Board) -> Table:
    """The table alone."""
    marks = _marks(board)
    rows = [
        _published(row, board.split, marks) if isinstance(row, PublishedRow) else _ours(label, row)
        for label, row in board.rows()
    ]
    return Table(rows, HEADERS, ALIGN)


def _marks(board: Board) -> dict[str, str]:
    """The footnote mark of each remark on the published rows."""
    remarks = dict.fromkeys(remark for row in board.published for remark in row.remarks)
    return dict(zip(remarks, MARKS, strict=False))


def percent(accuracy: float) -> str:
    """A fraction in percent, with the two decimals that the papers print.

    >>> percent(0.9996)
    '99.96'
    """
    return f"{100 * accuracy:.2f}"


def shortened(name: str, width: int) -> str:
    """A name cut to a width.

    >>> shortened("my-transformer-with-a-stack", 19)
    'my-transformer-wit…'
    """
    return name if len(name) <= width else name[: width - 1] + "…"


def wrapped(text: str, mark: str = "") -> str:
    """Text in lines of at most 80 columns, with a mark before the first."""
    return fill(
        mark + text, 80, subsequent_indent=" " * len(mark), break_long_words=False, break_on_hyphens=False
    )


def _published(row: PublishedRow, split: str, marks: Mapping[str, str]) -> list[str]:
    doubts = "".join(marks[remark] for remark in row.remarks)
    return [f"{row.model} {doubts}".rstrip(), str(row.runs), *_spread(row.splits[split]), ""]


def _ours(label: str, result: Result) -> list[str]:
    solved = result.solved
    share = f"{100 * solved.value:.0f} [{100 * solved.lower:.0f}-{100 * solved.upper:.0f}]"
    name = "ours: " + shortened(label, NAME_WIDTH - len("ours: "))
    return [name, str(len(result.runs)), *_spread(result.accuracy), share]


def _spread(spread: Spread) -> list[str]:
    return [percent(value) for value in (spread.min, spread.max, spread.median, spread.mean)]


def _heading(board: Board) -> Iterator[str]:
    yield f"{board.name}, {board.split}: sequence accuracy over runs, in percent"
    for source in dict.fromkeys(row.source for row in board.published):
        yield f"published: {source}"
    if asked := board.strings:
        yield wrapped(
            f"ours: {asked.rows:,} strings of length {asked.window}, law {asked.law}, digest {asked.digest[:12]}"
        )


def _notes(board: Board, marks: Mapping[str, str]) -> Iterator[str]:
    for remark, mark in marks.items():
        yield wrapped(remark, f"{mark} ")
    yield from map(wrapped, board.statements)
    if not (board.published or board.statements):
        yield f"No published numbers for {board.task}."
    if board.trivial:
        listed = ", ".join(f"{name} {percent(accuracy)}" for name, accuracy in board.trivial.items())
        yield wrapped(f"Trivial answers to our strings: {listed}.")
    if board.ours:
        yield "Solved: percent of our runs that reach 99 %, with its 95 % interval."
    for label, result in board.ours.items():
        yield f"{label}: {result.folder}"
        if departures := [
            f"{name} {it['here']} instead of {it['paper']}" for name, it in result.deviations.items()
        ]:
            yield wrapped(f"not as in the paper: {', '.join(departures)}", "  ")


def comparison_table(comparison: Comparison) -> Table:
    """The accuracies of the two results."""
    rows = [
        [name, shortened(result.model, NAME_WIDTH), str(len(result.runs)), *_spread(result.accuracy)]
        for name, result in (("A", comparison.a), ("B", comparison.b))
    ]
    return Table(rows, ("", *HEADERS[:-1]), ("left", *ALIGN[:-1]))


def comparison_text(comparison: Comparison) -> str:
    """The two results, their difference, McNemar's test and the verdict in words."""
    a, b, difference, pair = comparison.a, comparison.b, comparison.difference, comparison.median_runs
    which = "" if comparison.single else f" on the runs of median accuracy (A: {pair.run_a}, B: {pair.run_b})"
    varied = "strings" if comparison.single else "runs and strings"
    parts = [
        f"{a.task}: sequence accuracy over runs, in percent, on {a.task.rows:,} strings",
        str(comparison_table(comparison)),
        f"A: {a.folder}\nB: {b.folder}",
        wrapped(
            f"B - A: {100 * difference.value:+.2f} points, 95 % interval [{100 * difference.lower:+.2f}, "
            f"{100 * difference.upper:+.2f}] (bootstrap over {varied})."
        )
        + "\n"
        + wrapped(
            f"McNemar's exact test{which}: {pair.only_a:,} strings only A has right, {pair.only_b:,} only B, "
            f"p {_p_value(pair.p)}."
        ),
        wrapped(_verdict(comparison)),
    ]
    return "\n\n".join(parts)


def _p_value(p: float) -> str:
    return f"= {p:.2g}" if p >= 1e-300 else "< 1e-300"


def _verdict(comparison: Comparison) -> str:
    said = {
        "A is better": "A is significantly better than B",
        "B is better": "B is significantly better than A",
        "no difference shown": "No significant difference between A and B",
    }[comparison.verdict]
    if comparison.single:
        return f"{said}: p {'<' if comparison.differ else '>='} 0.05. Single runs: this says nothing of other runs."
    return f"{said}: the interval {'leaves out' if comparison.differ else 'holds'} zero.{_doubt(comparison)}"


def _doubt(comparison: Comparison) -> str:
    fewest = min(len(comparison.a.runs), len(comparison.b.runs))
    if fewest == 1:
        return " One of them is a single run: how its runs would vary is not in the interval."
    return f" With {fewest} runs the interval is somewhat too narrow." if fewest < 5 else ""
