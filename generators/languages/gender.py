"""Articles that take the gender of their noun: a translation of Grefenstette et al. 2015 (section 4.2).

>>> Gender().show("the ne19 and a me17 we11")
'das ng19 und ein mg17 wg11'

The grammar and its probabilities, the law `itg`, are those of their Table 1b (appendix C). The grammar is
supercritical: more than half of its derivations never end. Given the length, it is drawn from exactly. By the table
most sentences are short; under the law `length-balanced`, which is ours, every length in the window is equally likely,
and then the grammar decides.
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

SOURCES = """
    A -> S 'and' S B
    B -> 'or' A | W V |                         # behind nouns
    V -> 'or' A | W V | A |                     # and behind a verb
    S -> 'the' N | 'a' N
    N -> 'me{i}' | 'fe{i}' | 'ne{i}' for i = 1..25
    W -> 'we{i}' for i = 1..25
"""

WORD_CLASSES = {"w": "verb", "m": "masculine", "f": "feminine", "n": "neuter"}
GENDERS = ("masculine", "feminine", "neuter")
ARTICLES = {"the": ("der", "die", "das"), "a": ("ein", "eine", "ein")}
CONJUNCTIONS = {"and": "und", "or": "oder"}


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
        return SynchronousGrammar.parse(PAIRS.replace("25", str(self.words)))

    @cached_property
    def source_grammar(self) -> Grammar:
        return Grammar.without_probabilities(SOURCES.replace("25", str(self.words)), self.alphabet)

    @cached_property
    def recogniser(self) -> Pushdown:
        rules = [
            *(Rule(state, "article", to="first noun") for state in ("start", "verb")),
            *(Rule("first noun", gender, to="and") for gender in GENDERS),
            Rule("and", "and", to="second article"),
            Rule("second article", "article", to="second noun"),
            *(Rule("second noun", gender, to="nouns") for gender in GENDERS),
            *(Rule(state, "or", to="start") for state in ("nouns", "verb")),
            *(Rule(state, "verb", to="verb") for state in ("nouns", "verb")),
        ]
        kinds = Alphabet.of(("article", *CONJUNCTIONS, *WORD_CLASSES.values()))
        return Pushdown(kinds, "start", frozenset({"nouns", "verb"}), tuple(rules))

    def word_class(self, word: str) -> str:
        return "article" if word in ARTICLES else word if word in CONJUNCTIONS else WORD_CLASSES[word[0]]

    def depths(self, strings: Strings) -> NDArray[np.int64]:
        """1 behind an article, whose noun is owed; 0 elsewhere."""
        article = self.recogniser.alphabet.id("article")
        return np.asarray(self.word_classes(strings).ids == article, np.int64)

    def transduce(self, sources: Strings) -> Strings:
        following = np.append(
            self.word_classes(sources).ids[1:], 0
        )  # behind a string's end too, where it plays no part
        return Strings(self._outputs[sources.ids, following], sources.offsets)

    @cached_property
    def _outputs(self) -> NDArray[np.uint8]:
        """What a word becomes before each kind of word: [words, kinds]."""
        table = np.zeros((len(self.alphabet), len(self.recogniser.alphabet)), np.uint8)
        for i, word in enumerate(self.alphabet):
            if word in ARTICLES:
                for gender, article in zip(GENDERS, ARTICLES[word], strict=True):
                    table[i, self.recogniser.alphabet.id(gender)] = self.outputs.id(article)
            else:
                table[i] = self.outputs.id(CONJUNCTIONS.get(word) or word.replace("e", "g"))
        return table
