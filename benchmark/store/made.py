"""The train split of a task without a file: what a model that fits itself is given."""

import pyarrow as pa

from marnn_bench.errors import UsageError
from marnn_bench.examples import Examples
from marnn_bench.fresh import fresh_examples
from marnn_bench.store.content import contents
from marnn_bench.store.read import FRESH_ROWS, examples_of
from marnn_bench.tasks.registry import find_task

TRAIN = "train"


def made_train(name: str) -> Examples:
    """The train split of the task of this name; of an endless one its beginning. UsageError if it has none."""
    task = find_task(name)
    if TRAIN not in task.splits:
        raise UsageError(f"{name} has no train split; it has {', '.join(task.splits)}.")
    if task.split(TRAIN).rows == "fresh":
        return fresh_examples(task, TRAIN, FRESH_ROWS)
    content = contents(task)[TRAIN]
    table = pa.Table.from_batches([content.batch(0, len(content))])
    return examples_of(task, TRAIN, table, content.digest(), TRAIN)
