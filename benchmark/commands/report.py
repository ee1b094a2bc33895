"""A result as a person reads it at a terminal of 80 columns."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, Final, TypeVar

from marnn_bench.commands.output import Footnotes, Table, show_share
from marnn_bench.scoring.metrics import LOWER_IS_BETTER, Record

Number = TypeVar("Number", int, float)

METRICS: Final = {
    "sequence_accuracy": "sequence accuracy",
    "position_accuracy": "accuracy by position",
    "solved_sizes": "share of n solved",
    "fine_accuracy": "fine accuracy",
    "closing_accuracy": "closing brackets",
    "complete_accuracy": "no closing bracket after complete strings",
    "illegal_mass": "mass on illegal symbols",
    "balanced_accuracy": "balanced accuracy",
    "accuracy": "accuracy",
    "member_accuracy": "accuracy on members",
    "negative_accuracy": "accuracy on negatives",
    "excess_cross_entropy": "excess cross-entropy",
    "cross_entropy": "cross-entropy",
    "possible": "strings given a probability above 0",
}
"""What metrics are called in print."""

SECOND: Final = ("by_size", "by_depth", "by_negative", "fine_by_length")
"""The breakdown that stands beside the one by length: the first of these that a task has."""

FEWEST: Final = 381
"""With fewer strings no length is solved for sure, even if all of them are right."""

FIRST_ERRORS: Final = {
    "next-symbol": "first wrong answer: after symbol",
    "synchronous": "first wrong answer: after symbol",
    "transduction": "first wrong output symbol: number",
    "language-modelling": "first symbol given the probability 0: number",
}
"""What the place of a first error is, counted from 1, by view; recognition asks about whole strings."""

BINS: Final = 6
"""Numbers are gathered in so many lines."""

BAR_WIDTH: Final = 10
"""Characters of a bar that stands for 1."""


def report(result: Record) -> str:
    """What was asked, the metrics above the trivial ones, how far it gets, and by length and depth."""
    table = accuracy_table(result)
    explained = str(replace(table, notes=[_legend(result), *table.notes]))
    return "\n\n".join([_heading(result), explained, "\n".join(_reach(result)), _breakdowns(result["runs"])])


def _heading(result: Record) -> str:
    task, model, runs = result["task"], result["model"], len(result["runs"])
    low, high = (result["runs"][0]["by_length"][place]["length"] for place in (0, -1))
    asked = "sources" if task["view"] == "transduction" else "strings"
    return (
        f"{task['name']} {task['version']}, {task['split']}: {task['rows']:,} {asked} of {low}-{high} symbols\n"
        f"{model['name']}, asked by {model['interface']}{f', {runs} runs' if runs > 1 else ''}, {result['wall_s']:.1f} s"
    )


def _legend(result: Record) -> str:
    above = "[95 % interval]" if len(result["runs"]) == 1 else "over all runs"
    return f"{above}; below the model: trivial answers, for comparison"


def doubts(lost: int, audit_failed: Sequence[str], stream: int | None = None) -> list[str]:
    """Why a result is to be read with care.

    lost:          strings without answers, counted in each run
    audit_failed:  the checks that it did not pass
    stream:        how many strings lie between two resets of memory, if they were asked as one stream
    """
    said = [f"Asked as one stream, memory reset every {stream:,} strings."] if stream else []
    if lost:
        said.append(
            f"{lost:,} {'strings lack answers and count' if lost > 1 else 'string lacks an answer and counts'}"
            " as wrong."
        )
    if audit_failed:
        said.append(f"Failed its audit: {', '.join(audit_failed)}.")
    return said


def accuracy_table(result: Record) -> Table:
    """The first two metrics, with intervals or over runs, above those of the trivial answers."""
    runs, spreads = result["runs"], result["summary"]["metrics"]
    measures = [*spreads][:2]
    said = _doubts(result)
    notes = Footnotes.of(said)
    if len(runs) == 1:
        name = notes.marked(result["model"]["name"], said)
        rows = [[name, *(_with_interval(runs[0]["metrics"][measure], measure) for measure in measures)]]
    else:
        ends = ("min", "max") if measures[0] in LOWER_IS_BETTER else ("max", "min")
        statistics = {"best run": ends[0], "median": "median", "mean": "mean", "worst run": ends[1]}
        rows = [
            [notes.marked(name, said), *(show_value(spreads[measure][key], measure) for measure in measures)]
            for name, key in statistics.items()
        ]
    rows += [
        [answer["name"], *(show_value(answer["metrics"].get(measure), measure) for measure in measures)]
        for answer in result["trivial"]
    ]
    headers = ["", *(METRICS[measure] for measure in measures)]
    return Table(rows, headers, ["left"] * len(headers), notes.lines)


def results_table(results: Sequence[Record], data: Sequence[str]) -> Table:
    """A line for each of several results: the median run with several runs, the interval with one.

    data:  how the data of each is not the task's own; if that of none, the column is left out
    """
    rows = []
    notes = Footnotes.of(doubt for result in results for doubt in _doubts(result))
    for result, different in zip(results, data, strict=True):
        task, headline, single = result["task"], result["summary"]["headline"], len(result["runs"]) == 1
        rows.append(
            [
                notes.marked(task["name"], _doubts(result)),
                task["split"],
                SHORT.get(headline, METRICS[headline]),
                show_value(result["summary"]["metrics"][headline]["median"], headline),
                show_interval(result["runs"][0]["metrics"][headline])
                if single
                else f"{len(result['runs'])} runs",
                show_value(_best_trivial(result, headline), headline),
                *([different or "canonical"] if any(data) else []),
            ]
        )
    headers = ["task", "split", "metric", "value", "95 % interval", "trivial", "data"]
    align = ["left", "left", "left", "right", "left", "right", "left"]
    width = len(rows[0])
    return Table(rows, headers[:width], align[:width], notes.lines)


SHORT: Final = {
    "sequence_accuracy": "sequence",
    "balanced_accuracy": "balanced",
    "solved_sizes": "n solved",
    "excess_cross_entropy": "excess",
}
"""What headlines are called in a table of many."""


def _best_trivial(result: Record, headline: str) -> float | None:
    values = [answer["metrics"][headline] for answer in result["trivial"]]
    known = [value for value in values if value is not None]
    return (min if headline in LOWER_IS_BETTER else max)(known) if known else None


def _reach(result: Record) -> Iterator[str]:
    """How many runs solve the task, the other metrics, and how far it gets; of several runs the medians."""
    runs, spreads, solved = result["runs"], result["summary"]["metrics"], result["summary"].get("solved")
    if "cross_entropy" in spreads and (bound := _bound(runs[0]["metrics"])) is not None:
        yield f"in nats for each symbol and END; the law itself costs {show_share(bound)} on these strings"
    if len(runs) > 1:
        if solved:
            share = f"{show_share(solved['share'], 2)} {show_interval(solved, 2)}"
            yield f"solved (>= {solved['threshold']}): {solved['runs']} of {len(runs)} runs, {share}"
        yield "medians over runs:"
    yield from _other_metrics(result)
    if solved and result["task"]["rows"] >= FEWEST:
        longest = _median_low([run["longest_solved"] or 0 for run in runs])
        yield f"solved up to {f'length {longest}' if longest else 'no length'}: {SOLVED}"
    yield from _first_error(runs, result["task"]["view"])
    yield from _curve(runs)
    if not result.get("audit", {"done": True})["done"]:
        yield "not audited: it was not seen whether answers follow from prefixes alone"


SOLVED: Final = ">= 99 % of the strings up to it right (95 % interval)"


def _bound(metrics: Record) -> float | None:
    """The cross-entropy of the law, if that of the model is finite."""
    values = [metrics[name]["value"] for name in ("cross_entropy", "excess_cross_entropy")]
    return None if None in values else values[0] - values[1]


def _first_error(runs: Sequence[Record], view: str) -> Iterator[str]:
    places = [run["first_error"]["median"] for run in runs if run["first_error"]["strings"]]
    if view in FIRST_ERRORS and places:
        yield f"{FIRST_ERRORS[view]} {_median_low(places) + 1} (median of the strings with one)"


def _other_metrics(result: Record) -> Iterator[str]:
    for measure in [*result["summary"]["metrics"]][2:]:
        if len(result["runs"]) == 1:
            yield f"{METRICS[measure]}: {_with_interval(result['runs'][0]['metrics'][measure], measure)}"
        else:
            yield f"{METRICS[measure]}: {show_value(result['summary']['metrics'][measure]['median'], measure)}"


def _curve(runs: Sequence[Record]) -> Iterator[str]:
    """The mean over lengths, and what is left of it beyond the lengths of training."""
    for name, text in (
        ("area_under_curve", "mean over lengths (area under the curve)"),
        ("extrapolation_ratio", "extrapolation ratio (mean above train's lengths / within)"),
    ):
        values = [run[name] for run in runs]
        if None not in values:
            yield f"{text}: {show_share(_median_low(values))}"


def _breakdowns(runs: Sequence[Record]) -> str:
    """The headline over all runs, by length and by another number or name, side by side."""
    second = next((name for name in SECOND if runs[0].get(name)), None)
    columns = [[*_column(runs, name)] for name in ("by_length", second) if name]
    return "\n".join(
        "".join(f"{line:<40}" for line in lines).rstrip() for lines in zip_longest(*columns, fillvalue="")
    )


def _column(runs: Sequence[Record], name: str) -> Iterator[str]:
    cells = runs[0][name]
    by = next(iter(cells[0]))
    yield f"{by:<8} strings  {_shown(name, cells[0])}"
    bands = _bands(cells) if isinstance(cells[0][by], int) else [[place] for place in range(len(cells))]
    for band in bands:
        first, last = cells[band[0]][by], cells[band[-1]][by]
        values = [_weighted(run[name][place]) for run in runs for place in band]
        n = sum(cells[place]["n"] for place in band)
        span = f"{first}-{last}" if first != last else f"{first}"
        if any(value is None for value, _ in values):
            yield f"{span:<8} {n:>7,}  infinite"
            continue
        share = sum(value * weight for value, weight in values) / sum(weight for _, weight in values)
        bar = "█" * round(BAR_WIDTH * min(max(share, 0), 1)) if "weight" not in cells[0] else ""
        yield f"{span:<8} {n:>7,}  {show_share(share)} {bar}".rstrip()


def _shown(breakdown: str, cell: Record) -> str:
    """What stands in the last column of a breakdown."""
    return "fine" if breakdown.startswith("fine") else "right" if "correct" in cell else "excess"


def _weighted(cell: Record) -> tuple[Any, Any]:
    return cell["value"], cell.get("weight", cell["n"])


def _bands(cells: Sequence[Record]) -> Iterator[list[int]]:
    """Places of cells, in lists of about equally many strings."""
    strings, before = sum(cell["n"] for cell in cells), 0
    bins: list[list[int]] = [[] for _ in range(BINS)]
    for place, cell in enumerate(cells):
        bins[(2 * before + cell["n"]) * BINS // (2 * strings)].append(place)
        before += cell["n"]
    yield from filter(None, bins)


def show_value(value: float | None, metric: str) -> str:
    """A metric in print. Without a value nats are infinite; a share has nothing that it could be of.

    >>> show_value(None, "cross_entropy"), show_value(None, "negative_accuracy")
    ('infinite', 'none asked')
    """
    if value is None:
        return "infinite" if metric in LOWER_IS_BETTER else "none asked"
    return show_share(value)


def _with_interval(score: Record, metric: str) -> str:
    shown = show_value(score["value"], metric)
    return shown if score["value"] is None else f"{shown}  {show_interval(score)}"


def show_interval(score: Record, decimals: int = 4) -> str:
    """The interval of a metric in print; empty where it has none."""
    if score["lower"] is None or score["upper"] is None:
        return ""
    return f"[{show_share(score['lower'], decimals)}, {show_share(score['upper'], decimals)}]"


def _doubts(result: Record) -> list[str]:
    """Of a result as it is written, or of one in memory, which has lost nothing."""
    checks = result.get("audit", {}).get("checks", [])
    failed = [check["name"] for check in checks if not check["passed"]]
    stream = result.get("protocol", {}).get("stream")
    return doubts(result.get("errors", {}).get("rows", 0), failed, stream)


def _median_low(values: list[Number]) -> Number:
    return sorted(values)[(len(values) - 1) // 2]
