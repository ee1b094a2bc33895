"""The examples of a split: strings, and the right answer after each of their symbols."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from marnn_bench.generators.language import Masks
from marnn_bench.generators.strings import Strings
from marnn_bench.task import Task

if TYPE_CHECKING:
    import pandas as pd

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


@dataclass(frozen=True, eq=False, repr=False)
class Examples:
    """Rows of a split, in order.

    answers:  [symbols]  uint64 masks over `task.columns`, one for each symbol of `strings`
    digest:   content digest of the whole split that they are taken from

    >>> from marnn_bench.tasks.registry import find_task
    >>> task = find_task("dyck1")
    >>> strings = Strings.from_texts(task.language.alphabet, ["( ( ) )", "( )"])
    >>> examples = Examples(task, "test", strings, task.view.answers(task.language, strings), digest="")
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

    def __len__(self) -> int:
        return len(self.strings)

    def __getitem__(self, row: int) -> dict[str, Any]:
        """A string, the right set after each symbol, its length, and the most symbols owed at once."""
        if not -len(self) <= row < len(self):
            raise IndexError(f"There are {len(self):,} strings, none at {row}.")
        one = self.take([row % len(self)])
        return {name: values[0] for name, values in one.columns().items()}

    def __repr__(self) -> str:
        few = self.take(range(min(SHOWN, len(self)))).columns()
        texts, answers = map(_cut, few["input"]), (_cut(" ".join(sets)) for sets in few["answers"])
        rows = [f"  {text:<{WIDTH}}  {answer}" for text, answer in zip(texts, answers, strict=True)]
        rest = ["  ..."] if len(self) > SHOWN else []
        head = f"{self.task.name} {self.split}: {len(self):,} strings over {' '.join(self.task.language.alphabet)}"
        return "\n".join([head, *rows, *rest])

    def take(self, rows: Sequence[int] | NDArray[Any]) -> "Examples":
        """These rows; the digest stays that of the split."""
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
        """The examples as lists, one entry a string: input, answers, length, depth."""
        return {
            "input": self.strings.texts(self.task.language.alphabet),
            "answers": self.sets(self.answers),
            "length": self.strings.lengths.tolist(),
            "depth": self.task.language.max_depths(self.strings).tolist(),
        }

    def to_pandas(self) -> "pd.DataFrame":
        """The examples as a table, a row for each string. Needs pandas."""
        import pandas as pd

        return pd.DataFrame(self.columns())


def _cut(text: str) -> str:
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 2]} …"
