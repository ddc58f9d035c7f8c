"""sigir2017 Section 3: how large the corpora are."""

import time
from collections.abc import Sequence

import numpy as np
import pandas as pd

from citectx.corpora.model import Corpus
from citectx.experiments.results import COLUMNS, Result, fingerprint, params_json

NAME = "sigir2017_data"


def run(corpora: Sequence[Corpus]) -> Result:
    """Count the articles, citances and annotators of each corpus.

    Source: sigir2017 §3, "Data". An article is a reference article or one that cites it; one that cites
    several counts once. Annotators are those of a citance, at most; ``annotators (mean)`` tells where they
    differ in number.

    Examples
    --------
    >>> from citectx.corpora import Citance, Document, Topic
    >>> citances = Citance("1", "a", "They do."), Citance("2", "a", "So.")
    >>> topic = Topic("T", Document("ref", "Cells rest."), citances)
    >>> run([Corpus("small", (topic,))]).wide("small").to_dict("list")
    {'articles': [2.0], 'citances': [2.0], 'annotators': [0.0], 'annotators (mean)': [0.0]}
    """
    started = time.perf_counter()
    rows = []
    for corpus in corpora:
        citances = [c for topic in corpus for c in topic.citances]
        articles = {t.reference.doc_id for t in corpus} | {c.citing_id for c in citances}
        articles |= {doc_id for t in corpus for doc_id in t.citing}
        people = [len(c.gold) for c in citances] or [0]
        counts = [len(articles), len(citances), max(people), float(np.mean(people))]
        for metric, value in zip(
            ("articles", "citances", "annotators", "annotators (mean)"), counts, strict=True
        ):
            empty = [np.nan] * 3
            rows.append(
                (NAME, corpus.name, "corpus", metric, value, *empty, len(citances), params_json({}), 0)
            )
    data = {corpus.name: fingerprint(corpus) for corpus in corpora}
    table = pd.DataFrame(rows, columns=COLUMNS)
    return Result(NAME, table, data=data, seconds=time.perf_counter() - started)
