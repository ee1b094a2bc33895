"""The benchmark in a program or a notebook: what `marnn_bench.evaluate` and `marnn_bench.generate` do."""
