"""Subject, verb, object to subject, object, verb: a translation of Grefenstette et al. 2015 (section 4.2).

>>> SvoSov().show("si1 vi28 oi5 oi7 si15 rpi si19 vi16 oi10 oi24")
'so1 oo5 oo7 so15 rpo so19 vo16 oo10 oo24 vo28'

The grammar and its probabilities, the law `itg`, are those of their Table 1a (appendix C). By the table most sentences
are short; under the law `length-balanced`, which is ours, every length in the window is equally likely, and then the
grammar decides.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.devices.grammar import Grammar
from marnn_bench.generators.devices.pushdown import Pushdown, Rule
from marnn_bench.generators.devices.synchronous_grammar import SynchronousGrammar
from marnn_bench.generators.languages.translation import Translation
from marnn_bench.generators.strings import Strings

PAIRS = """
    A  -> S1 VT2 O3       | S1 O3 VT2        [1]
    S  -> S1 S2           | S1 S2            [1/5]
    S  -> S1 'rpi' S2 VT3 | S1 'rpo' S2 VT3  [1/5]
    S  -> ST1             | ST1              [3/5]
    O  -> O1 O2           | O1 O2            [1/5]
    O  -> S1 'rpi' S2 VT3 | S1 'rpo' S2 VT3  [1/5]
    O  -> OT1             | OT1              [3/5]
    ST -> 'si{i}'         | 'so{i}'          [1/33] for i = 1..33
    VT -> 'vi{i}'         | 'vo{i}'          [1/33] for i = 1..33
    OT -> 'oi{i}'         | 'oo{i}'          [1/33] for i = 1..33
"""

SOURCES = """
    A -> ST S VT O
    S -> ST S | 'rpi' ST S VT S |               # the rest of a subject
    O -> OT P | ST Q                            # an object;
    P -> OT P | ST Q |                          # its rest behind a noun,
    Q -> ST Q | 'rpi' ST S VT R                 # behind subjects that a relative clause must follow,
    R -> OT P | ST Q | 'rpi' ST S VT R |        # and behind a relative clause
    ST -> 'si{i}' for i = 1..33
    VT -> 'vi{i}' for i = 1..33
    OT -> 'oi{i}' for i = 1..33
"""
"""The same sources without ambiguity: the next word always tells which alternative to take."""

WORD_CLASSES = {"s": "subject", "v": "verb", "o": "object", "r": "pronoun"}
"""What a word is, by its first letter."""


@dataclass(frozen=True)
class SvoSov(Translation):
    """Subject, verb, object become subject, object, verb: the main verb moves to the end, relative clauses stay.

    `words` subjects, verbs and objects each, and the relative pronoun rpi.

    >>> SvoSov().show("si1 rpi si2 vi3 vi4 oi5")
    'so1 rpo so2 vo3 oo5 vo4'
    """

    words: int = 33
    name: str = "svo-sov"

    @cached_property
    def grammar(self) -> SynchronousGrammar:
        return SynchronousGrammar.parse(PAIRS.replace("33", str(self.words)))

    @cached_property
    def source_grammar(self) -> Grammar:
        return Grammar.without_probabilities(SOURCES.replace("33", str(self.words)), self.alphabet)

    @cached_property
    def recogniser(self) -> Pushdown:
        rules = [
            Rule("start", "subject", to="subject"),
            Rule("subject", "subject"),
            Rule("subject", "pronoun", push="of the subject", to="clause"),
            Rule("subject", "verb", to="verb"),
            Rule("clause", "subject", to="its subject"),
            Rule("its subject", "subject"),
            Rule("its subject", "pronoun", push="of a clause", to="clause"),
            Rule("its subject", "verb", pop="of the subject", to="subject"),
            Rule("its subject", "verb", pop="of a clause"),
            Rule("its subject", "verb", pop="of an object", to="described"),
            *(Rule(state, "object", to="object") for state in ("verb", "object", "described")),
            *(Rule(state, "subject", to="to describe") for state in ("verb", "object", "described", "to describe")),
            *(Rule(state, "pronoun", push="of an object", to="clause") for state in ("described", "to describe")),
        ]  # fmt: skip
        kinds = Alphabet.of(WORD_CLASSES.values())
        return Pushdown(kinds, "start", frozenset({"object", "described"}), tuple(rules))

    def word_class(self, word: str) -> str:
        return WORD_CLASSES[word[0]]

    def depths(self, strings: Strings) -> NDArray[np.int64]:
        """How many verbs are owed after each symbol: the main one, and one for each open relative clause."""
        kinds = self.word_classes(strings).ids
        change = np.array([0, -1, 0, 1])[kinds]  # by a subject, verb, object, pronoun
        # A member has one verb more than pronouns, so that each string takes one from the running sum.
        return np.cumsum(change) + strings.rows + 1

    def transduce(self, sources: Strings) -> Strings:
        # The main verb is the first symbol after which no verb is owed.
        settled = np.flatnonzero(self.depths(sources) == 0)
        main = settled[np.unique(sources.rows[settled], return_index=True)[1]]
        places = np.arange(len(sources.ids))
        places -= places > main[sources.rows]
        places[main] = sources.offsets[1:] - 1
        ids = np.empty(len(sources.ids), self.outputs.dtype)
        ids[places] = self._outputs[sources.ids]
        return Strings(ids, sources.offsets)

    @cached_property
    def _outputs(self) -> NDArray[np.uint8]:
        """si1 -> so1, vi1 -> vo1, oi1 -> oo1, rpi -> rpo, as ids."""
        return np.array([self.outputs.id(word.replace("i", "o")) for word in self.alphabet], np.uint8)
