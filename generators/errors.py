"""Errors that a user can put right. Their text is one line that says what to do next."""


class MarnnError(Exception):
    """Base of all our errors; `exit_code` is what the command line ends with."""

    exit_code = 2


class LanguageError(MarnnError):
    """An invalid language, law or window: empty, contradictory or beyond what a device can do."""
