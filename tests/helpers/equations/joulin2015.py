"""Joulin & Mikolov 2015, section 4, and Mikolov et al. 2014 (SRCN), for one string; memories have all their cells throughout."""

from collections.abc import Mapping

import torch
from torch import Tensor

from helpers.equations import memories

P = Mapping[str, Tensor]


def softmax(z: Tensor) -> Tensor:
    return z.exp() / z.exp().sum()


def sigmoid(z: Tensor) -> Tensor:
    return 1 / (1 + (-z).exp())


def stack_rnn(kind: str, count: int, cells: int, depth: int):  # type: ignore[no-untyped-def]
    """Equations 2 to 6 for `count` stacks or lists, with R where there is one."""

    def outputs(p: P, ids: Tensor, noise: Tensor) -> Tensor:
        empty = torch.tensor(-1.0, dtype=torch.float64)
        held = [[empty] * cells for _ in range(count)]
        head, update = (0, memories.stack) if kind == "stack" else (cells // 2, memories.list_)
        h, found = None, []
        for symbol in ids:
            z = p["input.weight"][:, symbol]
            for i in range(depth):
                for s in range(count):
                    z = z + p["read.weight"][:, i * count + s] * held[s][head + i]
            if "hidden.weight" in p and h is not None:
                z = z + p["hidden.weight"] @ h
            h = sigmoid(z)
            found.append(softmax(p["output.weight"] @ h))
            for s, scores in enumerate((p["action.weight"] @ h).view(count, -1)):
                held[s] = update(held[s], softmax(scores), sigmoid(p["write.weight"][s] @ h), -1.0)
        return torch.stack(found)

    return outputs


def rnn(p: P, ids: Tensor, noise: Tensor) -> Tensor:
    """Equations 1 and 2."""
    h, found = torch.zeros_like(p["layer1/hidden.weight"][0]), []
    for symbol in ids:
        h = sigmoid(p["layer1/input.weight"][:, symbol] + p["layer1/hidden.weight"] @ h)
        found.append(softmax(p["output.weight"] @ h))
    return torch.stack(found)


def srcn(alpha: float):  # type: ignore[no-untyped-def]
    """Mikolov et al. 2014, equations 4 to 6."""

    def outputs(p: P, ids: Tensor, noise: Tensor) -> Tensor:
        hidden, slow = p["read.weight"].shape
        a, b = p["input.weight"].split([hidden, slow])
        u, v = p["output.weight"].split([hidden, slow], 1)
        h, s, found = torch.zeros_like(a[:, 0]), torch.zeros_like(b[:, 0]), []
        for symbol in ids:
            s = (1 - alpha) * b[:, symbol] + alpha * s
            h = sigmoid(p["read.weight"] @ s + a[:, symbol] + p["hidden.weight"] @ h)
            found.append(softmax(u @ h + v @ s))
        return torch.stack(found)

    return outputs


def lstm_cell(p: P, layer: str, fed: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    """Hochreiter & Schmidhuber 1997 with forget gates, without peepholes; `fed` holds all but the recurrent part."""
    i, f, g, o = (fed + p[layer + "hidden.weight"] @ h).chunk(4)
    c = sigmoid(f) * c + sigmoid(i) * torch.tanh(g)
    return sigmoid(o) * torch.tanh(c), c


def lstm(layers: int, skip: bool = False):  # type: ignore[no-untyped-def]
    """Layers one above the other; `skip`: the symbol feeds all."""

    def outputs(p: P, ids: Tensor, noise: Tensor) -> Tensor:
        zero = torch.zeros_like(p["layer1/hidden.weight"][0])
        state, found = [(zero, zero)] * layers, []
        for symbol in ids:
            embedded = p["embedding.weight"][:, symbol] if "embedding.weight" in p else None
            below = None
            for i in range(layers):
                name, fed = f"layer{i + 1}/", 0
                if i == 0 or skip:
                    w = p[name + "input.weight"]
                    fed = p[name + "input.bias"] + (w[:, symbol] if embedded is None else w @ embedded)
                if i:
                    fed = fed + p[name + "below.weight"] @ below + (0 if skip else p[name + "below.bias"])
                state[i] = lstm_cell(p, name, fed, *state[i])
                below = state[i][0]
            found.append(softmax(p["output.weight"] @ below + p["output.bias"]))
        return torch.stack(found)

    return outputs
