"""Recipes: the papers' training procedures, as data. `marnn_bench.baselines.training.loop` carries them out."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Recipe:
    """How a paper trains. Every run sees the same strings, and ends with its last parameters.

    procedure:      in words: what all recipes of this kind have in common
    epochs:         passes over the train split
    learning_rate, betas, epsilon:  of Adam
    """

    name: str
    procedure: str
    epochs: int
    learning_rate: float
    betas: tuple[float, float]
    epsilon: float


SUZGUN2019 = Recipe(
    name="suzgun2019",
    procedure=(
        "one string, one update, in the fixed order of the split; state and memory start from zero for each string; "
        "squared error averaged over its steps and columns; Adam; float64; the last parameters are kept"
    ),
    epochs=3,
    learning_rate=0.01,
    betas=(0.9, 0.999),
    epsilon=1e-8,
)
"""Suzgun et al. 2019, section 4.2 (Adam, three epochs); the learning rate and the rest are in the published code.

Batches of strings are not this recipe: with the same number of epochs they change what is learned.
"""
