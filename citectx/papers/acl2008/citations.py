"""acl2008 §5.1.1: what the least number of citations of a paper changes in Table 1."""

import numpy as np
import pandas as pd

from citectx.ledger.intervals import Difference, interval
from citectx.papers.acl2008.impact_set import ImpactProtocol, ImpactSet
from citectx.papers.acl2008.methods import BASELINES, OURS

LEASTS = (ImpactProtocol.least_citances, 1)
"""The paper's choice, and every paper with a context."""

COMPARED = {
    "ROUGE-L @15": (BASELINES, ("MEAD-Doc",), ("Longest",)),
    "ROUGE-L @250 words": (BASELINES, ("Longest",), ("BM25",)),
}
"""Rivals of the impact model; of several, the best on the papers at hand."""

METHODS = {OURS} | {name for rivals in COMPARED.values() for each in rivals for name in each}


def by_citations(of: ImpactSet, scores: pd.DataFrame) -> pd.DataFrame:
    """Compare the impact model on papers with 20 citations, and on all papers.

    Parameters
    ----------
    of : ImpactSet
        The test set of the tables.
    scores : DataFrame
        Of every paper of the corpus: columns topic, method and the measures.

    Returns
    -------
    DataFrame
        Columns corpus, at_least, in_tables (whether it is the choice of the tables), papers,
        comparison, effect, and the ends of its 95 % interval by Student's t over papers.
        Comparisons whose rows or measures are not at hand are left out.
    """
    counts = {topic.topic_id: len(topic.citances) for topic in of.corpus}
    rows = []
    for least in LEASTS:
        own = scores[scores["topic"].map(counts) >= least]
        about = {"corpus": of.name, "at_least": least}
        about |= {"in_tables": least == of.protocol.least_citances}
        for metric in COMPARED:
            if len(own) and metric in own:
                wide = own.pivot_table(index="topic", columns="method", values=metric)
                rows += [about | row for row in _compared(wide, metric)]
    return pd.DataFrame(rows)


def _compared(wide: pd.DataFrame, metric: str) -> list[dict[str, str | float]]:
    rows = []
    for rivals in COMPARED[metric]:
        if not {OURS, *rivals} <= {*wide}:
            continue
        rival = str(wide[list(rivals)].mean().idxmax())
        name = f"the best baseline ({rival})" if len(rivals) > 1 else rival
        found = _difference(wide, rival)
        row: dict[str, str | float] = {"papers": found.topics}
        row |= {"comparison": f"{OURS} over {name} in {metric}", "effect": found.effect}
        rows.append(row | {"ci_low": found.ci_low, "ci_high": found.ci_high})
    return rows


def _difference(wide: pd.DataFrame, rival: str) -> Difference:
    gains = (wide[OURS] - wide[rival]).to_numpy(np.float64)
    n = len(gains)
    return interval(float(gains.mean()), (gains - gains.mean()) / n, np.full(n, 1 / n))
