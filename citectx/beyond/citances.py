"""The sentences of an article that cite each of its references: ``citectx citances``."""

from pathlib import Path

import pandas as pd

from citectx.beyond.citing_articles import named
from citectx.beyond.reading.articles import read_article
from citectx.beyond.reading.citing import SENTENCE_KINDS, Citations, in_sentences, with_sentences
from citectx.language.text import SentenceSplitter

COLUMNS = "reference identifiers title sentence section marker note".split()


def citances(article: Path | str) -> pd.DataFrame:
    """Tabulate which sentences of an article cite each of its references: columns `COLUMNS`.

    A reference that no sentence cites has one row, without a sentence. The note says where another
    reference has the same names and year.
    """
    read = read_article(article)
    sentences = SentenceSplitter().sentences(with_sentences(read), SENTENCE_KINDS)
    texts = sentences.texts()
    citations = Citations(read)
    rows = []
    for entry in read.entries:
        about = entry.label, named(entry.work), entry.work.title
        found = [*in_sentences(citations.of([entry]), sentences.spans)]
        for i, place in found:
            marker = place.span.of(read.document.text)
            note = "another reference has the same names and year" if place.is_unsure else ""
            rows.append((*about, texts[i], sentences.blocks[i].heading, marker, note))
        if not found:
            rows.append((*about, "", "", "", "no sentence cites it"))
    return pd.DataFrame(rows, columns=COLUMNS)


def cmd_citances(article: Path) -> None:
    """Print the table as CSV."""
    print(citances(article).to_csv(index=False, lineterminator="\n"), end="")
