"""A model in the evaluator's own process: a function or an object, without the limits that a process of its own has."""

from types import SimpleNamespace

from marnn_bench.asking.interfaces import (
    Interface,
    Progress,
    Report,
    answer_requests,
    call,
    find_interface,
    ignore,
)
from marnn_bench.asking.protocol import Answers, Loaded, ModelTask, Requests


class LocalModel:
    """Asks an object that defines what a model file does, or a function `predict(prefix)`.

    >>> model = LocalModel(lambda prefix: {"("})
    >>> model.load(ModelTask("dyck1", ("(", ")"), ("(", ")"), "next-symbol", 0)).interface
    'predict'
    """

    def __init__(self, model: object) -> None:
        names = ("predict", "predict_batch", "reset", "step", "accepts")
        is_function = callable(model) and not any(hasattr(model, name) for name in names)
        self._model = SimpleNamespace(predict=model) if is_function else model
        self._interface: Interface

    def load(self, task: ModelTask) -> Loaded:
        """Have it loaded for a task and run, if it has `load`."""
        load = getattr(self._model, "load", None)
        if load is not None:
            call("load", load, task)
        self._interface = find_interface(self._model, task)
        return Loaded(self._interface.name, self._interface.parser.kind, load is not None, {})

    def reset(self, n: int) -> None:
        """Begin a wave of n streams."""
        self._interface.reset(n)

    def step(self, requests: Requests, report: Report, progress: Progress = ignore) -> Answers:
        """Add a symbol to each stream: what each answers: [n] or [n, columns]."""
        self._interface.progress = progress
        return answer_requests(self._interface, requests, report)
