"""Shuffles of brackets: known counts, the counters of each kind, and the law beyond what can be enumerated."""

from math import comb

import numpy as np

from helpers.frequencies import assert_follows
from marnn_bench.generators.keys import derive_key
from marnn_bench.generators.languages.dyck import Dyck
from marnn_bench.generators.languages.shuffles import Shuffle
from marnn_bench.generators.strings import Strings
from marnn_bench.generators.window import Window

KEY = derive_key({"test": "shuffles"})


def test_two_kinds_of_brackets_are_shuffled_in_as_many_ways_as_catalan_numbers_say() -> None:
    """Closed walks in the quarter plane: Catalan(n) Catalan(n + 1) of length 2n."""
    catalan = [Shuffle(1).count(2 * n) for n in range(12)]
    assert [Shuffle(2).count(2 * n) for n in range(11)] == [catalan[n] * catalan[n + 1] for n in range(11)]


def test_the_trace_of_a_shuffle_counts_each_kind_alone() -> None:
    language = Shuffle(2)
    _, values = language.automaton.trace(Strings.from_texts(language.alphabet, ["( [ [ ) ] ]", "[ ( ] )"]))
    assert values[:, 0].tolist() == [1, 1, 1, 0, 0, 0, 0, 1, 1, 0]
    assert values[:, 1].tolist() == [0, 1, 2, 2, 1, 0, 1, 1, 0, 0]


def test_shuffles_share_their_brackets_as_the_counts_say() -> None:
    """Of two kinds and 40 brackets: C(40, 2i) Catalan(i) Catalan(20-i) strings have i pairs of the first kind."""
    rows = 20_000
    strings = Shuffle(2).law("uniform").draw(Window(40, 40), KEY, np.arange(rows, dtype=np.uint64))
    firsts = (strings.ids.reshape(rows, 40) == 0).sum(axis=1)
    ways = [float(Dyck(1).count(2 * i) * Dyck(1).count(40 - 2 * i) * comb(40, 2 * i)) for i in range(21)]
    assert_follows(np.bincount(firsts, minlength=21), rows * np.array(ways) / sum(ways))
