"""marnn-bench text"""

from collections.abc import Iterable
from math import exp
from pathlib import Path
from typing import Final

import click

from marnn_bench.baselines.engines import ENGINES, Engine
from marnn_bench.commands.completion import Completed
from marnn_bench.commands.output import Table, format_option, note, progress, show
from marnn_bench.errors import UsageError

TENTH: Final = 10
"""The last part of so many of the text is held out for validation, if no other text is given."""

FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)


def _streaming(ctx: click.Context) -> Iterable[str]:
    from marnn_bench.baselines.models.registry import all_baselines

    return (name for name, baseline in all_baselines().items() if baseline.recipe.stream)


@click.command()
@click.argument("model", type=Completed(_streaming))
@click.argument("corpus", type=FILE)
@click.option("--validation", type=FILE, help="A text for validation.  [default: the last tenth of CORPUS]")
@click.option("--test", type=FILE, help="A text of which to measure the perplexity.  [default: --validation]")
@click.option("--characters", is_flag=True, help="Symbols are characters, not words.")
@click.option(
    "--most", type=click.IntRange(2), default=1000, show_default=True, help="Symbols of the vocabulary."
)
@click.option("--epochs", type=click.IntRange(1), default=20, show_default=True)
@click.option("--hidden", type=click.IntRange(1), help="Hidden units, instead of the paper's.")
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the initial parameters."
)
@click.option(
    "--engine", type=click.Choice(ENGINES), default="auto", show_default=True, help="What executes it."
)
@format_option
def text(
    model: str,
    corpus: Path,
    validation: Path | None,
    test: Path | None,
    characters: bool,
    most: int,
    epochs: int,
    hidden: int | None,
    seed: int,
    engine: Engine,
    style: str,
) -> None:
    """Train a baseline on a text, and measure the perplexity of another.

    MODEL is one of Joulin & Mikolov 2015, such as joulin-srcn. CORPUS is learned from as they do: an update after every
    symbol, the learning rate halved after an epoch without a gain in validation. What is not among the most frequent
    symbols of CORPUS is <unk>.
    """
    from marnn_bench.baselines.models.registry import find_baseline
    from marnn_bench.baselines.stream.text import Vocabulary, words_of
    from marnn_bench.baselines.stream.text_model import TextTraining

    learned = words_of(corpus.read_text(encoding="utf-8"), characters)
    if validation is None:
        held = len(learned) // TENTH
        learned, validated = learned[: len(learned) - held], learned[len(learned) - held :]
    else:
        validated = words_of(validation.read_text(encoding="utf-8"), characters)
    tested = words_of(test.read_text(encoding="utf-8"), characters) if test else validated
    vocabulary = Vocabulary.of(learned, most)
    baseline = find_baseline(model)
    if hidden and "hidden" not in baseline.default_sizes.as_json():
        raise UsageError(f"{model} takes no hidden units; leave out --hidden.")
    texts = [vocabulary.ids(of) for of in (learned, validated)]
    training = TextTraining(
        baseline, len(vocabulary.symbols), texts[0], texts[1], epochs, hidden, seed, engine, note
    )
    with progress(training.symbols, f"{model} on {corpus.name}", "symbol") as told:
        training.finish(told.update)
    ids = vocabulary.ids(tested)
    found = {
        "model": model,
        "symbols": len(vocabulary.symbols),
        "parameters": training.parameters,
        "learned": len(texts[0]),
        "epochs": training.epochs,
        "validation": exp(training.loss(texts[1])),
        "test": exp(training.loss(ids)) if test else None,
        "unknown": float((ids == 0).mean()),
    }
    rows = [[name, _shown(value)] for name, value in found.items() if value is not None]
    table = Table(rows, ["", "perplexity and what it is of"], ["left", "right"])
    show(style, str(table), found, [table])


def _shown(value: object) -> str:
    return (
        f"{value:,.2f}"
        if isinstance(value, float)
        else f"{value:,}"
        if isinstance(value, int)
        else str(value)
    )
