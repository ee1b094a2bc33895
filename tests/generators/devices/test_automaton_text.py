"""What the text of an automaton may not say, whatever its device."""

import pytest

from marnn_bench.generators.devices.counter_machine import CounterMachine
from marnn_bench.generators.devices.finite_automaton import DFA
from marnn_bench.generators.devices.pushdown import Pushdown
from marnn_bench.generators.errors import LanguageError

every_device = pytest.mark.parametrize("device", [DFA, Pushdown, CounterMachine])


@every_device
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("start z\naccept q\nq a -> q", "Line 1, `start z`: no rule leaves z"),
        ("start q\naccept q\nalphabet a", "Line 1, `start q`: no rule leaves q"),
        ("start q\naccept q z\nq a -> q", "Line 2, `accept q z`: no rules lead from q to z"),
        ("start q\naccept r\nq a -> q\nr a -> r", "Line 2, `accept r`: no rules lead from q to r"),
        ("start q\naccept q\nq a -> q\nr b -> q", "Line 4, `r b -> q`: no rules lead from q to r"),
        ("start q\naccept q\nq a -> q\nq b -> r", "Line 4, `q b -> r`: no rule leaves r, which does not accept"),
        ("start q\naccept q q\nq a -> q", "Line 2, `accept q q`: q is named twice"),
        ("start q,\naccept q\nq a -> q", "Line 1, `start q,`: q, is no name of a state"),
        ("start q\naccept q, r\nq a -> q\nq b -> r", "Line 2, .*: q, is no name of a state"),
        ("start q\naccept q\nq a -> q,", "Line 3, `q a -> q,`: "),
        ("start q\naccept q\nq a, -> q", "Line 3, .*: a, ends with a comma"),
        ("alphabet a, b\nstart q\naccept q\nq b -> q", "Line 1, .*: a, ends with a comma"),
        ("start q\naccept q\nq a -> [1/3]", r"Line 3, .*: \[1/3\] is no name of a state"),
        ("start q\naccept q\n[1/3] a -> q", r"Line 3, .*: \[1/3\] is no name of a state"),
        ("start q\naccept q\nq a -> any", "Line 3, .*: any is no name of a state"),
        ("start q\naccept any\nq a -> q", "Line 2, `accept any`: write `start STATE`"),
        ("start q\nq a -> q", "An automaton's text needs a line `accept`"),
        ("start q\naccept q\n\nq\x07 a -> q", r"Line 4 has a character that cannot be seen, U\+0007"),
        ("start q\naccept q\u200b\nq a -> q", r"Line 2 has .* U\+200B \(ZERO WIDTH SPACE\): delete it"),
        ("start q\naccept q\nq a\x0b -> q", r"Line 3 has .* U\+000B"),
        ("start q\naccept q\n" + "q a -> q\n" * 10_001, "at most 10,000 rules, not 10,001"),
    ],
)  # fmt: skip
def test_a_text_with_a_slip_of_the_pen_names_the_line(
    device: type[DFA | Pushdown | CounterMachine], text: str, message: str
) -> None:
    with pytest.raises(LanguageError, match=message) as caught:
        device.parse(text)
    assert "\n" not in str(caught.value)


@every_device
def test_an_accepting_state_that_no_rule_leaves_is_fine(
    device: type[DFA | Pushdown | CounterMachine],
) -> None:
    automaton = device.parse("start q\r\naccept r\r\nq\ta -> r  \r\n")
    assert automaton.alphabet.show(automaton.first_symbols()) == "a"


@pytest.mark.parametrize("device", [Pushdown, CounterMachine])
def test_a_state_accepts_in_one_way_only(device: type[Pushdown | CounterMachine]) -> None:
    with pytest.raises(LanguageError, match="Line 3, `accept any q`: q accepts with an empty memory already"):
        device.parse("start q\naccept q\naccept any q\nq a -> q")
