"""What was declared, run and looked at before, as far as files can show it."""

import hashlib
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from citectx.ledger import check, load, open_results, papers
from citectx.ledger.evidence import ByCorpus
from citectx.ledger.history import COLUMNS, DECLARATION, DECLARED, FILE, FIRST_RUN, at, history
from citectx.ledger.verdicts import FILE as VERDICTS
from citectx.paths import RESULTS, ROOT

OPEN = RESULTS / "open"
GOLD = "scisumm-gold"
SEEN_BEFORE = ["A00-2018", "A00-2030", "A97-1014", "D09-1092"]
"""Topics that were in committed tables before the confirmation was declared."""


def has_history() -> bool:
    shown = ["git", "cat-file", "-e", f"{DECLARED}^{{commit}}"]
    return subprocess.run(shown, cwd=ROOT, capture_output=True, check=False).returncode == 0


needs_history = pytest.mark.skipif(not has_history(), reason="not a clone with its history")


def test_hashes_are_those_of_the_tables() -> None:
    kept = pd.read_csv(OPEN / FILE, keep_default_na=False)
    assert [*kept] == COLUMNS
    assert kept.groupby("event", sort=False)["commit"].unique().map(list).to_dict() == {
        "declared": [DECLARED],
        "first run": [FIRST_RUN],
        "today": [""],
    }
    now = kept[kept["event"] == "today"].set_index("file")["sha256"]
    files = {file.name: file for file in OPEN.rglob("*.csv*")}
    wrong = [name for name, sha in now.items() if sha != digest(files[str(name)])]
    assert not wrong, "make the hashes again: python -m citectx.ledger.history"
    assert {f"{table}.csv" for paper in papers() for c in load(paper) for table in c.tables} <= {
        *now.index
    }


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


@needs_history
def test_what_was_declared_and_run_first_is_in_the_history() -> None:
    kept = pd.read_csv(OPEN / FILE, keep_default_na=False)
    pd.testing.assert_frame_equal(history(OPEN), kept)
    dates = kept.groupby("event")["date"].first()
    assert dates["declared"] < dates["first run"]
    name, sha = at(DECLARED, DECLARATION)
    assert sha == kept.loc[0, "sha256"] and name == "verdicts.md"


def without_topics(by_corpus: ByCorpus) -> ByCorpus:
    """Leave out the topics; a cell that counts topics counts those that are left."""
    if GOLD not in by_corpus:
        return {}
    table, scores = by_corpus[GOLD]
    left = scores[~scores["topic"].isin(SEEN_BEFORE)]

    def sizes(frame: pd.DataFrame) -> pd.DataFrame:
        metrics = frame.columns.drop(["corpus", "topic", "citance", "method"])
        means = frame.groupby(["method", "topic"])[[*metrics]].mean()
        return means.groupby("method").count()

    before, after = sizes(scores), sizes(left)
    n = [
        after.loc[row, column] if column in before and size == before.loc[row, column] else size
        for row, column, size in table[["method", "metric", "n"]].itertuples(index=False)
    ]
    return {GOLD: (table.assign(n=n), left)}


def test_without_the_four_topics_that_had_been_seen_all_confirmed_verdicts_stay() -> None:
    results = open_results(OPEN)
    kept = pd.read_csv(OPEN / VERDICTS)
    compared = []
    for paper in papers():
        frame = check(load(paper), lambda name: without_topics(results(name)))
        scored = frame[(frame["stage"] == "confirmed") & (frame["topics"] > 0)]
        before = kept[kept["paper"] == paper].set_index(["id", "corpus"])["verdict"]
        for row in scored.to_dict("records"):
            assert row["topics"] <= 16
            compared.append((row["verdict"], before[row["id"], row["corpus"]]))
    assert [now for now, _ in compared] == [before for _, before in compared]
    assert len(compared) == 20
