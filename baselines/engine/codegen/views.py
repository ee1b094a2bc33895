"""Views: where in the program's memory the numbers of a tensor lie, as strided indices that can be printed.

A tensor of the trace has one run and one string; what it has for each run, the lanes, is behind every place.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Final


@dataclass(frozen=True)
class View:
    """Numbers of a buffer, or one number everywhere.

    place:    C text of a place of the buffer, where {} stands for the index: "AT(tape, {})"; without {}, a number
    shape:    of the tensor
    strides:  by how much the index grows along each axis
    offset:   the index of the first
    apart:    C text of how far the numbers of one string s are from those of the next, where strings lie side by side
    assign:   the C operator that puts a number there: = or, where sums are kept, +=
    """

    place: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0
    assign: str = "="
    apart: str = ""

    @classmethod
    def whole(cls, place: str, shape: Sequence[int], offset: int = 0, apart: str = "") -> "View":
        """All numbers of a buffer, or its next ones, the last axis first."""
        return cls(place, tuple(shape), contiguous(shape), offset, apart=apart)

    @classmethod
    def number(cls, value: float, shape: Sequence[int] = ()) -> "View":
        """One number everywhere."""
        return cls(literal(value), tuple(shape), (0,) * len(shape))

    @property
    def size(self) -> int:
        """How many numbers it shows."""
        return prod(self.shape)

    @property
    def is_zero(self) -> bool:
        """Whether it is zero everywhere."""
        return self.place == ZERO

    def at(self, *index: str | int) -> str:
        """The place of an element, of string s, as C text.

        >>> View.whole("AT(tape, {})", (1, 3, 4), offset=7).at(0, "i", "j")
        'AT(tape, i * 4 + j + 7)'
        """
        terms = [
            _times(i, stride) for i, stride, n in zip(index, self.strides, self.shape, strict=True) if n > 1
        ]
        constant = self.offset + sum(term for term in terms if isinstance(term, int))
        texts = [f"s * {self.apart}"] if self.apart else []
        texts += [term for term in terms if isinstance(term, str)]
        return self.place.format(" + ".join([*texts, *([str(constant)] if constant or not texts else [])]))

    def of_first(self, *index: str | int) -> str:
        """The place of an element of the first string."""
        return replace(self, apart="").at(*index)

    def in_order(self, shape: Sequence[int]) -> "View":
        """The next so many numbers from its first on."""
        return replace(self, shape=tuple(shape), strides=contiguous(shape))

    def transposed(self, first: int, second: int) -> "View":
        """With two axes exchanged."""
        axes = [*range(len(self.shape))]
        axes[first], axes[second] = axes[second], axes[first]
        return self.permuted(axes)

    def permuted(self, axes: Sequence[int]) -> "View":
        """With the axes in this order."""
        shape, strides = zip(*((self.shape[axis], self.strides[axis]) for axis in axes), strict=True)
        return replace(self, shape=shape, strides=strides)

    def with_axis(self, axis: int) -> "View":
        """With a new axis of length 1."""
        axis %= len(self.shape) + 1
        return replace(
            self,
            shape=(*self.shape[:axis], 1, *self.shape[axis:]),
            strides=(*self.strides[:axis], 0, *self.strides[axis:]),
        )

    def without_axes(self, axes: Sequence[int]) -> "View":
        """Without these axes, of which the first element is taken."""
        dropped = {axis % len(self.shape) for axis in axes}
        kept = [axis for axis in range(len(self.shape)) if axis not in dropped]
        return replace(
            self,
            shape=tuple(self.shape[axis] for axis in kept),
            strides=tuple(self.strides[axis] for axis in kept),
        )

    def part(self, axis: int, start: int, length: int, step: int = 1) -> "View":
        """So many elements along an axis."""
        axis %= len(self.shape)
        shape, strides = [*self.shape], [*self.strides]
        shape[axis], strides[axis] = length, strides[axis] * step
        return replace(
            self,
            shape=tuple(shape),
            strides=tuple(strides),
            offset=self.offset + start * self.strides[axis],
        )

    def chosen(self, axis: int, place: str) -> "View":
        """The element along an axis at a place that only the program knows, as C text.

        >>> View.whole("AT(p, {})", (1, 3, 4), offset=7).chosen(1, "id").at(0, 0, "j")
        'AT(p, id * 4 + j + 7)'
        """
        one = self.part(axis, 0, 1)
        stride = self.strides[axis]
        return (
            one
            if self.shape[axis] == 1
            else replace(one, place=one.place.format(f"{place} * {stride} + {{}}"))
        )

    def parts(self, axis: int, lengths: Sequence[int]) -> "Iterator[View]":
        """Consecutive parts of these lengths."""
        start = 0
        for length in lengths:
            yield self.part(axis, start, length)
            start += length

    def expanded(self, shape: Sequence[int]) -> "View":
        """Broadcast to a shape."""
        new = len(shape) - len(self.shape)
        strides = [0 if have == 1 else stride for have, stride in zip(self.shape, self.strides, strict=True)]
        return replace(self, shape=tuple(shape), strides=(*[0] * new, *strides))

    def reshaped(self, shape: Sequence[int]) -> "View | None":
        """With another shape; None if the numbers do not lie in order."""
        if "{}" not in self.place:
            return View(self.place, tuple(shape), (0,) * len(shape))
        long = [(n, stride) for n, stride in zip(self.shape, self.strides, strict=True) if n > 1]
        if tuple(stride for _, stride in long) != contiguous([n for n, _ in long]):
            return None
        return replace(self, shape=tuple(shape), strides=contiguous(shape))


def contiguous(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides of a tensor that lies in order.

    >>> contiguous((1, 3, 4))
    (12, 4, 1)
    """
    return tuple(prod(shape[axis + 1 :]) for axis in range(len(shape)))


def literal(value: float) -> str:
    """A number as C text, exactly."""
    return f"(REAL){float(value)!r}".replace("inf", "(1.0 / 0.0)").replace("nan", "(0.0 / 0.0)")


def _times(index: str | int, stride: int) -> str | int:
    if isinstance(index, int):
        return index * stride
    return 0 if stride == 0 else index if stride == 1 else f"{index} * {stride}"


ZERO: Final = literal(0.0)
