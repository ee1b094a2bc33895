"""Grefenstette, Hermann, Suleyman & Blunsom 2015: five transductions (section 4; grammars in Table 1 of appendix C).

Windows are of source lengths: 8-64 to train, 65-128 to test. As in the paper, training data is endless, and accuracy
is also measured on fresh sources of the training window, here `test_short`. In the first three tasks lengths and
symbols are uniform. The paper calls the lengths of the two grammars "relatively uniform"; by its Table 1 they are not
(median 15 and 13 in 8-64). The table is followed; for uniform lengths generate with `--law length-balanced`.

The sample that the appendix gives of the second grammar, "we11 the en19 and the em17", begins with a verb. By the
table a sentence begins with an article, so that no derivation has it; the table is followed.

The language class is that of the strings source ||| target.

Ours are `sequence-copy-16` and `sequence-reversal-16`, with 16 symbols instead of 128 and all else the same: models of 32
units learn them in a minute.
"""

from marnn_bench.generators.language import Transduction
from marnn_bench.generators.languages.copying import BigramFlip, SequenceCopy, SequenceReversal
from marnn_bench.generators.languages.gender import Gender
from marnn_bench.generators.languages.svo_sov import SvoSov
from marnn_bench.generators.window import Window
from marnn_bench.papers import Paper, arxiv
from marnn_bench.task import Split, Task
from marnn_bench.views import Transduce

PAPER = Paper(
    "grefenstette2015",
    ("Edward Grefenstette", "Karl Moritz Hermann", "Mustafa Suleyman", "Phil Blunsom"), 2015,
    "Learning to Transduce with Unbounded Memory",
    "https://arxiv.org/abs/1506.02516", "inproceedings",
    {"booktitle": "Advances in Neural Information Processing Systems 28", **arxiv("1506.02516")},
)  # fmt: skip


SHORT, LONG = Window(8, 64), Window(65, 128)
SHORT_SENTENCES = (
    "The paper calls the lengths relatively uniform; by its Table 1 they are not. The table is followed; "
    "`--law length-balanced` makes them uniform."
)
OURS = "Ours: 16 symbols instead of the paper's 128, so that models of 32 units learn it in a minute."


def _task(
    language: Transduction,
    *,
    law: str,
    language_class: str,
    paper: str,
    summary: str,
    notes: tuple[str, ...] = (),
    name: str = "",
) -> Task:
    splits = {
        "train": Split("fresh", SHORT, law, distinct=False),
        "test_short": Split(1_000, SHORT, law, overlaps="drawn from the law of train, as in the paper"),
        "test": Split(1_000, LONG, law),
    }
    return Task(
        name or language.name,
        "1.0",
        language,
        Transduce(),
        splits,
        language_class,
        f"grefenstette2015, {paper}",
        summary,
        notes=notes,
    )


SEQUENCE_COPY = _task(
    SequenceCopy(), law="uniform", language_class="beyond", paper="section 4.1",
    summary="a1 a2 ... ak becomes itself; 128 symbols.",
)  # fmt: skip
SEQUENCE_REVERSAL = _task(
    SequenceReversal(), law="uniform", language_class="deterministic context-free", paper="section 4.1",
    summary="a1 a2 ... ak becomes ak ... a2 a1; 128 symbols.",
)  # fmt: skip
BIGRAM_FLIP = _task(
    BigramFlip(), law="uniform", language_class="beyond", paper="section 4.1",
    summary="a1 a2 a3 a4 ... becomes a2 a1 a4 a3 ...; 128 symbols, even lengths.",
)  # fmt: skip
SVO_SOV = _task(
    SvoSov(), law="itg", language_class="beyond", paper="section 4.2, Table 1a of the appendix",
    summary="Subject, verb, object becomes subject, object, verb; relative clauses keep their order.",
    notes=(SHORT_SENTENCES,),
)  # fmt: skip
GENDER = _task(
    Gender(), law="itg", language_class="beyond", paper="section 4.2, Table 1b of the appendix",
    summary="Articles without gender become those of the nouns behind them; all other words keep their places.",
    notes=(
        SHORT_SENTENCES,
        "The appendix's sample, `we11 the en19 and the em17`, does not follow from its Table 1b; the table is followed.",
    ),
)  # fmt: skip
SEQUENCE_COPY_16 = _task(
    SequenceCopy(16), law="uniform", language_class="beyond", paper="section 4.1, smaller", name="sequence-copy-16",
    summary="a1 a2 ... ak becomes itself; 16 symbols.", notes=(OURS,),
)  # fmt: skip
SEQUENCE_REVERSAL_16 = _task(
    SequenceReversal(16), law="uniform", language_class="deterministic context-free", paper="section 4.1, smaller",
    name="sequence-reversal-16", summary="a1 a2 ... ak becomes ak ... a2 a1; 16 symbols.", notes=(OURS,),
)  # fmt: skip

TASKS = (
    SEQUENCE_COPY,
    SEQUENCE_REVERSAL,
    BIGRAM_FLIP,
    SVO_SOV,
    GENDER,
    SEQUENCE_COPY_16,
    SEQUENCE_REVERSAL_16,
)
