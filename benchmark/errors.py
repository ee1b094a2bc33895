"""Our errors and the exit code that the command line gives each.

0 ok; 1 a check failed; 2 usage, windows, folders; 3 the model; 4 time, memory, disk; 5 damaged data.
"""

from marnn_bench.generators.errors import MarnnError


class UsageError(MarnnError):
    """Something was asked for that cannot be: a name, a number, a folder."""

    exit_code = 2


class CheckFailed(MarnnError):
    """A check ran to its end and found what it looks for."""

    exit_code = 1


class DetailedError(MarnnError):
    """An error with `details`, such as the traceback of a model, that --debug shows."""

    def __init__(self, message: str, details: str = "") -> None:
        super().__init__(message)
        self.details = details


class ModelError(DetailedError):
    """The model raised, died, or answered what it may not."""

    exit_code = 3


class LimitError(DetailedError):
    """Time, memory or disk ran out."""

    exit_code = 4


class DataError(MarnnError):
    """Data on disk is damaged, edited, or not what its manifest says."""

    exit_code = 5
