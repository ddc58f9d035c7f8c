"""Find the sentences in which articles cite a given one; and how well that goes.

The links of real files are gold: ``python -m citectx.apps.contexts.finder`` measures. For each
entry of a reference list its metadata play the cited article, and the sentences that the file
itself links to the entry are to be found. Four conditions: everything that the entry says of the
work; title, authors and year only; the same from another file's entry for the same work (known by
DOI or PubMed id), typed by other hands; and everything, but with the file's links removed, so that
only its text is left.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from citectx.apps.contexts.sentences import with_sentences
from citectx.corpora import sources
from citectx.corpora.articles import read_article
from citectx.corpora.model import BlockKind, Citance
from citectx.corpora.references import Article, Work, find, mentions
from citectx.experiments.report import KEYS, means, tabulate
from citectx.experiments.results import Result, keep, timed
from citectx.language.text import Sentences, SentenceSplitter
from citectx.profiles import profile
from citectx.storage import digest

SENTENCE_KINDS: tuple[BlockKind, ...] = ("abstract", "body", "caption", "back")
"""Blocks whose sentences may cite; a row of a table or a heading is no sentence."""


@dataclass(frozen=True)
class Cited:
    """How one article cites the given one.

    Parameters
    ----------
    citing_id : str
    citances : tuple of Citance
        One for each citing sentence, in the order of the text.
    how : str
        How the entry of the reference list was recognised: "doi", "pmid", "title", or "" if none
        was.
    places : mapping of str to int
        Citing places by how they were found (`citectx.corpora.references.Place`).
    outside : int
        Places in tables and headings, which no sentence holds.
    keys : tuple of str
        Entries of the reference list that are the given article.
    note : str
        Why there is no citing sentence; "" if there is one.
    """

    citing_id: str
    citances: tuple[Citance, ...] = ()
    how: str = ""
    places: dict[str, int] = field(default_factory=dict)
    outside: int = 0
    keys: tuple[str, ...] = ()
    note: str = ""

    def __str__(self) -> str:
        if self.note:
            return f"{self.citing_id}: {self.note}"
        places = ", ".join(f"{n} by {how}" for how, n in sorted(self.places.items()))
        outside = f"; {self.outside} in tables or headings left out" if self.outside else ""
        return f"{self.citing_id}: {len(self.citances)} citing sentences ({self.how}; places: {places}{outside})"


def citing_sentences(citing: Article, work: Work, sentences: Sentences) -> Cited:
    """Find the sentences in which an article cites a work.

    Parameters
    ----------
    citing : Article
    work : Work
        DOI, PubMed id, or title and year of what is cited.
    sentences : Sentences
        Of the citing article, in blocks of `SENTENCE_KINDS`.

    Returns
    -------
    Cited
        Without citances, and with a note, if the work is not in the reference list or no sentence
        points to its entry.
    """
    name = citing.document.doc_id
    ids = (("DOI", work.doi), ("PubMed", work.pmid), ("PMC", work.pmcid))
    title = [f"“{work.title}” {work.year}".rstrip()] if work.title else []
    known = ", ".join([*(f"{database} {value}" for database, value in ids if value), *title])
    if not known:
        return Cited(
            name, note="not searched: the article's file tells neither its title nor its DOI"
        )
    keys, how = find(work, citing.references)
    if not keys:
        why = "does not cite the article" if citing.references else "has no reference list"
        return Cited(name, note=f"{why} (searched for {known})")
    places = mentions(citing, keys)
    numbers = [sentence_at(sentences, place.span.start) for place in places]
    text, citances = citing.document.text, {}
    for i, place in zip(numbers, places, strict=True):
        if i is not None and i not in citances:  # the first place of a sentence is its marker
            span, marker = sentences.spans[i], text[slice(*place.span)]
            citances[i] = Citance(
                f"{name}:{i + 1}", name, text[slice(*span)], marker, span, place.span
            )
    note = f"has the article in its reference list (by {how}), but no sentence points there"
    return Cited(
        name,
        tuple(citances[i] for i in sorted(citances)),
        how,
        dict(Counter(p.how for p in places)),
        numbers.count(None),
        keys,
        "" if citances else note,
    )


def sentence_at(sentences: Sentences, offset: int) -> int | None:
    """Return the number of the sentence that holds an offset, or ends before it in the same
    block.
    """
    i = bisect_right(sentences.spans, offset, key=lambda span: span.start) - 1
    inside = i >= 0 and (offset < sentences.spans[i].end or offset <= sentences.blocks[i].end)
    return i if inside else None


def summary(found: Sequence[Cited]) -> str:
    """Summarise in one line what was found in all citing articles."""
    total = sum(len(c.citances) for c in found)
    hows = Counter(c.how for c in found if c.citances)
    by = ", ".join(f"{n} by {how}" for how, n in sorted(hows.items()))
    citing = f"{sum(hows.values())} of {len(found)} citing articles"
    return f"{total} citing sentences in {citing}" + (f" (found {by})" if by else "")


NAME = "beyond_finder"
FILES = {"plos-jats": "allofplos/starter_corpus/*.xml", "s2orc-samples": "tests/*/*xml"}
"""The articles that are measured, by source."""
METRICS = ("entry recall", "entry precision", "sentence recall", "sentence precision")


@timed
def run(corpora: Mapping[str, Sequence[Article]], *, seed: int = 0) -> Result:
    """Measure the finder on articles with links.

    Parameters
    ----------
    corpora : mapping of str to sequence of Article
    seed : int
        Of the bootstrap over articles.

    Returns
    -------
    Result
        A row for each corpus, condition and metric: means over entries in percent, of entries that
        have what the metric divides by. Entries without title, DOI and PubMed id cannot be looked
        for; `params` say how many these are, and how many linked places are outside sentences.
    """
    tables = []
    for name, articles in corpora.items():
        scores, params = _scores(articles)
        tables.append(tabulate(NAME, name, means(scores, seed), seed, params))
    data = {
        name: digest([(a.document.doc_id, a.document.text) for a in own])
        for name, own in corpora.items()
    }
    return Result(NAME, pd.concat(tables, ignore_index=True), data=data)


def _scores(articles: Sequence[Article]) -> tuple[pd.DataFrame, dict[str, int]]:
    """Compute `METRICS` for each entry and condition; NaN where there is nothing to divide by.

    Sentences that a range implies are neither right nor wrong; places in tables, headings and
    titles are in no sentence.
    """
    elsewhere = defaultdict[str, list[tuple[str, Work]]](list)
    for article in articles:
        for reference in article.references:
            elsewhere[_identity(reference.work)].append((article.document.doc_id, reference.work))
    rows, unknown, outside, splitter = [], 0, 0, SentenceSplitter()
    for article in articles:
        name, unlinked = article.document.doc_id, replace(article, links=())
        sentences = splitter.sentences(with_sentences(article, splitter), SENTENCE_KINDS)
        places = defaultdict[tuple[str, str], set[int]](set)
        for place in article.linked:
            number = sentence_at(sentences, place.span.start)
            if number is not None:
                places[place.how, place.key].add(number)
            outside += number is None and place.how == "link"
        for reference in article.references:
            work, same, key = reference.work, _identity(reference.work), reference.key
            if not (work.title or work.doi or work.pmid or work.pmcid):
                unknown += 1
                continue
            conditions = [
                ("all metadata", article, work),
                ("title and year", article, _nameless(work)),
            ]
            others = [w for file, w in elsewhere[same] if same and file != name and w.title]
            conditions += [
                ("another file's entry", article, _nameless(other)) for other in others[:1]
            ]
            for condition, searched, known in [*conditions, ("links removed", unlinked, work)]:
                found = citing_sentences(searched, known, sentences)
                spans, gold, right = (
                    {c.span for c in found.citances},
                    places["link", key],
                    key in found.keys,
                )
                chosen = {i for i, span in enumerate(sentences.spans) if span in spans}
                counted = chosen - (places["range", key] - gold)
                hits = [right, right, len(chosen & gold), len(counted & gold)]
                among = [1, len(found.keys), len(gold), len(counted)]
                shares = [
                    100 * n / all_ if all_ else np.nan for n, all_ in zip(hits, among, strict=True)
                ]
                rows.append((name, key, condition, *shares))
    frame = pd.DataFrame(rows, columns=[*KEYS, *METRICS])
    return frame, {"without metadata": unknown, "outside sentences": outside}


def _nameless(work: Work) -> Work:
    return replace(work, doi="", pmid="", pmcid="")


def _identity(work: Work) -> str:
    return work.doi or (work.pmid and f"pmid {work.pmid}")


if __name__ == "__main__":
    corpora = {
        n: [read_article(p) for p in sorted(sources.folder(n).glob(files))]
        for n, files in FILES.items()
    }
    print(keep(run(corpora), profile("open").results))
