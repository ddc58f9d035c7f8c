"""Your own paper: which passages citing sentences are about, and what the paper is cited for.

>>> from citectx.paths import ROOT
>>> article = ROOT / "docs" / "your-paper" / "article.xml"
>>> table = contexts(article, ["Eggs in dim light hatch after nine days (Doe, 2001)."], k=1)
>>> table["section"][0], table["text"][0][:36]
('Abstract', 'Eggs kept in dim light hatched after')
"""

import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd
from scipy.special import expit

from citectx.beyond.ltr import LTR
from citectx.beyond.reading.articles import read_article
from citectx.beyond.reading.citing import cited_in, with_sentences
from citectx.beyond.reading.references import Work
from citectx.corpora.model import Citance, Document, Topic
from citectx.corpora.text_files import squeeze
from citectx.errors import DataError
from citectx.experiments.contextualization import Prepared, Protocol
from citectx.language.citation_contexts import citation_contexts
from citectx.language.spans import best_first
from citectx.language.text import SentenceSplitter
from citectx.show.viewer import Section, render
from citectx.storage import check_output, write_atomically
from citectx.summarization.impact import Background, CitedPaper, ImpactModel
from citectx.types import Floats, Span

COLUMNS = "citance citing citing_sentence rank score section start end text".split()
FEW = 3
"""With fewer citing sentences, an impact summary holds only what they are about."""
WIDTH = 100
"""Widest line in the terminal."""


def contexts(
    article: Path | str,
    citances: Iterable[str] = (),
    *,
    k: int = 3,
    citing: Iterable[Path | str] = (),
) -> pd.DataFrame:
    """Find the k passages of an article that each citing sentence is most probably about.

    Articles are JATS or TEI; more citing sentences are looked for in the `citing` ones. The table
    has the columns `COLUMNS`: the score is the model's probability, offsets count characters of the
    article's text. ``attrs["notes"]`` tells how citing sentences were found.
    """
    _, passages = ask(article, citances, k=k, citing=citing)
    return passages


def impact(
    article: Path | str,
    citances: Iterable[str] = (),
    *,
    citing: Iterable[Path | str] = (),
    sentences: int = 5,
) -> pd.DataFrame:
    """Summarise what an article is cited for, in its own sentences; see `contexts`.

    The table tells which citances chose a sentence: it is among their passages.

    Source: acl2008, `ImpactModel` with the setting of its Table 1, on two sentences around each
    citing one. All citing articles weigh the same, because their authority is unknown. Citances
    without their article have no neighbours.
    Ambiguity: p(w|D) is to come from all papers at hand; here these are the article and those that
    cite it.
    """
    return summarise(*ask(article, citances, citing=citing), sentences)


def ask(
    article: Path | str,
    citances: Iterable[str] = (),
    *,
    citing: Iterable[Path | str] = (),
    k: int = 3,
) -> tuple[Prepared, pd.DataFrame]:
    """Find passages as `contexts` does; note a citing article that cannot be read."""
    own = read_article(article)
    document = with_sentences(own)
    given = [citances] if isinstance(citances, str) else citances
    usable = [Citance(str(i), "", squeeze(text)) for i, text in enumerate(given, 1)]
    texts: dict[str, Document] = {}
    notes = [f"{document.doc_id}: {note}" for note in own.notes]
    for path in citing:
        sentences, note = search(path, own.work, texts)
        usable += sentences
        notes.append(note)
    if not usable:
        why = "; ".join(notes) or "name some, or articles that cite this one"
        raise DataError(f"no citing sentence: {why}", file=document.doc_id)
    topic = Topic(document.doc_id, document, tuple(usable), texts)
    prepared = Prepared(topic, topic.citances, SentenceSplitter(), Protocol(k=k))
    return prepared, finish(find_passages(prepared), notes)


def search(path: Path | str, work: Work, texts: dict[str, Document]) -> tuple[list[Citance], str]:
    """Search a citing article and add it to `texts`; see `cited_in`."""
    try:
        article = read_article(path)
    except DataError as error:
        return [], f"{path}: {error.message}"
    document = with_sentences(article)
    if document.doc_id in texts:
        document = replace(document, doc_id=str(path))
    texts[document.doc_id] = document
    return cited_in(article, work, document)


def sentences_of(prepared: Prepared) -> pd.DataFrame:
    """Tabulate the sentences that may be chosen: columns section, start, end, text."""
    sentences = prepared.candidates.sentences
    frame = pd.DataFrame(sentences.spans)
    frame.insert(0, "section", [block.heading for block in sentences.blocks])
    return frame.assign(text=sentences.texts())


def find_passages(prepared: Prepared) -> pd.DataFrame:
    """Tabulate the most probable sentences of each citance: columns `COLUMNS`."""
    sentences = sentences_of(prepared)
    probabilities = expit(prepared.scores(LTR.load()))  # (citances, sentences)
    rows = []
    for citance, row in zip(prepared.citances, probabilities, strict=True):
        said = citance.citance_id, citance.citing_id, citance.text
        best = best_first(row)[: prepared.protocol.k]
        for rank, i in enumerate(best, 1):
            rows.append((*said, rank, row[i], *sentences.iloc[i]))
    return pd.DataFrame(rows, columns=COLUMNS)


def summarise(prepared: Prepared, passages: pd.DataFrame, sentences: int = 5) -> pd.DataFrame:
    """Write the impact summary: see `impact`."""
    voters = passages.groupby("start")["citance"].agg(list)
    table = sentences_of(prepared).assign(score=impact_scores(prepared))
    table["chosen_by"] = [voters.get(start, []) for start in table["start"]]
    notes = [*passages.attrs["notes"]]
    count = len(prepared.citances)
    if count < FEW:
        table = table[table["chosen_by"].map(bool)]
        notes.append(f"{count} citing sentences: too few for a summary, so only their passages")
    table = table.sort_values("score", ascending=False, kind="stable").head(sentences)
    table.insert(0, "rank", range(1, len(table) + 1))
    return finish(table, notes)


def finish(table: pd.DataFrame, notes: Sequence[str]) -> pd.DataFrame:
    """Number and round a table, and attach notes."""
    table = table.round({"score": 4}).reset_index(drop=True)
    table.attrs["notes"] = notes
    return table


def impact_scores(prepared: Prepared) -> Floats:
    """Score the sentences of the article by what is said around its citations, (sentences,)."""
    topic = prepared.topic
    analyzer = prepared.protocol.analyzer
    texts = [document.text for document in topic.documents]
    texts += [citance.text for citance in topic.citances]
    background = Background(texts, analyzer)
    around = citation_contexts(topic, SentenceSplitter())
    sentences = prepared.candidates.sentences
    return ImpactModel().scores(CitedPaper.of(sentences, around, background, analyzer))


def cmd_contexts(
    article: Path,
    citing: Sequence[Path],
    cites: Sequence[str],
    impact: bool,
    html: Path | None,
    force: bool,
    k: int,
) -> None:
    """Find contexts, or what they say of the impact; print them, and write the page."""
    if html:
        check_output(html, inputs=[article, *citing], force=force)
    prepared, passages = ask(article, cites, citing=citing, k=k)
    table = summarise(prepared, passages) if impact else passages
    if html:
        shown = [passages]
        if impact:
            about = "What the article is cited for"
            shown.insert(0, table.assign(citance="summary", citing_sentence=about))
        write_atomically(html, render(prepared.topic.reference, sections_of(pd.concat(shown))))
        print(f"page: {html}", file=sys.stderr)
    notes = [line for note in table.attrs["notes"] for line in wrap("", note)]
    print("\n".join([*notes, *lines_of(table)]).lstrip("\n"))


def sections_of(table: pd.DataFrame) -> Iterator[Section]:
    """Yield what the page shows: a citing sentence, and its passages in the article."""
    for (name, said), rows in table.groupby(["citance", "citing_sentence"], sort=False):
        yield str(name), str(said), {"passage": [*map(Span, rows["start"], rows["end"])]}, {}


def lines_of(table: pd.DataFrame) -> Iterator[str]:
    """Yield lines for the terminal: passages below their citing sentence, or a summary."""
    if "chosen_by" in table:
        yield ""
    for row in table.to_dict("records"):
        head = f"   {row['rank']}  "
        if "citance" in row:
            head += f"{row['score']:.2f}  "
            if row["rank"] == 1:
                said = f"“{row['citing_sentence']}”"
                yield from ["", *wrap(f"{row['citance']}  ", said)]
        section = f"[{row['section']}] " if row["section"] else ""
        yield from wrap(head, section + row["text"])
        if row.get("chosen_by"):
            yield from wrap(" " * len(head), f"chosen by {', '.join(row['chosen_by'])}")


def wrap(head: str, text: str) -> list[str]:
    r"""Wrap a text behind its head; nothing in it moves the cursor or changes colours.

    >>> wrap("1 ", "a\x1b[31mb")
    ['1 a [31mb']
    """
    width = min(shutil.get_terminal_size((WIDTH, 24)).columns, WIDTH)
    plain = "".join(c if c.isprintable() else " " for c in text)
    indent = " " * len(head)
    return textwrap.wrap(plain, width, initial_indent=head, subsequent_indent=indent)
