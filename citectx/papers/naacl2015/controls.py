"""naacl2015: controls of claims on Table 2 that were added when their verdicts were known.

They have a table of their own, so that Table 2 stays as it was run. `citectx.papers.naacl2015.
queries` makes them: as many words of the citance at random as `reduce` and the Wikipedia filter
keep, and as many names of other concepts as expansion adds to the citance or to its concepts.
"""

from collections.abc import Sequence

from citectx.corpora.model import Corpus
from citectx.experiments.contextualization import prepare
from citectx.experiments.results import Result
from citectx.papers.naacl2015.queries import (
    DRAWS,
    FEWER_LATER,
    STRANGE_LATER,
    draw_queries,
    queries,
)
from citectx.papers.naacl2015.table2 import (
    BASELINE,
    LEFT_OUT,
    METHODS,
    PROTOCOL,
    TF,
    measure,
    measure_rankings,
    rankings,
    report,
)

NAME = "naacl2015_controls"
CORPORA = ("citation-integrity", "citation-integrity-31", "scisumm-gold", "scisumm-train")
"""The open corpora that Table 2 has."""


def run(corpora: Sequence[Corpus], *, seed: int = 0) -> Result:
    """Measure each control under the protocol of Table 2, with the baseline beside them."""
    parts = []
    for corpus in corpora:
        topics = prepare(corpus, PROTOCOL)
        rows = queries(corpus.name, topics, [*METHODS, *LEFT_OUT])
        drawn = draw_queries(rows, FEWER_LATER, STRANGE_LATER)
        asked = [(BASELINE, rows[BASELINE]), *drawn]
        scores = measure_rankings(topics, rankings(topics, asked), measure)
        params = PROTOCOL.params() | {"tf": TF, "draws": DRAWS}
        parts.append(report(NAME, corpus, scores, BASELINE, seed, params))
    return Result.of(NAME, parts)
