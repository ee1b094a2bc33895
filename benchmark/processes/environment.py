"""The environment of a model's process."""

from collections.abc import Collection, Mapping
from typing import Final

SECRET_MARKERS: Final = ("TOKEN", "KEY", "SECRET", "PASSWORD")
"""A variable whose name has one of these in it is not passed on."""

OUR_PREFIX: Final = "MARNN_"
"""Nor is one of ours: they say where data is."""

THREAD_VARIABLES: Final = (
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
"""How many threads the libraries for arrays start."""


def model_environment(
    environment: Mapping[str, str], scratch: str, threads: int = 1, passed: Collection[str] = ()
) -> dict[str, str]:
    """This environment without secrets but those passed, with a folder for temporary files and a number of threads.

    >>> told = model_environment({"HOME": "/home/me", "Hf_Token": "hf_x", "MARNN_CACHE": "/data"}, "/tmp/own")
    >>> "Hf_Token" in told, "MARNN_CACHE" in told, told["TMPDIR"], told["OMP_NUM_THREADS"]
    (False, False, '/tmp/own', '1')
    """
    kept = {name: value for name, value in environment.items() if name in passed or not _is_withheld(name)}
    return {**kept, **dict.fromkeys(THREAD_VARIABLES, str(threads)), "TMPDIR": scratch}


def _is_withheld(name: str) -> bool:
    return name.startswith(OUR_PREFIX) or any(word in name.upper() for word in SECRET_MARKERS)
