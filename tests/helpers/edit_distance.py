"""Levenshtein's distance as the textbook has it."""

from collections.abc import Sequence


def edit_distance(one: Sequence[int], other: Sequence[int]) -> int:
    """The table of distances, row by row."""
    above = list(range(len(other) + 1))
    for i, symbol in enumerate(one, 1):
        row = [i]
        for j, mate in enumerate(other, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (symbol != mate)))
        above = row
    return above[-1]
