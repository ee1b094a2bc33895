"""Trainings on the strings of a course, whatever executes them: updates on consecutive strings, in each epoch."""

from abc import abstractmethod
from typing import Final, NamedTuple

import numpy as np

from marnn_bench.baselines.course import Course, Exam, finite_course
from marnn_bench.baselines.epochs import EpochTraining, Floats
from marnn_bench.baselines.lessons import Lessons
from marnn_bench.baselines.recipes import Recipe
from marnn_bench.examples import Examples

THRESHOLD: Final = 0.5
"""A score of this or more puts its symbol into the set."""


class Measured(NamedTuple):
    """How some strings are answered, by each run: [run]

    loss:     averaged over the positions that are asked
    right:    the share of these that are right
    strings:  the share of the strings that are right at all of them
    """

    loss: Floats
    right: Floats
    strings: Floats


class CourseTraining(EpochTraining):
    """Runs that are trained by updates: `done` and `total` count these, and each has a loss."""

    def __init__(self, recipe: Recipe, strings: Examples | Course, runs: int) -> None:
        self._course = strings if isinstance(strings, Course) else finite_course(strings, recipe)
        in_epoch = -(-self._course.strings // recipe.batch)
        super().__init__(recipe, runs, in_epoch, losses=in_epoch)

    # -- what an engine does

    @abstractmethod
    def _learn(self, lessons: Lessons, count: int) -> Floats:
        """Do the next updates, of these strings and by the rates of now: their losses, [update, run]"""

    @abstractmethod
    def measure(self, exam: Exam) -> Measured:
        """How the runs as they are now answer these strings."""

    # -- what an epoch is

    def _go_on(self, epoch: int, first: int, count: int) -> None:
        self._losses[epoch, first : first + count] = self._learn(self._course.epoch(epoch), count)

    def _measure(self, name: str, epoch: int) -> Floats:
        if name == "training loss":
            return np.asarray(self._losses[epoch].mean(0))
        if name == "validation loss" and self._course.validation:
            return self.measure(self._course.all_columns(self._course.validation)).loss
        if name == "test accuracy" and self._course.exam:
            return self.measure(self._course.exam).right
        raise TypeError(f"no strings were given for the {name}")

    @property
    def strings_left(self) -> int:
        """How many strings are still to be learned from, over all epochs."""
        epochs, updates = divmod(self.done, self._in_epoch)
        return (self.total // self._in_epoch - epochs) * self._course.strings - updates * self._recipe.batch

    def accuracy(self) -> list[float] | None:
        """The share of the strings of the last epoch, the empty one among them, that each run has all right; None where strings
        are not right or wrong. The runs take up the parameters that are kept.
        """
        course = self._course
        if not course.graded:
            return None
        self.take_up_kept()
        lessons = course.epoch(max(self.done - 1, 0) // self._in_epoch)
        shares = self.measure(course.all_columns(lessons)).strings
        found: list[float] = ((shares * len(lessons) + course.empty) / (len(lessons) + course.empty)).tolist()
        return found
