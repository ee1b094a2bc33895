"""The models, one file per paper. `marnn_bench.baselines.models.registry` finds them by name."""
