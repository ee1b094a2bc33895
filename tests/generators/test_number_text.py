"""Numbers as text: exact, or refused at once."""

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marnn_bench.generators.devices.finite_automaton import DFA
from marnn_bench.generators.devices.grammar import Grammar
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.laws import parse_spec
from marnn_bench.generators.number_text import read_number
from marnn_bench.generators.window import Window


@given(st.fractions(max_denominator=10**50 - 1).filter(lambda f: abs(f.numerator) < 10**50))
def test_a_fraction_is_read_as_it_is_written(number: Fraction) -> None:
    assert read_number(str(number)) == number


@given(st.integers(-(10**49), 10**49), st.integers(0, 49), st.integers(-50, 50))
def test_decimals_are_read_exactly(digits: int, places: int, exponent: int) -> None:
    shifted = f"{abs(digits):0{places + 1}d}"
    text = f"{'-' if digits < 0 else ''}{shifted[: len(shifted) - places]}.{shifted[len(shifted) - places :]}"
    assert read_number(f"{text}e{exponent}") == Fraction(digits) * Fraction(10) ** (exponent - places)


@pytest.mark.parametrize(
    ("number", "message"),
    [
        ("1e-99999999", "has an exponent beyond 50"),
        ("1e-5000", "has an exponent beyond 50"),
        ("1e51", "has an exponent beyond 50"),
        ("1e" + "9" * 100, "has an exponent beyond 50"),
        ("0." + "3" * 50, "has more than 50 digits"),
        ("1/" + "3" * 51, "has more than 50 digits"),
        ("1" * 5_000, "has more than 50 digits"),
    ],
)
def test_a_number_beyond_all_measure_is_refused_wherever_it_stands(number: str, message: str) -> None:
    places: list[Callable[[], object]] = [
        lambda: parse_spec(f"pcfg:p={number}"),
        lambda: Grammar.parse(f"S -> 'a' [{number}] | 'b' [1/2]"),
        lambda: DFA.parse(f"start q\naccept q\nq a -> q [{number}]"),
    ]
    for read in places:
        with pytest.raises(LanguageError, match=message) as caught:
            read()
        assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "text", ["", "half", "1/0", "1_000", "nan", "inf", "٣", "1/-2", "1.5/2", "0x1", "1e", "."]
)
def test_what_is_no_number_is_said_to_be_none(text: str) -> None:
    with pytest.raises(ValueError, match="is no number"):
        read_number(text)


def test_a_parameter_of_a_law_is_given_once_and_has_a_name() -> None:
    with pytest.raises(LanguageError, match="'p=1/3' is given twice"):
        parse_spec("pcfg:p=1/2,p=1/3")
    with pytest.raises(LanguageError, match="'=1/3' has no name"):
        parse_spec("pcfg:=1/3")


@pytest.mark.parametrize("text", ["2", "2:", ":", "a:b", "-1:3", "٣:4", "1:" + "9" * 5_000])
def test_a_window_that_cannot_be_read_says_how_one_is_written(text: str) -> None:
    with pytest.raises(LanguageError, match="is not of the form LOW:HIGH; try 2:50"):
        Window.parse(text)
