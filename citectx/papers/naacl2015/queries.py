"""The queries of naacl2015's reformulations, and of controls that have their size but no sense.

A control keeps as many words of the citance as NP or KW does, drawn at random, or adds to NP as
many words as expansion does, drawn from those that expansion adds to other citances.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from citectx.catalogue import resources_of
from citectx.experiments.contextualization import Prepared
from citectx.retrieval.reformulation import NEEDS_CONCEPTS, WIKIPEDIA_FILTER, Reformulation

FEEDBACK = "feedback"
"""The row that asks the baseline's query, and again with words that it found."""

FEWER = {"random words": "NP", "random words (KW)": "KW"}
"""Controls that keep as many words of the citance as another row does."""

STRANGE = {"NP+random names": ("NP", "NP+expand")}
"""Controls that add names, with the rows without and with synonyms that say how many."""

FEWER_LATER = {
    "random words (reduce)": "reduce",
    f"random words ({WIKIPEDIA_FILTER})": WIKIPEDIA_FILTER,
}
STRANGE_LATER = {
    "random names": ("baseline", "expand"),
    "reduce+random names": ("reduce", "reduce+expand"),
}
"""The same for controls of a later table (`citectx.papers.naacl2015.controls`)."""

DRAWS = 20
"""How often each control is drawn; its scores are means over the draws."""

Weights = Mapping[str, float]


def queries(
    corpus: str, topics: Sequence[Prepared], names: Sequence[str], **limits: Any
) -> dict[str, list[Weights]]:
    """Make the queries of each row that applies to a corpus, for all citances of all topics.

    ``limits`` are those of `citectx.retrieval.reformulation.Reformulation`.
    """
    resources = resources_of(corpus)
    analyzer = topics[0].protocol.analyzer
    plain = [query for topic in topics for query in topic.queries]
    rows = {}
    for name in names:
        if resources.concepts or name not in NEEDS_CONCEPTS:
            # feedback begins with the plain query; the model adds words (`Rocchio`)
            asked = "baseline" if name == FEEDBACK else name
            field = resources.concepts, resources.domain
            reformulate = Reformulation(asked, analyzer, *field, **limits)
            rows[name] = [reformulate(query).weights for query in plain]
    return rows


def draw_queries(
    rows: Mapping[str, Sequence[Weights]],
    fewer: Mapping[str, str] = FEWER,
    strange: Mapping[str, tuple[str, str]] = STRANGE,
) -> Iterator[tuple[str, list[Weights]]]:
    """Make the queries of the controls of these rows: the name of a control and its next draw."""
    for seed in range(DRAWS):
        for name, row in fewer.items():
            if row in rows:
                yield name, keep_fewer(rows["baseline"], rows[row], seed)
        for name, (plain, expanded) in strange.items():
            if {plain, expanded} <= rows.keys():
                yield name, add_others(rows[plain], rows[expanded], seed)


def draw(rng: np.random.Generator, terms: Sequence[str], most: int) -> list[str]:
    """Draw so many terms, or all that there are; they stay in order."""
    places = rng.choice(len(terms), min(most, len(terms)), replace=False)
    return [terms[i] for i in sorted(places.tolist())]


def keep_fewer(plain: Sequence[Weights], kept: Sequence[Weights], seed: int) -> list[Weights]:
    """Draw from each query as many terms as a reformulation keeps of it."""
    rng = np.random.default_rng(seed)
    smaller: list[Weights] = []
    for query, reduced in zip(plain, kept, strict=True):
        terms = draw(rng, sorted(query), len(reduced))
        smaller.append({term: query[term] for term in terms})
    return smaller


def add_others(reduced: Sequence[Weights], expanded: Sequence[Weights], seed: int) -> list[Weights]:
    """Add to each query as many terms as expansion does, drawn from those it adds elsewhere."""
    rng = np.random.default_rng(seed)
    larger: list[Weights] = []
    pairs = zip(reduced, expanded, strict=True)
    added = [more.keys() - query.keys() for query, more in pairs]  # the names that a citance gets
    pool = sorted(set[str]().union(*added))
    for query, names in zip(reduced, added, strict=True):
        known = query.keys() | names
        strange = [term for term in pool if term not in known]
        larger.append({**query, **dict.fromkeys(draw(rng, strange, len(names)), 1.0)})
    return larger
