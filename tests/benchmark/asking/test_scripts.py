"""What is kept of answers, where they are a little off or missing."""

import numpy as np
import pytest

from helpers.answered import DYCK1, examples_of
from marnn_bench.asking.scripts import LogProbabilities
from marnn_bench.scoring.predictions import Predictions
from marnn_bench.scoring.sets import SetScorer


def test_probabilities_whose_sum_is_a_little_over_1_gain_nothing() -> None:
    reading = LogProbabilities(np.array([[0, 1]]))
    kept = reading(0, np.array([[0.50004, 0.50004], [0.25, 0.75]]))["predicted"]
    assert kept == pytest.approx(np.log([0.5, 0.75]), abs=1e-12)


def test_a_missing_answer_is_as_bad_as_one_with_all_its_mass_on_illegal_symbols() -> None:
    examples = examples_of(DYCK1, ["( )", "( )"])
    answered, mass = np.array([True, True, True, False]), np.array([0.25, 0.0])
    predictions = Predictions(
        {"predicted": examples.answers}, answered, examples.strings.offsets, {"illegal_mass": mass}
    )
    assert SetScorer(examples).metrics(predictions)["illegal_mass"].value == (0.25 + 1) / 4
