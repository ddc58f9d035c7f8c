"""Sentences with exact offsets, tokens, stop words, stems, and queries without citation markers.

Sentences are `Span`s of the document's text, because gold spans are characters.

What we saw in the data: periods after ``et al.``, ``Fig.``, ``i.e.``, ``vs.``, in species
(``D. melanogaster``) and in decimal numbers do not end a sentence. Markers come as ``(Doe et al.,
2001; Roe, 2002)``, ``Doe and Roe (2001)``, ``[12,14-16]`` and as superscripts glued to a word
(``heterogeneity1-3``).
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, Self

from citectx.corpora.model import Block, BlockKind, Document
from citectx.corpora.text_files import squeeze
from citectx.types import Span, merge


def _words_of(name: str) -> frozenset[str]:
    return frozenset(Path(__file__).with_name(f"{name}.txt").read_text("utf-8").split())


ABBREVIATIONS = _words_of("abbreviations")
"""Abbreviations that science uses. Punkt adds those that it learns from the corpus.

Ambiguity: naacl2015 names Punkt, but neither its training text nor its abbreviations. We train on
the corpus at hand and add this list, which contains the one in the authors' public code of 2015.
"""

CANDIDATE_KINDS: tuple[BlockKind, ...] = ("abstract", "body", "caption")
"""Blocks whose sentences may be retrieved.

Ambiguity: the papers do not say which parts of an article are indexed. We leave out titles,
headings, tables, references and back matter, as the authors' public code does. Annotators do mark
headings occasionally, and no candidate can reach those.
"""

_PIECE = re.compile(r"[^\W_]+")
_TOKEN = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")


class SentenceSplitter:
    """Punkt, trained on the texts at hand, if any; `ABBREVIATIONS` are always known.

    Source: naacl2015 §2.1 (Punkt tokenizer).

    What we saw on the ten articles of Citation-Integrity: among the abbreviations that Punkt
    learns, those with a period inside are right (``s.d.``, ``n.s.``), and we keep only these. The
    others are mostly acronyms that often end a sentence (VDAC, WAT). Collocations across periods,
    which we do not learn, would join sentences (``aging. Whether``).

    >>> splitter = SentenceSplitter()
    >>> text = "Cells die (see Fig. 2). Doe et al. saw it, too."
    >>> [text[s.start:s.end] for s in splitter.split(text)]
    ['Cells die (see Fig. 2).', 'Doe et al. saw it, too.']
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        from nltk.tokenize.punkt import PunktSentenceTokenizer

        self._punkt = PunktSentenceTokenizer(_train(tuple(texts)))

    @classmethod
    def of(cls, documents: Iterable[Document]) -> Self:
        """Train on blocks of `CANDIDATE_KINDS`: reference lists would only teach initials."""
        return cls(
            block.span.of(document.text)
            for document in documents
            for block in document.blocks
            if block.kind in CANDIDATE_KINDS
        )

    def split(self, text: str) -> list[Span]:
        """Split one paragraph into sentences, without the white space between them."""
        return [Span(start, end) for start, end in self._punkt.span_tokenize(text)]

    def sentences(
        self, document: Document, kinds: Sequence[BlockKind] = CANDIDATE_KINDS
    ) -> "Sentences":
        """Return the sentences of a document, each with its block.

        The boundaries of the release are kept, if it has any. Otherwise each block is split on its
        own.
        """
        pairs = [
            (span, block)
            for block in document.blocks
            if block.kind in kinds
            for span in self._in_block(document, block)
        ]
        return Sentences(document, tuple(s for s, _ in pairs), tuple(b for _, b in pairs))

    def _in_block(self, document: Document, block: Block) -> list[Span]:
        start, end = block.span
        if document.sentences is not None:
            # they are in order and do not overlap
            first = bisect_left(document.sentences, (start, start))
            last = bisect_right(document.sentences, end, key=lambda span: span.end)
            return list(document.sentences[first:last])
        spans = [Span(start + a, start + b) for a, b in self.split(document.text[start:end])]
        if len(spans) > 1 and _LABEL.fullmatch(document.text, *spans[0]):
            spans[:2] = [Span.around(spans[:2])]
        return spans


@lru_cache(maxsize=4)  # an experiment prepares the same corpus once for each protocol
def _train(texts: tuple[str, ...]) -> Any:
    """Train Punkt's parameters on texts."""
    from nltk.tokenize.punkt import PunktTrainer

    trainer = PunktTrainer()
    for text in texts:
        trainer.train(text, finalize=False)
    trainer.finalize_training()
    parameters = trainer.get_params()
    parameters.abbrev_types = {w for w in parameters.abbrev_types if "." in w} | ABBREVIATIONS
    return parameters


_LABEL = re.compile(r"(?:Fig\.?|Figure|Table|Box|Scheme|Video)\s+[\w.]+")
"""The start of a caption, which Punkt would take for a sentence ("Figure 1.")."""


@dataclass(frozen=True)
class Sentences:
    """The sentences of a document in reading order, and the block of each sentence."""

    document: Document
    spans: tuple[Span, ...]
    blocks: tuple[Block, ...]

    def __len__(self) -> int:
        return len(self.spans)

    def texts(self) -> list[str]:
        """Return the sentences as strings."""
        return [span.of(self.document.text) for span in self.spans]

    def take(self, which: Iterable[int]) -> "Sentences":
        """Return some of the sentences."""
        places = [*which]
        spans = tuple(self.spans[i] for i in places)
        return Sentences(self.document, spans, tuple(self.blocks[i] for i in places))


StopWords = Literal["english", "function", "none"]


@cache
def stop_words(name: StopWords) -> frozenset[str]:
    """Return a list of stop words by its name.

    ``english`` is scikit-learn's list of 318 words, ``function`` the 33 words that Lucene's English
    analyser dropped by default.

    Ambiguity: naacl2015 removes stop words without naming a list. sigir2017 only says that
    preprocessing is the same for all methods.

    >>> "whereas" in stop_words("english"), "whereas" in stop_words("function")
    (True, False)
    """
    return frozenset() if name == "none" else _words_of(name)


Analysis = Callable[[str], Iterable[str]]
"""Turns a text into its terms; it is an `Analyzer` as a rule."""


@dataclass(frozen=True)
class Analyzer:
    """Turn a text into terms, the same for articles and citances.

    `split_hyphens` makes two terms of ``p53-mediated``. `numbers` keeps terms of digits only.

    Ambiguity: neither naacl2015 nor sigir2017 mentions stemming or names a list of stop words. We
    do not stem by default, because embeddings hold words as they are. `citectx.ledger.readings`
    shows the effect of these choices.

    >>> list(Analyzer()("The p53-mediated arrest of 12 cells (n = 3)"))
    ['p53', 'mediated', 'arrest', 'cells', 'n']
    >>> list(Analyzer(stem=True)("mediated arrests"))
    ['mediat', 'arrest']
    """

    stem: bool = False
    stop_words: StopWords = "english"
    split_hyphens: bool = True
    numbers: bool = False

    def __call__(self, text: str) -> Iterator[str]:
        """Yield the terms of a text in their order."""
        pattern = _PIECE if self.split_hyphens else _TOKEN
        stop = stop_words(self.stop_words)
        for word in pattern.findall(text.lower()):
            if word not in stop and (self.numbers or not word.isdecimal()):
                yield stem(word) if self.stem else word


@lru_cache(maxsize=1 << 17)
def stem(word: str) -> str:
    """Return the Porter stem of a lower-case word."""
    return _stemmer().stem(word, to_lowercase=False)


@cache
def _stemmer() -> Any:
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer(mode=PorterStemmer.ORIGINAL_ALGORITHM)


_PARTICLES = r"(?:(?:[Vv]an|[Vv]on|[Dd]e|[Dd]el|der|den|[Ll]a|[Ll]e|[Dd]i|[Dd]a)\s+)"
_NAME = rf"{_PARTICLES}*[A-Z][\w'’\-]+"
_PAIR = rf",?\s*(?:and|&)\s*{_PARTICLES}*[A-Z][\w'’\-]{{1,40}}"
_ET_AL = r",?\s*et\.?\s*al\.?|,?\s*and\s+co-?workers|,?\s*and\s+colleagues"
_MORE = rf"(?:{_PAIR}|{_ET_AL})"
_AUTHORS = rf"{_NAME}(?:,\s*{_NAME})*{_MORE}?"
_YEAR = r"(?:1[89]|20)\d\d[a-z]?(?:\s*,\s*[a-z]\b)*"
_YEARS = rf"{_YEAR}(?:\s*[,;]\s*{_YEAR})*"
_NUMBERS = r"\d{1,3}(?:\s*[,;–—-]\s*\d{1,3})*"
_SUPERSCRIPT = "[⁰¹²³⁴-⁹]+"
_MARKERS = (
    # Doe and Roe (2001)
    rf"{_AUTHORS},?\s*[(\[]\s*{_YEARS}\s*[)\]]",
    # (Doe, 2001; Roe, 2002)
    rf"[(\[][^()\[\]]*?[A-Z][\w'’\-]+(?:{_ET_AL})?,?\s*{_YEAR}[^()\[\]]*[)\]]",
    # (2001)
    rf"[(\[]\s*{_YEARS}\s*[)\]]",
    # Doe et al. 2001, but not "In 2001"
    rf"{_NAME}{_MORE},?\s+{_YEAR}\b",
    # [3,7-9], (refs. 3, 4)
    rf"\[\s*{_NUMBERS}\s*\]|\(\s*(?:[Rr]efs?\.?\s*)?{_NUMBERS}\s*\)",
    # word1-3
    rf"(?<=[a-z]{{4}}){_NUMBERS}(?=[\s.,;:)]|$)|(?<=[a-z)][.,;]){_NUMBERS}(?=\s|$)",
    rf"{_SUPERSCRIPT}(?:[,⁻–-]{_SUPERSCRIPT})*",
)
_ATTRIBUTED = rf"{_NAME}(?:{_PAIR})?,?\s+(?:et\.?\s+al\b\.?|and\s+(?:co-?workers|colleagues))"


def citation_markers(text: str) -> list[Span]:
    """Find citation markers and authors mentioned by name; those that overlap or touch are joined.

    >>> text = "As Doe et al. saw [3], p53 rests (Poe, 2004)."
    >>> [text[s.start:s.end] for s in citation_markers(text)]
    ['Doe et al.', '[3]', '(Poe, 2004)']
    """
    patterns = (*_MARKERS, _ATTRIBUTED)
    matches = (match for pattern in patterns for match in re.finditer(pattern, text))
    return list(merge(match.span() for match in matches))


def strip_citation_markers(text: str, marker: str = "") -> str:
    """Remove citation markers: author and year, numbers in brackets, superscripts.

    The marker as annotated is removed first, wherever it occurs.

    Source: naacl2015 §2.3.1. Ambiguity: the paper does not say how it finds markers. We use
    patterns. A number is a superscript only after a lower-case word of four letters or after
    punctuation (not in ``p53``, ``CD4``, ``H2O2``). A year needs a name beside it or brackets.

    >>> strip_citation_markers("As Roe (2001) saw, p53 [3,7-9] rests (Poe, 2004; Moe, 2006).")
    'As saw, p53 rests .'
    >>> strip_citation_markers("marked heterogeneity1-3 of CD4 cells in 1998", marker="1-3")
    'marked heterogeneity of CD4 cells in 1998'
    """
    bare = marker.strip()
    if bare[:1] + bare[-1:] in ("()", "[]"):
        bare = bare[1:-1]
    if bare:
        text = re.sub(rf"(?<![A-Z\d]){re.escape(bare)}(?!\d)", " ", text)
    for pattern in _MARKERS:
        text = re.sub(pattern, " ", text)
    text = re.sub(r"[(\[](?:see|e\.g\.|also|and|cf\.|[\s,;.])*[)\]]", " ", text)
    return squeeze(text)
