"""What can be reproduced: papers' tables, and grids of learning rates and epochs around them. All of it is data."""

from difflib import get_close_matches
from typing import Final

from marnn_bench.baselines.recipes import Clipping
from marnn_bench.errors import UsageError
from marnn_bench.leaderboard.reproduce import mali2019
from marnn_bench.leaderboard.reproduce.reproduction import (
    MATRIX,
    PRESETS,
    Change,
    Preset,
    Reproduction,
    Traced,
)
from marnn_bench.tasks.suites import CORE

MODELS: Final = (
    "rnn",
    "lstm",
    "stack-rnn-joulin-mikolov",
    "stack-rnn",
    "stack-rnn-temperature",
    "stack-rnn-gumbel",
    "stack-lstm",
    "stack-lstm-temperature",
    "stack-lstm-gumbel",
    "baby-ntm",
    "baby-ntm-temperature",
    "baby-ntm-gumbel",
)
"""The rows of Tables 2 to 6 of Suzgun et al. 2019."""

FAMILIES: Final = ("rnn", "lstm", "stack-rnn-joulin-mikolov", "stack-rnn", "stack-lstm", "baby-ntm")
"""One of each kind of controller and memory, those with gates by softmax."""

COUNTING: Final = (
    "joulin-rnn-40",
    "joulin-lstm-1x50",
    "joulin-list-rnn",
    "joulin-stack-rnn",
    "joulin-stack-rnn-rounded",
)
"""The rows of Table 2 of Joulin & Mikolov 2015, which has the best of several sizes of RNN and LSTM."""

REMEMBERING: Final = ("joulin-rnn-100", "joulin-lstm-1x100", "joulin-list-rnn", "joulin-stack-rnn")
"""The lines of Figure 2 of Joulin & Mikolov 2015, of which the right panel, binary addition, has the last alone."""

TRANSDUCERS: Final = (
    *(f"deep-lstm-{layers}" for layers in (1, 2, 4, 8)),
    "neural-stack-lstm",
    "neural-queue-lstm",
    "neural-deque-lstm",
)
"""The rows of appendix E of Grefenstette et al. 2015."""

WITH_MEMORY: Final = ("deep-lstm-1", *TRANSDUCERS[4:])
"""Those of Figure 2a that are small enough for a laptop, and an LSTM."""

LAYERS: Final = (
    "bernardy-gru-40",
    "bernardy-lstm-40",
    "bernardy-gru-160",
    "bernardy-lstm-160",
    "russ",
    "bernardy-gru-gru",
    "bernardy-lstm-lstm",
    "bernardy-lstm-gru",
    "bernardy-gru-lstm",
    "bernardy-lstm-russ",
    "bernardy-gru-russ",
)
"""The configurations of section 2.4 of Bernardy 2018."""

DEPTHS: Final = ("russ-2", "russ-4", "russ-6", "russ-8", "russ")
"""The RUSS with stacks of 2 to 10 elements."""

COARSE_AND_FINE: Final = ("sequence_accuracy", "fine_accuracy")

SIDE_BY_SIDE: Final = (
    *FAMILIES,
    "joulin-rnn-40",
    "joulin-stack-rnn",
    *WITH_MEMORY,
    "bernardy-lstm-40",
    "russ",
    "transformer-rotary",
    "state-space-negative",
)
"""One of each kind of model, of all papers."""

SMALL_BATCHES: Final = {"epochs": 3, "batch": 10, "learning_rate": 3e-3, "selection": "validation loss"}
THREE_EPOCHS: Final = Change(recipe={"fresh_rows": 5_000})
SMALL_MEMORY: Final = Change(
    {"hidden": 32, "memory_width": 32, "embedding": 32},
    {**SMALL_BATCHES, "fresh_rows": 5_000, "optimiser": "adam", "clipping": Clipping(0.02, of="gradients")},
)
SIMILAR_EFFORT: Final = {
    **dict.fromkeys((*FAMILIES, "transformer-rotary", "state-space-negative"), THREE_EPOCHS),
    **dict.fromkeys(WITH_MEMORY, SMALL_MEMORY),
    **dict.fromkeys(("bernardy-lstm-40", "russ"), Change(recipe={**SMALL_BATCHES, "fresh_rows": 5_000})),
}
"""So that all but the models of streams learn from about 15,000 strings, of 32 or 40 hidden units where the paper has more."""

TASKS: Final = ("dyck2", "dyck3", "dyck6", "hom-palindrome", "marked-palindrome", "string-reversal")
RATES: Final = (0.001, 0.002, 0.003, 0.005, 0.01, 0.02)


SIX: Final = Traced(
    string="b a a a a a a b b b b b b b b b b b b",
    nexts="END a a a a a b b b b b b b b b b b b END",
    probabilities=(0.99, 0.99, 0.95, 0.93, 0.91, 0.90, 0.10, 0.99, *(1.0,) * 5, *(0.99,) * 6),
    tops=(
        (-1, 0.01, 0.18, 0.32, 0.40, 0.46, 0.52, 0.57, 0.52, 0.46, 0.40, 0.32, 0.18, 0.01, *(-1,) * 5),
        (0.53, 0.97, 0.99, 0.98, *(0.97,) * 4, 0.56, 0.01, *(0.0,) * 7, 0.01, 0.56),
    ),
)
"""Table 3 of Joulin & Mikolov 2015: a^n b^2n with n = 6, behind the end of another string. END stands for its first symbol."""

REPRODUCTIONS: Final = (
    Reproduction("suzgun2019-table2", "Suzgun et al. 2019, Table 2", ("dyck2",), MODELS),
    Reproduction("suzgun2019-table3", "Suzgun et al. 2019, Table 3", ("dyck3",), MODELS),
    Reproduction("suzgun2019-table4", "Suzgun et al. 2019, Table 4", ("dyck6",), MODELS),
    Reproduction("suzgun2019-table5", "Suzgun et al. 2019, Table 5", ("hom-palindrome",), MODELS),
    Reproduction("suzgun2019-section6.2", "Suzgun et al. 2019, section 6.2", ("marked-palindrome",), MODELS),
    Reproduction("suzgun2019-table6", "Suzgun et al. 2019, Table 6", ("string-reversal",), MODELS),
    Reproduction("suzgun2019-dyck1", "Models of Suzgun et al. 2019", ("dyck1",), MODELS),
    Reproduction(
        "joulin2015-table2",
        "Joulin & Mikolov 2015, Table 2",
        ("anbn", "anbncn", "anbncndn", "anb2n", "unary-addition"),
        COUNTING,
        runs=10,
    ),
    Reproduction(
        "joulin2015-table3",
        "Joulin & Mikolov 2015, Table 3",
        ("anb2n",),
        ("joulin-stack-rnn-20-2",),
        runs=10,
        traced=SIX,
    ),
    Reproduction(
        "joulin2015-figure2",
        "Joulin & Mikolov 2015, Figure 2",
        ("memorization", "binary-addition"),
        REMEMBERING,
        runs=10,
        fewer={"binary-addition": ("joulin-stack-rnn",)},
        by_length=True,
    ),
    Reproduction(
        "grefenstette2015-appendixe",
        "Grefenstette et al. 2015, Appendix E",
        ("sequence-copy", "sequence-reversal", "bigram-flip", "svo-sov", "gender"),
        TRANSDUCERS,
        runs=1,
    ),
    Reproduction(
        "grefenstette2015-figure2a",
        "Grefenstette et al. 2015, Figure 2a",
        ("sequence-copy", "sequence-reversal", "bigram-flip", "svo-sov", "gender"),
        TRANSDUCERS[1:],
        runs=10,
        splits=("test_short", "test"),
        metrics=COARSE_AND_FINE,
        numbers="Grefenstette et al. 2015, Appendix E",
    ),
    Reproduction(
        "grefenstette2015-figure2a",
        "Grefenstette et al. 2015, Figure 2a",
        ("sequence-copy-16", "sequence-reversal-16"),
        WITH_MEMORY,
        runs=10,
        preset="laptop",
        splits=("test_short", "test"),
        metrics=COARSE_AND_FINE,
    ),
    Reproduction(
        "bernardy2018-section4",
        "Bernardy 2018, section 4",
        ("dyck1-short",),
        LAYERS,
        runs=5,
        metrics=("complete_accuracy",),
    ),
    *(
        Reproduction(
            f"bernardy2018-{name}",
            f"Bernardy 2018, {source}",
            ("dyck5",),
            models,
            (3e-3,) * (preset == "laptop"),
            (5,) * (preset == "laptop"),
            runs=5,
            preset=preset,
            splits=("test_long", "test_deep"),
            metrics=("closing_accuracy",),
        )
        for name, source, models in (
            ("section5", "section 5", LAYERS),
            ("figure2", "Figure 2", DEPTHS),
        )
        for preset in PRESETS
    ),
    Reproduction(
        "bernardy2018-no-end",
        "Bernardy 2018, the RUSS without END",
        ("dyck5--no-end",),
        ("russ",),
        runs=10,
        preset="laptop",
        splits=("test_long", "test_deep"),
        metrics=("sequence_accuracy", "closing_accuracy"),
    ),
    *mali2019.REPRODUCTIONS,
    Reproduction(
        MATRIX,
        "Models on tasks",
        CORE,
        SIDE_BY_SIDE,
        runs=10,
        preset="laptop",
        changes=SIMILAR_EFFORT,
        hours=3,
    ),
    Reproduction(
        "suzgun2019-learning-rates",
        "Suzgun et al. 2019, by rate and epochs",
        TASKS,
        FAMILIES,
        RATES,
        (1, 2, 3, 4, 5),
    ),
)


def find_reproduction(name: str, preset: Preset | None = None) -> Reproduction:
    """The one of this name and preset, or the first one of this name; UsageError if there is none."""
    known = {reproduction.name: reproduction for reproduction in reversed(REPRODUCTIONS)}
    presets = {it.preset: it for it in REPRODUCTIONS if it.name == name}
    if preset in presets:
        return presets[preset]
    if name in known and preset:
        raise UsageError(
            f"{name} has no preset {preset}: leave out --preset, or take {' or '.join(presets)}."
        )
    if name in known:
        return known[name]
    near = get_close_matches(name, known, n=3, cutoff=0.5)
    hint = f"Did you mean {' or '.join(near)}?" if near else "`marnn-bench reproduce` lists them."
    raise UsageError(f"There is no {name!r} to reproduce. {hint}")
