"""From a citation to a query: the sentences around it, without anything that tells what is cited.

What we saw in the 2,420 marks of Citation-Integrity: most are one number of a bracketed group, some are glued
to a word (``described31338``, where 38 is the mark and 313 another), some are the year behind names that are
not marked.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args

import numpy as np

from citectx.corpora.fulltext import CitationMark
from citectx.corpora.model import Document, Finding
from citectx.errors import ParameterError, unknown
from citectx.language.text import citation_markers, stop_words
from citectx.recommendation.collection import LabelledText, words
from citectx.types import Span

PLACEHOLDER = "⟦⟧"
"""What stands where a citation was; it holds no letter or digit, so that no term comes of it."""

Stop = Literal["duma", "function", "english", "none"]

_DUMA = frozenset("the and or not of to from by with a an in".split())


@dataclass(frozen=True)
class QueryBuilder:
    """How the surroundings of a citation become a query.

    Parameters
    ----------
    before, after : int
        Sentences on either side of the one that cites.
    across_paragraphs : bool
        Whether these may stand in another paragraph.
    stop : {"duma", "function", "english", "none"}
        Terms to leave out: the twelve of the authors' public code, or a list of
        `citectx.language.text.stop_words`.
    numbers : bool
        Keep terms that start with a digit.
    distinct : bool
        Whether a term that occurs twice counts once.

    Notes
    -----
    Source: lrec2016 §4 (one sentence before, one after; terms that are not in a short list of stop words).
    Ambiguity: the list is not printed; eleven words are known from the public code and we add "in".
    Ambiguity: the paper does not say whether a context may leave its paragraph; the public code's does.
    Ambiguity: the paper speaks of each distinct token; the public code is not clear about it.
    """

    before: int = 1
    after: int = 1
    across_paragraphs: bool = True
    stop: Stop = "duma"
    numbers: bool = False
    distinct: bool = True

    def __post_init__(self) -> None:
        if self.stop not in get_args(Stop):
            raise unknown("list of stop words", self.stop, get_args(Stop))
        if min(self.before, self.after) < 0:
            raise ParameterError(f"before and after cannot be negative: {self.before}, {self.after}")

    def terms(self, text: str) -> tuple[str, ...]:
        """Return the terms of a text in which no marker is left.

        >>> QueryBuilder().terms("The arrest of 12 cells and the arrest of p53")
        ('arrest', 'cells', 'p53')
        """
        stop = _DUMA if self.stop == "duma" else stop_words(self.stop)
        kept = [w for w in words(text) if w not in stop and (self.numbers or not w[0].isdigit())]
        return tuple(dict.fromkeys(kept)) if self.distinct else tuple(kept)


class Citation(NamedTuple):
    """A citation whose target can be recommended.

    Parameters
    ----------
    citing_id, target_id : str
    kind : str
        Class of the sentence that cites.
    terms : tuple of str
        The query.
    place : int
        Where the marker starts in the citing article.
    """

    citing_id: str
    target_id: str
    kind: str
    terms: tuple[str, ...]
    place: int


@dataclass(frozen=True)
class Citations:
    """The citations of a collection, and how many were left out for which reason."""

    citations: tuple[Citation, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()

    def __len__(self) -> int:
        return len(self.citations)


def by_kind(
    citations: Iterable[Citation], limit: int | None = None, seed: int = 0
) -> dict[str, tuple[Citation, ...]]:
    """Group citations by class, in order.

    Parameters
    ----------
    citations : iterable of Citation
    limit : int, optional
        Draw so many of a class that has more.
        Ambiguity: lrec2016 §6 takes at most 700 citations of a class, without saying which; we draw them over
        all citing articles.
    seed : int
    """
    groups: dict[str, list[Citation]] = {}
    for citation in citations:
        groups.setdefault(citation.kind, []).append(citation)
    rng = np.random.default_rng(seed)
    for kind, group in sorted(groups.items()):
        if limit is not None and len(group) > limit:
            groups[kind] = [group[i] for i in np.sort(rng.permutation(len(group))[:limit])]
    return {kind: tuple(group) for kind, group in sorted(groups.items())}


def conceal(text: str, marks: Sequence[Span]) -> str:
    """Replace known markers, and whatever else looks like one, by the same placeholder.

    Parameters
    ----------
    text : str
    marks : sequence of Span
        Known markers.

    Examples
    --------
    >>> conceal("As described31338, p53 of Doe et al. rests [3, 4].", [Span(15, 17)])
    'As described ⟦⟧ ⟦⟧ , p53 of ⟦⟧ rests ⟦⟧ .'
    """
    text = _replace(text, [*citation_markers(text), *(Span(a, b) for a, b in marks if a < b)])
    text = _replace(text, citation_markers(text))
    return " ".join(text.split())


def _replace(text: str, spans: Sequence[Span]) -> str:
    pieces, last = [], 0
    for start, end in sorted(spans):
        if start >= last:
            pieces.append(text[last:start])
        if not pieces or pieces[-1] != f" {PLACEHOLDER} ":
            pieces.append(f" {PLACEHOLDER} ")
        last = max(last, end)
    return "".join([*pieces, text[last:]])


def context(
    document: Document, labels: LabelledText, marks: Sequence[Span], sentence: int, builder: QueryBuilder
) -> str:
    """Return the text around a citing sentence, without markers.

    Parameters
    ----------
    document : Document
        The citing article.
    labels : LabelledText
        Its sentences.
    marks : sequence of Span
        All its known markers.
    sentence : int
        Number of the sentence that cites.
    builder : QueryBuilder
    """
    first, last = max(0, sentence - builder.before), min(len(labels.spans) - 1, sentence + builder.after)
    own = _paragraph(document, labels.spans[sentence])
    pieces = []
    for i in range(first, last + 1):
        start, end = labels.spans[i]
        if builder.across_paragraphs or _paragraph(document, labels.spans[i]) == own:
            inside = [
                Span(max(a, start) - start, min(b, end) - start) for a, b in marks if a < end and b > start
            ]
            pieces.append(conceal(document.text[start:end], inside))
    return " ".join(pieces)


def _paragraph(document: Document, span: Span) -> int:
    return bisect_right([block.start for block in document.blocks], span.start)


def citations(
    marks: Sequence[CitationMark],
    citing: Sequence[Document],
    labels: Mapping[str, LabelledText],
    targets: Sequence[str],
    builder: QueryBuilder | None = None,
) -> Citations:
    """Turn citation marks into queries.

    Parameters
    ----------
    marks : sequence of CitationMark
    citing : sequence of Document
    labels : mapping of str to LabelledText
        Sentences of the citing articles.
    targets : sequence of str
        Articles that can be recommended.
    builder : QueryBuilder, optional

    Returns
    -------
    Citations
        With counts of those left out: the target is not in the collection, the mark stands in no labelled
        sentence (a table, back matter), or no term is left.
    """
    builder = builder or QueryBuilder()
    known, documents = set(targets), {d.doc_id: d for d in citing}
    spans: dict[str, list[Span]] = {}
    for mark in marks:
        spans.setdefault(mark.citing_id, []).append(mark.span)
    kept: list[Citation] = []
    findings: list[Finding] = []
    for mark in marks:
        own = labels.get(mark.citing_id)
        sentence = None if own is None else _sentence_at(own.spans, mark.span.start)
        terms: tuple[str, ...] = ()
        if own is not None and sentence is not None:
            around = context(documents[mark.citing_id], own, spans[mark.citing_id], sentence, builder)
            terms = builder.terms(around)
        reason = _reason(mark.target_id in known, sentence is not None, bool(terms))
        if reason:
            findings.append(Finding(mark.citing_id, None, "skipped", f"{mark.target_id}: {reason}"))
        elif own is not None and sentence is not None:
            kept.append(
                Citation(mark.citing_id, mark.target_id, own.classes[sentence], terms, mark.span.start)
            )
    left_out = Counter(f.message.partition(": ")[2] for f in findings)
    return Citations(tuple(kept), dict(sorted(left_out.items())), tuple(findings))


def _reason(known: bool, placed: bool, asks: bool) -> str:
    if not known:
        return "target outside the collection"
    if not placed:
        return "not in a labelled sentence"
    return "" if asks else "empty query"


def _sentence_at(spans: Sequence[Span], place: int) -> int | None:
    i = bisect_right([start for start, _ in spans], place) - 1
    return i if i >= 0 and place < spans[i].end else None
