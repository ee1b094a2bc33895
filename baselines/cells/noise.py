"""Gumbel noise that is a function of keys: of seed, run and update in training, of seed, run and prefix in evaluation.

Philox gives two numbers for a counter. That of a step in training is (update, string of the batch, step, block), in
evaluation (prefix, prefix, step, block): the lower and the upper half of 64 bits that stand for the prefix. A block is
two of the numbers that a step takes.
"""

from collections.abc import Iterable
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from marnn_bench.baselines.cells.philox import Words, philox, round_keys
from marnn_bench.generators.keys import Key, derive_key

_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
_LOW: Final = np.uint64(0xFFFFFFFF)


def gumbel(words: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Standard Gumbel numbers of 64 random bits: -log(-log u), where u is uniform on 2^52 points inside (0, 1).

    >>> round(float(gumbel(np.array([2**63], np.uint64))[0]), 12)  # the median: -log(log 2)
    0.366512920582
    """
    u = ((words >> np.uint64(12)) + 0.5) * 2.0**-52
    numbers: NDArray[np.float64] = -np.log(-np.log(u))
    return numbers


def noise_key(purpose: Literal["training noise", "evaluation noise"], seed: int, run: int) -> Key:
    """The key of a run's noise."""
    return derive_key({"purpose": purpose, "seed": seed, "run": run})


class UpdateNoise:
    """The noise of the updates of some runs, each a function of seed, run, update, string and step."""

    def __init__(self, seed: int, runs: Iterable[int]) -> None:
        keys = [noise_key("training noise", seed, run) for run in runs]
        self._keys = round_keys(np.array(keys, np.uint64).reshape(-1, 1, 1, 1))

    def of(self, update: int, strings: int, steps: int, width: int) -> NDArray[np.float64]:
        """The noise of one update: [run, string, step, width]"""
        string = np.arange(strings, dtype=np.uint64)[:, None, None]
        step = np.arange(steps, dtype=np.uint64)[:, None]
        return _numbers((np.array(update, np.uint64), string, step, _blocks(width)), self._keys, width)


class PrefixNoise:
    """The noise of strings that are given symbol by symbol, each a function of seed, run and prefix."""

    def __init__(self, seed: int, run: int, strings: int, width: int) -> None:
        key = noise_key("evaluation noise", seed, run)
        self._key = round_keys(np.array([[key]], np.uint64))
        self._prefixes = np.zeros((strings, 1), np.uint64)
        self._step, self._width = np.zeros((), np.uint64), width

    def after(self, symbols: NDArray[np.int64]) -> NDArray[np.float64]:
        """The noise of the step that takes one more symbol of each string: [string, width]"""
        self._prefixes = longer_prefix(self._prefixes, symbols.astype(np.uint64)[:, None])
        halves = self._prefixes & _LOW, self._prefixes >> np.uint64(32)
        numbers = _numbers((*halves, self._step, _blocks(self._width)), self._key, self._width)
        self._step = self._step + np.uint64(1)
        return numbers


def longer_prefix(prefixes: Words, symbols: Words) -> Words:
    """What stands for prefixes with one more symbol, 64 bits each: SplitMix64 (Steele, Lea & Flood 2014), by symbols.

    Prefixes that differ in one symbol alone never stand for the same.
    """
    mixed: Words = prefixes + (symbols + np.uint64(1)) * _GOLDEN
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed


def _blocks(width: int) -> Words:
    """The blocks of two that hold `width` numbers."""
    return np.arange((width + 1) // 2, dtype=np.uint64)


def _numbers(counter: tuple[Words, Words, Words, Words], keys: Words, width: int) -> NDArray[np.float64]:
    """The first `width` Gumbel numbers of the blocks, which are the last axis."""
    pairs = np.moveaxis(philox(counter, keys), 0, -1)
    return gumbel(pairs.reshape(*pairs.shape[:-2], -1)[..., :width])
