"""Sentences with exact offsets, tokens, stop words, stems, and queries without citation markers.

Every function keeps character offsets, because gold spans are characters: a sentence is a `Span` of
the document's text, never a new string.

What we saw in the data: biomedical articles write ``et al.``, ``Fig.``, ``i.e.``, ``vs.``, species
initials (``D. melanogaster``) and decimal numbers, all of which split a sentence where it does not
end; markers come as ``(Doe et al., 2001; Roe, 2002)``, ``Doe and Roe (2001)``, ``[12,14-16]`` and
as bare superscripts glued to a word (``heterogeneity1-3``).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal, Self, get_args

from nltk.stem.porter import PorterStemmer
from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer, PunktTrainer

from citectx.corpora.model import Block, BlockKind, Document
from citectx.errors import unknown
from citectx.types import Span


def _words_of(name: str) -> frozenset[str]:
    return frozenset(files(__package__).joinpath(f"{name}.txt").read_text("utf-8").split())


ABBREVIATIONS = _words_of("abbreviations")
"""Abbreviations that science writes; Punkt learns the corpus's own on top of them.

Ambiguity: naacl2015 names Punkt but neither its training text nor its abbreviations. We train on
the corpus at hand and add this list, which contains the one in the authors' public code of that
time.
"""

CANDIDATE_KINDS: tuple[BlockKind, ...] = ("abstract", "body", "caption")
"""Blocks whose sentences may be retrieved.

Ambiguity: the papers do not say what of an article is indexed. Titles, headings, tables, references
and back matter are left out, as in the authors' public code; annotators do mark headings now and
then, which no candidate can then reach.
"""

_PIECE = re.compile(r"[^\W_]+")
_TOKEN = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")


class SentenceSplitter:
    """Punkt, trained on the texts at hand.

    What we saw of it on the ten articles of Citation-Integrity: of the abbreviations that it learns
    without supervision, those with a period inside are right (``s.d.``, ``n.s.``), the others are
    mostly acronyms that often end a sentence (VDAC, WAT); and its collocations across any period
    glue true sentences (``aging. Whether``). So the former are kept, the latter not.

    Parameters
    ----------
    texts : iterable of str
        Unlabelled training texts. None are needed; `ABBREVIATIONS` are known in any case.

    Source: naacl2015 §2.1 (Punkt tokenizer).

    Examples
    --------
    >>> splitter = SentenceSplitter()
    >>> text = "Cells die (see Fig. 2). Doe et al. saw it, too."
    >>> [text[s.start:s.end] for s in splitter.split(text)]
    ['Cells die (see Fig. 2).', 'Doe et al. saw it, too.']
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._punkt = _Punkt(_trained(tuple(texts)))

    @classmethod
    def of(cls, documents: Iterable[Document]) -> Self:
        """Train on what may become a candidate: reference lists would only teach initials."""
        return cls(
            d.text[b.start : b.end]
            for d in documents
            for b in d.blocks
            if b.kind in CANDIDATE_KINDS
        )

    def split(self, text: str) -> list[Span]:
        """Split one paragraph into sentences; white space belongs to none of them."""
        return [Span(start, end) for start, end in self._punkt.span_tokenize(text)]

    def sentences(
        self, document: Document, kinds: Sequence[BlockKind] = CANDIDATE_KINDS
    ) -> "Sentences":
        """Sentences of a document with the block of each.

        Boundaries that the release prescribes are kept; else each block is split alone, so that no
        sentence crosses from one paragraph to another.
        """
        spans: list[Span] = []
        blocks: list[Block] = []
        for block in document.blocks:
            if block.kind not in kinds:
                continue
            if document.sentences is None:
                found = self._in_block(document, block)
            else:
                found = [
                    s for s in document.sentences if block.start <= s.start and s.end <= block.end
                ]
            spans.extend(found)
            blocks.extend([block] * len(found))
        return Sentences(document, tuple(spans), tuple(blocks))

    def _in_block(self, document: Document, block: Block) -> list[Span]:
        paragraph = document.text[block.start : block.end]
        spans = [Span(s.start + block.start, s.end + block.start) for s in self.split(paragraph)]
        if len(spans) > 1 and _LABEL.fullmatch(document.text, *spans[0]):
            spans[:2] = [Span(spans[0].start, spans[1].end)]
        return spans


_ENDS = re.compile(r"(?:.*[)\]]|([^\W\d_]{2,}))\.\s+[^\W_].*", re.DOTALL)
"""Word, period and next token where most sentences end: behind a word or a bracket."""


class _Punkt(PunktSentenceTokenizer):  # type: ignore[misc]
    """Punkt with a short cut: in such contexts no rule of Punkt's applies but those for known
    words.

    They are two thirds of all; the boundaries are the same.
    """

    def __init__(self, parameters: PunktParameters) -> None:
        super().__init__(parameters)
        self._known = parameters.abbrev_types | {first for first, _ in parameters.collocations}

    def text_contains_sentbreak(self, text: str) -> bool:
        found = _ENDS.fullmatch(text)
        if found and (found[1] or ".").lower() not in self._known:
            return True
        return bool(super().text_contains_sentbreak(text))


@lru_cache(maxsize=4)  # an experiment prepares the same corpus once for each protocol
def _trained(texts: tuple[str, ...]) -> PunktParameters:
    trainer = PunktTrainer()
    for text in texts:
        trainer.train(text, finalize=False)
    trainer.finalize_training()
    parameters: PunktParameters = trainer.get_params()
    parameters.abbrev_types = {a for a in parameters.abbrev_types if "." in a} | ABBREVIATIONS
    return parameters


_LABEL = re.compile(r"(?:Fig\.?|Figure|Table|Box|Scheme|Video)\s+[\w.]+")
"""The start of a caption; Punkt takes "Figure 1." for a sentence, which would be an empty
candidate."""


@dataclass(frozen=True)
class Sentences:
    """The candidate sentences of a document.

    Parameters
    ----------
    document : Document
    spans : tuple of Span
        In reading order.
    blocks : tuple of Block
        The block of each sentence.
    """

    document: Document
    spans: tuple[Span, ...]
    blocks: tuple[Block, ...]

    def __len__(self) -> int:
        return len(self.spans)

    def texts(self) -> list[str]:
        """The sentences as strings."""
        return [self.document.text[s.start : s.end] for s in self.spans]


StopWords = Literal["english", "function", "none"]


@cache
def stop_words(name: StopWords) -> frozenset[str]:
    """Return a list of stop words by its name.

    ``english`` is scikit-learn's list of 318 words, kept here because importing that library takes
    a second; ``function`` the 33 words that Lucene's English analyser dropped by default; ``none``
    is empty.

    Ambiguity: naacl2015 removes stop words without naming a list; sigir2017 only says that
    preprocessing is the same for all methods.

    >>> "whereas" in stop_words("english"), "whereas" in stop_words("function")
    (True, False)
    """
    if name not in get_args(StopWords):
        raise unknown("list of stop words", name, get_args(StopWords))
    return frozenset() if name == "none" else _words_of(name)


@dataclass(frozen=True)
class Analyzer:
    """From text to terms, the same for articles and citances.

    Parameters
    ----------
    stem : bool
        Porter's stemmer (NLTK's, in the original algorithm's mode).
    stop_words : {"english", "function", "none"}
    split_hyphens : bool
        Index ``p53-mediated`` as two terms.
    numbers : bool
        Keep terms that hold digits only.

    Notes
    -----
    Ambiguity: neither naacl2015 nor sigir2017 mentions stemming, and embeddings are looked up by
    words as they are, so the default is not to stem; no list of stop words is named.
    `sigir2017_protocol` shows what each of these choices does.

    Examples
    --------
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
        stop, words = (
            stop_words(self.stop_words),
            (_PIECE if self.split_hyphens else _TOKEN).findall(text.lower()),
        )
        kept = (
            word for word in words if word not in stop and (self.numbers or not word.isdecimal())
        )
        return map(stem, kept) if self.stem else kept


_STEMMER = PorterStemmer(mode=PorterStemmer.ORIGINAL_ALGORITHM)


@lru_cache(maxsize=1 << 17)
def stem(word: str) -> str:
    """Porter stem of a lower-case word.

    >>> stem("mitochondria"), stem("regulated")
    ('mitochondria', 'regul')
    """
    return str(_STEMMER.stem(word, to_lowercase=False))


_NAME = r"(?:(?:[Vv]an|[Vv]on|[Dd]e|[Dd]el|der|den|[Ll]a|[Ll]e|[Dd]i|[Dd]a)\s+)*[A-Z][\w'’\-]+"
_MORE = (
    rf"(?:,?\s*(?:and|&)\s*{_NAME}|,?\s*et\.?\s*al\.?|,?\s*and\s+co-?workers|,?\s*and\s+colleagues)"
)
_AUTHORS = rf"{_NAME}(?:,\s*{_NAME})*{_MORE}?"
_YEAR = r"(?:1[89]|20)\d\d[a-z]?(?:\s*,\s*[a-z]\b)*"
_YEARS = rf"{_YEAR}(?:\s*[,;]\s*{_YEAR})*"
_NUMBERS = r"\d{1,3}(?:\s*[,;–—-]\s*\d{1,3})*"
_MARKERS = (
    re.compile(rf"{_AUTHORS},?\s*[(\[]\s*{_YEARS}\s*[)\]]"),  # Doe and Roe (2001)
    re.compile(
        rf"[(\[][^()\[\]]*?{_AUTHORS},?\s*{_YEAR}[^()\[\]]*?[)\]]"
    ),  # (Doe, 2001; Roe, 2002)
    re.compile(rf"[(\[]\s*{_YEARS}\s*[)\]]"),  # (2001)
    re.compile(rf"{_NAME}{_MORE},?\s+{_YEAR}\b"),  # Doe et al. 2001, but not "In 2001"
    re.compile(
        rf"\[\s*{_NUMBERS}\s*\]|\(\s*(?:[Rr]efs?\.?\s*)?{_NUMBERS}\s*\)"
    ),  # [3,7-9], (refs. 3, 4)
    re.compile(
        rf"(?<=[a-z]{{4}}){_NUMBERS}(?=[\s.,;:)]|$)|(?<=[a-z)][.,;]){_NUMBERS}(?=\s|$)"
    ),  # word1-3
    re.compile(r"[⁰¹²³⁴-⁹]+(?:[,⁻–-][⁰¹²³⁴-⁹]+)*"),
)
_EMPTIED = re.compile(r"[(\[](?:see|e\.g\.|also|and|cf\.|[\s,;.])*[)\]]")


_ATTRIBUTED = re.compile(
    rf"{_NAME}(?:,?\s*(?:and|&)\s*{_NAME})?,?\s+(?:et\.?\s+al\b\.?|and\s+(?:co-?workers|colleagues))"
)


def citation_markers(text: str) -> list[Span]:
    """Find citation markers, and the authors that a sentence speaks of by name.

    Returns
    -------
    list of Span
        In order; those that overlap or touch are one.

    See Also
    --------
    strip_citation_markers : What the patterns take for a marker.

    Examples
    --------
    >>> text = "As Doe et al. saw [3], p53 rests (Poe, 2004)."
    >>> [text[s.start:s.end] for s in citation_markers(text)]
    ['Doe et al.', '[3]', '(Poe, 2004)']
    """
    found: list[Span] = []
    for start, end in sorted(m.span() for p in (*_MARKERS, _ATTRIBUTED) for m in p.finditer(text)):
        if found and start <= found[-1].end:
            found[-1] = Span(found[-1].start, max(end, found[-1].end))
        else:
            found.append(Span(start, end))
    return found


def strip_citation_markers(text: str, marker: str = "") -> str:
    """Remove citation markers: author and year, numbers in brackets, superscripts.

    Parameters
    ----------
    text : str
    marker : str
        The marker as annotated, removed first wherever it occurs.

    Returns
    -------
    str
        Each marker replaced by one space, so that its neighbours do not fuse.

    Notes
    -----
    Source: naacl2015 §2.3.1. Ambiguity: the paper does not say how markers are found. Patterns can
    go wrong both ways: a superscript is taken for one only behind a lower-case word of four letters
    or behind punctuation, so that ``p53``, ``CD4`` and ``H2O2`` survive; a year needs a name beside
    it or brackets around it.

    Examples
    --------
    >>> strip_citation_markers("As Doe and Roe (2001) saw, p53 [3,7-9] rests (Poe et al., 2004; Moe, 2006).")
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
        text = pattern.sub(" ", text)
    text = _EMPTIED.sub(" ", text)
    return re.sub(r"\s+", " ", text).strip()
