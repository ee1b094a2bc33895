"""Why a model is not compiled."""

from marnn_bench.errors import UsageError


class NotCompiledError(UsageError):
    """This model, or this way to train it, is not one for the compiled engine; the message names what is in the way."""
