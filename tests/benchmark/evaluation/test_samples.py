"""Answers of every kind in samples.parquet: as they are read back, missing ones among them."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from marnn_bench.asking.waves import WAVE_ROWS
from marnn_bench.evaluation.samples import read_predictions, samples_table
from marnn_bench.generators.strings import offsets_of
from marnn_bench.scoring.metrics import Correctness
from marnn_bench.scoring.predictions import Predictions

KINDS: dict[str, tuple[str, st.SearchStrategy[Any]]] = {
    "sets": ("<u8", st.integers(0, 2**9 - 1)),
    "choices": ("<i8", st.integers(-1, 8)),
    "log-probabilities": ("<f8", st.floats(max_value=0, allow_nan=False)),
}
COLUMNS = 9


def table_of(predictions: Predictions, columns: int) -> pa.Table:
    n = len(predictions)
    return samples_table(predictions, Correctness(np.ones(n, np.bool_), np.full(n, -1, np.int32)), columns)


def assert_same(found: Predictions, wrote: Predictions) -> None:
    """The same answers, the same of them missing; what stands in their places means nothing."""
    assert found.offsets.tolist() == wrote.offsets.tolist()
    assert found.answered.tolist() == wrote.answered.tolist()
    assert found.values.keys() == wrote.values.keys() and found.totals.keys() == wrote.totals.keys()
    for name, values in wrote.values.items():
        assert found.values[name].dtype == values.dtype
        assert found.values[name][wrote.answered].tolist() == values[wrote.answered].tolist()
    for name, totals in wrote.totals.items():
        assert found.totals[name].tolist() == totals.tolist()


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_answers_come_back(kind: str, data: st.DataObject) -> None:
    dtype, values = KINDS[kind]
    answers = st.lists(st.lists(st.tuples(values, st.booleans()), max_size=4), min_size=1, max_size=6)
    rows = data.draw(answers)
    flat = [answer for row in rows for answer in row]
    predicted = np.array([value for value, _ in flat], dtype)
    found = {"predicted": predicted, **({"closing": np.arange(len(flat)) % 3 - 1} if kind == "sets" else {})}
    totals = {"illegal_mass": np.linspace(0, 1, len(rows))} if kind == "sets" else {}
    came = np.array([came for _, came in flat], np.bool_)
    wrote = Predictions(found, came, offsets_of(np.array([len(row) for row in rows])), totals)
    table = table_of(wrote, COLUMNS)
    assert_same(read_predictions(table), wrote)
    assert_same(read_predictions(pa.concat_tables([table, table]).slice(len(rows))), wrote)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1))
def test_one_probability_for_each_string_is_a_number_and_no_list(answers: list[tuple[float, bool]]) -> None:
    values, came = map(np.array, zip(*answers, strict=True))
    wrote = Predictions({"predicted": values.astype("<f8")}, came, np.arange(len(came) + 1))
    table = table_of(wrote, 1)
    assert table.schema.field("predicted").type == pa.float64()
    assert table["predicted"].null_count == (~came).sum()
    assert_same(read_predictions(table), wrote)


def test_the_log_probability_of_a_string_without_symbols_is_a_list_as_well() -> None:
    """So that a wave of empty strings alone has the columns of the others."""
    wrote = Predictions.of(np.array([-0.5, -0.5]), np.array([0, 1, 2]))
    table = table_of(wrote, 3)
    assert table["predicted"].to_pylist() == [[-0.5], [-0.5]]
    assert_same(read_predictions(table), wrote)


@pytest.mark.parametrize(
    ("columns", "bits"), [(1, 8), (8, 8), (9, 16), (16, 16), (17, 32), (32, 32), (33, 64), (64, 64)]
)
def test_masks_are_as_wide_as_needed_and_the_full_set_is_no_missing_answer(columns: int, bits: int) -> None:
    masks = np.array([0, 1, (1 << columns) - 1, 0, 1 << (columns - 1), 0], np.uint64)
    came = np.array([1, 1, 1, 0, 1, 0], np.bool_)
    wrote = Predictions({"predicted": masks}, came, np.array([0, 2, 2, 6]))
    table = table_of(wrote, columns)
    assert table.schema.field("predicted").type.value_type == pa.from_numpy_dtype(f"uint{bits}")
    assert table["predicted"].to_pylist()[2] == [(1 << columns) - 1, None, 1 << (columns - 1), None]
    assert_same(read_predictions(table), wrote)


def test_a_row_says_whether_and_where_it_is_wrong() -> None:
    right = np.array([1, 0, 1, 1, 0, 0], np.bool_)
    offsets = np.array([0, 2, 2, 3, 6])
    table = samples_table(
        Predictions.of(np.zeros(6, "<u8"), offsets), Correctness.of(right, offsets), 2
    ).to_pydict()
    assert table["correct"] == [False, True, True, False]
    assert table["first_error"] == [1, -1, -1, 1]


def test_strings_of_no_answer_are_rows_too() -> None:
    wrote = Predictions.of(np.zeros(0, "<u8"), np.zeros(WAVE_ROWS + 1, np.int64))
    table = table_of(wrote, 4)
    assert table.num_rows == WAVE_ROWS
    assert_same(read_predictions(table), wrote)
