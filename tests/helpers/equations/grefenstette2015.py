"""Grefenstette et al. 2015, section 3.4, for one string: the whole history is read anew after every step."""

from collections.abc import Mapping

import torch
from torch import Tensor

from helpers.equations import memories
from helpers.equations.joulin2015 import lstm_cell, sigmoid, softmax


def neural_lstm(kind: str, width: int):  # type: ignore[no-untyped-def]
    """`kind` is stack, queue or deque; of a deque's controls and values, the top's come first."""
    of_kind = {
        "stack": memories.neural_stack, "queue": memories.neural_queue, "deque": memories.neural_deque,
    }[kind]  # fmt: skip

    def outputs(p: Mapping[str, Tensor], ids: Tensor, noise: Tensor) -> Tensor:
        ends = 2 if kind == "deque" else 1
        h, c = p["h0"], torch.zeros_like(p["h0"])
        read = torch.zeros(ends * width, dtype=torch.float64)
        pushed, popped, values, found = [], [], [], []
        for symbol in ids:
            e = p["embedding.weight"][:, symbol]
            fed = torch.cat([p["input.weight"], p["read.weight"]], 1) @ torch.cat([e, read]) + p["input.bias"]
            h, c = lstm_cell(p, "", fed, h, c)
            signals = sigmoid(p["action.weight"] @ h + p["action.bias"])
            v = torch.tanh(p["write.weight"] @ h + p["write.bias"])
            pushed.append(signals[0::2] if ends == 2 else signals[0])
            popped.append(signals[1::2] if ends == 2 else signals[1])
            values.append(v.view(2, width) if ends == 2 else v)
            read = of_kind(pushed, popped, values)[-1]
            o = torch.tanh(p["embed.weight"] @ h + p["embed.bias"])
            found.append(softmax(p["output.weight"] @ o + p["output.bias"]))
        return torch.stack(found)

    return outputs
