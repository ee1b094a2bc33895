"""The content of a split: its rows, as strings, as columns, and as a digest."""

from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa

from marnn_bench.generators.sampling.recognition import RecognitionRows, recognition_rows
from marnn_bench.generators.strings import Strings
from marnn_bench.store.columns import recognition_batch, to_batch
from marnn_bench.store.digest import BLOCK_ROWS, block_digest, split_digest
from marnn_bench.store.rows import Rows, choose_rows
from marnn_bench.task import Split, Task
from marnn_bench.views import Recognition


@dataclass(frozen=True, eq=False)
class Content:
    """The rows of a split, which are chosen when they are first needed.

    earlier: the splits before it that could share strings with it; a string is in one of them only
    workers: threads that draw
    """

    task: Task
    split: str
    earlier: tuple["Content", ...]
    workers: int

    def __len__(self) -> int:
        wanted = self.task.split(self.split)
        if (
            isinstance(wanted.rows, int)
            and not wanted.per_size
            and not isinstance(self.task.view, Recognition)
        ):
            return wanted.rows
        return len(self.rows)

    def strings(self, first: int, last: int) -> Strings:
        """The strings of rows first..last-1."""
        if isinstance(self.rows, Rows):
            return self.rows.strings(first, last)
        return self.rows.strings.slice(first, last)

    def batch(self, first: int, last: int) -> pa.RecordBatch:
        """Rows first..last-1 as columns."""
        if isinstance(self.rows, Rows):
            return to_batch(self.task, self.split, self.rows.strings(first, last))
        return recognition_batch(self.task, self.split, self.rows, first, last)

    def digest(self) -> str:
        """The digest of the split, nothing written."""
        starts = range(0, len(self), BLOCK_ROWS)
        return split_digest(block_digest(self.batch(s, min(s + BLOCK_ROWS, len(self)))) for s in starts)

    @property
    def repetition_rate(self) -> float | None:
        """The share of draws that gave a string already there; None where strings are not simply drawn."""
        return self.rows.repetition_rate if isinstance(self.rows, Rows) else None

    @property
    def labelled_rows(self) -> RecognitionRows | None:
        """The rows with their labels, in the recognition view."""
        return None if isinstance(self.rows, Rows) else self.rows

    @cached_property
    def rows(self) -> Rows | RecognitionRows:
        """The rows as they are chosen: a pass over all draws of a distinct split."""
        task, split, view = self.task, self.split, self.task.view
        earlier = [content.strings(0, len(content)) for content in self.earlier]
        if not isinstance(view, Recognition):
            return choose_rows(task, split, earlier, self.workers)
        rows = task.row_count(split)
        law, window, key = task.law(split), task.split(split).window, task.key(split)
        members = rows - rows // 2
        return recognition_rows(task.language, law, window, key, members, rows // 2, view.negatives, earlier)


def contents(task: Task, workers: int = 1) -> dict[str, Content]:
    """The contents of all splits that are not endless."""
    found: dict[str, Content] = {}
    for name, split in task.splits.items():
        if split.rows != "fresh":
            earlier = (content for content in found.values() if _may_share(task.split(content.split), split))
            found[name] = Content(task, name, tuple(earlier), workers)
    return found


def _may_share(earlier: Split, later: Split) -> bool:
    """Whether a string could be in both splits, and must not."""
    apart = earlier.window.high < later.window.low or later.window.high < earlier.window.low
    return earlier.distinct and later.distinct and not (earlier.overlaps or later.overlaps or apart)


def total_rows(task: Task) -> int:
    """How many rows these have together."""
    return sum(map(len, contents(task).values()))
