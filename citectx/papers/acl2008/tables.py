"""From summaries' scores, paper by paper, to the tables of acl2008."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from citectx.evaluation import bootstrap_interval
from citectx.experiments.report import compare
from citectx.experiments.results import COLUMNS, Result, fingerprint, params_json
from citectx.papers.acl2008.impact_set import ImpactPaper, ImpactSet
from citectx.papers.acl2008.methods import measure_models
from citectx.summarization.base import Budget
from citectx.summarization.impact import CitedPaper, ImpactModel

RECALL = ("ROUGE-1", "ROUGE-L")
"""What acl2008 reports. Ambiguity: it does not say whether as P, R or F. Its numbers look like recall: those
of random sentences grow nearly in step with the length of the summary (0.163, 0.230, 0.430, 0.538 at 3, 5, 10
and 15 sentences), while precision would stay where it is, and F gain little beyond the median length of the
gold, nine sentences. Precision and F are columns of their own."""


def sentences(lengths: Sequence[int]) -> list[Budget]:
    """Return the budget of each number of sentences."""
    return [Budget(sentences=n) for n in lengths]


def row(paper: ImpactPaper, method: str, measured: Mapping[str, float]) -> dict[str, Any]:
    """Lay out the scores of one summary method on one paper."""
    return {"topic": paper.topic.topic_id, "citance": "", "method": method} | dict(measured)


def rows_of_models(
    papers: Sequence[ImpactPaper],
    models: Mapping[str, ImpactModel],
    lengths: Sequence[int],
    cited: Sequence[CitedPaper] | None = None,
) -> pd.DataFrame:
    """Score named impact models on every paper, one row a paper and model.

    `cited` are the papers as counted in another way, if not in their own; they are scored all the same.
    """
    return pd.DataFrame(
        [
            row(paper, name, measured)
            for paper, counted in zip(papers, cited or [paper.cited for paper in papers], strict=True)
            for name, measured in zip(
                models, measure_models(paper, list(models.values()), sentences(lengths), counted), strict=True
            )
        ]
    )


def tabulate(
    experiment: str,
    of: ImpactSet,
    scores: pd.DataFrame,
    params: Mapping[str, Mapping[str, Any]],
    rivals: Sequence[str],
    seed: int,
) -> dict[str, pd.DataFrame]:
    """Summarise the scores of a corpus.

    Parameters
    ----------
    experiment : str
    of : ImpactSet
    scores : DataFrame
        Columns topic, citance (empty), method and the measures.
    params : mapping of method to parameters
    rivals : sequence of str
        Methods of which the best is what others are tested against.
    seed : int
        Of bootstrap and permutations.

    Returns
    -------
    dict
        ``table``: means over papers with 95 % intervals from a bootstrap over papers, and the p-value of a
        two-tailed paired t-test over papers against the best rival. ``citances``: the scores. ``tests``: the
        recall columns again with a permutation test and Holm's correction over the corpus's table.
    """
    measures = list(scores.columns[3:])
    recall = [m for m in measures if m.rpartition(" @")[0] in RECALL]
    enough = len(of.papers) > 1
    tests = compare(scores, seed, rivals if enough else (), recall)
    p_values = tests.set_index(["method", "metric"])["t_test"]
    rows = []
    for method, own in scores.groupby("method", sort=False):
        said = params_json(asdict(of.protocol) | dict(params[str(method)]))
        for measure in measures:
            low, high = bootstrap_interval(own[measure], seed=seed)
            p = p_values.get((method, measure), np.nan)
            mean = own[measure].mean()
            rows.append((experiment, of.name, method, measure, mean, low, high, p, len(own), said, seed))
    return {
        "table": pd.DataFrame(rows, columns=COLUMNS),
        "citances": scores.assign(corpus=of.name)[["corpus", *scores.columns]],
        "tests": tests.assign(corpus=of.name)[["corpus", *tests.columns]],
    }


def joined(
    experiment: str, sets: Sequence[ImpactSet], parts: Sequence[dict[str, pd.DataFrame]], seconds: float
) -> Result:
    """Put the tables of several corpora together."""
    names = dict.fromkeys(key for part in parts for key in part)
    frames = {key: pd.concat([p[key] for p in parts if key in p], ignore_index=True) for key in names}
    data = {each.name: fingerprint(each.corpus) for each in sets}
    return Result(experiment, frames.pop("table"), frames.pop("citances"), frames, data, seconds)
