"""sigir2017 Table 3: do models fail where people disagree (§3.1)?"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from citectx.corpora.model import Corpus
from citectx.errors import DataError, check_list
from citectx.evaluation import (
    mean_human_precision,
    precision_at,
    union_scores,
    weighted_scores,
)
from citectx.evaluation.agreement import others
from citectx.evaluation.offsets import Gold
from citectx.evaluation.significance import kendall_tau_over
from citectx.experiments.contextualization import DEFAULT, Prepared, Protocol, by_citance, prepare
from citectx.experiments.report import KEYS, SPREAD, Cell, compare, means, part
from citectx.experiments.results import Result
from citectx.experiments.tuning import Tuned, tune_methods
from citectx.retrieval import MODELS, applicable
from citectx.types import Span

NAME = "sigir2017_table3"
QUARTILES = ("Q1", "Q2", "Q3", "Q4")
HUMAN, PEOPLE = "human", "human c-P@1"
PROPOSED = ("WE_Bio+dmn", "WE_Bio+rtrft", "WE_Bio", "WE_Dom", "WE_Wiki")
"""The paper's models, best first by its Table 1."""
FAIR = "c-P@1 against others"
"""Mean precision of the first span against all annotators but one, as people are judged."""
MEASURES = ["c-F", "c-P@1", FAIR, "wc-F", "wc-P@1", PEOPLE, "human wc-P@1"]
OF_GROUPS = "c-F" + SPREAD


def run(
    corpora: Sequence[Corpus],
    methods: Sequence[str] = tuple(MODELS),
    protocol: Protocol = DEFAULT,
    *,
    folds: int = 10,
    seed: int = 0,
) -> Result:
    """Set each model's scores beside the precision of people on the same citances.

    Source: sigir2017 §3.1, Table 3. Rows ``Q1`` to ``Q4`` are the quartiles of citances by human
    precision, with the best model's mean ``c-F`` in each and its standard deviation ``c-F sd``;
    ``Q1 BM25`` … are the same for other models. The row ``human`` has the mean human precision as
    ``c-P@1`` (``wc-P@1``: weighted over the other annotators). A row per model has its ``c-F``,
    ``c-P@1`` and ``tau``, Kendall's rank correlation of c-F with human precision over citances. The
    extra table ``tests`` sets the first span of each model against people.

    Ambiguity: "our best model" is the paper's best by its own Table 1 as far as it applies to the
    corpus (`PROPOSED`), not whichever is best here: that would be chosen on what is scored.

    Ambiguity: quartiles of numbers with ties are not unique. Citances are ranked by human
    precision, equals in the order of the corpus, and cut into four parts of equal size. Where a cut
    falls among many equals, as in CL-SciSumm (people have a precision of 0 on two citances of
    three), the quartiles say little.

    Ambiguity: the paper compares the model's precision against all four annotators with that of
    people against three: fewer judges mark fewer characters, to the people's disadvantage. In the
    column ``c-P@1 against others`` models have the judges that people had; all comparisons with
    people use it.

    The row ``No query`` is a control: it does not look at the citance.

    Ambiguity: a citance that only one annotator marked has no human precision, and is left out of
    all rows; a corpus without any other is skipped.
    """
    check_list("methods", methods)
    parts = []
    for corpus in corpora:
        topics = prepare(corpus, protocol)
        if any(len(citance.gold) > 1 for topic in topics for citance in topic.citances):
            rows = applicable(corpus.name, [*methods, "No query"])
            models = tune_methods(topics, rows, folds, corpus.name)
            params = protocol.params() | {"folds": folds}
            parts.append(report(corpus, score(topics, models), params, seed))
    if not parts:
        names = ", ".join(c.name for c in corpora)
        raise DataError("no citance has evidence from two annotators", file=names)
    return Result.of(NAME, parts)


def report(corpus: Corpus, scores: pd.DataFrame, params: Mapping[str, Any], seed: int) -> Result:
    """Report on a corpus: quartiles, people and models."""
    models = scores.drop(columns="quartile")
    groups = by_quartile(scores)
    # what people reached is the same beside every model
    people = models.drop_duplicates(KEYS[:2]).assign(method=HUMAN)
    people = people[[*KEYS, PEOPLE, PEOPLE, "human wc-P@1"]]
    people.columns = [*KEYS, "c-P@1", FAIR, "wc-P@1"]
    cells: list[Cell] = []
    for name, rows in groups.groupby("method", sort=False):
        cells += means(rows[[*KEYS, "c-F"]])
        cells.append(Cell(str(name), OF_GROUPS, rows["c-F"].std(), len(rows)))
    cells += means(people)
    for _, rows in models.groupby("method", sort=False):
        cells += [*means(rows), *tau(rows)]
    everything = pd.concat([models, groups, people], ignore_index=True)
    fair = pd.concat([models, people])[[*KEYS, FAIR]]
    extra = {"tests": compare(fair, [HUMAN])}
    return part(NAME, corpus, everything, seed, cells=cells, params=params, extra=extra)


def score(topics: Sequence[Prepared], models: Mapping[str, Tuned]) -> pd.DataFrame:
    """Score every model and people on the citances that two annotators marked or more.

    Columns are `KEYS`, `MEASURES` in percent, and quartile.
    """
    rows = []
    ranked = ((method, tuned.scores(topics)) for method, tuned in models.items())
    for method, topic, citance, scores in by_citance(topics, ranked):
        if len(citance.gold) > 1:
            spans = topic.retrieve(scores, topic.protocol.k)
            keys = topic.topic.topic_id, citance.citance_id, method
            rows.append((*keys, *measure(spans, citance.gold)))
    frame = pd.DataFrame(rows, columns=[*KEYS, *MEASURES])
    frame[MEASURES] *= 100
    # every model is scored on the same citances, so the groups of one serve all
    citances = frame[frame["method"] == frame["method"].iloc[0]]
    return frame.assign(quartile=quartiles(citances[PEOPLE].tolist()) * len(models))


def measure(spans: Sequence[Span], gold: Gold) -> list[float]:
    """Return `MEASURES` of the spans that a model returned for a citance, as fractions."""
    # one annotator left out in turn, as people are judged
    fair = np.mean([precision_at(spans, rest, 1) for _, rest in others(gold)])
    return [
        union_scores(spans, gold).f1,
        precision_at(spans, gold, 1),
        float(fair),
        weighted_scores(spans, gold).f1,
        weighted_scores(spans[:1], gold).precision,
        mean_human_precision([gold]),
        mean_human_precision([gold], weighted_scores),
    ]


def quartiles(precision: Sequence[float]) -> list[str]:
    """Cut citances into four groups by human precision, lowest first; equals in their order.

    >>> quartiles([50, 0, 100, 0, 25])
    ['Q3', 'Q1', 'Q4', 'Q1', 'Q2']
    """
    order = np.argsort(np.round(precision, 9), kind="stable")
    # the place of each citance in that order
    ranks = np.argsort(order)
    return [QUARTILES[4 * rank // len(precision)] for rank in ranks]


def best_proposed(methods: Sequence[str]) -> str:
    """Name the paper's best model among some; the first of them if it proposed none.

    >>> best_proposed(["BM25", "WE_Wiki", "WE_Dom"]), best_proposed(["BM25"])
    ('WE_Dom', 'BM25')
    """
    return next((name for name in PROPOSED if name in methods), methods[0])


def by_quartile(scores: pd.DataFrame) -> pd.DataFrame:
    """Return each quartile as a row: of the best model, and (``Q1 BM25``) of every model."""
    best = best_proposed(scores["method"].unique().tolist())
    frames = []
    for (method, quartile), rows in scores.groupby(["method", "quartile"], sort=False):
        deviations = (rows["c-F"] - rows["c-F"].mean()).abs()
        named = rows[[*KEYS, "c-F"]].assign(**{OF_GROUPS: deviations})
        if method == best:
            frames.append(named.assign(method=str(quartile)))
        frames.append(named.assign(method=f"{quartile} {method}"))
    return pd.concat(frames)


def tau(rows: pd.DataFrame) -> list[Cell]:
    """Return Kendall's tau of a model's c-F with people; none for one that finds nothing."""
    pair = rows[PEOPLE], rows["c-F"]
    topics, names = pd.factorize(rows["topic"])
    estimate = kendall_tau_over(*pair, topics, np.ones(len(names)))
    if np.isnan(estimate.effect):
        return []
    p_value = stats.kendalltau(*pair).pvalue
    return [Cell.of(rows["method"].iloc[0], "tau", estimate, len(rows), p_value)]
