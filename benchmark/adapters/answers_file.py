r"""Answers that were written beforehand, as a model: a file with a row for each string.

JSON lines or Parquet, with two columns, `input`, the string, and `answer`:

    next-symbol, synchronous   for each symbol the set behind it: [["(", ")"], ["("]], or as text "(/) ("
    transduction               the output as text: "c b a"
    recognition                true, false, or the probability that it is a member
    language-modelling         for nothing and each symbol the probabilities of symbols and END, [[.5, .25, .25], ...]

A model is asked about prefixes, so that strings that begin alike have to be answered alike as long as they do.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from marnn_bench.asking.protocol import Failure, ModelTask
from marnn_bench.generators.alphabet import END
from marnn_bench.views import SEPARATOR

PARQUET: Final = ".parquet"
EMPTY: Final = "-"
"""How an empty set is written as text."""

Prefix = tuple[str, ...]


@dataclass
class AnswersFile:
    """The answers in a file, by prefix.

    In a model file:

        load = AnswersFile.of("answers.jsonl")
    """

    name: str
    answers: dict[Prefix, Any] = field(default_factory=dict)

    @staticmethod
    def of(file: str | Path) -> "Callable[[ModelTask], AnswersFile]":
        """The `load` of a model file for a file of answers; `{run}` in its name is the number of the run."""

        def load(task: ModelTask) -> AnswersFile:
            path = Path(str(file).format(run=task.run))
            found = Memberships(path.name) if task.view == "recognition" else SymbolAnswers(path.name)
            for number, row in enumerate(_rows(path)):
                try:
                    found.add(task, str(row["input"]).split(), row["answer"])
                except (KeyError, TypeError, ValueError) as error:
                    raise Failure("usage", f"{path.name}, row {number}: {_said(error)}.") from None
            return found

        return load

    def add(self, task: ModelTask, string: Sequence[str], answer: Any) -> None:
        """The answers about a string and its prefixes. ValueError if they are not what such a task has."""
        for prefix, said in _by_prefix(task, tuple(string), answer):
            before = self.answers.setdefault(prefix, said)
            if before != said:
                shown = " ".join(prefix[-8:])
                raise ValueError(f"after `{shown}` the answer is {said}, but {before} in a row above")

    def answer(self, prefix: Prefix) -> Any:
        """The answer about a prefix. Failure if there is none."""
        if prefix not in self.answers:
            shown = " ".join(["…", *prefix[-8:]] if len(prefix) > 8 else prefix)
            raise Failure("answer", f"has no row that begins with `{shown}`", self.name)
        return self.answers[prefix]


class Memberships(AnswersFile):
    """Answers about whole strings."""

    def accepts(self, string: Prefix) -> Any:
        """The probability that a string is a member."""
        return self.answer(string)


class SymbolAnswers(AnswersFile):
    """Answers about what comes next."""

    def predict_batch(self, prefixes: Sequence[Prefix]) -> list[Any]:
        """The answers about these prefixes."""
        return [self.answer(prefix) for prefix in prefixes]


def _by_prefix(task: ModelTask, string: Prefix, answer: Any) -> Iterator[tuple[Prefix, Any]]:
    """Each prefix that is asked about, and what is answered."""
    if task.view == "recognition":
        yield string, float(answer)
        return
    if task.view == "transduction":
        output = (*str(answer).split(), END)
        for place, symbol in enumerate(output):
            yield (*string, SEPARATOR, *output[:place]), {symbol}
        return
    first = 0 if task.view == "language-modelling" else 1
    listed = answer.split() if isinstance(answer, str) else answer
    if len(listed) != len(string) + 1 - first:
        raise ValueError(f"{len(listed)} answers about {len(string)} symbols")
    for place, said in enumerate(listed, first):
        yield string[:place], list(said) if first == 0 else _set_of(said)


def _set_of(said: Any) -> Any:
    """A set of symbols; a list of numbers, which are scores, stays one."""
    if isinstance(said, str):
        return set() if said == EMPTY else set(said.split("/"))
    if isinstance(said, Mapping):
        return dict(said)
    return list(said) if said and not isinstance(said[0], str) else set(said)


def _rows(path: Path) -> Iterator[Mapping[str, Any]]:
    if not path.is_file():
        raise Failure("usage", f"There is no file {path}.")
    if path.suffix == PARQUET:
        import pyarrow.parquet as pq

        for batch in pq.ParquetFile(path).iter_batches():
            yield from batch.to_pylist()
        return
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            try:
                yield json.loads(line)
            except (ValueError, RecursionError):
                raise Failure("usage", f"{path.name}, line {number + 1} is no JSON.") from None


def _said(error: Exception) -> str:
    return f"it has no {error}" if isinstance(error, KeyError) else str(error)
