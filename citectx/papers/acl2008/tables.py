"""From summaries' scores, paper by paper, to the tables of acl2008."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pandas as pd

from citectx.experiments.report import compare, part
from citectx.experiments.results import Result
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


def reported(
    experiment: str,
    of: ImpactSet,
    scores: pd.DataFrame,
    params: Mapping[str, Mapping[str, Any]],
    rivals: Sequence[str],
    seed: int,
    **extra: pd.DataFrame,
) -> Result:
    """Report on the papers of a corpus, each of which counts alike.

    Parameters
    ----------
    experiment : str
    of : ImpactSet
    scores : DataFrame
        Columns topic, citance (empty), method and the measures.
    params : mapping of method to parameters
    rivals : sequence of str
        Others are tested against the best of these methods in the recall columns, unless there is one paper.
    seed : int
        Of bootstrap and permutations.
    **extra : DataFrame
        Further tables.
    """
    recall = [m for m in scores.columns if m.rpartition(" @")[0] in RECALL]
    tests = compare(scores, seed, rivals if len(of.papers) > 1 else (), recall)
    return part(
        experiment,
        of.corpus,
        scores,
        seed,
        params=asdict(of.protocol),
        by_method=params,
        over="topics",
        tests=tests,
        extra=extra,
    )
