"""Negatives: no members, of their source's length, by the law of their kind; and the distances that go with them."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from helpers.definitions import DEFINITIONS, Definition
from helpers.edit_distance import edit_distance
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.keys import Key, derive_key
from marnn_bench.generators.language import Language
from marnn_bench.generators.languages.counter_languages import anbn, anbncbmam, unary_addition_nm
from marnn_bench.generators.languages.dyck import Dyck
from marnn_bench.generators.languages.even_palindromes import EvenPalindromes
from marnn_bench.generators.languages.regular import Regular
from marnn_bench.generators.sampling.edits import levenshtein
from marnn_bench.generators.sampling.negatives import KINDS, Negatives, kinds_of, make_negatives
from marnn_bench.generators.strings import Strings
from marnn_bench.generators.window import Window

KEY = derive_key({"test": "negatives"})
SCARCE = (EvenPalindromes, Regular)
"""Where some kind of negatives is rare or does not exist at all."""
SMALL = [
    d
    for d in DEFINITIONS
    if len(d.language.alphabet) <= 7 and d.language.measure == "length" and not isinstance(d.language, SCARCE)
]
MANY = EvenPalindromes(tuple(f"x{i}" for i in range(300)))
LONG = (Dyck(2), EvenPalindromes(), MANY)
every_kind = pytest.mark.parametrize("kind", KINDS)
Word = tuple[int, ...]


def numbers(rows: int) -> np.ndarray:
    return np.arange(rows, dtype=np.uint64)


def members(language: Language, window: Window, rows: int) -> Strings:
    return language.law("uniform").draw(window, KEY, numbers(rows))


def words(strings: Strings) -> list[Word]:
    return [tuple(string.tolist()) for string in strings]


def pairs(sources: Strings, made: Negatives) -> Iterator[tuple[Word, Word]]:
    return zip(words(sources.take(made.rows)), words(made.strings), strict=True)


# -- what a negative is


@pytest.mark.parametrize(
    ("definition", "kind"),
    [pytest.param(d, kind, id=f"{d.name} {kind}") for d in SMALL for kind in kinds_of(d.language)],
)
def test_negatives_are_no_members_and_as_long_as_their_source(definition: Definition, kind: str) -> None:
    language, symbols = definition.language, definition.language.alphabet.symbols
    sources = members(language, Window(1, 16), 150)
    made = make_negatives(language, kind, sources, KEY, numbers(150))
    assert len(made.rows) > 100
    assert (np.diff(made.rows) > 0).all()
    for source, negative in pairs(sources, made):
        assert len(negative) == len(source)
        assert not definition.member(tuple(symbols[i] for i in negative))


@pytest.mark.parametrize("language", LONG, ids=lambda x: f"{x.name} {len(x.alphabet)}")
def test_long_negatives_are_rejected_by_the_automaton(language: Language) -> None:
    sources = members(language, Window(200, 300), 100)
    for kind in set(kinds_of(language)) - {"guided"}:
        made = make_negatives(language, kind, sources, KEY, numbers(100))
        assert len(made.rows) == 100
        assert not language.accepts(made.strings).any()
        assert np.array_equal(made.strings.offsets, sources.offsets)


@pytest.mark.parametrize("kind", ["swap", "permuted"])
@pytest.mark.parametrize("definition", SMALL, ids=lambda d: d.name)
def test_swaps_and_permutations_keep_the_count_of_every_symbol(definition: Definition, kind: str) -> None:
    sources = members(definition.language, Window(1, 30), 200)
    made = make_negatives(definition.language, kind, sources, KEY, numbers(200))
    for source, negative in pairs(sources, made):
        assert Counter(source) == Counter(negative)
        if kind == "swap":
            assert sum(a != b for a, b in zip(source, negative, strict=True)) == 2


@pytest.mark.parametrize("definition", SMALL, ids=lambda d: d.name)
def test_a_guided_negative_dies_at_its_one_wrong_symbol(definition: Definition) -> None:
    symbols = definition.language.alphabet.symbols
    sources = members(definition.language, Window(2, 16), 150)
    made = make_negatives(definition.language, "guided", sources, KEY, numbers(150))
    for source, negative in pairs(sources, made):
        (wrong,) = (i for i, (a, b) in enumerate(zip(source, negative, strict=True)) if a != b)
        prefix = tuple(symbols[i] for i in negative[: wrong + 1])
        assert definition.completion(prefix[:-1]) is not None
        assert definition.completion(prefix) is None


BLOCKS = {
    "anbn": "a+b+",
    "anbncbmam": "a+b+cb+a+",
    "unary-addition-nm": "a+b+c+",
    "unary-multiplication": "a+b+c+",
}


@pytest.mark.parametrize("definition", [d for d in SMALL if d.language.outline], ids=lambda d: d.name)
def test_blocks_are_all_strings_with_the_blocks_of_the_members_that_are_none(definition: Definition) -> None:
    """Found among 3,000 of each length: every such string that there is, and no other."""
    language, letters = definition.language, definition.language.alphabet.symbols
    for length in range(10):
        expected = {
            word
            for word in map("".join, product(letters, repeat=length))
            if re.fullmatch(BLOCKS[language.name], word) and not definition.member(tuple(word))
        }
        if language.count(length):
            sources = members(language, Window(length, length), 3_000)
            made = make_negatives(language, "blocks", sources, KEY, numbers(3_000)).strings
            assert {text.replace(" ", "") for text in made.texts(language.alphabet)} == expected


# -- laws of the kinds, on one member, against all that can be proposed


def proposals(kind: str, source: Word, symbols: int) -> Iterator[tuple[Word, Fraction]]:
    """Everything that the kind's definition proposes for a member, with its probability."""
    places = range(len(source))
    if kind == "random":
        for word in product(range(symbols), repeat=len(source)):
            yield word, Fraction(1, symbols ** len(source))
    elif kind == "permuted":
        for order in permutations(source):
            yield order, Fraction(1)
    elif kind == "swap":
        for here in places:
            others = [there for there in places if source[there] != source[here]]
            for there in others:
                word = list(source)
                word[here], word[there] = word[there], word[here]
                yield tuple(word), Fraction(1, len(others))
    elif kind == "edit":
        for place in places:
            for symbol in set(range(symbols)) - {source[place]}:
                yield (*source[:place], symbol, *source[place + 1 :]), Fraction(1, len(source))


@pytest.mark.parametrize("kind", ["random", "permuted", "swap"])
@pytest.mark.parametrize(
    ("language", "text"), [(Dyck(1), "( ( ) )"), (Dyck(2), "( [ ] )"), (EvenPalindromes(), "a b b a")]
)
def test_a_negative_has_the_law_of_its_proposals_given_that_they_are_no_members(
    language: Language, text: str, kind: str
) -> None:
    """Chi-square of 20,000 negatives of one member."""
    (source,) = words(Strings.from_texts(language.alphabet, [text]))
    law: Counter[Word] = Counter()
    for word, probability in proposals(kind, source, len(language.alphabet)):
        law[word] += probability  # type: ignore[assignment]
    rejected = [w for w in law if not language.accepts(Strings.from_ids(language.alphabet, [w])).any()]
    assert_frequencies(language, kind, source, {word: law[word] for word in rejected})


def test_an_edit_has_the_law_of_its_distance_and_then_of_its_proposals() -> None:
    """( ( ) ) is at distance 1 or 2 from its negatives; at 2 they are two substitutions, or a deletion and insertion."""
    source, places = (0, 0, 1, 1), range(4)
    substituted: Counter[Word] = Counter()
    for here, there in combinations(places, 2):
        substituted[tuple(symbol ^ (i in (here, there)) for i, symbol in enumerate(source))] += 1
    shifted: Counter[Word] = Counter()
    for gone, here, symbol in product(places, places, (0, 1)):
        left = [*source[:gone], *source[gone + 1 :]]
        shifted[(*left[:here], symbol, *left[here:])] += 1
    members = {(0, 0, 1, 1), (0, 1, 0, 1)}
    second = {
        word: Fraction(substituted[word], 6) + Fraction(shifted[word], 32)
        for word in substituted | shifted
        if word not in members and edit_distance(source, word) == 2
    }
    first = dict(proposals("edit", source, 2))
    law = {word: probability / sum(first.values()) for word, probability in first.items()}
    law |= {word: probability / sum(second.values()) for word, probability in second.items()}
    assert_frequencies(Dyck(1), "edit", source, law)


def test_a_guided_negative_takes_any_place_and_then_any_symbol_that_is_illegal() -> None:
    """In [ ] ( ) a closing bracket is illegal at depth 0, and so is the one that does not match at depth 1."""
    illegal = [(1, 3), (1,), (1, 3), (3,)]
    law = {}
    for place, wrong in enumerate(illegal):
        for symbol in wrong:
            word = [2, 3, 0, 1]
            word[place] = symbol
            law[tuple(word)] = Fraction(1, len(wrong))
    assert_frequencies(Dyck(2), "guided", (2, 3, 0, 1), law)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        (anbn("length"), "a " * 5 + "b " * 5),
        (anbncbmam(), "a b c b b a a"),
        (unary_addition_nm(), "a a a a b b b c"),
    ],
    ids=lambda x: getattr(x, "name", ""),
)
def test_blocks_are_all_equally_likely(language: Language, text: str) -> None:
    (source,) = words(Strings.from_texts(language.alphabet, [text]))
    law = {
        word: Fraction(1)
        for word in product(range(len(language.alphabet)), repeat=len(source))
        if re.fullmatch(BLOCKS[language.name], "".join(language.alphabet.symbols[i] for i in word))
        and not language.accepts(Strings.from_ids(language.alphabet, [word])).any()
    }
    assert len(law) >= 8
    assert_frequencies(language, "blocks", source, law)


def assert_frequencies(language: Language, kind: str, source: Word, law: dict[Word, Fraction]) -> None:
    rows = 20_000
    sources = Strings.from_ids(language.alphabet, [source] * rows)
    found = Counter(words(make_negatives(language, kind, sources, KEY, numbers(rows)).strings))
    assert found.keys() <= law.keys()
    assert found.total() == rows
    expected = [float(probability / sum(law.values())) * rows for probability in law.values()]
    assert stats.chisquare([found[word] for word in law], expected).pvalue > 1e-4


@pytest.mark.parametrize("language", [Dyck(2), EvenPalindromes()], ids=lambda x: x.name)
@pytest.mark.parametrize("length", [2, 6, 40])
def test_the_distance_of_edits_is_geometric_up_to_half_of_the_length_or_8(
    language: Language, length: int
) -> None:
    """Though proposals at some distances are members more often, and of some members there are few."""
    rows = 20_000
    sources = members(language, Window(length, length), rows)
    made = make_negatives(language, "edit", sources, KEY, numbers(rows))
    assert len(made.rows) == rows
    observed = np.bincount(levenshtein(sources, made.strings))[1:]
    expected = rows * 0.5 ** np.arange(1, min((length + 1) // 2, 8) + 1)
    expected[-1] *= 2
    assert len(observed) == len(expected)
    assert len(expected) == 1 or stats.chisquare(observed, expected).pvalue > 1e-4


# -- where there are none


def test_a_string_of_one_symbol_has_no_swap_and_no_permutation() -> None:
    language = EvenPalindromes()
    sources = Strings.from_texts(language.alphabet, ["a a a a", "", "a b b a", "b b"])
    for kind in ("swap", "permuted"):
        assert make_negatives(language, kind, sources, KEY, numbers(4)).rows.tolist() == [2]


def test_where_the_length_leaves_one_way_there_are_no_blocks() -> None:
    """a b is all that there is of a^i b^j with two symbols, a b c b a of a^i b^j c b^k a^l with five."""
    for language, texts in (
        (anbn("length"), ["a b", "a a b b"]),
        (anbncbmam(), ["a b c b a", "a a b b c b a"]),
    ):
        sources = Strings.from_texts(language.alphabet, texts)
        assert make_negatives(language, "blocks", sources, KEY, numbers(2)).rows.tolist() == [1]


def test_what_is_not_made_of_blocks_has_none() -> None:
    assert "blocks" not in kinds_of(Dyck(1))
    assert not len(
        make_negatives(Dyck(1), "blocks", members(Dyck(1), Window(2, 20), 50), KEY, numbers(50)).rows
    )


def test_where_every_prefix_is_live_nothing_is_guided() -> None:
    language = EvenPalindromes()
    assert not len(
        make_negatives(language, "guided", members(language, Window(1, 20), 50), KEY, numbers(50)).rows
    )


@every_kind
def test_one_letter_leaves_no_negatives(kind: str) -> None:
    language = EvenPalindromes(("a",))
    sources = members(language, Window(0, 8), 20)
    made = make_negatives(language, kind, sources, KEY, numbers(20))
    assert len(made.rows) == len(made.strings) == 0


@dataclass(frozen=True)
class SomeB(EvenPalindromes):
    """All strings over a, b with a b in them: of each length one string is left out."""

    @property
    def automaton(self) -> "SomeB":  # type: ignore[override]
        return self

    def accepts(self, strings: Strings) -> np.ndarray:
        return np.array([1 in string for string in strings], np.bool_)


def test_a_thin_complement_is_found() -> None:
    """One string of 64 is no member: 1,000 tries find it for every draw (but for 1 in 7 million)."""
    language = SomeB()
    sources = Strings.from_texts(language.alphabet, ["a b b a a a"] * 100)
    made = make_negatives(language, "random", sources, KEY, numbers(100))
    assert set(words(made.strings)) == {(0,) * 6}
    assert len(made.rows) == 100


def test_guided_negatives_need_next_symbol_sets() -> None:
    with pytest.raises(LanguageError, match="up to 63 symbols"):
        make_negatives(MANY, "guided", members(MANY, Window(2, 8), 5), KEY, numbers(5))


def test_an_unknown_kind_names_the_known_ones() -> None:
    with pytest.raises(
        LanguageError, match=r"'mirrored'; there are random, edit, swap, permuted, guided, blocks"
    ):
        make_negatives(Dyck(1), "mirrored", members(Dyck(1), Window(2, 8), 5), KEY, numbers(5))


# -- draws


@settings(max_examples=25)
@given(
    st.integers(0, 2**64 - 1),
    st.lists(st.integers(0, 2**63), min_size=1, max_size=5),
    st.sampled_from([*KINDS]),
    st.sampled_from([Dyck(2), EvenPalindromes(), anbncbmam()]),
)
def test_a_negative_depends_on_its_draw_and_source_alone(
    key: int, draws: list[int], kind: str, language: Language
) -> None:
    """Whatever batch it is made in, and however often other rows are tried."""
    sources = members(language, Window(1, 12), len(draws))
    together = make_negatives(language, kind, sources, Key(key), np.array(draws, np.uint64))
    for row, string in zip(together.rows, together.strings, strict=True):
        alone = make_negatives(
            language, kind, sources.take([row]), Key(key), np.array([draws[row]], np.uint64)
        )
        assert alone.strings.ids.tolist() == string.tolist()


@every_kind
def test_draws_and_keys_differ(kind: str) -> None:
    language = unary_addition_nm() if kind == "blocks" else Dyck(2)
    sources = Strings.concatenate([members(language, Window(60, 60), 1)] * 40)
    one, other = (make_negatives(language, kind, sources, Key(key), numbers(40)) for key in (1, 2))
    assert len(set(words(one.strings))) > 20
    assert sum(a == b for a, b in zip(words(one.strings), words(other.strings), strict=True)) < 10
