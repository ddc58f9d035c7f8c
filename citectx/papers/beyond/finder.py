"""How well citing sentences are found: the links of real files as gold.

For each entry of a reference list its metadata play the cited article, and the sentences that the file itself
links to the entry are to be found. Four conditions: everything that the entry says of the work; title,
authors and year only; the same from another file's entry for the same work (known by DOI or PubMed id), typed
by other hands; and everything, but with the file's links removed, so that only its text is left.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd
from tqdm import tqdm

from citectx.corpora import sources
from citectx.corpora.articles import read_article
from citectx.corpora.references import Article, Mention, Work
from citectx.evaluation import bootstrap_interval
from citectx.experiments.results import COLUMNS, Result, params_json
from citectx.language.text import Sentences, SentenceSplitter
from citectx.papers.beyond.citing import SENTENCE_KINDS, Cited, citing_sentences, sentence_at
from citectx.profiles import profile
from citectx.storage import digest

NAME = "beyond_finder"
PAIRS = {
    "journal.pone.0153152": "journal.pmed.1000097",
    "journal.pone.0016976": "journal.pmed.1000097",
    "journal.pone.0087236": "journal.pbio.0040088",
    "journal.pone.0008519": "journal.ppat.0020025",
    "2020.acl-main.207": "N18-3011",
}
"""Citing and cited articles that are both there."""
FILES = {"plos-jats": "allofplos/starter_corpus/*.xml", "s2orc-samples": "tests/*/*xml"}
METRICS = ("entry recall", "entry precision", "sentence recall", "sentence precision")


class Score(NamedTuple):
    """What one condition found for one entry, as fractions; NaN where there is nothing to divide by."""

    entry_recall: float
    entry_precision: float
    sentence_recall: float
    sentence_precision: float


@dataclass(frozen=True)
class Gold:
    """The sentences that a file links to each entry, and those that its ranges imply.

    Places in tables, headings and titles are in no sentence; they are counted in `outside`.
    """

    sentences: Sentences
    linked: Mapping[str, set[int]]
    implied: Mapping[str, set[int]]
    outside: int

    @classmethod
    def of(cls, article: Article) -> "Gold":
        """Look up the sentences of all links of an article."""
        sentences = SentenceSplitter().sentences(article.document, SENTENCE_KINDS)
        linked, outside = _sentences(sentences, [m for m in article.linked if m.how == "link"])
        implied, _ = _sentences(sentences, [m for m in article.linked if m.how == "range"])
        return cls(sentences, linked, implied, outside)

    def score(self, key: str, found: Cited, keys: Sequence[str]) -> Score:
        """Compare what was found for an entry; sentences that a range implies are neither right nor wrong."""
        gold = self.linked.get(key, set())
        spans = {c.span for c in found.citances}
        chosen = {i for i, span in enumerate(self.sentences.spans) if span in spans}
        counted = chosen - (self.implied.get(key, set()) - gold)
        return Score(
            float(key in keys),
            (key in keys) / len(keys) if keys else np.nan,
            len(chosen & gold) / len(gold) if gold else np.nan,
            len(counted & gold) / len(counted) if counted else np.nan,
        )


def _sentences(sentences: Sentences, places: Sequence[Mention]) -> tuple[dict[str, set[int]], int]:
    found: dict[str, set[int]] = {}
    outside = 0
    for place in places:
        number = sentence_at(sentences, place.span.start)
        if number is None:
            outside += 1
        else:
            found.setdefault(place.key, set()).add(number)
    return found, outside


def conditions(work: Work, others: Sequence[Work]) -> Iterator[tuple[str, bool, Work]]:
    """Yield name, whether the file's links may be followed, and what is known of the cited article."""
    yield "all metadata", True, work
    yield "title and year", True, _nameless(work)
    if others:
        yield "another file's entry", True, _nameless(others[0])
    yield "links removed", False, work


def _nameless(work: Work) -> Work:
    return replace(work, doi="", pmid="", pmcid="")


def run(corpora: Mapping[str, Sequence[Article]], *, seed: int = 0, progress: bool = False) -> Result:
    """Measure the finder on articles with links.

    Parameters
    ----------
    corpora : mapping of str to sequence of Article
    seed : int
        Of the bootstrap over articles.
    progress : bool

    Returns
    -------
    Result
        A row for each corpus, condition and metric: means over entries in percent, of entries that have what
        the metric divides by. Entries without title, DOI and PubMed id cannot be looked for; `params` say how
        many these are, and how many linked places stand outside sentences. Extra table ``pairs``: what was
        found where both articles are there.
    """
    start = time.perf_counter()
    tables = []
    for name, articles in corpora.items():
        scores, params = _scores(articles, progress)
        tables.append(_rows(name, scores, params, seed))
    pairs = _pairs({a.document.doc_id: a for own in corpora.values() for a in own})
    data = {
        name: digest([(a.document.doc_id, a.document.text) for a in own]) for name, own in corpora.items()
    }
    seconds = time.perf_counter() - start
    return Result(
        NAME, pd.concat(tables, ignore_index=True), extra={"pairs": pairs}, data=data, seconds=seconds
    )


def _scores(articles: Sequence[Article], progress: bool) -> tuple[pd.DataFrame, dict[str, int]]:
    elsewhere = _by_identifier(articles)
    rows, unknown, outside = [], 0, 0
    for article in tqdm(articles, disable=not progress):
        gold, unlinked = Gold.of(article), replace(article, links=())
        outside += gold.outside
        for reference in article.references:
            work, own = reference.work, article.document.doc_id
            if not (work.title or work.doi or work.pmid or work.pmcid):
                unknown += 1
                continue
            others = [w for name, w in elsewhere.get(_identity(work), ()) if name != own and w.title]
            for condition, links, known in conditions(work, others):
                found = citing_sentences(article if links else unlinked, known, gold.sentences)
                rows.append((own, condition, *gold.score(reference.key, found, found.keys)))
    columns = ["article", "condition", *METRICS]
    return pd.DataFrame(rows, columns=columns), {"without metadata": unknown, "outside sentences": outside}


def _identity(work: Work) -> str:
    return work.doi or (work.pmid and f"pmid {work.pmid}")


def _by_identifier(articles: Sequence[Article]) -> dict[str, list[tuple[str, Work]]]:
    found: dict[str, list[tuple[str, Work]]] = {}
    for article in articles:
        for reference in article.references:
            if _identity(reference.work):
                found.setdefault(_identity(reference.work), []).append(
                    (article.document.doc_id, reference.work)
                )
    return found


def _rows(corpus: str, scores: pd.DataFrame, params: Mapping[str, int], seed: int) -> pd.DataFrame:
    rows = []
    for condition, own in scores.groupby("condition", sort=False):
        for metric in METRICS:
            known = own[own[metric].notna()]
            if len(known):
                low, high = bootstrap_interval(100 * known[metric], seed=seed, groups=known["article"])
                shown = params_json(params)
                value = 100 * known[metric].mean()
                rows.append(
                    (NAME, corpus, condition, metric, value, low, high, np.nan, len(known), shown, seed)
                )
    return pd.DataFrame(rows, columns=COLUMNS)


def _pairs(articles: Mapping[str, Article]) -> pd.DataFrame:
    rows = []
    for citing, cited in PAIRS.items():
        if citing in articles and cited in articles:
            gold = Gold.of(articles[citing])
            found = citing_sentences(articles[citing], articles[cited].work, gold.sentences)
            linked = {i for key in found.keys for i in gold.linked.get(key, ())}
            rows.append((citing, cited, found.how, len(found.keys), len(linked), len(found.citances)))
    return pd.DataFrame(rows, columns=["citing", "cited", "how", "entries", "linked", "found"])


def markdown(table: pd.DataFrame) -> str:
    """Lay the table out for the documentation: conditions down, metrics across, percent."""
    lines = [
        f"| articles | what is known | entries | {' | '.join(METRICS)} |",
        "|---|---|---:|" + "---:|" * len(METRICS),
    ]
    for (corpus, condition), own in table.groupby(["corpus", "method"], sort=False):
        values = own.set_index("metric")["value"]
        cells = [f"{values[metric]:.1f}" for metric in METRICS]
        entries = own.loc[own["metric"] == METRICS[0], "n"].item()
        lines.append(f"| `{corpus}` | {condition} | {entries:,} | {' | '.join(cells)} |")
    return "\n".join(lines)


def read() -> dict[str, list[Article]]:
    """Read the articles of `FILES`.

    Raises
    ------
    MissingDataError
        If a source is not on this machine and cannot be fetched.
    """
    return {
        name: [read_article(p) for p in sorted(sources.folder(name).glob(files))]
        for name, files in FILES.items()
    }


def main() -> None:
    """Run on all articles and write the tables of the open profile."""
    print(run(read(), progress=True).write(profile("open").results))


if __name__ == "__main__":
    main()
