"""What executes a training."""

from typing import Final, Literal

Engine = Literal["auto", "reference", "compiled"]

Precision = Literal["float64", "float32"]
"""In which the compiled engine computes."""

ENGINES: Final = ("auto", "reference", "compiled")
"""reference: torch, as the equations are written; compiled: C made of them; auto: compiled if it can be, else reference."""
