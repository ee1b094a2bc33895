"""The strings of an epoch as a stream: what is fed, and what is asked after it.

    strings   a b   a a b b
    fed       a  b  a  a  b  b
    asked     b END a  b  b  END

The first symbol of the next string is asked for as the task asks for it: END stands for it (see
`marnn_bench.tasks.joulin2015`). In patterns whose next string can begin with one symbol only that is the same question.

Where the state begins anew before a string, it does so before its first symbol is asked for, and the last one of the string before
is fed next; but not at the beginning of an epoch. So it is in the authors' program, and where models are asked (`marnn_bench.streams`).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from marnn_bench.baselines.engine.program import Places
from marnn_bench.baselines.fit import view_with_end
from marnn_bench.baselines.recipes import Recipe, Stream
from marnn_bench.errors import UsageError
from marnn_bench.fresh import fresh_strings
from marnn_bench.generators.strings import Strings
from marnn_bench.generators.window import Window
from marnn_bench.task import Task

VALIDATION: Final = 1 << 23
"""The first of the epochs of `marnn_bench.fresh` whose strings are for validation; no training comes so far."""

UNASKED: Final = -1

BEYOND: Final = 10
"""So many sizes beyond those of all splits a run is selected on, with"""

SELECTION: Final = 100
"""strings."""


class Streamed(NamedTuple):
    """An epoch. String i is asked about from the place first[i] on; the last of these numbers is the end: [strings + 1]"""

    places: Places
    first: NDArray[np.int64]


@dataclass(frozen=True)
class StreamCourse:
    """What a training on a stream is given.

    strings:     of an epoch
    epoch:       from the number of an epoch, counted from 0, to what it learns from
    validation:  from that number to what is asked after it
    selection:   what the best of several runs is selected by, if that is not the validation
    """

    strings: int
    epoch: Callable[[int], Streamed]
    validation: Callable[[int], Streamed]
    selection: Callable[[], Streamed] | None = None


def drawn_course(task: Task, recipe: Recipe) -> StreamCourse:
    """Strings of a task, drawn as the recipe says."""
    return StreamCourse(
        stream_of(recipe).strings,
        partial(training_strings, task, recipe),
        partial(validation_strings, task, recipe),
        partial(selection_strings, task, recipe),
    )


def training_strings(task: Task, recipe: Recipe, epoch: int) -> Streamed:
    """What an epoch, counted from 0, learns from: strings that no other has, of the sizes of the curriculum."""
    stream = stream_of(recipe)
    if recipe.curriculum:
        sizes = recipe.curriculum.sizes(epoch)
        task = task.with_splits(windows={"train": Window(sizes[0], sizes[-1])})
    return streamed(task, fresh_strings(task, "train", epoch, 0, stream.strings), stream)


def validation_strings(task: Task, recipe: Recipe, epoch: int) -> Streamed:
    """What is asked after an epoch: fresh strings of all sizes of the train split, the state begun anew before the first alone."""
    stream = stream_of(recipe)
    strings = fresh_strings(task, "train", VALIDATION + epoch, 0, stream.validated)
    return streamed(task, strings, replace(stream, emptied=stream.validated))


def selection_strings(task: Task, recipe: Recipe) -> Streamed:
    """What the best of several runs is selected by: fresh strings that are larger than those of all splits, asked where it counts."""
    largest = max(split.window.high for split in task.splits.values())
    beyond = task.with_splits(windows={"train": Window(largest + 1, largest + BEYOND)})
    stream = stream_of(recipe)
    strings = fresh_strings(beyond, "train", VALIDATION, 0, SELECTION)
    return streamed(beyond, strings, replace(stream, emptied=SELECTION, answers_only=True))


def stream_of(recipe: Recipe) -> Stream:
    """How a recipe learns from a stream; UsageError if it does not."""
    if recipe.stream is None:
        raise UsageError(f"The recipe {recipe.name} does not learn from a stream.")
    return recipe.stream


def streamed(task: Task, strings: Strings, stream: Stream) -> Streamed:
    """These strings one behind another; the state begins anew before every so many.

    UsageError if the task does not ask for single symbols, END among them.

    >>> from marnn_bench.tasks.registry import find_task
    >>> task, strings = find_task("anbn"), fresh_strings(find_task("anbn"), "train", 0, 0, 1)
    >>> streamed(task, strings, Stream(50, 1, 1, 1)).places.answers.tolist()
    [0, 1, 1, 2]
    """
    view = view_with_end(task)
    if not strings.lengths.all():
        raise UsageError(f"{task.name} has the empty string, which no stream shows: choose another window.")
    answers = np.append(strings.ids[1:], 0).astype(np.int32)
    answers[strings.offsets[1:] - 1] = len(task.columns) - 1
    if stream.answers_only:
        answers[~view.scored_mask(task.language, view.answers(task.language, strings))] = UNASKED
    first = strings.offsets.astype(np.int64) - 1
    first[0], first[-1] = 0, len(answers)
    emptied = np.zeros(len(answers), np.uint8)
    emptied[first[: -1 : stream.emptied]] = 1
    return Streamed(Places(strings.ids.astype(np.int32), answers, emptied), first)
