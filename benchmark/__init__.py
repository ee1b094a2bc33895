"""marnn-bench: formal-language tasks with proved labels, and an evaluator for any `predict(prefix)` model."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from marnn_bench.baselines.training.library import train as train
    from marnn_bench.examples import k_hot as k_hot
    from marnn_bench.library.evaluate import evaluate as evaluate
    from marnn_bench.library.generate import generate as generate
    from marnn_bench.store.read import read_split as read_split
    from marnn_bench.task import Split as Split
    from marnn_bench.task import Task as Task
    from marnn_bench.tasks.registry import all_tasks as all_tasks
    from marnn_bench.tasks.registry import find_task as find_task
    from marnn_bench.tasks.registry import find_tasks as find_tasks
    from marnn_bench.views import LanguageModelling as LanguageModelling
    from marnn_bench.views import NextSymbol as NextSymbol
    from marnn_bench.views import Recognition as Recognition
    from marnn_bench.views import Synchronous as Synchronous
    from marnn_bench.views import Transduce as Transduce

__version__ = "0.1.0"

_PUBLIC = {
    "LanguageModelling": "views",
    "NextSymbol": "views",
    "Recognition": "views",
    "Split": "task",
    "Synchronous": "views",
    "Task": "task",
    "Transduce": "views",
    "all_tasks": "tasks.registry",
    "evaluate": "library.evaluate",
    "find_task": "tasks.registry",
    "find_tasks": "tasks.registry",
    "generate": "library.generate",
    "k_hot": "examples",
    "read_split": "store.read",
    "train": "baselines.training.library",
}
"""What can be asked of this module -> the one that it comes from, imported when it is asked for."""

__all__ = [*_PUBLIC, "__version__"]  # noqa: PLE0604


def __getattr__(name: str) -> object:
    if name in _PUBLIC:
        return getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
