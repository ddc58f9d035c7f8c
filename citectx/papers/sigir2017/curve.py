"""Would more text help? Vectors trained on an eighth, a quarter, a half and all of each text.

Beyond the papers, whose vectors were trained on much larger corpora. Train the shares first, once:

    citectx embeddings train biomedical-eighth --architecture skip-gram    (… -quarter, -half; general-…)
    python -m citectx.papers.sigir2017.curve
"""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from citectx import profiles
from citectx.corpora.model import Corpus
from citectx.embeddings import Vectors, open_vectors
from citectx.embeddings.intrinsic import FILES, correlation, similarities, word_set
from citectx.embeddings.texts import SHARES
from citectx.errors import CitectxError
from citectx.evaluation import Interval
from citectx.experiments.contextualization import Protocol, prepare, settings
from citectx.experiments.report import Cell, compare, part, tabulate
from citectx.experiments.results import Result, timed
from citectx.experiments.tuning import chosen, tuned_scores
from citectx.retrieval import LMD, RetrievalModel, model

NAME = "embeddings_curve"
METRICS = ("c-F", "nDCG", "c-P@1")
VECTORS = {
    f"{row} {share}": f"{domain}{ending}-skip-gram"
    for row, domain in {"WE_Wiki": "general", "WE_Bio": "biomedical"}.items()
    for share, ending in {**{f"1/{n}": f"-{name}" for name, n in SHARES.items()}, "all": ""}.items()
}
"""The vectors of each row; a row's name is that of Table 1 and the share of the text."""


@timed
def run(
    corpora: Sequence[Corpus],
    vectors: Mapping[str, str] = VECTORS,
    sets: Iterable[str] = tuple(FILES),
    *,
    folds: int = 10,
    resamples: int = 1000,
    seed: int = 0,
    progress: bool = True,
) -> Result:
    """Measure vectors of growing texts on rated pairs of words, and in Eq. 2 where Table 1 has them.

    Parameters
    ----------
    corpora : sequence of Corpus
    vectors : mapping of str to str
        Row, as in `VECTORS`, to the name of its vectors; each row of Table 1 needs its share "all".
    sets : iterable of str
        Keys of `citectx.embeddings.intrinsic.FILES`.
    folds : int
        Folds of the cross-validation over topics.
    resamples : int
        Draws of the bootstrap over pairs.
    seed : int
    progress : bool

    Returns
    -------
    Result
        On word sets: ``spearman`` over the pairs that all shares of a text know, so that shares are compared
        on the same pairs; ``less than all``, its difference to that of the whole text; ``coverage``, the
        share of all pairs that have vectors, in percent. On corpora: `METRICS` beside LMD, tuned as in
        Table 1. The table ``tests`` has each row against the whole text and against LMD; ``texts`` has the
        number of articles and words (tokens) that vectors were trained on, and their vocabulary.

    Raises
    ------
    MissingDataError
        If a share has not been trained; the message says how.
    """
    opened = {row: open_vectors(name) for row, name in vectors.items()}
    params = {"pairs": "known to all shares", "resamples": resamples}
    tables = [tabulate(NAME, each, _on_pairs(each, opened, resamples, seed), seed, params) for each in sets]
    rows: dict[str, Sequence[RetrievalModel]] = {"LMD": list(LMD.variants())}
    rows |= {row: list(model(row.split()[0]).variants(vectors=[name])) for row, name in vectors.items()}
    parts = []
    for corpus in corpora:
        topics, label = prepare(corpus, Protocol()), f"{NAME}: {corpus.name}"
        tuned, scores = tuned_scores(topics, rows, folds, METRICS, label=label, progress=progress)
        shared, said = settings(Protocol(), folds=folds, tuned_for="c-F"), chosen(tuned)
        extra = {"tests": _tests(scores, seed)}
        parts.append(part(NAME, corpus, scores, seed, params=shared, by_method=said, extra=extra))
    joined = Result.of(NAME, parts)
    texts = pd.DataFrame(
        [(row, v.card["text"]["articles"], v.card["text"]["words"], len(v)) for row, v in opened.items()],
        columns=["method", "articles", "words", "vocabulary"],
    )
    data = {row: str(v.card["sha256"])[:16] for row, v in opened.items()}
    return Result(
        NAME,
        pd.concat([*tables, joined.table], ignore_index=True),
        joined.citances,
        {**joined.extra, "texts": texts},
        {**joined.data, **data},
    )


def _groups(rows: Iterable[str]) -> dict[str, list[str]]:
    """Collect the shares of each row of Table 1."""
    groups = dict[str, list[str]]()
    for row in rows:
        groups.setdefault(row.split()[0], []).append(row)
    return groups


def _on_pairs(name: str, vectors: Mapping[str, Vectors], resamples: int, seed: int) -> Iterator[Cell]:
    pairs = word_set(name).pairs
    ratings = np.array([pair.rating for pair in pairs])
    for row, shares in _groups(vectors).items():
        cosines = {share: similarities(vectors[share], pairs) for share in shares}
        known = np.isfinite([*cosines.values()]).all(axis=0)
        common = {share: np.where(known, values, np.nan) for share, values in cosines.items()}
        whole = common[f"{row} all"]
        for share in shares:
            for metric, minus in (("spearman", None), ("less than all", whole)):
                found = correlation(common[share], ratings, seed, minus=minus, resamples=resamples)
                yield Cell(share, metric, found.rho, found.pairs, Interval(found.low, found.high))
            yield Cell(share, "coverage", 100 * float(np.isfinite(cosines[share]).mean()), len(pairs))


def _tests(scores: pd.DataFrame, seed: int) -> pd.DataFrame:
    rows = [row for row in dict.fromkeys(scores["method"]) if row != "LMD"]
    whole = [
        compare(scores[scores["method"].isin(shares)], seed, [f"{row} all"]) for row, shares in _groups(rows).items()
    ]
    return pd.concat([*whole, compare(scores, seed, ["LMD"])], ignore_index=True)


if __name__ == "__main__":
    try:
        opened = profiles.profile("open")
        print(run([profiles.load("citation-integrity")]).write(opened.results))
    except CitectxError as error:
        sys.exit(f"citectx: {error}")
