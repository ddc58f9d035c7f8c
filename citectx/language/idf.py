"""How rare words are in a field: document frequencies kept in the repository."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Self

from citectx.corpora.text_files import read_text
from citectx.errors import unknown
from citectx.language.text import Analyzer
from citectx.paths import DATA
from citectx.storage import to_gzip

FOLDER = DATA / "idf"
DOMAINS = ("biomedical", "computational-linguistics")
"""Fields that have a list."""

HALF = "computational-linguistics-half"
"""A list from one half of ScisummNet, for the papers of the other half."""

GENERAL = "general"
"""A list from a sample of Wikipedia, to tell the words of a field from everyday words."""

ANALYZER = Analyzer(stop_words="none")
"""Words are counted as they are spelled, in lower case; parts of hyphenated words separately."""


@dataclass(frozen=True)
class Idf:
    """Inverse document frequency of words, ln(N / df).

    `documents` is N and `frequencies` holds df. Words in fewer than `least` documents are not
    listed and count as occurring in that many.

    Source: naacl2015 §2.3.4. Ambiguity: the paper gives neither the logarithm nor a smoothing. We
    take the natural one without smoothing: its threshold of 2.5 then drops words in more than 8.2 %
    of the documents; with base 10, those in more than 0.3 %.
    """

    documents: int
    frequencies: Mapping[str, int]
    least: int = 1

    @classmethod
    def of(cls, texts: Iterable[str], least: int = 1) -> Self:
        """Count the documents in which each word occurs.

        >>> Idf.of(["Cells rest.", "Cells die, cells rest.", "Nothing rests."], least=2).frequencies
        {'cells': 2, 'rest': 2}
        """
        counts: Counter[str] = Counter()
        documents = 0
        for text in texts:
            counts.update(set(ANALYZER(text)))
            documents += 1
        listed = {word: n for word, n in sorted(counts.items()) if n >= least}
        return cls(documents, listed, least)

    def __getitem__(self, word: str) -> float:
        df = self.frequencies.get(word, self.least)
        return math.log(self.documents / df)

    @cached_property
    def _pairs(self) -> int:
        """Pairs of a listed word and a document that contains it."""
        return sum(self.frequencies.values())

    def share(self, word: str) -> float:
        """Return a word's share of all pairs of a word and a document that contains it."""
        return self.frequencies.get(word, self.least) / self._pairs

    def to_bytes(self) -> bytes:
        r"""Return the list as gzipped TSV; `read` is the inverse.

        >>> import gzip
        >>> gzip.decompress(Idf(3, {"rest": 2}).to_bytes())
        b'documents\t3\tleast\t1\nrest\t2\n'
        """
        rows = [f"documents\t{self.documents}\tleast\t{self.least}"]
        rows += [f"{word}\t{count}" for word, count in sorted(self.frequencies.items())]
        return to_gzip(("\n".join(rows) + "\n").encode())

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read what `to_bytes` returned."""
        lines = read_text(path).splitlines()
        head, *rows = (line.split("\t") for line in lines)
        _, documents, _, least = head
        return cls(int(documents), {word: int(count) for word, count in rows}, int(least))


@lru_cache(maxsize=4)
def open_idf(domain: str) -> Idf:
    """Read the list of a field, one of `DOMAINS`, `HALF` or `GENERAL`."""
    if domain not in (*DOMAINS, HALF, GENERAL):
        raise unknown("domain", domain, (*DOMAINS, HALF, GENERAL))
    return Idf.read(FOLDER / f"{domain}.tsv.gz")
