"""sigir2017 §2 and §5: are the terms of a citance in what it is about, and who gains if not?"""

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
import pandas as pd

from citectx.corpora.model import Corpus
from citectx.experiments.contextualization import DEFAULT, Prepared, Protocol, prepare
from citectx.experiments.report import KEYS, part
from citectx.experiments.results import Result

NAME = "sigir2017_terms"
BASE = "LMD"
"""The language model without embeddings and ontologies, Eq. 1."""
GAINING = ("WE_Bio", "WE_Dom", "WE_Bio+dmn")


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

    `scores` are those of the citances in Table 1.
    """
    parts = []
    for corpus in corpora:
        rows = chain.from_iterable(map(absent_terms, prepare(corpus, protocol)))
        shares = pd.DataFrame(rows, columns=["topic", "citance", "absent"])
        table = scores[scores["corpus"] == corpus.name]
        wide = table.pivot_table("c-F", ["topic", "citance"], "method")
        gains = wide.filter(GAINING).sub(wide.get(BASE, np.nan), axis=0)
        share = shares.rename(columns={"absent": "share"})
        frames = [share.assign(method="absent")]
        frames.append(share.assign(method="present", share=100 - share["share"]))
        for name, gain in gains.dropna(axis="columns").items():
            frame = shares.merge(gain.reset_index(name="gain"))
            frames.append(frame.assign(method=f"{name} over {BASE}"))
        long = pd.concat(frames, ignore_index=True)
        long = long.reindex(columns=[*KEYS, "share", "gain", "absent"])
        parts.append(part(NAME, corpus, long, seed, params=protocol.params()))
    return Result.of(NAME, parts)


def absent_terms(topic: Prepared) -> Iterator[tuple[str, str, float]]:
    """Yield the percentage of each citance's terms that a sentence of its evidence lacks."""
    for citance, query, relevant in zip(topic.citances, topic.queries, topic.relevant, strict=True):
        if relevant.any():
            places = topic.index.places(query.weights)
            counts = topic.index.postings[places[places >= 0]].toarray()  # (terms, sentences)
            holds = counts[:, relevant > 0] > 0
            shared = holds.sum(axis=0) / len(query.weights)  # a share for each sentence
            yield topic.topic.topic_id, citance.citance_id, 100 * (1 - shared.mean())
