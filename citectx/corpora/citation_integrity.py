"""Read the Citation-Integrity annotations: ten reference articles, 218 citances, four annotators.

A file is a citing passage, a line of asterisks and the reference article in light Markdown. BRAT
standoff beside it labels the passage's statement (``Context``), its citation marker, and the
evidence, whose label is the verdict. Annotators are called A to D, in the order of their folders'
names.

What we saw in the annotations: each of the four annotators has a file for each citance, with the
same text. Two marked one ``Citation`` in the article, where it is left out.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from citectx.corpora.citation_integrity_files import (
    ANNOTATIONS,
    ROOT,
    need_part,
    read_marks,
    read_parts,
)
from citectx.corpora.model import Annotation, Citance, Corpus, Document, Topic
from citectx.corpora.structure import markdown_blocks
from citectx.corpora.text_files import listing
from citectx.types import Span

FOLDER = ROOT / "BratFiles" / "RemoveMultipleAnnotations"
"""Where the annotators' folders are in the upstream repository."""

VERDICTS = frozenset(
    "ACCURATE OVERSIMPLIFY NOT_SUBSTANTIATE MISQUOTE CONTRADICT INDIRECT Major".split()
)
"""Labels of evidence, whatever the verdict is."""

_MARKERS = frozenset(["Citation", "MultiCitation"])


class _View(NamedTuple):
    """What one annotator marked."""

    context: list[Span]
    markers: list[Span]
    evidence: set[Span]


def read(folder: Path) -> Corpus:
    """Read the ten topics from the unpacked upstream repository.

    Topics are named by their reference article. The citing document of a citance is its passage.

    Ambiguity: all four annotators marked the same citance in 48 of 218 cases only. We take the
    characters that at least half of them marked, which in all 218 cases are one stretch that
    contains the marker.
    Ambiguity: upstream does not say whether a passage labelled ``IRRELEVANT`` (25 of them) supports
    anything. By its name it does not, so it is left out; with it, each citance would have all four
    annotators.
    """
    annotators = listing(need_part(folder, FOLDER, ANNOTATIONS))
    topics = [_topic(path.name, annotators) for path in listing(annotators[0])]
    return Corpus("citation-integrity", tuple(topics))


def _topic(name: str, annotators: Sequence[Path]) -> Topic:
    citances, citing, article = [], {}, ""
    for first in listing(annotators[0] / name, "*.ann"):
        passage, border, article = read_parts(first.with_suffix(".txt"))
        ends = len(passage), len(passage) + len(border)
        views = [_view(folder / name / first.name, *ends) for folder in annotators]
        citances.append(_citance(first.stem, passage, views))
        citing[first.stem] = Document(first.stem, passage)
    topic_id = name.partition("_")[2]
    reference = Document(topic_id, article, markdown_blocks(article))
    return Topic(topic_id, reference, tuple(citances), citing)


def _view(path: Path, passage_end: int, article_start: int) -> _View:
    """Read what an annotator marked; evidence is counted in the article."""
    view = _View([], [], set())
    for _, label, spans, _ in read_marks(path):
        hull = Span.around(spans)
        if label == "Context" and hull.end <= passage_end:
            view.context.extend(spans)
        elif label in _MARKERS and hull.end <= passage_end:
            view.markers.append(hull)
        elif label in VERDICTS and hull.start >= article_start:
            view.evidence.update(Span(a - article_start, b - article_start) for a, b in spans)
    return view


def _citance(name: str, passage: str, views: Sequence[_View]) -> Citance:
    markers = Counter(chain.from_iterable(view.markers for view in views))
    marker = max(sorted(markers), key=markers.__getitem__)
    agreed = _common_stretch([view.context for view in views], passage, marker)
    annotations = tuple(
        Annotation(annotator, tuple(sorted(view.evidence)))
        for annotator, view in zip("ABCD", views, strict=False)
    )
    texts = agreed.of(passage), marker.of(passage)
    return Citance(name, name, *texts, agreed, marker, annotations)


def _common_stretch(contexts: Sequence[list[Span]], passage: str, marker: Span) -> Span:
    """Return the stretch around the marker that half of the annotators marked."""
    votes = np.zeros(len(passage), int)  # of each character
    for start, end in chain(*contexts):
        votes[start:end] += 1
    kept = np.flatnonzero(2 * votes >= sum(map(bool, contexts))).tolist()
    # White space does not part a stretch.
    parting = [i for i in range(1, len(kept)) if passage[kept[i - 1] + 1 : kept[i]].strip()]
    stretches = [Span(int(part[0]), int(part[-1]) + 1) for part in np.split(kept, parting)]
    [stretch] = [s for s in stretches if s.start <= marker.start < s.end]
    return stretch
