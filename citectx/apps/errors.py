"""Where do methods fail? ``python -m citectx.apps.errors``, on the citances of citation-integrity.

The scores are those of sigir2017's Table 1 as committed; nothing is retrieved again. Each citance
gets a few properties (`PROPERTIES`), and each property cuts the citances into three bins. What the
bins are was written down before any score was looked at by bin; all else is exploratory.

`SAMPLE` citances on which every method scores 0 were read by one person, who gave each a kind of
failure: ``errors.csv``, beside this module.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy import special

from citectx import profiles
from citectx.corpora.model import Citance, Corpus
from citectx.errors import DataError
from citectx.evaluation import Interval, holm
from citectx.evaluation.agreement import agreement_level
from citectx.evaluation.offsets import merge
from citectx.experiments.contextualization import Prepared, prepare
from citectx.experiments.report import Cell, tabulate
from citectx.experiments.results import Result, find, fingerprint, keep, timed
from citectx.experiments.tables import read_csv, typed
from citectx.ledger.intervals import Difference, interval, jackknifed, tau
from citectx.ledger.view import ByTopic
from citectx.show.plotting import estimates, finished, save
from citectx.storage import digest

NAME = "beyond_errors"
CORPUS = "citation-integrity"
METHODS = ("BM25", "QR", "WE_Bio", "WE_Bio+dmn")
GAIN = ("WE_Bio", "BM25")
METRICS = ("c-F", "nDCG")
PEOPLE, HUMAN = "people", "human c-P@1"
"""The row for annotators, and what Table 3 of sigir2017 measures: their precision in characters
against one another."""

PROPERTIES = {
    "length": "terms of the citance, without its markers",
    "in gold": "% of the citance's different terms that are in a marked span",
    "in article": "% of the citance's different terms that are in the article",
    "agreement": "most annotators on one character: 0 minority or fewer, 1 majority, 2 all",
    "place": "where the middle of what was marked is, in % of the article's candidate text",
    "gold spans": "marked spans, once those that overlap or touch are joined",
    "gold length": "marked characters",
}
"""Agreement has a bin for each value. The others are cut at their terciles, over citances; equal
values are in one bin, the lower one if a cut is among them."""

BINS = ("low", "middle", "high")
LEVELS = {"none": 0, "minority": 0, "majority": 1, "all": 2, "full": 2}
ABSENT = "absent from "
PLACES = ("a gold sentence", "any other sentence", "all gold spans", "the article")
SAMPLE = 20
JUDGED = Path(__file__).with_suffix(".csv")
KEYS = ["topic", "citance"]


@timed
def run(corpus: Corpus, places: Path | Sequence[Path], *, seed: int = 0) -> Result:
    """Average scores by bin of each property, and count kinds of failure.

    Parameters
    ----------
    corpus : Corpus
        Whose citances were scored.
    places : Path or sequence of Path
        Where the tables are, as `citectx.experiments.results.find` takes them.
    seed : int
        Draws the citances that were read.

    Returns
    -------
    Result
        Rows for the methods and for their gain over one another. A metric ``c-F, length: low`` is
        the mean of a bin, ``c-F, length: high − low`` the difference of the outer bins, with a
        p-value after Holm's correction over all such differences. Intervals are Student's, over
        topics. ``properties`` has those of each citance.

    Raises
    ------
    DataError
        If the scores are of other citances than the corpus has.
    """
    files = [find(places, f"sigir2017_table{i}.citances.csv.gz") for i in (1, 3)]
    scores, people = (_scores(file) for file in files)
    about = properties(corpus)
    if odd := set(about.index) ^ set(scores.index):
        message = f"{len(odd)} citances have either scores or evidence; run notebook 01 again"
        raise DataError(message, file=files[0])
    measured = dict(_measured(scores, people))
    bins = {name: binned(about[name], name) for name in PROPERTIES}
    cells = list(_by_bin(measured, bins))
    cells += _taus(measured, about)
    cells += [
        _cell("citance", f"{ABSENT}{place}", _by_topic(about[ABSENT + place])) for place in PLACES
    ]
    drawn, failed = sample(scores, seed)
    cells += _kinds(drawn, failed)
    table = tabulate(NAME, CORPUS, cells, seed, {"bins": "terciles"})
    data = {file.name: digest(_own(file).to_csv()) for file in files}
    return Result(
        NAME,
        table,
        extra={"properties": about.reset_index().round(4)},
        data={CORPUS: fingerprint(corpus), **data},
    )


def properties(corpus: Corpus) -> pd.DataFrame:
    """Return the properties of each citance with evidence, by topic and citance.

    Besides `PROPERTIES`, shares of its different terms that are missing from some `PLACES`.
    """
    rows = [
        {"topic": topic.topic.topic_id, "citance": citance.citance_id, **values}
        for topic in prepare(corpus)
        for citance, values in _of_topic(topic)
    ]
    return pd.DataFrame(rows).set_index(KEYS).sort_index()


def _of_topic(topic: Prepared) -> Iterator[tuple[Citance, dict[str, float]]]:
    analyzer, text = topic.protocol.analyzer, topic.topic.reference.text
    chars = topic.candidates.chars
    sentences = [set(analyzer(text[start:end])) for start, end in chars]
    before = np.concatenate([[0], np.cumsum(chars[:, 1] - chars[:, 0])])
    article = set().union(*sentences)
    for citance, query in zip(topic.citances, topic.queries, strict=True):
        gold = merge([span for spans in citance.gold.values() for span in spans])
        marked = set().union(*(analyzer(span.of(text)) for span in gold))
        touched = np.any([(chars[:, 0] < s.end) & (s.start < chars[:, 1]) for s in gold], axis=0)
        asked = set(query.weights)
        missing = np.array([100 * _absent(asked, sentence) for sentence in sentences])
        yield (
            citance,
            {
                "length": sum(query.weights.values()),
                "in gold": 100 - 100 * _absent(asked, marked),
                "in article": 100 - 100 * _absent(asked, article),
                "agreement": LEVELS[
                    agreement_level({a.annotator: a.spans for a in citance.annotations}).name
                ],
                "place": 100 * _middle(chars, before, touched),
                "gold spans": len(gold),
                "gold length": sum(span.end - span.start for span in gold),
                f"{ABSENT}{PLACES[0]}": _mean(missing[touched]),
                f"{ABSENT}{PLACES[1]}": _mean(missing[~touched]),
                f"{ABSENT}{PLACES[2]}": 100 * _absent(asked, marked),
                f"{ABSENT}{PLACES[3]}": 100 * _absent(asked, article),
            },
        )


def _absent(asked: set[str], found: set[str]) -> float:
    return len(asked - found) / len(asked) if asked else float("nan")


def _mean(values: NDArray[np.float64]) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _middle(
    chars: NDArray[np.int64], before: NDArray[np.int64], touched: NDArray[np.bool_]
) -> float:
    """Return the mean place of the sentences with evidence, by their length."""
    sizes = chars[:, 1] - chars[:, 0]
    if not touched.any():
        return float("nan")
    middles = before[:-1] + sizes / 2
    return float(np.average(middles[touched], weights=sizes[touched]) / before[-1])


def binned(values: pd.Series, name: str) -> pd.Series:
    """Return the bin of each value of a property; what has no value is in none.

    >>> binned(pd.Series([1.0, 2, 3, 3, 5, 9]), "length").tolist()
    ['low', 'low', 'middle', 'middle', 'high', 'high']
    """
    own = values.dropna()
    cuts = np.array([0, 1]) if name == "agreement" else np.quantile(own, [1 / 3, 2 / 3])
    return pd.Series(np.array(BINS)[np.searchsorted(cuts, own)], own.index)


def _own(file: Path) -> pd.DataFrame:
    scores = typed(read_csv(file, ["corpus", *KEYS, "method"]), file)
    return scores[scores["corpus"] == CORPUS]


def _scores(file: Path) -> pd.DataFrame:
    """Return scores by topic and citance, with columns (metric, method)."""
    own = _own(file)
    metrics = [name for name in (*METRICS, HUMAN) if name in own]
    return own.pivot_table(metrics, KEYS, "method").sort_index()


def _measured(
    scores: pd.DataFrame, people: pd.DataFrame
) -> Iterator[tuple[tuple[str, str], pd.Series]]:
    """Yield the scores of each row and metric by topic and citance."""
    for metric in METRICS:
        for method in METHODS:
            yield (method, metric), scores[metric, method]
        better, than = GAIN
        yield (f"{better} − {than}", metric), scores[metric, better] - scores[metric, than]
    yield (PEOPLE, HUMAN), people[[HUMAN]].T.mean().dropna()


def _by_topic(scores: pd.Series) -> ByTopic:
    groups = scores.dropna().groupby("topic")
    sizes = groups.size().to_numpy(np.float64)
    topics = np.array(list(groups.groups), dtype=object)
    return ByTopic(topics, groups.mean().to_numpy(np.float64), sizes / sizes.sum(), scores)


def _cell(row: str, metric: str, cell: ByTopic) -> Cell:
    found = interval(cell.mean, cell.moves, cell.shares)
    ends = Interval(found.ci_low, found.ci_high)
    return Cell(row, metric, cell.mean, int(cell.scores.notna().sum()), ends)


def _apart(high: ByTopic, low: ByTopic) -> Difference:
    """Return how far one bin lies above another; topics may be in both."""
    topics = np.union1d(high.topics, low.topics)
    (up, up_shares), (down, down_shares) = high.over(topics), low.over(topics)
    return interval(high.mean - low.mean, up - down, (up_shares + down_shares) / 2)


def _by_bin(
    measured: Mapping[tuple[str, str], pd.Series], bins: Mapping[str, pd.Series]
) -> Iterator[Cell]:
    ends: list[tuple[str, str, int, Difference]] = []
    for (row, metric), scores in measured.items():
        for name, labels in bins.items():
            parts = [_by_topic(scores[labels.reindex(scores.index) == each]) for each in BINS]
            for label, part in zip(BINS, parts, strict=True):
                if len(part.scores):
                    yield _cell(row, f"{metric}, {name}: {label}", part)
            low, _, high = parts
            if len(low.scores) and len(high.scores):
                n = len(low.scores) + len(high.scores)
                ends.append((row, f"{metric}, {name}: high − low", n, _apart(high, low)))
    tests = [2 * float(special.stdtr(d.df, -abs(d.effect) / d.error)) for *_, d in ends]
    for (row, metric, n, found), p_value in zip(ends, holm(tests), strict=True):
        between = Interval(found.ci_low, found.ci_high)
        yield Cell(row, metric, found.effect, n, between, float(p_value))


def _taus(measured: Mapping[tuple[str, str], pd.Series], about: pd.DataFrame) -> Iterator[Cell]:
    """Yield Kendall's tau of the gain with the terms that are missing, jackknifed over topics."""
    row = " − ".join(GAIN)
    for metric in METRICS:
        gain = measured[row, metric]
        for place in PLACES:
            if place == PLACES[1]:
                continue
            both = pd.DataFrame({"x": gain, "y": about[ABSENT + place]}).dropna()
            topics = both.index.get_level_values("topic")
            without = [both[topics != topic] for topic in topics.unique()]
            x, y = both["x"].to_numpy(), both["y"].to_numpy()
            each = np.array([tau(b["x"].to_numpy(), b["y"].to_numpy()) for b in without])
            found = jackknifed(tau(x, y), each)
            ends = Interval(found.ci_low, found.ci_high)
            yield Cell(row, f"{metric}: tau, {ABSENT}{place}", found.effect, len(both), ends)


def sample(scores: pd.DataFrame, seed: int) -> tuple[list[tuple[str, str]], int]:
    """Draw citances on which all methods have a c-F of 0, and say of how many."""
    worst = pd.concat([scores["c-F", method] for method in METHODS], axis=1).T.max()
    failed = worst.index[worst == 0]
    chosen = np.random.default_rng(seed).choice(len(failed), SAMPLE, replace=False)
    return [failed[i] for i in sorted(chosen)], len(failed)


def _kinds(drawn: Sequence[tuple[str, str]], failed: int) -> Iterator[Cell]:
    """Yield how many citances of the sample are of each kind."""
    judged = read_csv(JUDGED, [*KEYS, "kind", "reason"])
    if list(judged[KEYS].itertuples(index=False, name=None)) != drawn:
        message = "holds other citances than those that were drawn; read and judge these"
        raise DataError(message, file=JUDGED)
    yield Cell("failures", "all methods 0", float(failed), failed)
    for kind, count in sorted(Counter(judged["kind"]).items()):
        yield Cell("failures", kind, float(count), len(judged))


def draw(table: pd.DataFrame) -> Figure:
    """Draw the mean c-F of the methods by bin of each property.

    Parameters
    ----------
    table : DataFrame
        As `run` makes it.
    """
    means = {f"c-F, {name}: {each}": f"{name}: {each}" for name in PROPERTIES for each in BINS}
    rows = table.assign(series=table["method"], method=table["metric"].map(means))
    shown = rows[rows["series"].isin(METHODS)].dropna(subset="method")
    grid = estimates(shown, "series", width=6.0, more=1.8, height=0.11)
    grid.set(xlabel="c-F, %")
    return finished(grid.figure, "c-F by thirds of the citances")


if __name__ == "__main__":
    open_results = profiles.profile("open").results
    found = run(profiles.load(CORPUS), open_results)
    file = keep(found, open_results)
    print(file, save(draw(found.table), file.parent, NAME))
