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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import nan

import pandas as pd

from citectx.apps.contexts.sentences import with_sentences
from citectx.corpora import sources
from citectx.corpora.articles import read_article
from citectx.corpora.model import BlockKind, Citance
from citectx.corpora.references import Article, Mention, Work, find, mentions
from citectx.experiments.report import KEYS, means, tabulate
from citectx.experiments.results import Result, keep, timed
from citectx.language.text import Sentences, SentenceSplitter
from citectx.profiles import profile
from citectx.storage import digest
from citectx.types import Span

SENTENCE_KINDS: tuple[BlockKind, ...] = ("abstract", "body", "caption", "back")
"""Blocks whose sentences may cite; a row of a table or a heading is no sentence."""

MANY = 5
"""Articles of which one line says the same."""


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
    guessed : str
        What of the citing article was guessed; "" for XML.
    """

    citing_id: str
    citances: tuple[Citance, ...] = ()
    how: str = ""
    places: dict[str, int] = field(default_factory=dict)
    outside: int = 0
    keys: tuple[str, ...] = ()
    note: str = ""
    guessed: str = ""

    def __str__(self) -> str:
        guessed = f"; {self.guessed}" if self.guessed else ""
        if self.note:
            return f"{self.citing_id}: {self.note}{guessed}"
        places = ", ".join(f"{n} by {how}" for how, n in sorted(self.places.items()))
        if self.outside:
            places += f"; {self.outside} in tables or headings left out"
        found = f"{len(self.citances)} citing sentences ({self.how}; places: {places})"
        return f"{self.citing_id}: {found}{guessed}"


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
    known, guessed = _described(work), _guessed(citing)
    if not known:
        return Cited(
            name, note="not searched: the article's file tells neither its title nor its DOI"
        )
    keys, how = find(work, citing.references)
    if not keys:
        why = "does not cite the article" if citing.references else "has no reference list"
        return Cited(name, note=f"{why} (searched for {known})", guessed=guessed)
    places = mentions(citing, keys)
    numbers = [sentence_at(sentences, place.span.start) for place in places]
    first: dict[int, Mention] = {}  # the first place of a sentence is its marker
    for number, place in zip(numbers, places, strict=True):
        if number is not None:
            first.setdefault(number, place)
    note = f"has the article in its reference list (by {how}), but no sentence points there"
    return Cited(
        name,
        tuple(_citance(citing, sentences, i, first[i].span) for i in sorted(first)),
        how,
        dict(Counter(place.how for place in places)),
        numbers.count(None),
        keys,
        "" if first else note,
        guessed,
    )


def _guessed(citing: Article) -> str:
    """Say what of an article's citations was read from text that does not tell."""
    entries = sum(reference.guessed for reference in citing.references)
    return f"reference list read from plain text: {entries} entries" if entries else ""


def _described(work: Work) -> str:
    """Name what a work can be recognised by, "" if there is nothing."""
    ids = {"DOI": work.doi, "PubMed": work.pmid, "PMC": work.pmcid}
    known = [f"{database} {value}" for database, value in ids.items() if value]
    if work.title:
        known.append(f"“{work.title}” {work.year}".rstrip())
    return ", ".join(known)


def _citance(citing: Article, sentences: Sentences, number: int, marker: Span) -> Citance:
    name, text, span = citing.document.doc_id, citing.document.text, sentences.spans[number]
    own, marked = text[slice(*span)], text[slice(*marker)]
    return Citance(f"{name}:{number + 1}", name, own, marked, span, marker)


def sentence_at(sentences: Sentences, offset: int) -> int | None:
    """Return the number of the sentence that holds an offset, or ends before it in its block."""
    i = bisect_right(sentences.spans, offset, key=lambda span: span.start) - 1
    if i < 0:
        return None
    end = max(sentences.spans[i].end - 1, sentences.blocks[i].end)
    return i if offset <= end else None


def summary(found: Sequence[Cited]) -> str:
    """Summarise in one line what was found in all citing articles."""
    total = sum(len(c.citances) for c in found)
    hows = Counter(c.how for c in found if c.citances)
    line = f"{total} citing sentences in {hows.total()} of {len(found)} citing articles"
    if hows:
        by = ", ".join(f"{n} by {how}" for how, n in sorted(hows.items()))
        line += f" (found {by})"
    return line


def report(found: Sequence[Cited]) -> list[str]:
    """Say in lines what was found: one for each article, and one for many of which the same holds.

    >>> for line in report([Cited(f"doe{i}", note="has no reference list") for i in range(120)]):
    ...     print(line)
    120 articles: has no reference list (doe0, doe1, doe2, and 117 more)
    """
    alike: dict[str, list[str]] = {}
    for one in found:
        if one.note:
            alike.setdefault(one.note, []).append(one.citing_id)
    lines = [str(one) for one in found if len(alike.get(one.note, ())) < MANY]
    for note, names in alike.items():
        if len(names) >= MANY:
            shown = ", ".join(names[:3])
            lines.append(f"{len(names)} articles: {note} ({shown}, and {len(names) - 3} more)")
    return lines


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
        have what the metric divides by. Entries without title, DOI and PubMed id cannot be
        searched; `params` count these, and the linked places outside sentences.
    """
    tables, data = [], {}
    for name, articles in corpora.items():
        scores, params = _scores(articles)
        tables.append(tabulate(NAME, name, means(scores, seed), seed, params))
        data[name] = digest([(a.document.doc_id, a.document.text) for a in articles])
    return Result(NAME, pd.concat(tables, ignore_index=True), data=data)


Gold = dict[tuple[str, str], set[int]]
"""Numbers of the sentences that a file's links point from: by how ("link" or "range") and entry."""


def _scores(articles: Sequence[Article]) -> tuple[pd.DataFrame, dict[str, int]]:
    """Compute `METRICS` for each entry and condition; NaN where there is nothing to divide by."""
    entries = _by_identity(articles)
    rows, unknown, outside, splitter = [], 0, 0, SentenceSplitter()
    for article in articles:
        name = article.document.doc_id
        sentences = splitter.sentences(with_sentences(article, splitter), SENTENCE_KINDS)
        gold, missing = _gold(article, sentences)
        outside += missing
        bare = replace(article, links=())  # once: its markers are found for all entries together
        for reference in article.references:
            key, work = reference.key, reference.work
            if not (work.title or work.doi or work.pmid or work.pmcid):
                unknown += 1
                continue
            others = [w for file, w in entries[_identity(work)] if file != name]
            for condition, searched, known in _conditions(article, bare, work, others):
                found = citing_sentences(searched, known, sentences)
                rows.append((name, key, condition, *_shares(found, key, gold, sentences)))
    frame = pd.DataFrame(rows, columns=[*KEYS, *METRICS])
    return frame, {"without metadata": unknown, "outside sentences": outside}


def _by_identity(articles: Sequence[Article]) -> Mapping[str, Sequence[tuple[str, Work]]]:
    """Collect the entries with a title for each known work, with the file that each is from."""
    found = defaultdict[str, list[tuple[str, Work]]](list)
    for article in articles:
        for reference in article.references:
            identity = _identity(reference.work)
            if identity and reference.work.title:
                found[identity].append((article.document.doc_id, reference.work))
    return found


def _gold(article: Article, sentences: Sentences) -> tuple[Gold, int]:
    """Return the sentences that links point from, and the number of links in no sentence.

    These are in tables, headings and titles.
    """
    found: Gold = defaultdict(set)
    outside = 0
    for place in article.linked:
        number = sentence_at(sentences, place.span.start)
        if number is not None:
            found[place.how, place.key].add(number)
        elif place.how == "link":
            outside += 1
    return found, outside


def _conditions(
    article: Article, bare: Article, work: Work, others: Sequence[Work]
) -> Iterator[tuple[str, Article, Work]]:
    """Yield each condition's name, the article to search, and what is known of the cited work."""
    yield "all metadata", article, work
    yield "title and year", article, _nameless(work)
    if others:
        yield "another file's entry", article, _nameless(others[0])
    yield "links removed", bare, work


def _shares(found: Cited, key: str, gold: Gold, sentences: Sentences) -> list[float]:
    """Compute `METRICS` of one entry; sentences that a range implies count neither way."""
    spans = {citance.span for citance in found.citances}
    chosen = {i for i, span in enumerate(sentences.spans) if span in spans}
    linked = gold["link", key]
    counted = chosen - (gold["range", key] - linked)
    right = key in found.keys
    hits = right, right, len(chosen & linked), len(counted & linked)
    totals = 1, len(found.keys), len(linked), len(counted)
    return [100 * n / total if total else nan for n, total in zip(hits, totals, strict=True)]


def _nameless(work: Work) -> Work:
    return replace(work, doi="", pmid="", pmcid="")


def _identity(work: Work) -> str:
    return work.doi or (work.pmid and f"pmid {work.pmid}")


if __name__ == "__main__":
    corpora = {}
    for name, files in FILES.items():
        corpora[name] = [read_article(path) for path in sorted(sources.folder(name).glob(files))]
    print(keep(run(corpora), profile("open").results))
