"""For anybody's paper: what passages citing sentences are about, and what a paper is cited for.

>>> from citectx.paths import ROOT
>>> article = ROOT / "docs" / "your-paper" / "article.xml"
>>> table = contexts(article, ["Eggs in dim light hatch after nine days (Doe, 2001)."], k=1)
>>> table["section"][0], table["text"][0][:36]
('Abstract', 'Eggs kept in dim light hatched after')
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
from citectx.show.viewer import Section, render
from citectx.storage import check_output, write_atomically
from citectx.summarization.impact import Background, CitedPaper, ImpactModel
from citectx.types import Floats, Span

ENGLISH = 0.12
"""Least share of English function words in an article; English articles have 0.2 to 0.35."""
COLUMNS = "citance citing citing_sentence rank score section start end text".split()
FEW = 3
"""Citing sentences below which an impact summary holds nothing but what they are about."""
WIDTH = 100
"""Columns of the terminal that are used, at most."""


def contexts(
    article: Path | str, citances: Iterable[str] = (), *, k: int = 3, **how: Any
) -> pd.DataFrame:
    """Find the passages of an article that citing sentences are about.

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
    scores : float array, shape (citances, sentences)
        Of the learned model, the probability that a sentence is what is cited.
    notes : tuple of str
    """

    prepared: Prepared
    scores: Floats
    notes: tuple[str, ...]

    @cached_property
    def sentences(self) -> pd.DataFrame:
        """The sentences that may be chosen: columns section, start, end, text."""
        sentences = self.prepared.candidates.sentences
        frame = pd.DataFrame(sentences.spans, columns=["start", "end"])
        frame.insert(0, "section", [block.heading for block in sentences.blocks])
        return frame.assign(text=sentences.texts())

    def frame(self) -> pd.DataFrame:
        """Tabulate the passages: see `contexts`."""
        parts = []
        for citance, scores in zip(self.prepared.citances, self.scores, strict=True):
            best = best_first(scores, self.prepared.protocol.k)
            part = self.sentences.iloc[best].assign(citance=citance.citance_id)
            part["citing"], part["citing_sentence"] = citance.citing_id, citance.text
            part["rank"] = range(1, len(best) + 1)
            part["score"] = scores[best]
            parts.append(part)
        return noted(pd.concat(parts)[COLUMNS], self.notes)


def noted(table: pd.DataFrame, notes: Iterable[str]) -> pd.DataFrame:
    """Number and round a table, and attach notes."""
    table = table.round({"score": 4}).reset_index(drop=True)
    table.attrs["notes"] = [*notes]
    return table


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
    scores = 1 / (1 + np.exp(-prepared.scores(LTR.load())))
    return Contexts(prepared, scores, (*notes, *cautions(prepared)))


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
        if not known:
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
    voters = found.frame().groupby("start")["citance"].agg(list)
    summary = found.sentences.assign(score=impact_scores(found))
    summary["chosen_by"] = [voters.get(start, []) for start in summary["start"]]
    notes = list(found.notes)
    if (citances := len(found.scores)) < FEW:
        summary = summary[summary["chosen_by"].map(bool)]
        notes.append(f"{citances} citing sentences: too few for a summary, so only their passages")
    summary = summary.sort_values("score", ascending=False, kind="stable").head(sentences)
    summary.insert(0, "rank", range(1, len(summary) + 1))
    return noted(summary, notes)


def impact_scores(found: Contexts) -> Floats:
    """Score the sentences of the article by what is said around its citations, (sentences,)."""
    topic, analyzer = found.prepared.topic, found.prepared.protocol.analyzer
    texts = [document.text for document in (topic.reference, *topic.citing.values())]
    background = Background([*texts, *(citance.text for citance in topic.citances)], analyzer)
    around = citation_contexts(topic, SentenceSplitter())
    candidates = found.prepared.candidates.sentences
    return ImpactModel().scores(CitedPaper.of(candidates, around, background, analyzer))


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
    if html:
        inputs = filter(None, [article, *citing, citances])
        check_output(html, inputs=inputs, force=force)
    given = [*cites, *(citances_file(citances) if citances else ())]
    shown = tqdm(citing, "citing articles", unit=" articles", disable=None, delay=2)
    found = ask(article, given, citing=shown, **how)
    passages = found.frame()
    table = summarise(found) if impact else passages
    if html:
        sections = [*passage_sections(passages)]
        if impact:
            chosen = {"sentence": places(table)}
            sections.insert(0, ("summary", "What the article is cited for", chosen, {}))
        write_atomically(html, render(found.prepared.topic.reference, sections))
        print(f"page: {html}", file=sys.stderr)
    if as_json:
        print(json.dumps(table.attrs | {"rows": table.to_dict("records")}, indent=2))
        return 0
    notes = [line for note in table.attrs["notes"] for line in wrapped("", note)]
    print("\n".join([*notes, *lines_of(table)]).lstrip("\n"))
    return 0


def places(table: pd.DataFrame) -> list[Span]:
    """Return where the passages of a table are in the article."""
    return [*map(Span, table["start"], table["end"])]


def passage_sections(table: pd.DataFrame) -> Iterator[Section]:
    """Yield what the page shows: a citing sentence, and its passages in the article."""
    for name, rows in table.groupby("citance", sort=False):
        said = rows["citing_sentence"].iloc[0]
        yield str(name), said, {"passage": places(rows)}, {}


def lines_of(table: pd.DataFrame) -> Iterator[str]:
    """Yield lines for the terminal: passages below their citing sentence, or a summary."""
    last = ""
    if "citance" not in table:
        yield ""
    for row in table.to_dict("records"):
        if "citance" in row and row["citance"] != last:
            last = row["citance"]
            yield from ["", *wrapped(f"{last}  ", f"“{row['citing_sentence']}”")]
        score = f"{row['score']:.2f}  " if "citance" in row else ""
        head = f"   {row['rank']}  {score}"
        section = f"[{row['section']}] " if row["section"] else ""
        yield from wrapped(head, section + row["text"])
        if row.get("chosen_by"):
            yield from wrapped(" " * len(head), f"chosen by {', '.join(row['chosen_by'])}")


def wrapped(head: str, text: str) -> list[str]:
    r"""Wrap a text behind its head; nothing in it moves the cursor or changes colours.

    >>> wrapped("1 ", "a\x1b[31mb")
    ['1 a [31mb']
    """
    width = min(shutil.get_terminal_size((WIDTH, 24)).columns, WIDTH)
    plain = "".join(c if c.isprintable() else " " for c in text)
    indent = " " * len(head)
    return textwrap.wrap(plain, max(width, 60), initial_indent=head, subsequent_indent=indent)
