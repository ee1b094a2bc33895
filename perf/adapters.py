"""What adapters cost: nanoseconds a symbol on dyck2's test split, and ratios to what they adapt.

Programs answer masks for 1,024 strings at a time; a torch module and a two-layer GPT-2 of width 64 are compared with a loop
of the same forward passes, keys and values kept. Seconds on the clock, the medians of five; processes are there already.

    python perf/adapters.py
"""

import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from evaluator import asking_seconds, wall_seconds
from timing import print_table
from transformers import GPT2Config, GPT2LMHeadModel

from marnn_bench.asking.waves import by_step, waves_of
from marnn_bench.examples import SetExamples, as_sets
from marnn_bench.generators.strings import Strings
from marnn_bench.store.cache import cached_data
from marnn_bench.store.read import read_split
from marnn_bench.tasks.registry import find_task

EXAMPLES = Path(__file__).parents[1] / "examples"

COMMAND = "from marnn_bench.adapters.command import Command\nload = Command.of({words})\n"

NETWORK = """
import torch

class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.embed = torch.nn.Embedding(4, 64)
        self.lstm = torch.nn.LSTM(64, 64, batch_first=True)
        self.scores = torch.nn.Linear(64, 4)

    def forward(self, ids, state=None):
        hidden, state = self.lstm(self.embed(ids), state)
        return torch.sigmoid(self.scores(hidden)), state
"""

TORCH = f"""{NETWORK}
from marnn_bench.adapters.torch_module import TorchModule
load = TorchModule.of(lambda task: Network(), recurrent=True)
"""

GPT2 = """
import torch
from transformers import GPT2Config, GPT2LMHeadModel
from marnn_bench.adapters.causal_lm import CausalLM

class Tokens:
    bos_token_id = eos_token_id = 0
    unk_token_id = None
    def encode(self, text, add_special_tokens):
        return [1 + "()[]".index(text.strip())]

torch.manual_seed(0)
gpt2 = GPT2LMHeadModel(GPT2Config(vocab_size=5, n_positions=128, n_embd=64, n_layer=2, n_head=2))

def load(task):
    model = CausalLM(gpt2, Tokens(), task)
    model.scores = "sigmoid"  # so that no threshold is chosen
    return model
"""


def main() -> None:
    """Print the table."""
    torch.set_num_threads(1)
    task = find_task("dyck2")
    examples = as_sets(read_split(cached_data(task), task, "test"))
    symbols = len(examples.strings.ids)
    rows = [[name, f"{1e9 * seconds / symbols:.0f}", "", ""] for name, seconds in programs(examples)]
    for name, source, bare in (("torch module", TORCH, lstm_passes), ("GPT-2", GPT2, gpt2_passes)):
        ours, theirs = seconds_of(source, examples), wall_seconds(partial(bare, examples))
        each = [f"{1e9 * seconds / symbols:.0f}" for seconds in (ours, theirs)]
        rows.append([name, *each, f"{ours / theirs:.2f}"])
    print_table(rows, [f"{len(examples):,} strings", "ns a symbol", "its forward passes", "ratio"])


def programs(examples: SetExamples) -> list[tuple[str, float]]:
    """Seconds of the examples in C, Python and, where there is Node, JavaScript."""
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/dyck2"
        subprocess.run(["cc", "-O2", "-o", program, EXAMPLES / "dyck2.c"], check=True)
        commands = {"C": [program], "Python": [sys.executable, str(EXAMPLES / "dyck2.py")]}
        if node := shutil.which("node"):
            commands["JavaScript"] = [node, str(EXAMPLES / "dyck2.mjs")]
        return [
            (f"program in {name}", seconds_of(COMMAND.format(words=", ".join(map(repr, words))), examples))
            for name, words in commands.items()
        ]


def seconds_of(source: str, examples: SetExamples) -> float:
    """Seconds for all waves through a model file."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.py"
        file.write_text(source)
        return asking_seconds(file, examples)


def steps_of(examples: SetExamples) -> list[list[torch.Tensor]]:
    """The next symbols of all strings of each wave, step by step: [n]."""
    waves = [examples.strings.take(np.array(rows)) for rows in waves_of(len(examples))]
    return [[torch.from_numpy(np.maximum(ids, 0)).long() for ids in padded(strings)] for strings in waves]


def padded(strings: Strings) -> list[Any]:
    """Symbols of a step, 0 behind the end of a string."""
    return [np.asarray(ids) for ids in by_step(strings)]


def lstm_passes(examples: SetExamples) -> None:
    """The forward passes of the torch module alone."""
    names: dict[str, Any] = {}
    exec(NETWORK, names)  # noqa: S102
    network = names["Network"]().eval()
    with torch.inference_mode():
        for wave in steps_of(examples):
            state = None
            for ids in wave:
                _, state = network(ids[:, None], state)


def gpt2_passes(examples: SetExamples) -> None:
    """The forward passes of the language model alone, with keys and values kept."""
    torch.manual_seed(0)
    gpt2 = GPT2LMHeadModel(GPT2Config(vocab_size=5, n_positions=128, n_embd=64, n_layer=2, n_head=2)).eval()
    with torch.inference_mode():
        for wave in steps_of(examples):
            kept = gpt2(input_ids=torch.zeros(len(wave[0]), 1).long(), use_cache=True).past_key_values
            for ids in wave:
                kept = gpt2(input_ids=1 + ids[:, None], past_key_values=kept, use_cache=True).past_key_values


if __name__ == "__main__":
    main()
