"""Answers after every symbol that any bracket may open: the least that a `step` model does."""

import numpy as np


def load(task):
    global row
    row = np.array([float(i % 2 == 0) for i in range(len(task.columns))])


def reset(n):
    pass


def step(ids):
    return np.broadcast_to(row, (len(ids), len(row)))
