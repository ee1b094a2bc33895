"""Bernardy 2018, sections 2.1 to 2.4, for one string, with tanh in the LSTM's candidate as in the author's library."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from helpers.equations.joulin2015 import sigmoid, softmax


def gru(p: Mapping[str, Tensor], layer: str, x: Tensor, h: Tensor) -> Tensor:
    """Section 2.2; v_t holds h_{t-1}, then x_t."""
    w_zr, w_h = p[layer + "hidden.weight"], p[layer + "candidate.weight"]
    w_x = p[layer + "input.weight"]
    n = len(h)
    z = sigmoid(torch.cat([w_zr[:n], w_x[:n]], 1) @ torch.cat([h, x]))
    r = sigmoid(torch.cat([w_zr[n:], w_x[n : 2 * n]], 1) @ torch.cat([h, x]))
    candidate = torch.tanh(torch.cat([w_h, w_x[2 * n :]], 1) @ torch.cat([r * h, x]))
    return (1 - z) * h + z * candidate


def lstm(p: Mapping[str, Tensor], layer: str, x: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    """Section 2.1; the gates lie one behind the other as i, f, c, o."""
    v = torch.cat([h, x])
    w = torch.cat([p[layer + "hidden.weight"], p[layer + "input.weight"]], 1)
    i, f, g, o = (w @ v + p[layer + "input.bias"]).chunk(4)
    c = sigmoid(f) * c + sigmoid(i) * torch.tanh(g)
    return sigmoid(o) * torch.tanh(c), c


def russ(p: Mapping[str, Tensor], x: Tensor, s: Tensor) -> Tensor:
    """Section 2.3: s is [depth, n]"""
    a = softmax(p["action.weight"] @ torch.cat([s[0], x]) + p["action.bias"])
    pushed, popped = torch.cat([x[None], s[:-1]]), torch.cat([s[1:], 0 * x[None]])
    return a[0] * pushed + a[1] * popped + a[2] * s


def configuration(kinds: Sequence[str], depth: int = 0, dropout: float = 0.0):  # type: ignore[no-untyped-def]
    """Layers of `lstm` and `gru`, and a RUSS of this depth if it has one; a number is dropped if its noise is that small."""

    def outputs(p: Mapping[str, Tensor], ids: Tensor, noise: Tensor) -> Tensor:
        embedding = p["embedding.weight"]
        hidden = [len(p[f"layer{i + 1}/hidden.weight"].T) for i in range(len(kinds))]
        zeros = [torch.zeros(n, dtype=torch.float64) for n in hidden]
        state = [(zero, zero) for zero in zeros]
        s = torch.zeros(depth, hidden[-1] if hidden else len(embedding), dtype=torch.float64)
        found = []
        for symbol, of_step in zip(ids, noise, strict=True):
            x, used = embedding[:, symbol], 0

            def drop(vector: Tensor, of_step: Tensor = of_step) -> Tensor:
                nonlocal used
                if not dropout:
                    return vector
                uniform = (-(-of_step[used : used + len(vector)]).exp()).exp()
                used += len(vector)
                return torch.where(uniform < dropout, 0.0, vector / (1 - dropout))

            for i, kind in enumerate(kinds):
                (h, c), layer = state[i], f"layer{i + 1}/"
                x, h = drop(x), drop(h)
                state[i] = lstm(p, layer, x, h, c) if kind == "lstm" else (gru(p, layer, x, h), c)
                x = state[i][0]
            if depth:
                s = russ(p, x, s)
                x = s[0]
            found.append(softmax(p["output.weight"] @ x + p["output.bias"]))
        return torch.stack(found)

    return outputs
