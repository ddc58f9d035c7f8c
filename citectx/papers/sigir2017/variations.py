"""sigir2017 Table 1 with other choices, parts and encoders, beyond the paper.

`protocols` changes what the paper leaves open, one choice at a time; `ablation` asks what in Eq. 2 does the work, the
embedding or the formula around it; `dense` has today's sentence embeddings. Parameters are tuned anew for each row.
"""

import json
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
from tqdm import tqdm

from citectx.corpora.model import Corpus
from citectx.experiments.contextualization import Protocol, prepare, settings
from citectx.experiments.report import compare, means, p_values_of, part
from citectx.experiments.results import Result, timed
from citectx.experiments.tuning import chosen, curves, tuned_scores, variants
from citectx.profiles import resources_of
from citectx.retrieval import LMD, OPTIONAL, EmbeddingLM, RetrievalModel, model
from citectx.retrieval.dense import MINILM, Encoder
from citectx.retrieval.embedding_lm import CAP

PROTOCOL, ABLATION, DENSE = "sigir2017_protocol", "sigir2017_ablation", "sigir2017_dense"
METRICS = ("c-F", "nDCG", "c-P@1", "wc-F")
CLASSICAL = ("VSM", "BM25", "DFR", "LMD")
"""Rows under every protocol: they need no embedding, so that it takes minutes and not hours."""
ROWS: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("variations.toml").read_text("utf-8"))
CHOICES = ROWS["protocols"]
"""Each choice as changes to the default `Protocol`."""

LMD_ROW = "LMD (Eq. 1)"
BASE: dict[str, Any] = {"deviations": 2.0, "phi": "logit", "denominator": "article", "cap": CAP}
CHANGES = ROWS["ablation"]
"""Rows of the ablation, as changes to `BASE`; those with exact matches only show what the formula does on its own. The
last two are what the paper says of τ before it comes to the logit.

φ is 0 up to a cosine of 0.5, and τ of 2 standard deviations is below that in some vectors: it changes nothing
there, and only 3 and 4 say what τ does to the paper's own model.
"""
EFFECTS = {"Eq. 2": ("identity for logit", "1 for logit", "no τ"), "τ 3 sd": ("Eq. 2",), "τ 4 sd": ("Eq. 2",)}
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

    The first row of each corpus is the default protocol; every other differs from it in what its name says.

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
    for corpus, name in tqdm([(c, n) for c in corpora for n in choices], desc=PROTOCOL, disable=not progress):
        protocol = replace(Protocol(), **CHOICES[name])
        rows = {method: variants(method, corpus.name) for method in methods}
        if embeddings and (name == "default" or protocol.max_sentences > 1):
            rows |= eq2(corpus.name)
        _, scores = tuned_scores(prepare(corpus, protocol), rows, folds, METRICS)
        params = settings(protocol, choice=name, folds=folds, tuned_for="c-F")
        parts.append(replace(part(PROTOCOL, corpus, scores, seed, params=params), citances=None))
    return Result.of(PROTOCOL, parts)


def eq2(corpus: str) -> dict[str, list[RetrievalModel]]:
    """Build variants of Eq. 2 with vectors of the corpus's domain: fewer than in Table 1, as spans are many.

    >>> {name: len(models) for name, models in eq2("teaching").items()}
    {'WE_Bio': 8}
    """
    means = resources_of(corpus)
    name = "WE_Bio" if means.domain == "biomedical" else "WE_Dom"
    given: dict[str, Sequence[object]] = {"vectors": [f"{means.domain}-{means.kinds[-1]}"], "cap": [CAP]}
    given |= {"denominator": ["article", "length"], "unseen": ["related"]}
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
        Highest minus lowest value: between methods under the default protocol, and between protocols (mean
        over methods).

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
    between = {"between methods": default.max() - default.min(), "between protocols": (wide.max() - wide.min()).mean()}
    return pd.Series(between)


@timed
def ablation(corpora: Sequence[Corpus], *, folds: int = 10, seed: int = 0, progress: bool = True) -> Result:
    """Measure Eq. 2 with one reading or part of it changed, with every kind of vectors that the corpus's domain has.

    Source: sigir2017 §2. A row's name is the change, with the kind of vectors in brackets where there are
    several; "with threshold" and "without threshold" use the last kind. ``p_value`` is the paired t-test
    against LMD (Eq. 1).

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
            part(ABLATION, corpus, scores, seed, cells=cells, params=params, by_method=chosen(tuned), extra=extra)
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
            given = {key: [value] for key, value in (BASE | change).items()} | {"mu": LMD.grid["mu"]}
            rows[label] = list(EmbeddingLM.variants(vectors=[f"{means.domain}-{kind}"], **given))
    return rows


def _effects(scores: pd.DataFrame, seed: int) -> pd.DataFrame:
    endings = [name.removeprefix("Eq. 2") for name in scores["method"].unique() if name.startswith("Eq. 2")]
    pairs = [(one + end, other + end) for end in endings for one, others in EFFECTS.items() for other in others]
    frames = [compare(scores[scores["method"].isin(pair)], seed, pair[1:], permute=False) for pair in pairs]
    columns = ["method", "metric", "against", "difference", "ci_low", "ci_high", "t_test"]
    return pd.concat(frames, ignore_index=True)[columns]


@timed
def dense(
    corpora: Sequence[Corpus], encoder: str | Encoder = MINILM, *, folds: int = 10, seed: int = 0, progress: bool = True
) -> Result:
    """Retrieve contexts with and without a sentence encoder: the question that every reader asks.

    The rows "Dense" and "LMD+Dense" are shown next to the language model that one of them is mixed with and BM25,
    the best baseline of Table 1 on the open corpora.

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
        Values with intervals as in Table 1; ``p_value`` is the paired t-test against LMD. With the extra
        tables ``tests`` (differences to LMD and to BM25, intervals, t-test, permutation test, Holm-corrected
        over the rows and metrics against one of them) and ``tuning``.

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
        parts.append(part(DENSE, corpus, scores, seed, params=shared, by_method=said, tests=tests, extra=extra))
    return Result.of(DENSE, parts)
