"""The two translations of Grefenstette et al. 2015 (section 4.2), by the grammars of their Table 1 (appendix C).

>>> SvoSov().show("si1 vi28 oi5 oi7 si15 rpi si19 vi16 oi10 oi24")
'so1 oo5 oo7 so15 rpo so19 vo16 oo10 oo24 vo28'
>>> Gender().show("the ne19 and a me17 we11")
'das ng19 und ein mg17 wg11'

The probabilities are the tabulated ones, the law `itg`. The second grammar is supercritical: more than half of its
derivations never end. Given the length, both are drawn from exactly. By the table most sentences are short; under the
law `length-balanced`, which is ours, every length in the window is equally likely, and then the grammar decides.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.grammar import Grammar
from marnn_bench.generators.pushdown import Pushdown, Rule
from marnn_bench.generators.strings import Strings
from marnn_bench.generators.synchronous import SynchronousGrammar, Translation

SVO_SOV = """
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

SVO_SOURCES = """
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

GENDER = """
    A -> B1           | B1             [1]
    B -> B1 'or' B2   | B1 'oder' B2   [1/4]
    B -> S1 'and' S2  | S1 'und' S2    [1/4]
    B -> B1 V2        | B1 V2          [1/2]
    V -> W1 B2        | W1 B2          [3/4]
    V -> W1           | W1             [1/4]
    S -> 'the' M1     | 'der' M1       [1/6]
    S -> 'the' F1     | 'die' F1       [1/6]
    S -> 'the' N1     | 'das' N1       [1/6]
    S -> 'a' M1       | 'ein' M1       [1/6]
    S -> 'a' F1       | 'eine' F1      [1/6]
    S -> 'a' N1       | 'ein' N1       [1/6]
    W -> 'we{i}'      | 'wg{i}'        [1/25] for i = 1..25
    M -> 'me{i}'      | 'mg{i}'        [1/25] for i = 1..25
    F -> 'fe{i}'      | 'fg{i}'        [1/25] for i = 1..25
    N -> 'ne{i}'      | 'ng{i}'        [1/25] for i = 1..25
"""

GENDER_SOURCES = """
    A -> S 'and' S B
    B -> 'or' A | W V |                         # behind nouns
    V -> 'or' A | W V | A |                     # and behind a verb
    S -> 'the' N | 'a' N
    N -> 'me{i}' | 'fe{i}' | 'ne{i}' for i = 1..25
    W -> 'we{i}' for i = 1..25
"""


SVO_KINDS = {"s": "subject", "v": "verb", "o": "object", "r": "pronoun"}
"""What a word is, by its first letter."""

GENDER_KINDS = {"w": "verb", "m": "masculine", "f": "feminine", "n": "neuter"}
GENDERS = ("masculine", "feminine", "neuter")
ARTICLES = {"the": ("der", "die", "das"), "a": ("ein", "eine", "ein")}
CONJUNCTIONS = {"and": "und", "or": "oder"}


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
        return SynchronousGrammar.parse(SVO_SOV.replace("33", str(self.words)))

    @cached_property
    def members(self) -> Grammar:
        return Grammar.without_probabilities(SVO_SOURCES.replace("33", str(self.words)), self.alphabet)

    @cached_property
    def reader(self) -> Pushdown:
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
        kinds = Alphabet.of(SVO_KINDS.values())
        return Pushdown(kinds, "start", frozenset({"object", "described"}), tuple(rules))

    def kind(self, word: str) -> str:
        return SVO_KINDS[word[0]]

    def depths(self, strings: Strings) -> NDArray[np.int64]:
        """How many verbs are owed after each symbol: the main one, and one for each open relative clause."""
        kinds = self.kinds(strings).ids
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


@dataclass(frozen=True)
class Gender(Translation):
    """Articles without gender get that of their noun; `words` verbs and nouns of each gender.

    >>> Gender().show("the me1 and the fe2 we3 a ne4 and a fe5")
    'der mg1 und die fg2 wg3 ein ng4 und eine fg5'
    """

    words: int = 25
    name: str = "gender"

    @cached_property
    def grammar(self) -> SynchronousGrammar:
        return SynchronousGrammar.parse(GENDER.replace("25", str(self.words)))

    @cached_property
    def members(self) -> Grammar:
        return Grammar.without_probabilities(GENDER_SOURCES.replace("25", str(self.words)), self.alphabet)

    @cached_property
    def reader(self) -> Pushdown:
        rules = [
            *(Rule(state, "article", to="first noun") for state in ("start", "verb")),
            *(Rule("first noun", gender, to="and") for gender in GENDERS),
            Rule("and", "and", to="second article"),
            Rule("second article", "article", to="second noun"),
            *(Rule("second noun", gender, to="nouns") for gender in GENDERS),
            *(Rule(state, "or", to="start") for state in ("nouns", "verb")),
            *(Rule(state, "verb", to="verb") for state in ("nouns", "verb")),
        ]
        kinds = Alphabet.of(("article", *CONJUNCTIONS, *GENDER_KINDS.values()))
        return Pushdown(kinds, "start", frozenset({"nouns", "verb"}), tuple(rules))

    def kind(self, word: str) -> str:
        return "article" if word in ARTICLES else word if word in CONJUNCTIONS else GENDER_KINDS[word[0]]

    def depths(self, strings: Strings) -> NDArray[np.int64]:
        """1 behind an article, whose noun is owed; 0 elsewhere."""
        article = self.reader.alphabet.id("article")
        return np.asarray(self.kinds(strings).ids == article, np.int64)

    def transduce(self, sources: Strings) -> Strings:
        following = np.append(
            self.kinds(sources).ids[1:], 0
        )  # behind a string's end too, where it plays no part
        return Strings(self._outputs[sources.ids, following], sources.offsets)

    @cached_property
    def _outputs(self) -> NDArray[np.uint8]:
        """What a word becomes before each kind of word: [words, kinds]."""
        table = np.zeros((len(self.alphabet), len(self.reader.alphabet)), np.uint8)
        for i, word in enumerate(self.alphabet):
            if word in ARTICLES:
                for gender, article in zip(GENDERS, ARTICLES[word], strict=True):
                    table[i, self.reader.alphabet.id(gender)] = self.outputs.id(article)
            else:
                table[i] = self.outputs.id(CONJUNCTIONS.get(word) or word.replace("e", "g"))
        return table
