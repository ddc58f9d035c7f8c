"""A corpus as tables in Parquet, with a card that says what they are and under which licence.

`pandas.read_parquet` reads a table, and ``datasets.load_dataset(FOLDER, "citances")`` of Hugging
Face too: the card names the tables to it.

>>> from citectx.profiles import load
>>> found = tables(load("teaching"))
>>> len(found["citances"])
40
>>> found["annotations"].columns.tolist()
['topic', 'citance', 'annotator', 'facet', 'start', 'end', 'text']
"""

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from citectx import __version__, storage
from citectx.corpora.model import Corpus
from citectx.corpora.sources import registry, source
from citectx.errors import MissingDataError, ParameterError
from citectx.experiments.contextualization import splitter_of
from citectx.profiles import load

CARD = "README.md"

_SCISUMM = ("scisumm-train", "scisumm-gold", "scisumm-test", "scisummnet")
SOURCES = {
    "citation-integrity": "citation-integrity-annotations",
    "citation-integrity-2024": "citation-integrity-2024-articles",
    **dict.fromkeys(_SCISUMM, "scisumm-corpus"),
}
"""Where the open corpora come from."""

ABOUT = {
    "topics": "the reference articles, a row each",
    "citances": "citing passages, with their places in the citing article where known",
    "annotations": "what annotators marked in the reference article, a row for each passage; "
    "without offsets where one found nothing",
    "sentences": "the sentences of the reference articles that may be retrieved",
    "summaries": "reference summaries",
}
"""What the tables hold. Offsets count characters from 0; the end is exclusive."""


WHOLE = ("sentence", "start", "end")
"""Columns of whole numbers."""


def tables(corpus: Corpus) -> dict[str, pd.DataFrame]:
    """Tabulate a corpus, see `ABOUT`."""
    made: dict[str, tuple[Callable[[Corpus], Iterator[tuple[Any, ...]]], str]] = {
        "topics": (_topics, "topic article text"),
        "citances": (_citances, "topic citance citing text marker start end"),
        "annotations": (_annotations, "topic citance annotator facet start end text"),
        "sentences": (_sentences, "topic sentence start end kind section text"),
        "summaries": (_summaries, "topic name text"),
    }
    found = {}
    for name, (rows, columns) in made.items():
        table = pd.DataFrame(rows(corpus), columns=columns.split())
        kinds = {column: "Int64" if column in WHOLE else "string" for column in columns.split()}
        found[name] = table.astype(kinds)
    return found


def _topics(corpus: Corpus) -> Iterator[tuple[Any, ...]]:
    for topic in corpus:
        yield topic.topic_id, topic.reference.doc_id, topic.reference.text


def _citances(corpus: Corpus) -> Iterator[tuple[Any, ...]]:
    for topic in corpus:
        for c in topic.citances:
            yield topic.topic_id, c.citance_id, c.citing_id, c.text, c.marker, *(c.span or _NONE)


def _annotations(corpus: Corpus) -> Iterator[tuple[Any, ...]]:
    for topic in corpus:
        for citance in topic.citances:
            for a in citance.annotations:
                who = topic.topic_id, citance.citance_id, a.annotator, "; ".join(a.facet)
                for start, end in a.spans:
                    yield *who, start, end, topic.reference.text[start:end]
                if not a.spans:
                    yield *who, *_NONE, None


def _sentences(corpus: Corpus) -> Iterator[tuple[Any, ...]]:
    splitter = splitter_of(corpus)
    for topic in corpus:
        found = splitter.sentences(topic.reference)
        rows = zip(found.spans, found.blocks, found.texts(), strict=True)
        for number, (span, block, text) in enumerate(rows, 1):
            yield topic.topic_id, number, *span, block.kind, block.heading, text


def _summaries(corpus: Corpus) -> Iterator[tuple[Any, ...]]:
    for topic in corpus:
        for name, text in topic.summaries.items():
            yield topic.topic_id, name, text


_NONE = None, None


def licence_of(corpus: str) -> str:
    """Say under which licence the texts of a corpus are."""
    if corpus == "teaching":
        return "CC BY 4.0"
    if corpus in SOURCES:
        return source(SOURCES[corpus]).licence
    if corpus in registry():
        return f"{source(corpus).licence}: these tables must not be passed on"
    return "not known: ask whoever made the corpus"


def card(corpus: Corpus, found: dict[str, pd.DataFrame]) -> str:
    """Describe the tables for people, and for `datasets`."""
    configs = [
        f"- config_name: {name}\n  data_files: {name}.parquet\n"
        for name in found
        if len(found[name])
    ]
    rows = [f"| `{name}` | {len(table):,} | {ABOUT[name]} |\n" for name, table in found.items()]
    return (
        f"---\npretty_name: {corpus.name}\nlanguage: en\nlicense: other\n"
        f"configs:\n{''.join(configs)}---\n\n# {corpus.name}\n\n"
        f"Written by citectx {__version__}. Licence of the texts: {licence_of(corpus.name)}.\n\n"
        f"| table | rows | |\n|---|---:|---|\n{''.join(rows)}\n"
        "Offsets count characters of the article, from 0; the end is exclusive.\n"
    )


def export(corpus: Corpus, folder: Path) -> list[Path]:
    """Write the tables of a corpus and their card.

    Parameters
    ----------
    corpus : Corpus
    folder : Path
        New, empty, or with an earlier export, which is replaced.

    Returns
    -------
    list of Path
        The files.

    Raises
    ------
    ParameterError
        If the folder holds anything else.
    MissingDataError
        If pyarrow is not installed.
    """
    found = tables(corpus)
    files = [folder / f"{name}.parquet" for name in found]
    _claim(folder, {CARD, *(file.name for file in files)})
    try:
        arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise MissingDataError("Parquet needs pyarrow: pip install 'citectx[export]'") from error
    for file, table in zip(files, found.values(), strict=True):
        with storage.replacing(file) as opened:
            parquet.write_table(arrow.Table.from_pandas(table, preserve_index=False), opened)
    storage.write_atomically(folder / CARD, card(corpus, found))
    return [*files, folder / CARD]


def _claim(folder: Path, names: set[str]) -> None:
    """Claim a folder that holds nothing but an earlier export."""
    storage.own_folder(folder)
    others = {path.name for path in folder.iterdir()} - {storage.OURS, *names}
    if others:
        raise ParameterError(f"{folder / min(others)} is of no export; name another folder")


def cmd_export(*, corpus: str, out: Path) -> int:
    """Run ``citectx export``."""
    read = load(corpus)
    written = export(read, out)
    print(f"licence of the texts: {licence_of(read.name)}", file=sys.stderr)
    print(*written, sep="\n")
    return 0
