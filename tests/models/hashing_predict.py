"""hashing.py through `predict`, whose answers are sets, maps and scores in turn."""

from functools import reduce

from hashing import extend, scores


def load(task):
    global columns
    columns = task.columns


def predict(prefix):
    found = scores(reduce(extend, prefix, 0), columns)
    if len(prefix) % 3 == 0:
        return {symbol for symbol, score in zip(columns, found, strict=True) if score >= 0.5}
    return dict(zip(columns, found, strict=True)) if len(prefix) % 3 == 1 else tuple(found)
