"""The prompts by which a model that reads text is asked: a rule in words, solved examples of the train split, the question."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from marnn_bench.asking.protocol import Failure, ModelTask
from marnn_bench.generators.alphabet import END
from marnn_bench.views import SEPARATOR

Message = Mapping[str, str]
Prefix = tuple[str, ...]

YES, NO = "yes", "no"

RULES: Final = {
    "transduction": "You rewrite sequences of symbols by a rule that the examples follow. Answer with the output alone: symbols "
    "separated by spaces.",
    "recognition": "You decide whether strings belong to a formal language that the examples define. Answer with yes or no "
    "alone.",
    "next-symbol": "You continue strings of a formal language that the examples define. Symbols are separated by spaces. Answer "
    f"with the next symbol alone, {END} after a complete string.",
    "language-modelling": "You continue strings of a formal language, drawn as the examples are. Symbols are separated by "
    f"spaces. Answer with the next symbol alone, {END} after the last one.",
}
"""What is said first, by view."""

SPARE: Final = 4
"""So many times as many tokens as symbols may an output have."""

EMPTY: Final = "(empty)"


@dataclass(frozen=True)
class Prompt:
    """How a task is put into words.

    shots:  solved examples: what is asked, and the answer
    """

    task: ModelTask
    shots: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, task: ModelTask, shots: int) -> "Prompt":
        """With the first rows of the train split. Failure for a view that has no prompt."""
        if task.view not in RULES:
            views = ", ".join(RULES)
            raise Failure("usage", f"{task.name}: an endpoint is asked for {views}, not {task.view}.")
        train = task.train().take(range(shots))
        return cls(task, tuple(_shot(task, train[row]) for row in range(len(train))))

    @property
    def reads_text(self) -> bool:
        """Whether the answer is a text, not the probabilities of what comes next."""
        return self.task.view in ("transduction", "recognition")

    @property
    def longest_answer(self) -> int:
        """How many tokens an answer may have."""
        longest = max((len(answer.split()) for _, answer in self.shots), default=64)
        return SPARE * max(64, longest) if self.task.view == "transduction" else SPARE

    def asked(self, prefix: Prefix) -> Prefix:
        """What a call is about: of a transduction the source, which is asked once for the whole output."""
        return prefix[: prefix.index(SEPARATOR)] if SEPARATOR in prefix else prefix

    def messages(self, asked: Prefix) -> list[Message]:
        """The conversation that asks about this."""
        turns = [turn for shot in self._turns() for turn in shot]
        return [
            {"role": "system", "content": self._rule()},
            *turns,
            {"role": "user", "content": _spelt(asked)},
        ]

    def read(self, prefix: Prefix, text: str) -> Any:
        """What a text answers: the next symbol of the output, or the probability of membership.

        An output symbol that there is not is no symbol, which is wrong; a text that says neither yes nor no is given back,
        which is refused.
        """
        words = text.split()
        if self.task.view == "recognition":
            word = words[0].strip(".,!:").lower() if words else ""
            return {YES: 1.0, NO: 0.0}.get(word, text)
        place = len(prefix) - prefix.index(SEPARATOR) - 1
        symbol = words[place] if place < len(words) else END
        return {symbol} if symbol in self.task.columns else {}

    def chosen(self, probabilities: Mapping[str, float], least: float) -> Any:
        """What probabilities of the columns answer: they themselves, of one, or the set of those that are large enough."""
        if self.task.view == "language-modelling":
            total = sum(probabilities.values())
            return {symbol: probability / total for symbol, probability in probabilities.items()}
        return {symbol for symbol, probability in probabilities.items() if probability >= least}

    def _rule(self) -> str:
        return f"{RULES[self.task.view]} Symbols: {' '.join(self.task.alphabet)}."

    def _turns(self) -> Iterator[Sequence[Message]]:
        for question, answer in self.shots:
            yield {"role": "user", "content": question}, {"role": "assistant", "content": answer}


def _shot(task: ModelTask, row: Mapping[str, Any]) -> tuple[str, str]:
    """A solved example: of what is continued, a whole string as its last step."""
    text = str(row["input"])
    if task.view == "transduction":
        return text, str(row["target"])
    if task.view == "recognition":
        return text or EMPTY, YES if row["label"] else NO
    return text or EMPTY, END


def _spelt(prefix: Prefix) -> str:
    return " ".join(prefix) or EMPTY
