"""Articles that come as lists of sentences, and abstracts whose end no heading marks."""

from collections.abc import Iterable
from dataclasses import replace

from citectx.corpora.model import Block, BlockKind, Document
from citectx.corpora.structure import plain_blocks
from citectx.types import Span

TITLE = "0"
"""The ``sid`` of the sentence that is the title."""

_KINDS: dict[str, BlockKind] = {TITLE: "title", "heading": "heading"}

Section = tuple[str, BlockKind, list[tuple[str, str]]]
"""Heading, kind, and the id and text of each sentence."""


def lay_out(doc_id: str, sections: Iterable[Section]) -> Document:
    """Print sections one below the other; sentences without text leave no trace."""
    text = ""
    blocks: list[Block] = []
    spans, sids = [], []
    for number, (heading, kind, sentences) in enumerate(sections):
        last = ""
        for sid, sentence in [("heading", heading), *sentences]:
            if not sentence:
                continue
            here = _KINDS.get(sid, kind)
            goes_on = here == last == kind
            if text:
                text += " " if goes_on else "\n\n"
            span = Span(len(text), len(text) + len(sentence))
            text += sentence
            if goes_on:
                blocks[-1] = replace(blocks[-1], end=span.end)
            else:
                blocks.append(Block(*span, here, number, heading))
            if here != "heading":
                spans.append(span)
                sids.append(sid)
            last = here
    return Document(doc_id, text, tuple(blocks), tuple(spans), tuple(sids))


def article_blocks(text: str) -> tuple[Block, ...]:
    r"""Find the blocks of an article of Citation-Integrity in plain text.

    As `citectx.corpora.structure.plain_blocks`, but an abstract has one paragraph under each
    heading.

    >>> text = "Rest in cells\n\nAbstract\n\nCells rest.\n\nThat cells rest is old news.\n"
    >>> [(b.kind, text[b.start:b.end]) for b in article_blocks(text)][2:]
    [('abstract', 'Cells rest.'), ('body', 'That cells rest is old news.')]
    """
    blocks = plain_blocks(text)
    firsts = {b.section: b for b in reversed(blocks) if b.kind == "abstract"}
    return tuple(
        replace(block, kind="body", heading="")
        if block.kind == "abstract" and block != firsts[block.section]
        else block
        for block in blocks
    )
