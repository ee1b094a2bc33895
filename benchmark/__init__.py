"""marnn-bench: formal-language tasks with proved labels, and an evaluator for any `predict(prefix)` model."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from marnn_bench.store.read import read_split as read_split
    from marnn_bench.task import Split as Split
    from marnn_bench.task import Task as Task
    from marnn_bench.tasks.registry import all_tasks as all_tasks
    from marnn_bench.tasks.registry import find_task as find_task
    from marnn_bench.views import NextSymbol as NextSymbol
    from marnn_bench.views import Synchronous as Synchronous

__version__ = "0.1.0"

_PUBLIC = {
    "NextSymbol": "views",
    "Split": "task",
    "Synchronous": "views",
    "Task": "task",
    "all_tasks": "tasks.registry",
    "find_task": "tasks.registry",
    "read_split": "store.read",
}

__all__ = [*_PUBLIC, "__version__"]  # noqa: PLE0604


def __getattr__(name: str) -> object:
    if name in _PUBLIC:
        return getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
