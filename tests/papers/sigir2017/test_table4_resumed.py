"""Table 4 tuned on another corpus; what was scored stays scored."""

from pathlib import Path

import pytest

from citectx.corpora import Corpus
from citectx.experiments.results import Result
from citectx.papers.sigir2017 import table4


def test_a_run_goes_on_where_it_stopped(
    teaching: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITECTX_CACHE", str(tmp_path))
    few, scored = table4.sample(teaching, 3), list[str]()
    original = table4.score_row

    def score(material, method, words):  # type: ignore[no-untyped-def]
        if len(scored) == 4:  # the first of the second topic's three rows
            scored.append("stopped")
            raise KeyboardInterrupt
        scored.append(method)
        return original(material, method, words)

    monkeypatch.setattr(table4, "score_row", score)

    def run() -> Result:
        return table4.run([few], ["BM25"], tuned_on={few.name: teaching}, progress=False)

    with pytest.raises(KeyboardInterrupt):
        run()
    run()
    assert len(scored) == 5 + 2 * 3  # the topic that was done is not scored again
