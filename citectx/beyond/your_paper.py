"""Your own paper: which passages citing sentences are about, and what the paper is cited for.

>>> from citectx.paths import ROOT
>>> article = ROOT / "docs" / "your-paper" / "article.xml"
>>> table = contexts(article, ["Eggs in dim light hatch after nine days (Doe, 2001)."], k=1)
>>> table["section"][0], table["text"][0][:36]
('Abstract', 'Eggs kept in dim light hatched after')
"""

import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from citectx.beyond.calibration import Scale
from citectx.beyond.citing_articles import Citing, search_all
from citectx.beyond.ltr import LTR
from citectx.beyond.reading.articles import read_article
from citectx.beyond.reading.citing import with_sentences
from citectx.beyond.reading.references import Work
from citectx.corpora.model import Citance, Topic
from citectx.corpora.text_files import squeeze
from citectx.errors import DataError, ParameterError
from citectx.experiments.contextualization import Prepared, Protocol
from citectx.language.citation_contexts import citation_contexts
from citectx.language.spans import best_first
from citectx.language.text import SentenceSplitter
from citectx.show.viewer import Section, render
from citectx.storage import check_output, write_atomically
from citectx.summarization.impact import Background, CitedPaper, ImpactModel
from citectx.types import Floats, Span

COLUMNS = "citance citing citing_sentence rank score share section start end text".split()
FEW = 3
"""With fewer citing sentences, an impact summary holds only what they are about."""
WIDTH = 100
"""The widest line in the terminal, in characters."""


def contexts(
    article: Path | str,
    citances: Iterable[str] = (),
    *,
    k: int = 3,
    citing: Iterable[Path | str] = (),
    jobs: int = 1,
) -> pd.DataFrame:
    """Find the k passages of an article that each citing sentence is most probably about.

    Articles are JATS or TEI; more citing sentences are looked for in the `citing` ones, files or
    folders. The table has the columns `COLUMNS`: the score is the chance that a passage is right,
    the share says in words how often such passages were, and offsets count characters of the
    article's text. ``attrs["notes"]`` tells how citing sentences were found.

    >>> from citectx.paths import ROOT
    >>> desk = ROOT / "docs" / "your-paper"
    >>> passages = contexts(desk / "article.xml", citing=[desk / "citing-review.xml"])
    >>> passages.loc[0, ["citance", "section"]].tolist()
    ['citing-review:3', 'Abstract']
    """
    return ask(article, citances, k=k, citing=citing, jobs=jobs).passages


def impact(
    article: Path | str,
    citances: Iterable[str] = (),
    *,
    citing: Iterable[Path | str] = (),
    sentences: int = 5,
    jobs: int = 1,
) -> pd.DataFrame:
    """Summarise what an article is cited for, in its own sentences; see `contexts`.

    The table tells which citances chose a sentence: it is among their passages.

    Source: acl2008, `ImpactModel` with the setting of its Table 1, on two sentences around each
    citing one. All citing articles weigh the same, because their authority is unknown. Citances
    without their article have no neighbours.
    Ambiguity: p(w|D) is to come from all papers at hand; here these are the article and those that
    cite it.

    >>> from citectx.paths import ROOT
    >>> desk = ROOT / "docs" / "your-paper"
    >>> summary = impact(desk / "article.xml", citing=[desk / "citing-review.xml"], sentences=3)
    >>> summary["section"].tolist()[0]
    'Results'
    """
    answer = ask(article, citances, citing=citing, jobs=jobs)
    return summarise(answer.prepared, answer.passages, sentences)


class Answer(NamedTuple):
    """An article with its citing sentences, their passages, and what cites it."""

    prepared: Prepared
    passages: pd.DataFrame
    citing: Citing
    work: Work


def ask(
    article: Path | str,
    citances: Iterable[str] = (),
    *,
    citing: Iterable[Path | str] = (),
    k: int = 3,
    jobs: int = 1,
) -> Answer:
    """Find passages as `contexts` does; note a citing article that cannot be read."""
    own = read_article(article)
    document = with_sentences(own)
    # a single sentence is no list of letters
    given = [citances] if isinstance(citances, str) else citances
    usable = [Citance(str(i), "", squeeze(text)) for i, text in enumerate(given, 1)]
    if empty := [citance.citance_id for citance in usable if not citance.text]:
        raise ParameterError(f"citing sentence {empty[0]} is empty; write what cites the article")
    found = search_all(citing, own.work, Path(article), jobs=jobs)
    usable += found.citances
    notes = [f"{document.doc_id}: {note}" for note in own.notes] + found.notes
    if not usable:
        why = "; ".join(notes) or "name some, or articles that cite this one"
        raise DataError(f"no citing sentence: {why}", file=document.doc_id)
    topic = Topic(document.doc_id, document, tuple(usable), found.texts)
    prepared = Prepared(topic, topic.citances, SentenceSplitter(), Protocol(k=k))
    if foreign := without_common_words(prepared):
        named = ", ".join(foreign)
        notes.append(
            f"{document.doc_id}: it has no word of citing sentence {named}; "
            "sections and lengths alone choose passages"
        )
    return Answer(prepared, finish(find_passages(prepared), notes), found, own.work)


def without_common_words(prepared: Prepared) -> list[str]:
    """Name the citances of which the article has no word."""
    held = prepared.index.vocabulary.keys()
    asked = zip(prepared.citances, prepared.queries, strict=True)
    return [citance.citance_id for citance, query in asked if held.isdisjoint(query.weights)]


def sentences_of(prepared: Prepared) -> pd.DataFrame:
    """Tabulate the sentences that may be chosen: columns section, start, end, text."""
    sentences = prepared.candidates.sentences
    frame = pd.DataFrame(sentences.spans)
    frame.insert(0, "section", [block.heading for block in sentences.blocks])
    return frame.assign(text=sentences.texts())


def find_passages(prepared: Prepared) -> pd.DataFrame:
    """Tabulate the most probable sentences of each citance: columns `COLUMNS`."""
    sentences = sentences_of(prepared)
    scale = Scale.load()
    chances = scale.chances(prepared.scores(LTR.load()))  # (citances, sentences)
    rows = []
    for citance, row in zip(prepared.citances, chances, strict=True):
        said = citance.citance_id, citance.citing_id, citance.text
        best = best_first(row)[: prepared.protocol.k]
        for rank, i in enumerate(best, 1):
            rows.append((*said, rank, row[i], scale.words(row[i]), *sentences.iloc[i]))
    return pd.DataFrame(rows, columns=COLUMNS)


def summarise(prepared: Prepared, passages: pd.DataFrame, sentences: int = 5) -> pd.DataFrame:
    """Write the impact summary: see `impact`."""
    # a sentence is known by where it starts
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
    # two sentences on either side of each citing one
    around = citation_contexts(topic, SentenceSplitter())
    sentences = prepared.candidates.sentences
    return ImpactModel().scores(CitedPaper.of(sentences, around, background, analyzer))


def cmd_contexts(
    article: Path,
    citing: Sequence[Path],
    cites: Sequence[str],
    impact: bool,
    html: Path | None,
    csv: Path | None,
    force: bool,
    k: int,
    jobs: int,
) -> None:
    """Find contexts, or what they say of the impact; print them, and write the page."""
    if files := [text for text in cites if os.path.isfile(text)]:  # noqa: PTH113 - text may be long
        raise ParameterError(f"{files[0]} is a file; --cites takes sentences, --citing articles")
    for path in filter(None, (html, csv)):
        check_output(path, inputs=[article, *citing], force=force)
    answer = ask(article, cites, citing=citing, k=k, jobs=jobs)
    table = passages = answer.passages
    if csv:
        who = answer.citing.table(passages)
        write_atomically(csv, who.to_csv(index=False, lineterminator="\n"))
        print(f"table: {csv}", file=sys.stderr)
    sections = [*sections_of(passages)]
    if impact:
        table = summarise(answer.prepared, passages)
        what = "What the article is cited for"
        summary = table.assign(citance="summary", citing_sentence=what)
        sections = [*sections_of(summary), *sections]
    if html:
        page = render(answer.prepared.topic.reference, sections, answer.work.title)
        write_atomically(html, page)
        print(f"page: {html}", file=sys.stderr)
    notes = [line for note in table.attrs["notes"] for line in wrap("", note)]
    print("\n".join([*notes, *lines_of(table)]).lstrip("\n"))


def sections_of(table: pd.DataFrame) -> Iterator[Section]:
    """Yield what the page shows: a citing sentence, and its passages in the article."""
    for (name, said), rows in table.groupby(["citance", "citing_sentence"], sort=False):
        found = {}
        for row in rows.to_dict("records"):
            section = [f"section {row['section']}"] if row["section"] else []
            label = ", ".join([f"passage {row['rank']}", *section, *remarks(row)])
            found[label] = [Span(row["start"], row["end"])]
        yield str(name), str(said), found, {}


def remarks(row: Mapping[Any, Any]) -> list[str]:
    """Say how often passages like this one are right, or which citances chose it."""
    if "share" in row:
        return [f"{row['share']} is right"]
    return [f"chosen by {', '.join(row['chosen_by'])}"] if row["chosen_by"] else []


def lines_of(table: pd.DataFrame) -> Iterator[str]:
    """Yield lines for the terminal: passages below their citing sentence, or a summary."""
    for row in table.to_dict("records"):
        if row["rank"] == 1:
            yield ""
            if "citance" in row:
                yield from wrap(f"{row['citance']}  ", f"“{row['citing_sentence']}”")
        head = f"   {row['rank']}  "
        section = f"[{row['section']}] " if row["section"] else ""
        yield from wrap(head, section + row["text"])
        for remark in remarks(row):
            yield from wrap(" " * len(head), remark)


def wrap(head: str, text: str) -> list[str]:
    r"""Wrap a text behind its head; nothing in it moves the cursor or changes colours.

    >>> wrap("1 ", "a\x1b[31mb")
    ['1 a [31mb']
    """
    width = min(shutil.get_terminal_size((WIDTH, 24)).columns, WIDTH)
    plain = "".join(c if c.isprintable() else " " for c in text)
    indent = " " * len(head)
    return textwrap.wrap(plain, width, initial_indent=head, subsequent_indent=indent)
