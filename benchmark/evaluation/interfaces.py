"""The three interfaces that a model file can have: reset + step, predict_batch, predict. They run in the model's process.

Every interface is fed one symbol for each stream at a time and gives back one set each; those that want whole prefixes
keep them here. What goes wrong in some streams only is reported; what leaves all without an answer is raised.
"""

import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from marnn_bench.evaluation.answers import AnswerParser, BadAnswer
from marnn_bench.evaluation.protocol import Failure, Ids, Masks, ModelTask

Report = Callable[[Failure], None]
Prefix = tuple[str, ...]

USAGE: Final = 2
"""Exit code of errors that say how a command is to be given."""

MAX_DETAILS: Final = 20_000
"""Characters of a traceback that are kept."""


class Interface(ABC):
    """One way to ask a model for the set after each symbol."""

    name: ClassVar[str]
    functions: ClassVar[tuple[str, ...]]
    """What a model file defines to have this interface."""

    def __init__(self, module: Any, task: ModelTask) -> None:
        self._module = module
        self._alphabet = task.alphabet
        self._parser = AnswerParser(task.columns)

    @abstractmethod
    def reset(self, n: int) -> None:
        """Begin n streams."""

    @abstractmethod
    def step(self, ids: Ids, report: Report) -> Masks:
        """Add a symbol to each stream that is not FINISHED: the set that each answers, 0 where there is none: [n]."""

    def _read_rows(self, answer: Any, n: int) -> tuple[Masks, NDArray[np.bool_]]:
        """The sets of an array of scores, a row each, and which rows hold NaN: [n], [n]."""
        try:
            return self._parser.masks(answer, n)
        except BadAnswer as error:
            raise self._failure(error) from None

    def _report_nan(self, streams: NDArray[np.int64], report: Report) -> None:
        if len(streams):
            report(self._failure("answered NaN", streams.tolist()))

    def _failure(self, what: object, streams: list[int] | None = None) -> Failure:
        return Failure("answer", str(what), self.functions[-1], streams=streams)


class StepInterface(Interface):
    """`reset(n)` and `step(ids)`: the model keeps its state. A finished stream is fed 0 and ignored."""

    name = "step"
    functions = ("reset", "step")

    def reset(self, n: int) -> None:
        call("reset", self._module.reset, n)

    def step(self, ids: Ids, report: Report) -> Masks:
        live = ids >= 0
        scores = call("step", self._module.step, np.where(live, ids, 0))
        masks, nan = self._read_rows(scores, len(ids))
        self._report_nan(np.flatnonzero(nan & live), report)
        masks[nan | ~live] = 0
        return masks


class PrefixInterface(Interface):
    """What is common to the interfaces that want whole prefixes, as tuples of symbols."""

    def reset(self, n: int) -> None:
        self._prefixes: list[Prefix] = [()] * n

    def _extend(self, ids: Ids) -> Iterator[tuple[int, Prefix]]:
        """Each stream that goes on, and its prefix with the new symbol."""
        prefixes, alphabet = self._prefixes, self._alphabet
        for stream, symbol in enumerate(ids.tolist()):
            if symbol >= 0:
                prefixes[stream] = prefix = (*prefixes[stream], alphabet[symbol])
                yield stream, prefix


class PredictBatchInterface(PrefixInterface):
    """`predict_batch(prefixes)`: a list of prefixes, of different strings, and an answer for each."""

    name = "predict_batch"
    functions = ("predict_batch",)

    def step(self, ids: Ids, report: Report) -> Masks:
        extended = list(self._extend(ids))
        streams = np.array([stream for stream, _ in extended])
        answers = call("predict_batch", self._predict_all, [prefix for _, prefix in extended])
        masks = np.zeros(len(ids), np.uint64)
        if isinstance(answers, list):
            masks[streams] = self._read_list(answers, streams, report)
        else:
            found, nan = self._read_rows(answers, len(streams))
            self._report_nan(streams[nan], report)
            masks[streams] = np.where(nan, 0, found)
        return masks

    def _predict_all(self, prefixes: list[Prefix]) -> Any:
        """An array or tensor of scores as it is, anything else as a list of answers."""
        answers = self._module.predict_batch(prefixes)
        if getattr(answers, "ndim", 0) == 2:
            return answers
        return list(answers) if isinstance(answers, Iterable) else [answers]

    def _read_list(self, answers: list[Any], streams: NDArray[np.int64], report: Report) -> list[int]:
        if len(answers) != len(streams):
            raise self._failure(f"gave {len(answers)} answers to {len(streams)} prefixes")
        masks = [0] * len(answers)
        for row, answer in enumerate(answers):
            try:
                masks[row] = self._parser.mask(answer)
            except BadAnswer as error:
                report(self._failure(error, [int(streams[row])]))
        return masks


class PredictInterface(PrefixInterface):
    """`predict(prefix)`: one prefix, one answer."""

    name = "predict"
    functions = ("predict",)

    def step(self, ids: Ids, report: Report) -> Masks:
        predict, read = self._module.predict, self._parser.mask
        masks = [0] * len(ids)
        for stream, prefix in self._extend(ids):
            try:
                masks[stream] = read(predict(prefix))
            except BadAnswer as error:
                report(self._failure(error, [stream]))
            except BaseException as error:  # noqa: BLE001 (whatever a model may raise)
                report(raised("predict", error, [stream]))
        return np.array(masks, np.uint64)


INTERFACES: Final = (StepInterface, PredictBatchInterface, PredictInterface)
"""Fastest first."""


def find_interface(module: Any, task: ModelTask) -> Interface:
    """The fastest interface that a model file, or an object in its place, has."""
    meaning = getattr(module, "scores", None)
    if isinstance(meaning, str) and meaning != "sigmoid":
        raise Failure(
            "answer", f'says scores = {meaning!r}; the answers to {task.name} are sets, read from "sigmoid"'
        )
    for interface in INTERFACES:
        if all(callable(getattr(module, name, None)) for name in interface.functions):
            return interface(module, task)
    raise Failure("interface", "defines none of predict, predict_batch, reset + step")


def call(name: str, function: Callable[..., Any], *arguments: object) -> Any:
    """Call a function of the model's; a Failure if it raises anything."""
    try:
        return function(*arguments)
    except BaseException as error:  # noqa: BLE001 (whatever a model may raise)
        raise raised(name, error) from None


def raised(name: str, error: BaseException, streams: list[int] | None = None) -> Failure:
    """The failure that an exception out of a function of the model's is, with its traceback from that function on."""
    trace = error.__traceback__ and error.__traceback__.tb_next
    details = "".join(traceback.format_exception(type(error), error, trace))[-MAX_DETAILS:]
    if _out_of_memory(error):
        return Failure("memory", "ran out of memory", name, details, streams)
    if getattr(error, "exit_code", None) == USAGE:  # one of our own, from a train folder's model
        return Failure("usage", _one_line(error).partition(": ")[2], name, details, streams)
    return Failure("raised", f"raised {_one_line(error)}", name, details, streams)


def _out_of_memory(error: BaseException) -> bool:
    """Python's and numpy's, torch's on a GPU, torch's on the CPU."""
    return (
        isinstance(error, MemoryError)
        or type(error).__name__ == "OutOfMemoryError"
        or "can't allocate memory" in _one_line(error)
    )


def _one_line(error: BaseException) -> str:
    try:
        lines = str(error).strip().splitlines()
    except Exception:  # noqa: BLE001 (it is the model's)
        lines = ["(without a readable message)"]
    return f"{type(error).__name__}: {lines[0][:200]}" if lines else type(error).__name__
