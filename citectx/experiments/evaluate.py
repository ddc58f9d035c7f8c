"""Score anybody's runs on a corpus: the command ``citectx evaluate``.

>>> from citectx.experiments.rankings import retrieve
>>> from citectx.profiles import load
>>> from citectx.retrieval import BM25
>>> corpus = load("teaching")
>>> evaluate(corpus, retrieve(corpus, BM25(k1=0.4)), ["c-F", "nDCG"]).columns.tolist()
['topic', 'citance', 'c-F', 'nDCG']
"""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from citectx.corpora.model import Corpus
from citectx.errors import DataError, ParameterError
from citectx.experiments import report
from citectx.experiments.contextualization import METRICS, Protocol, check_metrics, prepare
from citectx.experiments.rankings import KEY, read_run
from citectx.profiles import load

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
        Naming the row, for an unknown topic or citance, or a span outside its article or listed
        twice.
    """
    check_metrics(metrics)
    check_run(corpus, run)
    spans = defaultdict[tuple[str, str], list[tuple[int, int]]](list)
    ordered = run.sort_values("rank")[[*KEY, "start", "end"]]
    for topic_id, citance_id, start, end in ordered.itertuples(index=False, name=None):
        spans[topic_id, citance_id].append((start, end))
    rows = []
    for topic in prepare(corpus, Protocol(k=k)):
        topic_id = topic.topic.topic_id
        for i, citance in enumerate(topic.citances):
            values = topic.measure_spans(i, spans[topic_id, citance.citance_id], metrics)
            rows.append({"topic": topic_id} | values)
    return pd.DataFrame(rows)[[*KEY, *metrics]]


def check_run(corpus: Corpus, run: pd.DataFrame) -> None:
    """Raise a `DataError` for the first row of a run that does not fit the corpus."""
    sizes = {(t.topic_id, c.citance_id): len(t.reference.text) for t in corpus for c in t.citances}
    wanted = run[[*KEY, "start", "end"]]
    twice = wanted.duplicated()
    for (line, *row), again in zip(wanted.itertuples(name=None), twice, strict=True):
        topic, citance, start, end = row
        size = sizes.get((topic, citance))
        wrong = "is listed twice" if again else ""
        if size is None:
            wrong = f"is of no citance of {corpus.name}"
        elif not 0 <= start < end <= size:
            wrong = f"is empty or leaves the article (0-{size})"
        if wrong:
            wrong = f"span {start}-{end} of topic {topic}, citance {citance} {wrong}"
            raise DataError(wrong, file=str(run.index.name or "run"), line=line)


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
    means = [(c.method, c.metric, c.n, c.value, *c.interval) for c in report.means(scores, SEED)]
    frame = pd.DataFrame(means, columns=["method", "metric", "n", "mean", "ci_low", "ci_high"])
    tests = report.compare(scores, SEED, [scores["method"].iloc[0]], permute=False)
    wanted = tests[["method", "metric", "difference", "ci_low", "ci_high", "t_test"]]
    return frame.merge(wanted, "left", ["method", "metric"], suffixes=("", " of difference"))


def cmd_evaluate(runs: Sequence[Path], corpus: str, metrics: Sequence[str], k: int) -> int:
    """Run ``citectx evaluate``: print the means of runs, each tested against the first."""
    if len({*runs}) < len(runs):
        raise ParameterError("a run is named twice")
    loaded, frames = load(corpus), []
    for path in runs:
        run = read_run(path)
        scores = evaluate(loaded, run, metrics, k).assign(method=str(path))
        frames.append(scores)
        missing = len(scores) - len(scores.merge(run[KEY].drop_duplicates(), on=KEY))
        if missing:
            print(f"{path} has no span for {missing} of {len(scores)} citances; they count 0")
    compared = compare_runs(pd.concat(frames))
    print(compared.to_string(index=False, float_format="%.3f", na_rep=""))
    return 0
