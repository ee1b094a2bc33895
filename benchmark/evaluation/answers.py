"""What a model's answers mean: sets of symbols, as bit masks. Imported by the model's process: numpy and no more."""

import reprlib
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from marnn_bench.evaluation.protocol import Masks

THRESHOLD: Final = 0.5
"""Sigmoid scores from here on put a symbol into the set."""


class BadAnswer(Exception):
    """An answer that means nothing. The text goes on from the name of the function that gave it."""


class AnswerParser:
    """Reads answers about these columns.

    >>> parser = AnswerParser(("(", ")"))
    >>> parser.mask({"("}), parser.mask({")": 0.9, "(": 0.1}), parser.mask([0.5, 0.7])
    (1, 2, 3)
    >>> parser.masks([[0.1, 0.6], [0.5, 0.5]], n=2)[0].tolist()
    [2, 3]
    """

    def __init__(self, columns: tuple[str, ...]) -> None:
        self._columns = columns
        self._bits = {symbol: 1 << i for i, symbol in enumerate(columns)}
        self._powers = np.uint64(1) << np.arange(len(columns), dtype=np.uint64)

    def mask(self, answer: object) -> int:
        """The set that one answer stands for: a set of symbols, a {symbol: score} map, or one score a column."""
        if not isinstance(answer, (set, frozenset, dict, list, tuple)):
            answer = _to_builtin(answer)
        if isinstance(answer, (set, frozenset)):
            return sum(self._bits_of(answer))
        if isinstance(answer, dict):
            return _mask_from_scores(self._bits_of(answer), answer.values())
        if len(answer) != len(self._columns):
            raise BadAnswer(
                f"answered {len(answer)} scores, not {len(self._columns)}: one for each of {self._listed}"
            )
        return _mask_from_scores(self._bits.values(), answer)

    def masks(self, answer: Any, n: int) -> tuple[Masks, NDArray[np.bool_]]:
        """The sets of an (n, columns) array of scores, and which of them hold NaN: [n], [n]."""
        if hasattr(answer, "detach"):  # a torch tensor, perhaps with a gradient, perhaps on another device
            answer = answer.detach().cpu()
        try:
            scores = np.asarray(answer)
        except (TypeError, ValueError) as error:
            raise BadAnswer(f"answered {_type_name(answer)} that is no array of numbers ({error})") from None
        if scores.dtype.kind not in "buif":
            raise BadAnswer(f"answered {_type_name(answer)} of {scores.dtype}, not an array of numbers")
        if scores.shape != (n, len(self._columns)):
            expected = (
                f"({n}, {len(self._columns)}): a row for each stream, a score for each of {self._listed}"
            )
            raise BadAnswer(f"answered an array of shape {scores.shape}, not {expected}")
        nan = np.isnan(scores)
        return (scores >= THRESHOLD) @ self._powers, nan.any(axis=1) if nan.any() else np.zeros(n, np.bool_)

    @property
    def _listed(self) -> str:
        return f"`{' '.join(self._columns)}`"

    def _bits_of(self, symbols: Iterable[Any]) -> list[int]:
        try:
            return [self._bits[symbol] for symbol in symbols]
        except KeyError as error:
            (unknown,) = error.args
        raise BadAnswer(f"answered the unknown symbol {reprlib.repr(unknown)}; there are {self._listed}")


def _to_builtin(answer: Any) -> set[Any] | dict[Any, Any] | list[Any]:
    """A set, dict or list in the place of something that is much like one."""
    if isinstance(answer, AbstractSet):
        return set(answer)
    if isinstance(answer, Mapping):
        return dict(answer)
    if isinstance(listed := answer.tolist() if hasattr(answer, "tolist") else answer, list):
        return listed
    raise BadAnswer(
        f"answered {_type_name(listed)}; it may be a set of symbols, a {{symbol: score}} map or scores"
    )


def _mask_from_scores(bits: Iterable[int], scores: Iterable[Any]) -> int:
    """The bits whose scores reach the threshold, as one mask."""
    mask = 0
    try:
        for bit, score in zip(bits, scores, strict=True):
            if score >= THRESHOLD:
                mask |= bit
            elif not score < THRESHOLD:
                raise BadAnswer("answered NaN")
    except TypeError:
        raise BadAnswer(f"answered {reprlib.repr(score)}, where a score should be") from None
    return mask


def _type_name(answer: object) -> str:
    return "None" if answer is None else f"a {type(answer).__name__}"
