"""sigir2017 Table 4 on all topics of ScisummNet, of which the table itself has a sample.

python -m citectx.papers.sigir2017.scisummnet [JOBS]
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from citectx import profiles
from citectx.corpora.model import Corpus
from citectx.errors import CitectxError
from citectx.experiments.results import Result, timed
from citectx.papers.sigir2017 import table4

NAME = "sigir2017_scisummnet"
METHODS = tuple(name for name in table4.METHODS if name != "LMD-LDA")
"""Rows of Table 4; LMD-LDA would need 2,337 topic models, more work than all the rest."""


@timed
def run(corpus: Corpus, tuned_on: Corpus, methods: Sequence[str] = METHODS, **how: Any) -> Result:
    """Summarize each topic with and without contexts, as `citectx.papers.sigir2017.table4.run` does.

    Parameters
    ----------
    corpus : Corpus
        All of ScisummNet.
    tuned_on : Corpus
        Where the parameters of the methods come from, as its citances have no annotated evidence.
    methods : sequence of str
    **how
        Further parameters of `table4.run`, such as `jobs`. An interrupted run goes on where it stopped.
    """
    result = table4.run([corpus], methods, tuned_on={corpus.name: tuned_on}, **how)
    return replace(result, experiment=NAME, table=result.table.assign(experiment=NAME))


if __name__ == "__main__":
    try:
        tuned_on = profiles.load("scisumm-train")
        made = run(profiles.load("scisummnet"), tuned_on, jobs=int(*sys.argv[1:2] or "1"))
        print(made.write(profiles.profile("open").results))
    except CitectxError as error:
        sys.exit(f"citectx: {error}")
