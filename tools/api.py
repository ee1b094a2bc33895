"""docs/api.md: what `import marnn_bench` offers, from the docstrings.

    python tools/api.py

writes it anew.
"""

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path

import marnn_bench
from marnn_bench.examples import (
    Examples,
    LanguageModellingExamples,
    RecognitionExamples,
    SetExamples,
    TransductionExamples,
)
from marnn_bench.generators.strings import Strings
from marnn_bench.library.evaluate import Result

API = Path(__file__).parents[1] / "docs" / "api.md"

HEAD = """\
# The library

`import marnn_bench` imports nothing else; its names are imported when they are used. Written by `make docs` from the
docstrings. [quickstart.ipynb](quickstart.ipynb) shows them at work.
"""

FUNCTIONS = ("evaluate", "generate", "read_split", "train", "k_hot", "find_task", "find_tasks", "all_tasks")
CLASSES = (
    Result,
    Examples,
    SetExamples,
    TransductionExamples,
    RecognitionExamples,
    LanguageModellingExamples,
    Strings,
    marnn_bench.Task,
    marnn_bench.Split,
    marnn_bench.NextSymbol,
    marnn_bench.Synchronous,
    marnn_bench.Transduce,
    marnn_bench.Recognition,
    marnn_bench.LanguageModelling,
)


def page() -> str:
    """The page as the docstrings have it now."""
    return "\n".join([HEAD, *_functions(), *_classes()])


def _functions() -> Iterator[str]:
    yield "## Functions\n"
    for name in FUNCTIONS:
        yield from _entry(f"marnn_bench.{name}", getattr(marnn_bench, name), "###")


def _classes() -> Iterator[str]:
    yield "## Classes\n"
    for cls in CLASSES:
        yield f"### {cls.__module__}.{cls.__name__}\n"
        yield f"```text\n{inspect.getdoc(cls)}\n```\n"
        for name, member in vars(cls).items():
            if name.startswith("_") and name not in ("__len__", "__getitem__"):
                continue
            function = getattr(member, "fget", None) or getattr(member, "__func__", None) or member
            if inspect.isfunction(function) and function.__doc__:
                signature = "" if isinstance(member, property) else _signature(function)
                first = inspect.getdoc(function).splitlines()[0]  # type: ignore[union-attr]
                yield f"- `{name}{signature}`: {first}"
        yield ""


def _entry(name: str, function: Callable[..., object], heading: str) -> Iterator[str]:
    yield f"{heading} {name}\n"
    yield f"```text\n{name}{_signature(function)}\n```\n"
    yield f"```text\n{inspect.getdoc(function)}\n```\n"


def _signature(function: Callable[..., object]) -> str:
    """Names and defaults; the docstring says what they are."""
    shown = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for name, parameter in inspect.signature(function).parameters.items()
        if name not in ("self", "cls")
    ]
    return str(inspect.Signature(shown))


if __name__ == "__main__":
    API.write_text(page())
