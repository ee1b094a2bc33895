"""Recognition splits: right labels, no string twice, kinds in turn, an order that tells nothing, and shortcuts."""

import re
import tracemalloc
from collections import Counter, defaultdict
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from marnn_bench.errors import UsageError
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.keys import derive_key
from marnn_bench.generators.language import Language
from marnn_bench.generators.languages.counter_languages import anbn
from marnn_bench.generators.languages.dyck import Dyck
from marnn_bench.generators.languages.even_palindromes import EvenPalindromes
from marnn_bench.generators.sampling.negatives import kinds_of, make_negatives
from marnn_bench.generators.sampling.recognition import (
    MAX_ATTEMPTS,
    RecognitionRows,
    balanced_weights,
    recognition_rows,
)
from marnn_bench.generators.strings import Strings
from marnn_bench.generators.window import Window
from marnn_bench.recognition import as_recognition
from marnn_bench.scoring.shortcuts import shortcuts
from marnn_bench.task import Task
from marnn_bench.tasks.mali2019 import TASKS
from marnn_bench.tasks.registry import find_task

KEY = derive_key({"test": "recognition"})
DYCK1, DYCK2, PALINDROMES, ANBN = Dyck(1), Dyck(2), EvenPalindromes(), anbn("length")
LONG = Window(52, 100)


def rows_of(language: Language, window: Window, rows: int, **options: object) -> RecognitionRows:
    return recognition_rows(language, language.law("uniform"), window, KEY, rows, rows, **options)  # type: ignore[arg-type]


def texts(rows: RecognitionRows, language: Language) -> list[str]:
    return rows.strings.texts(language.alphabet)


# -- labels


def is_nested(text: str) -> bool:
    while (shorter := re.sub(r"\(\)|\[\]", "", text)) != text:
        text = shorter
    return not text


def is_sum(text: str) -> bool:
    blocks = re.fullmatch("(a+)(b+)(c+)", text)
    return bool(blocks) and len(blocks[1]) == len(blocks[2]) + len(blocks[3])


def are_mirrored(text: str) -> bool:
    blocks = re.fullmatch("(a+)(b+)c(b+)(a+)", text)
    return bool(blocks) and len(blocks[1]) == len(blocks[2]) and len(blocks[3]) == len(blocks[4])


MEMBERS: dict[str, Callable[[str], bool]] = {
    "anbn-recognition": lambda text: text == "a" * (len(text) // 2) + "b" * (len(text) // 2),
    "anbncbmam-recognition": are_mirrored,
    "unary-addition-recognition": is_sum,
    "dyck1-recognition": is_nested,
    "marked-palindrome-recognition": lambda text: text == text[::-1] and re.fullmatch("[abc]*#[abc]*", text) is not None,
    "palindrome-recognition": lambda text: text == text[::-1] and len(text) % 2 == 0,
    "dyck2-recognition": is_nested,
}  # fmt: skip


def task_rows(task: Task, split: str, rows: int, exclude: list[Strings]) -> RecognitionRows:
    return recognition_rows(
        task.language,
        task.law(split),
        task.split(split).window,
        task.key(split),
        rows,
        rows,
        task.view.negatives,  # type: ignore[union-attr]
        exclude,
    )


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_the_labels_of_mali_2019_are_those_of_the_definitions(task: Task) -> None:
    """In every split, of which no two share a string and none has one twice, nor the empty one."""
    seen: list[Strings] = []
    for split, window in task.splits.items():
        rows = task_rows(task, split, 200, seen)
        spelt = [text.replace(" ", "") for text in texts(rows, task.language)]
        assert [MEMBERS[task.name](text) for text in spelt] == rows.label.tolist()
        assert all(1 <= len(text) <= window.window.high for text in spelt)
        seen.append(rows.strings)
    everything = Strings.concatenate(seen).texts(task.language.alphabet)
    assert len(set(everything)) == len(everything)


@pytest.mark.parametrize("language", [DYCK2, PALINDROMES, ANBN], ids=lambda x: x.name)
def test_long_members_are_accepted(language: Language) -> None:
    strings = language.law("uniform").draw(Window(1, 960), KEY, np.arange(200, dtype=np.uint64))
    assert language.accepts(strings).all()


# -- rows


@pytest.mark.parametrize("language", [DYCK1, DYCK2], ids=lambda x: x.name)
def test_half_of_the_rows_are_members_and_the_kinds_have_equal_shares(language: Language) -> None:
    rows = rows_of(language, LONG, 1_000)
    assert len(rows) == 2_000
    assert np.bincount(rows.negative).tolist() == [1_000, 200, 200, 200, 200, 200]
    assert (rows.label == (rows.negative == 0)).all()
    assert set(rows.skipped.values()) == {0}


def test_each_member_is_the_source_of_one_negative_beside_it() -> None:
    rows = rows_of(DYCK2, LONG, 500)
    lengths, here = rows.strings.lengths, np.arange(len(rows))
    assert (rows.source[rows.label] == here[rows.label]).all()
    assert (rows.source[~rows.label] // 2 == here[~rows.label] // 2).all()
    assert rows.label[rows.source].all()
    assert (lengths == lengths[rows.source]).all()


def test_edits_are_the_distance_to_the_source() -> None:
    rows = rows_of(DYCK2, Window(2, 40), 300)
    assert not rows.edits[rows.label].any()
    for kind, edits in (("swap", {2}), ("guided", {1}), ("edit", set(range(1, 9)))):
        assert set(rows.edits[rows.negative == 1 + rows.kinds.index(kind)].tolist()) <= edits
    assert rows.edits[~rows.label].min() == 1


@settings(max_examples=15)
@given(st.integers(1, 200), st.integers(0, 200), st.sampled_from([DYCK1, DYCK2, PALINDROMES]))
def test_a_longer_split_begins_with_the_shorter_one(few: int, more: int, language: Language) -> None:
    """Though negatives of short strings are often there already and are made again."""
    window = Window(2, 20)
    shorter, longer = rows_of(language, window, few), rows_of(language, window, few + more)
    assert texts(shorter, language) == texts(longer, language)[: len(shorter)]
    for column in ("label", "negative", "edits", "source"):
        assert np.array_equal(getattr(shorter, column), getattr(longer, column)[: len(shorter)])


def test_the_order_of_the_rows_tells_nothing_of_their_labels() -> None:
    """Every beginning is balanced to one row; of each pair either may come first, whatever came first before."""
    label = rows_of(DYCK2, LONG, 4_000).label
    assert (label[::2] != label[1::2]).all()
    member_first = label[::2].astype(int)
    assert stats.binomtest(int(member_first.sum()), 4_000).pvalue > 1e-4
    assert stats.binomtest(int((member_first[1:] == member_first[:-1]).sum()), 3_999).pvalue > 1e-4
    for kind in range(5):
        assert stats.binomtest(int(member_first[kind::5].sum()), 800).pvalue > 1e-4


def test_nothing_is_there_twice_nor_in_an_earlier_split() -> None:
    earlier = [rows_of(PALINDROMES, Window(2, 14), 100).strings]
    rows = rows_of(PALINDROMES, Window(2, 16), 150, exclude=earlier)
    spelt, before = texts(rows, PALINDROMES), earlier[0].texts(PALINDROMES.alphabet)
    assert len(set(spelt)) == len(spelt)
    assert not set(spelt) & set(before)


def test_a_window_that_earlier_splits_have_used_up_is_refused() -> None:
    everything = Strings.from_ids(DYCK1.alphabet, [*DYCK1.enumerate(2), *DYCK1.enumerate(4)])
    with pytest.raises(LanguageError, match="dyck1: other splits have all strings of the window 2:5"):
        rows_of(DYCK1, Window(2, 5), 1, exclude=[everything])


def test_slots_are_filled_as_if_one_after_the_other() -> None:
    """The same negatives, and the same counts of what was skipped and repeated, as by the plainest loop."""
    kinds = ("swap", "permuted", "random")
    rows = rows_of(PALINDROMES, Window(2, 8), 20, kinds=kinds)
    members = rows.strings.take(np.sort(rows.source[rows.label]))
    found, seen = [], set()
    skipped, repeated = dict.fromkeys(kinds, 0), 0
    for slot in range(20):
        for time in range(MAX_ATTEMPTS):
            draw = np.array([time << 32 | slot], np.uint64)
            for step in range(len(kinds)):
                kind = kinds[(slot + time + step) % len(kinds)]
                made = make_negatives(PALINDROMES, kind, members.take([slot]), KEY, draw)
                if len(made.rows):
                    break
                skipped[kind] += 1
            (text,) = made.strings.texts(PALINDROMES.alphabet)
            if text not in seen:
                seen.add(text)
                found.append((text, kind))
                break
            repeated += 1
    negatives = [
        (text, kinds[code - 1])
        for text, code, source in sorted(
            zip(texts(rows, PALINDROMES), rows.negative, rows.source, strict=True), key=lambda row: row[2]
        )
        if code
    ]
    assert negatives == found
    assert (dict(rows.skipped), rows.repeated) == (skipped, repeated)
    assert repeated > 0
    assert skipped["swap"] > 0
    assert skipped["permuted"] > 0


def test_kinds_that_cannot_be_leave_their_turns_to_the_next() -> None:
    """Of palindromes nothing is guided: all its turns are skipped, and random, the next kind, takes them."""
    rows = rows_of(PALINDROMES, LONG, 400, kinds=("edit", "guided", "random", "swap"))
    assert dict(rows.skipped) == {"edit": 0, "guided": 100, "random": 0, "swap": 0}
    assert np.bincount(rows.negative).tolist() == [400, 100, 0, 200, 100]


def test_a_language_without_negatives_gives_members_alone() -> None:
    letter = EvenPalindromes(("a",))
    rows = rows_of(letter, Window(2, 8), 4)
    assert rows.label.tolist() == [True] * 4
    assert dict(rows.skipped) == dict.fromkeys(kinds_of(letter), 4)


# -- exhaustive splits


def test_a_thin_split_has_every_member_and_equally_many_negatives_of_each_length() -> None:
    """a^n b^n up to 30: 15 members; 600 negatives are 40 of each length, but 3 of length 2 and at most 15 of 4."""
    rows = rows_of(ANBN, Window(1, 30), 600)
    lengths = rows.strings.lengths
    assert sorted(lengths[rows.label].tolist()) == [*range(2, 31, 2)]
    negatives = Counter(lengths[~rows.label].tolist())
    assert negatives[2] == 3
    assert 8 <= negatives[4] <= 15
    assert all(negatives[length] == 40 for length in range(8, 31, 2))


def test_the_members_of_a_length_take_turns() -> None:
    rows = rows_of(DYCK1, Window(8, 8), 20)
    sources = Counter(rows.source[~rows.label].tolist())
    assert rows.label.sum() == len(sources) == DYCK1.count(8)
    assert set(sources.values()) == {1, 2}


def test_members_of_thin_splits_lie_anywhere_among_their_share_of_negatives() -> None:
    """15 members in 615 rows: one in each fifteenth, and at the head of none in particular."""
    rows = rows_of(ANBN, Window(200, 228), 600)
    places = np.flatnonzero(rows.label) * 15 / len(rows)
    assert (np.abs(places - np.arange(15) - 0.5) <= 0.51).all()
    assert (places % 1).std() > 0.15


def test_cell_weights_make_lengths_and_classes_count_alike() -> None:
    rows = rows_of(ANBN, Window(1, 30), 600)
    weights = balanced_weights(rows.strings.lengths, rows.label)
    cells: dict[tuple[int, bool], float] = defaultdict(float)
    for length, label, weight in zip(rows.strings.lengths, rows.label, weights, strict=True):
        cells[length, label] += weight
    assert len(cells) == 30
    assert np.allclose([*cells.values()], 1 / 30)


# -- shortcuts


@pytest.mark.parametrize("language", [DYCK1, PALINDROMES, ANBN], ids=lambda x: x.name)
def test_length_tells_nothing_and_counts_nothing_of_swaps_and_permutations(language: Language) -> None:
    report = shortcuts(rows_of(language, Window(2, 60), 800))
    assert {things["length"] for things in report.values()} == {0.5}
    assert report["swap"]["symbol counts"] == report["permuted"]["symbol counts"] == 0.5
    assert all(0.5 <= accuracy <= 1 for things in report.values() for accuracy in things.values())


def test_shortcuts_are_the_best_that_a_table_can_do() -> None:
    """Against tables kept in dictionaries."""
    rows = rows_of(DYCK1, Window(2, 12), 60)
    spelt = [text.split() for text in texts(rows, DYCK1)]
    looks: dict[str, Callable[[list[str]], object]] = {
        "length": len,
        "first symbol": lambda text: text[0],
        "last symbol": lambda text: text[-1],
        "symbol counts": lambda text: tuple(sorted(Counter(text).items())),
    }
    for kind, things in shortcuts(rows).items():
        made = [i for i in np.flatnonzero(~rows.label) if kind in ("all", rows.kinds[rows.negative[i] - 1])]
        for thing, look in looks.items():
            table: dict[object, Counter[bool]] = defaultdict(Counter)
            for i in made:
                table[look(spelt[i])][False] += 1
                table[look(spelt[rows.source[i]])][True] += 1
            assert things[thing] == sum(max(cell.values()) for cell in table.values()) / (2 * len(made))


def test_one_wrong_symbol_changes_the_counts() -> None:
    """The opening brackets of dyck1 are half of its symbols: after one substitution they are not."""
    assert shortcuts(rows_of(DYCK1, LONG, 400))["guided"]["symbol counts"] == 1


def test_other_exponents_are_seen_by_no_envelope_and_by_counting() -> None:
    report = shortcuts(rows_of(ANBN, Window(40, 100), 200, kinds=("random", "blocks")), ANBN.envelope)
    assert report["blocks"] == {
        "length": 0.5,
        "first symbol": 0.5,
        "last symbol": 0.5,
        "symbol counts": 1.0,
        "regular envelope": 0.5,
    }
    assert report["random"]["regular envelope"] == 1


# -- tasks


def test_a_next_symbol_task_can_be_asked_as_recognition() -> None:
    task = find_task("dyck2")
    asked = as_recognition(task)
    assert asked.name == "dyck2--recognition"
    assert asked.view.name == "recognition"
    assert asked.splits == task.splits
    assert asked.columns == ("member",)
    assert asked.key("train") != task.key("train")
    with pytest.raises(UsageError, match="string-reversal is asked by synchronous"):
        as_recognition(find_task("string-reversal"))


@pytest.mark.parametrize("name", ["anbncn", "unary-multiplication"])
def test_blocks_asked_as_recognition_have_negatives_with_other_exponents(name: str) -> None:
    """Which their first version had not."""
    asked = find_task(f"{name}--recognition")
    assert (find_task(name).version, asked.version) == ("1.0", "2.0")
    assert find_task("dyck2--recognition").version == "1.0"
    rows = recognition_rows(asked.language, asked.law("test"), Window(9, 40), KEY, 60, 60)
    made = rows.strings.take(np.flatnonzero(rows.negative == 1 + rows.kinds.index("blocks")))
    assert len(made) >= 9
    assert all(re.fullmatch("a+b+c+", text.replace(" ", "")) for text in made.texts(asked.language.alphabet))


def test_strings_of_960_symbols_take_no_large_tables() -> None:
    """Members, negatives, labels and distances of 400 rows, in less than 32 MB."""
    (task,) = (task for task in TASKS if task.name == "dyck2-recognition")
    task_rows(task, "test_960", 10, [])
    tracemalloc.start()
    task_rows(task, "test_960", 200, [])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 32e6
