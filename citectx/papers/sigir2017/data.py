"""sigir2017 Section 3: how large the corpora are."""

from collections.abc import Sequence

import numpy as np

from citectx.corpora.model import Corpus
from citectx.experiments.report import Cell, tabulate
from citectx.experiments.results import Result, fingerprint, timed

NAME = "sigir2017_data"


@timed
def run(corpora: Sequence[Corpus]) -> Result:
    """Count the articles, citances and annotators of each corpus.

    Source: sigir2017 §3, "Data". An article is a reference article or one that cites it; one that cites
    several counts once. Annotators are those of a citance, at most; ``annotators (mean)`` shows where their
    number differs.

    Examples
    --------
    >>> from citectx.corpora import Citance, Document, Topic
    >>> citances = Citance("1", "a", "They do."), Citance("2", "a", "So.")
    >>> topic = Topic("T", Document("ref", "Cells rest."), citances)
    >>> run([Corpus("small", (topic,))]).wide("small").to_dict("list")
    {'articles': [2.0], 'citances': [2.0], 'annotators': [0.0], 'annotators (mean)': [0.0]}
    """
    return Result.of(NAME, map(_one, corpora))


def _one(corpus: Corpus) -> Result:
    citances = [c for topic in corpus for c in topic.citances]
    articles = {t.reference.doc_id for t in corpus} | {c.citing_id for c in citances}
    articles |= {doc_id for t in corpus for doc_id in t.citing}
    people = [len(c.gold) for c in citances] or [0]
    counts = {
        "articles": len(articles),
        "citances": len(citances),
        "annotators": max(people),
        "annotators (mean)": float(np.mean(people)),
    }
    cells = [Cell("corpus", metric, value, len(citances)) for metric, value in counts.items()]
    return Result(NAME, tabulate(NAME, corpus.name, cells, 0), data={corpus.name: fingerprint(corpus)})
