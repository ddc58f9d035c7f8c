"""Beyond the papers: contexts found by a model that learns from other topics' annotations.

Features (`citectx.beyond.features`) and values of C were written down before they were
scored. Controls tell what the model owes to citance, evidence and abstract. They choose nothing.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from statistics import median
from typing import Any

import numpy as np
import pandas as pd

from citectx.beyond.features import FEATURES, OF_SECTIONS, OF_SENTENCES, OF_WORDS
from citectx.beyond.ltr import examples, held_out, regression, values_of
from citectx.corpora.model import Annotation, Corpus, Topic
from citectx.evaluation import jackknife, union_scores
from citectx.evaluation.agreement import others
from citectx.experiments.contextualization import Prepared, measure_rows, prepare
from citectx.experiments.rankings import leaderboard
from citectx.experiments.report import KEYS, compare, part
from citectx.experiments.results import Result
from citectx.experiments.tuning import tune
from citectx.retrieval import BM25, variants
from citectx.types import Floats, Ints

NAME = "beyond_contexts"
METRICS = ("c-P", "c-R", "c-F", "nDCG", "c-P@1", "c-P@5", "wc-P", "wc-R", "wc-F")
BASELINE, PEOPLE = "BM25", "people (against others)"
OUTSIDE = " (outside the abstract)"
ROWS: dict[str, Iterable[str]] = {
    "Section prior": ["words", *OF_SECTIONS],
    "LTR (no query)": OF_SENTENCES,
    "LTR (words only)": OF_WORDS,
    "LTR": FEATURES,
}
"""Rows that learn, with their features. ``LTR (no query)`` never looks at the citance: a control.

``No query`` of sigir2017 Table 1 is another row: it learns nothing, its order is fixed."""
ACL_ID = re.compile(r"[A-Z]\d\d-")
LEAST = 5
"""Nothing is learned from a corpus with fewer topics."""


def run(corpora: Sequence[Corpus], *, folds: int = 10, seed: int = 0) -> Result:
    """Measure the learned contextualizer as `citectx.papers.sigir2017.table1` does, with controls.

    ``BM25`` is tuned as there. The rows of `ROWS` are scored by nested cross-validation over
    topics. ``LTR (evidence permuted)`` learned from topics where each citance has the evidence of
    another one of the same article, with the C of LTR; it can learn what is cited at all, hardly
    what for. ``LTR (other years)`` learned from ACL papers of other years: to 1999, 2000 to 2004,
    from 2005. Outside the abstract, abstracts are neither candidates nor evidence. A corpus with
    fewer than `LEAST` topics has only ``BM25``. Extra tables are ``tests``, ``weights`` (with 95 %
    intervals over topics) and ``people`` (LTR against people, both judged by the same
    annotators).
    """
    parts = [table(corpus, folds, seed, runs=corpus is corpora[0]) for corpus in corpora]
    return Result.of(NAME, parts)


def table(corpus: Corpus, folds: int, seed: int, *, runs: bool) -> Result:
    """Report on one corpus, with or without the file of its runs."""
    topics = prepare(corpus)
    tuned = tune(topics, variants(BASELINE, corpus.name), folds)
    scores: dict[str, Sequence[Floats]] = {BASELINE: tuned.scores(topics)}
    params = topics[0].protocol.params() | {"folds": folds}
    by_method: dict[str, dict[str, Any]] = {BASELINE: {"chosen": tuned.counts()}}
    report = partial(part, NAME, corpus, seed=seed, params=params, by_method=by_method)
    if len(topics) < LEAST:
        return report(measure_rows(topics, scores, METRICS))
    values = values_of(topics)
    marked = [topic.relevant for topic in topics]
    for row, features in ROWS.items():
        columns = np.isin([*FEATURES], [*features])
        kept = [topic[..., columns] for topic in values]
        scores[row], cs = held_out(kept, marked, folds)
        by_method[row] = {"C": cs, "features": int(columns.sum())}
    files = leaderboard(topics, scores, corpus.name) if runs else {}
    permuted = permute(marked, seed)
    # with the C of LTR, the last row
    scores["LTR (evidence permuted)"], _ = held_out(values, permuted, folds, cs)
    names = [topic.topic.topic_id for topic in topics]
    if all(map(ACL_ID.match, names)):
        blocks = blocks_of_years(names)
        scores["LTR (other years)"], _ = held_out(values, marked, folds, blocks=blocks)
    rows = measure_rows(topics, scores, METRICS)
    outside = outside_abstract(corpus, folds)
    people = judge(topics, scores["LTR"])
    tests = [
        compare(rows, [BASELINE]),
        compare(rows, ["LTR"]),
        compare(outside, [BASELINE + OUTSIDE]),
    ]
    extra = {
        "tests": pd.concat(tests, ignore_index=True),
        "weights": weights(values, marked, median(cs)),
    }
    if len(people):
        extra["people"] = compare(people, [PEOPLE])
    everything = pd.concat([rows, people, outside], ignore_index=True)
    return report(everything, extra=extra, files=files)


def blocks_of_years(names: Sequence[str]) -> Ints:
    """Number the block of years in which each ACL paper appeared; ids such as "P05-1013" tell."""
    years = [1960 + (int(name[1:3]) + 40) % 100 for name in names]
    return np.digitize(years, [2000, 2005])


def permute(marked: Sequence[Ints], seed: int) -> list[Ints]:
    """Give each citance the evidence of another one of its article.

    >>> [rows] = permute([np.eye(3, dtype=int)], seed=0)
    >>> rows.diagonal().tolist(), rows.sum(axis=0).tolist()
    ([0, 0, 0], [1, 1, 1])
    """
    rng = np.random.default_rng(seed)
    permuted = [rows.copy() for rows in marked]
    for rows in permuted:
        order = rng.permutation(len(rows))
        rows[order] = rows[np.roll(order, 1)]
    return permuted


def outside_abstract(corpus: Corpus, folds: int) -> pd.DataFrame:
    """Measure the default BM25 and LTR with abstracts neither candidates nor evidence."""
    topics = prepare(Corpus(corpus.name, tuple(map(without_abstract, corpus))))
    marked = [topic.relevant for topic in topics]
    learned, _ = held_out(values_of(topics), marked, folds)
    default = [topic.scores(BM25()) for topic in topics]
    rows = {BASELINE + OUTSIDE: default, "LTR" + OUTSIDE: learned}
    return measure_rows(topics, rows, METRICS)


def without_abstract(topic: Topic) -> Topic:
    """Hide the abstract from the candidates, and drop the evidence in it."""
    blocks = topic.reference.blocks
    abstract = [block.span for block in blocks if block.kind == "abstract"]
    rest = tuple(block for block in blocks if block.kind != "abstract")

    def outside(annotation: Annotation) -> Annotation:
        spans = [span for span in annotation.spans if not any(map(span.overlap, abstract))]
        return replace(annotation, spans=tuple(spans))

    citances = tuple(
        replace(citance, annotations=tuple(map(outside, citance.annotations)))
        for citance in topic.citances
    )
    return replace(topic, reference=replace(topic.reference, blocks=rest), citances=citances)


def weights(values: Sequence[Floats], marked: Sequence[Ints], c: float) -> pd.DataFrame:
    """Tabulate the weights that all topics teach, with the intervals of a jackknife over topics."""
    x, y, topics = examples(values, marked)
    rows = []
    for left_out in range(-1, len(values)):  # none first
        kept = topics != left_out
        rows.append(regression(c).fit(x[kept], y[kept])[-1].coef_[0])
    # (features, topics)
    jackknifed = jackknife(rows[0], np.transpose(rows[1:]), np.ones(len(values)))
    weight, low, high = jackknifed.table_numbers
    about = [text for _, text in FEATURES.values()]
    columns = {"feature": [*FEATURES], "about": about, "weight": weight}
    return pd.DataFrame({**columns, "ci_low": low, "ci_high": high})


def judge(topics: Sequence[Prepared], scores: Sequence[Floats]) -> pd.DataFrame:
    """Judge people and LTR alike: by all annotators of a citance but one, each in turn.

    A person is the one left out: c-P@1 is the precision of all that he or she marked (as
    `human_precision`), c-F its F. Citances with a single annotator have no row.
    """
    rows: list[tuple[str, str, str, float, float]] = []
    for topic, of_topic in zip(topics, scores, strict=True):
        for citance, row in zip(topic.citances, of_topic, strict=True):
            ids = topic.topic.topic_id, citance.citance_id
            returned = topic.retrieve(row, topic.protocol.k)
            for name, rest in others(citance.gold):
                if not rest:
                    continue
                marked = citance.gold[name]
                person, first = union_scores(marked, rest), union_scores(returned[:1], rest)
                ltr = union_scores(returned, rest)
                rows.append((*ids, PEOPLE, person.precision, person.f1))
                rows.append((*ids, "LTR (against others)", first.precision, ltr.f1))
    frame = pd.DataFrame(rows, columns=[*KEYS, "c-P@1", "c-F"])
    frame[["c-P@1", "c-F"]] *= 100
    return frame.groupby(KEYS, sort=False, as_index=False).mean()
