"""Controls of the learned contextualizer: what it owes to citance, article, abstract and sample.

None of them chooses anything: each fold of a control is trained with the settings that nested
cross-validation chose for that fold, on other topics than those scored; where topics are dealt out anew, with
`Settings()`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from citectx.corpora.model import Annotation, Corpus, Topic
from citectx.evaluation import ndcg, overlap_matrix, precision_at, relevance, union_scores
from citectx.experiments.contextualization import Prepared, prepare
from citectx.experiments.report import compare
from citectx.experiments.tuning import folds_of, measured
from citectx.language.spans import best_first
from citectx.papers.beyond.features import FEATURES, GROUPS
from citectx.papers.beyond.ltr import LTR, Examples, Settings
from citectx.papers.beyond.nested import Given, Nested, without
from citectx.retrieval import BM25
from citectx.types import Floats

SHOWN = ("nDCG", "c-P@1", "c-F")
SPLITS, DRAWS = 3, 2
SIZES = (1, 2, 3, 5, 7, 9, 18, 36)


@dataclass(frozen=True)
class Data:
    """What the row LTR was made of."""

    corpus: Corpus
    topics: Sequence[Prepared]
    examples: Sequence[Examples]
    names: Sequence[str]
    ltr: Nested

    @property
    def settings(self) -> list[Settings]:
        """What was chosen for each topic."""
        return [model.settings for model in self.ltr.models]


def rows(data: Data, folds: int, seed: int) -> Iterator[tuple[str, list[Floats]]]:
    """Score all topics once for each control.

    ``LTR (evidence permuted)`` learned from topics where each citance has the evidence of another one of the
    same article; it can learn what is cited at all, hardly what for. ``LTR (another citance's scores)`` has
    the scores of the next citance of the article. ``LTR (two folds)`` learned from half of the topics only.
    """
    rng = np.random.default_rng(seed)
    permuted = [replace(e, shares=e.shares[_derangement(len(e.shares), rng)]) for e in data.examples]
    yield (
        "LTR (evidence permuted)",
        without(permuted, data.examples, data.names, folds_of(data.topics, folds), data.settings),
    )
    yield "LTR (another citance's scores)", [np.roll(s, 1, axis=0) for s in data.ltr.scores]
    halves = folds_of(data.topics, 2)
    usual = [Settings()] * len(data.topics)
    yield "LTR (two folds)", without(data.examples, data.examples, data.names, halves, usual)


def _derangement(n: int, rng: np.random.Generator) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Permute 0 … n−1 so that nothing stays in place (but for n = 1)."""
    order = rng.permutation(n)
    moved = np.empty(n, dtype=np.int64)
    moved[order] = np.roll(order, 1)
    return moved


def outside_abstract(data: Data, folds: int, metrics: Sequence[str]) -> list[pd.DataFrame]:
    """Measure LTR and BM25 where abstracts are neither candidates nor evidence; the latter as by default."""
    corpus = Corpus(data.corpus.name, tuple(map(_without_abstract, data.corpus)))
    protocol = data.topics[0].protocol
    settings = {t.topic.topic_id: s for t, s in zip(data.topics, data.settings, strict=True)}
    topics = [t for t in prepare(corpus, protocol) if t.topic.topic_id in settings]
    examples = [Examples.of(t, data.names) for t in topics]
    own = [settings[t.topic.topic_id] for t in topics]
    scores = without(examples, examples, data.names, folds_of(topics, folds), own)
    return [
        measured(topics, "LTR (outside the abstract)", [Given(s) for s in scores], metrics),
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


def groups(data: Data, folds: int, seed: int) -> pd.DataFrame:
    """Add one group of features after the other: what each brings, with its paired interval.

    Returns
    -------
    DataFrame
        Columns added, features, then for each metric of `SHOWN` its value, its difference from the line
        above, and the difference's interval.
    """
    lines, before = [], None
    for i in range(1, len(GROUPS) + 1):
        names = [name for name in data.names if FEATURES[name].group in GROUPS[:i]]
        examples = [e.only(data.names, names) for e in data.examples]
        scores = without(examples, examples, names, folds_of(data.topics, folds), data.settings)
        frame = measured(data.topics, GROUPS[i - 1], [Given(s) for s in scores], SHOWN)
        lines.append({"added": GROUPS[i - 1], "features": len(names)} | _gain(frame, before, seed))
        before = frame
    return pd.DataFrame(lines)


def _gain(frame: pd.DataFrame, before: pd.DataFrame | None, seed: int) -> dict[str, float]:
    values = {metric: float(frame[metric].mean()) for metric in SHOWN}
    if before is None:
        return values
    both = pd.concat([before.assign(method="before"), frame.assign(method="now")])
    tests = compare(both, seed, ["before"], SHOWN, permute=False).set_index("metric")
    for metric in SHOWN:
        for column in ("difference", "ci_low", "ci_high"):
            values[f"{metric} {column}"] = float(tests.loc[metric, column])  # type: ignore[arg-type]
    return values


def curve(data: Data, folds: int, seed: int) -> pd.DataFrame:
    """Learn from fewer topics: columns topics and `SHOWN`, means over citances and `DRAWS` draws."""
    rng, lines = np.random.default_rng(seed), []
    parts = folds_of(data.topics, folds)
    most = len(data.topics) - max(map(len, parts))
    for size in [s for s in SIZES if s <= most]:
        frames = []
        for _ in range(DRAWS):
            for part in parts:
                rest = np.setdiff1d(np.arange(len(data.topics)), part)
                drawn = [data.examples[i] for i in rng.choice(rest, size, replace=False)]
                model = LTR.learn(drawn, data.names, [Settings()])[0]
                scores = [Given(model.of_values(data.examples[i].values)) for i in part]
                frames.append(measured([data.topics[i] for i in part], "LTR", scores, SHOWN))
        means = pd.concat(frames)[list(SHOWN)].mean()
        lines.append({"topics": size, **means})
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
    rows = []
    for topic, own in zip(topics, scores, strict=True):
        chars = topic.candidates.chars
        for citance, row in zip(topic.citances, own, strict=True):
            found = topic.retrieve(row, topic.protocol.k)
            judged: dict[str, list[tuple[float, float, float]]] = {"people": [], "LTR": []}
            for name, spans in citance.gold.items() if len(citance.gold) > 1 else ():
                others = {other: marked for other, marked in citance.gold.items() if other != name}
                gains = relevance(chars, others)
                marks = (overlap_matrix(chars, spans) > 0).astype(np.float64)
                person, model = union_scores(spans, others), union_scores(found, others)
                judged["people"].append((ndcg(gains[best_first(marks)]), person.precision, person.f1))
                first = precision_at(found, others, 1)
                judged["LTR"].append((ndcg(gains[best_first(row)]), first, model.f1))
            for method, values in judged.items():
                if values:
                    means = 100 * np.mean(values, axis=0)
                    rows.append((topic.topic.topic_id, citance.citance_id, method, *means))
    return pd.DataFrame(rows, columns=["topic", "citance", "method", *SHOWN])
