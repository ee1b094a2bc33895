"""Where things are."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
MODELS = ROOT / "tests" / "models"
"""Model files to evaluate."""
