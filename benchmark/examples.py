"""The examples of a split: strings, and what is right about each."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from marnn_bench.errors import UsageError
from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.language import Masks
from marnn_bench.generators.strings import Strings
from marnn_bench.task import Task
from marnn_bench.views import Recognition

if TYPE_CHECKING:
    import pandas as pd

Rows = Sequence[int] | NDArray[Any]

SHOWN, WIDTH = 3, 36
"""Rows in the printed form of some examples, and characters of each of its two columns."""


def k_hot(masks: ArrayLike, columns: int | Sequence[str]) -> NDArray[np.uint8]:
    """Bit masks as vectors of 0 and 1: masks [...] -> [..., columns].

    Column i is bit i: `Task.columns` and the manifest say which symbol that is. ValueError for a bit without a column.

    >>> k_hot([1, 6], ["(", ")", "["]).tolist()
    [[1, 0, 0], [0, 1, 1]]
    """
    width = columns if isinstance(columns, int) else len(columns)
    words = np.asarray(masks)
    if words.size and words.dtype.kind not in "iu":
        raise TypeError(f"Masks are integers, not {words.dtype}.")
    words = words.astype(np.uint64)
    if words.size and width < 64 and int(words.max()) >> width:
        raise ValueError(f"A mask has more bits than {width} columns: are these the columns of its task?")
    return (words[..., None] >> np.arange(width, dtype=np.uint64) & np.uint64(1)).astype(np.uint8)


class Examples(ABC):
    """Rows of a split, in order: strings, and what is right about each; a class for every kind of right answer.

    digest:   content digest of the whole split that they are taken from
    """

    task: Task
    split: str
    strings: Strings
    digest: str

    def __len__(self) -> int:
        return len(self.strings)

    def __getitem__(self, row: int) -> dict[str, Any]:
        """A string with its right answers, by the names of `columns`."""
        if not -len(self) <= row < len(self):
            raise IndexError(f"There are {len(self):,} strings, none at {row}.")
        one = self.take([row % len(self)])
        return {name: values[0] for name, values in one.columns().items()}

    def __repr__(self) -> str:
        few = self.take(range(min(SHOWN, len(self)))).columns()
        texts, *answers = ([_cut(_text(value)) for value in few[name]] for name in ("input", *self.shown))
        rows = [
            f"  {'  '.join([f'{row[0]:<{WIDTH}}', *row[1:]])}" for row in zip(texts, *answers, strict=True)
        ]
        rest = ["  ..."] if len(self) > SHOWN else []
        head = f"{self.task.name} {self.split}: {len(self):,} strings over {' '.join(self.task.language.alphabet)}"
        return "\n".join([head, *rows, *rest])

    shown: ClassVar[tuple[str, ...]]
    """The columns that are printed beside the strings."""

    @abstractmethod
    def take(self, rows: Rows) -> Self:
        """These rows; the digest stays that of the split."""

    @abstractmethod
    def columns(self) -> dict[str, list[Any]]:
        """The examples as lists, one entry a string."""

    def to_pandas(self) -> "pd.DataFrame":
        """The examples as a table, a row for each string. Needs pandas."""
        import pandas as pd

        return pd.DataFrame(self.columns())


@dataclass(frozen=True, eq=False, repr=False)
class SetExamples(Examples):
    """Strings with the right set after each symbol.

    answers:  [symbols]  uint64 masks over `task.columns`, one for each symbol of `strings`

    >>> from marnn_bench.tasks.registry import find_task
    >>> task = find_task("dyck1")
    >>> strings = Strings.from_texts(task.language.alphabet, ["( ( ) )", "( )"])
    >>> examples = SetExamples(task, "test", strings, task.view.answers(task.language, strings), digest="")
    >>> examples
    dyck1 test: 2 strings over ( )
      ( ( ) )                               (/) (/) (/) (
      ( )                                   (/) (
    >>> examples[1]
    {'input': '( )', 'answers': ['(/)', '('], 'length': 2, 'depth': 1}
    """

    task: Task
    split: str
    strings: Strings
    answers: Masks
    digest: str
    shown: ClassVar = ("answers",)

    def take(self, rows: Rows) -> Self:
        flat = Strings(self.answers, self.strings.offsets).take(rows)
        return replace(self, strings=self.strings.take(rows), answers=flat.ids)

    def sets(self, masks: Masks) -> list[list[str]]:
        """Masks [symbols] as the papers print sets, `(/)`, a list for each string."""
        names = {
            mask: "/".join(name for i, name in enumerate(self.task.columns) if mask >> i & 1) or "-"
            for mask in np.unique(masks).tolist()
        }
        return [[names[mask] for mask in string.tolist()] for string in Strings(masks, self.strings.offsets)]

    def columns(self) -> dict[str, list[Any]]:
        """input, answers, length, depth: the most symbols owed at once."""
        return {
            "input": self.strings.texts(self.task.language.alphabet),
            "answers": self.sets(self.answers),
            "length": self.strings.lengths.tolist(),
            "depth": self.task.language.max_depths(self.strings).tolist(),
        }


@dataclass(frozen=True, eq=False, repr=False)
class TransductionExamples(Examples):
    """Sources with their targets: ids over the output alphabet, END not among them."""

    task: Task
    split: str
    strings: Strings
    targets: Strings
    digest: str
    shown: ClassVar = ("target",)

    def take(self, rows: Rows) -> Self:
        return replace(self, strings=self.strings.take(rows), targets=self.targets.take(rows))

    def columns(self) -> dict[str, list[Any]]:
        """input, target, length of the source."""
        return {
            "input": self.strings.texts(self.task.language.alphabet),
            "target": self.targets.texts(Alphabet(self.task.columns[:-1])),
            "length": self.strings.lengths.tolist(),
        }


@dataclass(frozen=True, eq=False, repr=False)
class RecognitionExamples(Examples):
    """Strings that are members or not.

    label:     bool [n]  whether each is a member
    negative:  uint8 [n]  how it was made: 0 for a member, 1 + place in `task.view.negatives` for a negative
    edits:     int64 [n]  Levenshtein distance to the member that it was made from, 0 for a member
    """

    task: Task
    split: str
    strings: Strings
    label: NDArray[np.bool_]
    negative: NDArray[np.uint8]
    edits: NDArray[np.int64]
    digest: str
    shown: ClassVar = ("label", "negative")

    def take(self, rows: Rows) -> Self:
        kept = np.asarray(rows)
        return replace(
            self,
            strings=self.strings.take(rows),
            label=self.label[kept],
            negative=self.negative[kept],
            edits=self.edits[kept],
        )

    @property
    def kinds(self) -> tuple[str, ...]:
        """What the numbers of `negative` stand for."""
        return ("", *self.task.view.negatives) if isinstance(self.task.view, Recognition) else ("",)

    def columns(self) -> dict[str, list[Any]]:
        """input, label, negative, edits, length."""
        return {
            "input": self.strings.texts(self.task.language.alphabet),
            "label": self.label.tolist(),
            "negative": [self.kinds[kind] for kind in self.negative.tolist()],
            "edits": self.edits.tolist(),
            "length": self.strings.lengths.tolist(),
        }


@dataclass(frozen=True, eq=False, repr=False)
class LanguageModellingExamples(Examples):
    """Strings with the natural log of their exact probability under the law of the split: [n]."""

    task: Task
    split: str
    strings: Strings
    log_probs: NDArray[np.float64]
    digest: str
    shown: ClassVar = ("log_prob",)

    def take(self, rows: Rows) -> Self:
        return replace(self, strings=self.strings.take(rows), log_probs=self.log_probs[np.asarray(rows)])

    @property
    def bound(self) -> float:
        """The least cross-entropy that a model of these strings can expect: nats for each symbol and END."""
        return float(-self.log_probs.sum() / (len(self.strings.ids) + len(self)))

    def columns(self) -> dict[str, list[Any]]:
        """input, log_prob, length."""
        return {
            "input": self.strings.texts(self.task.language.alphabet),
            "log_prob": self.log_probs.tolist(),
            "length": self.strings.lengths.tolist(),
        }


def as_sets(examples: Examples) -> SetExamples:
    """The same examples; UsageError unless their answers are sets."""
    if not isinstance(examples, SetExamples):
        raise UsageError(
            f"{examples.task.name} is asked by {examples.task.view.name}, not for sets of symbols."
        )
    return examples


def _text(value: Any) -> str:
    return " ".join(value) if isinstance(value, list) else str(value)


def _cut(text: str) -> str:
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 2]} …"
