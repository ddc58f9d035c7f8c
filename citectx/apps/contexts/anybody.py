"""For anybody's paper: what passages citing sentences are about, and what a paper is cited for.

>>> from citectx.paths import ROOT
>>> article = ROOT / "docs" / "your-paper" / "article.xml"
>>> table = contexts(article, ["Eggs in dim light hatch after nine days (Doe, 2001)."], k=1)
>>> table[["rank", "section", "text"]].to_dict("records")
[{'rank': 1, 'section': 'Results', 'text': 'Cells divide in the light.'}]
"""

import json
import re
import shutil
import sys
import textwrap
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from citectx.apps.contexts.citing import Cited, cited_in, with_sentences
from citectx.apps.contexts.ltr import LTR
from citectx.corpora.articles import Article, read_article
from citectx.corpora.files import Reporter, csv_rows, decode, squeeze
from citectx.corpora.model import Citance, Document, Topic
from citectx.corpora.references import Work, doi_in
from citectx.errors import CitectxWarning, DataError, MissingDataError, ParameterError
from citectx.experiments.contextualization import Prepared, Protocol
from citectx.language.citation_contexts import citation_contexts
from citectx.language.spans import best_first
from citectx.language.text import SentenceSplitter, stop_words
from citectx.retrieval import BM25, RetrievalModel
from citectx.show.viewer import Section, render
from citectx.storage import check_output, write_atomically
from citectx.summarization.base import by_score
from citectx.summarization.impact import Background, CitedPaper, ImpactModel
from citectx.types import Floats, Span

ENGLISH = 0.12
"""Least share of English function words in an article; English articles have 0.2 to 0.35."""
LARGEST = 2_000
"""Sentences up to which the learned model is used: its memory grows with their square."""
FEW = 3
"""Citing sentences below which an impact summary holds nothing but what they are about."""
WIDTH = 100
"""Columns of the terminal that are used, at most."""


def contexts(
    article: Path | str, citances: Iterable[str] = (), *, k: int = 3, **how: Any
) -> pd.DataFrame:
    """Find the passages of an article that citing sentences are about.

    Articles of more than `LARGEST` sentences are searched with BM25, which needs less memory.

    Parameters
    ----------
    article : path
        JATS or TEI.
    citances : iterable of str
        Citing sentences.
    k : int
        Passages for each.
    **how
        What else `ask` takes: citing, title, doi, year.

    Returns
    -------
    DataFrame
        Columns citance, citing, citing_sentence, rank, score, section, start, end, text; the score
        is the model's probability, and offsets count characters of the article's text. Its
        ``attrs["notes"]`` say how citing sentences were found, and what to know before believing
        the passages.

    Raises
    ------
    ParameterError
        If `k` is below 1, or title, DOI or year is none.
    DataError
        If the article cannot be read, or there is no citing sentence.
    MissingDataError
        If a file is missing.
    """
    return ask(article, citances, k=k, **how).frame()


def impact(
    article: Path | str, citances: Iterable[str] = (), *, sentences: int = 5, **how: Any
) -> pd.DataFrame:
    """Summarise what an article is cited for, in its own sentences.

    Source: acl2008, `ImpactModel` with the setting of its Table 1, on two sentences around each
    citing one; all citing articles weigh the same, as nothing is known of their authority.

    Ambiguity: p(w|D) is to come from all papers at hand; here these are the article and those that
    cite it.

    Parameters
    ----------
    article, citances, **how
        See `contexts`. Citances without their article have no neighbours.
    sentences : int
        Length of the summary.

    Returns
    -------
    DataFrame
        Columns rank, score, section, start, end, text, chosen_by: the citances among whose passages
        a sentence is; with notes, as `contexts` returns them.

    Raises
    ------
    ParameterError
        If `sentences` is below 1.
    DataError, MissingDataError
        As `contexts`.
    """
    return summarise(ask(article, citances, **how), sentences).frame()


@dataclass(frozen=True)
class Contexts:
    """The passages of an article that citing sentences are about.

    Parameters
    ----------
    prepared : Prepared
        Article, citances, candidates.
    splitter : SentenceSplitter
    scores : float array, shape (citances, sentences)
        Of the learned model, the probability that a sentence is what is cited.
    notes : tuple of str
    """

    prepared: Prepared
    splitter: SentenceSplitter
    scores: Floats
    notes: tuple[str, ...]

    @property
    def spans(self) -> tuple[Span, ...]:
        """The sentences that may be chosen."""
        return self.prepared.candidates.sentences.spans

    @cached_property
    def passages(self) -> dict[Citance, list[int]]:
        """The sentences chosen for each citance, best first."""
        citances, k = self.prepared.citances, self.prepared.protocol.k
        rows = zip(citances, self.scores, strict=True)
        return {citance: best_first(row, k).tolist() for citance, row in rows}

    def row(self, rank: int, score: float, sentence: int) -> dict[str, Any]:
        """Describe a sentence."""
        start, end = self.spans[sentence]
        return {
            "rank": rank,
            "score": round(float(score), 4),
            "section": self.prepared.candidates.sentences.blocks[sentence].heading,
            "start": start,
            "end": end,
            "text": self.prepared.topic.reference.text[start:end],
        }

    def frame(self) -> pd.DataFrame:
        """Tabulate the passages: see `contexts`."""
        rows = []
        for (citance, chosen), scores in zip(self.passages.items(), self.scores, strict=True):
            ids = {"citance": citance.citance_id, "citing": citance.citing_id}
            ids["citing_sentence"] = citance.text
            for rank, sentence in enumerate(chosen, 1):
                rows.append(ids | self.row(rank, scores[sentence], sentence))
        return _noted(rows, self.notes)

    def lines(self) -> Iterator[str]:
        """Yield the lines of a table for the terminal: the passages under each citing sentence."""
        for (citance, sentence), rows in self.frame().groupby(
            ["citance", "citing_sentence"], sort=False
        ):
            yield from wrapped(f"{citance}  ", f"“{sentence}”")
            for row in rows.itertuples():
                yield from wrapped(f"   {row.rank}  {row.score:.2f}  ", f"[{row.section}] {row.text}")
            yield ""

    def sections(self) -> Iterator[Section]:
        """Yield what the page shows: a citing sentence, and its passages in the article."""
        for citance, chosen in self.passages.items():
            spans = [self.spans[sentence] for sentence in chosen]
            yield Section(citance.citance_id, citance.text, {"passage": spans})


@dataclass(frozen=True)
class Impact:
    """What an article is cited for, in its own sentences.

    Parameters
    ----------
    contexts : Contexts
    scores : float array, shape (sentences of the article,)
    chosen : list of int
        Sentences of the summary, best first.
    voters : mapping of int to list of str
        By sentence, the citances among whose passages it is.
    """

    contexts: Contexts
    scores: Floats
    chosen: list[int]
    voters: dict[int, list[str]]

    def frame(self) -> pd.DataFrame:
        """Tabulate the summary: see `impact`."""
        rows = []
        for rank, sentence in enumerate(self.chosen, 1):
            row = self.contexts.row(rank, self.scores[sentence], sentence)
            rows.append(row | {"chosen_by": self.voters.get(sentence, [])})
        citances = len(self.contexts.prepared.citances)
        few = f"{citances} citing sentences, fewer than {FEW}: no summary, but the passages of these"
        notes = self.contexts.notes
        return _noted(rows, (*notes, few) if citances < FEW else notes)

    def lines(self) -> Iterator[str]:
        """Yield lines for the terminal: the sentences, and the citances that chose each."""
        for row in self.frame().itertuples():
            yield from wrapped(f"{row.rank}  ", f"[{row.section}] {row.text}")
            if row.chosen_by:
                yield from wrapped("   chosen by ", ", ".join(row.chosen_by))
            yield ""

    def sections(self) -> Iterator[Section]:
        """Yield what the page shows: the summary, then the passages of each citing sentence."""
        spans = [self.contexts.spans[sentence] for sentence in self.chosen]
        yield Section("summary", "What the article is cited for", {"summary": spans})
        yield from self.contexts.sections()


def _noted(rows: Sequence[dict[str, Any]], notes: Sequence[str]) -> pd.DataFrame:
    frame = pd.DataFrame(rows)
    frame.attrs["notes"] = [*notes]
    return frame


def ask(
    article: Path | str,
    citances: Iterable[str] = (),
    *,
    citing: Iterable[Path | str] = (),
    k: int = 3,
    title: str | None = None,
    doi: str | None = None,
    year: str | int | None = None,
) -> Contexts:
    """Find passages, with all that a page or a summary needs.

    Parameters
    ----------
    article, citances, k
        See `contexts`.
    citing : iterable of path
        Citing articles, in which the citing sentences are looked for. One that cannot be read is
        noted if there are others.
    title, doi : str, optional
    year : str or int, optional
        By what citing articles know the article, instead of what its file tells.
    """
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise ParameterError(f"k must be a whole number of at least 1, not {k!r}")
    own = read_article(article)
    work = corrected(own.work, title, doi, year)
    splitter = SentenceSplitter.of([own.document])
    document = with_sentences(own, splitter)
    given = [citances] if isinstance(citances, str) else citances
    usable = [Citance(str(i), "", squeeze(text)) for i, text in enumerate(given, 1)]
    texts: dict[str, Document] = {}
    notes = []
    for path in [citing] if isinstance(citing, Path | str) else citing:
        cited = search(path, work, splitter, texts)
        usable += cited.citances
        notes.append(str(cited))
    if not usable:
        why = "; ".join(notes) or "name some, or articles that cite this one"
        raise DataError(f"no citing sentence: {why}", file=document.doc_id)
    topic = Topic(document.doc_id, document, tuple(usable), texts)
    prepared = Prepared(topic, splitter, Protocol(k=k), only_annotated=False)
    is_large = len(prepared.candidates) > LARGEST
    model: RetrievalModel = BM25() if is_large else LTR.load()
    scores = prepared.scores(model)
    if is_large:
        notes.append(f"more than {LARGEST:,} sentences: found by BM25, scores are its own")
    else:
        scores = 1 / (1 + np.exp(-scores))
    return Contexts(prepared, splitter, scores, (*notes, *cautions(prepared)))


def search(
    path: Path | str, work: Work, splitter: SentenceSplitter, texts: dict[str, Document]
) -> Cited:
    """Search a citing article and add it to `texts`; one that cannot be read has a note instead."""
    try:
        article = read_article(path)
    except DataError as error:
        return Cited(str(path), note=error.message)
    name, number = article.document.doc_id, 1
    while name in texts:
        number += 1
        name = f"{article.document.doc_id}-{number}"
    document = replace(with_sentences(article, splitter), doc_id=name)
    texts[name] = document
    return cited_in(article, work, document, splitter)


def corrected(work: Work, title: str | None, doi: str | None, year: str | int | None) -> Work:
    """Replace what an article's file tells of it by what is given."""
    if title is not None:
        work = replace(work, titles=(squeeze(title), *work.titles))
    if doi is not None:
        known = doi_in(doi)
        if not known or not doi.strip().lower().endswith(known):
            raise ParameterError(f"a DOI looks like 10.1371/journal.pone.0050698, not like {doi!r}")
        work = replace(work, ids={"doi": known})
    if year is not None:
        if not re.fullmatch(r"[12]\d{3}", str(year)):
            raise ParameterError(f"a year has four digits, unlike {str(year)!r}")
        work = replace(work, years=(str(year),))
    return work


def cautions(prepared: Prepared) -> Iterator[str]:
    """Yield what one should know before believing the passages; warn of another language."""
    document = prepared.topic.reference
    words = re.findall(r"[^\W\d_]+", document.text.lower())[:20_000]
    share = sum(word in stop_words("function") for word in words) / max(len(words), 1)
    if len(words) >= 10 and share < ENGLISH:
        note = "does not look like English, for which all is made, so that passages may be wrong"
        yield f"the article {note}"
        warnings.warn(f"{document.doc_id} {note}", CitectxWarning, stacklevel=4)
    known = np.diff(prepared.index.query_matrix(prepared.queries).indptr)
    pairs = zip(prepared.citances, known, strict=True)
    if strange := [citance.citance_id for citance, words in pairs if not words]:
        says = "no word in common with the article, so that the passages say nothing"
        yield f"{says}: {', '.join(strange)}"


def summarise(found: Contexts, sentences: int = 5) -> Impact:
    """Choose the sentences of an impact summary; from few citances, only what they are about."""
    if isinstance(sentences, bool) or not isinstance(sentences, int) or sentences < 1:
        raise ParameterError(f"a summary has at least one sentence, not {sentences!r}")
    topic, analyzer = found.prepared.topic, found.prepared.protocol.analyzer
    documents = [document.text for document in (topic.reference, *topic.citing.values())]
    background = Background([*documents, *(c.text for c in topic.citances)], analyzer)
    around = citation_contexts(topic, found.splitter)
    candidates = found.prepared.candidates.sentences
    paper = CitedPaper.of(topic, candidates, around, background, analyzer)
    scores = ImpactModel().scores(paper)
    voters: dict[int, list[str]] = {}
    for citance, chosen in found.passages.items():
        for sentence in chosen:
            voters.setdefault(sentence, []).append(citance.citance_id)
    order = by_score(scores).tolist()
    if len(topic.citances) < FEW:
        order = [sentence for sentence in order if sentence in voters]
    return Impact(found, scores, order[:sentences], voters)


def citances_file(path: Path) -> list[str]:
    """Read citing sentences from the column ``citance`` of a CSV file.

    Raises
    ------
    MissingDataError
        If there is no such file.
    DataError
        If it is not CSV, or has no such column.
    """
    if not path.is_file():
        raise MissingDataError(f"there is no file {path}: expected CSV with a column citance")
    report = Reporter([], path.name)
    text = decode(path.read_bytes(), "cp1252", report)
    return [row["citance"] for row, _ in csv_rows(text, report, ["citance"])]


def cmd_contexts(
    article: Path,
    citing: Sequence[Path],
    cites: Sequence[str],
    citances: Path | None,
    impact: bool,
    as_json: bool,
    html: Path | None,
    force: bool,
    **how: Any,
) -> int:
    """Find contexts, or what they say of the impact; print them, and write the page."""
    files = [citances] if citances else []
    if html:
        check_output(html, inputs=[article, *citing, *files], force=force)
    given = [*cites, *(sentence for file in files for sentence in citances_file(file))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CitectxWarning)  # it is among the notes, too
        shown = tqdm(citing, "citing articles", unit=" articles", disable=None, delay=2)
        found = ask(article, given, citing=shown, **how)
    result = summarise(found) if impact else found
    table = result.frame()
    if html:
        document = found.prepared.topic.reference
        write_atomically(html, render(document, [*result.sections()]))
        print(f"page: {html}", file=sys.stderr)
    if as_json:
        print(json.dumps(table.attrs | {"rows": table.to_dict("records")}, indent=2))
        return 0
    for note in table.attrs["notes"]:
        print(*wrapped("", note), sep="\n")
    print("", *result.lines(), sep="\n")
    return 0


def wrapped(head: str, text: str) -> list[str]:
    r"""Wrap a text behind its head; nothing in it moves the cursor or changes colours.

    >>> wrapped("1 ", "a\x1b[31mb")
    ['1 a [31mb']
    """
    width = max(60, min(shutil.get_terminal_size((WIDTH, 24)).columns, WIDTH))
    plain = "".join(c if c.isprintable() else " " for c in text)
    return textwrap.wrap(plain, width, initial_indent=head, subsequent_indent=" " * len(head))
