"""From what went wrong in a model to the one line that a person reads."""

from typing import Final

from marnn_bench.asking.protocol import Failure, FailureKind
from marnn_bench.errors import LimitError, ModelError, UsageError
from marnn_bench.visible import visible

HINTS: Final[dict[FailureKind, str]] = {
    "usage": "",
    "interface": "See `marnn-bench check --help`.",
    "raised": "`marnn-bench --debug ...` shows the traceback.",
    "answer": "`marnn-bench check --help` says what an answer may be.",
    "died": "See what it printed above, if anything.",
    "time": "Allow more with --timeout.",
    "memory": "Allow more with --memory.",
}
"""What to do about each kind of failure."""


MAX_SHOWN_SYMBOLS: Final = 8
"""Symbols of a prefix that a message shows."""


def show_prefix(prefix: str) -> str:
    """The end of a prefix, for a message.

    >>> show_prefix("( ( ( ( [ ] [ ] [ ]")
    '`… ( ( [ ] [ ] [ ]`'
    """
    symbols = prefix.split()
    return (
        f"`{' '.join(['…', *symbols[-MAX_SHOWN_SYMBOLS:]] if len(symbols) > MAX_SHOWN_SYMBOLS else symbols)}`"
    )


def model_error(failure: Failure, name: str, where: str) -> ModelError | LimitError | UsageError:
    """The error of a failure of the model called `name`.

    >>> print(model_error(Failure("raised", "raised KeyError: 'x'", "predict"), "m.py", "test row 7, after `( [`"))
    m.py: predict raised KeyError: 'x', at test row 7, after `( [`. `marnn-bench --debug ...` shows the traceback.
    """
    if failure.kind == "usage":
        return UsageError(visible(failure.what))
    subject = f"{name}: {failure.function}" if failure.function else name
    what = failure.what.removesuffix(".")
    said = visible(f"{subject} {what}{where and f', at {where}'}")
    message = f"{said}. {failure.hint or HINTS[failure.kind]}"
    if failure.kind in ("time", "memory"):
        return LimitError(message)
    return ModelError(message, visible(failure.details, "\n"))
