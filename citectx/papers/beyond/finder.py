"""How well citing sentences are found: the links of real files as gold.

For each entry of a reference list its metadata play the cited article, and the sentences that the file itself
links to the entry are to be found. Four conditions: everything that the entry says of the work; title,
authors and year only; the same from another file's entry for the same work (known by DOI or PubMed id), typed
by other hands; and everything, but with the file's links removed, so that only its text is left.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import pandas as pd
from tqdm import tqdm

from citectx.corpora import sources
from citectx.corpora.articles import read_article
from citectx.corpora.references import Article, Work
from citectx.experiments.report import means, tabulate
from citectx.experiments.results import Result, timed
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
    def of(cls, article: Article) -> Self:
        """Look up the sentences of all links of an article."""
        sentences = SentenceSplitter().sentences(article.document, SENTENCE_KINDS)
        found: dict[str, dict[str, set[int]]] = {"link": {}, "range": {}, "marker": {}}
        outside = 0
        for place in article.linked:
            number = sentence_at(sentences, place.span.start)
            if number is not None:
                found[place.how].setdefault(place.key, set()).add(number)
            outside += number is None and place.how == "link"
        return cls(sentences, found["link"], found["range"], outside)

    def score(self, key: str, found: Cited) -> list[float]:
        """Compute `METRICS` for an entry in percent; NaN where there is nothing to divide by.

        Sentences that a range implies are neither right nor wrong.
        """
        gold = self.linked.get(key, set())
        spans = {c.span for c in found.citances}
        chosen = {i for i, span in enumerate(self.sentences.spans) if span in spans}
        counted = chosen - (self.implied.get(key, set()) - gold)
        right = key in found.keys
        counts = (
            (right, 1),
            (right, len(found.keys)),
            (len(chosen & gold), len(gold)),
            (len(counted & gold), len(counted)),
        )
        return [100 * hits / all_ if all_ else np.nan for hits, all_ in counts]


def conditions(work: Work, others: Sequence[Work]) -> Iterator[tuple[str, bool, Work]]:
    """Yield name, whether the file's links may be followed, and what is known of the cited article."""
    yield "all metadata", True, work
    yield "title and year", True, _nameless(work)
    if others:
        yield "another file's entry", True, _nameless(others[0])
    yield "links removed", False, work


def _nameless(work: Work) -> Work:
    return replace(work, doi="", pmid="", pmcid="")


@timed
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
        many these are, and how many linked places are outside sentences. Extra table ``pairs``: what was
        found where both articles are there.
    """
    tables = []
    for name, articles in corpora.items():
        scores, params = _scores(articles, progress)
        tables.append(tabulate(NAME, name, means(scores, seed), seed, params))
    pairs = _pairs({a.document.doc_id: a for own in corpora.values() for a in own})
    data = {name: digest([(a.document.doc_id, a.document.text) for a in own]) for name, own in corpora.items()}
    return Result(NAME, pd.concat(tables, ignore_index=True), extra={"pairs": pairs}, data=data)


def _scores(articles: Sequence[Article], progress: bool) -> tuple[pd.DataFrame, dict[str, int]]:
    elsewhere: dict[str, list[tuple[str, Work]]] = {}
    for article in articles:
        for reference in article.references:
            own = article.document.doc_id, reference.work
            elsewhere.setdefault(_identity(reference.work), []).append(own)
    rows, unknown, outside = [], 0, 0
    for article in tqdm(articles, disable=not progress):
        gold, name, unlinked = Gold.of(article), article.document.doc_id, replace(article, links=())
        outside += gold.outside
        for reference in article.references:
            work, same = reference.work, _identity(reference.work)
            if not (work.title or work.doi or work.pmid or work.pmcid):
                unknown += 1
                continue
            others = [w for file, w in elsewhere[same] if same and file != name and w.title]
            for condition, links, known in conditions(work, others):
                found = citing_sentences(article if links else unlinked, known, gold.sentences)
                rows.append((name, reference.key, condition, *gold.score(reference.key, found)))
    columns = ["topic", "citance", "method", *METRICS]
    return pd.DataFrame(rows, columns=columns), {"without metadata": unknown, "outside sentences": outside}


def _identity(work: Work) -> str:
    return work.doi or (work.pmid and f"pmid {work.pmid}")


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
        cells = " | ".join(f"{value:.1f}" for value in own["value"])
        lines.append(f"| `{corpus}` | {condition} | {own['n'].iloc[0]:,} | {cells} |")
    return "\n".join(lines)


def read() -> dict[str, list[Article]]:
    """Read the articles of `FILES`.

    Raises
    ------
    MissingDataError
        If a source is not on this machine and cannot be fetched.
    """
    return {name: [read_article(p) for p in sorted(sources.folder(name).glob(files))] for name, files in FILES.items()}


if __name__ == "__main__":
    print(run(read(), progress=True).write(profile("open").results))
