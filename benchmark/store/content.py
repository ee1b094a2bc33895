"""The content of a split: its rows, as strings, as columns, and as a digest."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import pyarrow as pa

from marnn_bench.generators.sampling.recognition import RecognitionRows, recognition_rows
from marnn_bench.generators.strings import Strings
from marnn_bench.store.columns import recognition_batch, row_ranges, to_batch
from marnn_bench.store.digest import BLOCK_ROWS, block_digest, pieces_digest, split_digest
from marnn_bench.store.rows import Rows, choose_rows
from marnn_bench.task import Split, Task
from marnn_bench.views import Recognition

T = TypeVar("T")

PIECE_SYMBOLS = 1 << 23
"""So many symbols are held as columns at once: the rows of a block may be a few symbols long, or tens of thousands."""

GROUP_ROWS = 1 << 10
"""So many rows are drawn at once where they could be long."""


@dataclass(frozen=True, eq=False)
class Piece:
    """Rows as strings and as columns."""

    strings: Strings
    batch: pa.RecordBatch


@dataclass(frozen=True, eq=False)
class Block:
    """Up to BLOCK_ROWS rows: their digest, and they themselves in pieces, which can be had once."""

    digest: str
    pieces: Iterable[Piece]


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

    def pieces(self, first: int, last: int) -> Iterator[Strings]:
        """The strings of rows first..last-1, in pieces that do not depend on who asks."""
        longest = self.task.split(self.split).window.high
        fits = self.task.language.measure == "length" and (last - first) * longest <= PIECE_SYMBOLS
        step = last - first if fits else GROUP_ROWS
        pending: list[Strings] = []
        for start in range(first, last, step):
            group = self.strings(start, min(start + step, last))
            for a, b in row_ranges(group.offsets, PIECE_SYMBOLS):
                part = group.slice(a, b)
                if pending and sum(len(p.ids) for p in pending) + len(part.ids) > PIECE_SYMBOLS:
                    yield Strings.concatenate(pending)
                    pending = []
                pending.append(part)
        yield Strings.concatenate(pending) if len(pending) > 1 else pending[0]

    def block(self, first: int) -> Block:
        """The block that begins with this row, BLOCK_ROWS rows or what is left."""
        last = min(first + BLOCK_ROWS, len(self))
        piece = next(self.labelled(first, last))
        if len(piece.strings) == last - first:
            return Block(block_digest(piece.batch), [piece])

        def again(names: Sequence[str]) -> Iterator[pa.RecordBatch]:
            return (piece.batch for piece in self.labelled(first, last, names))

        return Block(pieces_digest(piece.batch.schema, again), self.labelled(first, last))

    def labelled(self, first: int, last: int, names: Sequence[str] | None = None) -> Iterator[Piece]:
        """These pieces with their columns: all, or those of these names."""
        for strings in self.pieces(first, last):
            if isinstance(self.rows, Rows):
                yield Piece(strings, to_batch(self.task, self.split, strings, names))
            else:
                batch = recognition_batch(self.task, self.split, self.rows, first, first + len(strings))
                yield Piece(strings, batch if names is None else batch.select(names))
            first += len(strings)

    def digest(self) -> str:
        """The digest of the split, nothing written."""
        return split_digest(self.block(first).digest for first in range(0, len(self), BLOCK_ROWS))

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


def in_order(make: Callable[[int], T], starts: range, workers: int) -> Iterator[T]:
    """What `make` makes of each start, in order, by this many threads a little ahead of its use."""
    if workers == 1 or len(starts) == 1:
        yield from map(make, starts)
        return
    with ThreadPoolExecutor(workers) as pool:
        pending: deque[Future[T]] = deque()
        for start in starts:
            pending.append(pool.submit(make, start))
            if len(pending) > workers:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
