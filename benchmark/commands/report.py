"""A result as a person reads it at a terminal of 80 columns."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final

from marnn_bench.commands.output import Table
from marnn_bench.scoring.metrics import Record

METRICS: Final = {"sequence_accuracy": "sequence accuracy", "position_accuracy": "accuracy by position"}

BINS: Final = 6
"""Lengths and depths are gathered in so many lines."""

BAR_WIDTH: Final = 10
"""Characters of a bar that stands for 1."""


def report(result: Record) -> str:
    """What was asked, the accuracies above the trivial ones, how far it gets, and by length and depth."""
    runs = result["runs"]
    return "\n\n".join([_headline(result), str(accuracy_table(result)), _reach(result), _breakdowns(runs)])


def _headline(result: Record) -> str:
    task, model, runs = result["task"], result["model"], len(result["runs"])
    low, high = (result["runs"][0]["by_length"][place]["length"] for place in (0, -1))
    return (
        f"{task['name']} {task['version']}, {task['split']}: {task['rows']:,} strings of {low}-{high} symbols\n"
        f"{model['name']}, asked by {model['interface']}{f', {runs} runs' if runs > 1 else ''}, {result['wall_s']:.1f} s"
    )


def accuracy_table(result: Record) -> Table:
    """The two accuracies, with intervals or over runs, above those of the trivial answers."""
    runs, summary = result["runs"], result["summary"]
    if len(runs) == 1:
        rows = [[result["model"]["name"], *(_with_interval(runs[0][measure]) for measure in METRICS)]]
    else:
        statistics = {"best run": "max", "median": "median", "mean": "mean", "worst run": "min"}
        rows = [
            [name, *(f"{summary[measure][key]:.4f}" for measure in METRICS)]
            for name, key in statistics.items()
        ]
    rows += [
        [answer["name"], *(f"{answer[measure]:.4f}" for measure in METRICS)] for answer in result["trivial"]
    ]
    return Table(rows, ["", *METRICS.values()], ["left"] * 3)


def results_table(results: Sequence[Record], data: Sequence[str]) -> Table:
    """A line for each of several results: the median run with several runs, the interval with one.

    data:  how the data of each is not the task's own; if that of none, the column is left out
    """
    rows = []
    for result, different in zip(results, data, strict=True):
        task, single = result["task"], len(result["runs"]) == 1
        accuracy = result["summary"]["sequence_accuracy"]["median"]
        ends = result["runs"][0]["sequence_accuracy"]
        best = max((answer["sequence_accuracy"] for answer in result["trivial"]), default=0.0)
        rows.append(
            [
                task["name"],
                task["split"],
                f"{task['rows']:,}",
                f"{accuracy:.4f}",
                f"[{ends['lower']:.4f}, {ends['upper']:.4f}]" if single else f"{len(result['runs'])} runs",
                f"{best:.4f}",
                *([different or "canonical"] if any(data) else []),
            ]
        )
    headers = ["task", "split", "strings", "accuracy", "95 % interval", "trivial", "data"]
    align = ["left", "left", "right", "right", "left", "right", "left"]
    width = len(rows[0])
    return Table(rows, headers[:width], align[:width])


def _reach(result: Record) -> str:
    """How far it gets; with several runs, how far the one in the middle gets, and how many solve the task."""
    runs, solved = result["runs"], result["summary"]["solved"]
    longest = _median_low([run["longest_solved"] or 0 for run in runs])
    errors = [run["first_error"]["median"] for run in runs if run["first_error"]["strings"]]
    length = f"longest length solved (>= {solved['threshold']}): {longest or 'none'}"
    error = f"first error, median position: {_median_low(errors)}" if errors else "no errors"
    if len(runs) == 1:
        return f"{length}    {error}"
    interval = f"[{solved['lower']:.2f}, {solved['upper']:.2f}]"
    return (
        f"solved (>= {solved['threshold']}): {solved['runs']} of {len(runs)} runs, {solved['share']:.2f} {interval}\n"
        f"{length}, median of runs\n{error}{', median of runs' if errors else ''}"
    )


def _breakdowns(runs: Sequence[Record]) -> str:
    """Sequence accuracy over all runs, by length and by maximal depth, side by side."""
    columns = [["length   strings", *_bins(runs, "length")], ["depth    strings", *_bins(runs, "depth")]]
    return "\n".join(f"{left:<40}{right}".rstrip() for left, right in zip_longest(*columns, fillvalue=""))


def _bins(runs: Sequence[Record], by: str) -> Iterator[str]:
    """Lines of about equally many strings."""
    cells = runs[0][f"by_{by}"]
    strings, before = sum(cell["n"] for cell in cells), 0
    bins: list[list[int]] = [[] for _ in range(BINS)]
    for place, cell in enumerate(cells):
        bins[(2 * before + cell["n"]) * BINS // (2 * strings)].append(place)
        before += cell["n"]
    for band in filter(None, bins):
        first, last = cells[band[0]][by], cells[band[-1]][by]
        n = sum(cells[place]["n"] for place in band)
        share = sum(run[f"by_{by}"][place]["correct"] for run in runs for place in band) / n / len(runs)
        span = f"{first}-{last}" if first < last else f"{first}"
        yield f"{span:<8} {n:>7,}  {share:.4f} {'█' * round(BAR_WIDTH * share)}"


def _with_interval(score: Record) -> str:
    return f"{score['value']:.4f}  [{score['lower']:.4f}, {score['upper']:.4f}]"


def _median_low(values: list[int]) -> int:
    return sorted(values)[(len(values) - 1) // 2]
