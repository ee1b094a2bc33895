"""A generated split as a task of Inspect, with the questions that `lm_eval` asks.

inspect_ai.eval(formal_language("data", "dyck2"), model="openai/...")
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from marnn_bench.errors import UsageError
from marnn_bench.leaderboard.exchange.lm_eval import GROUP, lm_eval_tasks
from marnn_bench.store.manifest import read_manifest
from marnn_bench.store.read import read_rows

if TYPE_CHECKING:
    from inspect_ai import Task


def formal_language(
    data: str, name: str, split: str | None = None, shots: int = 4, rows: int = 100
) -> "Task":
    """The first rows of a split, each asked behind some solved ones of `train`; an answer is right if it is the target, spaces aside.

    data:   a folder that `marnn-bench generate` wrote
    name:   the task; one of the language-modelling view asks nothing
    split:  by default the first that is not `train`
    """
    from inspect_ai import Task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.scorer import match
    from inspect_ai.solver import generate, system_message

    folder, manifest = Path(data), read_manifest(Path(data))
    if name not in manifest["tasks"]:
        raise UsageError(f"{data} has no task {name!r}: it has {', '.join(manifest['tasks'])}.")
    asked = lm_eval_tasks(manifest, folder, shots)[f"{GROUP}_{name}.yaml"]
    if asked["output_type"] == "loglikelihood_rolling":
        raise UsageError(f"{name} asks nothing: its measure is the perplexity of its strings.")
    splits, split = manifest["tasks"][name]["splits"], split or asked["test_split"]
    if split not in splits:
        raise UsageError(f"{data} has no split {split!r} of {name}: it has {', '.join(splits)}.")
    solved = [
        f"{question} {answer}" for question, answer in _pairs(asked, folder, splits.get("train"), shots)
    ]
    samples = [
        Sample(input="\n\n".join([*solved, question]), target=answer, id=row)
        for row, (question, answer) in enumerate(_pairs(asked, folder, splits[split], rows))
    ]
    return Task(
        name=asked["task"],
        dataset=MemoryDataset(samples, name=f"{name} {split}"),
        solver=[system_message(asked["description"].strip()), generate()],
        scorer=match(location="exact"),
        version=manifest["tasks"][name]["version"],
    )


def _pairs(
    asked: Mapping[str, Any], folder: Path, entry: dict[str, Any] | None, rows: int
) -> Iterator[tuple[str, str]]:
    """Questions and answers of the first rows of a split, if there is one."""
    import jinja2

    question, answer = (
        jinja2.Template(asked[part], keep_trailing_newline=True) for part in ("doc_to_text", "doc_to_target")
    )
    for row in read_rows(folder, entry).slice(0, rows).to_pylist() if entry else ():
        said = answer.render(row)
        yield (
            question.render(row),
            asked["doc_to_choice"][int(said)] if "doc_to_choice" in asked else said,
        )
