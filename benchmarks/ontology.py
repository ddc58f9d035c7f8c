"""Names of a vocabulary in citances: the synonym graph against a loop of substring tests.

The vocabulary has 150,000 names of one to four words, the text is 218 citances of 30 words; both
are drawn from Zipf's law with a fixed seed. Both contenders start from the same analysed text and
end with the same matches (greedy, longest, from left to right).
"""

from functools import partial
from operator import eq

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


def with_substrings(
    names: dict[str, tuple[str, ...]], citances: list[list[str]]
) -> list[list[Match]]:
    """Test every name against every citance; then choose greedily among those that occur."""
    result = []
    for tokens in citances:
        text = f" {' '.join(tokens)} "
        present = [name.split() for name in names if f" {name} " in text]
        present.sort(key=len, reverse=True)
        found, start = [], 0
        while start < len(tokens):
            name = next((n for n in present if tokens[start : start + len(n)] == n), None)
            if name is not None:
                found.append(Match(start, start + len(name), names[" ".join(name)]))
            start += len(name or [""])
        result.append(found)
    return result


def races() -> list[Race]:
    concepts, citances = make_task()
    graph = SynonymGraph.build([Vocabulary("x", tuple(concepts))])
    graph.match(citances[0])  # makes what later matches look up
    names = dict(graph.bearers)
    loop = partial(with_substrings, names, citances)

    def own() -> list[list[Match]]:
        return [graph.match(tokens) for tokens in citances]

    return [race("ontology", "loop of substring tests", own, loop, 20, same=eq, repeats=3)]
