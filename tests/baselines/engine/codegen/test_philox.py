"""The noise of philox.h: Random123's known answers, the words of numpy, the numbers of the reference."""

import ctypes

import numpy as np
import pytest

from helpers.c_programs import CODEGEN, address, compiled, compilers
from helpers.random123 import KNOWN_ANSWERS
from marnn_bench.baselines.cells.noise import PrefixNoise, UpdateNoise, gumbel, longer_prefix, noise_key
from marnn_bench.baselines.cells.philox import philox, round_keys

TEXT = """
void blocks(const marnn_u32 *c, const marnn_u64 *key, marnn_u64 *out, long n) {
    for (long i = 0; i < n; ++i)
        marnn_philox(c[i], c[n + i], c[2 * n + i], c[3 * n + i], key[i], out + i, out + n + i);
}
void gumbels(const marnn_u64 *bits, double *out, long n) {
    for (long i = 0; i < n; ++i) out[i] = marnn_gumbel(bits[i]);
}
void longer(const marnn_u64 *prefix, const marnn_u64 *symbol, marnn_u64 *out, long n) {
    for (long i = 0; i < n; ++i) out[i] = marnn_longer_prefix(prefix[i], symbol[i]);
}
"""
every_compiler = pytest.mark.parametrize("compiler", compilers())


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    text = (CODEGEN / "maths.h").read_text() + (CODEGEN / "philox.h").read_text() + TEXT
    strict = ("-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-unused-function", "-nostdlib", "-Wl,-z,defs")
    return {
        name: compiled(command, text, tmp_path_factory.mktemp(name), *strict)[0]
        for name, command in compilers().items()
    }


def blocks(library: ctypes.CDLL, counters: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Counters [4, n], keys [n] -> [2, n]"""
    words, out = counters.astype(np.uint32), np.empty((2, len(keys)), np.uint64)
    library.blocks(address(words), address(keys), address(out), ctypes.c_long(len(keys)))
    return out


@every_compiler
@pytest.mark.parametrize(("counter", "key", "block"), KNOWN_ANSWERS)
def test_philox_gives_the_known_answers(libraries, compiler, counter, key, block):
    low, high = (int(word, 16) for word in key.split())
    counters = np.array([[int(word, 16)] for word in counter.split()], np.uint64)
    numbers = blocks(libraries[compiler], counters, np.array([low | high << 32], np.uint64))
    assert "".join(f"{number:016x}" for number in numbers[:, 0].tolist()) == block.replace(" ", "")


@every_compiler
def test_words_equal_those_of_numpy(libraries, compiler):
    rng = np.random.default_rng(0)
    counters, keys = (
        rng.integers(2**32, size=(4, 1_001), dtype=np.uint64),
        rng.integers(2**64, size=1_001, dtype=np.uint64),
    )
    assert np.array_equal(
        blocks(libraries[compiler], counters, keys), philox(tuple(counters), round_keys(keys))
    )
    symbols, out = counters[0], np.empty(1_001, np.uint64)
    libraries[compiler].longer(address(keys), address(symbols), address(out), ctypes.c_long(1_001))
    assert np.array_equal(out, longer_prefix(keys, symbols))


@every_compiler
def test_gumbel_numbers_equal_those_of_numpy(libraries, compiler):
    """Least, greatest and random bits. Near 0 the numbers, not the errors, are small."""
    bits = np.random.default_rng(1).integers(2**64, size=10_001, dtype=np.uint64)
    bits[:2] = 0, 2**64 - 1
    out = np.empty(len(bits))
    libraries[compiler].gumbels(address(bits), address(out), ctypes.c_long(len(bits)))
    assert np.allclose(out, gumbel(bits), rtol=1e-15, atol=1e-15)


@every_compiler
def test_counters_of_an_update_are_those_of_the_reference(libraries, compiler):
    """Update, string, step, block."""
    update, strings, steps, width = 2_000_000_000, 3, 7, 5
    counters = np.stack(np.meshgrid(update, range(strings), range(steps), range(3), indexing="ij")).reshape(
        4, -1
    )
    keys = np.full(counters.shape[1], noise_key("training noise", 5, 2), np.uint64)
    numbers = blocks(libraries[compiler], counters, keys).T.reshape(strings, steps, 6)[..., :width]
    assert np.array_equal(gumbel(numbers), UpdateNoise(5, [2]).of(update, strings, steps, width)[0])


@every_compiler
def test_counters_of_a_prefix_are_those_of_the_reference(libraries, compiler):
    """Lower half, upper half, step, block."""
    reference, prefixes = PrefixNoise(5, 2, strings=3, width=2), np.zeros(3, np.uint64)
    keys = np.full(3, noise_key("evaluation noise", 5, 2), np.uint64)
    for step, symbols in enumerate(np.array([[0, 1, 2], [3, 3, 65_535], [0, 0, 1]])):
        prefixes = longer_prefix(prefixes, symbols.astype(np.uint64))
        counters = np.stack(
            [prefixes & np.uint64(2**32 - 1), prefixes >> np.uint64(32), *np.full((2, 3), [[step], [0]])]
        )
        assert np.array_equal(gumbel(blocks(libraries[compiler], counters, keys)).T, reference.after(symbols))
