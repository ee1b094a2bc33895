"""Generated splits as task files of the LM Evaluation Harness, which reads the Parquet files where they are.

What is asked, by view:

    recognition                   yes or no, by which of the two is likelier
    transduction, synchronous     the output, written out
    next-symbol                   after the first half of a string, the symbols that may come next, in the order of the columns
    language-modelling            nothing: the perplexity of the strings as text
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from marnn_bench.adapters.prompts import NO, RULES, YES

GROUP: Final = "marnn_bench"

OUTPUT: Final = {
    "output_type": "generate_until",
    "doc_to_text": "Input: {{input}}\nOutput:",
    "doc_to_target": "{{target}}",
}
NEXT: Final = (
    "{% filter trim %}{% if next %}{% set mask = next[[length // 2, 1] | max - 1] %}{% for name in COLUMNS %}"
    "{% if mask // 2 ** loop.index0 % 2 %}{{ name }} {% endif %}{% endfor %}{% endif %}{% endfilter %}"
)
ASKED: Final[Mapping[str, Mapping[str, Any]]] = {
    "transduction": OUTPUT,
    "synchronous": OUTPUT,
    "recognition": {
        "output_type": "multiple_choice",
        "doc_to_text": "String: {{input}}\nMember:",
        "doc_to_choice": [NO, YES],
        "doc_to_target": "{{label | int}}",
    },
    "next-symbol": {
        "output_type": "generate_until",
        "doc_to_text": "Prefix: {{input.split()[:[length // 2, 1] | max] | join(' ')}}\nMay come next:",
        "doc_to_target": NEXT,
    },
    "language-modelling": {
        "output_type": "loglikelihood_rolling",
        "doc_to_text": "",
        "doc_to_target": "{{input}}",
    },
}
SAID: Final = {
    **RULES,
    "next-symbol": "You say which symbols may come next in strings of a formal language that the examples define. Answer with all of "
    "them, separated by spaces.",
    "synchronous": RULES["transduction"],
    "language-modelling": "",
}
FILTERS: Final = [
    {"name": "stripped", "filter": [{"function": "remove_whitespace"}, {"function": "take_first"}]}
]
METRICS: Final = {
    "generate_until": ("exact_match",),
    "multiple_choice": ("acc",),
    "loglikelihood_rolling": ("word_perplexity", "bits_per_byte"),
}


def lm_eval_tasks(manifest: Mapping[str, Any], folder: Path, shots: int = 4) -> dict[str, dict[str, Any]]:
    """The content of each YAML file, by its name: one for each task, with its first test split, and one for all as a group.

    folder:  where the Parquet files are
    shots:   solved examples of the train split before each question
    """
    files = {
        f"{GROUP}_{name}.yaml": _task(name, task, folder, shots) for name, task in manifest["tasks"].items()
    }
    return files | {f"{GROUP}.yaml": {"group": GROUP, "task": [task["task"] for task in files.values()]}}


def _task(name: str, task: Mapping[str, Any], folder: Path, shots: int) -> dict[str, Any]:
    view, splits = task["view"], task["splits"]
    asked = dict(ASKED[view])
    if view == "next-symbol":
        asked["doc_to_target"] = NEXT.replace("COLUMNS", repr([*task["columns"]]))
    if asked["output_type"] == "generate_until":
        asked["generation_kwargs"] = {"until": ["\n"], "do_sample": False}
        asked["filter_list"] = FILTERS
    learned = "train" in splits and view != "language-modelling"
    return {
        "task": f"{GROUP}_{name}",
        "dataset_path": "parquet",
        "dataset_kwargs": {
            "data_files": {
                split: [str(folder / shard["file"]) for shard in entry["shards"]]
                for split, entry in splits.items()
            }
        },
        "test_split": next((split for split in splits if split != "train"), "train"),
        **({"fewshot_split": "train", "num_fewshot": shots} if learned else {}),
        "description": f"{SAID[view]} Symbols: {' '.join(task['alphabet'])}.\n\n" if SAID[view] else "",
        **asked,
        "metric_list": [{"metric": metric} for metric in METRICS[asked["output_type"]]],
        "metadata": {"version": float(task["version"])},
    }
