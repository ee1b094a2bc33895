"""Copying, reversal and bigram flipping against Python's own words for them; the five tasks of Grefenstette et al. 2015."""

from itertools import product
from math import log

import numpy as np
import pytest
from scipy import stats

from helpers.brute_force import members
from helpers.frequencies import assert_drawn
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.keys import derive_key
from marnn_bench.generators.languages.copying import BigramFlip, Rearrangement, SequenceCopy, SequenceReversal
from marnn_bench.generators.strings import Strings
from marnn_bench.generators.window import Window
from marnn_bench.tasks.grefenstette2015 import TASKS
from marnn_bench.views import Transduce

KEY = derive_key({"test": "copying"})


def flipped(source: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(symbol for i in range(0, len(source), 2) for symbol in (source[i + 1], source[i]))


DEFINITIONS = {
    SequenceCopy: lambda source: source,
    SequenceReversal: lambda source: source[::-1],
    BigramFlip: flipped,
}
every_kind = pytest.mark.parametrize("kind", DEFINITIONS, ids=lambda kind: kind().name)


@every_kind
def test_every_short_source_has_the_target_of_the_definition(kind: type[Rearrangement]) -> None:
    """All strings over three symbols up to length 7: membership, numbers, targets."""
    language = kind(3)
    rows = [row for n in range(8) for row in product(range(3), repeat=n)]
    strings = Strings.from_ids(language.alphabet, rows)
    members = [row for row in rows if kind is not BigramFlip or len(row) % 2 == 0]
    accepted = language.accepts(strings)
    assert [row for row, member in zip(rows, accepted, strict=True) if member] == members
    assert [row for n in range(8) for row in language.enumerate(n)] == members
    assert [language.count(n) for n in range(8)] == [sum(len(row) == n for row in members) for n in range(8)]
    targets = language.transduce(strings.take(accepted))
    assert [tuple(target.tolist()) for target in targets] == [DEFINITIONS[kind](row) for row in members]


@every_kind
@pytest.mark.parametrize("window", [Window(8, 64), Window(65, 128)], ids=str)
def test_drawn_sources_are_uniform_and_rightly_translated(kind: type[Rearrangement], window: Window) -> None:
    """128 symbols; lengths, symbols and the symbols of one place are uniform, lengths over those that exist."""
    language, rows = kind(), 20_000
    law = language.law("uniform")
    sources = law.draw(window, KEY, np.arange(rows, dtype=np.uint64))
    for source, target in zip(
        sources.take(range(200)), language.transduce(sources.take(range(200))), strict=True
    ):
        assert tuple(target.tolist()) == DEFINITIONS[kind](tuple(source.tolist()))
    lengths = language.sizes(window)
    assert lengths == [n for n in window if kind is not BigramFlip or n % 2 == 0]
    for values, options in (
        (sources.lengths, lengths),
        (sources.ids, range(128)),
        (sources.ids[sources.offsets[:-1] + 5], range(128)),
    ):
        observed = np.bincount(values, minlength=129)[[*options]]
        assert observed.sum() == len(values)
        assert stats.chisquare(observed).pvalue > 1e-4
    expected = -log(len(lengths)) - sources.lengths * log(128)
    assert np.allclose(law.log_prob(sources, window), expected, rtol=1e-12)


def test_small_sources_follow_the_law() -> None:
    language, window = SequenceReversal(2), Window(1, 5)
    law, everything = language.law("uniform"), members(language, window)
    drawn = law.draw(window, KEY, np.arange(62_000, dtype=np.uint64))
    assert_drawn(drawn, everything, np.exp(law.log_prob(everything, window)))


@every_kind
def test_all_that_is_read_is_owed(kind: type[Rearrangement]) -> None:
    language = kind(3)
    strings = Strings.from_texts(language.alphabet, ["s1 s2 s3 s1", "", "s2 s2"])
    assert language.depths(strings).tolist() == [1, 2, 3, 4, 1, 2]


def test_there_are_no_next_symbol_sets_and_no_alphabet_without_symbols() -> None:
    with pytest.raises(LanguageError, match="sequence-copy is asked for targets"):
        SequenceCopy().show_next("s1")
    with pytest.raises(LanguageError, match="bigram-flip needs at least one symbol, not 0"):
        BigramFlip(0)
    with pytest.raises(LanguageError, match=r"bigram-flip has no strings in the window 65:65\. Try 65:66"):
        BigramFlip().law("uniform").draw(Window(65, 65), KEY, np.arange(1, dtype=np.uint64))


# -- the tasks


def test_the_tasks_are_those_of_the_paper() -> None:
    """Section 4 and table 2: 8-64 to train, 1,000 sources of 65-128 to test; 128, 100 and 104 symbols. Two of ours have 16."""
    assert [task.name for task in TASKS] == [
        "sequence-copy",
        "sequence-reversal",
        "bigram-flip",
        "svo-sov",
        "gender",
        "sequence-copy-16",
        "sequence-reversal-16",
    ]
    assert [len(task.language.alphabet) for task in TASKS] == [128, 128, 128, 100, 104, 16, 16]
    for task in TASKS:
        assert task.view == Transduce()
        assert task.columns[-1] == "END"
        assert [(name, split.rows, str(split.window)) for name, split in task.splits.items()] == [
            ("train", "fresh", "8:64"), ("test_short", 1_000, "8:64"), ("test", 1_000, "65:128"),
        ]  # fmt: skip
        assert (
            task.law("train").spec
            == task.law("test").spec
            == ("itg" if task.name in ("svo-sov", "gender") else "uniform")
        )
