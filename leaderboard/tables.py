"""Boards and comparisons as text: tables in percent that fit 80 columns, with their footnotes."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import isfinite

from marnn_bench.commands.output import Footnotes, Table, show_percent, show_points, wrapped
from marnn_bench.commands.report import METRICS, doubts
from marnn_bench.leaderboard.boards import Board
from marnn_bench.leaderboard.comparison import Comparison
from marnn_bench.leaderboard.difference import ALPHA, FEWEST_RUNS, Difference
from marnn_bench.leaderboard.published import STATISTICS, PublishedRow
from marnn_bench.leaderboard.results import Result
from marnn_bench.leaderboard.statistics import Spread
from marnn_bench.scoring.metrics import LOWER_IS_BETTER

HEADERS = ("model", "runs", "min", "max", "med", "mean")
ALIGN = ("left", "right", "right", "right", "right", "right")
NAME_WIDTH = 25


def board_text(board: Board) -> str:
    """Title, table and footnotes. Every line is either a paper's, under its printed name, or begins with `ours:`."""
    table = replace(board_table(board), title="")
    parts = ["\n".join(_heading(board)), str(table) if table.rows else "", "\n".join(_notes(board))]
    return "\n\n".join(filter(None, parts))


def board_table(board: Board) -> Table:
    """The table alone. Its last column, the share of runs that solve the task, is there if a result has several runs."""
    several = any(result.solved for result in board.ours.values())
    notes = Footnotes.of(remark for _, row in board.rows() for remark in _remarks(row))
    rows = [
        [*_row(label, row, board.split, notes), *([_solved(row)] if several else [])]
        for label, row in board.rows()
    ]
    headers, align = ((*HEADERS, "solved"), (*ALIGN, "left")) if several else (HEADERS, ALIGN)
    return Table(rows, headers, align, notes.lines, _title(board))


def _remarks(row: PublishedRow | Result) -> Iterable[str]:
    return row.remarks if isinstance(row, PublishedRow) else doubts(row.lost, row.audit_failed, row.stream)


def _row(label: str, row: PublishedRow | Result, split: str, notes: Footnotes) -> list[str]:
    if isinstance(row, PublishedRow):
        return [
            notes.marked(label, row.remarks),
            "" if row.runs is None else str(row.runs),
            *(_figure(row.splits[split].get(name), row.metric) for name in STATISTICS),
        ]
    name = notes.marked(f"ours: {label}", _remarks(row), NAME_WIDTH)
    return [name, str(len(row.runs)), *_spread(row.spread, row.task.headline)]


def _solved(row: PublishedRow | Result) -> str:
    if isinstance(row, PublishedRow) or not row.solved:
        return ""
    value, lower, upper = (
        show_percent(end, 0) for end in (row.solved.value, row.solved.lower, row.solved.upper)
    )
    return f"{value} [{lower}-{upper}]"


def _spread(spread: Spread, metric: str) -> list[str]:
    return [_number(value, metric) for value in (spread.min, spread.max, spread.median, spread.mean)]


def _figure(value: float | None, metric: str) -> str:
    return "" if value is None else _number(value, metric)


def _number(value: float, metric: str) -> str:
    """A share in percent; nats as they are."""
    if metric not in LOWER_IS_BETTER:
        return show_percent(value)
    return f"{value:.4f}" if isfinite(value) else "infinite"


def _change(value: float, metric: str) -> str:
    """A difference with its sign: of shares in percentage points."""
    return f"{value:+.4f}" if metric in LOWER_IS_BETTER else show_points(value)


def _named(metric: str) -> str:
    """A metric over runs, with its unit."""
    return f"{METRICS[metric]} over runs, in {'nats a symbol' if metric in LOWER_IS_BETTER else 'percent'}"


def _title(board: Board) -> str:
    return f"{board.name}, {board.split}: {_named(board.headline)}"


def _heading(board: Board) -> Iterator[str]:
    yield _title(board)
    for source in dict.fromkeys(row.source for row in board.published):
        yield f"published: {source}"
    if asked := board.strings:
        yield wrapped(
            f"ours: {asked.rows:,} strings, window {asked.window}, law {asked.law}, digest {asked.digest[:12]}"
        )


def _notes(board: Board) -> Iterator[str]:
    yield from map(wrapped, board.statements)
    if not (board.published or board.statements):
        yield f"No published numbers for {board.task}."
    if board.trivial:
        listed = ", ".join(
            f"{name} {_number(value, board.headline)}" for name, value in board.trivial.items()
        )
        yield wrapped(f"Trivial answers to our strings: {listed}.")
    if any(result.solved for result in board.ours.values()):
        yield "Solved: percent of our runs that reach 99 %, with its 95 % interval."
    for label, result in board.ours.items():
        yield f"{label}: {result.folder}"
        if departures := [
            f"{name} {it['here']} instead of {it['paper']}" for name, it in result.deviations.items()
        ]:
            yield wrapped(f"not as in the paper: {', '.join(departures)}", "  ")


def comparison_table(comparison: Comparison) -> Table:
    """The values of the two results."""
    results = {"A": comparison.a, "B": comparison.b}
    notes = Footnotes.of(remark for result in results.values() for remark in _remarks(result))
    rows = [
        [
            name,
            notes.marked(result.model, _remarks(result), NAME_WIDTH),
            str(len(result.runs)),
            *_spread(spread, comparison.metric),
        ]
        for (name, result), spread in zip(results.items(), comparison.spreads, strict=True)
    ]
    return Table(rows, ("", *HEADERS), ("left", *ALIGN), notes.lines)


def comparison_text(comparison: Comparison) -> str:
    """The two results, their difference, the tests and the verdict in words."""
    a, b = comparison.a, comparison.b
    parts = [
        wrapped(f"{a.task}: {_named(comparison.metric)}, on {a.task.rows:,} strings"),
        str(comparison_table(comparison)),
        f"A: {a.folder}\nB: {b.folder}",
        "\n".join(map(wrapped, _evidence(comparison))),
        wrapped(_verdict(comparison)),
    ]
    return "\n\n".join(parts)


def _evidence(comparison: Comparison) -> Iterator[str]:
    difference, metric = comparison.difference, comparison.metric
    unit = "nats a symbol, of which less is better" if metric in LOWER_IS_BETTER else "points"
    changed = f"B - A: {_change(difference.value, metric)} {unit}"
    if difference.interval:
        varied = "strings" if comparison.single else "runs and strings"
        ends = ", ".join(
            _change(end, metric) for end in (difference.interval.lower, difference.interval.upper)
        )
        yield f"{changed}, 95 % interval [{ends}] (Student's t over {varied})."
    else:
        yield f"{changed}."
    if pair := difference.mcnemar:
        yield (
            f"McNemar's exact test: {pair.only_a:,} strings only A has right, {pair.only_b:,} only B, "
            f"p {_p_value(pair.p)}."
        )
    if difference.permutation_p is not None:
        yield f"Permutation test of the runs: p {_p_value(difference.permutation_p)}."


def _p_value(p: float) -> str:
    return f"= {p:.2g}" if p >= 1e-300 else "< 1e-300"


def _verdict(comparison: Comparison) -> str:
    if comparison.verdict == "no verdict":
        return (
            f"No verdict: {comparison.how_many_runs}. Trainings are compared from {FEWEST_RUNS} runs of each on, "
            "trained models as they are by one run of each."
        )
    said = {
        "A is better": "A is significantly better than B",
        "B is better": "B is significantly better than A",
        "no difference shown": "No significant difference between A and B",
    }[comparison.verdict]
    scope = (
        "This speaks of these two runs only, not of what other trainings of the models would give."
        if comparison.single
        else "This speaks of the models' trainings."
    )
    return f"{said} ({_reason(comparison.difference)}). {scope}"


def _reason(difference: Difference) -> str:
    """The interval, where it decides, and the p of the test, unless the interval has settled it."""
    said = []
    if not difference.mcnemar:
        said.append(f"the interval {'leaves out' if difference.excludes_zero else 'holds'} zero")
    if difference.p is not None and (difference.mcnemar or difference.excludes_zero):
        said.append(f"p {'<' if difference.p < ALPHA else '>='} {ALPHA}")
    return ", ".join(said)
