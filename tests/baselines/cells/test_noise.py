"""Noise against the law that it has, and what it does and does not depend on."""

import numpy as np
import pytest
from scipy.stats import gumbel_r, kstest

from helpers.random123 import KNOWN_ANSWERS
from marnn_bench.baselines.cells.noise import PrefixNoise, UpdateNoise, longer_prefix
from marnn_bench.baselines.cells.philox import philox, round_keys


def words(text: str) -> list[np.ndarray]:
    return [np.array(int(word, 16), np.uint64) for word in text.split()]


@pytest.mark.parametrize(("counter", "key", "block"), KNOWN_ANSWERS)
def test_philox_gives_the_known_answers(counter, key, block):
    low, high = words(key)
    numbers = philox(tuple(words(counter)), round_keys(low | high << np.uint64(32)))
    first, second, third, fourth = block.split()
    assert [f"{int(number):016x}" for number in numbers] == [first + second, third + fourth]


def test_prefixes_are_mixed_by_splitmix64():
    """The first numbers of the generator whose state is 1234567, a published example."""
    golden, published = 0x9E3779B97F4A7C15, [6457827717110365317, 3203168211198807973, 9817491932198370423]
    states = np.array([(1234567 + i * golden) % 2**64 for i in range(3)], np.uint64)
    assert longer_prefix(states, np.zeros(3, np.uint64)).tolist() == published


def test_noise_is_standard_gumbel():
    """Kolmogorov-Smirnov, 40,000 numbers each."""
    assert kstest(UpdateNoise(1, range(10)).of(7, 4, 100, 10).ravel(), gumbel_r.cdf).pvalue > 1e-4
    streams = PrefixNoise(1, 0, strings=4_000, width=10)
    assert kstest(streams.after(np.arange(4_000)).ravel(), gumbel_r.cdf).pvalue > 1e-4


def test_noise_of_an_update_depends_on_seed_run_update_string_and_step_alone():
    many, one = UpdateNoise(1, range(9)), UpdateNoise(1, [4])
    noise = one.of(3, 2, 6, 5)
    assert np.array_equal(many.of(3, 2, 6, 5)[4], noise[0])
    assert np.array_equal(one.of(3, 1, 2, 5), noise[:, :1, :2])  # of fewer and shorter strings
    others = [many.of(3, 2, 6, 5)[3], many.of(4, 2, 6, 5)[4], UpdateNoise(2, [4]).of(3, 2, 6, 5)[0]]
    assert np.unique([noise[0], *others]).size == 4 * noise.size


def test_noise_at_evaluation_depends_on_seed_run_and_prefix_alone():
    ids = np.array([[0, 1, 2, 1], [0, 1, 0, 1], [3, 1, 2, 1]])

    def noise(strings: np.ndarray, seed: int = 5, run: int = 2) -> np.ndarray:
        stream = PrefixNoise(seed, run, len(strings), 5)
        return np.stack([stream.after(symbols) for symbols in strings.T], 1)

    full = noise(ids)
    assert np.array_equal(noise(ids[[2, 0]]), full[[2, 0]])
    assert np.array_equal(full[0, :2], full[1, :2])  # of equal prefixes
    distinct = [*full[0], *full[1, 2:], *full[2], noise(ids, seed=6)[0, 0], noise(ids, run=3)[0, 0]]
    assert np.unique(np.stack(distinct)).size == 5 * len(distinct)
