"""Baselines that the compiled engine is tested with."""

from typing import Final

from marnn_bench.baselines.models import suzgun2019

COMPILED: Final = tuple(baseline.name for baseline in suzgun2019.BASELINES)
