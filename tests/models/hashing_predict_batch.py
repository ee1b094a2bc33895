"""hashing.py through `predict_batch`, whose answers are a list or an array in turn."""

from functools import reduce

import numpy as np
from hashing import extend, scores


def load(task):
    global columns
    columns = task.columns


def predict_batch(prefixes):
    found = [scores(reduce(extend, prefix, 0), columns) for prefix in prefixes]
    return np.array(found) if len(prefixes[0]) % 2 else found
