"""acl2008 Tables 1 and 3 under one reading of what the paper leaves open.

See `citectx.ledger.readings`. Controls: sentences chosen for their length alone, a search with the
citances, and impact models whose citation contexts are those of the next paper, which should say
nothing of this one's impact.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd

from citectx import profiles
from citectx.cache import Arrays, cached
from citectx.corpora.model import Corpus
from citectx.experiments.contextualization import Protocol
from citectx.experiments.results import fingerprint
from citectx.experiments.tuning import choose
from citectx.papers.acl2008 import methods
from citectx.papers.acl2008.impact_set import (
    ImpactPaper,
    ImpactProtocol,
    ImpactSet,
    impact_set,
    protocol_of,
)
from citectx.papers.acl2008.methods import OURS, Order, measure, random_order
from citectx.papers.acl2008.table3 import MODELS
from citectx.summarization.base import Budget
from citectx.summarization.impact import CitedPaper, ImpactModel
from citectx.types import Floats

LENGTHS = (Budget(sentences=10), Budget(sentences=15), Budget(words=250))
MEASURE = "ROUGE-L"
COUNTED = ("stem", "stop_words", "strip_markers")
AUTHORITY, PARTS = ("pagerank", "none"), ("recall", "F")
SEEDS = 20
"""Random summaries of each paper, of whose scores the mean is taken."""

FIXED = ("LEAD", "MEAD-Doc", "MEAD-Doc+Cite", "Longest")
IMPACT = {OURS: ImpactModel(), "Dirichlet": MODELS["Dirichlet"], "P(w|C)": MODELS["P(w|C)"]}
ELSEWHERE = {
    "contexts of another paper": ImpactModel(),
    "Dirichlet, contexts of another paper": MODELS["Dirichlet"],
}
"""Controls: the same models, on the contexts of the next paper."""


@cache
def source(corpus: str) -> Corpus:
    """Read a corpus once."""
    return profiles.load(corpus)


def data(corpus: str) -> str:
    """Hash what scores are computed from."""
    return fingerprint(source(corpus))


def scores(corpus: str, choices: Mapping[str, Any]) -> pd.DataFrame:
    """Score the rows that the headlines are about, and their controls, paper by paper.

    Parameters
    ----------
    corpus : str
    choices : mapping of str to object
        One of each reading in ``readings.toml``.

    Returns
    -------
    DataFrame
        Columns topic, citance (empty), method, and ROUGE-L at each length: recall or F.
    """
    least = protocol_of(source(corpus), choices["citations"]).least_citances
    named = {name: choices[name] for name in COUNTED}
    key = corpus, data(corpus), least, *named.values()
    compute = partial(_all, corpus, ImpactProtocol(least_citances=least, **named))
    kept = cached("impact-readings", __name__, key, compute)
    place = AUTHORITY.index(choices["authority"]), PARTS.index(choices["part"])
    return _long(kept, kept["values"][place])


def _all(corpus: str, protocol: ImpactProtocol) -> Arrays:
    """Score all rows under both readings of authority and of ROUGE: a set is counted once.

    Values have the shape (authorities, parts, papers, methods, lengths).
    """
    found = impact_set(source(corpus), protocol)
    search, topics = _search(corpus), list[str]()
    values = list[list[list[list[list[float]]]]]()
    for paper, elsewhere in zip(found.papers, _elsewhere(found), strict=True):
        fixed = dict(_fixed(paper, search))
        pairs = _by_authority(paper.cited, elsewhere)
        both = [fixed | dict(_impact(paper, *pair)) for pair in pairs]
        values.append([[_table(rows, part) for part in PARTS] for rows in both])
        topics.append(paper.topic.topic_id)
    return {
        "topic": np.array(topics),
        "method": np.array([*both[0]]),
        "values": np.moveaxis(np.array(values), 0, 2),
    }


def _table(rows: Mapping[str, Mapping[str, float]], part: str) -> list[list[float]]:
    ending = "" if part == "recall" else f" {part}"
    columns = [methods.column(MEASURE + ending, budget) for budget in LENGTHS]
    return [[own[column] for column in columns] for own in rows.values()]


def _long(kept: Arrays, values: Floats) -> pd.DataFrame:
    """Lay out one reading; values have the shape (papers, methods, lengths)."""
    columns = [methods.column(MEASURE, budget) for budget in LENGTHS]
    frames = []
    for topic, own in zip(kept["topic"].tolist(), values, strict=True):
        frame = pd.DataFrame(own, columns=columns)
        frame.insert(0, "topic", topic)
        frame.insert(1, "citance", "")
        frame.insert(2, "method", kept["method"])
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def _by_authority(
    own: CitedPaper, elsewhere: CitedPaper
) -> Iterator[tuple[CitedPaper, CitedPaper]]:
    """Yield both countings with the authority of the network, then with all citing papers alike."""
    yield own, elsewhere
    yield _unweighted(own), _unweighted(elsewhere)


def _unweighted(paper: CitedPaper) -> CitedPaper:
    return replace(paper, authority=np.ones_like(paper.authority))


def _elsewhere(found: ImpactSet) -> Iterator[CitedPaper]:
    """Yield each paper, counted with the contexts of the next one."""
    protocol, papers = found.protocol, found.papers
    for paper, other in zip(papers, (*papers[1:], papers[0]), strict=True):
        given = paper.sentences, other.contexts, found.background, protocol.analyzer
        yield CitedPaper.of(*given, found.authority, protocol.strip_markers)


@cache
def _search(corpus: str) -> Order:
    """Return the search with citances that Table 1 has as a later row."""
    tuned = choose(source(corpus), ["BM25"], Protocol(), folds=10)
    return methods.contextualized(tuned["BM25"])


def _fixed(paper: ImpactPaper, search: Order) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield the rows of a paper that know nothing of authority, with their measures."""
    drawn = [measure(paper, partial(random_order, seed=seed), LENGTHS) for seed in range(SEEDS)]
    yield "Random", {name: float(np.mean([each[name] for each in drawn])) for name in drawn[0]}
    for name in FIXED:
        yield name, measure(paper, methods.FIXED[name], LENGTHS)
    yield "BM25", measure(paper, search, LENGTHS)


def _impact(
    paper: ImpactPaper, own: CitedPaper, elsewhere: CitedPaper
) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield the rows of impact models, counted in its own contexts and in those of another."""
    for counted, models in ((own, IMPACT), (elsewhere, ELSEWHERE)):
        for name, model in models.items():
            yield name, measure(paper, methods.impact(model, counted), LENGTHS)
