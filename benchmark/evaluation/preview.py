"""What a model behind an endpoint would be asked, without asking it."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from marnn_bench.asking.child import import_file
from marnn_bench.asking.failures import model_error
from marnn_bench.asking.interfaces import Prefix, call
from marnn_bench.asking.protocol import Failure, ModelTask
from marnn_bench.errors import UsageError
from marnn_bench.examples import Examples, RecognitionExamples, TransductionExamples
from marnn_bench.task import Task


def preview(file: Path, task: Task, examples: Examples) -> str:
    """The first prompt for these strings, with the number and size of all calls; the model file is run in this process.

    UsageError if the model has no `preview`, as all but endpoints have not.
    """
    path, before = file.absolute(), Path.cwd()
    sys.path.insert(0, str(path.parent))
    os.chdir(path.parent)
    try:
        module = call("import", import_file, path)
        load = getattr(module, "load", None)
        model = module if load is None else call("load", load, ModelTask.of(task))
        if not hasattr(model, "preview"):
            raise UsageError(
                f"{file.name} is not behind an endpoint: --dry-run shows what one would be asked."
            )
        return str(call("preview", model.preview, [*_prefixes(examples)]))
    except Failure as failure:
        raise model_error(failure, file.name, "") from None
    finally:
        os.chdir(before)
        sys.path.remove(str(path.parent))


def _prefixes(examples: Examples) -> Iterator[Prefix]:
    """What is asked about these strings: whole sources and strings, or all prefixes."""
    whole = isinstance(examples, TransductionExamples | RecognitionExamples)
    for text in examples.strings.texts(examples.task.language.alphabet):
        string = tuple(text.split())
        if whole:
            yield string
        else:
            first = 0 if examples.task.view.answer == "distributions" else 1
            yield from (string[:place] for place in range(first, len(string) + 1))
