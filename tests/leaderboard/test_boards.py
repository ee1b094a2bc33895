"""Published numbers, and our results beside them."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from helpers.synthetic_results import write_result
from marnn_bench.cli import main
from marnn_bench.leaderboard.published import STATISTICS, PublishedRow, published_rows, published_tasks
from marnn_bench.leaderboard.tables import HEADERS
from marnn_bench.tasks.registry import builtin_tasks

TABLES = {"dyck2": 2, "dyck3": 3, "dyck6": 4, "hom-palindrome": 5, "string-reversal": 6}
COUNTING = ("anbn", "anbncn", "anbncndn", "anb2n", "unary-addition")
EVERY_ROW = [row for task in TABLES for row in published_rows(task)]


def show(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["leaderboard", "show", *map(str, arguments)])


def boards(*arguments: object) -> list[dict[str, Any]]:
    done = show(*arguments, "--format", "json")
    assert done.exit_code == 0, done.output
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def solving(runs: int, rows: int = 200) -> np.ndarray:
    """So many runs with every string right."""
    return np.ones((runs, rows), bool)


@pytest.mark.parametrize(("task", "table"), TABLES.items())
def test_every_table_has_the_twelve_models_of_the_paper(task: str, table: int) -> None:
    rows = published_rows(task)
    controllers, gates = (
        ("Stack-RNN", "Stack-LSTM", "Baby-NTM"),
        ("Softmax", "Softmax-Temp", "Gumbel-Softmax"),
    )
    ours = [f"{controller}+{gate}" for controller in controllers for gate in gates]
    assert [row.model for row in rows] == ["Vanilla RNN", "Vanilla LSTM", "Stack-RNN by J&M (2015)", *ours]
    assert {row.source for row in rows} == {f"Suzgun et al. 2019, Table {table}"}


def test_every_published_task_is_a_task() -> None:
    assert {*TABLES, "marked-palindrome"} <= set(published_tasks()) <= set(builtin_tasks())


def test_numbers_that_the_text_of_the_paper_repeats() -> None:
    test = {(row.task, row.model): row.splits["test"] for row in EVERY_ROW}
    assert test["dyck2", "Stack-RNN+Softmax"]["min"] == 0.9996
    assert test["dyck3", "Stack-RNN+Softmax"]["mean"] == 0.8
    # "the standard recurrent models could not predict even one sample in the test set correctly" (section 6.1)
    assert test["hom-palindrome", "Vanilla LSTM"]["max"] == test["hom-palindrome", "Vanilla RNN"]["max"] == 0
    # "the vanilla RNNs and LSTMs failed to generalize with below 5% accuracy" (section 5.1)
    assert test["dyck2", "Vanilla LSTM"]["max"] == 0.041
    # "the Stack-LSTMs+Gumbel-Softmax performed slightly better than the other models in terms of their mean" (6.1)
    assert max(published_rows("hom-palindrome"), key=lambda row: row.splits["test"]["mean"]).model == (
        "Stack-LSTM+Gumbel-Softmax"
    )


@pytest.mark.parametrize("row", EVERY_ROW, ids=lambda row: f"{row.task} {row.model}")
def test_the_printed_statistics_are_possible_for_ten_runs(row: PublishedRow) -> None:
    """Of ten runs with this minimum, median and maximum the mean lies between two bounds (up to rounding)."""
    assert row.runs == 10
    for spread in row.splits.values():
        low, high, median, mean = (spread[name] for name in STATISTICS)
        assert 0 <= low <= median <= high <= 1
        least, most = (4 * low + 5 * median + high) / 10, (low + 5 * median + 4 * high) / 10
        assert least - 1e-4 <= mean <= most + 1e-4


def figures(task: str, split: str, metric: str) -> dict[str, float]:
    """The single number of each row."""
    rows = [row for row in published_rows(task) if row.metric == metric]
    return {row.model: row.splits[split]["max"] for row in rows}


def test_table_2_of_joulin_and_mikolov() -> None:
    solved = {task: figures(task, "test", "solved_sizes") for task in COUNTING}
    models = ["RNN", "LSTM", "List RNN 40+5", "Stack RNN 40+10", "Stack RNN 40+10 + rounding"]
    assert [[*of_task] for of_task in solved.values()] == [models] * len(COUNTING)
    # "Performance above 33.3% means it is able to generalize": no RNN does, and every rounded Stack RNN
    assert max(of_task["RNN"] for of_task in solved.values()) == 0.333
    assert {of_task["Stack RNN 40+10 + rounding"] for of_task in solved.values()} == {1.0}
    # "For anbmcn+m, rounding is required to obtain the best performance."
    assert solved["unary-addition"]["Stack RNN 40+10"] == 0.433
    # percentages of the 60 n, to a tenth
    assert all(
        abs(60 * share - round(60 * share)) < 0.031
        for of_task in solved.values()
        for share in of_task.values()
    )


def test_appendix_e_of_grefenstette_et_al() -> None:
    for task in ("sequence-copy", "sequence-reversal", "bigram-flip", "svo-sov", "gender"):
        for split in ("test_short", "test"):
            coarse, fine = (figures(task, split, f"{metric}_accuracy") for metric in ("sequence", "fine"))
            assert len(coarse) == 7
            assert all(
                coarse[model] <= fine[model] for model in coarse
            )  # whole targets are right before any error
    # "enhanced LSTMs solve the problem completely": the Queue copies, the Stack reverses, the DeQue does both
    assert figures("sequence-copy", "test", "fine_accuracy")["Queue-LSTM"] == 1
    assert figures("sequence-reversal", "test", "fine_accuracy")["Stack-LSTM"] == 1
    assert figures("sequence-copy", "test", "sequence_accuracy")["4-layer LSTM"] == 0.01


def test_single_numbers_of_a_paper_are_shown_as_that() -> None:
    (board,) = boards("--task", "anbncn")
    shown = {row["model"]: row["solved_sizes"] for row in board["published"]}
    assert shown["List RNN 40+5"] == {"max": 0.333}
    lines = [line for line in show("--task", "anbncn").stdout.splitlines() if line.startswith("List RNN")]
    assert [line.split() for line in lines] == [["List", "RNN", "40+5", "¹", "33.30"]]


def test_doubtful_rows_carry_a_remark() -> None:
    """Tables 3 and 4 print one row twice; the row of Joulin & Mikolov's model cannot be run from the released code."""
    doubted = {(row.task, row.model) for row in EVERY_ROW if row.remarks}
    copied = {(task, f"Stack-{kind}+Softmax-Temp") for task in ("dyck3", "dyck6") for kind in ("RNN", "LSTM")}
    assert doubted == copied | {(task, "Stack-RNN by J&M (2015)") for task in TABLES}
    for task in ("dyck3", "dyck6"):
        first, second = (row for row in published_rows(task) if (task, row.model) in copied)
        assert first.splits == second.splits


def test_our_row_follows_the_published_one_that_it_reproduces(tmp_path: Path) -> None:
    baseline = write_result(tmp_path / "a", solving(3), model="lstm", published_row="Vanilla LSTM")
    other = write_result(tmp_path / "b", solving(1), model="mine")
    table = show(other, baseline).stdout.split("\n\n")[1]
    names = [line[:25].strip() for line in table.splitlines()]
    assert names.index("ours: lstm") == names.index("Vanilla LSTM") + 1
    assert names.index("ours: mine") == names.index("Baby-NTM+Gumbel-Softmax") + 1
    assert sum(name.startswith("ours: ") for name in names) == 2


def test_a_training_that_departs_from_the_paper_says_so(tmp_path: Path) -> None:
    deviations = {"epochs": {"paper": 3, "here": 2}, "rows": {"paper": 5000, "here": 100}}
    done = show(
        write_result(tmp_path / "a", solving(2), published_row="Vanilla LSTM", deviations=deviations),
        write_result(tmp_path / "b", solving(2), published_row="Vanilla LSTM"),
    )
    noted = [line.strip() for line in done.stdout.splitlines() if "not as in the paper" in line]
    assert noted == ["not as in the paper: epochs 2 instead of 3, rows 100 instead of 5000"]


def test_a_row_in_json_says_whose_it_is(tmp_path: Path) -> None:
    right = np.zeros((4, 200), bool)
    right[0] = True
    right[1, :198] = True
    right[2, :100] = True
    (board,) = boards(write_result(tmp_path / "a", right, model="mine"))
    assert {row["source"] for row in board["published"]} == {"Suzgun et al. 2019, Table 2"}
    (ours,) = board["ours"]
    assert ours["source"] == "ours"
    assert ours["sequence_accuracy"] == {"min": 0.0, "max": 1.0, "median": 0.745, "mean": 0.6225}
    assert (ours["runs"], ours["solved"]["runs"]) == (4, 2)
    assert ours["solved"]["value"] == 0.5


def test_the_table_fits_80_columns_at_its_widest(tmp_path: Path) -> None:
    """The longest names, 100 % everywhere, the widest interval of up to 700 runs, every remark."""
    results = [
        write_result(tmp_path / str(i), solving(runs), task="dyck6", model="a-model-with-a-very-long-name")
        for i, runs in enumerate((1, 700))
    ]
    done = show(*results)
    table = done.stdout.partition("\n\n")[2]
    assert max(len(line) for line in table.splitlines() if str(tmp_path) not in line) <= 80
    assert "ours: a-model-with-a-ver…  " in table
    assert "a-model-with-a-very-long-name (2): " in table


def test_every_result_has_a_label_of_its_own(tmp_path: Path) -> None:
    """Also where a model is called as a second one of a name would be."""
    names = ["mine", "mine (2)", "mine", "mine", "mine (2)"]
    results = [write_result(tmp_path / str(i), solving(1), model=name) for i, name in enumerate(names)]
    labels = ["mine", "mine (2)", "mine (3)", "mine (4)", "mine (2) (2)"]
    assert [row["label"] for row in boards(*results)[0]["ours"]] == labels


def test_results_on_different_strings_never_share_a_table(tmp_path: Path) -> None:
    results = [
        write_result(tmp_path / "a", solving(1)),
        write_result(tmp_path / "b", solving(1), law="uniform"),
        write_result(tmp_path / "c", solving(1), task="dyck3"),
        write_result(tmp_path / "d", solving(1), split="train"),
        write_result(tmp_path / "e", solving(1)),
    ]
    found = boards(*results)
    assert [[Path(row["folder"]).name for row in board["ours"]] for board in found] == [
        ["a", "e"],
        ["b"],
        ["c"],
        ["d"],
    ]
    train = found[3]["published"][1]["sequence_accuracy"]
    assert train == {"min": 0.3616, "max": 0.628, "median": 0.5324, "mean": 0.5238}


def test_a_task_is_chosen_and_its_published_rows_need_no_result(tmp_path: Path) -> None:
    two, three = (
        write_result(tmp_path / "a", solving(1)),
        write_result(tmp_path / "b", solving(1), task="dyck3"),
    )
    assert [board["task"]["name"] for board in boards(two, three, "--task", "dyck3")] == ["dyck3"]
    (board,) = boards("--task", "string-reversal")
    assert len(board["published"]) == 12
    assert not board["ours"]
    assert "three\nof 90 trials" in show("--task", "marked-palindrome").stdout
    assert "No published numbers for dyck1" in show("--task", "dyck1").stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Give a result folder"),
        (["--task", "dyk2"], "Did you mean dyck2"),
        (["nowhere"], "nowhere is not a folder"),
        (["RESULT", "--plot", "picture.gif"], "No picture can be written as picture.gif"),
        (["RESULT", "--plot", "no/such/folder/picture.svg"], "No such file"),
        (["--task", "dyck2", "--plot", "picture.png"], "--plot draws results"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_one_line(arguments: list[str], said: str, tmp_path: Path) -> None:
    result = write_result(tmp_path / "a", solving(1))
    done = show(*(str(result) if argument == "RESULT" else argument for argument in arguments))
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: ")
    assert len(done.stderr.splitlines()) == 1
    assert said in done.stderr


def test_solved_says_nothing_of_a_single_run(tmp_path: Path) -> None:
    one, many = write_result(tmp_path / "one", solving(1)), write_result(tmp_path / "many", solving(30))
    assert "olved" not in show(one).stdout.replace(str(tmp_path), "")
    table = show(one, many, "--format", "csv").stdout.splitlines()
    assert [line.rpartition(",")[2] for line in table if "ours" in line] == ["", "100 [89-100]"]
    of_one, of_many = (row["solved"] for row in boards(one, many)[0]["ours"])
    assert of_one == {"runs": 1}
    assert (of_many["runs"], of_many["value"], of_many["upper"]) == (30, 1, 1)
    assert of_many["lower"] == pytest.approx(1 / (1 + 1.96**2 / 30), abs=1e-4)  # Wilson's, of 30 in 30


def test_nearly_all_is_not_shown_as_all(tmp_path: Path) -> None:
    right = np.ones((1, 30_000), bool)
    right[0, 0] = False
    shown = show(write_result(tmp_path / "a", right)).stdout
    (ours,) = (line for line in shown.splitlines() if line.startswith("ours: mine"))
    assert ours.split()[2:] == ["1", *["99.997"] * 4]


LOST: dict[str, Any] = {"lost": 7}
FAILED: dict[str, Any] = {
    "audit": {
        "done": True,
        "checks": [
            {"name": "same answers alone", "passed": False, "detail": "3 of 64 differ"},
            {"name": "same answers twice", "passed": True, "detail": ""},
        ],
    }
}


@pytest.mark.parametrize("style", ["human", "markdown", "latex", "csv"])
def test_results_that_lack_answers_or_failed_their_audit_are_marked(style: str, tmp_path: Path) -> None:
    results = [
        write_result(tmp_path / "a", solving(2), model="lossy", **LOST),
        write_result(tmp_path / "b", solving(2), model="audited", **FAILED),
        write_result(tmp_path / "c", solving(2), model="clean"),
        write_result(tmp_path / "d", solving(2), model="both", **LOST, **FAILED),
    ]
    shown = show(*results, "--task", "dyck2", "--format", style).stdout
    published = len({mark for row in published_rows("dyck2") for mark in row.remarks})
    lost, failed = "¹²³⁴⁵"[published : published + 2]
    assert all(text in shown for text in (f"lossy {lost}", f"audited {failed}", f"both {lost}{failed}"))
    assert not any(f"clean {mark}" in shown for mark in "¹²³⁴")
    if style != "csv":
        assert shown.count(f"{lost} 7 strings lack answers and count as wrong.") == 1
        assert shown.count(f"{failed} Failed its audit: same answers alone.") == 1
    assert [(row["lost"], row["audit_failed"]) for row in boards(*results)[0]["ours"]] == [
        (7, []),
        (0, ["same answers alone"]),
        (0, []),
        (7, ["same answers alone"]),
    ]


def test_names_keep_to_their_cell_in_every_format(tmp_path: Path) -> None:
    """A model called as if it were further cells: the formats escape what would end one."""
    result = write_result(tmp_path / "a", solving(2), model="a|b,\\c&_<i>")
    row = next(line for line in show(result, "--format", "markdown").stdout.splitlines() if "ours" in line)
    assert r"ours: a\|b,\\c&_&lt;i>" in row
    assert row.replace(r"\|", "").count("|") == len(HEADERS) + 2
    (cells,) = (
        cells
        for cells in csv.reader(show(result, "--format", "csv").stdout.splitlines())
        if "ours" in cells[0]
    )
    assert cells[0] == "ours: a|b,\\c&_<i>"
    latex = next(line for line in show(result, "--format", "latex").stdout.splitlines() if "ours" in line)
    assert r"a|b,\textbackslash{}c\&\_\ensuremath{<}i\ensuremath{>}" in latex
