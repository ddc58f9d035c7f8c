"""Counts of the corpora against those that their readers' tests and READMEs give."""

from citectx.corpora import Corpus
from citectx.ledger import Results, check, load
from citectx.papers.sigir2017 import table1


def test_counts_of_the_teaching_corpus(teaching: Corpus, tmp_path) -> None:
    result = table1.data([teaching])
    counts = result.table.set_index("metric")["value"]
    assert counts["citances"] == sum(len(t.citances) for t in teaching)
    assert counts["annotators"] == 4
    assert counts["articles"] == len(teaching) + len({d for t in teaching for d in t.citing})
    result.write(tmp_path)
    verdicts = check(load("sigir2017"), Results(tmp_path)).set_index("id")
    assert verdicts.loc["data-citances", "verdict"] == "not testable here"
    assert verdicts.loc["data-citances", "published"] == 313
