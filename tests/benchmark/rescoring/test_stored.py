"""samples.parquet that was edited, under digests that fit: what no evaluation writes is refused before it is scored."""

import shutil
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from helpers.command_line import marnn
from helpers.forged_results import Change, cast, cell, change_samples, set_field
from helpers.synthetic_results import read_record, strings, write_record, write_result
from marnn_bench.cli import main
from marnn_bench.errors import DataError
from marnn_bench.evaluation.records import SAMPLES
from marnn_bench.rescoring.rescore import believe, rescore

ROWS = 40
ANSWERS = 40_000_000
LM, RECOGNITION = "dyck2--lm", "dyck2--recognition"
TASKS = ("dyck2", "string-reversal", "anbn", "sequence-reversal", RECOGNITION, LM)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A result of two runs of each view, which lack an answer."""
    base = tmp_path_factory.mktemp("sound")
    found = {}
    for task in TASKS:
        rows = len(strings(task, "test", ROWS)[0])
        right = np.arange(rows) < [[rows], [rows // 2]]
        found[task] = write_result(base / task, right, task=task, lost=1)
    return found


@pytest.fixture
def results(sound: dict[str, Path], tmp_path: Path) -> dict[str, Path]:
    return {task: Path(shutil.copytree(path, tmp_path / task)) for task, path in sound.items()}


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [*map(str, arguments)])


def assert_refused(folder: Path, said: str = "") -> None:
    done = run("leaderboard", "show", folder)
    assert (done.exit_code, done.stdout) == (5, ""), done.output
    (line,) = done.stderr.splitlines()
    assert said in line and line.isprintable() and len(line) < 500


@pytest.mark.parametrize("task", TASKS)
def test_a_result_of_any_view_is_believed_with_what_it_lost(task: str, results: dict[str, Path]) -> None:
    assert rescore(results[task]).differences == ()
    assert believe(results[task]).record["errors"]["rows"] == 1
    for rows in (0, 2):
        set_field(results[task], ("errors", "rows"), rows)
        assert_refused(results[task], f"errors.rows is {rows}, not 1")


def without(column: str) -> Change:
    return lambda table: table.drop_columns([column])


def doubled(column: str) -> Change:
    return lambda table: table.append_column(column, table[column])


def of_type(column: str, kind: pa.DataType, value: object) -> Change:
    """A column in which all rows have this value."""

    def change(table: pa.Table) -> pa.Table:
        place = table.column_names.index(column)
        return table.set_column(place, column, pa.array([value] * len(table), kind))

    return change


CHANGES: dict[str, Change] = {
    "answers of another string": lambda table: table.set_column(
        2, "predicted", table["predicted"].take(pa.array([1, 0, *range(2, 80)]))
    ),
    "rows out of order": lambda table: table.take(pa.array([1, 0, *range(2, 80)])),
    "rows that repeat": lambda table: table.take(pa.array([0, 0, *range(2, 80)])),
    "runs that repeat": lambda table: table.take(pa.array([*range(40), *range(40)])),
    "no rows": lambda table: table.slice(0, 0),
    "too few rows": lambda table: table.slice(0, 79),
    "a run more": lambda table: pa.concat_tables([table, table.slice(0, 40)]),
    "no answers": without("predicted"),
    "no column correct": without("correct"),
    "two columns correct": doubled("correct"),
    "a column more": lambda table: table.append_column("score", table["row"]),
    "wide rows": cast("row", pa.uint64()),
    "signed runs": cast("run", pa.int16()),
    "texts": of_type("first_error", pa.string(), "-1"),
    "correct as numbers": of_type("correct", pa.uint8(), 1),
    "masks as numbers": cast("predicted", pa.list_(pa.float64())),
    "large lists": cast("predicted", pa.large_list(pa.uint8())),
    "nested lists": of_type("predicted", pa.list_(pa.list_(pa.uint8())), [[1]]),
    "fixed sizes": of_type("predicted", pa.list_(pa.uint8(), 2), [1, 2]),
    "structures": of_type("predicted", pa.struct([("a", pa.uint8())]), {"a": 1}),
    "a dictionary of texts": of_type("predicted", pa.dictionary(pa.int8(), pa.string()), "("),
    "nothing": of_type("predicted", pa.null(), None),
    "a missing list": cell("predicted", 3, lambda masks: None),
    "a missing correct": cell("correct", 3, lambda right: None),
    "a missing row": cell("row", 0, lambda row: None),
    "an answer more": cell("predicted", 3, lambda masks: [*masks, 1]),
    "an answer fewer": cell("predicted", 3, lambda masks: masks[:-1]),
    "another answer": cell("predicted", 3, lambda masks: [masks[0] ^ 1, *masks[1:]]),
    "a bit without a column": cell("predicted", 79, lambda masks: [*masks[:-1], 128]),
    "right called wrong": cell("correct", 3, lambda right: not right),
    "another first error": cell("first_error", 79, lambda place: place + 1),
}


@pytest.mark.parametrize("name", CHANGES)
def test_sets_that_were_edited_are_refused(name: str, results: dict[str, Path]) -> None:
    change_samples(results["dyck2"], CHANGES[name], rows_a_group=ROWS)
    assert_refused(results["dyck2"], SAMPLES)


@pytest.mark.parametrize("rows_a_group", [20, 80])
def test_a_run_is_a_row_group(rows_a_group: int, results: dict[str, Path]) -> None:
    change_samples(results["dyck2"], lambda table: table, rows_a_group)
    assert_refused(results["dyck2"], "row" if rows_a_group == 20 else "holds 1 runs, not 2")


@pytest.mark.parametrize(
    ("task", "change"),
    [
        ("anbn", cell("predicted", 0, lambda columns: [*columns[:-1], 7])),
        ("anbn", cell("predicted", 0, lambda columns: [*columns[:-1], -2])),
        ("anbn", cast("predicted", pa.list_(pa.uint8()))),
        ("sequence-reversal", cell("predicted", 0, lambda columns: [*columns, 0])),
        ("sequence-reversal", cell("predicted", 0, lambda columns: columns[:-1])),
        (RECOGNITION, cell("predicted", 0, lambda probability: 1 - probability)),
        (RECOGNITION, cell("predicted", 0, lambda probability: float("nan"))),
        (RECOGNITION, cast("predicted", pa.float32())),
        (LM, cell("predicted", 0, lambda logs: [0.5, *logs[1:]])),
        (LM, cell("predicted", 0, lambda logs: [float("nan"), *logs[1:]])),
        (LM, cell("predicted", 0, lambda logs: [float("inf"), *logs[1:]])),
        (LM, cell("predicted", 0, lambda logs: [-0.25, *logs[1:]])),
        (LM, cell("predicted", 0, lambda logs: logs[:-1])),
    ],
)
def test_other_answers_that_were_edited_are_refused(
    task: str, change: Change, results: dict[str, Path]
) -> None:
    change_samples(results[task], change)
    assert_refused(results[task])


@pytest.mark.parametrize("mass", [-0.1, 1000.0, float("nan"), float("inf")])
def test_mass_on_illegal_symbols_is_at_most_one_an_answer(mass: float, results: dict[str, Path]) -> None:
    masses = [0.0] * 79 + [mass]
    change_samples(results["dyck2"], lambda table: table.append_column("illegal_mass", pa.array(masses)))
    assert_refused(results["dyck2"], "an answer that no model can have given")


def test_a_small_file_of_very_many_rows_is_not_read(results: dict[str, Path]) -> None:
    """40 million rows of zeros in less than a megabyte."""
    folder, rows = results["dyck2"], 10_000_000
    path = folder / SAMPLES
    schema = pq.read_schema(path)
    lists = pa.ListArray.from_arrays(pa.array(np.zeros(rows + 1, np.int32)), pa.array([], pa.uint8()))
    zeros = [pa.array(np.zeros(rows, kind)) for kind in (np.uint16, np.uint32)]
    ends = [pa.array(np.zeros(rows, bool)), pa.array(np.zeros(rows, np.int32))]
    table = pa.table([*zeros, lists, *ends], names=schema.names)
    with pq.ParquetWriter(path, table.schema, compression="zstd") as writer:
        for _ in range(4):
            writer.write_table(table, row_group_size=rows)
    assert path.stat().st_size < 1_000_000
    record = read_record(folder)
    record["runs"] = record["runs"] * 2
    write_record(folder, record)
    assert_refused(folder, f"holds {rows:,} rows of run 0, not {ROWS}")


def test_a_small_file_of_very_many_answers_is_not_read(results: dict[str, Path]) -> None:
    folder = results["dyck2"]
    change_samples(folder, answered_at_length)
    assert (folder / SAMPLES).stat().st_size < 100_000
    assert_refused(folder, "holds more answers of run 0 than were asked for")


@pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded on Linux alone")
def test_a_footer_that_says_less_than_there_is_ends_where_memory_is_bounded(
    results: dict[str, Path],
) -> None:
    folder = results["dyck2"]
    change_samples(folder, answered_at_length)
    content, said = (folder / SAMPLES).read_bytes(), varint(ANSWERS + ROWS - 1)
    assert content.count(said) == 2  # in the header of the page and in the footer
    before, _, behind = content.rpartition(said)
    (folder / SAMPLES).write_bytes(before + varint(ROWS, len(said)) + behind)
    write_record(folder, read_record(folder))
    # Other pools reserve a gigabyte when they are first used.
    done = marnn("rescore", folder, cwd=folder, ARROW_DEFAULT_MEMORY_POOL="system")
    assert done.code == 5 and "takes more memory than answers of run 0 can" in done.out
    assert "did not pass" in done.error


def answered_at_length(table: pa.Table) -> pa.Table:
    """Very many answers, all the same, to the last string of the first run."""
    offsets = np.zeros(81, np.int32)
    offsets[ROWS:] = ANSWERS
    lists = pa.ListArray.from_arrays(pa.array(offsets), pa.array(np.zeros(ANSWERS, np.uint8)))
    return table.set_column(2, "predicted", lists)


def varint(number: int, width: int = 0) -> bytes:
    """An integer as a Parquet footer has it: zigzag, seven bits a byte, with leading zeros up to a width."""
    groups = [
        2 * number >> shift & 0x7F for shift in range(0, 70, 7) if 2 * number >> shift or shift < 7 * width
    ]
    return bytes([*(group | 0x80 for group in groups[:-1]), groups[-1]])


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" * 1000, b"PAR1" + b"\xff" * 64 + b"PAR1"])
def test_what_is_no_parquet_is_refused(content: bytes, results: dict[str, Path]) -> None:
    (results["dyck2"] / SAMPLES).write_bytes(content)
    write_record(results["dyck2"], read_record(results["dyck2"]))
    assert_refused(results["dyck2"], f"{SAMPLES} cannot be read")


def test_flipped_bytes_end_in_a_line(results: dict[str, Path]) -> None:
    """Whatever byte is another: what is read is refused, or is as it was."""
    folder = results["dyck2"]
    sound, record = (folder / SAMPLES).read_bytes(), read_record(folder)
    random = np.random.default_rng(1)
    for place in random.integers(4, len(sound), 150).tolist():
        flipped = bytearray(sound)
        flipped[place] ^= 1 << int(random.integers(8))
        (folder / SAMPLES).write_bytes(flipped)
        write_record(folder, read_record(folder))
        try:
            assert believe(folder).record["runs"] == record["runs"]
        except DataError as error:
            assert len(str(error).splitlines()) == 1


def test_files_may_be_links(results: dict[str, Path], tmp_path: Path) -> None:
    """As large files often are: what counts is their content."""
    samples = results["dyck2"] / SAMPLES
    samples.rename(tmp_path / "elsewhere")
    samples.symlink_to(tmp_path / "elsewhere")
    assert rescore(results["dyck2"]).differing == 0
    samples.unlink()
    samples.symlink_to(samples)
    assert_refused(results["dyck2"], "samples.parquet is missing")
