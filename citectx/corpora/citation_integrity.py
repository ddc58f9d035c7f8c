"""Read the Citation-Integrity annotations: ten reference articles, 218 citances, four annotators.

A file is a citing passage, a line of asterisks and the reference article in light Markdown. BRAT
standoff beside it labels the passage's statement (``Context``), its citation marker, and the
evidence, whose label is the verdict. Annotators are called A to D, in the order of their folders'
names.

What we saw in the annotations: each of the four annotators has a file for each citance, with the
same text. Two also marked a ``Citation`` in the article, which those in the passage outvote.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from citectx.corpora.citation_integrity_files import (
    ANNOTATIONS,
    DOUBTFUL,
    ROOT,
    read_marks,
    read_parts,
    reference_article,
)
from citectx.corpora.model import Annotation, Citance, Corpus, Document, Topic
from citectx.corpora.text_files import listing, need_part
from citectx.types import Span, merge

FOLDER = ROOT / "BratFiles" / "RemoveMultipleAnnotations"
"""Where the annotators' folders are in the upstream repository."""

_View = tuple[list[Span], list[Span], set[Span]]
"""What one annotator marked: the statement, its markers, and the evidence."""


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
        start = len(passage) + len(border)
        views = [_view(folder / name / first.name, start) for folder in annotators]
        citances.append(_citance(first.stem, passage, views))
        citing[first.stem] = Document(first.stem, passage)
    reference = reference_article(name, article)
    return Topic(reference.doc_id, reference, tuple(citances), citing)


def _view(path: Path, article_start: int) -> _View:
    """Read what an annotator marked; evidence is counted in the article.

    What is marked in the article is evidence, whatever the verdict is.
    """
    context, markers, evidence = [], [], set()
    for _, label, spans, _ in read_marks(path):
        if label == "Context":
            context += spans
        elif label in ("Citation", "MultiCitation"):
            markers.append(Span.around(spans))
        elif label not in DOUBTFUL:
            evidence |= {Span(a - article_start, b - article_start) for a, b in spans}
    return context, markers, evidence


def _citance(name: str, passage: str, views: Sequence[_View]) -> Citance:
    contexts, markers, evidence = zip(*views, strict=True)
    [(marker, _)] = Counter(chain(*markers)).most_common(1)  # the passage's is marked by all
    agreed = _common_stretch(contexts, passage, marker)
    annotations = tuple(
        Annotation(annotator, tuple(sorted(spans)))
        for annotator, spans in zip("ABCD", evidence, strict=False)
    )
    texts = agreed.of(passage), marker.of(passage)
    return Citance(name, name, *texts, agreed, marker, annotations)


def _common_stretch(contexts: Sequence[list[Span]], passage: str, marker: Span) -> Span:
    """Return the stretch around the marker that half of the annotators marked."""
    votes = Counter(i for span in chain(*contexts) for i in range(*span))  # of each character
    voters = sum(map(bool, contexts))
    # White space does not part a stretch.
    kept = [i for i, c in enumerate(passage) if 2 * votes[i] >= voters or c.isspace()]
    [stretch] = [s for s in merge((i, i + 1) for i in kept) if marker.overlap(s)]
    text = stretch.of(passage)
    start = stretch.end - len(text.lstrip())
    return Span(start, start + len(text.strip()))
