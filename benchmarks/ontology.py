"""Names of a vocabulary in citances: the synonym graph against an Aho-Corasick automaton.

The vocabulary has 150,000 names of one to four words, the text is 218 citances of 30 words; both
are drawn from Zipf's law with a fixed seed. Both contenders start from the same analysed text and
end with the same matches (greedy, longest, from left to right); what both look up is made before.
"""

from collections.abc import Iterable, Mapping
from functools import partial
from operator import eq

import ahocorasick
import numpy as np

from benchmarks.race import Race, race
from citectx.ontology import Concept, Match, SynonymGraph, Vocabulary

CONCEPTS, NAMES_EACH, CITANCES, LENGTH = 50_000, 3, 218, 30


def make_task() -> tuple[list[Concept], list[list[str]]]:
    rng = np.random.default_rng(0)
    words = np.array([f"w{i:05}" for i in range(60_000)])
    frequencies = 1 / np.arange(10, len(words) + 10)
    frequencies /= frequencies.sum()

    def draw(lengths: np.ndarray) -> list[list[str]]:
        drawn = rng.choice(words, lengths.sum(), p=frequencies)
        return [part.tolist() for part in np.split(drawn, np.cumsum(lengths)[:-1])]

    sizes = rng.choice([1, 2, 3, 4], CONCEPTS * NAMES_EACH, p=[0.3, 0.4, 0.2, 0.1])
    names = [" ".join(name) for name in draw(sizes)]
    concepts = [
        Concept.of(
            f"X:{i:05}",
            names[NAMES_EACH * i],
            names[NAMES_EACH * i + 1 : NAMES_EACH * (i + 1)],
            "x",
        )
        for i in range(CONCEPTS)
    ]
    return concepts, draw(np.full(CITANCES, LENGTH))


def spaced(words: Iterable[str]) -> str:
    """Put each word between two spaces of its own, so that a name begins and ends with words."""
    return "".join(f" {word} " for word in words)


def automaton_of(names: Mapping[str, tuple[str, ...]]) -> ahocorasick.Automaton:
    automaton = ahocorasick.Automaton()
    for name, concepts in names.items():
        words = name.split()
        key = spaced(words)
        automaton.add_word(key, (len(key), len(words), concepts))
    automaton.make_automaton()
    return automaton


def with_automaton(
    automaton: ahocorasick.Automaton, citances: list[list[str]]
) -> list[list[Match]]:
    """Find all longest names from left to right; places in the text become those of words."""
    result = []
    for tokens in citances:
        starts, place = {}, 0
        for i, token in enumerate(tokens):
            starts[place] = i
            place += len(token) + 2
        found = []
        for end, (length, words, concepts) in automaton.iter_long(spaced(tokens)):
            first = starts[end + 1 - length]
            found.append(Match(first, first + words, concepts))
        result.append(found)
    return result


def races() -> list[Race]:
    concepts, citances = make_task()
    graph = SynonymGraph.build([Vocabulary("x", tuple(concepts))])
    graph.match(citances[0])  # makes what later matches look up
    automaton = automaton_of(graph.bearers)

    def own() -> list[list[Match]]:
        return [graph.match(tokens) for tokens in citances]

    return [
        race(
            "ontology",
            "pyahocorasick",
            "from the words of 218 citances to all matches among 150,000 names; making the graph "
            "and the automaton is left out on both sides",
            own,
            partial(with_automaton, automaton, citances),
            same=eq,
            repeats=(20, 20),
        )
    ]
