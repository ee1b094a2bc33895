"""The dataset card: what the Hugging Face Hub and a reader want to know of a folder of splits."""

import json
from typing import Any

SIZES = ((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M"), (10**7, "1M<n<10M"),
         (10**8, "10M<n<100M"), (10**9, "100M<n<1B"))  # fmt: skip

TEXT = """
# Formal-language splits of marnn-bench

Strings of formal languages with the right answer after every symbol, written by marnn-bench. Every split can be
generated again to the bit: `marnn-bench verify .` decides every row anew and compares the digests in `manifest.json`.

    from datasets import load_dataset
    load_dataset("PATH_OR_REPO", "{first}")

## Columns

| column | type | meaning |
|---|---|---|
| `input` | string | the symbols, separated by spaces |
| `next` | list of masks | the set of symbols that may come next, after each symbol; bit i is column i of the task |
| `target` | string | the output: a symbol for each step (synchronous tasks), or a string (transductions) |
| `label` | bool | recognition tasks: whether `input` is a member |
| `negative`, `edits` | string, integer | how it was made if not, and how many edits it is away from the member it was made from |
| `length`, `n` | integer | number of symbols; the n of the task's definition |
| `depth` | integer | the most symbols owed at once: open brackets, letters still to be matched |

## Tasks
{tasks}
## Licence and citation

The data is dedicated to the public domain (CC0 1.0). Please cite the paper that a task comes from, and marnn-bench.
"""


def dataset_card(manifest: dict[str, Any]) -> str:
    """README.md for the folder that a manifest describes."""
    tasks = manifest["tasks"]
    rows = sum(split["rows"] for task in tasks.values() for split in task["splits"].values())
    front = {
        "license": "cc0-1.0",
        "pretty_name": "marnn-bench formal languages",
        "tags": ["formal-languages", "synthetic", "benchmark", "rnn"],
        "annotations_creators": ["machine-generated"],
        "source_datasets": ["original"],
        "size_categories": [next((name for limit, name in SIZES if rows < limit), "n>1B")],
        "configs": [_config(name, task) for name, task in tasks.items()],
        "dataset_info": [_info(name, task) for name, task in tasks.items()],
    }
    sections = "".join(_section(name, task) for name, task in tasks.items())
    return f"---\n{_yaml(front)}---\n{TEXT.format(first=next(iter(tasks), 'TASK'), tasks=sections)}"


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


def _section(name: str, task: dict[str, Any]) -> str:
    about = task["about"]
    lines = [
        f"\n### {name} {task['version']}\n",
        f"{about['summary']} Source: {about['paper']}. View: {task['view']}. Class: {about['language_class']}.\n",
        f"Answer columns, in the order of bits: `{' '.join(task['columns'])}`\n",
        "| split | rows | symbols | length | mean | depth | law | repetitions dropped | digest |",
        "|---|---:|---:|---|---:|---:|---|---:|---|",
    ]
    for split, entry in task["splits"].items():
        length, depth = entry["length"], entry["depth"]["max"] if "depth" in task["features"] else "-"
        rate = entry["repetition_rate"]
        dropped = (
            "-"
            if rate is None
            else f"{rate:.1%} of draws"
            if entry["distinct"]
            else "none (independent draws)"
        )
        lines.append(
            f"| {split} | {entry['rows']:,} | {entry['symbols']:,} | {length['min']}-{length['max']} "
            f"| {length['mean']:.1f} | {depth} | `{entry['law']}` | {dropped} | `{entry['digest'][:16]}` |"
        )
    return "\n".join([*lines, *_leaks(task.get("leaks", {}))]) + "\n"


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
            split: {score["name"]: score["sequence_accuracy"] for score in scores}
            for split, scores in report["trivial"].items()
        }
        lines += ["", *_table("strings that a trivial answer gets", scored)]
    for split, found in report["shortcuts"].items():
        lines += [
            "",
            f"`{split}`: {found['members']:,} members, {found['negatives']:,} negatives. {_not_made(found)}",
        ]
        lines += ["", *_table("accuracy without reading the string, by what is looked at", found["accuracy"])]
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
