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
from citectx.corpora.articles import read_article
from citectx.corpora.model import Citance, Document, Topic
from citectx.corpora.references import Work, doi_in
from citectx.corpora.text_files import squeeze
from citectx.errors import DataError, ParameterError
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
        What else `ask` takes: citing, title, doi.

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
        If `k` is below 1, or the DOI is none.
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
    return summarise(ask(article, citances, **how), sentences)


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
            said = {"citance": citance.citance_id, "citing": citance.citing_id}
            said["citing_sentence"] = citance.text
            for rank, sentence in enumerate(chosen, 1):
                rows.append(said | self.row(rank, scores[sentence], sentence))
        return noted(rows, self.notes)


def noted(rows: Sequence[dict[str, Any]], notes: Iterable[str]) -> pd.DataFrame:
    """Tabulate rows, with notes."""
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
        By what citing articles know the article, instead of what its file tells.
    """
    own = read_article(article)
    work = corrected(own.work, title, doi)
    splitter = SentenceSplitter()
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
    document = with_sentences(article, splitter)
    if document.doc_id in texts:
        document = replace(document, doc_id=str(path))
    texts[document.doc_id] = document
    return cited_in(article, work, document, splitter)


def corrected(work: Work, title: str | None, doi: str | None) -> Work:
    """Replace what an article's file tells of it by what is given."""
    if title is not None:
        work = replace(work, titles=(squeeze(title),), years=())  # of another version, perhaps
    if doi is not None:
        known = doi_in(doi)
        if not doi.strip().lower().endswith(known or "?"):
            raise ParameterError(f"a DOI looks like 10.1371/journal.pone.0050698, not like {doi!r}")
        work = replace(work, ids={"doi": known})
    return work


def cautions(prepared: Prepared) -> Iterator[str]:
    """Yield what one should know before believing the passages."""
    words = re.findall(r"[^\W\d_]+", prepared.topic.reference.text.lower())[:20_000]
    share = sum(word in stop_words("function") for word in words) / max(len(words), 1)
    if len(words) >= 10 and share < ENGLISH:
        yield "the article does not look like English, for which all is made: passages may be wrong"
    known = np.diff(prepared.index.query_matrix(prepared.queries).indptr)
    pairs = zip(prepared.citances, known, strict=True)
    if strange := [citance.citance_id for citance, words in pairs if not words]:
        says = "no word in common with the article, so that the passages say nothing"
        yield f"{says}: {', '.join(strange)}"


def summarise(found: Contexts, sentences: int = 5) -> pd.DataFrame:
    """Write the impact summary: see `impact`."""
    if sentences < 1:
        raise ParameterError(f"a summary has at least one sentence, not {sentences}")
    voters: dict[int, list[str]] = {}
    for citance, chosen in found.passages.items():
        for sentence in chosen:
            voters.setdefault(sentence, []).append(citance.citance_id)
    scores, notes = impact_scores(found), found.notes
    order = by_score(scores).tolist()
    if (citances := len(found.passages)) < FEW:
        order = [sentence for sentence in order if sentence in voters]
        notes = (
            *notes,
            f"{citances} citing sentences, fewer than {FEW}: only what they are about is shown",
        )
    rows = []
    for rank, sentence in enumerate(order[:sentences], 1):
        chosen_by = {"chosen_by": voters.get(sentence, [])}
        rows.append(found.row(rank, scores[sentence], sentence) | chosen_by)
    return noted(rows, notes)


def impact_scores(found: Contexts) -> Floats:
    """Score the sentences of the article by what is said around its citations, (sentences,)."""
    topic, analyzer = found.prepared.topic, found.prepared.protocol.analyzer
    texts = [document.text for document in (topic.reference, *topic.citing.values())]
    background = Background([*texts, *(citance.text for citance in topic.citances)], analyzer)
    around = citation_contexts(topic, found.splitter)
    candidates = found.prepared.candidates.sentences
    return ImpactModel().scores(CitedPaper.of(topic, candidates, around, background, analyzer))


def citances_file(path: Path) -> list[str]:
    """Read citing sentences from the column ``citance`` of a CSV file.

    Raises
    ------
    DataError
        If it is not CSV, or has no such column.
    """
    try:
        return pd.read_csv(path, dtype=str, encoding="utf-8-sig")["citance"].dropna().tolist()
    except (KeyError, ValueError) as error:
        raise DataError("expected CSV in UTF-8 with a column citance", file=path) from error


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
    shown = tqdm(citing, "citing articles", unit=" articles", disable=None, delay=2)
    found = ask(article, given, citing=shown, **how)
    passages = found.frame()
    table = summarise(found) if impact else passages
    if html:
        sections = [*passage_sections(passages)]
        if impact:
            chosen = {"sentence": places(table)}
            sections.insert(0, Section("summary", "What the article is cited for", chosen))
        write_atomically(html, render(found.prepared.topic.reference, sections))
        print(f"page: {html}", file=sys.stderr)
    if as_json:
        print(json.dumps(table.attrs | {"rows": table.to_dict("records")}, indent=2))
        return 0
    notes = [line for note in table.attrs["notes"] for line in wrapped("", note)]
    print(*notes, *(impact_lines(table) if impact else passage_lines(table)), sep="\n")
    return 0


def places(table: pd.DataFrame) -> list[Span]:
    """Return where the passages of a table are in the article."""
    return [Span(*pair) for pair in zip(table["start"], table["end"], strict=True)]


def passage_sections(table: pd.DataFrame) -> Iterator[Section]:
    """Yield what the page shows: a citing sentence, and its passages in the article."""
    for name, rows in table.groupby("citance", sort=False):
        said = rows["citing_sentence"].iloc[0]
        yield Section(str(name), said, {"passage": places(rows)})


def passage_lines(table: pd.DataFrame) -> Iterator[str]:
    """Yield lines for the terminal: the passages under each citing sentence."""
    row: Any
    for name, rows in table.groupby("citance", sort=False):
        said = rows["citing_sentence"].iloc[0]
        yield from ["", *wrapped(f"{name}  ", f"“{said}”")]
        for row in rows.itertuples():
            head = f"   {row.rank}  {row.score:.2f}  "
            yield from wrapped(head, f"[{row.section}] {row.text}")


def impact_lines(table: pd.DataFrame) -> Iterator[str]:
    """Yield lines for the terminal: the sentences, and the citances that chose each."""
    row: Any
    yield ""
    for row in table.itertuples():
        yield from wrapped(f"{row.rank}  ", f"[{row.section}] {row.text}")
        if row.chosen_by:
            yield from wrapped("   chosen by ", ", ".join(row.chosen_by))


def wrapped(head: str, text: str) -> list[str]:
    r"""Wrap a text behind its head; nothing in it moves the cursor or changes colours.

    >>> wrapped("1 ", "a\x1b[31mb")
    ['1 a [31mb']
    """
    width = min(shutil.get_terminal_size((WIDTH, 24)).columns, WIDTH)
    plain = "".join(c if c.isprintable() else " " for c in text)
    return textwrap.wrap(
        plain, max(width, 60), initial_indent=head, subsequent_indent=" " * len(head)
    )
