"""A cell as functions of named tensors, in the frame that the program gives it.

The memory is not traced. A stand-in takes its place, whose `read` gives an input and whose `update` makes the weights and
what is written outputs; C text updates the memory (`memories`).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, ClassVar, Final

import torch
from torch import Tensor

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.inputs import StepInputs, StringInputs
from marnn_bench.baselines.cells.memories import Memory
from marnn_bench.baselines.cells.parameters import Parameters, initialise, tensor_shapes
from marnn_bench.baselines.engine.codegen.errors import NotCompiledError
from marnn_bench.baselines.engine.codegen.memories import compiled_memory

Tensors = Mapping[str, Tensor]

NAMES: Final = ("ids", "x", "y", "read", "reread", "weights", "written", "temperature", "noise")
"""Of what a step takes and gives beside parameters; its state is state0, state1, ..."""

SYMBOL: Final[Tensors] = {"ids": torch.zeros(1, 1, dtype=torch.int64)}

BEFORE: Final = torch.empty(0)
AFTER: Final = torch.empty(0)
"""Stand for the content of a memory before and after its update."""


class Frame:
    """The functions of a cell, from named tensors to named tensors. NotCompiledError if it is none that fits.

    parameters, states, constants:  examples of what they take; temperature and noise are constant
    """

    def __init__(self, cell: Cell) -> None:
        _require_our_frame(cell)
        self._cell, self._memory = cell, compiled_memory(cell)
        self.parameters = {
            name: _example(1, *shape.shape) for name, shape in tensor_shapes(cell.shapes).items()
        }
        self._begun = self._begin(self.parameters)
        self._carried = [place for place, tensor in enumerate(self._begun) if tensor is not BEFORE]
        self.states = {f"state{number}": self._begun[place] for number, place in enumerate(self._carried)}
        self.constants = {"temperature": torch.tensor(1.0, dtype=torch.float64)}
        if cell.noise:
            self.constants["noise"] = _example(1, 1, cell.noise)

    def given(self) -> dict[str, Tensor]:
        """Examples of what a step takes but for constants; `reread` only if it asks for that."""
        given = {**self.parameters, **self.states, **self.encode({**self.parameters, **SYMBOL})}
        if self._memory:
            given["read"] = _example(1, 1, self._memory.read_size)
            given["reread"] = torch.clone(given["read"])
            seen = _Seen({**given, **self.constants})
            for training in (True, False):
                self.step(seen, training)
            if "reread" not in seen.asked:
                del given["reread"]
        return given

    def begin(self, given: Tensors) -> dict[str, Tensor]:
        """The state before the first symbol."""
        state = self._begin(given)
        return dict(zip(self.states, (state[place] for place in self._carried), strict=True))

    def encode(self, given: Tensors) -> dict[str, Tensor]:
        """What a step is given of a symbol."""
        return {"x": self._cell.encode(self._parameters(given), given["ids"])}

    def step(self, given: Tensors, training: bool = True) -> dict[str, Tensor]:
        """State and scores after one more symbol, and what the memory is updated by."""
        cell, w, state = self._with_memory(given), self._parameters(given), [BEFORE] * len(self._begun)
        for place, name in zip(self._carried, self.states, strict=True):
            state[place] = given[name]
        inputs = StepInputs(given["temperature"], given.get("noise"), _Unknown("clock"), training)  # type: ignore[arg-type]
        after, features = cell.step(w, tuple(state), given["x"], inputs)
        _require_same_state(cell, state, after)
        outputs = dict(zip(self.states, (after[place] for place in self._carried), strict=True))
        outputs["y"] = cell.decode(w, features)
        return outputs | (cell.memory.recorded(cell) if self._memory else {})  # type: ignore[attr-defined]

    def _begin(self, given: Tensors) -> Sequence[Any]:
        return self._with_memory({}).initial_state(Parameters(given), 1, _Unknown("steps"))  # type: ignore[arg-type]

    def _parameters(self, given: Tensors) -> Parameters:
        return Parameters({name: given[name] for name in self.parameters})

    def _with_memory(self, given: Tensors) -> Cell:
        """The cell with a stand-in for its memory, if it has one."""
        memory = self._memory
        return replace(self._cell, memory=_StandIn(memory, given)) if memory else self._cell  # type: ignore[call-arg]


class _Seen(dict[str, Tensor]):
    """Tensors by name, and which were asked for."""

    def __init__(self, tensors: Tensors) -> None:
        super().__init__(tensors)
        self.asked: set[str] = set()

    def __getitem__(self, name: str) -> Tensor:
        self.asked.add(name)
        return super().__getitem__(name)


class _StandIn:
    """What the step sees instead of its memory; all that is not content is asked of the memory itself.

    given:  what is read, by name
    """

    def __init__(self, memory: Memory[Any], given: Mapping[str, Tensor]) -> None:
        self._memory, self._given = memory, given
        self._updates: list[tuple[Tensor, Tensor]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._memory, name)

    def initial(self, w: Parameters, batch: int, steps: int | None = None) -> Tensor:
        return BEFORE

    def read(self, memory: Tensor) -> Tensor:
        return self._given["reread" if memory is AFTER else "read"]

    def update(self, memory: Tensor, weights: Tensor, written: Tensor) -> Tensor:
        self._updates.append((weights, written))
        return AFTER

    def recorded(self, cell: Cell) -> dict[str, Tensor]:
        """The weights and what is written."""
        if len(self._updates) != 1:
            raise NotCompiledError(
                f"{_name(cell)} updates its memory {len(self._updates)} times a step, not once."
            )
        ((weights, written),) = self._updates
        return {"weights": weights, "written": written}


class _Unknown:
    """A number that differs from step to step, or from string to string: the graph must not depend on it."""

    operations: ClassVar = (
        *("eq", "ne", "lt", "le", "gt", "ge", "bool", "int", "float", "index", "hash", "neg", "abs"),
        *("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "floordiv", "rfloordiv"),
        *("mod", "rmod", "pow", "rpow", "divmod", "and", "or", "rshift", "lshift"),
    )

    def __init__(self, name: str) -> None:
        self.name = name

    def _refuse(self, *others: object) -> Any:
        raise NotCompiledError(
            f"The step of this model depends on `{self.name}`, which a compiled step does not know."
        )


for _operation in _Unknown.operations:
    setattr(_Unknown, f"__{_operation}__", _Unknown._refuse)


def _require_our_frame(cell: Cell) -> None:
    """The program goes from step to step itself."""
    if type(cell).scores is not Cell.scores:
        _require_scores_of_steps(cell)
    for name in tensor_shapes(cell.shapes):
        if name in NAMES or re.fullmatch(r"state\d+", name):
            raise NotCompiledError(
                f"{_name(cell)} has a tensor called {name}, as the compiled step does: call it otherwise."
            )
    memories = [field.name for field in fields(cell) if isinstance(getattr(cell, field.name), Memory)]
    if memories not in ([], ["memory"]):
        raise NotCompiledError(
            f"{_name(cell)} has the memories {', '.join(memories)}; one, called memory, is compiled."
        )


def _require_scores_of_steps(cell: Cell) -> None:
    """All steps at once, as the model itself does it, give what the program will: one step after the other."""
    w = initialise(cell.shapes, 0, [0])
    noise = _example(1, 1, 4, cell.noise) if cell.noise else None
    inputs = StringInputs(torch.tensor(1.0, dtype=torch.float64), noise)
    ids = torch.arange(4).remainder(cell.symbols)[None, None]
    if not torch.allclose(cell.scores(w, ids, inputs), Cell.scores(cell, w, ids, inputs), rtol=0, atol=1e-9):
        raise NotCompiledError(f"{_name(cell)} has `scores` of its own, which are not those of its steps.")


def _require_same_state(cell: Cell, before: Sequence[Tensor], after: Sequence[Any]) -> None:
    kinds = [
        [None if tensor is content else tensor.shape for tensor in state]
        for state, content in ((before, BEFORE), (after, AFTER))
    ]
    if kinds[0] != kinds[1]:
        raise NotCompiledError(f"{_name(cell)} has a state whose shapes change from step to step.")


def _example(*shape: int) -> Tensor:
    """Numbers to trace with: which, does not matter."""
    return torch.full(shape, 0.5, dtype=torch.float64)


def _name(cell: Cell) -> str:
    return type(cell).__name__
