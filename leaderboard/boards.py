"""Boards: for each task, its published rows and our results on the same strings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain, count
from typing import Any, Final

from marnn_bench.leaderboard.published import PublishedRow, published_rows, published_statements
from marnn_bench.leaderboard.results import Result, ResultTask
from marnn_bench.leaderboard.statistics import finite

SEQUENCE_ACCURACY: Final = "sequence_accuracy"
"""What most papers print."""


@dataclass(frozen=True)
class Board:
    """One split of a task.

    headline:    the metric of all its rows
    strings:     which strings our results were evaluated on, or None without a result
    published:   rows of the paper's table, which were evaluated on the paper's own strings
    statements:  what papers say of the task without printing a table
    ours:        results by label, unique on the board
    """

    task: str
    split: str
    headline: str
    strings: ResultTask | None
    published: tuple[PublishedRow, ...]
    statements: tuple[str, ...]
    ours: Mapping[str, Result]

    @property
    def name(self) -> str:
        """The task, with its version where there is a result."""
        return f"{self.task} {self.strings.version}" if self.strings else self.task

    @property
    def trivial(self) -> Mapping[str, float]:
        """Headline of the trivial answers, by name; they are the same for all results on the board."""
        return next((result.trivial for result in self.ours.values()), {})

    def rows(self) -> Iterator[tuple[str, PublishedRow | Result]]:
        """Label and row, in the order of the paper's table; ours follow the row that they reproduce, others come last."""
        waiting = dict(self.ours)
        for row in self.published:
            yield row.model, row
            for label in [label for label, result in waiting.items() if result.published_row == row.model]:
                yield label, waiting.pop(label)
        yield from waiting.items()

    def record(self) -> dict[str, Any]:
        """The board as plain data; accuracies are fractions."""
        return {
            "task": asdict(self.strings) if self.strings else {"name": self.task, "split": self.split},
            "published": [
                {
                    "model": row.model,
                    "source": row.source,
                    "runs": row.runs,
                    row.metric: dict(row.splits[self.split]),
                    "remarks": list(row.remarks),
                }
                for row in self.published
            ],
            "published_statements": list(self.statements),
            "ours": [
                {
                    "label": label,
                    "model": result.model,
                    "source": "ours",
                    "folder": str(result.folder),
                    "published_row": result.published_row,
                    "deviations": dict(result.deviations),
                    "runs": len(result.runs),
                    result.task.headline: result.spread.record(),
                    "solved": {
                        "runs": result.solved_runs,
                        **(asdict(result.solved) if result.solved else {}),
                    },
                    "lost": result.lost,
                    "audit_failed": list(result.audit_failed),
                }
                for label, result in self.ours.items()
            ],
            "trivial": {name: finite(value) for name, value in self.trivial.items()},
        }


def make_boards(results: Sequence[Result], tasks: Sequence[str] = ()) -> list[Board]:
    """One board for each task, split and content digest among the results, in the order given; only of `tasks`, if any.

    Without a result of any of these, the boards of their published rows on the test split.
    """
    groups: dict[tuple[str, str, str], list[Result]] = {}
    for result in results:
        if not tasks or result.task.name in tasks:
            groups.setdefault((result.task.name, result.task.split, result.task.digest), []).append(result)
    if not groups:
        return [_board(task, "test", []) for task in tasks]
    return [_board(name, split, group) for (name, split, _), group in groups.items()]


def _board(task: str, split: str, results: Sequence[Result]) -> Board:
    strings = results[0].task if results else None
    rows = [row for row in published_rows(task) if split in row.splits]
    metric = strings.headline if strings else rows[0].metric if rows else SEQUENCE_ACCURACY
    published = tuple(row for row in rows if row.metric == metric)
    return Board(task, split, metric, strings, published, published_statements(task), _labelled(results))


def _labelled(results: Sequence[Result]) -> dict[str, Result]:
    """The results by model name; a name that comes again is numbered: stack-rnn, stack-rnn (2)."""
    labelled: dict[str, Result] = {}
    for result in results:
        again = (f"{result.model} ({number})" for number in count(2))
        label = next(label for label in chain([result.model], again) if label not in labelled)
        labelled[label] = result
    return labelled
