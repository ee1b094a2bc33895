"""A `torch.nn.Module` as a model: ids in, scores out."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from marnn_bench.asking.protocol import Failure, ModelTask

Module = Callable[..., Any]


class TorchModule:
    """Asks a causal module after each symbol; its answer is what it gives at the last one.

    module:     ids [n, t] -> scores [n, t, columns] or [n, columns]; it is asked about whole prefixes, so that a string of
                length t costs t forward passes
    recurrent:  the module keeps its state: ids [n, 1] and a state, None at first -> (scores, state)
    start:      the id of a symbol that stands before each string; without it there is no answer about the empty prefix,
                which recognition and language modelling ask for
    device:     where ids are put; the module has to be there

    In a model file:

        load = TorchModule.of(lambda task: MyNetwork(len(task.alphabet), len(task.columns)), "weights.pt")

    >>> embedding = torch.nn.Embedding.from_pretrained(torch.eye(2))  # what may come is what came
    >>> model = TorchModule(embedding)
    >>> model.reset(3)
    >>> model.step(np.array([0, 1, 1])).tolist()
    [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    """

    def __init__(
        self, module: Module, *, recurrent: bool = False, start: int | None = None, device: str = "cpu"
    ) -> None:
        self._module = module
        self._recurrent = recurrent
        self._start = start
        self._device = torch.device(device)
        self._ids = torch.empty((0, 0), dtype=torch.int64)
        self._state: Any = None

    @staticmethod
    def of(
        factory: Callable[[ModelTask], torch.nn.Module],
        checkpoint: str | Path | None = None,
        **options: Any,
    ) -> "Callable[[ModelTask], TorchModule]":
        """The `load` of a model file: the module that a factory makes for a task, with the parameters of a checkpoint.

        checkpoint:  what `torch.save(module.state_dict(), ...)` wrote; `{run}` in its name is the number of the run
        """

        def load(task: ModelTask) -> TorchModule:
            module = factory(task)
            if checkpoint is not None:
                file = str(checkpoint).format(run=task.run)
                module.load_state_dict(torch.load(file, map_location="cpu", weights_only=True))
            return TorchModule(module.to(options.get("device", "cpu")).eval(), **options)

        return load

    def reset(self, n: int) -> NDArray[Any] | None:
        """Begin n strings: what is answered about the empty prefix, if there is a start symbol."""
        self._ids, self._state = torch.empty((n, 0), dtype=torch.int64, device=self._device), None
        return None if self._start is None else self.step(np.full(n, self._start))

    def step(self, ids: NDArray[np.int64]) -> NDArray[Any]:
        """Scores after these symbols: [n, columns]."""
        new = torch.from_numpy(ids).to(self._device)[:, None]  # [n, 1]
        with torch.inference_mode():
            if self._recurrent:
                scores, self._state = self._module(new, self._state)
            else:
                self._ids = torch.cat([self._ids, new], dim=1)  # [n, t]
                scores = self._module(self._ids)
        if not isinstance(scores, torch.Tensor) or scores.ndim not in (2, 3):
            raise Failure(
                "answer", f"gave {_described(scores)}, not scores [n, t, columns] or [n, columns]", "module"
            )
        last: torch.Tensor = scores if scores.ndim == 2 else scores[:, -1]  # [n, columns]
        found: NDArray[Any] = last.float().cpu().numpy()
        return found


def _described(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"a tensor of shape {tuple(value.shape)}"
    return f"{type(value).__name__} (a module that gives a state as well is TorchModule(..., recurrent=True))"
