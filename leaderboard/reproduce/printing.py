"""Reproductions in print, all from their records: as text of 80 columns, as a table, as a page."""

from collections.abc import Iterator, Sequence
from math import ceil, floor
from typing import Final

from marnn_bench.commands.output import Footnotes, Table, show_percent, wrapped
from marnn_bench.commands.report import METRICS
from marnn_bench.leaderboard.boards import SEQUENCE_ACCURACY
from marnn_bench.leaderboard.reproduce import matrix
from marnn_bench.leaderboard.reproduce.positions import position_tables
from marnn_bench.leaderboard.reproduce.reproduction import MATRIX
from marnn_bench.scoring.metrics import Record

NUMBERS: Final = ("min", "max", "median", "mean")
NARROW: Final = ("min", "max", "med", "mean", "solved")
NAME_WIDTH: Final = 32
"""Of a terminal's 80 columns, with numbers up to 100.00* and shares like 100 [96-100]."""

ROUNDING: Final = 0.00005
"""Half a unit of the last place of what papers print."""


def text_of(record: Record) -> str:
    """Heading, a table for each task, and what its marks mean."""
    tables = [*_narrow(record)]
    heading, below = [title_of(record), *_heading(record)], [*_explained(record), *_besides(record)]
    more = tables_of(record)[1:]
    parts = [
        "\n".join(map(wrapped, heading)),
        *map(str, tables),
        "\n".join(map(wrapped, below)),
        *map(str, more),
    ]
    return "\n\n".join(filter(None, parts))


def table_of(record: Record) -> Table:
    """The table, wide: a line for each row."""
    if is_matrix(record):
        return matrix.wide_table(record)
    return _grid(record) if is_grid(record) else _wide(record)


def tables_of(record: Record) -> list[Table]:
    """The table, wide, and what the selected run does with a string, if that is shown."""
    return [table_of(record), *([_traced(record["traced"])] if "traced" in record else [])]


def page_of(record: Record) -> str:
    """The table as a page of Markdown."""
    return f"# {title_of(record)}\n\n{section_of(record)}\n" + "".join(
        f"\n{line}\n" for line in _explained(record)
    )


def section_of(record: Record) -> str:
    """The table as Markdown, without its title and what is the same of all tables."""
    tables = [table.formatted("markdown") for table in tables_of(record)]
    by_position = [
        part for title, of in position_tables(record) for part in (title, of.formatted("markdown"))
    ]
    return "\n\n".join(filter(None, [" ".join(_heading(record)), *tables, *by_position, *_besides(record)]))


def title_of(record: Record) -> str:
    """What it stands in, the tasks, and how it was made, where not as in the paper."""
    tasks = dict.fromkeys(row["task"] for row in record["rows"])
    preset = f", preset {record['preset']}" if "preset" in record else ""
    return (
        f"{record['source']}{preset}"
        if is_grid(record)
        else f"{record['source']}{preset}: {', '.join(tasks)}"
    )


def is_grid(record: Record) -> bool:
    """Whether learning rates and epochs vary."""
    return "learning_rates" in record


def is_matrix(record: Record) -> bool:
    """Whether a line for each model and a column for each task say most."""
    return bool(record.get("name") == MATRIX)


def _heading(record: Record) -> Iterator[str]:
    asked = [row["ours"]["strings"] for row in record["rows"] if "strings" in row["ours"]]
    metrics = dict.fromkeys(METRICS[_metric(row)] for row in record["rows"] if "strings" in row["ours"])
    metric = " or ".join(metrics) or METRICS[SEQUENCE_ACCURACY]
    on = "split" if len({strings["split"] for strings in asked}) < 2 else "splits"
    what = "Runs that solve the task" if is_grid(record) else f"{metric.capitalize()} on the test {on}"
    options = record["options"]
    sizes = {row["published"]["runs"] for row in record["rows"] if row.get("published")} - {None}
    paper = f"; the paper's: {' or '.join(map(str, sorted(sizes)))}" if sizes else ""
    engines = " or ".join(dict.fromkeys(row["ours"]["engine"] for row in record["rows"]))
    yield (
        f"{what}, percent; ours: {options['runs']:,} runs from seed {options['seed']}, trained by the {engines} "
        f"engine{paper}."
    )
    for strings in {strings["digest"]: strings for strings in asked}.values():
        yield (
            f"{strings['name']} {strings['version']}, {strings['split']}: {strings['rows']:,} strings, window "
            f"{strings['window']}, law {strings['law']}, digest {strings['digest'][:12]}."
        )


def _metric(row: Record) -> str:
    """The headline in the rows of earlier versions, which did not say."""
    return str(row.get("metric", row["ours"].get("strings", {}).get("headline", SEQUENCE_ACCURACY)))


def _explained(record: Record) -> Iterator[str]:
    rows = record["rows"]
    if is_matrix(record):
        yield "The median over runs, and in brackets how many of them reach 99 %; empty: the model cannot learn the task."
        return
    if sizes := {ends["runs"] for row in rows if (ends := row["ours"].get("intervals"))}:
        size = max(sizes)
        yield (
            f"Ranges: 95 % of all sets of {size} of our runs have their minimum, maximum, median and mean between "
            "these ends, rounded outwards. *: the paper's number lies outside."
        )
    if any(row["ours"].get("best_run") is not None for row in rows):
        yield "Selected: the run that is best in validation, or in training, as the recipe selects."
    if any("chosen_by" in row["ours"] for row in rows):
        yield (
            "By test, by validation: the mean over our runs of the share of closing brackets that are right, of all test "
            "splits together, after the epoch that the test strings choose, as in the paper and as all else here, and after "
            "the one that validation chooses."
        )
    if any(row["ours"]["solved"] for row in rows):
        yield "Solved: percent of our runs that reach 99 %, with its 95 % interval."


def _besides(record: Record) -> Iterator[str]:
    if left_out := record["left_out"]:
        there = {row["model"] for row in record["rows"]}
        yield f"{len(left_out)} of {len(there) + len(left_out)} rows are left out."
    yield from record["statements"]


def _notes_of(row: Record) -> Iterator[str]:
    """What is to be known of our row."""
    ours = row["ours"]
    departures = [f"{name} {it['here']} instead of {it['paper']}" for name, it in ours["deviations"].items()]
    if departures := [*departures, *ours["departures"]]:
        yield f"Not as in the paper: {', '.join(departures)}."
    if inferred := [f"{name} {value}" for name, value in ours["inferred"].items()]:
        yield f"{', '.join(inferred)} {'are' if inferred[1:] else 'is'} inferred, ours: the paper gives none."
    yield from ours["doubts"]


def _remarks(row: Record) -> Sequence[str]:
    return row["published"]["remarks"] if row["published"] else ()


def _narrow(record: Record) -> Iterator[Table]:
    """The tables that a terminal is wide enough for."""
    if is_matrix(record):
        yield from matrix.narrow_tables(record)
    elif is_grid(record):
        yield _grid(record)
    else:
        yield from _narrow_tables(record)


def _narrow_tables(record: Record) -> Iterator[Table]:
    """For each task, split and metric, named where there are several, the paper's row, ours, and what as many of ours would
    give.
    """
    parts = [_part(row) for row in record["rows"]]
    differing = [place for place in range(3) if len({part[place] for part in parts}) > 1]
    for part in dict.fromkeys(parts):
        rows = [row for row in record["rows"] if _part(row) == part]
        notes = Footnotes.of(note for row in rows for note in (*_remarks(row), *_notes_of(row)))
        lines = [line for row in rows for line in _lines(row, notes)]
        named = ", ".join(part[place] for place in differing)
        headers = (f"model, on {named}" if named else "model", *NARROW)
        yield Table(lines, headers, ("left", *["right"] * len(NUMBERS), "left"), notes.lines)


def _named(row: Record) -> str:
    """The model, and what is varied.

    >>> _named({"model": "nnpda", "variant": "with noise"}), _named({"model": "lstm"})
    ('nnpda, with noise', 'lstm')
    """
    return ", ".join(filter(None, (row["model"], row.get("variant"))))


def _part(row: Record) -> tuple[str, str, str]:
    """Task, split and metric."""
    return row["task"], row.get("split", ""), METRICS[_metric(row)]


def _lines(row: Record, notes: Footnotes) -> Iterator[list[str]]:
    paper, ours = row["published"], row["ours"]
    if paper:
        label = notes.marked(paper["model"], paper["remarks"])
        yield [label, *(_published(row, name) for name in NUMBERS), ""]
    label = notes.marked(f"ours: {_named(row)}", _notes_of(row), NAME_WIDTH)
    yield [label, *(_percent(ours[name]) for name in NUMBERS), _solved(ours["solved"])]
    if (best := ours.get("best_run")) is not None and len(ours["values"]) > 1:
        yield [f"run {best}, which is selected", "", _percent(ours["values"][best]), "", "", ""]
    if ends := ours["intervals"]:
        yield [f"{ends['runs']} of ours, 95 %", *(_range(*ends[name]) for name in NUMBERS), ""]


def _wide(record: Record) -> Table:
    """A line for each model: the paper's numbers, then ours with their ranges. Columns with nothing in them are left out."""
    rows = record["rows"]
    notes = Footnotes.of(note for row in rows for note in (*_remarks(row), *_notes_of(row)))
    several = [len({part[place] for part in map(_part, rows)}) > 1 for place in range(3)]
    lines = []
    for row in rows:
        ours, ends = row["ours"], row["ours"]["intervals"]
        shown = [f"{_percent(ours[n])} [{_range(*ends[n])}]" if ends else _percent(ours[n]) for n in NUMBERS]
        label = notes.marked(_named(row), [*_remarks(row), *_notes_of(row)])
        published = [_published(row, name) for name in NUMBERS]
        selected = _percent(None if (best := ours.get("best_run")) is None else ours["values"][best])
        solved = _solved(ours["solved"])
        task, *parts = _part(row)
        named = [part if there else "" for part, there in zip(parts, several[1:], strict=True)]
        chosen = [_percent(_mean(ours.get("chosen_by", {}).get(by))) for by in ("test", "validation")]
        lines.append([task, label, *named, *published, str(ours["runs"]), selected, *shown, solved, *chosen])
    of_paper = (f"paper: {name}" for name in NUMBERS)
    headers = ["task", "model", "split", "metric", *of_paper, "ours: runs", "selected", *NUMBERS, "solved"]
    headers += ["by test", "by validation"]
    align = ["left"] * 4 + ["right"] * 10 + ["left", "right", "right"]
    filled = [column for column in range(len(headers)) if any(line[column] for line in lines)]
    return Table(
        [[line[column] for column in filled] for line in lines],
        [headers[column] for column in filled],
        [align[column] for column in filled],
        notes.lines,
    )


def _grid(record: Record) -> Table:
    """A line for each model, task and number of epochs; a column for each learning rate."""
    rows, rates = record["rows"], record["learning_rates"]
    found = {(row["task"], row["model"], row["epochs"], row["learning_rate"]): row for row in rows}
    notes = Footnotes.of(note for row in rows for note in _notes_of(row))
    lines = []
    for task, model, epochs in dict.fromkeys(key[:3] for key in found):
        of_line = [found[task, model, epochs, rate] for rate in rates]
        marks = dict.fromkeys(note for row in of_line for note in _notes_of(row))
        shares = [show_percent(row["ours"]["solved"]["runs"] / row["ours"]["runs"], 0) for row in of_line]
        lines.append([task, notes.marked(model, marks), str(epochs), *shares])
    headers = ["task", "model", "epochs", *(f"{rate:g}".removeprefix("0") for rate in rates)]
    return Table(lines, headers, ["left", "left", *["right"] * (1 + len(rates))], notes.lines)


def _mean(shares: Sequence[float | None] | None) -> float | None:
    """None where there are none, or one is not known."""
    known = [share for share in shares or () if share is not None]
    return sum(known) / len(known) if known and len(known) == len(shares or ()) else None


def _traced(shown: Record) -> Table:
    """Numbers with two places, in columns of their own."""
    rows = [[f"{of:.2f}" if isinstance(of, int | float) else str(of) for of in row] for row in shown["rows"]]
    align = ["right" if isinstance(of, int | float) else "left" for of in shown["rows"][0]]
    return Table(rows, shown["headers"], align)


def _percent(share: float | None) -> str:
    """Empty where it is not known."""
    return "" if share is None else show_percent(share)


def _published(row: Record, name: str) -> str:
    """A number of the paper, with a star where our runs do not give it."""
    if not row["published"]:
        return ""
    value, ends = row["published"][name], row["ours"]["intervals"]
    outside = ends and value is not None and not ends[name][0] - ROUNDING <= value <= ends[name][1] + ROUNDING
    return _percent(value) + ("*" if outside else "")


def _range(lower: float, upper: float) -> str:
    """In whole percents, rounded outwards.

    >>> _range(0.29, 0.9996), _range(1.0, 1.0)
    ('29-100', '100')
    """
    ends = floor(round(100 * lower, 9)), ceil(round(100 * upper, 9))
    return "-".join(map(str, dict.fromkeys(ends)))


def _solved(solved: Record | None) -> str:
    """The share of runs with its interval; of a single run, whether it does.

    >>> _solved({"runs": 27, "share": 0.9, "lower": 0.744, "upper": 0.965}), _solved({"runs": 1})
    ('90 [74-96]', 'yes')
    """
    if not solved:
        return ""
    if "share" not in solved:
        return "yes" if solved["runs"] else "no"
    share, lower, upper = (show_percent(solved[name], 0) for name in ("share", "lower", "upper"))
    return f"{share} [{lower}-{upper}]"
