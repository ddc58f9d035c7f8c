"""Contexts that a caller found, beside those of the models that a table tunes itself.

>>> from citectx.corpora import Citance, Document
>>> topic = Topic("Doe", Document("Doe", "Cells rest."), (Citance("1", "Roe", "They do."),))
>>> contexts_of(topic, {"Doe": {"1": [Span(0, 11)]}})
[[Span(start=0, end=11)]]
"""

from collections.abc import Mapping, Sequence

from citectx.corpora.model import Topic
from citectx.errors import DataError
from citectx.types import Span

Found = Mapping[str, Mapping[str, Sequence[Span]]]
"""The spans of a method for each topic and citance, best first."""

Contexts = Mapping[str, Mapping[str, Found]]
"""What methods found, by corpus and the name of the method's row; a missing corpus has no such row."""


def contexts_of(topic: Topic, found: Found) -> list[list[Span]]:
    """Return the spans that were found for each citance of a topic, in the order of its citances.

    Raises
    ------
    DataError
        If a citance is missing (one without a context has an empty list), or a span lies outside the article.
    """
    own, length = found.get(topic.topic_id, {}), len(topic.reference.text)
    missing = [c.citance_id for c in topic.citances if c.citance_id not in own]
    if missing:
        raise DataError(f"no contexts were given for the citances {', '.join(missing)}", file=topic.topic_id)
    spans = [list(own[c.citance_id]) for c in topic.citances]
    for span in (span for each in spans for span in each):
        if not 0 <= span.start < span.end <= length:
            raise DataError(f"{span} does not lie in the article of {length} characters", file=topic.topic_id)
    return spans
