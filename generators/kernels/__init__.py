"""Compiled inner loops. Importing one of these modules imports numba; importing this package does not.

    from marnn_bench.generators import kernels
    kernels.dyck.sample_uniform(...)        # numba is imported here

A kernel may call kernels of this folder only: the cache of compiled code is keyed by all of its files.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from marnn_bench.generators.kernels import arithmetic as arithmetic
    from marnn_bench.generators.kernels import automata as automata
    from marnn_bench.generators.kernels import choice as choice
    from marnn_bench.generators.kernels import distinct as distinct
    from marnn_bench.generators.kernels import dyck as dyck
    from marnn_bench.generators.kernels import grammar as grammar
    from marnn_bench.generators.kernels import negatives as negatives
    from marnn_bench.generators.kernels import palindromes as palindromes
    from marnn_bench.generators.kernels import shuffles as shuffles
    from marnn_bench.generators.kernels import texts as texts

_MODULES = frozenset(
    {
        "arithmetic",
        "automata",
        "choice",
        "distinct",
        "dyck",
        "grammar",
        "negatives",
        "palindromes",
        "shuffles",
        "texts",
    }
)


def __getattr__(name: str) -> ModuleType:
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
