"""A model in the evaluator's own process: a function or an object, without the limits that a process of its own has."""

from types import SimpleNamespace

from marnn_bench.asking.interfaces import (
    Interface,
    Pending,
    Progress,
    Report,
    answer_requests,
    ignore,
)
from marnn_bench.asking.loading import load_runs
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
        self._halves: list[Interface]

    def load(self, *tasks: ModelTask) -> Loaded:
        """Have it loaded for a run of a task, or for several that are asked at once, if it has `load`."""
        self._halves, loaded = load_runs(self._model, tasks)
        return loaded

    def reset(self, n: int) -> None:
        """Begin a wave of n streams of each run."""
        for half in self._halves:
            half.reset(n)

    def begin(self, requests: Requests, half: int = 0) -> Pending:
        """Add a symbol to each stream of a half of the runs, when the answers are asked for."""

        def answers(report: Report, progress: Progress) -> Answers:
            self._halves[half].progress = progress
            return answer_requests(self._halves[half], requests, report)

        return answers

    def step(self, requests: Requests, report: Report, progress: Progress = ignore) -> Answers:
        """Add a symbol to each stream: what each answers: [n] or [n, columns]."""
        return self.begin(requests)(report, progress)
