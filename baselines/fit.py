"""Which models can learn which tasks."""

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.recipes import Recipe
from marnn_bench.errors import UsageError
from marnn_bench.task import Task
from marnn_bench.views import LanguageModelling, NextSymbol, Recognition


def require_fit(model: str, task: Task, recipe: Recipe, cell: Cell) -> None:
    """UsageError unless the answers of a model are what the task asks for and its recipe learns."""
    recipe.require_procedure(model)
    if recipe.stream:
        require_stream(task)
    if isinstance(task.view, Recognition) and cell.distribution:
        raise UsageError(
            f"{model} answers with a distribution, which over the one column of {task.name} is always 1. "
            "Choose a baseline with sigmoid outputs, such as lstm."
        )
    unfit = "binary cross-entropy" if cell.distribution else "cross-entropy"
    if recipe.loss == unfit:
        answers = (
            "a distribution" if cell.distribution else "numbers of which each is a probability of its own"
        )
        raise UsageError(
            f"{model} answers with {answers}, which is not learned by {unfit}: change the recipe's loss."
        )
    if recipe.weight_noise and not cell.matrices:
        raise UsageError(
            f"{model} has no tensors of higher order to be disturbed: leave out the noise of weights."
        )
    if recipe.learns == "labels at every step" and not isinstance(task.view, Recognition):
        raise UsageError(f"{task.name} has no labels to learn at every step: choose a recognition task.")
    if recipe.order != "given" and task.split("train").rows == "fresh":
        raise UsageError(
            f"{task.name} train is endless, and has no order but the given one: choose a finite one."
        )
    if isinstance(task.view, LanguageModelling) and not cell.distribution:
        raise UsageError(
            f"{task.name} asks for distributions, and {model} answers with sigmoid outputs. "
            "Choose a baseline with a softmax, such as bernardy-lstm-40."
        )


def require_stream(task: Task) -> None:
    """UsageError unless training draws as many strings as it likes, which can follow each other without a sign between them."""
    if task.split("train").rows != "fresh":
        raise UsageError(
            f"{task.name} train is not endless, as a stream needs it: choose one that is, such as anbn."
        )
    view_with_end(task)


def view_with_end(task: Task) -> NextSymbol:
    """The view of a task that asks for single symbols, END among them; UsageError if it is none."""
    if not isinstance(task.view, NextSymbol) or not task.view.end:
        raise UsageError(
            f"{task.name} does not ask for END, so that nothing can be learned from it as a stream."
        )
    return task.view
