"""Whether a submission is what it says: its folder, its JSON, its data, and every figure computed again from its samples."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from marnn_bench.errors import DataError
from marnn_bench.evaluation.records import RESULT, SAMPLES, SCHEMA_VERSION, damaged
from marnn_bench.file_digests import file_digest
from marnn_bench.generators.errors import MarnnError
from marnn_bench.leaderboard.results import printable
from marnn_bench.leaderboard.standings.entries import Cell, Entry, Standing, make_cell
from marnn_bench.leaderboard.validation.description import DESCRIPTION, Description, read_description
from marnn_bench.leaderboard.validation.folders import check_files, check_tree, most_bytes
from marnn_bench.leaderboard.validation.hidden import Hidden, score_hidden
from marnn_bench.leaderboard.validation.limits import (
    MEMORY,
    MOST_RESULTS,
    MOST_RUNS,
    VALUES,
    VALUES_A_RUN,
)
from marnn_bench.leaderboard.validation.schemas import problem, result_schema
from marnn_bench.leaderboard.validation.strict_json import check_texts, read
from marnn_bench.rescoring.memory import at_most
from marnn_bench.rescoring.rescore import believe, rescore
from marnn_bench.scoring.metrics import Record

CAUGHT: Final = (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError, OSError)
"""What reading of anything may raise that is not what it should be."""


@dataclass(frozen=True, eq=False)
class Submission:
    """A submission that was found to be what it says."""

    description: Description
    entry: Entry


def check_submission(folder: Path, hidden: Hidden | None = None, *, anew: bool = True) -> Submission:
    """The submission in a folder. DataError, in one line, for the first thing that is not as it should be.

    hidden:  the hidden splits that it answers, where they are known
    anew:    score it again even if a receipt says what was found
    """
    try:
        with at_most(MEMORY):
            return _check(folder, hidden, anew)
    except MemoryError:
        raise _refused(folder, f"it takes more than {MEMORY:,} bytes of memory to check") from None
    except RecursionError:
        raise _refused(folder, "it is nested too deeply") from None
    except MarnnError as error:
        raise _refused(folder, str(error)) from None
    except CAUGHT as error:
        raise _refused(
            folder, f"{error!s:.300}" if isinstance(error, ValueError) else f"{error!r:.300}"
        ) from None


def _refused(folder: Path, why: str) -> DataError:
    prefix = f"{folder}: "
    return DataError(f"{prefix}{' '.join(why.removeprefix(prefix).split())}")


def _check(folder: Path, hidden: Hidden | None, anew: bool) -> Submission:
    sizes = check_tree(folder)
    description = read_description(folder)
    if len(description.results) > MOST_RESULTS:
        raise ValueError(f"more than {MOST_RESULTS} results")
    check_files(folder, description, sizes)
    if description.hidden and hidden is None:
        raise ValueError(f"it answers the hidden splits {description.hidden}, which are not known here")
    cells: dict[str, Cell] = {}
    digests: dict[str, str] = {}
    for place in description.results:
        record = _record(folder, place, sizes)
        samples = record["samples"]["sha256"]
        if samples in digests:
            raise ValueError(f"{place} has the samples of {digests[samples]}")
        digests[samples] = place
        cell = make_cell(
            folder / place, _scored(folder / place, record, hidden if description.hidden else None, anew)
        )
        if cell is None:
            raise ValueError(f"{place}: the board is of another split of this task")
        if cell.departures:
            raise ValueError(f"{place} is not on the task's own strings: {', '.join(cell.departures)}")
        cells[cell.task] = cell
    return Submission(description, Entry(description.name, _standing(folder, description, hidden), cells))


def _standing(folder: Path, description: Description, hidden: Hidden | None) -> Standing:
    """Answers to hidden splits are claims until the key is shown, and stay so if they were not there before it was."""
    if not (description.hidden and hidden):
        return Standing.RESCORED
    early = hidden.answers.get(description.slug) == file_digest(folder / DESCRIPTION)
    return Standing.HIDDEN if hidden.key and early else Standing.CLAIMED


def _record(folder: Path, place: str, sizes: Any) -> Record:
    """The record of a result, read as strangers' JSON is."""
    record = read(folder / place / RESULT, most_bytes(RESULT), VALUES + MOST_RUNS * VALUES_A_RUN)
    runs = record["runs"] if isinstance(record, dict) and isinstance(record.get("runs"), list) else []
    if not 0 < len(runs) <= MOST_RUNS:
        raise ValueError(f"{place} has {len(runs):,} runs; 1 to {MOST_RUNS:,} are allowed")
    if record.get("schema_version") != SCHEMA_VERSION:
        raise ValueError(f"{place} is of an older version: evaluate it again")
    # Each figure of every run is computed again and compared, so that one run's layout stands for all.
    if found := problem({**record, "runs": runs[:1]}, result_schema()):
        raise ValueError(f"{place}/{RESULT} is not of its schema: {found}")
    check_texts({name: value for name, value in record.items() if name != "runs"})
    check_texts(runs[:1])
    printable(record["model"]["name"])
    for name in (RESULT, SAMPLES):
        if sizes[f"{place}/{name}"] > most_bytes(name, len(runs)):
            raise ValueError(f"{place}/{name} is too large for {len(runs):,} runs")
    if place != f"{record['task']['name']}/{record['task']['split']}":
        raise ValueError(f"{place} is of {record['task']['name']!a:.60}, {record['task']['split']!a:.60}")
    if record["samples"]["rows"] != len(runs) * record["task"]["rows"]:
        raise ValueError(f"{place} has {record['samples']['rows']:,} samples of {len(runs):,} runs")
    return dict(record)


def _scored(folder: Path, record: Record, hidden: Hidden | None, anew: bool) -> Record:
    """The record with every figure as it follows from the samples."""
    if hidden is not None:
        return score_hidden(folder, record, hidden)
    if anew:
        rescored = rescore(folder)
        if rescored.differing:
            raise damaged(
                folder, f"what follows from its samples is another result: {rescored.differences[0]}"
            )
    return believe(folder).record
