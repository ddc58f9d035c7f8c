"""sigir2017 Table 1 under other readings of the paper, in parts, and with a sentence encoder.

`of_protocol` changes what the paper leaves open around the models, one thing at a time, and
`of_eq2` what it leaves open in Eq. 2. `ablation` asks what in Eq. 2 does the work, the embedding or
the formula around it; `dense` has today's sentence embeddings. Parameters are tuned anew for each
row.
"""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
from tqdm import tqdm

from citectx.corpora.model import Corpus
from citectx.experiments.contextualization import DEFAULT, prepare
from citectx.experiments.report import compare, means, p_values_of, part
from citectx.experiments.results import Result, timed
from citectx.experiments.tuning import applicable, chosen, tuned_scores, variants
from citectx.ledger.intervals import interval
from citectx.profiles import resources_of
from citectx.retrieval import LMD, OPTIONAL, EmbeddingLM, RetrievalModel, model
from citectx.retrieval.dense import MINILM, Encoder
from citectx.retrieval.embedding_lm import CAP, READINGS

PROTOCOL, EQ2 = "sigir2017_protocol", "sigir2017_readings"
ABLATION, DENSE = "sigir2017_ablation", "sigir2017_dense"
COMPARED = ("c-F", "nDCG", "c-P@1", "wc-F")
CLASSICAL = ("VSM", "BM25", "DFR", "LMD")
"""Rows under every protocol: they need no embedding, so that it takes minutes and not hours."""
ROWS = tomllib.loads(Path(__file__).with_name("variants.toml").read_text("utf-8"))
PROTOCOLS: dict[str, dict[str, Any]] = ROWS["protocol"]
"""Each reading of the protocol as changes to the default `Protocol`."""

RIVALS = ("BM25", "LMD", "QR")
"""What Eq. 2 is held against: our best baseline, Eq. 1 itself, and the paper's best baseline."""
READ = ("WE_Bio", "WE_Dom", "WE_Bio+dmn")
"""Rows of Table 1 that are measured under each reading of Eq. 2, where they apply."""

LMD_ROW = "LMD (Eq. 1)"
BASE: dict[str, Any] = {"deviations": 2.0, "phi": "logit", "denominator": "article", "cap": CAP}
CHANGES: dict[str, dict[str, Any]] = ROWS["ablation"]
"""Rows of the ablation, as changes to `BASE`; those with exact matches only show what the formula
does on its own. The last two are what the paper says of τ before it comes to the logit.

φ is 0 up to a cosine of 0.5, and τ of 2 standard deviations is below that in some vectors: it
changes nothing there, and only 3 and 4 say what τ does to the paper's own model.
"""
EFFECTS = (
    ("Eq. 2", "identity for logit"),
    ("Eq. 2", "1 for logit"),
    ("Eq. 2", "no τ"),
    ("τ 3 sd", "Eq. 2"),
    ("τ 4 sd", "Eq. 2"),
)
"""Rows that are compared with each other, beside LMD: what the logit does, and what τ does."""


@timed
def of_protocol(
    corpora: Sequence[Corpus],
    methods: Sequence[str] = CLASSICAL,
    readings: Sequence[str] = tuple(PROTOCOLS),
    *,
    embeddings: bool = True,
    folds: int = 10,
    seed: int = 0,
    progress: bool = True,
) -> Result:
    """Measure methods under each reading of the protocol; ``params`` names it as ``choice``.

    The first row of each corpus is the default protocol; every other differs from it in what its
    name says.

    Parameters
    ----------
    corpora : sequence of Corpus
    methods : sequence of str
    readings : sequence of str
        Keys of `PROTOCOLS`.
    embeddings : bool
        Whether spans of several sentences are searched with Eq. 2, too, beside the default.
    folds, seed, progress
        As in `sigir2017_table1.run`.
    """
    parts = []
    for corpus, name in tqdm([*product(corpora, readings)], desc=PROTOCOL, disable=not progress):
        protocol = replace(DEFAULT, **PROTOCOLS[name])
        rows = {method: variants(method, corpus.name) for method in methods}
        if embeddings and (name == "default" or protocol.max_sentences > 1):
            rows |= eq2(corpus.name)
        _, scores = tuned_scores(prepare(corpus, protocol), rows, folds, COMPARED)
        params = protocol.params() | {"choice": name, "folds": folds, "tuned_for": "c-F"}
        found = part(PROTOCOL, corpus, scores, seed, params=params)
        parts.append(replace(found, citances=None))
    return Result.of(PROTOCOL, parts)


def eq2(corpus: str) -> dict[str, list[RetrievalModel]]:
    """Build variants of Eq. 2 with vectors of the corpus's domain.

    >>> {name: len(models) for name, models in eq2("teaching").items()}
    {'WE_Bio': 9}
    """
    (name,) = applicable(corpus, ["WE_Bio", "WE_Dom"])
    return {name: variants(name, corpus)}


def by_reading(table: pd.DataFrame) -> pd.DataFrame:
    """Say each row's reading: columns corpus, choice, method, metric, value."""
    names = table["params"].map(lambda params: json.loads(params)["choice"])
    return table.assign(choice=names)[["corpus", "choice", "method", "metric", "value"]]


def spread(rows: pd.DataFrame) -> pd.Series:
    """Compare two ranges of one metric on one corpus, in its unit.

    Parameters
    ----------
    rows : DataFrame
        From `by_reading`, of one corpus and metric.

    Returns
    -------
    Series
        Highest minus lowest value: between methods under the default protocol, and between
        protocols (mean over methods).

    Examples
    --------
    >>> choices, methods = ["default", "default", "stems", "stems"], ["A", "B", "A", "B"]
    >>> values = [20.0, 21.0, 25.0, 24.0]
    >>> spread(pd.DataFrame({"choice": choices, "method": methods, "value": values})).to_dict()
    {'between methods': 1.0, 'between protocols': 4.0}
    """
    wide = rows.pivot_table(index="choice", columns="method", values="value", sort=False)
    wide = wide.dropna(axis="columns")  # methods that were not run under all protocols
    default, ranges = wide.iloc[0], wide.max() - wide.min()
    between = {"methods": default.max() - default.min(), "protocols": ranges.mean()}
    return pd.Series(between).add_prefix("between ")


def combined() -> list[dict[str, Any]]:
    """Combine all that the paper leaves open in Eq. 2; the declared reading comes first.

    >>> readings = combined()
    >>> len(readings), readings[0]
    (24, {'denominator': 'article', 'cap': 0.95, 'unseen': 'related'})
    """
    return [dict(zip(READINGS, values, strict=True)) for values in product(*READINGS.values())]


def label(method: str, reading: Mapping[str, Any]) -> str:
    """Name a row: the method and, in brackets, its reading.

    >>> label("WE_Bio", combined()[0])
    'WE_Bio (article, 0.95, related)'
    """
    return f"{method} ({', '.join(map(str, reading.values()))})"


@timed
def of_eq2(
    corpora: Sequence[Corpus],
    methods: Sequence[str] = READ,
    *,
    folds: int = 10,
    seed: int = 0,
    progress: bool = True,
) -> Result:
    """Measure Eq. 2 under each reading that the paper's text allows, beside the baselines.

    Table 1 has one reading of Eq. 2 for all its rows, the declared one. Here each reading is tried
    in turn, again for all rows alike: what depends on it is a finding about the reading, not about
    the paper. A row's name says its reading (`label`); ``params`` has it, too.

    Parameters
    ----------
    corpora : sequence of Corpus
    methods : sequence of str
        Those that are not among `READ` are left out.
    folds, seed, progress
        As in `sigir2017_table1.run`.

    Returns
    -------
    Result
        With the extra tables ``headline`` (`headline`) and ``counts`` (`counted`).
    """
    read = [name for name in READ if name in methods]
    params = DEFAULT.params() | {"folds": folds, "tuned_for": "c-F"}
    parts = []
    for corpus in corpora:
        rows = {name: variants(name, corpus.name) for name in RIVALS}
        for each, name in product(combined(), applicable(corpus.name, read)):
            given = {parameter: [value] for parameter, value in each.items()}
            rows[label(name, each)] = variants(name, corpus.name, **given)
        tuned, scores = tuned_scores(prepare(corpus), rows, folds, COMPARED, progress=progress)
        found = headline(scores)
        extra, said = {"headline": found, "counts": counted(found)}, chosen(tuned)
        parts.append(part(EQ2, corpus, scores, seed, params=params, by_method=said, extra=extra))
    return Result.of(EQ2, parts)


def headline(scores: pd.DataFrame, metric: str = "c-F") -> pd.DataFrame:
    """Compare models with their rivals under each reading: Table 1's main claim, again and again.

    Parameters
    ----------
    scores : DataFrame
        Columns topic, citance, method and the metric, of one corpus.
    metric : str

    Returns
    -------
    DataFrame
        Columns denominator, cap, unseen, method, against, difference, ci_low, ci_high. Intervals
        are those of the ledger: Student's t over topics, weighted by their citances. Models are
        also held against each other, always under the same reading.
    """
    by_citance = scores.pivot_table(metric, ["topic", "citance"], "method", sort=False)
    rows = []
    for each in combined():
        labels = {name: label(name, each) for name in READ}
        models = {name: row for name, row in labels.items() if row in by_citance}
        rivals = {name: name for name in RIVALS} | models
        for name, rival in product(models, rivals):
            if name != rival:
                gained = by_citance[models[name]] - by_citance[rivals[rival]]
                rows.append((*each.values(), name, rival, *_interval(gained)))
    ends = ["difference", "ci_low", "ci_high"]
    return pd.DataFrame(rows, columns=[*READINGS, "method", "against", *ends])


def _interval(gained: pd.Series) -> tuple[float, float, float]:
    """Return the mean of what citances gain, and its interval over topics."""
    by_topic = gained.groupby("topic", sort=False).agg(["mean", "size"])
    shares = (by_topic["size"] / by_topic["size"].sum()).to_numpy()
    moves = shares * (by_topic["mean"] - gained.mean()).to_numpy()
    found = interval(gained.mean(), moves, shares)
    return found.effect, found.ci_low, found.ci_high


def counted(found: pd.DataFrame) -> pd.DataFrame:
    """Count the readings of `headline` whose interval lies above 0 ("ahead") or below ("behind").

    Returns
    -------
    DataFrame
        Columns method, against, readings, ahead, behind, smallest, largest: the last two are
        differences.
    """
    marked = found.assign(ahead=found["ci_low"] > 0, behind=found["ci_high"] < 0)
    groups = marked.groupby(["method", "against"], sort=False)
    effects = groups["difference"].agg(readings="size", smallest="min", largest="max")
    return groups[["ahead", "behind"]].sum().join(effects).reset_index()


@timed
def ablation(
    corpora: Sequence[Corpus], *, folds: int = 10, seed: int = 0, progress: bool = True
) -> Result:
    """Measure Eq. 2 with one part of it changed, with every kind of vectors of the domain.

    Source: sigir2017 §2. A row's name is the change, with the kind of vectors in brackets where
    there are several; "with threshold" and "without threshold" have the declared kind. ``p_value``
    is the paired t-test against LMD (Eq. 1).

    Parameters
    ----------
    corpora : sequence of Corpus
    folds, seed, progress
        As in `sigir2017_table1.run`.

    Returns
    -------
    Result
        With the extra tables ``against_lmd`` (difference to LMD with its interval over topics) and
        ``effects`` (the same between the rows of `EFFECTS`, for each kind of vectors).
    """
    params = DEFAULT.params() | {"folds": folds, "tuned_for": "c-F"}
    parts = []
    for corpus in corpora:
        rows = rows_of(corpus.name)
        tuned, scores = tuned_scores(prepare(corpus), rows, folds, COMPARED, progress=progress)
        tests = compare(scores, seed, [LMD_ROW], permute=False)
        about: dict[str, Any] = {"params": params, "by_method": chosen(tuned)}
        about["cells"] = means(scores, seed, p_values=p_values_of(tests))
        extra = {"against_lmd": _against_lmd(tests, list(rows)), "effects": _effects(scores, seed)}
        parts.append(part(ABLATION, corpus, scores, seed, extra=extra, **about))
    return Result.of(ABLATION, parts)


def rows_of(corpus: str) -> dict[str, list[RetrievalModel]]:
    """Name each row of the ablation, with the variants among which cross-validation chooses."""
    resources = resources_of(corpus)
    rows: dict[str, list[RetrievalModel]] = {LMD_ROW: list(LMD.variants())}
    for kind, (name, change) in product(resources.kinds, CHANGES.items()):
        once = "threshold" in name or len(resources.kinds) == 1
        if once and kind != resources.kinds[0]:
            continue
        given: dict[str, Any] = {key: [value] for key, value in (BASE | change).items()}
        given |= {"mu": LMD.grid["mu"], "vectors": [f"{resources.domain}-{kind}"]}
        rows[name if once else f"{name} [{kind}]"] = list(EmbeddingLM.variants(**given))
    return rows


def _against_lmd(tests: pd.DataFrame, rows: Sequence[str]) -> pd.DataFrame:
    """Return the differences to LMD in the order of the rows; LMD's own are 0."""
    order = pd.MultiIndex.from_product([rows, COMPARED], names=["method", "metric"])
    effect = ["difference", "ci_low", "ci_high"]
    against = tests.set_index(order.names).reindex(order)[[*effect, "t_test"]]
    return against.fillna(dict.fromkeys(effect, 0.0)).reset_index()


def _effects(scores: pd.DataFrame, seed: int) -> pd.DataFrame:
    methods = scores["method"].unique()
    kinds = [name.removeprefix("Eq. 2") for name in methods if name.startswith("Eq. 2")]
    frames = []
    for kind, (one, other) in product(kinds, EFFECTS):
        pair = scores[scores["method"].isin([one + kind, other + kind])]
        frames.append(compare(pair, seed, [other + kind], permute=False))
    columns = ["method", "metric", "against", "difference", "ci_low", "ci_high", "t_test"]
    return pd.concat(frames, ignore_index=True)[columns]


@timed
def dense(
    corpora: Sequence[Corpus],
    encoder: str | Encoder = MINILM,
    *,
    folds: int = 10,
    seed: int = 0,
    progress: bool = True,
) -> Result:
    """Retrieve contexts with and without a sentence encoder: the question that every reader asks.

    The rows "Dense" and "LMD+Dense" are shown next to the language model that one of them is mixed
    with and BM25, the best baseline of Table 1 on the open corpora.

    Parameters
    ----------
    corpora : sequence of Corpus
    encoder : str or Encoder
        See `citectx.retrieval.Dense`.
    folds, seed, progress
        As in `sigir2017_table1.run`.

    Returns
    -------
    Result
        Values with intervals as in Table 1; ``p_value`` is the paired t-test against LMD. With the
        extra table ``tests``: differences to LMD and to BM25, intervals, t-test, permutation test,
        Holm-corrected over the rows and metrics against one of them.

    Raises
    ------
    MissingDataError
        If there is no such encoder.
    """
    rows = {name: list(model(name).variants()) for name in ("BM25", "LMD")}
    rows |= {name: list(cls.variants(encoder=[encoder])) for name, cls in OPTIONAL.items()}
    params = DEFAULT.params() | {"folds": folds, "tuned_for": "c-F"}
    parts = []
    for corpus in corpora:
        tuned, scores = tuned_scores(prepare(corpus), rows, folds, progress=progress)
        tests, other = (compare(scores, seed, [against]) for against in ("LMD", "BM25"))
        about: dict[str, Any] = {"params": params, "by_method": chosen(tuned), "tests": tests}
        both = pd.concat([tests, other])
        parts.append(part(DENSE, corpus, scores, seed, extra={"tests": both}, **about))
    return Result.of(DENSE, parts)
