"""sigir2017 Table 1: how well the retrieved contexts match the annotators' (§3.1)."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from citectx.corpora.model import Corpus
from citectx.experiments.contextualization import (
    DEFAULT,
    METRICS,
    Prepared,
    Protocol,
    prepare,
    settings,
)
from citectx.experiments.report import BASELINES, Cell, compare, part, tabulate
from citectx.experiments.results import Result, fingerprint, timed
from citectx.experiments.tuning import (
    Tuned,
    applicable,
    chosen,
    curves,
    tuned_for,
    tuned_scores,
    variants,
)
from citectx.language.spans import best_first
from citectx.retrieval import MODELS, OURS, EmbeddingLM, model
from citectx.retrieval.lexical import in_abstract

NAME, DATA = "sigir2017_table1", "sigir2017_data"


@timed
def data(corpora: Sequence[Corpus]) -> Result:
    """Count the articles, citances and annotators of each corpus.

    Source: sigir2017 §3, "Data". An article is a reference article or one that cites it; one that
    cites several counts once. Annotators are those of a citance, at most; ``annotators (mean)``
    shows where their number differs.

    Examples
    --------
    >>> from citectx.corpora import Citance, Document, Topic
    >>> citances = Citance("1", "a", "They do."), Citance("2", "a", "So.")
    >>> topic = Topic("T", Document("ref", "Cells rest."), citances)
    >>> data([Corpus("small", (topic,))]).wide("small").to_dict("list")
    {'articles': [2.0], 'citances': [2.0], 'annotators': [0.0], 'annotators (mean)': [0.0]}
    """
    parts = []
    for corpus in corpora:
        citances = [c for topic in corpus for c in topic.citances]
        articles = {name for t in corpus for name in (t.reference.doc_id, *t.citing)} | {
            c.citing_id for c in citances
        }
        people = [len(c.gold) for c in citances] or [0]
        counts = {"articles": len(articles), "citances": len(citances), "annotators": max(people)}
        counted = {**counts, "annotators (mean)": float(np.mean(people))}
        cells = [Cell("corpus", metric, value, len(citances)) for metric, value in counted.items()]
        parts.append(
            Result(
                DATA, tabulate(DATA, corpus.name, cells, 0), data={corpus.name: fingerprint(corpus)}
            )
        )
    return Result.of(DATA, parts)


@timed
def run(
    corpora: Sequence[Corpus],
    methods: Sequence[str] = tuple(MODELS),
    protocol: Protocol = DEFAULT,
    *,
    beside: Sequence[str] = tuple(OURS),
    folds: int = 10,
    seed: int = 0,
    progress: bool = True,
) -> Result:
    """Retrieve contexts with every method and measure them in twelve ways.

    Source: sigir2017 §3.1, Table 1. Values are means over citances, in percent, with 95 % intervals
    from a bootstrap over topics (citances of one article are not independent). ``p_value`` is the
    paper's test: a two-tailed paired t-test over citances against the best baseline of the column;
    empty for that baseline.

    Ambiguity: sigir2017 does not say whether scores are averaged over citances or over topics; we
    take citances. It does not say what its parameters were tuned for; we take character F.

    Parameters
    ----------
    corpora : sequence of Corpus
    methods : sequence of str
        Names from `citectx.retrieval.MODELS`.
    protocol : Protocol, optional
    beside : sequence of str
        Rows of ours, in no paper (`citectx.retrieval.OURS`); they are no baselines, and Holm's
        correction of the paper's rows does not count them.
    folds : int
        Folds of the cross-validation over topics.
    seed : int
        For bootstrap and permutations.
    progress : bool
        Show a progress bar.

    Returns
    -------
    Result
        With the extra tables ``tests`` (each method against the best baseline: difference,
        interval, t-test, permutation test, both Holm-corrected over the corpus's table), ``tuning``
        (each variant's mean character F over all topics), ``tuned_for`` (see
        `citectx.experiments.tuning.tuned_for`), ``abstract`` (`abstracts`), ``unseen`` (`unseen`)
        and ``same`` (`same`).

    Raises
    ------
    ParameterError
        For an unknown method, or if there are too few topics to tune on.
    """
    for name in (*methods, *beside):
        model(name)  # an unknown name is an error before anything runs
    shared = settings(protocol, folds=folds, tuned_for="c-F")
    parts = []
    for corpus in corpora:
        topics, label = prepare(corpus, protocol), f"{NAME}: {corpus.name}"
        rows = {
            name: variants(name, corpus.name)
            for name in applicable(corpus.name, [*methods, *beside])
        }
        tuned, scores = tuned_scores(topics, rows, folds, label=label, progress=progress)
        extra = {
            "tuning": curves(tuned),
            "tuned_for": tuned_for(tuned),
            "abstract": abstracts(topics, tuned),
            "unseen": unseen(topics, tuned),
            "same": same(scores),
        }
        said, tests = chosen(tuned), _tests(scores, beside, seed)
        parts.append(
            part(
                NAME, corpus, scores, seed, params=shared, by_method=said, tests=tests, extra=extra
            )
        )
    return Result.of(NAME, parts)


def _tests(scores: pd.DataFrame, beside: Sequence[str], seed: int) -> pd.DataFrame:
    """Test the paper's rows and ours separately: ours do not count in corrections of the
    paper's.
    """
    ours = scores["method"].isin(beside)
    own = compare(scores[ours | scores["method"].isin(BASELINES)], seed)
    return pd.concat(
        [compare(scores[~ours], seed), own[own["method"].isin(beside)]], ignore_index=True
    )


def abstracts(topics: Sequence[Prepared], tuned: Mapping[str, Tuned]) -> pd.DataFrame:
    """Measure how much of the evidence is in the abstract, and how often methods look there.

    Returns
    -------
    DataFrame
        Columns what, method, value (percent), n: candidates in the abstract; citances with evidence
        there; and for each method, citances whose first span is there.
    """
    inside = [in_abstract(topic.index) for topic in topics]
    marked = [(t.hits[:, own] > 0).any(axis=1) for t, own in zip(topics, inside, strict=True)]
    rows = [
        ("candidates in the abstract", "", np.concatenate(inside)),
        ("citances with evidence in the abstract", "", np.concatenate(marked)),
    ]
    for name, choice in tuned.items():
        first = [
            own[best_first(row, 1)[0]]
            for topic, fitting, own in zip(topics, choice.chosen, inside, strict=True)
            for row in topic.scores(fitting)
        ]
        rows.append(("citances whose first span is in the abstract", name, np.array(first)))
    counted = [(what, name, 100 * marks.mean(), len(marks)) for what, name, marks in rows]
    return pd.DataFrame(counted, columns=["what", "method", "value", "n"])


def unseen(topics: Sequence[Prepared], tuned: Mapping[str, Tuned]) -> pd.DataFrame:
    """Measure how many query words the article lacks, and how many of these have a relative in it.

    Returns
    -------
    DataFrame
        Columns method, absent (percent of query terms that the article lacks), bridged (percent of
        query terms that it lacks but has a relative of); a row for each method with an embedding.
    """
    rows = []
    for name, choice in tuned.items():
        pairs = zip(choice.chosen, topics, strict=True)
        counts = [m.fit(t.index).absent(t.queries) for m, t in pairs if isinstance(m, EmbeddingLM)]
        if counts:
            terms, absent, bridged = np.sum(counts, axis=0)
            rows.append((name, 100 * absent / terms, 100 * bridged / terms))
    return pd.DataFrame(rows, columns=["method", "absent", "bridged"])


def same(scores: pd.DataFrame, most: float = 10.0) -> pd.DataFrame:
    """List pairs of rows that are one method: they score (nearly) all citances alike.

    Parameters
    ----------
    scores : DataFrame
        Columns topic, citance, method and the metrics.
    most : float
        Percent of the citances whose scores may differ.

    Returns
    -------
    DataFrame
        Columns method, same_as, differ (percent of the citances), n. QR is VSM wherever tuning
        leaves the query as it is.
    """
    own = {
        str(name): rows[list(METRICS)].to_numpy()
        for name, rows in scores.groupby("method", sort=False)
    }
    rows = []
    for one, other in combinations(own, 2):
        differ = 100 * float((np.abs(own[one] - own[other]) > 1e-9).any(axis=1).mean())
        if differ <= most:
            rows.append((other, one, differ, len(own[one])))
    return pd.DataFrame(rows, columns=["method", "same_as", "differ", "n"])
