r"""For anybody's paper: what passages citing sentences are about, and what a paper is cited for.

>>> from citectx.corpora.articles import article_of
>>> text = "# On rest\n\n## Results\n\nCells rest in the dark.\n\nIn the light they divide.\n"
>>> article = article_of(text)
>>> found = contexts(article, ["Cells divide in the light (Doe, 2001)."], k=1)
>>> found.frame()[["rank", "section", "text"]].to_dict("records")
[{'rank': 1, 'section': 'Results', 'text': 'In the light they divide.'}]
"""

import json
import re
import shutil
import sys
import textwrap
import warnings
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, count
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from citectx.apps.contexts.finder import (
    SENTENCE_KINDS,
    Cited,
    citing_sentences,
    report,
    summary,
)
from citectx.apps.contexts.ltr import LTR, Given
from citectx.apps.contexts.sentences import with_sentences
from citectx.corpora.articles import read_article
from citectx.corpora.model import Annotation, Citance, Document, Topic, as_html
from citectx.corpora.references import Article, Work, doi_in
from citectx.corpora.text_files import csv_rows, cut, squeeze
from citectx.errors import CitectxWarning, DataError, MissingDataError, ParameterError
from citectx.experiments.contextualization import Prepared, Protocol
from citectx.language.citation_contexts import citation_contexts
from citectx.language.spans import best_first
from citectx.language.text import Sentences, SentenceSplitter, stop_words
from citectx.retrieval import BM25, RetrievalModel
from citectx.storage import check_output, write_atomically
from citectx.summarization.base import by_score
from citectx.summarization.impact import Background, CitedPaper, ImpactModel
from citectx.types import Floats, Ints, Span

ENGLISH = 0.12
"""Least share of English function words in an article; English articles have 0.2 to 0.35."""

LARGEST = 2_000
"""Sentences up to which the learned model is used: its memory grows with their square."""

FEW = 10
"""Citing sentences below which an impact summary says so; acl2008 asks for 20 citations a paper."""

SUMMARY = "impact summary"

SHOWN = 10_000
"""Characters of a passage or citing sentence that the terminal shows; JSON and pages have all."""

Source = Article | Document | Path | str
"""An article, or the path of its file."""
Citances = str | Sequence[str | Citance]
Citing = Article | Path | str | Iterable[Article | Path | str]


class UncitedError(DataError):
    """No citing sentence is given, or found in the citing articles.

    Parameters
    ----------
    message, **where
        See `DataError`.
    cited : tuple of Cited
        Why none was found.
    """

    def __init__(self, message: str, *, cited: tuple[Cited, ...] = (), **where: Any) -> None:
        super().__init__(message, **where)
        self.cited = cited


@dataclass(frozen=True, repr=False)
class Contexts:
    """The passages of an article that citing sentences are about.

    Parameters
    ----------
    prepared : Prepared
        Article, citances, candidates.
    splitter : SentenceSplitter
    scores : float array, shape (citances, sentences)
        Of the learned model, the probability that the passage is what is cited.
    method : str
        What found them.
    cited : tuple of Cited
        How the citing sentences were found; empty if they were given.
    notes : tuple of str
        What one should know before believing the result.
    """

    prepared: Prepared
    splitter: SentenceSplitter
    scores: Floats
    method: str
    cited: tuple[Cited, ...] = ()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        citances, k = len(self.topic.citances), self.prepared.protocol.k
        return f"Contexts({self.topic.topic_id!r}, {citances:,} citances, k={k}, {self.method})"

    def _repr_html_(self) -> str:
        return as_html(self, self.frame())

    @property
    def topic(self) -> Topic:
        """Article and citing sentences."""
        return self.prepared.topic

    @property
    def sentences(self) -> Sentences:
        """The sentences that may be chosen."""
        return self.prepared.candidates.sentences

    @cached_property
    def chosen(self) -> list[Ints]:
        """Sentences found for each citance, best first."""
        return [best_first(row, self.prepared.protocol.k) for row in self.scores]

    def row(self, rank: int, score: float, sentence: int) -> dict[str, Any]:
        """Describe a sentence; offsets count characters of the article's text as it was read."""
        start, end = self.sentences.spans[sentence]
        return {
            "rank": rank,
            "score": round(float(score), 4),
            "section": self.sentences.blocks[sentence].heading,
            "start": start,
            "end": end,
            "text": self.topic.reference.text[start:end],
        }

    def frame(self) -> pd.DataFrame:
        """Tabulate the passages.

        Returns
        -------
        DataFrame
            Columns citance, citing, rank, score, section, start, end, text.
        """
        rows = []
        for citance, scores, chosen in zip(
            self.topic.citances, self.scores, self.chosen, strict=True
        ):
            ids = {"citance": citance.citance_id, "citing": citance.citing_id}
            for rank, sentence in enumerate(chosen.tolist(), 1):
                rows.append(ids | self.row(rank, scores[sentence], sentence))
        return pd.DataFrame(rows)

    def lines(self) -> Iterator[str]:
        """Yield the lines of a table for the terminal: the passages under each citing sentence."""
        said = {c.citance_id: c.text for c in self.topic.citances}
        row: Any
        for citance, passages in self.frame().groupby("citance", sort=False):
            yield from _wrapped(f"{citance}  ", f"“{said[str(citance)]}”")
            for row in passages.itertuples():
                yield from _wrapped(f"   {row.rank}  {row.score:7.2f}  ", row.text, row.section)
            yield ""

    def to_json(self, **content: Any) -> str:
        """Return everything as JSON; `content`, if any, replaces the passages."""
        about = {
            "article": self.topic.topic_id,
            "method": self.method,
            "notes": list(self.notes),
            "found": [
                {
                    "citing": c.citing_id,
                    "how": c.how,
                    "places": c.places,
                    "note": c.note,
                    "guessed": c.guessed,
                }
                for c in self.cited
            ],
            "citances": {
                c.citance_id: {"citing": c.citing_id, "text": c.text} for c in self.topic.citances
            },
        }
        content = content or {"contexts": self.frame().to_dict("records")}
        return json.dumps(about | content, indent=2, allow_nan=False)

    def to_html(self) -> str:
        """Return one self-contained page with the whole article (`citectx.apps.viewer`)."""
        how = "this article was not among those it learned from"
        return self.page(self.topic, self.prepared.protocol.k, {self.method: (self.scores, how)})

    def page(self, topic: Topic, k: int, methods: Mapping[str, tuple[Floats, str]]) -> str:
        """Draw the viewer's page of a topic.

        Parameters
        ----------
        topic : Topic
        k : int
            Passages for each citance.
        methods : mapping of str to (float array, str)
            For each method its scores, shape (citances, sentences), and how they came about.
        """
        from citectx.apps.viewer import Method, content, render

        prepared = Prepared(topic, self.splitter, Protocol(k=k))
        shown = [Method(name, Given(scores), how) for name, (scores, how) in methods.items()]
        return render(content(prepared, shown, corpus="your paper"))


def contexts(
    article: Source,
    citances: Citances = (),
    *,
    citing: Citing = (),
    k: int = 3,
    title: str | None = None,
    doi: str | None = None,
    year: str | int | None = None,
) -> Contexts:
    """Find the passages of an article that citing sentences are about.

    Articles of more than `LARGEST` sentences are searched with BM25, which needs less memory.

    Parameters
    ----------
    article : Article, Document or path
        JATS, TEI, plain text, Markdown or PDF.
    citances : sequence of str or Citance
        Citing sentences.
    citing : Article or path, or an iterable of them
        Citing articles, in which the citing sentences are looked for. In text, Markdown and PDF,
        reference list and citations are guessed.
    k : int
        Passages for each.
    title, doi : str, optional
    year : str or int, optional
        By what citing articles know the article, instead of what its file tells.

    Returns
    -------
    Contexts
        With notes on what to know before believing it; a text that does not look like English
        raises a `CitectxWarning`, too.

    Raises
    ------
    ParameterError
        If `k` is below 1, or title, DOI or year is none.
    UncitedError
        If there is no citing sentence. Citing articles that cannot be read are only noted if others
        are left.
    DataError
        If the article cannot be read, or has no sentence to choose from.
    MissingDataError
        If the article's file is missing, or it is PDF and pypdf is not installed.
    """
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise ParameterError(f"k must be a whole number of at least 1, not {k!r}")
    if isinstance(citing, Article | Path | str):
        citing = [citing]
    own = _own(article)
    own = replace(own, work=_corrected(own.work, title, doi, year))
    splitter = SentenceSplitter.of([own.document])
    document = with_sentences(own, splitter)
    texts: dict[str, Document] = {}
    cited = tuple(_cited(source, own.work, splitter, texts) for source in citing)
    given, notes = _numbered(citances)
    usable = (*given, *(citance for one in cited for citance in one.citances))
    if not usable:
        said = "; ".join([*notes, *map(str, cited)]) or "name some, or articles that cite this one"
        raise UncitedError(f"no citing sentence: {said}", file=document.doc_id, cited=cited)
    topic = Topic(document.doc_id, document, usable, texts)
    prepared = Prepared(topic, splitter, Protocol(k=k), only_annotated=False)
    if len(prepared.candidates) > LARGEST:
        model: RetrievalModel = BM25()
        scores = prepared.scores(model)
    else:
        model = LTR.load()
        scores = 1 / (1 + np.exp(-prepared.scores(model)))
    notes += [*(finding.message for finding in own.findings), *_cautions(prepared)]
    return Contexts(prepared, splitter, scores, type(model).__name__, cited, tuple(notes))


def _own(article: Source) -> Article:
    """Return the article that is asked about, read if it is a path."""
    if isinstance(article, Document):
        return Article(article, Work())
    if isinstance(article, Article):
        return article
    if isinstance(article, Path | str):
        return read_article(article)
    found = cut(repr(article), 80)
    raise ParameterError(f"article must be an Article, a Document or a path; found {found}")


def _corrected(work: Work, title: str | None, doi: str | None, year: str | int | None) -> Work:
    """Replace what an article's file tells of it by what is given."""
    if title is not None:
        if not re.search(r"[^\W_]", title):
            raise ParameterError(f"a title has letters, unlike {title!r}")
        work = replace(work, title=squeeze(title))
    if doi is not None:
        work = replace(work, doi=_whole_doi(doi))
    if year is not None:
        if not re.fullmatch(r"[12]\d{3}", str(year)):
            raise ParameterError(f"a year has four digits, unlike {str(year)!r}")
        work = replace(work, year=str(year))
    return work


def _whole_doi(text: str) -> str:
    """Return the DOI that a text is, with or without the address of a resolver."""
    known = doi_in(text)
    if not known or not text.strip().lower().endswith(known):
        raise ParameterError(f"a DOI looks like 10.1371/journal.pone.0050698, not like {text!r}")
    return known


def _numbered(citances: Citances) -> tuple[list[Citance], list[str]]:
    """Make citances of bare sentences, by their places in the list, and note which are empty."""
    given = [citances] if isinstance(citances, str) else citances
    found, empty = [], []
    for i, one in enumerate(given, 1):
        citance = Citance(str(i), "", squeeze(one)) if isinstance(one, str) else one
        if not isinstance(citance, Citance):
            raise ParameterError(f"citance {i} must be a sentence; found {cut(repr(one), 80)}")
        if citance.text:
            found.append(citance)
        else:
            empty.append(citance.citance_id)
    notes = [f"left out, because there is no text: {', '.join(empty)}"] if empty else []
    return found, notes


def _cautions(prepared: Prepared) -> Iterator[str]:
    """Yield what one should know before believing the result; warn of another language."""
    if (sentences := len(prepared.candidates)) > LARGEST:
        limit = f"more than the learned model takes ({LARGEST:,})"
        yield f"{sentences:,} sentences are {limit}: found by BM25"
    document = prepared.topic.reference
    if note := language_note(document.text):
        yield note
        warnings.warn(f"{document.doc_id} {note}", CitectxWarning, stacklevel=3)
    known = np.diff(prepared.index.query_matrix(prepared.queries).indptr)
    pairs = zip(prepared.citances, known, strict=True)
    if strange := [citance.citance_id for citance, words in pairs if not words]:
        says = "no word in common with the article, so that passages say nothing"
        yield f"{says}: {', '.join(strange)}"


def _cited(
    source: Article | Path | str, work: Work, splitter: SentenceSplitter, texts: dict[str, Document]
) -> Cited:
    """Search a citing article and add it to `texts`; one that cannot be read has a note instead."""
    try:
        article = source if isinstance(source, Article) else read_article(source)
    except (DataError, MissingDataError) as error:
        return Cited(str(source), note=str(error))
    name = _unused(article.document.doc_id, texts)
    document = replace(with_sentences(article, splitter), doc_id=name)
    texts[name] = document
    sentences = splitter.sentences(document, SENTENCE_KINDS)
    return citing_sentences(replace(article, document=document), work, sentences)


def _unused(name: str, taken: Container[str]) -> str:
    """Return a name, with a number at its end if it is taken."""
    names = chain([name], (f"{name}-{i}" for i in count(2)))
    return next(each for each in names if each not in taken)


@dataclass(frozen=True, repr=False)
class Impact:
    """What an article is cited for, in its own sentences.

    Parameters
    ----------
    contexts : Contexts
    scores : float array, shape (sentences of the article,)
    length : int
        Sentences wanted.
    """

    contexts: Contexts
    scores: Floats
    length: int

    @property
    def notes(self) -> tuple[str, ...]:
        """What one should know before believing it; of the passages, and of the summary."""
        said = []
        citances, sentences = len(self.contexts.topic.citances), len(self.votes)
        if citances < FEW:
            said.append(f"few citing sentences ({citances}; {FEW} or more say more of the impact)")
        if unchosen := sum(not voters for voters in self.votes.values()):
            passages = "are among the passages of no citing sentence"
            said.append(f"{unchosen} of the {sentences} sentences of the summary {passages}")
        return (*self.contexts.notes, *said)

    def __repr__(self) -> str:
        citances = len(self.contexts.topic.citances)
        return (
            f"Impact({self.contexts.topic.topic_id!r}, {len(self.votes)} sentences, "
            f"{citances:,} citances)"
        )

    def _repr_html_(self) -> str:
        return as_html(self, self.frame())

    @cached_property
    def votes(self) -> dict[int, list[str]]:
        """For each chosen sentence, best first, the citances among whose passages it is."""
        best = by_score(self.scores)[: self.length]
        found: dict[int, list[str]] = {int(sentence): [] for sentence in best}
        for citance, chosen in zip(self.contexts.topic.citances, self.contexts.chosen, strict=True):
            for sentence in {*chosen.tolist()} & {*found}:
                found[sentence].append(citance.citance_id)
        return found

    def frame(self) -> pd.DataFrame:
        """Tabulate the summary.

        Returns
        -------
        DataFrame
            Columns rank, score, section, start, end, text, chosen_by.
        """
        rows = []
        for rank, (sentence, voters) in enumerate(self.votes.items(), 1):
            row = self.contexts.row(rank, self.scores[sentence], sentence)
            rows.append(row | {"chosen_by": voters})
        return pd.DataFrame(rows)

    def lines(self) -> Iterator[str]:
        """Yield lines for the terminal: the sentences, and the citances that chose each."""
        row: Any
        for row in self.frame().itertuples():
            voters = ", ".join(row.chosen_by) or "none of the citing sentences"
            yield from _wrapped(f"{row.rank}  ", row.text, row.section)
            yield from _wrapped("   chosen by ", voters)
            yield ""

    def to_json(self) -> str:
        """Return everything as JSON."""
        summary = self.frame().to_dict("records")
        return self.contexts.to_json(notes=list(self.notes), summary=summary)

    def to_html(self) -> str:
        """Return one self-contained page with the whole article (`citectx.apps.viewer`).

        The first citance of the page is the summary: the citances that chose a sentence are its
        annotators, so that the lines under a sentence, and the shading of agreement, say who chose
        it.
        """
        found, topic = self.contexts, self.contexts.topic
        chose: dict[str, list[Span]] = {}
        for sentence, voters in self.votes.items():
            for name in voters:
                chose.setdefault(name, []).append(found.sentences.spans[sentence])
        annotations = tuple(Annotation(name, tuple(sorted(chose[name]))) for name in sorted(chose))
        about = f"The {len(self.votes)} sentences of the impact summary"
        citances = (Citance(SUMMARY, "", about, annotations=annotations), *topic.citances)
        passages = np.vstack([found.scores.mean(axis=0), found.scores])
        how = "passages of each citing sentence; of the summary, by mean score"
        summaries = np.tile(self.scores, (len(citances), 1))
        methods = {
            found.method: (passages, how),
            SUMMARY: (summaries, "acl2008, setting of its Table 1"),
        }
        return found.page(replace(topic, citances=citances), self.length, methods)


def impact(article: Source, citances: Citances = (), *, sentences: int = 5, **how: Any) -> Impact:
    """Write the impact summary of an article: what others cite it for, in its own sentences.

    Source: acl2008, `ImpactModel` with the setting of its Table 1, on two sentences around each
    citing one; all citing articles weigh the same, as nothing is known of their authority.

    Ambiguity: p(w|D) is to come from all papers at hand; here these are the article and those that
    cite it.

    Parameters
    ----------
    article, citances
        See `contexts`. Citances without their article have no neighbours.
    sentences : int
        Length of the summary.
    **how
        What else `contexts` takes: citing, k, title, doi, year.

    Raises
    ------
    ParameterError
        If `sentences` is below 1.
    DataError, MissingDataError
        As `contexts`.
    """
    if isinstance(sentences, bool) or not isinstance(sentences, int) or sentences < 1:
        raise ParameterError(f"a summary has at least one sentence, not {sentences!r}")
    found = contexts(article, citances, **how)
    topic, analyzer = found.topic, found.prepared.protocol.analyzer
    documents = [d.text for d in (topic.reference, *topic.citing.values())]
    citing_texts = [c.text for c in topic.citances]
    background = Background([*documents, *citing_texts], analyzer)
    around = citation_contexts(topic, found.splitter)
    paper = CitedPaper.of(topic, found.sentences, around, background, analyzer)
    return Impact(found, ImpactModel().scores(paper), sentences)


def language_note(text: str) -> str:
    """Return a warning if a text does not look like English by its share of function words, or "".

    >>> language_note("The cells of the mouse rest in the dark and in the light, as is known.")
    ''
    >>> language_note("Die Zellen der Maus ruhen bei Tag und bei Nacht, wie man weiß.")[:32]
    'does not look like English (0 % '
    """
    words = re.findall(r"[^\W\d_]+", text.lower())[:20_000]
    function_words = sum(word in stop_words("function") for word in words)
    share = function_words / max(len(words), 1)
    if len(words) < 10 or share >= ENGLISH:
        return ""
    return (
        f"does not look like English ({100 * share:.0f} % function words): "
        "all is made for English, so that passages may be wrong"
    )


def citances_file(path: Path) -> list[str]:
    """Read citing sentences from the column ``citance`` of a CSV file.

    Raises
    ------
    MissingDataError, DataError
        See `citance_rows`.
    """
    return [row["citance"] for row in citance_rows(path)]


def citance_rows(path: Path) -> list[dict[str, str]]:
    """Read the rows of a CSV file with a column ``citance``.

    Raises
    ------
    MissingDataError
        If there is no such file.
    DataError
        If it is not CSV, or has no such column.
    """
    if not path.is_file():
        raise MissingDataError(f"there is no file {path}: expected CSV with a column citance")
    return [row.fields for row in csv_rows(path, ["citance"])]


def cmd_own_paper(
    kind: str,
    article: Path,
    cites: Sequence[str],
    citances: Path | None,
    citing: Sequence[Path],
    as_json: bool,
    html: Path | None,
    force: bool,
    **how: Any,
) -> int:
    """Find contexts or the impact, print them, and write the page if one is wanted."""
    files = [citances] if citances else []
    if html:
        check_output(html, inputs=[article, *citing, *files], force=force)
    given = [*cites, *(sentence for file in files for sentence in citances_file(file))]
    find = contexts if kind == "contexts" else impact
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CitectxWarning)  # it is among the notes, too
        shown = tqdm(citing, "citing articles", unit=" articles", disable=None, delay=2)
        result: Contexts | Impact = find(article, given, citing=shown, **how)
    _tell(result.cited if isinstance(result, Contexts) else result.contexts.cited, result.notes)
    if html:
        write_atomically(html, result.to_html())
        print(f"page: {html}", file=sys.stderr)
    print(result.to_json() if as_json else "\n".join(result.lines()))
    return 0


def _tell(cited: Sequence[Cited], notes: Sequence[str]) -> None:
    """Print what was found in citing articles, and the notes, to standard error."""
    said = [summary(cited), *(f"  {line}" for line in report(cited))] if cited else []
    said += [f"note: {note}" for note in notes]
    for line in said:
        print(printable(line), file=sys.stderr)
    if said:
        print(file=sys.stderr)


def _wrapped(head: str, text: str, section: str = "") -> list[str]:
    """Wrap a text behind its head, as wide as the terminal."""
    head = printable(head)
    body = cut(printable(f"[{section}] {text}" if section else text), SHOWN)
    width = max(60, min(shutil.get_terminal_size((100, 24)).columns, 140))
    return textwrap.wrap(body, width, initial_indent=head, subsequent_indent=" " * len(head))


def printable(text: str) -> str:
    r"""Replace what would move a terminal's cursor or change its colours.

    >>> printable("a\x1b[31mb")
    'a [31mb'
    """
    return "".join(c if c.isprintable() else " " for c in text)
