"""The controls for one string, step by step and head by head: Vaswani et al. 2017 with norms before each half, rotary positions (Su
et al. 2021), ALiBi (Press et al. 2022), and a diagonal linear recurrence.
"""

import math
from collections.abc import Mapping

import torch
from torch import Tensor

from helpers.equations.joulin2015 import sigmoid, softmax

P = Mapping[str, Tensor]


def norm(p: P, name: str, x: Tensor) -> Tensor:
    centred = x - x.mean()
    return centred / (centred.square().mean() + 1e-5).sqrt() * p[name + "/gain"] + p[name + "/shift"]


def affine(p: P, name: str, x: Tensor) -> Tensor:
    return p[name + ".weight"] @ x + p[name + ".bias"]


def rotated(x: Tensor, position: int) -> Tensor:
    """Numbers i and i + half, as a complex number, times exp(i position 10000^(-i / half))."""
    half = len(x) // 2
    turn = torch.exp(1j * position * 10_000.0 ** (-torch.arange(half, dtype=torch.float64) / half))
    turned = torch.complex(x[:half], x[half:]) * turn
    return torch.cat([turned.real, turned.imag])


def attention(p: P, block: str, xs: list[Tensor], heads: int, positions: str) -> list[Tensor]:
    """What each step gets."""
    width = len(xs[0])
    of_head, found = width // heads, []
    qkv = [affine(p, block + "attend", x) for x in xs]
    for i in range(len(xs)):
        parts = []
        for head in range(heads):
            part = slice(head * of_head, (head + 1) * of_head)
            turn = rotated if positions == "rotary" else lambda x, position: x
            q = turn(qkv[i][:width][part], i)
            scores = []
            for j in range(i + 1):
                score = q @ turn(qkv[j][width : 2 * width][part], j) / math.sqrt(of_head)
                if positions == "alibi":
                    score = score - 2 ** (-8 * (head + 1) / heads) * (i - j)
                scores.append(score)
            weights = softmax(torch.stack(scores))
            parts.append(sum(weights[j] * qkv[j][2 * width :][part] for j in range(i + 1)))
        found.append(affine(p, block + "join", torch.cat(parts)))
    return found


def recurrence(p: P, block: str, xs: list[Tensor], negative: bool) -> list[Tensor]:
    """What each step gets."""
    h, found = torch.zeros_like(p[block + "drive.bias"]), []
    for x in xs:
        eigenvalues = sigmoid(affine(p, block + "keep", x))
        if negative:
            eigenvalues = 2 * eigenvalues - 1
        h = torch.diag(eigenvalues) @ h + affine(p, block + "drive", x)
        found.append(affine(p, block + "join", h))
    return found


def control(blocks: int, mix, sinusoidal: bool = False):  # type: ignore[no-untyped-def]
    """`mix(p, block, steps)` is one of the two above."""

    def outputs(p: P, ids: Tensor, noise: Tensor) -> Tensor:
        xs = [p["embedding.weight"][:, symbol] for symbol in ids]
        if sinusoidal:
            half = len(xs[0]) // 2
            for position in range(len(xs)):
                angles = [position / 10_000 ** (i / half) for i in range(half)]
                waves = [*map(math.sin, angles), *map(math.cos, angles)]
                xs[position] = xs[position] + torch.tensor(waves, dtype=torch.float64)
        for number in range(blocks):
            block = f"block{number + 1}/"
            mixed = mix(p, block, [norm(p, block + "before_mixer", x) for x in xs])
            xs = [x + more for x, more in zip(xs, mixed, strict=True)]
            wide = [
                affine(p, block + "widen", norm(p, block + "before_feedforward", x)).clamp(min=0) for x in xs
            ]
            xs = [x + affine(p, block + "narrow", y) for x, y in zip(xs, wide, strict=True)]
        return torch.stack([sigmoid(affine(p, "output", norm(p, "before_output", x))) for x in xs])

    return outputs
