"""The options that limit what a model may use."""

import re
from collections.abc import Callable
from typing import TypeVar

import click

F = TypeVar("F", bound=Callable[..., object])
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def _read_size(ctx: click.Context, option: click.Parameter, text: str) -> int:
    """Bytes, from 500M, 8G or 1.5GiB."""
    parsed = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]?)(?:I?B)?", text.strip().upper())
    if not parsed:
        raise click.BadParameter(f"{text!r} is no size such as 500M or 8G.")
    return int(float(parsed[1]) * UNITS[parsed[2]])


def limit_options(command: F) -> F:
    """--wave-seconds and --memory: what a model may use."""
    seconds = click.option(
        "--wave-seconds",
        type=click.FloatRange(0, min_open=True),
        default=60,
        show_default=True,
        help="Time for a wave of 1,024 strings, and for loading.",
    )
    memory = click.option(
        "--memory",
        metavar="SIZE",
        default="8G",
        show_default=True,
        callback=_read_size,
        help="What the model may allocate (Linux).",
    )
    return seconds(memory(command))
