"""Counts of the corpora against those that their readers' tests and READMEs give."""

from citectx.corpora import Corpus
from citectx.ledger import load
from citectx.papers.sigir2017 import table1


def test_counts_of_the_teaching_corpus(teaching: Corpus) -> None:
    result = table1.data([teaching])
    counts = result.table.set_index("metric")["value"]
    assert counts["citances"] == sum(len(t.citances) for t in teaching)
    assert counts["annotators"] == 4
    assert counts["articles"] == len(teaching) + len({d for t in teaching for d in t.citing})
    published = load("sigir2017").published((table1.DATA,))
    assert published["corpus", "citances"] == 313
    assert {metric for _, metric in published} <= {*counts.index}  # each has ours beside it
