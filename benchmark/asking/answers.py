"""What a model's answers mean, one parser for each kind. Imported by the model's process: numpy and no more."""

import reprlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from math import isnan
from numbers import Real
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from marnn_bench.answer_kinds import AnswerKind
from marnn_bench.asking.protocol import TIE, Answers, dtype_of

THRESHOLD: Final = 0.5
"""Sigmoid scores from here on put a symbol into the set."""

MAX_EXCESS: Final = 1e-4
"""So far the sum of a distribution may be from 1."""

GATHER: Final = np.uint64(sum(1 << (56 - 7 * i) for i in range(8)))

BUILTIN: Final = (set, dict, list, tuple)
"""What an answer is read from; what is much like one of these is made into one."""

Scores = NDArray[np.float64]


class BadAnswer(Exception):
    """An answer that means nothing. The text goes on from the name of the function that gave it."""


class AnswerParser(ABC):
    """Reads answers about these columns."""

    kind: ClassVar[AnswerKind]

    def __init__(self, columns: tuple[str, ...]) -> None:
        self.columns = columns
        self._places = {symbol: i for i, symbol in enumerate(columns)}
        self._listed = f"`{' '.join(columns)}`"

    def blank(self, n: int) -> Answers:
        """Answers that mean nothing: [n] or [n, columns]."""
        shape = (n, len(self.columns)) if self.kind in ("scores", "distributions") else (n,)
        return np.zeros(shape, dtype_of(self.kind))

    @abstractmethod
    def one(self, answer: Any) -> Any:
        """One answer; BadAnswer if it has no meaning."""

    def rows(
        self, answer: Any, n: int, counted: NDArray[np.bool_]
    ) -> tuple[Answers, NDArray[np.bool_] | None]:
        """Of an (n, columns) array of scores a row each, and which of the rows that are `counted` hold NaN, if any do.

        BadAnswer if the array cannot be read, or a counted row without NaN has no meaning.
        """
        scores = self._array(answer, n)
        if not isnan(np.add.reduce(scores, axis=None)):  # infinities of both signs are looked at below
            return self._read(scores, counted), None
        nan = np.isnan(scores).any(axis=1)
        values = self._read(np.where(nan[:, None], 0, scores), counted & ~nan)
        values[nan] = 0
        return values, nan & counted

    @abstractmethod
    def _read(self, scores: Scores, counted: NDArray[np.bool_]) -> Answers:
        """What rows of scores without NaN mean."""

    def _array(self, answer: Any, n: int) -> NDArray[Any]:
        scores = to_array(answer)
        if scores.dtype.kind not in "buif":
            raise BadAnswer(f"answered {_type_name(answer)} of {scores.dtype}, not an array of numbers")
        width = len(self.columns)
        if scores.shape != (n, width):
            expected = f"({n}, {width}): a row for each stream, a score for each of {self._listed}"
            raise BadAnswer(f"answered an array of shape {scores.shape}, not {expected}")
        return scores

    def _place_of(self, symbol: Any) -> int:
        try:
            return self._places[symbol]
        except (KeyError, TypeError):
            raise BadAnswer(
                f"answered the unknown symbol {reprlib.repr(symbol)}; there are {self._listed}"
            ) from None

    def _check_width(self, answer: list[Any] | tuple[Any, ...]) -> None:
        if answer and all(isinstance(symbol, str) for symbol in answer):
            raise BadAnswer(
                f"answered a {type(answer).__name__} of symbols, {reprlib.repr(answer)}: return a set"
            )
        if len(answer) != len(self.columns):
            raise BadAnswer(
                f"answered {len(answer)} scores, not {len(self.columns)}: one for each of {self._listed}"
            )


class SetParser(AnswerParser):
    """A set of symbols, or the symbols whose scores reach the threshold, as a mask.

    >>> parser = SetParser(("(", ")"))
    >>> parser.one({"("}), parser.one({")": 0.9, "(": 0.1}), parser.one([0.5, 0.7])
    (1, 2, 3)
    >>> parser.rows([[0.1, 0.6], [0.5, 0.5]], 2, np.ones(2, bool))[0].tolist()
    [2, 3]
    """

    kind: ClassVar[AnswerKind] = "sets"

    def __init__(self, columns: tuple[str, ...]) -> None:
        super().__init__(columns)
        self._bits = {symbol: 1 << i for i, symbol in enumerate(columns)}

    def one(self, answer: Any) -> int:
        if not isinstance(answer, BUILTIN):
            answer = _to_builtin(answer)
        if isinstance(answer, set):  # in a loop of its own: most models answer so, a million times
            mask, bits = 0, self._bits
            try:
                for symbol in answer:
                    mask |= bits[symbol]
            except KeyError:
                self._place_of(symbol)
            return mask
        if isinstance(answer, dict):
            return _mask_from_scores(self._bits_of(answer), answer.values())
        if len(answer) != len(self._bits) or isinstance(answer[0], str):
            self._check_width(answer)
        return _mask_from_scores(self._bits.values(), answer)

    def _read(self, scores: Scores, counted: NDArray[np.bool_]) -> Answers:
        return to_masks(np.ascontiguousarray(scores >= THRESHOLD))

    def _bits_of(self, symbols: Iterable[Any]) -> list[int]:
        try:
            return [self._bits[symbol] for symbol in symbols]
        except KeyError as error:
            (unknown,) = error.args
        raise BadAnswer(f"answered the unknown symbol {reprlib.repr(unknown)}; there are {self._listed}")


class ScoreParser(AnswerParser):
    """A score for each column; a symbol of a set counts 1, one that is not named 0.

    >>> ScoreParser(("(", ")")).one({")"}), ScoreParser(("(", ")")).one({"(": 0.7})
    ([0.0, 1.0], [0.7, 0.0])
    """

    kind: ClassVar[AnswerKind] = "scores"

    def one(self, answer: Any) -> list[float]:
        if not isinstance(answer, BUILTIN):
            answer = _to_builtin(answer)
        if isinstance(answer, set):
            answer = dict.fromkeys(answer, 1.0)
        if not isinstance(answer, dict):
            self._check_width(answer)
            return [_number(score) for score in answer]
        scores = [0.0] * len(self.columns)
        for symbol, score in answer.items():
            scores[self._place_of(symbol)] = _number(score)
        return scores

    def _read(self, scores: Scores, counted: NDArray[np.bool_]) -> Answers:
        return scores.astype(np.float64)


class ChoiceParser(ScoreParser):
    """The column with the highest score, TIE if there are several.

    >>> parser = ChoiceParser(("a", "b", "END"))
    >>> parser.one({"END"}), parser.one([0.3, 0.4, 0.1]), parser.one({"a", "b"})
    (2, 1, -1)
    """

    kind: ClassVar[AnswerKind] = "choices"

    def one(self, answer: Any) -> int:  # type: ignore[override]
        scores = super().one(answer)
        highest = max(scores)
        return scores.index(highest) if scores.count(highest) == 1 else TIE

    def _read(self, scores: Scores, counted: NDArray[np.bool_]) -> Answers:
        highest = scores.max(axis=1, keepdims=True)
        return np.where((scores == highest).sum(axis=1) == 1, scores.argmax(axis=1), TIE)


class DistributionParser(ScoreParser):
    """A probability for each column, one that is not named 0.

    >>> DistributionParser(("a", "END")).one({"END": 1.0})
    [0.0, 1.0]
    """

    kind: ClassVar[AnswerKind] = "distributions"

    def one(self, answer: Any) -> list[float]:
        if isinstance(answer, AbstractSet):
            raise BadAnswer("answered a set, where probabilities are asked for: a number for each symbol")
        scores = super().one(answer)
        if not abs(sum(scores) - 1) <= MAX_EXCESS:
            raise BadAnswer(f"answered numbers whose sum is {sum(scores):.6g}, not 1: give probabilities")
        if min(scores) < 0:
            raise BadAnswer(f"answered a negative probability, {min(scores):.6g}")
        return scores

    def _read(self, scores: Scores, counted: NDArray[np.bool_]) -> Answers:
        scores = scores.astype(np.float64)
        with np.errstate(invalid="ignore"):  # infinities of both signs, whose sum is no number
            sums = scores.sum(axis=1)
        if (wrong := counted & ~(abs(sums - 1) <= MAX_EXCESS)).any():
            raise BadAnswer(f"answered numbers whose sum is {sums[wrong][0]:.6g}, not 1: give probabilities")
        if (scores[counted] < 0).any():
            raise BadAnswer(f"answered a negative probability, {scores[counted].min():.6g}")
        return scores


class MembershipParser(AnswerParser):
    """The probability that the string so far is a member: a number, or an array with one.

    >>> MembershipParser(("member",)).one(True)
    1.0
    """

    kind: ClassVar[AnswerKind] = "membership"

    def one(self, answer: Any) -> float:
        if not isinstance(answer, Real | bool | np.bool_):
            listed = _flattened(answer)
            if len(listed) != 1:
                raise BadAnswer(
                    f"answered {_type_name(answer)}, not the probability that the string is a member"
                )
            (answer,) = listed
        return _number(answer)

    def _read(self, scores: Scores, counted: NDArray[np.bool_]) -> Answers:
        return scores[:, 0].astype(np.float64)

    def _array(self, answer: Any, n: int) -> NDArray[Any]:
        scores = to_array(answer)
        return super()._array(scores[:, None] if scores.ndim == 1 else scores, n)


PARSERS: Final[dict[str, type[AnswerParser]]] = {
    parser.kind: parser
    for parser in (SetParser, ScoreParser, ChoiceParser, DistributionParser, MembershipParser)
}


def to_masks(chosen: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Rows of truth values, one behind the other in memory, as bit masks: [n, columns], at most 64 of them -> [n].

    Eight bytes of 0 or 1 times GATHER have the eight bits in the product's highest byte: byte i goes to bit 56 + i, and
    no two products of their bits meet, so that nothing is carried.

    >>> to_masks(np.array([[True, False, True], [False, True, True]])).tolist()
    [5, 6]
    """
    n, columns = chosen.shape
    if columns in (1, 2, 4, 8):
        octets = chosen.view(f"<u{columns}").astype("<u8")
    else:
        padded = np.zeros((n, -(-columns // 8) * 8), np.bool_)
        padded[:, :columns] = chosen
        octets = padded.view("<u8")
    gathered = octets * GATHER >> np.uint64(56)  # [n, octets]
    masks = gathered[:, 0]
    for octet in range(1, gathered.shape[1]):
        masks = masks | gathered[:, octet] << np.uint64(8 * octet)
    return np.asarray(masks, np.uint64)


def to_array(answer: Any) -> NDArray[Any]:
    """A numpy array of whatever holds numbers: lists, arrays, tensors of any type and device."""
    if hasattr(answer, "detach"):  # a torch tensor, perhaps with a gradient, perhaps on another device
        answer = answer.detach().cpu()
        if answer.dtype.is_floating_point:
            answer = answer.double()  # numpy has no bfloat16
    try:
        return np.asarray(answer)
    except (TypeError, ValueError) as error:
        raise BadAnswer(f"answered {_type_name(answer)} that is no array of numbers ({error})") from None


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


def _flattened(answer: Any) -> list[Any]:
    listed = answer.tolist() if hasattr(answer, "tolist") else answer
    while isinstance(listed, list | tuple) and len(listed) == 1 and isinstance(listed[0], list | tuple):
        (listed,) = listed
    if isinstance(listed, list | tuple):
        return list(listed)
    return [listed] if isinstance(listed, Real) else []


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


def _number(score: Any) -> float:
    try:
        number = float("nothing" if isinstance(score, str | bytes) else score)
    except (TypeError, ValueError):
        raise BadAnswer(f"answered {reprlib.repr(score)}, where a score should be") from None
    if isnan(number):
        raise BadAnswer("answered NaN")
    return number


def _type_name(answer: object) -> str:
    return "None" if answer is None else f"a {type(answer).__name__}"
