"""sigir2017 §2 and §5: are the terms of a citance in what it is about, and who gains if not?"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from citectx.corpora.model import Corpus
from citectx.experiments.contextualization import DEFAULT, Prepared, Protocol, prepare
from citectx.experiments.report import KEYS, part
from citectx.experiments.results import Result, fingerprint, timed

NAME = "sigir2017_terms"
ABSENT, PRESENT = "absent", "present"
BASE = "LMD"
"""The language model without embeddings and ontologies, Eq. 1."""
GAINING = ("WE_Bio", "WE_Dom", "WE_Bio+dmn")


@timed
def run(
    corpora: Sequence[Corpus],
    scores: pd.DataFrame,
    protocol: Protocol = DEFAULT,
    *,
    seed: int = 0,
) -> Result:
    """Measure how many terms of a citance its evidence lacks, and what models gain by that.

    Source: sigir2017 §2 ("terminology variations") and §5. The rows ``absent`` and ``present`` have
    the ``share`` of a citance's different terms that a sentence of its evidence lacks or has, in
    percent, a mean over those sentences. A row such as ``WE_Bio over LMD`` has the ``gain`` of a
    model in c-F and, again, the share that is ``absent``.

    Ambiguity: "the documents" in which citation terms usually do not appear are what Eq. 1 scores,
    single sentences; here, those that hold marked characters. A citance whose marks are all outside
    sentences is left out.

    Parameters
    ----------
    corpora : sequence of Corpus
    scores : DataFrame
        Of Table 1: columns corpus, topic, citance, method and c-F.
    protocol : Protocol, optional
    seed : int
        Of the bootstrap.
    """
    parts = []
    for corpus in corpora:
        shares = pd.concat([_absent(topic) for topic in prepare(corpus, protocol)])
        own = scores[scores["corpus"] == corpus.name]
        wide = own.pivot_table(index=["topic", "citance"], columns="method", values="c-F")
        frames = [
            shares.assign(method=ABSENT, share=shares["absent"]).drop(columns="absent"),
            shares.assign(method=PRESENT, share=100 - shares["absent"]).drop(columns="absent"),
        ]
        for name in GAINING:
            if {name, BASE} <= {*wide}:
                gains = (wide[name] - wide[BASE]).rename("gain").reset_index()
                both = shares.merge(gains, on=["topic", "citance"])
                frames.append(both.assign(method=f"{name} over {BASE}"))
        columns = [*KEYS, "share", "gain", "absent"]
        long = pd.concat(frames, ignore_index=True).reindex(columns=columns)
        parts.append(part(NAME, corpus, long, seed, params=protocol.params()))
    read = {corpus.name: fingerprint(corpus) for corpus in corpora}
    joined = Result.of(NAME, parts)
    return Result(NAME, joined.table, joined.citances, data=read)


def _absent(topic: Prepared) -> pd.DataFrame:
    """Return the percentage of each citance's terms that a sentence of its evidence lacks."""
    rows = []
    there = topic.index.postings > 0
    for citance, query, relevant in zip(topic.citances, topic.queries, topic.relevant, strict=True):
        vocabulary = topic.index.vocabulary
        known = [vocabulary[term] for term in query.weights if term in vocabulary]
        if not relevant.any():
            continue
        found = there[known][:, np.flatnonzero(relevant)].sum(axis=0) / len(query.weights)
        rows.append((topic.topic.topic_id, citance.citance_id, 100 * (1 - found.mean())))
    return pd.DataFrame(rows, columns=["topic", "citance", "absent"])
