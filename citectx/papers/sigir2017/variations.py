"""sigir2017 Table 1 with other choices, parts and encoders, beyond the paper.

`protocols` changes what the paper leaves open around the models, one choice at a time, and
`readings` what it leaves open in Eq. 2. `ablation` asks what in Eq. 2 does the work, the embedding
or the formula around it; `dense` has today's sentence embeddings. Parameters are tuned anew for
each row.
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
from citectx.experiments.contextualization import Protocol, prepare, settings
from citectx.experiments.report import compare, means, p_values_of, part
from citectx.experiments.results import Result, timed
from citectx.experiments.tuning import applicable, chosen, curves, tuned_scores, variants
from citectx.ledger.intervals import interval
from citectx.profiles import resources_of
from citectx.retrieval import LMD, OPTIONAL, EmbeddingLM, RetrievalModel, model
from citectx.retrieval.dense import MINILM, Encoder
from citectx.retrieval.embedding_lm import CAP, READINGS

PROTOCOL, ABLATION, DENSE = "sigir2017_protocol", "sigir2017_ablation", "sigir2017_dense"
BY_READING = "sigir2017_readings"
METRICS = ("c-F", "nDCG", "c-P@1", "wc-F")
CLASSICAL = ("VSM", "BM25", "DFR", "LMD")
"""Rows under every protocol: they need no embedding, so that it takes minutes and not hours."""
ROWS: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("variations.toml").read_text("utf-8")
)
CHOICES = ROWS["protocols"]
"""Each choice as changes to the default `Protocol`."""

RIVALS = ("BM25", "LMD", "QR")
"""What Eq. 2 is held against under each reading: our best baseline, Eq. 1 itself, and the paper's
best baseline."""
READ = ("WE_Bio", "WE_Dom", "WE_Bio+dmn")
"""Rows of Table 1 that are measured under each reading of Eq. 2, where they apply."""

LMD_ROW = "LMD (Eq. 1)"
BASE: dict[str, Any] = {"deviations": 2.0, "phi": "logit", "denominator": "article", "cap": CAP}
CHANGES = ROWS["ablation"]
"""Rows of the ablation, as changes to `BASE`; those with exact matches only show what the formula
does on its own. The last two are what the paper says of τ before it comes to the logit.

φ is 0 up to a cosine of 0.5, and τ of 2 standard deviations is below that in some vectors: it
changes nothing there, and only 3 and 4 say what τ does to the paper's own model.
"""
EFFECTS = {
    "Eq. 2": ("identity for logit", "1 for logit", "no τ"),
    "τ 3 sd": ("Eq. 2",),
    "τ 4 sd": ("Eq. 2",),
}
"""Rows that are compared with each other, beside LMD: what the logit does, and what τ does."""


@timed
def protocols(
    corpora: Sequence[Corpus],
    methods: Sequence[str] = CLASSICAL,
    choices: Sequence[str] = tuple(CHOICES),
    *,
    embeddings: bool = True,
    folds: int = 10,
    seed: int = 0,
    progress: bool = True,
) -> Result:
    """Measure methods under each protocol; ``params`` holds the choice's name and its settings.

    The first row of each corpus is the default protocol; every other differs from it in what its
    name says.

    Parameters
    ----------
    corpora : sequence of Corpus
    methods : sequence of str
    choices : sequence of str
        Keys of `CHOICES`.
    embeddings : bool
        Whether spans of several sentences are searched with Eq. 2, too (`eq2`), beside the default.
    folds, seed, progress
        As in `sigir2017_table1.run`.
    """
    parts = []
    for corpus, name in tqdm(
        [(c, n) for c in corpora for n in choices], desc=PROTOCOL, disable=not progress
    ):
        protocol = replace(Protocol(), **CHOICES[name])
        rows = {method: variants(method, corpus.name) for method in methods}
        if embeddings and (name == "default" or protocol.max_sentences > 1):
            rows |= eq2(corpus.name)
        _, scores = tuned_scores(prepare(corpus, protocol), rows, folds, METRICS)
        params = settings(protocol, choice=name, folds=folds, tuned_for="c-F")
        parts.append(replace(part(PROTOCOL, corpus, scores, seed, params=params), citances=None))
    return Result.of(PROTOCOL, parts)


def eq2(corpus: str) -> dict[str, list[RetrievalModel]]:
    """Build variants of Eq. 2 with vectors of the corpus's domain: with one kind of them, as spans
    are many.

    >>> {name: len(models) for name, models in eq2("teaching").items()}
    {'WE_Bio': 9}
    """
    means = resources_of(corpus)
    name = "WE_Bio" if means.domain == "biomedical" else "WE_Dom"
    given = {"vectors": [f"{means.domain}-{means.kinds[-1]}"]}
    return {name: list(model(name).variants(**given))}


def by_choice(table: pd.DataFrame) -> pd.DataFrame:
    """Take the choice's name out of ``params``: columns corpus, choice, method, metric, value."""
    choice = table["params"].map(lambda p: json.loads(p)["choice"])
    return table.assign(choice=choice)[["corpus", "choice", "method", "metric", "value"]]


def spread(rows: pd.DataFrame) -> pd.Series:
    """Compare two ranges of one metric on one corpus, in its unit.

    Parameters
    ----------
    rows : DataFrame
        From `by_choice`, of one corpus and metric.

    Returns
    -------
    Series
        Highest minus lowest value: between methods under the default protocol, and between
        protocols (mean over methods).

    Examples
    --------
    >>> rows = pd.DataFrame({"choice": ["default", "default", "stems", "stems"], "method": ["A", "B"] * 2,
    ...                      "value": [20.0, 21.0, 25.0, 24.0]})
    >>> spread(rows).to_dict()
    {'between methods': 1.0, 'between protocols': 4.0}
    """
    wide = rows.pivot_table(index="choice", columns="method", values="value", sort=False)
    wide = wide.dropna(axis="columns")  # methods that were not run under all protocols
    default = wide.iloc[0]
    between = {
        "between methods": default.max() - default.min(),
        "between protocols": (wide.max() - wide.min()).mean(),
    }
    return pd.Series(between)


def combined() -> list[dict[str, Any]]:
    """Combine all that the paper leaves open in Eq. 2; the declared reading comes first.

    >>> readings = combined()
    >>> len(readings), readings[0]
    (24, {'denominator': 'article', 'cap': 0.95, 'unseen': 'related'})
    """
    return [dict(zip(READINGS, choices, strict=True)) for choices in product(*READINGS.values())]


def label(method: str, reading: Mapping[str, Any]) -> str:
    """Name a row: the method and, in brackets, its reading.

    >>> label("WE_Bio", combined()[0])
    'WE_Bio (article, 0.95, related)'
    """
    return f"{method} ({', '.join(map(str, reading.values()))})"


@timed
def readings(
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
    parts = []
    for corpus in corpora:
        rows = {name: variants(name, corpus.name) for name in RIVALS}
        for reading in combined():
            given = {name: [value] for name, value in reading.items()}
            for name in applicable(corpus.name, [name for name in READ if name in methods]):
                rows[label(name, reading)] = variants(name, corpus.name, **given)
        topics, bar = prepare(corpus, Protocol()), f"{BY_READING}: {corpus.name}"
        tuned, scores = tuned_scores(topics, rows, folds, METRICS, label=bar, progress=progress)
        params = settings(Protocol(), folds=folds, tuned_for="c-F")
        found = headline(scores)
        extra, said = {"headline": found, "counts": counted(found)}, chosen(tuned)
        parts.append(
            part(BY_READING, corpus, scores, seed, params=params, by_method=said, extra=extra)
        )
    return Result.of(BY_READING, parts)


def headline(scores: pd.DataFrame, metric: str = "c-F") -> pd.DataFrame:
    """Compare models with their rivals under each reading: Table 1's main claim, reading by
    reading.

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
    by_citance = scores.pivot_table(
        index=["topic", "citance"], columns="method", values=metric, sort=False
    )
    rows = []
    for reading in combined():
        models = {name: label(name, reading) for name in READ if label(name, reading) in by_citance}
        rivals = {name: name for name in RIVALS} | models
        for model_name, rival in ((m, r) for m in models for r in rivals if m != r):
            gained = by_citance[models[model_name]] - by_citance[rivals[rival]]
            by_topic = gained.groupby("topic", sort=False).agg(["mean", "size"]).to_numpy().T
            shares = by_topic[1] / by_topic[1].sum()
            found = interval(gained.mean(), shares * (by_topic[0] - gained.mean()), shares)
            rows.append(
                (*reading.values(), model_name, rival, found.effect, found.ci_low, found.ci_high)
            )
    ends = ["difference", "ci_low", "ci_high"]
    return pd.DataFrame(rows, columns=[*READINGS, "method", "against", *ends])


def counted(found: pd.DataFrame) -> pd.DataFrame:
    """Count the readings of `headline` in which the interval lies above 0 ("ahead"), or below it
    ("behind").

    Returns
    -------
    DataFrame
        Columns method, against, readings, ahead, behind, smallest, largest: the last two are
        differences.
    """
    marked = found.assign(ahead=found["ci_low"] > 0, behind=found["ci_high"] < 0)
    groups = marked.groupby(["method", "against"], sort=False)
    effects = groups["difference"].agg(["size", "min", "max"])
    effects.columns = pd.Index(["readings", "smallest", "largest"])
    return groups[["ahead", "behind"]].sum().join(effects).reset_index()


@timed
def ablation(
    corpora: Sequence[Corpus], *, folds: int = 10, seed: int = 0, progress: bool = True
) -> Result:
    """Measure Eq. 2 with one reading or part of it changed, with every kind of vectors that the
    corpus's domain has.

    Source: sigir2017 §2. A row's name is the change, with the kind of vectors in brackets where
    there are several; "with threshold" and "without threshold" use the last kind. ``p_value`` is
    the paired t-test against LMD (Eq. 1).

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
    parts = []
    for corpus in corpora:
        rows, label = rows_of(corpus.name), f"{ABLATION}: {corpus.name}"
        topics = prepare(corpus, Protocol())
        tuned, scores = tuned_scores(topics, rows, folds, METRICS, label=label, progress=progress)
        tests = compare(scores, seed, [LMD_ROW], permute=False)
        effect = ["difference", "ci_low", "ci_high"]
        order = pd.MultiIndex.from_product([rows, METRICS], names=["method", "metric"])
        against = tests.set_index(order.names).reindex(order)[[*effect, "t_test"]]
        against = against.fillna(dict.fromkeys(effect, 0.0)).reset_index()
        extra = {"against_lmd": against, "effects": _effects(scores, seed)}
        cells = means(scores, seed, p_values=p_values_of(tests))
        params = settings(Protocol(), folds=folds, tuned_for="c-F")
        parts.append(
            part(
                ABLATION,
                corpus,
                scores,
                seed,
                cells=cells,
                params=params,
                by_method=chosen(tuned),
                extra=extra,
            )
        )
    return Result.of(ABLATION, parts)


def rows_of(corpus: str) -> dict[str, list[RetrievalModel]]:
    """Name each row of the ablation, with the variants among which cross-validation chooses."""
    means = resources_of(corpus)
    rows: dict[str, list[RetrievalModel]] = {LMD_ROW: list(LMD.variants())}
    for kind in means.kinds:
        for name, change in CHANGES.items():
            if "threshold" in name and kind != means.kinds[-1]:
                continue
            label = name if len(means.kinds) == 1 or "threshold" in name else f"{name} [{kind}]"
            given = {key: [value] for key, value in (BASE | change).items()} | {
                "mu": LMD.grid["mu"]
            }
            rows[label] = list(EmbeddingLM.variants(vectors=[f"{means.domain}-{kind}"], **given))
    return rows


def _effects(scores: pd.DataFrame, seed: int) -> pd.DataFrame:
    endings = [
        name.removeprefix("Eq. 2") for name in scores["method"].unique() if name.startswith("Eq. 2")
    ]
    pairs = [
        (one + end, other + end)
        for end in endings
        for one, others in EFFECTS.items()
        for other in others
    ]
    frames = [
        compare(scores[scores["method"].isin(pair)], seed, pair[1:], permute=False)
        for pair in pairs
    ]
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
        extra tables ``tests`` (differences to LMD and to BM25, intervals, t-test, permutation test,
        Holm-corrected over the rows and metrics against one of them) and ``tuning``.

    Raises
    ------
    MissingDataError
        If there is no such encoder.
    """
    shared = settings(Protocol(), folds=folds, tuned_for="c-F")
    rows = {name: list(model(name).variants()) for name in ("BM25", "LMD")}
    rows |= {name: list(cls.variants(encoder=[encoder])) for name, cls in OPTIONAL.items()}
    parts = []
    for corpus in corpora:
        topics, label = prepare(corpus, Protocol()), f"{DENSE}: {corpus.name}"
        tuned, scores = tuned_scores(topics, rows, folds, label=label, progress=progress)
        tests, other = (compare(scores, seed, [against]) for against in ("LMD", "BM25"))
        extra, said = {"tests": pd.concat([tests, other]), "tuning": curves(tuned)}, chosen(tuned)
        parts.append(
            part(
                DENSE, corpus, scores, seed, params=shared, by_method=said, tests=tests, extra=extra
            )
        )
    return Result.of(DENSE, parts)
