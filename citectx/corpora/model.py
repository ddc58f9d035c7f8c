"""The model of a corpus: topics with a reference article, citances and annotated spans.

All offsets count characters of a document's text, 0-based, end-exclusive.

>>> article = Document("ref", "Cells divide. They also rest.")
>>> marked = Annotation("A", (Span(14, 29),))
>>> citance = Citance("1", "citing", "Cells rest (Doe).", marker="Doe", annotations=(marked,))
>>> topic = Topic("T1", article, (citance,))
>>> [article.text[s.start:s.end] for s in topic.citances[0].gold["A"]]
['They also rest.']
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Literal

import pandas as pd

from citectx.errors import DataError, look_up
from citectx.types import Span

BlockKind = Literal[
    "title", "heading", "abstract", "body", "caption", "table", "references", "back"
]
"""What a stretch of an article is; candidates come from abstract, body and caption only."""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading, table ... of an article, and the heading of its section.

    Sections are numbered; candidate spans never cross from one section to another.
    """

    start: int
    end: int
    kind: BlockKind
    section: int = 0
    heading: str = ""

    @property
    def span(self) -> Span:
        """Its place in the text."""
        return Span(self.start, self.end)


@dataclass(frozen=True)
class Document:
    """An article: its text, its structure, and sentences where the release prescribes them.

    Blocks are in order and do not overlap; without any, the whole text is one body block. Where
    `sentences` is None, `citectx.language.text` splits. Prescribed sentences may have an id each
    (CL-SciSumm's ``sid``).
    """

    doc_id: str
    text: str
    blocks: tuple[Block, ...] = ()
    sentences: tuple[Span, ...] | None = None
    sentence_ids: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        size = len(self.text)
        if not self.blocks and self.text:
            # frozen, but not yet seen by anybody
            object.__setattr__(self, "blocks", (Block(0, size, "body"),))
        blocks = [block.span for block in self.blocks]
        for kind, spans in (("block", blocks), ("sentence", self.sentences or ())):
            # in order and apart: each begins where the last one ended, or later
            last = 0
            for start, end in spans:
                if not last <= start < end <= size:
                    raise DataError(
                        f"{kind} {start}-{end} is empty, overlaps the one before it, "
                        f"or lies outside the text (0-{size})",
                        file=self.doc_id,
                    )
                last = end

    @cached_property
    def sentence_spans(self) -> dict[str, Span]:
        """Prescribed sentences by their id; empty where the release has none."""
        return dict(zip(self.sentence_ids or (), self.sentences or (), strict=False))


@dataclass(frozen=True)
class Annotation:
    """The evidence that one annotator marked for one citance, empty where they found none."""

    annotator: str
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class Citance:
    """A citing passage, which is the query, and the evidence that annotators marked for it.

    Its id is unique within its topic. `citing_id` is a key of `Topic.citing` where the release
    ships the citing document; `span` and `marker_span` are places in it. The marker is as printed,
    "" if unknown. There is at most one annotation per annotator, in order of their names.
    """

    citance_id: str
    citing_id: str
    text: str
    marker: str = ""
    span: Span | None = None
    marker_span: Span | None = None
    annotations: tuple[Annotation, ...] = ()

    @property
    def gold(self) -> dict[str, tuple[Span, ...]]:
        """Evidence by annotator, without those who marked none."""
        return {a.annotator: a.spans for a in self.annotations if a.spans}


@dataclass(frozen=True, repr=False)
class Topic:
    """One reference article and the citances of it.

    `citing` holds the citing documents that the release ships. Reference summaries are named by an
    annotator's letter, or "human", "community", "abstract".
    """

    topic_id: str
    reference: Document
    citances: tuple[Citance, ...]
    citing: Mapping[str, Document] = field(default_factory=dict)
    summaries: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        size = len(self.reference.text)
        seen: set[str] = set()
        for citance in self.citances:
            name = citance.citance_id
            annotations = citance.annotations
            # one annotation per annotator: the set of names is as long as the list
            if name in seen or len({a.annotator for a in annotations}) < len(annotations):
                raise DataError(
                    f"citance {name} occurs twice, or twice with the same annotator",
                    file=self.topic_id,
                )
            seen.add(name)
            for annotation in annotations:
                for start, end in annotation.spans:
                    if not 0 <= start < end <= size:
                        raise DataError(
                            f"citance {name}, annotator {annotation.annotator}: span {start}-{end} "
                            f"is empty or lies outside the reference text (0-{size})",
                            file=self.topic_id,
                        )

    @property
    def documents(self) -> tuple[Document, ...]:
        """The reference article and the citing documents."""
        return (self.reference, *self.citing.values())

    def __repr__(self) -> str:
        size = f"{len(self.reference.text):,} characters"
        return f"Topic({self.topic_id!r}, {len(self.citances):,} citances, {size})"


@dataclass(frozen=True, repr=False)
class Corpus:
    """The topics that a reader returns, and its findings, a line per fault of the files."""

    name: str
    topics: tuple[Topic, ...]
    findings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        citances = sum(len(topic.citances) for topic in self.topics)
        return f"Corpus({self.name!r}, {len(self.topics):,} topics, {citances:,} citances)"

    def __iter__(self) -> Iterator[Topic]:
        return iter(self.topics)

    def __len__(self) -> int:
        return len(self.topics)

    def __getitem__(self, topic_id: str) -> Topic:
        return look_up("topic", topic_id, {topic.topic_id: topic for topic in self.topics})

    def summary(self) -> pd.DataFrame:
        """Return one row per topic: citances, annotators, spans, characters, summaries."""
        rows = []
        for topic in self.topics:
            gold = [citance.gold for citance in topic.citances]
            annotators = set(chain(*gold))
            spans = sum(len(spans) for by_annotator in gold for spans in by_annotator.values())
            row = {
                "topic": topic.topic_id,
                "citances": len(gold),
                "annotators": len(annotators),
                "spans": spans,
                "characters": len(topic.reference.text),
                "summaries": len(topic.summaries),
            }
            rows.append(row)
        return pd.DataFrame(rows).set_index("topic")
