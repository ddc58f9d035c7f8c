"""Impact summaries for anybody's paper: acl2008's model, and which citing sentences chose what."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from citectx.corpora.model import Annotation, Citance, Topic
from citectx.corpora.references import Article
from citectx.errors import ParameterError
from citectx.language.citation_contexts import citation_contexts
from citectx.papers.beyond.anybody import Contexts, Fixed, Source, as_json, contexts, page
from citectx.summarization.base import by_score
from citectx.summarization.impact import Background, CitedPaper, ImpactModel
from citectx.types import Floats

SUMMARY = "impact summary"


@dataclass(frozen=True)
class Impact:
    """An impact summary.

    Parameters
    ----------
    contexts : Contexts
    scores : float array, shape (sentences of the article,)
    length : int
        Sentences wanted.
    """

    contexts: Contexts
    scores: Floats
    length: int

    @cached_property
    def sentences(self) -> list[int]:
        """Numbers of the chosen sentences, best first."""
        return [int(i) for i in by_score(self.scores)[: self.length]]

    @cached_property
    def votes(self) -> dict[int, list[str]]:
        """For each chosen sentence the citances among whose passages it is."""
        pairs = [*zip(self.contexts.topic.citances, self.contexts.chosen, strict=True)]
        return {i: [c.citance_id for c, chosen in pairs if i in chosen] for i in self.sentences}

    def frame(self) -> pd.DataFrame:
        """Return a row for each sentence: rank, score, section, start, end, text, chosen_by."""
        rows = [
            {"rank": rank, "score": round(float(self.scores[i]), 4)}
            | self.contexts.row(i)
            | {"chosen_by": self.votes[i]}
            for rank, i in enumerate(self.sentences, 1)
        ]
        return pd.DataFrame(rows)

    def to_json(self) -> str:
        """Return everything as JSON."""
        return as_json(self.contexts.head() | {"summary": self.frame().to_dict("records")})

    def to_html(self) -> str:
        """Return one self-contained page with the whole article (`citectx.viewer`).

        The first citance of the page is the summary: the citances that chose a sentence are its annotators,
        so that the lines under a sentence, and the shading of agreement, say who chose it.
        """
        found, topic = self.contexts, self.contexts.topic
        spans = found.sentences.spans
        names = sorted({name for voters in self.votes.values() for name in voters})
        chose = {n: tuple(sorted(spans[i] for i, voters in self.votes.items() if n in voters)) for n in names}
        about = f"The {len(self.sentences)} sentences of the impact summary"
        first = Citance(SUMMARY, "", about, annotations=tuple(Annotation(n, s) for n, s in chose.items()))
        shown_topic = Topic(topic.topic_id, topic.reference, (first, *topic.citances), topic.citing)
        own = np.broadcast_to(self.scores, (len(shown_topic.citances), len(self.scores)))
        passages = np.vstack([found.scores.mean(axis=0), found.scores])
        methods = [
            (
                found.method,
                Fixed(passages, {}),
                "passages of each citing sentence; of the summary, by mean score",
            ),
            (SUMMARY, Fixed(own, ImpactModel().params()), "acl2008, setting of its Table 1"),
        ]
        return page(shown_topic, found.splitter, self.length, methods)


def impact(
    article: Source,
    citances: str | Sequence[str | Citance] = (),
    *,
    citing: Iterable[Article | Path | str] = (),
    sentences: int = 5,
    k: int = 3,
) -> Impact:
    """Write the impact summary of an article: what others cite it for, in its own sentences.

    Source: acl2008, `ImpactModel` with the setting of its Table 1, on two sentences around each citing one;
    all citing articles weigh the same, as nothing is known of their authority.

    Ambiguity: p(w|D) is to come from all papers at hand; here these are the article and those that cite it.

    Parameters
    ----------
    article, citances, citing, k
        See `citectx.papers.beyond.anybody.contexts`. Citances without their article have no neighbours.
    sentences : int
        Length of the summary.

    Raises
    ------
    ParameterError
        If `sentences` is below 1.
    DataError, MissingDataError
        As `citectx.papers.beyond.anybody.contexts`.
    """
    if sentences < 1:
        raise ParameterError(f"a summary has at least one sentence, not {sentences}")
    found = contexts(article, citances, citing=citing, k=k)
    topic, analyzer = found.topic, found.prepared.protocol.analyzer
    around = citation_contexts(topic, found.splitter)
    texts = [
        topic.reference.text,
        *(d.text for d in topic.citing.values()),
        *(c.text for c in topic.citances),
    ]
    paper = CitedPaper.of(topic, found.sentences, around, Background(texts, analyzer), analyzer)
    return Impact(found, ImpactModel().scores(paper), sentences)
