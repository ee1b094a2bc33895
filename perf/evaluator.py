"""What the evaluator itself costs: µs an answer through each interface beside a yardstick, and whole evaluations.

The models answer without thinking. The yardsticks: for `step` a bare pipe, a process that sends back as many bytes as it
is sent, in as many rounds; for the others a loop in one process that builds the same prefixes, asks and compares. One
stream is counted in processor time of both sides, the rest in time on the clock. Figures are medians of five.

At last the runs of a train folder, of which the compiled engine makes and asks so many: once, in seconds on the clock and
of processor time of all processes, start and end included.

    python perf/evaluator.py          # 100 runs
    python perf/evaluator.py 1000
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
from timing import print_table

from marnn_bench.asking.ask import ask
from marnn_bench.asking.process import ModelProcess
from marnn_bench.asking.protocol import Loaded, ModelTask
from marnn_bench.asking.waves import WaveFailure, by_step, waves_of
from marnn_bench.examples import SetExamples, as_sets
from marnn_bench.processes.limits import Limits
from marnn_bench.store.cache import cached_data
from marnn_bench.store.read import read_split
from marnn_bench.tasks.registry import find_task

TASK = "dyck2"
REPEATS = 5
ONE_STREAM_ROWS = 40
RUNS = 100

MODELS = {
    "step": "import numpy as np\ndef reset(n): pass\ndef step(ids): return np.ones((len(ids), 4))",
    "predict_batch, sets": "def predict_batch(prefixes): return [{'(', '['}] * len(prefixes)",
    "predict, sets": "def predict(prefix): return {'(', '['}",
    "predict, maps": "def predict(prefix): return {'(': 0.9, ')': 0.1, '[': 0.9, ']': 0.1}",
    "predict, scores": "def predict(prefix): return [0.9, 0.1, 0.9, 0.1]",
}

ECHO = """
import sys
requests, replies = sys.stdin.buffer, sys.stdout.buffer
while size := int.from_bytes(requests.read(8), "little"):
    replies.write(requests.read(size))
    replies.flush()
"""


def main() -> None:
    """Print the tables."""
    task = find_task(TASK)
    examples = as_sets(read_split(cached_data(task), task, "test"))
    answers = len(examples.strings.ids)
    yardsticks = {"step": bare_pipe_seconds(examples), "predict": loop_seconds(examples)}
    rows = []
    for name, source in MODELS.items():
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "model.py"
            file.write_text(source)
            asking = asking_seconds(file, examples)
            whole = wall_seconds(partial(evaluate, file))
        yardstick = yardsticks["step" if name == "step" else "predict"]
        each, of_yardstick = (f"{1e6 * seconds / answers:.3f}" for seconds in (asking, yardstick))
        rows.append([name, each, of_yardstick, f"{asking / yardstick:.2f}", f"{whole:.2f}"])
    headers = [f"{len(examples):,} strings, {answers:,} answers", "µs an answer", "yardstick", "ratio"]
    print_table(rows, [*headers, "eval, all told, s"])
    print()
    few = examples.take(range(ONE_STREAM_ROWS))
    ours, bare = one_stream_seconds(few), bare_pipe_cpu_seconds(few)
    calls = len(few.strings.ids)
    cells = [f"{1e6 * ours / calls:.1f}", f"{1e6 * bare / calls:.1f}", f"{ours / bare:.2f}"]
    print_table([["step", *cells]], ["one stream", "µs of processor time a call", "bare pipe", "ratio"])
    print()
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    headers = [f"{runs:,} runs of a Stack-RNN", "seconds", "of processor time", "ms of it a run"]
    print_table(runs_rows(runs, answers), headers)


def runs_rows(runs: int, answers: int) -> list[list[str]]:
    """What training few strings takes, its folder included, and evaluating all runs."""
    with tempfile.TemporaryDirectory() as folder:
        trained, out = f"{folder}/trained", f"{folder}/out"
        few = ["--rows", "40", "--epochs", "1", "--engine", "compiled"]
        commands = {
            "train on 40 strings": [
                "train",
                "stack-rnn",
                "--task",
                TASK,
                "--runs",
                str(runs),
                *few,
                "--out",
                trained,
            ],
            f"eval, {answers:,} answers each": ["eval", trained, "--task", TASK, "--out", out],
        }
        rows = []
        for name, command in commands.items():
            clock, spent = time.perf_counter(), total_seconds()
            subprocess.run([sys.executable, "-m", "marnn_bench", *command], check=True, capture_output=True)
            clock, spent = time.perf_counter() - clock, total_seconds() - spent
            rows.append([name, f"{clock:.1f}", f"{spent:.1f}", f"{1e3 * spent / runs:.1f}"])
    return rows


def asking_seconds(file: Path, examples: SetExamples) -> float:
    """Seconds for all waves, the process being there."""
    with ModelProcess(file, Limits()) as model:
        loaded = model.load(ModelTask.of(examples.task))
        return wall_seconds(partial(ask_all, model, loaded, examples))


def ask_all(model: ModelProcess, loaded: Loaded, examples: SetExamples) -> None:
    """All waves of a split."""
    for rows in waves_of(len(examples)):
        ask(model, examples.take(np.array(rows)), loaded, fail)


def fail(failed: WaveFailure) -> None:
    """These models do not fail."""
    raise failed.failure


def evaluate(file: Path) -> None:
    """The command, as a user gives it."""
    program = [sys.executable, "-m", "marnn_bench", "eval", str(file), "--task", TASK]
    out = str(file.parent / "out")
    subprocess.run([*program, "--out", out, "--overwrite"], check=True, capture_output=True)


def loop_seconds(examples: SetExamples) -> float:
    """Seconds for a loop that builds every prefix, asks a function and compares."""
    alphabet = examples.task.language.alphabet.symbols
    strings = [[alphabet[i] for i in string.tolist()] for string in examples.strings]
    right = [[frozenset(names.split("/")) for names in sets] for sets in examples.sets(examples.answers)]
    constant = {"(", "["}

    def predict(prefix: tuple[str, ...]) -> set[str]:
        return constant

    def loop() -> None:
        correct = 0
        for string, wanted in zip(strings, right, strict=True):
            prefix: tuple[str, ...] = ()
            for symbol, answer in zip(string, wanted, strict=True):
                prefix = (*prefix, symbol)
                correct += predict(prefix) == answer

    return wall_seconds(loop)


def bare_pipe_seconds(examples: SetExamples) -> float:
    """Seconds for as many rounds through a bare pipe, each of eight bytes a stream there and back."""
    sizes = [
        8 * len(rows)
        for rows in waves_of(len(examples))
        for _ in range(len(by_step(examples.strings.take(np.array(rows)))))
    ]
    with subprocess.Popen([sys.executable, "-c", ECHO], stdin=-1, stdout=-1, bufsize=0) as echo:
        seconds = wall_seconds(partial(echo_all, echo, sizes))
        send(echo, 0)
    return seconds


def one_stream_seconds(examples: SetExamples) -> float:
    """Seconds of processor time, of all processes, for strings one by one, start and end left out."""

    def work(repeats: int) -> float:
        before = total_seconds()
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "model.py"
            file.write_text(MODELS["step"])
            with ModelProcess(file, Limits()) as model:
                loaded = model.load(ModelTask.of(examples.task))
                for row in [*range(len(examples))] * repeats:
                    ask(model, examples.take([row]), loaded, fail)
        return total_seconds() - before

    return median(work(1 + REPEATS) - work(1) for _ in range(REPEATS)) / REPEATS


def bare_pipe_cpu_seconds(examples: SetExamples) -> float:
    """The same for a bare pipe, eight bytes a call."""

    def work(repeats: int) -> float:
        before = total_seconds()
        with subprocess.Popen([sys.executable, "-c", ECHO], stdin=-1, stdout=-1, bufsize=0) as echo:
            echo_all(echo, [8] * len(examples.strings.ids) * repeats)
            send(echo, 0)
        return total_seconds() - before

    return median(work(1 + REPEATS) - work(1) for _ in range(REPEATS)) / REPEATS


def total_seconds() -> float:
    """Processor time of this process and of those that it waited for."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def echo_all(echo: "subprocess.Popen[bytes]", sizes: list[int]) -> None:
    """Send messages of these sizes, each after the answer to the one before."""
    for size in sizes:
        send(echo, size)
        left = size
        while left:
            left -= len(os.read(echo.stdout.fileno(), left))  # type: ignore[union-attr]


def send(echo: "subprocess.Popen[bytes]", size: int) -> None:
    """One message of zeros."""
    os.write(echo.stdin.fileno(), size.to_bytes(8, "little") + bytes(size))  # type: ignore[union-attr]


def wall_seconds(work: Callable[[], None]) -> float:
    """How long something takes, two processes being at work: median of several times, after one not counted."""
    taken = []
    for _ in range(REPEATS + 1):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return median(taken[1:])


if __name__ == "__main__":
    main()
