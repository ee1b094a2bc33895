"""The dataset card, and eval.yaml: what the Hugging Face Hub and a reader want to know of a folder of splits."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from math import log
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from marnn_bench.papers import benchmark_bibtex
from marnn_bench.tasks.registry import cited, paper_of

SIZES = ((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M"), (10**7, "1M<n<10M"),
         (10**8, "10M<n<100M"), (10**9, "100M<n<1B"))  # fmt: skip

CATEGORIES = {
    "next-symbol": "text-generation",
    "transduction": "text-generation",
    "synchronous": "token-classification",
    "recognition": "text-classification",
    "language-modelling": "text-generation",
}
"""Views as the Hub's task categories: what comes next, a symbol for each symbol, a label for the whole."""

BLOCKS: Final = " ▁▂▃▄▅▆▇█"

READING = {
    "next-symbol": "After a prefix of `input`, the symbols of a set may come next. The sets of this row, decoded:",
    "transduction": "`input` is the source, `target` what it becomes. END, which follows the target, is not written.",
    "synchronous": "At each symbol of `input`, the output is the symbol of `target` that stands in the same place.",
    "recognition": "`label` says whether the whole of `input` is a member; if not, `negative` says how it was made from one.",
    "language-modelling": "`log_prob` is the natural log of the probability that the split's law gives to `input`, its length and END included.",
}

DECODING = """\
Bit i of a mask in `next` stands for column i of the task, and the columns are in the metadata of each file:

```python
import json

import numpy as np
import pyarrow.parquet as pq

table = pq.read_table("{file}")
columns = json.loads(table.schema.metadata[b"marnn_bench"])["columns"]
masks = table["next"][0].values.to_numpy()
sets = [{{name for i, name in enumerate(columns) if mask >> i & 1}} for mask in masks.tolist()]
k_hot = masks[:, None] >> np.arange(len(columns), dtype=masks.dtype) & 1  # [symbols, columns]
```

`marnn_bench.k_hot(masks, columns)` is the last step; it takes the lists of `load_dataset`, too.
"""

TEXT = """
# Formal-language splits of marnn-bench

Strings of formal languages with the right answer after every symbol, written by marnn-bench. Every split can be
generated again to the bit: `marnn-bench verify .` decides every row anew and compares the digests in `manifest.json`.

## Use

```python
from pathlib import Path

import datasets, duckdb, pandas, polars

everything = datasets.load_dataset(str(Path.cwd()), "{first}")
frame = pandas.read_parquet("{file}")
faster = polars.read_parquet("{file}")
counts = duckdb.sql("select length, count(*) from '{file}' group by length order by length").fetchall()
```

So much in this folder. On the Hub `load_dataset` takes ORG/NAME and `revision=`, the tag of a release, and before the name of a file
stands `hf://datasets/ORG/NAME/`.

## Columns

| column | type | meaning |
|---|---|---|
| `input` | string | the symbols, separated by spaces |
| `next` | list of masks | the set of symbols that may come next, after each symbol; bit i is column i of the task |
| `target` | string | the output: a symbol for each step (synchronous tasks), or a string (transductions) |
| `log_prob` | float64 | language-modelling tasks: natural log of the exact probability of `input` under the split's law |
| `label` | bool | recognition tasks: whether `input` is a member |
| `negative`, `edits` | string, integer | how it was made if not, and how many edits it is away from the member it was made from |
| `length`, `n` | integer | number of symbols; the n of the task's definition |
| `depth` | integer | the most symbols owed at once: open brackets, letters still to be matched |

## How to read a row
{examples}
## Tasks

The window of a split is what its law draws from, lengths or the n of the definition; lengths are those of its rows. Blocks show how
many of the first thousand rows are how long, from the shortest to the longest of these in ten steps.
{tasks}
## Licence and citation

The data is dedicated to the public domain (CC0 1.0). Please cite marnn-bench and the papers that the tasks come from:

```bibtex
{bibtex}
```
"""


def picture_file(task: str) -> str:
    """Where in a release the picture of a task's lengths and depths is.

    >>> picture_file("dyck2")
    'pictures/dyck2.png'
    """
    return f"pictures/{task}.png"


def dataset_card(manifest: dict[str, Any], folder: Path, pictures: Collection[str] = ()) -> str:
    """README.md for a folder and the manifest that describes it.

    pictures:  the tasks whose picture is in the folder
    """
    tasks = manifest["tasks"]
    rows = sum(split["rows"] for task in tasks.values() for split in task["splits"].values())
    front = {
        "license": "cc0-1.0",
        "pretty_name": "marnn-bench formal languages",
        # No `language`: the Hub's codes name natural languages, and `code` programming languages. Who looks for data in
        # one of these should not find strings of brackets.
        "task_categories": list(dict.fromkeys(CATEGORIES[task["view"]] for task in tasks.values())),
        "tags": ["formal-languages", "synthetic", "benchmark", "rnn"],
        "annotations_creators": ["machine-generated"],
        "source_datasets": ["original"],
        "size_categories": [next((name for limit, name in SIZES if rows < limit), "n>1B")],
        "configs": [_config(name, task) for name, task in tasks.items()],
        "dataset_info": [_info(name, task) for name, task in tasks.items()],
    }
    of_view: dict[str, str] = {}
    for name, task in tasks.items():
        of_view.setdefault(task["view"], name)
    first = next(iter(tasks), "TASK")
    text = TEXT.format(
        first=first,
        file=_files(tasks[first])[0] if tasks else "FILE",
        examples="".join(_example(folder, name, tasks[name]) for name in of_view.values()),
        tasks="".join(_section(folder, name, task, name in pictures) for name, task in tasks.items()),
        bibtex="\n\n".join(_bibliography(tasks)),
    )
    return f"---\n{_yaml(front)}---\n{text}"


def benchmark_file(manifest: dict[str, Any]) -> str:
    """eval.yaml, by which the Hub knows a benchmark. Its entries are those that `export --to hub` names: a task's splits other
    than train.

    >>> print(benchmark_file({"tasks": {"dyck2": {"splits": {"train": {}, "test": {}}}}}), end="")
    name: "marnn-bench"
    description: "Formal languages, with the right answer after every symbol."
    evaluation_framework: "marnn-bench"
    tasks:
    - {"id": "dyck2/test", "config": "dyck2", "split": "test"}
    """
    listed = [
        {"id": f"{name}/{split}", "config": name, "split": split}
        for name, task in manifest["tasks"].items()
        for split in task["splits"]
        if split != "train"
    ]
    about = {
        "name": "marnn-bench",
        "description": "Formal languages, with the right answer after every symbol.",
        "evaluation_framework": "marnn-bench",
        "tasks": listed,
    }
    return _yaml(about)


def _yaml(front: dict[str, Any]) -> str:
    """Each key on a line, each entry of a list on one; values as JSON, which is YAML."""
    lines = []
    for key, value in front.items():
        if isinstance(value, list):
            lines += [f"{key}:", *(f"- {json.dumps(entry, ensure_ascii=False)}" for entry in value)]
        else:
            lines.append(f"{key}: {json.dumps(value, ensure_ascii=False)}")
    return "\n".join(lines) + "\n"


def _config(name: str, task: dict[str, Any]) -> dict[str, Any]:
    # `datasets` keys its cache of a local folder by these lines alone: without the digests it would serve the rows
    # of an earlier folder of the same name.
    digests = " ".join(f"{split}={entry['digest']}" for split, entry in task["splits"].items())
    files = [
        {"split": split, "path": [shard["file"] for shard in entry["shards"]]}
        for split, entry in task["splits"].items()
    ]
    return {"config_name": name, "description": f"content {digests}", "data_files": files}


def _info(name: str, task: dict[str, Any]) -> dict[str, Any]:
    splits = task["splits"].items()
    return {
        "config_name": name,
        "features": [_feature(column, kind) for column, kind in task["features"].items()],
        "splits": [{"name": s, "num_bytes": e["arrow_bytes"], "num_examples": e["rows"]} for s, e in splits],
        "download_size": sum(shard["bytes"] for _, entry in splits for shard in entry["shards"]),
        "dataset_size": sum(entry["arrow_bytes"] for _, entry in splits),
    }


def _feature(name: str, kind: str) -> dict[str, Any]:
    element = kind.removeprefix("list<").removesuffix(">")
    return {"name": name, "dtype": kind} if element == kind else {"name": name, "list": element}


def _bibliography(tasks: Mapping[str, Any]) -> Iterator[str]:
    """The benchmark, then the papers of the tasks."""
    yield benchmark_bibtex()
    papers = [paper_of(task["about"]["paper"]) for task in tasks.values()]
    yield from dict.fromkeys(paper.bibtex() for paper in papers if paper)


def _files(task: Mapping[str, Any]) -> list[str]:
    """The first file of each split."""
    return [entry["shards"][0]["file"] for entry in task["splits"].values()]


def _example(folder: Path, name: str, task: dict[str, Any]) -> str:
    """How to read a row of the task: its mask by mask, if it has any."""
    (split, entry), *_ = task["splits"].items()
    rows = _head(folder, entry["shards"][0]["file"], entry["digest"]).examples
    if not rows:
        return ""
    lines = [
        "",
        f"### {task['view'].capitalize()}: `{name}`, `{split}`",
        "",
        *_as_json(rows),
        READING[task["view"]],
        "",
    ]
    if "next" in rows[0]:
        lines += ["| after | mask | may come next |", "|---|---:|---|"]
        for symbol, mask in zip(rows[0]["input"].split(), rows[0]["next"], strict=True):
            allowed = " ".join(column for i, column in enumerate(task["columns"]) if mask >> i & 1)
            lines.append(f"| `{symbol}` | {mask} | `{allowed}` |")
        lines += ["", DECODING.format(file=entry["shards"][0]["file"])]
    return "\n".join(lines)


def _as_json(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return ["```json", *(json.dumps(row, ensure_ascii=False) for row in rows), "```", ""]


class _Head(NamedTuple):
    """Of the first rows of a file.

    examples:  the one nearest to six symbols; in recognition of the members and of the others
    blocks:    how many are how long
    """

    examples: tuple[Mapping[str, Any], ...]
    blocks: str


@lru_cache(maxsize=1024)
def _head(folder: Path, file: str, digest: str) -> _Head:
    """Read again only if the digest of its split changes. Nothing if another job is just replacing the file: it will write the
    card again.
    """
    try:
        with (folder / file).open("rb") as stream:  # Arrow would encode the path by the locale
            found = next(pq.ParquetFile(stream).iter_batches(batch_size=1_000)).to_pylist()
    except (OSError, pa.ArrowException, ValueError, StopIteration):
        return _Head((), "")
    blocks = _blocks([row["length"] for row in found])
    found.sort(key=lambda row: abs(row["length"] - 6))
    nearest = {row.get("label"): row for row in reversed(found)}
    return _Head(tuple(nearest[label] for label in (None, True, False) if label in nearest), blocks)


def _blocks(lengths: Sequence[int]) -> str:
    """A histogram of a line.

    >>> _blocks([1, 1, 1, 1, 5, 10, 10]), _blocks([7, 7])
    ('█   ▂    ▄', '█')
    """
    counts, _ = np.histogram(lengths, bins=min(10, max(lengths) - min(lengths) + 1))
    heights = np.ceil(8 * counts / counts.max()).astype(int)
    return "".join(BLOCKS[height] for height in heights.tolist())


def _section(folder: Path, name: str, task: dict[str, Any], drawn: bool) -> str:
    about = task["about"]
    lines = [
        f"\n### {name} {task['version']}\n",
        f"{about['summary']} View: {task['view']}. Class: {about['language_class']}. {cited(about['paper'], link=True)}.\n",
        *(f"{note}\n" for note in about.get("notes", ())),
        f"Answer columns, in the order of bits: `{' '.join(task['columns'])}`\n",
        "| split | rows | symbols | window | lengths | | mean | depth | law | repetitions dropped | digest |",
        "|---|---:|---:|---|---|---|---:|---:|---|---:|---|",
    ]
    for split, entry in task["splits"].items():
        length, depth = entry["length"], entry["depth"]["max"] if "depth" in task["features"] else "-"
        window = f"n {entry['window']}" if "n" in task["features"] else entry["window"]
        rate = entry["repetition_rate"]
        dropped = (
            "-"
            if rate is None
            else f"{rate:.1%} of draws"
            if entry["distinct"]
            else "none (independent draws)"
        )
        lines.append(
            f"| {split} | {entry['rows']:,} | {entry['symbols']:,} | {window} | {length['min']}-{length['max']} "
            f"| {_head(folder, entry['shards'][0]['file'], entry['digest']).blocks} | {length['mean']:.1f} | {depth} | `{entry['law']}` | {dropped} | `{entry['digest'][:16]}` |"
        )
    if drawn:
        lines += ["", f"![Lengths and depths of the strings of {name}]({picture_file(name)})"]
    (entry, *_), (file, *_) = task["splits"].values(), _files(task)
    examples = _head(folder, file, entry["digest"]).examples
    lines += ["", *_as_json(examples)] if examples else []
    return "\n".join([*lines, *_bounds(task["splits"]), *_leaks(task.get("leaks", {}))]) + "\n"


def _bounds(splits: Mapping[str, Any]) -> list[str]:
    """The bounds of all splits, in the language-modelling view."""
    known = {split: entry["bound_nats_per_symbol"] for split, entry in splits.items()}
    listed = [
        f"{split} {nats:.6f} nats ({nats / log(2):.6f} bits)"
        for split, nats in known.items()
        if nats is not None
    ]
    if not listed:
        return []
    exact = "Exact bound, the cross-entropy of the law itself on these rows, for each symbol and END"
    return ["", f"{exact} (minus the sum of `log_prob`, by symbols + rows): {', '.join(listed)}."]


def _leaks(report: dict[str, Any]) -> list[str]:
    if not report:
        return []
    repeated = ", ".join(f"{split} {share:.2%}" for split, share in report["duplicates"].items())
    overlap = "; ".join(f"{pair}: {rows:,}" for pair, rows in report["overlap"].items()) or "one split only"
    lines = [
        "",
        f"Leak report, of the first million rows of each split. Rows that repeat an earlier one: {repeated}. Rows in common: {overlap}.",
    ]
    if report["trivial"]:
        scored = {
            split: {score["name"]: score["metrics"]["sequence_accuracy"] for score in scores}
            for split, scores in report["trivial"].items()
        }
        lines += ["", *_table("strings that a trivial answer gets", scored)]
    for split, found in report["shortcuts"].items():
        lines += [
            "",
            f"`{split}`: {found['members']:,} members, {found['negatives']:,} negatives. {_not_made(found)}",
        ]
        if found["accuracy"]:  # of members and negatives
            lines += [
                "",
                *_table("accuracy by one feature alone", found["accuracy"]),
            ]
    return lines


def _not_made(found: dict[str, Any]) -> str:
    skipped = ", ".join(f"{kind} {number:,}" for kind, number in found["skipped"].items() if number)
    return (
        f"Members that have no negative of a kind: {skipped}." if skipped else "Every member has all kinds."
    )


def _table(title: str, shares: dict[str, dict[str, float]]) -> list[str]:
    names = list(next(iter(shares.values())))
    rows = [
        f"| {row} | {' | '.join(f'{cells[name]:.2%}' for name in names)} |" for row, cells in shares.items()
    ]
    return [f"| {title} | {' | '.join(names)} |", f"|---|{'---:|' * len(names)}", *rows]
