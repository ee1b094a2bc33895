"""The functions of maths.h against mpmath, and their bits by one compiler against those by another."""

import ctypes

import mpmath
import numpy as np
import pytest

from helpers.c_programs import CODEGEN, address, compiled, compilers

FUNCTIONS = {
    "exp": mpmath.exp,
    "log": mpmath.log,
    "tanh": mpmath.tanh,
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
}
TYPES = {"": np.float64, "f": np.float32}
LOOP = (
    "void {0}_of(const {1} *x, {1} *y, long n) {{ for (long i = 0; i < n; ++i) y[i] = marnn_{0}(x[i]); }}\n"
)
LOOPS = (CODEGEN / "maths.h").read_text() + "".join(
    LOOP.format(name + suffix, kind)
    for name in FUNCTIONS
    for suffix, kind in (("", "double"), ("f", "float"))
)

MOST = {"": 4e-16, "f": 2e-7}
"""Relative error, as maths.h states it."""

every_function = pytest.mark.parametrize("name", FUNCTIONS)
every_type = pytest.mark.parametrize("suffix", TYPES)
every_compiler = pytest.mark.parametrize("compiler", compilers())


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    """The loops by each compiler. Nothing is linked: a call of a library would be refused."""
    strict = ("-Wall", "-Wextra", "-Wpedantic", "-Werror", "-nostdlib", "-Wl,-z,defs")
    return {
        name: compiled(command, LOOPS, tmp_path_factory.mktemp(name), *strict)[0]
        for name, command in compilers().items()
    }


def values(library: ctypes.CDLL, name: str, x: np.ndarray) -> np.ndarray:
    y = np.empty_like(x)
    getattr(library, f"{name}{'f' if x.dtype == np.float32 else ''}_of")(
        address(x), address(y), ctypes.c_long(len(x))
    )
    return y


def points(name: str, suffix: str) -> np.ndarray:
    """Dense where functions bend and where intervals meet, random over all magnitudes; results are normal numbers."""
    rng, info = np.random.default_rng(0), np.finfo(TYPES[suffix])
    most = float(np.log(info.max))
    least = float(np.log(info.tiny))
    edges = np.arange(-40, 41) * np.log(2) / 4
    near = np.concatenate([edges, np.nextafter(edges, -99), np.nextafter(edges, 99), np.linspace(-4, 4, 801)])
    tiny = np.exp(rng.uniform(least, 0, 500)) * rng.choice([-1, 1], 500)
    x = np.concatenate([near, tiny, rng.uniform(0.999 * least, 0.999 * most, 1_000), rng.uniform(-3, 3, 500)])
    if name == "log":
        x = np.concatenate([np.exp(x), np.nextafter(1, [0, 2]), rng.uniform(0.5, 2, 500)])
    return x.astype(TYPES[suffix])


@every_compiler
@every_type
@every_function
def test_values_are_those_of_mpmath(libraries, compiler, name, suffix):
    x = points(name, suffix)
    with mpmath.workdps(40):
        right = [FUNCTIONS[name](mpmath.mpf(float(at))) for at in x]
        found = values(libraries[compiler], name, x)
        error = max(
            abs((mpmath.mpf(float(y)) - z) / z) if z else abs(float(y))
            for y, z in zip(found, right, strict=True)
        )
    assert error < MOST[suffix]


@every_compiler
@every_type
def test_results_below_the_least_normal_number(libraries, compiler, suffix):
    """Their last place is the least number there is, and an error of one of it."""
    info = np.finfo(TYPES[suffix])
    x = np.linspace(
        np.log(float(info.smallest_subnormal)) - 2, np.log(float(info.tiny)), 1_000, dtype=TYPES[suffix]
    )
    with mpmath.workdps(40):
        for name in ("exp", "sigmoid"):
            right = np.array([float(mpmath.exp(float(at)) / float(info.smallest_subnormal)) for at in x])
            found = values(libraries[compiler], name, x) / info.smallest_subnormal
            assert np.abs(found - right).max() <= 1
        subnormal = np.array([1, 2, 3, 1_000, 4_194_303], TYPES[suffix]) * info.smallest_subnormal
        logs = values(libraries[compiler], "log", subnormal)
        assert all(
            abs(y / mpmath.log(float(x)) - 1) < MOST[suffix] for x, y in zip(subnormal, logs, strict=True)
        )
        for sign in (1, -1):  # tanh x = x - x^3 / 3
            assert np.array_equal(values(libraries[compiler], "tanh", sign * subnormal), sign * subnormal)


@every_compiler
@every_type
def test_infinities_signed_zeros_and_numbers_out_of_range(libraries, compiler, suffix):
    """As C99, annex F, defines them; NaN gives NaN."""
    inf, nan = np.inf, np.nan
    table = {
        "exp": [
            (inf, inf),
            (-inf, 0),
            (0.0, 1),
            (-0.0, 1),
            (710.0, inf),
            (-746.0, 0),
            (1e30, inf),
            (-1e30, 0),
        ],
        "log": [(inf, inf), (0.0, -inf), (-0.0, -inf), (1.0, 0), (-1.0, nan), (-inf, nan), (-1e30, nan)],
        "tanh": [(inf, 1), (-inf, -1), (1e30, 1), (-1e30, -1), (30.0, 1), (-30.0, -1)],
        "sigmoid": [(inf, 1), (-inf, 0), (0.0, 0.5), (-0.0, 0.5), (1e30, 1), (-1e30, 0)],
    }
    for name, cases in table.items():
        x, right = np.array([*cases, (nan, nan)], TYPES[suffix]).T.copy()
        assert np.array_equal(values(libraries[compiler], name, x), right, equal_nan=True), name
    signed = values(libraries[compiler], "tanh", np.array([0.0, -0.0], TYPES[suffix]))
    assert np.signbit(signed).tolist() == [False, True]


@every_type
@every_function
def test_every_compiler_gives_the_same_bits(libraries, name, suffix):
    if len(libraries) < 2:
        pytest.skip("there is one compiler here; pip install ziglang brings another")
    x = points(name, suffix)
    first, *others = (values(library, name, x) for library in libraries.values())
    assert all(np.array_equal(first, other) for other in others)


@every_compiler
@every_type
@every_function
def test_bits_do_not_depend_on_the_length_of_a_loop(libraries, compiler, name, suffix):
    """The last elements are computed one by one, the others as vectors."""
    x = points(name, suffix)[:67]
    one_by_one = np.concatenate(
        [values(libraries[compiler], name, x[i : i + 1].copy()) for i in range(len(x))]
    )
    assert np.array_equal(values(libraries[compiler], name, x), one_by_one)


@pytest.mark.skipif("gcc" not in compilers(), reason="gcc alone says which loops are vectors")
def test_every_loop_becomes_vector_code(tmp_path):
    _, said = compiled(compilers()["gcc"], LOOPS, tmp_path, "-fopt-info-vec-optimized")
    lines = {line.split(":")[1] for line in said.splitlines() if "loop vectorized" in line}
    assert len(lines) == len(FUNCTIONS) * len(TYPES)
