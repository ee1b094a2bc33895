"""`python -m marnn_bench`"""

from marnn_bench.cli import main

if __name__ == "__main__":
    main(prog_name="marnn-bench")
