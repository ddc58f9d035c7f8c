"""Score anybody's runs on a corpus: the command ``citectx evaluate``.

>>> from citectx.experiments.rankings import retrieve
>>> from citectx.profiles import load
>>> from citectx.retrieval import BM25
>>> corpus = load("teaching")
>>> evaluate(corpus, retrieve(corpus, BM25(k1=0.4)), ["c-F", "nDCG"]).columns.tolist()
['topic', 'citance', 'c-F', 'nDCG']
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from citectx.corpora.model import Corpus
from citectx.errors import DataError, ParameterError, unknown
from citectx.evaluation import relevance
from citectx.experiments.contextualization import METRICS, Protocol, prepare
from citectx.experiments.rankings import KEY, read_run
from citectx.experiments.report import compare, means, tabulate
from citectx.profiles import load
from citectx.types import Span

SEED = 0


def evaluate(
    corpus: Corpus, run: pd.DataFrame, metrics: Sequence[str] = METRICS, k: int = 3
) -> pd.DataFrame:
    """Score a run: a row for each citance with evidence, in percent.

    A citance without spans scores 0.

    Parameters
    ----------
    corpus : Corpus
    run : DataFrame
        Columns topic, citance, start, end and rank: from `retrieve`, `read_run` or your own system.
        Spans need not be sentences.
    metrics : sequence of str
        Names from `citectx.experiments.contextualization.METRICS`.
    k : int
        How many spans count as returned; nDCG looks at all of them.

    Raises
    ------
    ParameterError
        For an unknown metric.
    DataError
        Naming the row, for an unknown topic or citance, or a span that is outside its article or
        there twice.
    """
    for metric in metrics:
        if metric not in METRICS:
            raise unknown("metric", metric, METRICS)
    check_run(corpus, run)
    ranked = dict(iter(run.sort_values("rank").groupby(KEY)[["start", "end"]]))
    rows, nothing = [], np.zeros((0, 2), dtype=np.int64)
    for topic in prepare(corpus, Protocol(k=k)):
        for i, citance in enumerate(topic.citances):
            key = topic.topic.topic_id, citance.citance_id
            places = np.asarray(ranked.get(key, nothing))
            spans = [Span(*place) for place in places.tolist()]
            gains = relevance(places, citance.gold)
            rows.append(topic.measures(i, spans, gains, metrics))
    return pd.DataFrame(rows)[[*KEY, *metrics]]


def check_run(corpus: Corpus, run: pd.DataFrame) -> None:
    """Raise a `DataError` for the first row of a run that does not fit the corpus."""
    sizes = dict[tuple[str, str], int]()
    for each in corpus:
        names = [(each.topic_id, citance.citance_id) for citance in each.citances]
        sizes |= dict.fromkeys(names, len(each.reference.text))
    wanted = run[[*KEY, "start", "end"]]
    rows = zip(wanted.itertuples(name=None), wanted.duplicated(), strict=True)
    for (line, topic, citance, start, end), again in rows:
        size = sizes.get((topic, citance), 0)
        if again or not 0 <= start < end <= size:
            place = f"span {start}-{end} of topic {topic}, citance {citance}"
            why = f"is there twice, is empty or leaves the article of {size} characters"
            why = why if size else f"is of no citance of {corpus.name}"
            raise DataError(f"{place} {why}", file=str(run.index.name or "run"), line=line)


def compare_runs(scores: pd.DataFrame) -> pd.DataFrame:
    """Average scores, and test each run against the first.

    Parameters
    ----------
    scores : DataFrame
        Rows of `evaluate` with a column ``method`` that names the run.

    Returns
    -------
    DataFrame
        A row for each run and metric: the mean in percent and its 95 % interval from a bootstrap
        over topics; the difference to the first run, its interval, and the p-value of a paired
        t-test over citances.
    """
    key, ends = ["method", "metric"], ["ci_low", "ci_high"]
    table = tabulate("runs", "", means(scores, SEED), SEED)[[*key, "n", "value", *ends]]
    tests = compare(scores, SEED, [scores["method"].iloc[0]], permute=False)
    wanted = tests[[*key, "difference", *ends, "t_test"]]
    return table.merge(wanted, "left", key, suffixes=("", " of difference"))


def cmd_evaluate(runs: Sequence[Path], corpus: str, metrics: Sequence[str], k: int) -> int:
    """Run ``citectx evaluate``: print the means of runs, each tested against the first."""
    if len({*runs}) < len(runs):
        raise ParameterError("a run is named twice")
    loaded, frames = load(corpus), []
    for path in runs:
        scores = evaluate(loaded, read_run(path), metrics, k)
        frames.append(scores.assign(method=str(path)))
    compared = compare_runs(pd.concat(frames))
    print(compared.to_string(index=False, float_format="%.3f", na_rep=""))
    return 0
