"""What is cited: contexts that a caller found, and the sentences that annotators marked.

>>> from citectx.corpora import Citance, Document
>>> topic = Topic("Doe", Document("Doe", "Cells rest."), (Citance("1", "Roe", "They do."),))
>>> contexts_of(topic, {"Doe": {"1": [Span(0, 11)]}})
[[Span(start=0, end=11)]]
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

import numpy as np

from citectx.corpora.model import Topic
from citectx.errors import DataError
from citectx.language.text import Sentences
from citectx.types import Ints, Span

Found = Mapping[str, Mapping[str, Sequence[Span]]]
"""The spans of a method for each topic and citance, best first."""

Contexts = Mapping[str, Mapping[str, Found]]
"""What methods found, by corpus and name of the row; a missing corpus has no such row."""


def contexts_of(topic: Topic, found: Found) -> list[list[Span]]:
    """Return the spans that were found for each citance of a topic, in the order of its citances.

    Raises
    ------
    DataError
        If a citance is missing (one without a context has an empty list), or a span lies outside
        the article.
    """
    own = found.get(topic.topic_id, {})
    names = [citance.citance_id for citance in topic.citances]
    missing = [name for name in names if name not in own]
    if missing:
        raise DataError(
            f"no contexts were given for the citances {', '.join(missing)}", file=topic.topic_id
        )
    spans = [list(own[name]) for name in names]
    length = len(topic.reference.text)
    for span in chain.from_iterable(spans):
        if not 0 <= span.start < span.end <= length:
            raise DataError(
                f"{span} does not lie in the article of {length} characters", file=topic.topic_id
            )
    return spans


def impact_votes(topic: Topic, sentences: Sentences) -> Ints:
    """Count for each sentence the citances for which an annotator marked it.

    The gold summary consists of the sentences with a vote; the votes are its weights.

    Source: acl2008 §5.1.1, where an expert read each paper beside its citation contexts and marked
    the sentences that hold what is influential. Here annotators marked, citance by citance, what is
    cited.

    Parameters
    ----------
    topic : Topic
    sentences : Sentences
        Of its reference article, without the title.

    Returns
    -------
    int array, shape (sentences,)

    Notes
    -----
    Ambiguity: where annotators marked characters, a sentence counts as marked if it shares at least
    half of the shorter of the two, itself or a span, with that span. Several annotators of a
    citance count as one: their union is taken.

    Raises
    ------
    DataError
        If the sentences are of another document.

    Examples
    --------
    >>> from citectx.corpora import Annotation, Citance, Document
    >>> from citectx.language.text import SentenceSplitter
    >>> article = Document("Doe", "Cells rest. Cells die.")
    >>> marked = [Annotation("A", (Span(0, 11),)), Annotation("B", (Span(0, 13),))]
    >>> citances = tuple(Citance(a.annotator, "Roe", "", annotations=(a,)) for a in marked)
    >>> sentences = SentenceSplitter().sentences(article)
    >>> impact_votes(Topic("Doe", article, citances), sentences).tolist()
    [2, 0]
    """
    if sentences.document is not topic.reference:
        raise DataError(
            f"sentences of {sentences.document.doc_id}, expected those of {topic.topic_id}"
        )
    bounds = np.array(sentences.spans, dtype=np.int64).reshape(-1, 2)
    votes = np.zeros(len(bounds), dtype=np.int64)
    for citance in topic.citances:
        spans = {span for spans in citance.gold.values() for span in spans}
        votes += covered(bounds, sorted(spans))
    return votes


def covered(bounds: Ints, spans: Iterable[Span]) -> Ints:
    """Mark with 1 each sentence that shares at least half of the shorter with a span.

    >>> covered(np.array([[0, 10], [10, 20]]), [Span(4, 12)])
    array([1, 0])
    """
    first, last = bounds.T
    marked = np.zeros(len(bounds), dtype=bool)
    for start, end in spans:
        shared = np.minimum(last, end) - np.maximum(first, start)
        shorter = np.minimum(last - first, end - start)
        marked |= 2 * shared >= shorter
    return marked.astype(np.int64)
