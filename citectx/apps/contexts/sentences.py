r"""The sentences of anybody's article; a citation behind the full stop closes its sentence.

What we saw in 122 articles of PLOS and five papers of computer science: most cite before the full
stop. Two articles cite behind it throughout ("… rest. [3] However, …", "… rest. [3]" at the end of
a paragraph), as do numbers of notes that GROBID takes for citations, and a splitter gives these to
the sentence that follows. But one article begins sentences with a citation ("[3] showed that …").
What follows tells the two apart.

Only articles with links are read so, or with citations that their text tells: the corpora of the
papers' tables come by other readers and keep the sentences of `SentenceSplitter`.

>>> from citectx.corpora.model import Document
>>> from citectx.corpora.references import Link, Work
>>> text = "Cells rest. [3] However, some divide. [4] saw this."
>>> links = Link(Span(12, 15), ("b3",)), Link(Span(38, 41), ("b4",))
>>> article = Article(Document("Roe", text), Work(), links=links)
>>> [text[slice(*span)] for span in with_sentences(article, SentenceSplitter()).sentences]
['Cells rest. [3]', 'However, some divide.', '[4] saw this.']
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import get_args

from citectx.corpora.model import Block, BlockKind, Document
from citectx.corpora.references import Article
from citectx.language.text import Sentences, SentenceSplitter
from citectx.types import Span

_NUMBER, _NAME = "\x01", "\x02"
"""Characters that stand for those of a link, "3" or "[3]" and "Doe 2001"; XML cannot hold them."""


def _pattern() -> re.Pattern[str]:
    """Compile what a citation behind a full stop looks like: numbers or brackets, or a group.

    What repeats is possessive (``++``) or atomic (``(?>…)``), so that no file makes the search
    slow; possessive groups of alternatives are wrong in Python before 3.11.5.
    """
    between = r"\s*+(?:[,;&–—−‐‑-]|and|to)?\s*+"
    digits = r"\d{1,4}(?!\w)"
    inside = rf"(?:[{_NUMBER}{_NAME}]++|{digits})"
    bracketed = rf"[\[(]\s*+{inside}(?>(?:{between}{inside})*)\s*+[\])]"
    one = rf"(?:{_NUMBER}++|{bracketed})"
    group = rf"{one}(?>(?:{between}{one}|[,–-]{digits})*)"
    closing = r"[\"'”’»)\]]*+"
    following = r"\s++[\"'“‘«(\[]?\S|\s*$"
    citations = rf"(?P<space>\s*+){group}{closing}"
    return re.compile(
        rf"[.!?…](?P<closing>{closing})(?P<citations>{citations})(?P<following>{following})"
    )


_BEHIND_STOP = _pattern()
_TIGHT_STOP = re.compile(
    rf"(?:(?<=[{_NUMBER}{_NAME}])|(?<=[{_NUMBER}{_NAME}][\])]))[.!?](?=[^\W\d_]{{2}})"
)
"""A full stop behind a citation, with no space before the next word."""
_WORD = re.compile(r"[^\W\d_]{2}")


def with_sentences(article: Article, splitter: SentenceSplitter) -> Document:
    """Return the document with its sentences, each with the citations behind its full stop.

    Such a citation is a number or stands in brackets, alone or in a group ("[3], [5]–[7]"). It
    belongs to the sentence before if no space is between ("rest.[3]"), as with superscripts, or if
    a capital or a digit follows, or nothing more in the paragraph; before other words, it begins a
    sentence ("[3] showed that …"). Whether the full stop ends a sentence at all is the splitter's
    to say, to whom the paragraph is shown without these citations: that of "et al. [3]" or "Fig.
    [3]" does not. What holds no words but citations is no sentence and joins the one before.

    Parameters
    ----------
    article : Article
    splitter : SentenceSplitter

    Returns
    -------
    Document
        Text and blocks are the same. Without citations, or where sentences are prescribed, it is
        the article's own.
    """
    document = article.document
    cited = [place.span for place in article.links or article.marked]
    if not cited or document.sentences is not None:
        return document
    masked = _masked(document.text, cited)
    shown, later_end = list(document.text), {}
    for block in document.blocks:
        for span in _behind_stops(masked, block):
            shown[slice(*span)] = " " * (span.end - span.start)
            later_end[span.start] = span.end
        for place in _no_stops(masked, block):
            shown[place] = ","
        for place in _tight_stops(masked, block):
            shown[place - 1 : place + 1] = shown[place], " "
            later_end[place] = place + 1
    split = splitter.sentences(replace(document, text="".join(shown)), get_args(BlockKind))
    closed = [Span(start, later_end.get(end, end)) for start, end in split.spans]
    whole = _without_fragments(replace(split, spans=tuple(closed)), masked)
    return replace(document, sentences=tuple(whole))


def _masked(text: str, cited: Sequence[Span]) -> str:
    """Replace each character of a citation by `_NUMBER` or `_NAME`, which patterns can find."""
    masked = list(text)
    for start, end in cited:
        marker = text[start:end]
        bare = marker.startswith(("[", "(")) or not _WORD.search(marker)
        masked[start:end] = (_NUMBER if bare else _NAME) * (end - start)
    return "".join(masked)


def _behind_stops(masked: str, block: Block) -> Iterator[Span]:
    """Find the citations of a block that belong to what is before them, with the space between."""
    for found in _BEHIND_STOP.finditer(masked, block.start, block.end):
        if _cites(found["citations"]) and (_begins(found) or not found["space"]):
            yield Span(*found.span("citations"))


def _no_stops(masked: str, block: Block) -> Iterator[int]:
    """Find the stops in brackets that end nothing, as in "(Table 1.) [3] suggests"."""
    for found in _BEHIND_STOP.finditer(masked, block.start, block.end):
        bracket = {*found["closing"]} & {*")]"}
        if _cites(found["citations"]) and bracket and found["space"] and not _begins(found):
            yield found.start()


def _begins(found: re.Match[str]) -> bool:
    """Return whether what follows a citation begins a sentence, or there is nothing."""
    following = found["following"][-1:].strip()
    return not following or following.isupper() or following.isdecimal()


def _tight_stops(masked: str, block: Block) -> Iterator[int]:
    """Find the stops behind citations that a capital follows at once."""
    for found in _TIGHT_STOP.finditer(masked, block.start, block.end):
        if masked[found.end()].isupper():
            yield found.start()


def _cites(masked: str) -> bool:
    return _NUMBER in masked or _NAME in masked


def _without_fragments(sentences: Sentences, masked: str) -> list[Span]:
    """Join each sentence that holds citations and no words to the one before it in its block."""
    whole: list[Span] = []
    previous: Block | None = None
    for span, block in zip(sentences.spans, sentences.blocks, strict=True):
        own = masked[slice(*span)]
        if block == previous and _cites(own) and not _WORD.search(own):
            whole[-1] = Span(whole[-1].start, span.end)
        else:
            whole.append(span)
        previous = block
    return whole
