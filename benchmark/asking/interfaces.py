"""The interfaces that a model file can have: reset + step, predict_batch, predict, accepts. They run in the model's process.

Every interface is fed one symbol for each stream at a time and gives back an answer for each whose answer is wanted;
those that want whole prefixes keep them here. What goes wrong in some streams only is reported; what leaves all without
an answer is raised.
"""

import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from marnn_bench.asking.answers import (
    PARSERS,
    AnswerParser,
    BadAnswer,
    MembershipParser,
    SetParser,
    to_array,
)
from marnn_bench.asking.protocol import (
    NONE,
    OF_PROBABILITIES,
    Answers,
    Failure,
    Ids,
    ModelTask,
    Requests,
    Wanted,
    split_requests,
)
from marnn_bench.generators.alphabet import END

Report = Callable[[Failure], None]
Progress = Callable[[int], object]
"""Told how many answers came."""

Pending = Callable[[Report, Progress], Answers]
"""Answers that are on their way."""

Prefix = tuple[str, ...]
Streams = NDArray[np.int64]
"""Numbers of streams: [k]."""

USAGE: Final = 2
"""Exit code of errors that say how a command is to be given."""

EVERY: Final = 15
"""Between two looks at the clock lie so many answers, and one."""

MAX_DETAILS: Final = 20_000
"""Characters of a traceback that are kept."""


class Interface(ABC):
    """One way to ask a model after each symbol."""

    name: ClassVar[str]
    functions: ClassVar[tuple[str, ...]]
    """What a model file defines to have this interface."""

    def __init__(self, module: Any, task: ModelTask, parser: AnswerParser) -> None:
        self._module = module
        self._alphabet = task.alphabet
        self.parser = parser
        self.progress: Progress = ignore
        """Told now and then how many answers of a round there are."""

    @abstractmethod
    def reset(self, n: int) -> None:
        """Begin n streams."""

    @abstractmethod
    def first(self, n: int, wanted: Wanted, report: Report) -> Answers:
        """What n streams that have just begun answer about the empty prefix: [n] or [n, columns]."""

    @abstractmethod
    def step(self, symbols: Ids, wanted: Wanted, report: Report) -> Answers:
        """Add a symbol to each stream, unless it is NONE: what each answers whose answer is wanted: [n] or [n, columns]."""

    def _read_rows(self, answer: Any, streams: Streams, wanted: Wanted, report: Report) -> Answers:
        """The answers in an array of scores, a row for each of some streams: [k] or [k, columns]."""
        try:
            values, nan = self.parser.rows(answer, len(streams), wanted)
        except BadAnswer as error:
            raise self._failure(error) from None
        if nan is not None and nan.any():
            report(self._failure("answered NaN", streams[nan].tolist()))
        return values

    def _failure(self, what: object, streams: list[int] | None = None) -> Failure:
        return Failure("answer", str(what), self.functions[-1], streams=streams)


class StepInterface(Interface):
    """`reset(n)` and `step(ids)`: the model keeps its state. A finished stream is fed 0 and ignored."""

    name = "step"
    functions = ("reset", "step")

    def reset(self, n: int) -> None:
        self._first = call("reset", self._module.reset, n)

    def first(self, n: int, wanted: Wanted, report: Report) -> Answers:
        if self._first is None:
            what = "returned nothing: this task also asks about the empty prefix, so return the scores for it"
            raise Failure("answer", what, "reset")
        try:
            return self._read_rows(self._first, np.arange(n), wanted, report)
        except Failure as failure:
            raise Failure("answer", failure.what, "reset") from None

    def step(self, symbols: Ids, wanted: Wanted, report: Report) -> Answers:
        return self.read(self.ask(symbols), wanted, report)

    def ask(self, symbols: Ids) -> Any:
        """What the model gives, whatever that is."""
        return call("step", self._module.step, np.maximum(symbols, 0).astype(np.int64))

    def read(self, scores: Any, wanted: Wanted, report: Report) -> Answers:
        """The answers in that."""
        if not np.count_nonzero(wanted):
            return self.parser.blank(len(wanted))
        return self._read_rows(scores, np.arange(len(wanted)), wanted, report)


class PrefixInterface(Interface):
    """What is common to the interfaces that want whole prefixes, as tuples of symbols."""

    def reset(self, n: int) -> None:
        self._prefixes: list[Prefix] = [()] * n
        self._added: list[Prefix] = [*((symbol,) for symbol in self._alphabet), ()]  # at NONE nothing

    def first(self, n: int, wanted: Wanted, report: Report) -> Answers:
        """One question for all: they ask about the same prefix, so that its failure is theirs."""
        answers = self._ask(np.zeros(1, np.int64), _raise_for_all)
        return np.repeat(answers, n, axis=0)

    def step(self, symbols: Ids, wanted: Wanted, report: Report) -> Answers:
        added = self._added
        self._prefixes = [
            prefix + added[symbol] for prefix, symbol in zip(self._prefixes, symbols.tolist(), strict=True)
        ]
        count = np.count_nonzero(wanted)
        if count == len(symbols):
            return self._ask(np.arange(len(symbols)), report)
        answers = self.parser.blank(len(symbols))
        if count:
            answers[wanted] = self._ask(np.flatnonzero(wanted), report)
        return answers

    @abstractmethod
    def _ask(self, streams: Streams, report: Report) -> Answers:
        """What is answered about the prefixes of these streams: [k] or [k, columns]."""


class PredictBatchInterface(PrefixInterface):
    """`predict_batch(prefixes)`: a list of prefixes, of different strings, and an answer for each."""

    name = "predict_batch"
    functions = ("predict_batch",)

    def _ask(self, streams: Streams, report: Report) -> Answers:
        answers = call(
            "predict_batch", self._predict_all, [self._prefixes[stream] for stream in streams.tolist()]
        )
        if isinstance(answers, list):
            return self._read_list(answers, streams, report)
        return self._read_rows(answers, streams, np.ones(len(streams), np.bool_), report)

    def _predict_all(self, prefixes: list[Prefix]) -> Any:
        """An array or tensor of scores as it is, anything else as a list of answers."""
        answers = self._module.predict_batch(prefixes)
        if getattr(answers, "ndim", 0) == 2:
            return answers
        return list(answers) if isinstance(answers, Iterable) else [answers]

    def _read_list(self, answers: list[Any], streams: Streams, report: Report) -> Answers:
        if len(answers) != len(streams):
            raise self._failure(f"gave {len(answers)} answers to {len(streams)} prefixes")
        values = self.parser.blank(len(streams))
        for row, answer in enumerate(answers):
            try:
                values[row] = self.parser.one(answer)
            except BadAnswer as error:
                report(self._failure(error, [int(streams[row])]))
        return values


class PredictInterface(PrefixInterface):
    """`predict(prefix)`: one prefix, one answer."""

    name = "predict"
    functions = ("predict",)

    def _ask(self, streams: Streams, report: Report) -> Answers:
        (function,) = self.functions
        predict, read, prefixes = getattr(self._module, function), self.parser.one, self._prefixes
        nothing = self.parser.blank(1)
        values = [nothing[0].tolist()] * len(streams)
        for row, stream in enumerate(streams.tolist()):
            if row & EVERY == 0:
                self.progress(row)
            try:
                values[row] = read(predict(prefixes[stream]))
            except BadAnswer as error:
                report(self._failure(error, [stream]))
            except Failure as failure:
                failure.streams = [stream]
                report(failure)
            except BaseException as error:  # noqa: BLE001 (whatever a model may raise)
                report(raised(function, error, [stream]))
        return np.array(values, nothing.dtype)


class AcceptsInterface(PredictInterface):
    """`accepts(string)`: whether a whole string is a member, in recognition tasks."""

    name = "accepts"
    functions = ("accepts",)


class MembershipOfSets(Interface):
    """The answers of a next-symbol model in a recognition task: a member is a string of which every symbol is in the
    set of its prefix, and END in the last one."""

    def __init__(self, sets: Interface, task: ModelTask) -> None:
        self.name, self.functions = sets.name, sets.functions  # type: ignore[misc]
        super().__init__(None, task, MembershipParser(task.columns))
        self._sets = sets

    def reset(self, n: int) -> None:
        self._sets.reset(n)
        self._allowed = np.ones(n, np.bool_)  # every symbol so far was in its set
        self._masks = self._sets.first(n, self._allowed, _raise_for_all)

    def first(self, n: int, wanted: Wanted, report: Report) -> Answers:
        return self._membership()

    def step(self, symbols: Ids, wanted: Wanted, report: Report) -> Answers:
        fed = symbols >= 0
        self._allowed[fed] &= (self._masks[fed] >> symbols[fed].astype(np.uint64) & np.uint64(1)).astype(
            np.bool_
        )
        self._masks = self._sets.step(symbols, fed, report)
        return self._membership()

    def _membership(self) -> Answers:
        ends = self._masks >> np.uint64(len(self._sets.parser.columns) - 1) & np.uint64(1)
        return (self._allowed & ends.astype(np.bool_)).astype(np.float64)


INTERFACES: Final = (StepInterface, PredictBatchInterface, PredictInterface)
"""Fastest first."""

MEANINGS: Final = ("sigmoid", "probabilities")
"""What a model file can say that its scores are."""


def has_interface(module: Any) -> bool:
    """Whether a model file, or an object in its place, defines any."""
    return any(_defines(module, interface) for interface in (*INTERFACES, AcceptsInterface))


def find_interface(module: Any, task: ModelTask, meaning: object = None) -> Interface:
    """The fastest interface that a model file, or an object in its place, has.

    meaning:  what its scores are, where it does not say so itself
    """
    meaning = getattr(module, "scores", meaning)
    if isinstance(meaning, str) and meaning not in MEANINGS:
        raise Failure("answer", f"says scores = {meaning!r}; it may be {' or '.join(map(repr, MEANINGS))}")
    if task.answer == "membership" and _defines(module, AcceptsInterface):
        return AcceptsInterface(module, task, MembershipParser(task.columns))
    for interface in INTERFACES:
        if _defines(module, interface):
            if task.answer == "membership" and _answers_sets(module, interface):
                if meaning == "probabilities":
                    raise Failure(
                        "answer",
                        "answers with probabilities of symbols; give the one that the string is a member",
                    )
                columns = (*task.alphabet, END)
                return MembershipOfSets(interface(module, task, SetParser(columns)), task)
            kind = task.answer
            if meaning == "probabilities":
                kind = OF_PROBABILITIES.get(kind, kind)
            return interface(module, task, PARSERS[kind](task.columns))
    also = ", accepts" if task.answer == "membership" else ""
    raise Failure("interface", f"defines none of predict, predict_batch, reset + step{also}")


def _defines(module: Any, interface: type[Interface]) -> bool:
    return all(callable(getattr(module, name, None)) for name in interface.functions)


def _answers_sets(module: Any, interface: type[Interface]) -> bool:
    """Whether a model answers a recognition task with next-symbol sets: it is asked about the empty prefix."""
    if interface is StepInterface:
        first = call("reset", module.reset, 1)
        return first is not None and np.shape(to_array(first))[-1:] != (1,)
    name = interface.functions[0]
    if interface is PredictBatchInterface:
        answers = call(name, module.predict_batch, [()])
        answer = next(iter(answers), None) if isinstance(answers, Iterable) else None
    else:
        answer = call(name, module.predict, ())
    return isinstance(answer, AbstractSet | Mapping) or np.size(to_array(answer)) > 1


def answer_requests(interface: Interface, requests: Requests, report: Report) -> Answers:
    """What a model answers to a STEP: [n] or [n, columns]."""
    symbols, wanted = split_requests(requests)
    if np.maximum.reduce(symbols) != NONE:
        return interface.step(symbols, wanted, report)
    return interface.first(len(symbols), wanted, report)


def ignore(answers: int) -> None:
    """Progress that nobody waits for."""


def _raise_for_all(failure: Failure) -> None:
    failure.streams = None
    raise failure


def call(name: str, function: Callable[..., Any], *arguments: object) -> Any:
    """Call a function of the model's; a Failure if it raises anything, that itself if it is one of an adapter's."""
    try:
        return function(*arguments)
    except Failure:
        raise
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
