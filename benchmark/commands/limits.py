"""The options that limit what a model may use."""

import re
from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from marnn_bench.processes.limits import Limits

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def _read_size(ctx: click.Context, option: click.Parameter, text: str) -> int:
    """Bytes, from 500M, 8G or 1.5GiB."""
    parsed = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]?)(?:I?B)?", text.strip().upper())
    if not parsed:
        raise click.BadParameter(f"{text!r} is no size such as 500M or 8G.")
    return int(float(parsed[1]) * UNITS[parsed[2]])


OPTIONS = (
    click.option(
        "--timeout",
        metavar="SECONDS",
        type=click.FloatRange(0, min_open=True),
        default=60,
        show_default=True,
        help="Time for a round of answers, one for each of 1,024 strings, and for loading.",
    ),
    click.option(
        "--memory",
        metavar="SIZE",
        default="8G",
        show_default=True,
        callback=_read_size,
        help="What the model and all that it starts may take (Linux).",
    ),
    click.option(
        "--threads",
        type=click.IntRange(1),
        default=1,
        show_default=True,
        help="Of the libraries that the model computes with.",
    ),
    click.option(
        "--isolate",
        "isolated",
        is_flag=True,
        help="Run the model without network and without sight of data and results (Linux).",
    ),
    click.option(
        "--pass-env",
        "passed",
        metavar="NAME",
        multiple=True,
        help="A variable that the model gets though it looks like a secret, repeatable.",
    ),
)


def limit_options(command: Callable[..., object]) -> Callable[..., object]:
    """The options for what a model may use, passed to the command as `limits`."""

    @wraps(command)
    def with_limits(
        *, timeout: float, memory: int, threads: int, isolated: bool, passed: tuple[str, ...], **rest: Any
    ) -> object:
        return command(limits=Limits(timeout, memory, threads, isolated, passed), **rest)

    for option in reversed(OPTIONS):
        with_limits = option(with_limits)
    return with_limits
