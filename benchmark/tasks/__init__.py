"""The tasks, one file per paper. `marnn_bench.tasks.registry` finds them by name."""
