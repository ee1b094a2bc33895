"""The wrong strings of a report: which are shown, and what stands beside each symbol."""

from pathlib import Path

import numpy as np
import pytest

from helpers.synthetic_results import strings, write_result
from marnn_bench.leaderboard.report.mistakes import NOT_ASKED, find_mistakes
from marnn_bench.tasks.registry import find_task


def one_wrong(folder: Path, task: str, rows: int, wrong: int) -> Path:
    """A result of one run that has one string wrong."""
    split = next(name for name in find_task(task).splits if name.startswith("test"))
    right = np.ones(len(strings(task, split, rows)[0]), bool)
    right[wrong] = False
    return write_result(folder, right, task=task, split=split)


@pytest.mark.parametrize("task", ["dyck2", "dyck6", "string-reversal"])
def test_of_a_set_the_first_wrong_answer_is_marked(task: str, tmp_path: Path) -> None:
    found = find_mistakes(one_wrong(tmp_path / "result", task, 40, 7), run=0)
    assert (found.wrong, [mistake.row for mistake in found.shown]) == (1, [7])
    (mistake,) = found.shown
    assert [place.wrong for place in mistake.places].index(True) == 0  # where `write_result` answers wrong
    assert mistake.places[0].right != mistake.places[0].answered
    assert all(place.right == place.answered for place in mistake.places[1:])
    assert mistake.text.split()[: len(mistake.places)] == [place.symbol for place in mistake.places]


def test_of_a_transduction_output_and_target_are_compared(tmp_path: Path) -> None:
    found = find_mistakes(one_wrong(tmp_path / "result", "sequence-copy", 20, 3), run=0)
    (mistake,) = found.shown
    target = [place.right for place in mistake.places]
    assert target == mistake.text.split()[: len(target)]
    assert mistake.places[0].wrong


def test_of_recognition_the_truth_and_the_probability_are_said(tmp_path: Path) -> None:
    folder = one_wrong(tmp_path / "result", "dyck2--recognition", 40, 5)
    (mistake,) = find_mistakes(folder, run=0).shown
    label = bool(strings("dyck2--recognition", "test", 40)[0].label[5])
    assert mistake.said.startswith("a member" if label else "no member (")
    assert not mistake.places


def test_only_what_counts_is_compared(tmp_path: Path) -> None:
    """Joulin & Mikolov 2015 score what follows from the string alone: not the first half of a^n b^n."""
    task = "anbn"
    found = find_mistakes(one_wrong(tmp_path / "result", task, 0, 3), run=0)
    (mistake,) = found.shown
    asked = [place for place in mistake.places if place.right != NOT_ASKED]
    assert asked and len(asked) < len(mistake.places)
    assert all(place.answered == NOT_ASKED for place in mistake.places if place not in asked)


def test_the_shortest_are_shown(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "result", np.zeros(60), task="dyck2")
    found = find_mistakes(folder, run=0)
    lengths = strings("dyck2", "test", 60)[0].strings.lengths
    assert found.wrong == 60
    assert [mistake.length for mistake in found.shown] == sorted(lengths.tolist())[:10]


def test_where_nothing_is_wrong_nothing_is_shown(tmp_path: Path) -> None:
    found = find_mistakes(write_result(tmp_path / "result", np.ones(20)), run=0)
    assert (found.wrong, found.strings, found.shown) == (0, 20, ())
