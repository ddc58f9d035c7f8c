r"""Contexts for anybody's paper: the passages that citing sentences are about.

>>> from citectx.corpora.articles import article_of
>>> article = article_of("# On rest\n\n## Results\n\nCells rest in the dark.\n\nIn the light they divide.\n")
>>> found = contexts(article, ["Cells divide in the light (Doe, 2001)."], k=1)
>>> found.frame()[["rank", "section", "text"]].to_dict("records")
[{'rank': 1, 'section': 'Results', 'text': 'In the light they divide.'}]
"""

import csv
import json
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from citectx.corpora.articles import read_article, read_citing
from citectx.corpora.files import Reporter, decode
from citectx.corpora.model import Citance, Document, Topic
from citectx.corpora.references import Article, Work
from citectx.errors import CitectxWarning, DataError, MissingDataError, ParameterError
from citectx.experiments.contextualization import Prepared, Protocol
from citectx.language.spans import best_first
from citectx.language.text import Sentences, SentenceSplitter, stop_words
from citectx.papers.beyond.citing import SENTENCE_KINDS, Cited, citing_sentences
from citectx.papers.beyond.ltr import LTR
from citectx.retrieval import BM25, Query, RetrievalModel
from citectx.types import Floats, Ints

ENGLISH = 0.12
"""Least share of English function words among an article's words; English articles have 0.2 to 0.35."""

LARGEST = 2_000
"""Sentences up to which the learned model is used: the memory that it needs grows with their square."""

Source = Article | Document | Path | str
"""An article, or the path of its file."""


def contextualizer(sentences: int) -> tuple[str, RetrievalModel, str]:
    """Return what finds the passages: its name, the model, and a note if it is not the learned one.

    The fallback is BM25, which needs little memory, however many sentences there are.
    """
    if sentences > LARGEST:
        note = f"{sentences:,} sentences are more than the learned model takes ({LARGEST:,}): found by BM25"
        return "BM25", BM25(), note
    return "LTR", LTR.load(), ""


class Fixed(RetrievalModel):
    """Scores that are known already, as a model for the viewer.

    Parameters
    ----------
    scores : float array, shape (queries, spans)
    how : mapping
        What the page says of it.
    """

    grid: ClassVar = {}

    def __init__(self, scores: Floats, how: Mapping[str, Any]) -> None:
        self.scores, self.how = scores, how

    def fingerprint(self) -> None:
        """Always None: there is nothing to look up."""
        return

    def params(self) -> dict[str, Any]:
        """Return what was said of it."""
        return dict(self.how)

    def _fit(self, index: Any) -> None:
        pass

    def score(self, queries: Sequence[Query]) -> Floats:
        """Return the scores."""
        return self.scores[: len(queries)]


@dataclass(frozen=True)
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

    def row(self, sentence: int) -> dict[str, Any]:
        """Tell where a sentence stands; offsets count characters of the article's text as it was read."""
        (start, end), block = self.sentences.spans[sentence], self.sentences.blocks[sentence]
        text = self.topic.reference.text[start:end]
        return {"section": block.heading, "start": start, "end": end, "text": text}

    def frame(self) -> pd.DataFrame:
        """Return a row for each passage: citance, citing, rank, score, section, start, end, text."""
        rows = [
            {
                "citance": c.citance_id,
                "citing": c.citing_id,
                "rank": rank,
                "score": round(float(scores[i]), 4),
            }
            | self.row(i)
            for c, scores, chosen in zip(self.topic.citances, self.scores, self.chosen, strict=True)
            for rank, i in enumerate(chosen.tolist(), 1)
        ]
        return pd.DataFrame(rows)

    def head(self) -> dict[str, Any]:
        """Return what all forms of output begin with."""
        found = [
            {"citing": c.citing_id, "how": c.how, "places": c.places, "note": c.note} for c in self.cited
        ]
        citances = {c.citance_id: {"citing": c.citing_id, "text": c.text} for c in self.topic.citances}
        head = {"article": self.topic.topic_id, "method": self.method, "notes": list(self.notes)}
        return head | {"found": found, "citances": citances}

    def to_json(self) -> str:
        """Return everything as JSON."""
        return as_json(self.head() | {"contexts": self.frame().to_dict("records")})

    def to_html(self) -> str:
        """Return one self-contained page with the whole article (`citectx.viewer`)."""
        methods = [(self.method, Fixed(self.scores, {}), "this article was not among those it learned from")]
        return page(self.topic, self.splitter, self.prepared.protocol.k, methods)


def page(topic: Topic, splitter: SentenceSplitter, k: int, methods: Sequence[tuple[str, Fixed, str]]) -> str:
    """Draw the viewer's page of an article; each method has a name, its scores, and how they came about."""
    from citectx.viewer import Shown, content, render

    shown = [Shown(*method) for method in methods]
    return render(content(Prepared(topic, splitter, Protocol(k=k)), shown, corpus="your paper"))


def as_json(content: Mapping[str, Any]) -> str:
    """Return indented JSON in plain ASCII."""
    return json.dumps(content, indent=2, allow_nan=False)


def contexts(
    article: Source,
    citances: str | Sequence[str | Citance] = (),
    *,
    citing: Iterable[Article | Path | str] = (),
    k: int = 3,
) -> Contexts:
    """Find the passages of an article that citing sentences are about.

    Parameters
    ----------
    article : Article, Document or path
        JATS, TEI, plain text, Markdown or PDF.
    citances : sequence of str or Citance
        Citing sentences.
    citing : iterable of Article or path
        Citing articles (JATS or TEI), in which the citing sentences are looked for.
    k : int
        Passages for each.

    Returns
    -------
    Contexts
        With notes, if one should know something; of a text that does not look like English there is a
        `CitectxWarning`, too.

    Raises
    ------
    ParameterError
        If `k` is below 1, or neither citances nor citing articles are given.
    DataError
        If the article has no sentence to choose from, or there is no citing sentence; citing articles that
        cannot be read are among the notes, unless none is left.
    MissingDataError
        If the article's file is not there, or it is PDF and pypdf is not installed.
    """
    if k < 1:
        raise ParameterError(f"k must be at least 1, not {k}")
    own = read(article)
    splitter = SentenceSplitter.of([own.document])
    given, notes = given_citances([citances] if isinstance(citances, str) else citances)
    texts: dict[str, Document] = {}
    cited = tuple(_cited(citing, own.work, splitter, texts))
    everything = [*given, *(c for one in cited for c in one.citances)]
    if not everything:
        notes += [str(one) for one in cited]
        raise DataError(
            f"no citing sentence{': ' if notes else ''}{'; '.join(notes)}", file=own.document.doc_id
        )
    topic = Topic(own.document.doc_id, own.document, tuple(everything), texts)
    prepared = Prepared(topic, splitter, Protocol(k=k), only_annotated=False)
    name, model, note = contextualizer(len(prepared.candidates))
    notes += [*filter(None, (note, _language_warning(own.document)))]
    known = np.diff(prepared.index.query_matrix(prepared.queries).indptr)
    strange = [c.citance_id for c, n in zip(everything, known, strict=True) if not n]
    if strange:
        notes.append(
            f"no word in common with the article, so that passages say nothing: {', '.join(strange)}"
        )
    scores = prepared.scores(model)
    if isinstance(model, LTR):
        scores = 1 / (1 + np.exp(-scores))
    return Contexts(prepared, splitter, scores, name, cited, tuple(notes))


def read(source: Source) -> Article:
    """Read an article, unless it is one already."""
    if isinstance(source, Article):
        return source
    return Article(source, Work()) if isinstance(source, Document) else read_article(source)


def given_citances(citances: Sequence[str | Citance]) -> tuple[list[Citance], list[str]]:
    """Number the citing sentences that were given, and note those that are empty."""
    numbered = [
        Citance(str(i), "", squeezed(c)) if isinstance(c, str) else c for i, c in enumerate(citances, 1)
    ]
    empty = [c.citance_id for c in numbered if not c.text]
    notes = [f"left out, because there is no text: {', '.join(empty)}"] if empty else []
    return [c for c in numbered if c.text], notes


def squeezed(text: str) -> str:
    """Squeeze white space."""
    return " ".join(text.split())


def _cited(
    citing: Iterable[Article | Path | str],
    work: Work,
    splitter: SentenceSplitter,
    texts: dict[str, Document],
) -> Iterator[Cited]:
    """Go through the citing articles; what cannot be read says so."""
    for source in citing:
        try:
            article = source if isinstance(source, Article) else read_citing(source)
        except (DataError, MissingDataError) as error:
            yield Cited(str(source), note=str(error))
            continue
        document = article.document
        name = unique(document.doc_id, texts)
        texts[name] = document if name == document.doc_id else replace(document, doc_id=name)
        sentences = splitter.sentences(texts[name], SENTENCE_KINDS)
        yield citing_sentences(replace(article, document=texts[name]), work, sentences)


def unique(name: str, taken: Iterable[str]) -> str:
    """Return a name that is not taken.

    >>> unique("Doe", ["Doe", "Doe-2"])
    'Doe-3'
    """
    known = set(taken)
    return next(n for n in (name, *(f"{name}-{i}" for i in range(2, len(known) + 3))) if n not in known)


def _language_warning(document: Document) -> str:
    note = language_note(document.text)
    if note:
        warnings.warn(f"{document.doc_id} {note}", CitectxWarning, stacklevel=3)
    return note


def language_note(text: str) -> str:
    """Return a warning if a text does not look like English, by its share of English function words; else "".

    >>> language_note("The cells of the mouse rest in the dark and in the light of the day, as is known.")
    ''
    >>> language_note("Die Zellen der Maus ruhen bei Tag und bei Nacht, wie man seit langem weiß.")[:32]
    'does not look like English (0 % '
    """
    words = re.findall(r"[^\W\d_]+", text.lower())[:20_000]
    share = sum(word in stop_words("function") for word in words) / max(len(words), 1)
    if len(words) < 10 or share >= ENGLISH:
        return ""
    return (
        f"does not look like English ({100 * share:.0f} % function words): sentences, stop words and weights "
        "are made for English, so that passages may be wrong"
    )


def citances_file(path: Path) -> list[str]:
    """Read citing sentences from CSV: the column ``citance`` or ``text``, or the only one.

    Raises
    ------
    MissingDataError
        If there is no such file.
    DataError
        If it is no CSV, has no such column, or no row.
    """
    if not path.is_file():
        raise MissingDataError(f"there is no file {path}: expected CSV with a column citance")
    text = decode(path.read_bytes(), "cp1252", Reporter([], path.name)).lstrip("\ufeff")
    try:
        rows = [row for row in csv.reader(text.splitlines(keepends=True), strict=True) if any(row)]
    except csv.Error as error:
        raise DataError(f"is no CSV ({error})", file=path.name) from error
    header = [field.strip().lower() for field in rows[0]] if rows else []
    column = next((header.index(key) for key in ("citance", "text") if key in header), None)
    if column is None and len(header) != 1:
        found = ", ".join(header) or "an empty file"
        raise DataError(f"expected a column citance or text, found {found}", file=path.name, line=1)
    place = column or 0
    return [row[place] if len(row) > place else "" for row in rows[column is not None :]]
