"""What a recipe does after an epoch, told by an engine that only says what was asked to be measured."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from helpers.examples import first_rows
from marnn_bench.baselines.course import Course
from marnn_bench.baselines.course_training import CourseTraining, Measured
from marnn_bench.baselines.lessons import lessons_of
from marnn_bench.baselines.recipes import SUZGUN2019, Halving, Rounding

PLAIN = replace(SUZGUN2019, annealing=None, learning_rate=0.1)
EPOCHS = 8
VALIDATED = replace(PLAIN, selection="validation loss", epochs=EPOCHS)


class Scripted(CourseTraining):
    """Its one parameter is the number of updates that it went through; a loss of validation is looked up by run and epoch."""

    def __init__(self, recipe, losses, learned=None):
        lessons = lessons_of(first_rows("dyck2", 3))
        super().__init__(recipe, Course(4, lambda epoch: lessons, 3, lessons), len(losses))
        self.losses, self.learned = np.array(losses, float), learned
        self.w, self.rates = np.zeros((len(losses), 1)), []

    def update(self):
        self.do(1)
        return 1

    def _learn(self, lessons, count):
        self.w[self.factors > 0] += count
        self.rates += [self.factors.copy()] * count
        epoch = self.done // 3
        return (
            np.zeros((count, len(self.w)))
            if self.learned is None
            else np.tile(self.learned[:, epoch], (count, 1))
        )

    def measure(self, exam):
        return Measured(*[self.losses[:, (self.done - 1) // 3]] * 3)

    def numbers(self):
        return {"w": self.w.copy()}

    def set_numbers(self, numbers, runs):
        self.w[runs] = numbers["w"][runs]

    def engine_state(self):
        return {"w": torch.from_numpy(self.w.copy())}

    def restore_engine(self, state):
        self.w[:] = state["w"].numpy()


def finished(training):
    while training.done < training.total:
        training.update()
    return training


def test_each_run_keeps_the_parameters_of_its_best_epoch():
    losses = [
        [5, 4, 3, 9, 9, 9, 9, 9],
        [1, 2, 3, 4, 5, 6, 7, 8],
        [8, 7, 6, 5, 4, 3, 2, 1],
        [2, 2, 2, 2, 2, 2, 2, 2],
    ]
    training = finished(Scripted(VALIDATED, losses))
    assert training.result().parameters.tensors["w"].flatten().tolist() == [3 * 3, 1 * 3, 8 * 3, 1 * 3]
    selected = training.selected()
    assert selected["epochs"] == [3, 1, 8, 1]
    assert selected["validation loss"] == [3, 1, 1, 2]
    assert selected["best_run"] == 1
    assert selected["measured"]["validation loss"] == losses


def test_the_last_parameters_are_kept_without_a_selection():
    training = finished(Scripted(replace(PLAIN, epochs=2), [[1, 2]]))
    assert training.result().parameters.tensors["w"].item() == 6
    assert training.selected() is None


def test_rates_are_halved_and_the_best_parameters_taken_up_again():
    """Joulin & Mikolov's program: from an epoch on, after each one whose validation loss is no new minimum."""
    losses = [[5, 6, 7, 4, 6, 3, 3, 3], [8, 7, 6, 5, 4, 3, 2, 1]]
    training = finished(Scripted(replace(VALIDATED, schedule=Halving(patient=2, floor=0.01)), losses))
    rates = np.array(training.rates)[::3]
    # epoch 1 has no gain but is too early; epochs 2, 4, 6 and 7 have none either
    assert rates[:, 0].tolist() == [1, 1, 1, 1 / 2, 1 / 2, 1 / 4, 1 / 4, 1 / 8]
    assert rates[:, 1].tolist() == [1] * 8
    begun, w, best = 0, 0, np.inf  # the first run once more, plainly
    for epoch, loss in enumerate(losses[0]):
        w += 3
        if loss < best:
            best, begun = loss, w
        elif epoch >= 2:
            w = begun
    assert training.w[0, 0] == w
    assert training.result().parameters.tensors["w"].flatten().tolist() == [begun, 24]


@given(st.lists(st.floats(0, 10) | st.just(np.nan), min_size=1, max_size=25), st.integers(0, 5))
def test_rates_are_halved_as_the_published_program_does(validation, patient):
    """Its rule, for one run: a gain is kept; else, from some epoch on, half the rate and back to the best; end below 1e-2."""
    rate, best, kept, rates = 0.1, np.inf, 0, []
    for epoch, loss in enumerate(validation):
        if rate > 0:
            rates.append(rate)
            if loss < best:
                best, kept = loss, epoch + 1
            elif epoch >= patient:
                rate = rate / 2 if rate / 2 >= 1e-2 else 0.0
    recipe = replace(VALIDATED, epochs=len(validation), schedule=Halving(patient, 1e-2))
    training = finished(Scripted(recipe, [validation]))
    assert [0.1 * factors[0] for factors in training.rates[::3]] == rates
    assert training.selected()["epochs"] == [kept]


def test_a_run_ends_below_the_floor_and_the_training_with_the_last_run():
    schedule = Halving(patient=0, floor=0.03)
    training = finished(Scripted(replace(VALIDATED, schedule=schedule), [[1, *[2] * 7], [3, 2, 1, *[4] * 5]]))
    # .1, .05, then .025 is below: the first run ends after epoch 3, the second after epoch 5
    assert (training.total, training.strings_left) == (15, 0)
    assert training.result().losses.shape == (5, 3, 2)
    assert training.selected()["epochs"] == [1, 3]
    assert len(training.selected()["measured"]["validation loss"][0]) == 5


def test_a_run_ends_after_so_many_epochs_without_a_gain():
    training = finished(
        Scripted(replace(VALIDATED, patience=3), [[5, 4, 6, 6, 6, 1, 1, 1], [8, 7, 6, 5, 4, 3, 2, 1]])
    )
    assert training.selected()["epochs"] == [2, 8]
    assert training.w.flatten().tolist() == [15, 24]


def test_a_run_whose_loss_is_no_number_ends_and_keeps_its_best_epoch():
    learned = np.array([[1, 1, np.nan, np.nan, 1, 1, 1, 1], [1] * 8])
    training = finished(Scripted(VALIDATED, [[3, 2, np.nan, np.nan, 0, 0, 0, 0], [9] * 8], learned))
    assert training.w.flatten().tolist() == [9, 24]
    assert training.selected()["epochs"] == [2, 1]
    assert training.selected()["measured"]["validation loss"][0][2] is None
    assert training.result().parameters.tensors["w"].flatten().tolist() == [6, 3]


@pytest.mark.parametrize("stop", range(1, 24))
def test_it_goes_on_from_wherever_it_was_stopped(stop):
    recipe = replace(VALIDATED, schedule=Halving(patient=1, floor=0.02), patience=4)
    losses = np.random.default_rng(0).permuted(np.tile(np.arange(8.0), (5, 1)), axis=1)
    losses[4] = np.arange(8)[::-1]
    expected, begun = finished(Scripted(recipe, losses)), Scripted(recipe, losses)
    begun.do(stop)
    resumed = Scripted(recipe, losses)
    resumed.restore(begun.state())
    assert (resumed.done, resumed.total, resumed.strings_left) == (
        begun.done,
        begun.total,
        begun.strings_left,
    )
    finished(resumed)
    assert resumed.selected() == expected.selected()
    for name, tensor in expected.state().items():
        assert torch.equal(resumed.state()[name].nan_to_num(-1), tensor.nan_to_num(-1)), name


ROUNDED = replace(
    VALIDATED, epochs=3, patience=2, rounding=Rounding(epochs=4, factor=2.0, learning_rate=0.05, of="w")
)


class Rounded(Scripted):
    """Its map w is what updates leave alone; its number is that of the updates."""

    def __init__(self, recipe, losses, learned=None):
        super().__init__(recipe, losses, learned)
        self.map = np.ones((len(losses), 1))

    def numbers(self):
        return {"n": self.w.copy(), "w.weight": self.map.copy()}

    def set_numbers(self, numbers, runs):
        self.w[runs], self.map[runs] = numbers["n"][runs], numbers["w.weight"][runs]

    def engine_state(self):
        return {name: torch.from_numpy(array) for name, array in self.numbers().items()}

    def restore_engine(self, state):
        self.set_numbers(
            {name: state[name].numpy() for name in self.numbers()}, np.ones(len(self.w), np.bool_)
        )


def test_rounding_goes_on_from_the_best_epoch_and_doubles_a_map_before_each_epoch():
    losses = [[3, 4, 5, 6, 2, 7, 8], [9, 8, 7, 6, 5, 4, 3]]
    training = finished(Rounded(ROUNDED, losses))
    rates = np.array(training.rates)[::3]
    assert rates[:, 0].tolist() == [1, 1, 1, 0.5, 0.5, 0.5, 0.5]
    assert training.map.flatten().tolist() == [16, 16]
    kept = training.result().parameters.tensors
    # the first run: epoch 1, then two epochs of rounding; the second: three epochs, then four
    assert kept["w.weight"].flatten().tolist() == [4, 16]
    assert kept["n"].flatten().tolist() == [3 + 6, 9 + 12]
    assert training.selected()["epochs"] == [5, 7]


def test_rounding_begins_when_the_last_run_has_ended():
    training = finished(Rounded(ROUNDED, [[1, 2, 3, 0, 5, 6, 7], [1, 2, 3, 4, 5, 6, 7]]))
    assert training.total == 3 * (3 + 4)
    early = finished(Rounded(replace(ROUNDED, patience=1), [[1, 2, 0, 5, 5, 5], [1, 2, 3, 4, 0, 5]]))
    assert early.total == 3 * (2 + 4)
    assert early.selected()["epochs"] == [3, 5]


@pytest.mark.parametrize("stop", range(1, 21))
def test_rounding_goes_on_from_wherever_it_was_stopped(stop):
    losses = [[3, 4, 5, 6, 2, 7, 8], [9, 8, 7, 6, 5, 4, 3]]
    begun, resumed = Rounded(ROUNDED, losses), Rounded(ROUNDED, losses)
    begun.do(stop)
    resumed.restore(begun.state())
    assert resumed.strings_left == 21 - stop
    assert finished(resumed).selected() == finished(Rounded(ROUNDED, losses)).selected()
    assert resumed.map.tolist() == [[16], [16]]
