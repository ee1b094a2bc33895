"""What is read from an answer of a model. Imported by the model's process: nothing is imported here."""

from typing import Literal

AnswerKind = Literal["sets", "choices", "scores", "distributions", "membership"]
"""A set of columns, the column with the highest score, the scores themselves, scores that are probabilities, or the
probability that the string is a member."""
