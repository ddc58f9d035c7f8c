"""The sentences of a paper that annotators marked as cited."""

from collections.abc import Iterable

import numpy as np

from citectx.corpora.model import Topic
from citectx.language.text import Sentences
from citectx.types import Ints, Span


def impact_votes(topic: Topic, sentences: Sentences) -> Ints:
    """Count the citances for which annotators marked each sentence, shape (sentences,).

    The gold summary consists of the sentences with a vote.

    Source: acl2008 §5.1.1, where an expert read each paper beside its citation contexts and marked
    its influential sentences. Our annotators marked the cited text of each citance.
    Ambiguity: annotators marked characters, not sentences. A sentence counts as marked if it shares
    with a span at least half of the shorter of the two. We take the union of the annotators of a
    citance.

    >>> from citectx.corpora import Annotation, Citance, Document
    >>> from citectx.language.text import SentenceSplitter
    >>> article = Document("Doe", "Cells rest. Cells die.")
    >>> marked = [Annotation("A", (Span(0, 11),)), Annotation("B", (Span(0, 13),))]
    >>> citances = tuple(Citance(a.annotator, "Roe", "", annotations=(a,)) for a in marked)
    >>> sentences = SentenceSplitter().sentences(article)
    >>> impact_votes(Topic("Doe", article, citances), sentences).tolist()
    [2, 0]
    """
    bounds = np.array(sentences.spans, int).reshape(-1, 2)
    votes = np.zeros(len(bounds), int)
    for citance in topic.citances:
        spans = {span for spans in citance.gold.values() for span in spans}
        votes += covered(bounds, spans)
    return votes


def covered(bounds: Ints, spans: Iterable[Span]) -> Ints:
    """Mark with 1 each sentence that shares with a span at least half of the shorter of the two.

    >>> covered(np.array([[0, 10], [10, 20]]), [Span(4, 12)])
    array([1, 0])
    """
    first, last = bounds.T
    marked = np.zeros(len(bounds), bool)
    for start, end in spans:
        shared = np.minimum(last, end) - np.maximum(first, start)
        shorter = np.minimum(last - first, end - start)
        marked |= 2 * shared >= shorter
    return marked.astype(int)
