"""``citectx claims`` on committed tables that somebody changed."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from citectx import cli, profiles
from citectx.experiments.results import find, to_csv
from citectx.experiments.tables import read_csv
from citectx.ledger.results import NAMED, SCORES
from citectx.storage import to_gzip

COMMITTED = profiles.profile("open").results
NAME = "naacl2015_models"
CELL = "citation-integrity, BM25, F-1"
Damage = Callable[[pd.DataFrame, pd.DataFrame], tuple[pd.DataFrame, pd.DataFrame]]
Judge = Callable[..., int]


@pytest.fixture
def judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Judge:
    """Return a function that judges by one committed table alone, after some damage to it."""
    monkeypatch.setenv("CITECTX_RESULTS", str(tmp_path))

    def judged(paper: str, damage: Damage | None = None, name: str = NAME) -> int:
        folder = tmp_path / "open" / "01"
        folder.mkdir(parents=True)
        files = [folder / f"{name}{ending}" for ending in (".csv", SCORES)]
        table, scores = (read_csv(find(COMMITTED, file.name)) for file in files)
        changed = damage(table, scores) if damage else (table, scores)
        for file, frame in zip(files, changed, strict=True):
            data = to_csv(frame)
            file.write_bytes(to_gzip(data) if file.suffix == ".gz" else data)
        return cli.main(["claims", "--paper", paper])

    return judged


def at(frame: pd.DataFrame, **cell: str) -> "pd.Series[bool]":
    """Mark the rows of BM25 on one corpus."""
    where = {"corpus": "citation-integrity", "method": "BM25"} | cell
    marked = pd.Series(True, frame.index)
    for name, value in where.items():
        marked &= frame[name] == value
    return marked


def moved(column: str, by: float, **cell: str) -> Damage:
    """Add to numbers of BM25, in the table."""

    def damage(table: pd.DataFrame, scores: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
        marked = at(table, **cell)
        numbers = (table.loc[marked, column].astype(float) + by).map("{:.4f}".format)
        return table.assign(**{column: table[column].mask(marked, numbers)}), scores

    return damage


def rescored(table: pd.DataFrame, scores: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    first = at(scores).cumsum().eq(1) & at(scores)
    return table, scores.assign(**{"F-1": scores["F-1"].mask(first, "1.0000")})


def added(table: pd.DataFrame, scores: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    return pd.concat([table, table[at(table, metric="F-1")].assign(method="BM26")]), scores


@pytest.mark.parametrize(
    ("damage", "cells", "complaint"),
    [
        (moved("value", -0.1), 12, "citation-integrity, BM25, recall: "),
        (moved("value", 0.01, metric="F-1"), 1, f"{CELL}: 0."),
        (moved("n", 1, metric="F-1"), 1, f"{CELL}: 0."),
        (rescored, 2, f"{CELL} (citances): "),
        (added, 1, "citation-integrity, BM26, F-1: 0."),
    ],
)
def test_a_cell_that_contradicts_its_scores_is_named_and_no_claim_is_judged(
    judge: Judge,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    damage: Damage,
    cells: int,
    complaint: str,
) -> None:
    assert judge("naacl2015", damage) == 1
    said = capsys.readouterr()
    assert not said.out
    file = tmp_path / "open" / "01" / f"{NAME}.csv"
    assert f"{file}: {cells} cells contradict their scores: " in said.err
    assert complaint in said.err
    assert said.err.endswith("; run the notebook again or restore the file\n")
    assert (f"(and {cells - NAMED} more)" in said.err) == (cells > NAMED)


def test_what_nobody_changed_is_judged(judge: Judge, capsys: pytest.CaptureFixture[str]) -> None:
    assert judge("naacl2015") == 0
    said = capsys.readouterr()
    assert "naacl2015, citation-integrity" in said.out and not said.err


def test_contradicted_results_leave_the_kept_verdicts_as_they_were(
    judge: Judge, tmp_path: Path
) -> None:
    kept = tmp_path / "open" / "ledger" / "verdicts.csv"
    kept.parent.mkdir(parents=True)
    kept.write_text("as before")
    judge("naacl2015", moved("value", 1.0))
    assert cli.main(["claims"]) == 1
    assert [file.read_text() for file in kept.parent.iterdir()] == ["as before"]
