"""One step of each memory, cell by cell: a memory is a list of cells, each a number or a vector."""

from collections.abc import Sequence

import torch
from torch import Tensor

Cells = list[Tensor]

ZERO = torch.zeros((), dtype=torch.float64)


def stack(s: Cells, a: Sequence[Tensor], n: Tensor, fill: float) -> Cells:
    """Joulin & Mikolov 2015, equations 3 and 4; a is push, pop and perhaps no-op. Suzgun et al. 2019, section 3.1."""
    push, pop, no_op = (*a, 0.0)[:3]

    def below(i: int) -> Tensor | float:
        return s[i + 1] if i + 1 < len(s) else fill

    top = push * n + pop * below(0) + no_op * s[0]
    return [top] + [push * s[i - 1] + pop * below(i) + no_op * s[i] for i in range(1, len(s))]


def ring(m: Cells, a: Sequence[Tensor], n: Tensor) -> Cells:
    """Suzgun et al. 2019, section 3.3; a is rotate-left, rotate-right, no-op, pop-right, pop-left."""
    zero = 0 * m[0]
    rotated_left, rotated_right = [*m[1:], m[0]], [m[-1], *m[:-1]]
    popped_left, popped_right = [*m[1:], zero], [zero, *m[:-1]]
    results = (rotated_left, rotated_right, m, popped_right, popped_left)
    moved = [sum(a[k] * result[i] for k, result in enumerate(results)) for i in range(len(m))]
    return [moved[0] + n, *moved[1:]]


def list_(cells: Cells, a: Sequence[Tensor], n: Tensor, fill: float) -> Cells:
    """Joulin & Mikolov 2015, section 3.3; a is left, right, insert and perhaps no-op, HEAD the middle cell."""
    left, right, insert, no_op = (*a, 0.0)[:4]
    head = len(cells) // 2

    def at(i: int) -> Tensor | float:
        return cells[i] if 0 <= i < len(cells) else fill

    def inserted(i: int) -> Tensor | float:
        return n if i == head else at(i + 1) if i < head else at(i)

    return [
        left * at(i - 1) + right * at(i + 1) + insert * inserted(i) + no_op * at(i) for i in range(len(cells))
    ]


def strengths_after_pop(s: Cells, u: Tensor, passed_before: Sequence[Sequence[int]]) -> Cells:
    """Grefenstette et al. 2015, the first lines of equations 2, 4, 7 and 8; `passed_before[i]` are the items j of the sum."""
    return [
        maximum(0, s[i] - maximum(0, u - sum((s[j] for j in passed_before[i]), ZERO))) for i in range(len(s))
    ]


def read_with(s: Cells, values: Cells, passed_before: Sequence[Sequence[int]]) -> Tensor:
    """Equations 3, 5, 10 and 11."""
    return sum(
        minimum(s[i], maximum(0, 1 - sum((s[j] for j in passed_before[i]), ZERO))) * values[i]
        for i in range(len(s))
    )


def above(items: int) -> list[range]:
    """For each item those between it and the top."""
    return [range(i + 1, items) for i in range(items)]


def below(items: int) -> list[range]:
    """For each item those between it and the bottom."""
    return [range(i) for i in range(items)]


def neural_stack(d: Cells, u: Cells, v: Cells) -> Cells:
    """Equations 1 to 3: what is read after each step."""
    s, reads = [], []
    for t in range(len(d)):
        s = [*strengths_after_pop(s, u[t], above(t)), d[t]]
        reads.append(read_with(s, v[: t + 1], above(t + 1)))
    return reads


def neural_queue(d: Cells, u: Cells, v: Cells) -> Cells:
    """Equations 1, 4 and 5."""
    s, reads = [], []
    for t in range(len(d)):
        s = [*strengths_after_pop(s, u[t], below(t)), d[t]]
        reads.append(read_with(s, v[: t + 1], below(t + 1)))
    return reads


def neural_deque(d: Cells, u: Cells, v: Cells) -> Cells:
    """Equations 6 to 11; d[t], u[t] and v[t] are those of the top, then of the bottom; both reads, side by side."""
    s, values, reads = [], [], []
    for t in range(len(d)):
        s_top = strengths_after_pop(s, u[t][0], above(2 * t))
        s_both = strengths_after_pop(s_top, u[t][1], below(2 * t))
        s = [d[t][1], *s_both, d[t][0]]
        values = [v[t][1], *values, v[t][0]]
        items = 2 * (t + 1)
        reads.append(torch.cat([read_with(s, values, above(items)), read_with(s, values, below(items))]))
    return reads


def maximum(left: float, right: Tensor) -> Tensor:
    """max(left, right); where both are equal, the derivative of the left one (footnote 1)."""
    return torch.where(right > left, right, left * torch.ones_like(right))


def minimum(left: Tensor, right: Tensor) -> Tensor:
    """min(left, right), likewise."""
    return torch.where(right < left, right, left)
