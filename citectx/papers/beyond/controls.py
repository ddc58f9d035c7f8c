"""Controls of the learned contextualizer: what it owes to citance, article, abstract and sample.

None of them chooses anything: each fold of a control is trained with the settings that nested
cross-validation chose for that fold, on other topics than those scored; where topics are dealt out anew, with
`Settings()`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from citectx.corpora.model import Annotation, Corpus, Topic
from citectx.evaluation import ndcg, overlap_matrix, precision_at, relevance, union_scores
from citectx.experiments.contextualization import Prepared, prepare
from citectx.experiments.report import compare
from citectx.experiments.tuning import folds_of, measured
from citectx.language.spans import best_first
from citectx.papers.beyond.features import FEATURES, GROUPS
from citectx.papers.beyond.ltr import LTR, Examples, Given, Settings
from citectx.papers.beyond.nested import Nested, without
from citectx.retrieval import BM25
from citectx.types import Floats

SHOWN = ("nDCG", "c-P@1", "c-F")
SPLITS, DRAWS = 3, 2
SIZES = (1, 2, 3, 5, 7, 9, 18, 36)


@dataclass(frozen=True)
class Data:
    """What the rows of a corpus are made of; examples have the features `names`, folds are over topics."""

    corpus: Corpus
    topics: Sequence[Prepared]
    examples: Sequence[Examples]
    names: Sequence[str]
    folds: int
    seed: int


def rows(data: Data, ltr: Nested) -> Iterator[tuple[str, list[Floats]]]:
    """Score all topics once for each control.

    ``LTR (evidence permuted)`` learned from topics where each citance has the evidence of another one of the
    same article; it can learn what is cited at all, hardly what for. ``LTR (another citance's scores)`` has
    the scores of the next citance of the article. ``LTR (two folds)`` learned from half of the topics only.
    """
    rng, parts = np.random.default_rng(data.seed), folds_of(data.topics, data.folds)
    permuted = [replace(e, shares=e.shares[_derangement(len(e.shares), rng)]) for e in data.examples]
    scores = without(permuted, data.examples, data.names, parts, ltr.settings)
    yield "LTR (evidence permuted)", scores
    yield "LTR (another citance's scores)", [np.roll(s, 1, axis=0) for s in ltr.scores]
    halves, usual = folds_of(data.topics, 2), [Settings()] * len(data.topics)
    yield "LTR (two folds)", without(data.examples, data.examples, data.names, halves, usual)


def _derangement(n: int, rng: np.random.Generator) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Permute 0 … n−1 so that nothing stays in place (but for n = 1)."""
    order = rng.permutation(n)
    moved = np.empty(n, dtype=np.int64)
    moved[order] = np.roll(order, 1)
    return moved


def outside_abstract(data: Data, ltr: Nested, metrics: Sequence[str]) -> list[pd.DataFrame]:
    """Measure LTR and BM25 where abstracts are neither candidates nor evidence; the latter as by default."""
    corpus = Corpus(data.corpus.name, tuple(map(_without_abstract, data.corpus)))
    settings = {t.topic.topic_id: s for t, s in zip(data.topics, ltr.settings, strict=True)}
    topics = [t for t in prepare(corpus, data.topics[0].protocol) if t.topic.topic_id in settings]
    examples = [Examples.of(t, data.names) for t in topics]
    own = [settings[t.topic.topic_id] for t in topics]
    scores = without(examples, examples, data.names, folds_of(topics, data.folds), own)
    return [
        measured(topics, "LTR (outside the abstract)", list(map(Given, scores)), metrics),
        measured(topics, "BM25 (outside the abstract)", [BM25()] * len(topics), metrics),
    ]


def _without_abstract(topic: Topic) -> Topic:
    blocks = topic.reference.blocks
    inside = [(b.start, b.end) for b in blocks if b.kind == "abstract"]
    hidden = tuple(replace(b, kind="back") if b.kind == "abstract" else b for b in blocks)

    def outside(annotation: Annotation) -> Annotation:
        kept = tuple(s for s in annotation.spans if not any(s.start < b and a < s.end for a, b in inside))
        return replace(annotation, spans=kept)

    citances = tuple(replace(c, annotations=tuple(map(outside, c.annotations))) for c in topic.citances)
    return replace(topic, reference=replace(topic.reference, blocks=hidden), citances=citances)


def groups(data: Data, ltr: Nested) -> pd.DataFrame:
    """Add one group of features after the other: what each brings, with its paired interval.

    Returns
    -------
    DataFrame
        Columns added, features, then for each metric of `SHOWN` its value, its difference from the line
        above, and the difference's interval.
    """
    parts = folds_of(data.topics, data.folds)
    frames: list[pd.DataFrame] = []
    lines = []
    for i, group in enumerate(GROUPS):
        names = [name for name in data.names if FEATURES[name].group in GROUPS[: i + 1]]
        examples = [e.only(data.names, names) for e in data.examples]
        last = group == GROUPS[-1]  # with all features it is LTR itself
        scores = ltr.scores if last else without(examples, examples, names, parts, ltr.settings)
        frames.append(measured(data.topics, group, list(map(Given, scores)), SHOWN))
        line: dict[str, Any] = {"added": group, "features": len(names), **frames[i][list(SHOWN)].mean()}
        if i:
            both = pd.concat(frames[-2:])
            tests = compare(both, data.seed, [GROUPS[i - 1]], SHOWN, permute=False).set_index("metric")
            ends = product(SHOWN, ("difference", "ci_low", "ci_high"))
            line |= {f"{metric} {end}": tests.loc[metric, end] for metric, end in ends}
        lines.append(line)
    return pd.DataFrame(lines)


def curve(data: Data) -> pd.DataFrame:
    """Learn from fewer topics: columns topics and `SHOWN`, means over citances and `DRAWS` draws."""
    rng, lines = np.random.default_rng(data.seed), []
    parts = folds_of(data.topics, data.folds)
    most = len(data.topics) - max(map(len, parts))
    for size in [s for s in SIZES if s <= most]:
        frames = []
        for _, part in product(range(DRAWS), parts):
            rest = np.setdiff1d(np.arange(len(data.topics)), part)
            drawn = [data.examples[i] for i in rng.choice(rest, size, replace=False)]
            model = LTR.learn(drawn, data.names, [Settings()])[0]
            scores = [Given(model.of_values(data.examples[i].values)) for i in part]
            frames.append(measured([data.topics[i] for i in part], "LTR", scores, SHOWN))
        lines.append({"topics": size, **pd.concat(frames)[list(SHOWN)].mean()})
    return pd.DataFrame(lines)


def people(topics: Sequence[Prepared], scores: Sequence[Floats]) -> pd.DataFrame:
    """Judge people and LTR alike: by all annotators of a citance but one, each in turn.

    A person is the one left out. His or her nDCG ranks the marked sentences first, both parts in reading
    order; c-P@1 is the precision of all that he or she marked (as `human_precision`), c-F its F.

    Returns
    -------
    DataFrame
        Columns topic, citance, method ("people", "LTR") and `SHOWN`; only citances with two annotators.
    """
    keys = ["topic", "citance", "method"]
    rows: list[tuple[Any, ...]] = []
    for topic, own in zip(topics, scores, strict=True):
        chars = topic.candidates.chars
        for citance, row in zip(topic.citances, own, strict=True):
            found = topic.retrieve(row, topic.protocol.k)
            for name, spans in citance.gold.items() if len(citance.gold) > 1 else ():
                others = {other: marked for other, marked in citance.gold.items() if other != name}
                gains = relevance(chars, others)
                marks = (overlap_matrix(chars, spans) > 0).astype(np.float64)
                person, model = union_scores(spans, others), union_scores(found, others)
                first = precision_at(found, others, 1)
                for method, ranked, precision, f1 in (
                    ("people", marks, person.precision, person.f1),
                    ("LTR", row, first, model.f1),
                ):
                    values = 100 * ndcg(gains[best_first(ranked)]), 100 * precision, 100 * f1
                    rows.append((topic.topic.topic_id, citance.citance_id, method, *values))
    judged = pd.DataFrame(rows, columns=[*keys, *SHOWN])
    return judged.groupby(keys, sort=False, as_index=False).mean()
