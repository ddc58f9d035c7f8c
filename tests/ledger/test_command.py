"""``citectx claims`` on a committed table that somebody changed."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from citectx import cli
from citectx.experiments.results import find, to_csv
from citectx.experiments.tables import read_csv
from citectx.ledger.results import NAMED, SCORES
from citectx.paths import RESULTS
from citectx.storage import to_gzip

NAME = "naacl2015_models"
CELL = "citation-integrity, BM25, F-1"
Damage = Callable[[pd.DataFrame, pd.DataFrame], tuple[pd.DataFrame, pd.DataFrame]]


def at(frame: pd.DataFrame, **cell: str) -> "pd.Series[bool]":
    """Mark the rows of BM25 on one corpus."""
    where = {"corpus": "citation-integrity", "method": "BM25"} | cell
    return (frame[[*where]] == pd.Series(where)).all(axis=1)


def raised(table: pd.DataFrame, scores: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    return table.assign(value=table["value"].mask(at(table, metric="F-1"), "0.9")), scores


def rescored(table: pd.DataFrame, scores: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    first = at(scores).cumsum().eq(1) & at(scores)
    return table, scores.assign(**{"F-1": scores["F-1"].mask(first, "1.0000")})


def removed(table: pd.DataFrame, scores: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    return table[~at(table)], scores


@pytest.mark.parametrize(
    ("damage", "cells", "complaint"),
    [
        (raised, 1, f"{CELL}: 0."),
        (rescored, 2, f"{CELL} (citances): "),
        (removed, 12, "citation-integrity, BM25, recall: scores, but no such row"),
    ],
)
def test_a_cell_that_contradicts_its_scores_is_named_and_no_claim_is_judged(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    damage: Damage,
    cells: int,
    complaint: str,
) -> None:
    monkeypatch.setenv("CITECTX_RESULTS", str(tmp_path))
    folder, kept = tmp_path / "open" / "01", tmp_path / "open" / "ledger" / "verdicts.csv"
    for file in (folder, kept):
        file.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir()
    kept.write_text("as before")
    files = [folder / f"{NAME}{ending}" for ending in (".csv", SCORES)]
    table, scores = (read_csv(find(RESULTS / "open", file.name)) for file in files)
    changed = damage(table, scores)
    files[0].write_bytes(to_csv(changed[0]))
    files[1].write_bytes(to_gzip(to_csv(changed[1])))
    assert cli.main(["claims"]) == 1
    said = capsys.readouterr()
    assert not said.out and kept.read_text() == "as before"
    assert f"{files[0]}: {cells} cells contradict their scores: " in said.err
    assert complaint in said.err
    assert (f"(and {cells - NAMED} more)" in said.err) == (cells > NAMED)
