"""The sentences of a paper that annotators marked as cited."""

from itertools import chain

import numpy as np

from citectx.corpora.model import Topic
from citectx.language.text import Sentences
from citectx.types import Ints


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
    >>> from citectx.types import Span
    >>> article = Document("Doe", "Cells rest. Cells die.")
    >>> marked = [Annotation("A", (Span(0, 11),)), Annotation("B", (Span(0, 13),))]
    >>> citances = tuple(Citance(a.annotator, "Roe", "", annotations=(a,)) for a in marked)
    >>> sentences = SentenceSplitter().sentences(article)
    >>> impact_votes(Topic("Doe", article, citances), sentences).tolist()
    [2, 0]
    """
    first, last = np.array(sentences.spans, int).reshape(-1, 2).T
    votes = np.zeros(len(first), int)
    for citance in topic.citances:
        marked = np.zeros(len(first), bool)
        for start, end in chain.from_iterable(citance.gold.values()):
            shared = np.minimum(last, end) - np.maximum(first, start)
            shorter = np.minimum(last - first, end - start)
            marked |= 2 * shared >= shorter
        votes += marked
    return votes
