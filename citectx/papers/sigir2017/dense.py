"""sigir2017 Table 1 with today's sentence embeddings: the rows "Dense" and "LMD+Dense".

Beyond the paper; the question that every reader asks. The two rows are shown next to the language model
that one of them is mixed with and BM25, the best baseline of Table 1 on the open corpora, all tuned by the
same cross-validation. It needs the extra ``dense``:

    python -m citectx.papers.sigir2017.dense [ENCODER]
"""

import sys
from collections.abc import Sequence

import pandas as pd

from citectx import profiles
from citectx.corpora.model import Corpus
from citectx.errors import CitectxError
from citectx.experiments.contextualization import Protocol, prepare, settings
from citectx.experiments.report import compare, part
from citectx.experiments.results import Result, timed
from citectx.experiments.tuning import chosen, curves, tuned_scores
from citectx.retrieval import OPTIONAL, RetrievalModel, model
from citectx.retrieval.dense import MINILM, Encoder

NAME = "sigir2017_dense"
METHODS = ("BM25", "LMD", *OPTIONAL)
AGAINST = ("LMD", "BM25")
"""What each row is tested against; ``p_value`` is of the first."""


@timed
def run(
    corpora: Sequence[Corpus],
    encoder: str | Encoder = MINILM,
    protocol: Protocol | None = None,
    *,
    folds: int = 10,
    seed: int = 0,
    progress: bool = True,
) -> Result:
    """Retrieve contexts with and without a sentence encoder.

    Parameters
    ----------
    corpora : sequence of Corpus
    encoder : str or Encoder
        See `citectx.retrieval.Dense`.
    protocol, folds, seed, progress
        As in `sigir2017_table1.run`.

    Returns
    -------
    Result
        Values with intervals as in Table 1; ``p_value`` is the paired t-test against LMD. With the extra
        tables ``tests`` (differences to LMD and to BM25, intervals, t-test, permutation test, Holm-corrected
        over the rows and metrics against one of them) and ``tuning``.

    Raises
    ------
    MissingDataError
        If there is no such encoder.
    """
    protocol = protocol or Protocol()
    shared = settings(protocol, folds=folds, tuned_for="c-F")
    rows = {name: _variants(name, encoder) for name in METHODS}
    parts = []
    for corpus in corpora:
        label = f"{NAME}: {corpus.name}"
        tuned, scores = tuned_scores(prepare(corpus, protocol), rows, folds, label=label, progress=progress)
        against = [compare(scores, seed, [other]) for other in AGAINST]
        extra = {"tests": pd.concat(against), "tuning": curves(tuned)}
        said, tests = chosen(tuned), against[0]
        parts.append(part(NAME, corpus, scores, seed, params=shared, by_method=said, tests=tests, extra=extra))
    return Result.of(NAME, parts)


def _variants(method: str, encoder: str | Encoder) -> list[RetrievalModel]:
    given = {"encoder": [encoder]} if method in OPTIONAL else {}
    return list(model(method).variants(**given))


if __name__ == "__main__":
    try:
        opened, encoder = profiles.profile("open"), sys.argv[1] if len(sys.argv) > 1 else MINILM
        print(run(opened.load(), encoder).write(opened.results))
    except CitectxError as error:
        sys.exit(f"citectx: {error}")
