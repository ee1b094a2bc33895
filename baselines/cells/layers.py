"""Controllers one above the other, and models that answer with a distribution."""

from dataclasses import dataclass
from typing import ClassVar

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.controllers import Controller, State
from marnn_bench.baselines.cells.initial import Constant, InitialLaw, Uniform
from marnn_bench.baselines.cells.inputs import StepInputs
from marnn_bench.baselines.cells.lazy import Tensor, torch
from marnn_bench.baselines.cells.parameters import AffineShape, Parameters, Shapes, TensorShape, part

EMBEDDING_LAW = Uniform(1.0)


@dataclass(frozen=True)
class SoftmaxCell(Cell):
    """A model whose answers are distributions over the columns."""

    distribution: ClassVar[bool] = True

    def decode(self, w: Parameters, features: Tensor) -> Tensor:
        """y = softmax(V h + b)"""
        return torch.softmax(w["output"](features), -1)


@dataclass(frozen=True)
class LayeredCell(SoftmaxCell):
    """Controllers, each fed by the one below it.

    e   = E x, or the one-hot x itself
    h_1 = controller(W_1 e + b_1, h_1)
    h_l = controller(U_l h_(l-1) + [W_l e] + b_l, h_l)       the symbol feeds every layer, if `skip`
    y   = softmax(V h_L + b)

    The biases b_l are those of the controllers, one each; without, y has none either.

    weights:    the initial law of all weights but the embedding's
    embedding:  how many numbers stand for a symbol; None for one-hot vectors
    """

    controllers: tuple[Controller, ...]
    weights: InitialLaw
    embedding: int | None = None
    skip: bool = False

    @property
    def shapes(self) -> Shapes:
        shapes: dict[str, AffineShape | TensorShape] = {}
        if self.embedding:
            shapes["embedding"] = AffineShape(self.symbols, self.embedding, EMBEDDING_LAW, None)
        for layer in range(len(self.controllers)):
            shapes |= part(_name(layer), self._layer(layer))
        top = self.controllers[-1]
        bias = Constant(0.0) if top.bias else None
        return {**shapes, "output": AffineShape(top.hidden, self.columns, self.weights, bias)}

    def _layer(self, layer: int) -> dict[str, AffineShape]:
        """The maps of a layer; its bias is in the first of them."""
        controller, fed = self.controllers[layer], layer == 0 or self.skip
        width, bias = controller.gates * controller.hidden, controller.bias_law if controller.bias else None
        maps = {}
        if fed:
            maps["input"] = AffineShape(self.embedding or self.symbols, width, self.weights, bias)
        if layer:
            below = self.controllers[layer - 1].hidden
            maps["below"] = AffineShape(below, width, self.weights, None if fed else bias)
        return {**maps, "hidden": AffineShape(controller.hidden, width, self.weights, None)}

    def initial_state(self, w: Parameters, batch: int, steps: int | None = None) -> State:
        return tuple(h for controller in self.controllers for h in controller.initial_state(w, batch))

    def encode(self, w: Parameters, ids: Tensor) -> Tensor:
        """What the symbol feeds the layers with, side by side: [run, batch, gates * hidden of each]"""
        maps = [w.part(_name(layer))["input"] for layer in range(len(self.controllers) if self.skip else 1)]
        if self.embedding:
            e = w["embedding"].of_symbols(ids)
            return torch.cat([of_layer(e) for of_layer in maps], -1)
        return torch.cat([of_layer.of_symbols(ids) for of_layer in maps], -1)

    def step(self, w: Parameters, state: State, x: Tensor, inputs: StepInputs) -> tuple[State, Tensor]:
        after: list[Tensor] = []
        begin, h = 0, x
        for layer, controller in enumerate(self.controllers):
            of_layer, width = w.part(_name(layer)), controller.gates * controller.hidden
            fed = of_layer["below"](h) if layer else x[..., :width]
            if layer and self.skip:
                fed = fed + x[..., begin : begin + width]
            carried = controller.step(of_layer, state[len(after) : len(after) + controller.vectors], fed)
            after += carried
            begin, h = begin + width, carried[0]
        return tuple(after), h


def _name(layer: int) -> str:
    return f"layer{layer + 1}"
