"""The tasks, one file per paper. `marnn_bench.registry` finds them by name."""
