"""Distinct splits: first occurrences, in order, of all draws and only of them."""

import numpy as np
import pytest

from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.keys import Key
from marnn_bench.generators.languages.dyck import Dyck
from marnn_bench.generators.languages.palindromes import MarkedPalindromes
from marnn_bench.generators.sampling.distinct import MAX_DRAWS_PER_STRING, select_distinct
from marnn_bench.generators.strings import Strings
from marnn_bench.generators.window import Window

KEY, SHORT = Key(99), Window(2, 50)
DYCK2 = Dyck(2)
GRAMMAR = DYCK2.law("pcfg:p=1/2,q=1/4")


def test_the_selection_is_the_first_occurrences_in_the_order_of_the_draws() -> None:
    texts = GRAMMAR.draw(SHORT, KEY, np.arange(20_000, dtype=np.uint64)).texts(DYCK2.alphabet)
    first: dict[str, int] = {}
    for number, text in enumerate(texts):
        first.setdefault(text, number)
    chosen = select_distinct(DYCK2, GRAMMAR, SHORT, KEY, 5_000)
    assert chosen.draws.tolist() == list(first.values())[:5_000]
    assert chosen.tried == chosen.draws[-1] + 1
    assert len(chosen.enumerated) == 0


def test_a_longer_split_begins_with_the_shorter_one() -> None:
    few, many = (select_distinct(DYCK2, GRAMMAR, SHORT, KEY, rows).draws for rows in (700, 9_000))
    assert np.array_equal(few, many[:700])


def test_strings_of_an_earlier_split_are_left_out() -> None:
    earlier = GRAMMAR.draw(SHORT, KEY, select_distinct(DYCK2, GRAMMAR, SHORT, KEY, 1_000).draws)
    chosen = select_distinct(DYCK2, GRAMMAR, SHORT, Key(5), 1_000, [earlier])
    later = GRAMMAR.draw(SHORT, Key(5), chosen.draws)
    assert not set(later.texts(DYCK2.alphabet)) & set(earlier.texts(DYCK2.alphabet))


def test_all_strings_of_a_window_are_found_though_hardly_any_draw_gives_the_last_ones() -> None:
    language, window = Dyck(1), Window(2, 10)
    law = language.law("pcfg:p=1/100,q=1/100")
    chosen = select_distinct(language, law, window, KEY, 64)
    assert len(chosen.enumerated) > 50
    assert chosen.tried >= MAX_DRAWS_PER_STRING * 64
    found = Strings.concatenate([law.draw(window, KEY, chosen.draws), chosen.enumerated])
    assert sorted(tuple(row.tolist()) for row in found) == sorted(
        row for n in window for row in language.enumerate(n)
    )
    fewer = select_distinct(language, law, window, KEY, 40)
    assert fewer.enumerated.ids.tolist() == chosen.enumerated.take(range(len(fewer.enumerated))).ids.tolist()


def test_more_rows_than_strings_names_their_number() -> None:
    with pytest.raises(LanguageError, match="marked-palindrome has 12 strings in the window 2:5, not 13"):
        language = MarkedPalindromes()
        select_distinct(language, language.law("uniform"), Window(2, 5), KEY, 13)


def test_a_law_that_hardly_spreads_says_how_far_it_came() -> None:
    with pytest.raises(LanguageError, match="different strings of dyck2, not 200"):
        select_distinct(DYCK2, DYCK2.law("pcfg:p=1/1000,q=1/1000"), SHORT, KEY, 200)


def test_what_the_law_cannot_draw_is_not_enumerated() -> None:
    """With q = 0 there are only five strings of up to ten symbols, one inside the other."""
    language, window = Dyck(1), Window(2, 10)
    law = language.law("pcfg:p=1/2,q=0")
    assert len(select_distinct(language, law, window, KEY, 5).draws) == 5
    with pytest.raises(LanguageError, match="draws too few strings"):
        select_distinct(language, law, window, KEY, 6)


@pytest.mark.parametrize("rows", [10, 40, 59, 60, 63])
def test_a_longer_split_begins_with_the_shorter_one_near_exhaustion_too(rows: int) -> None:
    language, window = Dyck(1), Window(2, 10)
    law = language.law("pcfg:p=1/40,q=1/2")
    whole = select_distinct(language, law, window, Key(6), 64).strings
    part = select_distinct(language, law, window, Key(6), rows).strings
    assert whole is not None
    assert part is not None
    assert part.ids.tolist() == whole.slice(0, rows).ids.tolist()


@pytest.mark.parametrize("rows", [1, 1_500, 70_000])
def test_any_number_of_threads_selects_the_same(rows: int) -> None:
    one, three = (select_distinct(DYCK2, GRAMMAR, Window(52, 100), KEY, rows, workers=n) for n in (1, 3))
    assert np.array_equal(one.draws, three.draws)
    assert (one.tried, len(one.enumerated)) == (three.tried, len(three.enumerated))
