"""sigir2017 Table 3: do models fail where people disagree (§3.1)?"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from citectx.corpora.model import Corpus
from citectx.errors import DataError
from citectx.evaluation import (
    Interval,
    human_precision,
    mean_human_precision,
    precision_at,
    union_scores,
    weighted_scores,
)
from citectx.evaluation.offsets import Gold
from citectx.experiments.contextualization import DEFAULT, Prepared, Protocol, prepare
from citectx.experiments.report import SPREAD, Cell, compare, mean, part
from citectx.experiments.results import Result, fingerprint, timed
from citectx.experiments.tuning import Tuned, applicable, choose
from citectx.retrieval import MODELS
from citectx.types import Floats, Span

NAME = "sigir2017_table3"
QUARTILES = ("Q1", "Q2", "Q3", "Q4")
HUMAN = "human"
PROPOSED = ("WE_Bio+dmn", "WE_Bio+rtrft", "WE_Bio", "WE_Dom", "WE_Wiki")
"""The paper's models, best first by its Table 1."""
FAIR = "c-P@1 against others"
"""Mean precision of the first span against all annotators but one, as people are judged."""
OF_MODELS = ("c-F", "c-P@1", FAIR, "wc-F", "wc-P@1")
OF_PEOPLE = ("human c-P@1", "human wc-P@1")
OF_GROUPS = "c-F" + SPREAD
RESAMPLES = 10_000
LOOSE = 0.1
"""Share of a quartile's citances that may tie with another quartile's if it is to be testable."""


@timed
def run(
    corpora: Sequence[Corpus],
    methods: Sequence[str] = tuple(MODELS),
    protocol: Protocol = DEFAULT,
    *,
    tuned_on: Mapping[str, Corpus] | None = None,
    folds: int = 10,
    seed: int = 0,
) -> Result:
    """Set each model's scores beside the precision of people on the same citances.

    Source: sigir2017 §3.1, Table 3. Rows ``Q1`` to ``Q4`` are the quartiles of citances by human
    precision, with the best model's mean ``c-F`` in each and its standard deviation ``c-F sd``;
    ``Q1 BM25`` … are the same for other models. The row ``human`` has the mean human precision as
    ``c-P@1`` (``wc-P@1``: weighted over the other annotators), a row for each model its ``c-F``,
    ``c-P@1`` and ``tau``, Kendall's rank correlation over citances of c-F with human precision. All
    in percent but tau; intervals are 95 %, from a bootstrap over topics.

    Ambiguity: "our best model" is the paper's best by its own Table 1 as far as it applies to the
    corpus (`PROPOSED`), not whichever is best here: that would be chosen on what is scored.

    Ambiguity: quartiles of numbers with ties (many citances have the same human precision, 0 and
    100 among them) are not unique. Citances are ranked by human precision, equals in the order of
    the corpus, and cut into four parts whose sizes differ by one at most. Where a cut falls among
    many equals, as in CL-SciSumm (people have a precision of 0 on two citances of three), the
    quartiles say little: see `ties`.

    Ambiguity: the paper compares the model's precision against all four annotators with that of
    people against three: fewer judges mark fewer characters, to the people's disadvantage. In the
    column ``c-P@1 against others`` models have the judges that people had; all comparisons with
    people use it.

    Ambiguity: a citance that only one annotator marked has no human precision, and is left out of
    all rows.

    Parameters
    ----------
    corpora : sequence of Corpus
        With at least two annotators each; one without is skipped.
    methods : sequence of str
    protocol : Protocol, optional
    tuned_on : mapping of corpus name to Corpus, optional
        Where parameters come from if not from cross-validation on the corpus itself.
    folds, seed : int

    Returns
    -------
    Result
        Its scores hold every metric of each citance. The extra table ``annotators`` has the
        precision of each annotator, and the comparison without that annotator; ``tests`` sets the
        first span of each model against people; ``quartiles`` says which quartiles are testable
        (`ties`).

    Raises
    ------
    DataError
        If no corpus has a citance that two annotators marked.
    """
    parts = []
    for corpus in corpora:
        topics = prepare(corpus, protocol)
        golds = {(t.topic.topic_id, c.citance_id): c.gold for t in topics for c in t.citances}
        if any(len(gold) > 1 for gold in golds.values()):
            source = (tuned_on or {}).get(corpus.name, corpus)
            tuned = choose(source, applicable(corpus.name, methods), protocol, folds)
            returned = {name: _returned(topics, models) for name, models in tuned.items()}
            params = protocol.params() | {"folds": folds, "tuned_on": source.name}
            parts.append(_report(corpus, returned, golds, params, seed))
    if not parts:
        names = ", ".join(c.name for c in corpora)
        raise DataError("no citance has evidence from two annotators", file=names)
    read = {corpus.name: fingerprint(corpus) for corpus in (*corpora, *(tuned_on or {}).values())}
    return replace(Result.of(NAME, parts), data=read)


Returned = dict[tuple[str, str], list[Span]]
"""Spans returned for each citance, best first, by topic and citance."""
Golds = Mapping[tuple[str, str], Gold]


def _returned(topics: Sequence[Prepared], models: Tuned) -> Returned:
    found = {}
    for topic in topics:
        name = topic.topic.topic_id
        rows = topic.scores(models.of(name))
        for citance, scores in zip(topic.citances, rows, strict=True):
            found[name, citance.citance_id] = topic.retrieve(scores, topic.protocol.k)
    return found


def _report(
    corpus: Corpus,
    returned: Mapping[str, Returned],
    golds: Golds,
    params: Mapping[str, object],
    seed: int,
) -> Result:
    scores = score(returned, golds)
    models, people, groups = scores.drop(columns="quartile"), _people(scores), _groups(scores)
    by_model = [own for _, own in models.groupby("method", sort=False)]
    cells = [cell for own in (*groups, people, *by_model) for cell in _cells(own, seed)]
    citances = pd.concat([models, *groups, people], ignore_index=True)
    extra = {
        "tests": compare(pd.concat([models, people]), seed, [HUMAN], [FAIR]),
        "annotators": _annotators(returned, golds),
        "quartiles": ties(scores),
    }
    return part(NAME, corpus, citances, seed, cells=cells, params=params, extra=extra)


def score(returned: Mapping[str, Returned], golds: Golds) -> pd.DataFrame:
    """Score every model and people on every citance that two annotators marked or more.

    Returns
    -------
    DataFrame
        Columns topic, citance, method, `OF_MODELS` and `OF_PEOPLE` (percent), and quartile.
    """
    kept = {key: gold for key, gold in golds.items() if human_precision(gold)}
    union = [100 * mean_human_precision([gold], union_scores) for gold in kept.values()]
    weighted = [100 * mean_human_precision([gold], weighted_scores) for gold in kept.values()]
    people = list(zip(union, weighted, quartiles(union), strict=True))
    rows = []
    for method, spans in returned.items():
        for (key, gold), own in zip(kept.items(), people, strict=True):
            rows.append((*key, method, *_measure(spans[key], gold), *own))
    columns = ["topic", "citance", "method", *OF_MODELS, *OF_PEOPLE, "quartile"]
    return pd.DataFrame(rows, columns=columns)


def _measure(spans: Sequence[Span], gold: Gold) -> list[float]:
    """Return `OF_MODELS` of the spans that a model returned for a citance."""
    others = [_without(name, gold) for name in gold]
    fractions = [
        union_scores(spans, gold).f1,
        precision_at(spans, gold, 1),
        float(np.mean([precision_at(spans, each, 1) for each in others])),
        weighted_scores(spans, gold).f1,
        weighted_scores(spans[:1], gold).precision,
    ]
    return [100 * fraction for fraction in fractions]


def _without(annotator: str, gold: Gold) -> Gold:
    return {name: spans for name, spans in gold.items() if name != annotator}


def quartiles(precision: Sequence[float]) -> list[str]:
    """Cut citances into four groups by human precision, lowest first; equals in their order.

    >>> quartiles([50, 0, 100, 0, 25])
    ['Q3', 'Q1', 'Q4', 'Q1', 'Q2']
    """
    ranks = np.empty(len(precision), dtype=np.int64)
    ranks[np.argsort(np.round(precision, 9), kind="stable")] = np.arange(len(precision))
    return [QUARTILES[4 * rank // len(precision)] for rank in ranks]


def ties(scores: pd.DataFrame) -> pd.DataFrame:
    """Count the citances that are in a quartile only by the order of equals in human precision.

    Parameters
    ----------
    scores : DataFrame
        From `score`.

    Returns
    -------
    DataFrame
        For each quartile: n, how many of its citances tie with one of another quartile (``tied``),
        and whether it is ``testable``: at most `LOOSE` of them are tied.
    """
    own = scores.drop_duplicates(["topic", "citance"])
    equals = own.groupby(own["human c-P@1"].round(9))
    split = equals["quartile"].transform("nunique") > 1
    table: pd.DataFrame = split.groupby(own["quartile"]).agg(n="size", tied="sum").reset_index()
    return table.assign(testable=table["tied"] <= LOOSE * table["n"])


def best_of(methods: Sequence[str]) -> str:
    """Name the paper's best model among some; the first of them if it proposed none.

    >>> best_of(["BM25", "WE_Wiki", "WE_Dom"]), best_of(["BM25"])
    ('WE_Dom', 'BM25')
    """
    return next((name for name in PROPOSED if name in methods), methods[0])


def _groups(scores: pd.DataFrame) -> list[pd.DataFrame]:
    """Return each quartile as a row: of the best model, and (``Q1 BM25``) of every model."""
    best = best_of(list(scores["method"].unique()))
    groups = []
    for (method, quartile), own in scores.groupby(["method", "quartile"], sort=False):
        named = own[["topic", "citance", "c-F"]].copy()
        named[OF_GROUPS] = (own["c-F"] - own["c-F"].mean()).abs()
        named["method"] = f"{quartile} {method}"
        groups += [named.assign(method=str(quartile)), named] if method == best else [named]
    return groups


def _people(scores: pd.DataFrame) -> pd.DataFrame:
    """Return people as a row of their own; all others always judge them."""
    first = scores[scores["method"] == scores["method"].iloc[0]]
    names = dict(zip(OF_PEOPLE, ("c-P@1", "wc-P@1"), strict=True))
    people: pd.DataFrame = first[["topic", "citance", *OF_PEOPLE]].rename(columns=names)
    return people.assign(**{FAIR: people["c-P@1"]}, method=HUMAN)


def _cells(own: pd.DataFrame, seed: int) -> list[Cell]:
    """Average a row's metrics; quartiles have a standard deviation, models tau with people."""
    name, n = str(own["method"].iloc[0]), len(own)
    metrics = [metric for metric in (*OF_MODELS, *OF_PEOPLE) if metric in own]
    cells = [mean(name, metric, own[metric], seed, own["topic"]) for metric in metrics]
    if OF_GROUPS in own:
        cells.append(Cell(name, OF_GROUPS, float(own["c-F"].std()), n))
    if "human c-P@1" in own:
        people, model = own["human c-P@1"], own["c-F"]
        tau = stats.kendalltau(people, model)
        if np.isfinite(tau.statistic):  # a model that finds nothing has no order
            interval = tau_interval(people, model, own["topic"], seed)
            cells.append(Cell(name, "tau", float(tau.statistic), n, interval, float(tau.pvalue)))
    return cells


def tau_interval(x: ArrayLike, y: ArrayLike, topics: ArrayLike, seed: int) -> Interval:
    """Return a bootstrap interval of Kendall's tau-b, drawing whole topics.

    Tau is a sum over pairs of citances, so pairs are added up once for each pair of topics; a
    resample then costs one small quadratic form. A topic drawn twice brings its pairs of equal
    copies, which are ties.

    >>> tau_interval([1, 2, 3, 4], [1, 2, 4, 3], ["a", "a", "b", "b"], seed=0).high
    1.0
    """
    labels = pd.factorize(np.asarray(topics))[0]
    n = labels.max() + 1
    if n < 2:
        return Interval(np.nan, np.nan)
    member = (labels[:, None] == np.arange(n)).astype(np.float64)
    draws = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), RESAMPLES)

    def total(pairs: Floats) -> Floats:
        by_topics = member.T @ pairs @ member
        return np.asarray(np.einsum("ri,ij,rj->r", draws, by_topics, draws))

    one, other = _signs(x), _signs(y)
    over, first, second = total(one * other), total(abs(one)), total(abs(other))
    with np.errstate(invalid="ignore"):
        low, high = np.nanquantile(over / np.sqrt(first * second), [0.025, 0.975])
    return Interval(float(low), float(high))


def _signs(values: ArrayLike) -> Floats:
    """For each pair, which of two values is larger, shape (n, n)."""
    own = np.asarray(values, dtype=np.float64)
    return np.asarray(np.sign(np.subtract.outer(own, own)))


def _annotators(returned: Mapping[str, Returned], golds: Golds) -> pd.DataFrame:
    """Measure how precise each annotator is, and the table without that annotator."""
    names = sorted({name for gold in golds.values() for name in gold})
    frames = [_without_one("", returned, golds)]
    frames += [_without_one(name, returned, golds) for name in names]
    return pd.concat(frames, ignore_index=True)


def _without_one(annotator: str, returned: Mapping[str, Returned], golds: Golds) -> pd.DataFrame:
    """Return the table without an annotator ("" leaves all), a row a model."""
    kept = {key: _without(annotator, gold) for key, gold in golds.items()}
    kept = {key: gold for key, gold in kept.items() if len(gold) > 1}
    people = [human_precision(gold) for gold in golds.values() if len(gold) > 1]
    own = [100 * found[annotator] for found in people if annotator in found]
    rows = []
    for method, scores in score(returned, kept).groupby("method", sort=False):
        row: dict[Any, Any] = {"without": annotator or "nobody", "method": method, "n": len(scores)}
        row["own c-P"] = float(np.mean(own)) if own else np.nan
        row |= scores[["human c-P@1", "c-F", FAIR]].mean().to_dict()
        row["tau"] = stats.kendalltau(scores["human c-P@1"], scores["c-F"]).statistic
        row |= scores.groupby("quartile")["c-F"].mean().reindex(QUARTILES).to_dict()
        rows.append(row)
    return pd.DataFrame(rows)
