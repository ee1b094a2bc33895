"""The tasks of Bernardy 2018: the paper's counts and the forms of its test strings."""

import numpy as np
import pytest
from scipy import stats

from marnn_bench.errors import UsageError
from marnn_bench.generators.languages.dyck import Dyck
from marnn_bench.generators.strings import Strings
from marnn_bench.store.content import contents
from marnn_bench.task import Task
from marnn_bench.tasks.bernardy2018 import DYCK1_SHORT, DYCK5
from marnn_bench.tasks.registry import find_task


def test_without_end_the_same_is_asked_but_for_it() -> None:
    """After a string of the language any bracket may open, and nothing more is asked; its strings are drawn anew."""
    task = find_task("dyck5--no-end")
    assert task.columns == DYCK5.columns[:-1]
    assert task.splits == DYCK5.splits
    strings = Strings.from_texts(task.language.alphabet, ["( [ ] )"])
    end = 1 << len(task.columns)
    with_end, without = (view.answers(task.language, strings).tolist() for view in (DYCK5.view, task.view))
    assert [mask & end for mask in with_end] == [0, 0, 0, end]
    assert without == [mask & ~end for mask in with_end]


@pytest.mark.parametrize("name", ["dyck2--no-end", "anbn--no-end", "sequence-copy--no-end"])
def test_what_does_not_ask_for_end_cannot_leave_it_out(name: str) -> None:
    with pytest.raises(UsageError, match=r"has no END to be left out; --no-end is for next-symbol tasks"):
        find_task(name)


def strings_of(task: Task, split: str) -> Strings:
    content = contents(task)[split]
    strings = content.strings(0, len(content))
    assert task.language.accepts(strings).all()
    return strings


def texts_of(task: Task, split: str) -> list[str]:
    return strings_of(task, split).texts(task.language.alphabet)


def test_the_counts_of_the_paper() -> None:
    """Section 4: 625 and 6,917; section 5: 131,250 of length 10. Up to 10 there are 140,680, the empty string aside."""
    assert sum(Dyck(1).count(n) for n in range(1, 15)) == 625
    assert sum(Dyck(1).count(n) for n in range(1, 19)) == 6_917
    assert Dyck(5).count(10) == 131_250
    assert sum(Dyck(5).count(n) for n in range(1, 11)) == 140_680


def test_one_kind_of_brackets_is_trained_on_512_of_the_625_and_tested_on_all() -> None:
    train, unseen, test = (texts_of(DYCK1_SHORT, split) for split in ("train", "test_unseen", "test"))
    assert len(train) == len(set(train)) == 512
    assert max(map(len, train)) == 2 * 14 - 1
    assert len(test) == len(set(test)) == 6_917
    assert set(test) == set(train) | set(unseen)
    assert not set(train) & set(unseen)


def test_five_kinds_are_trained_on_strings_that_are_all_equally_likely() -> None:
    """Lengths in proportion to their numbers of strings; two strings in three are drawn about once."""
    strings = strings_of(DYCK5, "train")
    assert len(strings) == 102_400
    counts = np.bincount(strings.lengths, minlength=11)[2::2]
    ways = np.array([Dyck(5).count(n) for n in range(2, 11, 2)])
    assert stats.chisquare(counts, 102_400 * ways / ways.sum()).pvalue > 1e-4
    distinct = len(set(strings.texts(DYCK5.language.alphabet)))
    assert abs(distinct - 140_680 * (1 - np.exp(-102_400 / 140_680))) < 1_000


def test_long_distances_are_two_familiar_strings_in_a_pair_of_brackets() -> None:
    """o s1 s2 c with |s1| = |s2| = 8, each from a pool of 1,000 of its own; all kinds of brackets."""
    rows = np.array([string.tolist() for string in strings_of(DYCK5, "test_long")])
    assert rows.shape == (10_240, 18)
    assert (rows[:, 0] + 1 == rows[:, -1]).all()
    assert stats.chisquare(np.bincount(rows[:, 0], minlength=10)[::2]).pvalue > 1e-4
    pools = [rows[:, 1:9], rows[:, 9:17]]
    for pool in pools:
        assert Dyck(5).accepts(Strings(pool.ravel().astype(np.uint8), np.arange(len(pool) + 1) * 8)).all()
        assert 990 <= len(np.unique(pool, axis=0)) <= 1_000
    assert len(np.unique(np.concatenate(pools), axis=0)) > 1_500


def test_new_depths_are_a_familiar_string_in_five_pairs_of_brackets() -> None:
    """o^5 s c^5 with |s| = 10 from a pool of 1,000, so that depths above 5 occur, which no training string has."""
    strings = strings_of(DYCK5, "test_deep")
    rows = strings.ids.reshape(10_240, 20)
    assert (rows[:, :5] + 1 == rows[:, :14:-1]).all()
    assert (rows[:, :5] % 2 == 0).all()
    inner = np.ascontiguousarray(rows[:, 5:15])
    assert Dyck(5).accepts(Strings(inner.ravel(), np.arange(10_241) * 10)).all()
    assert 990 <= len(np.unique(inner, axis=0)) <= 1_000
    assert Dyck(5).depths(strings).max() == 10
    assert Dyck(5).depths(strings_of(DYCK5, "train")).max() == 5


@pytest.mark.parametrize("split", ["test_long", "test_deep"])
def test_no_string_of_a_test_is_there_twice_or_in_train(split: str) -> None:
    texts = texts_of(DYCK5, split)
    assert len(set(texts)) == len(texts) == 10_240
    assert not set(texts) & set(texts_of(DYCK5, "train"))


def test_pools_are_drawn_anew_for_every_split() -> None:
    law, draws = Dyck(5).law("enclosed"), np.arange(3_000, dtype=np.uint64)
    window = DYCK5.split("test_long").window
    first, second = (
        {string[1:9].tobytes() for string in law.draw(window, key, draws)}  # type: ignore[arg-type]
        for key in (1, 2)
    )
    assert len(first & second) < 300
