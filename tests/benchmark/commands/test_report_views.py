"""What `eval` prints of a result, view by view."""

import numpy as np
import pytest

from helpers.oracles import oracle_of, wrong_from
from marnn_bench.asking.protocol import ModelTask
from marnn_bench.commands.report import FIRST_ERRORS, METRICS, report
from marnn_bench.examples import LanguageModellingExamples
from marnn_bench.library.evaluate import Result, evaluate
from marnn_bench.tasks.registry import find_task
from marnn_bench.views import LanguageModelling

TASKS = {
    "dyck2": "next-symbol",
    "anbn": "next-symbol",
    "dyck1-short": "next-symbol",
    "string-reversal": "synchronous",
    "sequence-copy": "transduction",
    "dyck2-recognition": "recognition",
    "dyck2--lm": "language-modelling",
}
"""A task for every kind of answer, and its view."""

every_task = pytest.mark.parametrize("name", TASKS)


def evaluated(name: str, wrong: int | None = None, rows: int = 50) -> Result:
    """The oracle of a task on its first strings, wrong from a question on if one is given; the uniform distribution."""
    task = find_task(name)
    if isinstance(task.view, LanguageModelling):
        even = dict.fromkeys(task.columns, 1 / len(task.columns))
        return evaluate(lambda prefix: even, task, rows=rows, name="uniform")
    oracle = oracle_of(task)
    return evaluate(oracle if wrong is None else wrong_from(oracle, wrong), name, rows=rows, name="oracle")


@every_task
def test_a_report_fits_a_terminal_and_names_every_metric(name: str) -> None:
    result = evaluated(name)
    text = report(result.record)
    assert max(map(len, text.splitlines())) <= 80
    for metric in result.record["summary"]["metrics"]:
        assert METRICS[metric] in text


@pytest.mark.parametrize(
    "name", [name for name, view in TASKS.items() if view in ("next-symbol", "synchronous")]
)
def test_the_first_wrong_answer_is_counted_from_one(name: str) -> None:
    lines = report(evaluated(name, wrong=0).record).splitlines()
    first = next(line for line in lines if line.startswith("first wrong answer"))
    scored = (
        1 if name != "anbn" else 26
    )  # the first that counts of a^n b^n is after the n-th a, and the median b
    assert first.startswith(f"first wrong answer: after symbol {scored} ")


def test_the_first_wrong_output_symbol_is_counted_from_one() -> None:
    text = report(evaluated("sequence-copy", wrong=3).record)
    assert "\nfirst wrong output symbol: number 4 (median" in text


@every_task
def test_nothing_is_said_of_first_errors_where_there_are_none(name: str) -> None:
    text = report(evaluated(name).record)
    assert not any(said in text for said in FIRST_ERRORS.values())


def test_the_bound_of_language_modelling_is_that_of_the_strings() -> None:
    result = evaluated("dyck2--lm")
    assert isinstance(result.examples, LanguageModellingExamples)
    bound = result.examples.bound
    assert (
        f"\nin nats for each symbol and END; the law itself costs {bound:.4f} on these strings\n"
        in report(result.record)
    )


def test_all_strings_right_is_solved_up_to_the_longest() -> None:
    """From 381 strings on: with fewer, all right still leave the lower end of the interval below 0.99."""
    result = evaluated("dyck2", rows=381)
    longest = max(result.examples.strings.lengths)
    assert f"\nsolved up to length {longest}: " in report(result.record)
    assert "solved up to" not in report(evaluated("dyck2", rows=380).record)


def test_a_share_of_nothing_is_not_infinite() -> None:
    """The first string of the split is a member."""
    lines = report(evaluated("dyck2-recognition", rows=1).record).splitlines()
    assert "accuracy on negatives: none asked" in lines


def test_the_best_of_several_runs_is_finite_where_another_is_infinite() -> None:
    task = find_task("dyck2--lm")

    class Uniform:
        def load(self, loaded: ModelTask) -> None:
            self.columns = task.columns[loaded.run :]  # the second run holds "(" impossible

        def predict(self, prefix: tuple[str, ...]) -> dict[str, float]:
            return dict.fromkeys(self.columns, 1 / len(self.columns))

    result = evaluate(Uniform(), task, rows=20, runs=2)
    rows = {line.split("  ")[0]: line for line in report(result.record).splitlines()}
    assert result.record["summary"]["metrics"]["cross_entropy"]["min"] == pytest.approx(np.log(5))
    assert "1.6094" in rows["best run"] and "infinite" in rows["worst run"]
