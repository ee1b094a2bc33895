"""The examples of a split: strings, and the right answer after each of their symbols."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from marnn_bench.generators.language import Masks
from marnn_bench.generators.strings import Strings
from marnn_bench.task import Task


@dataclass(frozen=True, eq=False)
class Examples:
    """Rows of a split, in order.

    answers:  [symbols]  uint64 masks over `task.columns`, one for each symbol of `strings`
    digest:   content digest of the whole split that they are taken from
    """

    task: Task
    split: str
    strings: Strings
    answers: Masks
    digest: str

    def __len__(self) -> int:
        return len(self.strings)

    def take(self, rows: Sequence[int] | NDArray[Any]) -> "Examples":
        """These rows; the digest stays that of the split."""
        flat = Strings(self.answers, self.strings.offsets).take(rows)
        return replace(self, strings=self.strings.take(rows), answers=flat.ids)
