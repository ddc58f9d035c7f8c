"""Tables with their scores, and ``citectx claims`` on a committed one that somebody changed."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from citectx import cli
from citectx.errors import DataError
from citectx.experiments.results import COLUMNS, find, to_csv
from citectx.experiments.tables import read_csv
from citectx.ledger import Results
from citectx.ledger.results import SCORES
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


@pytest.mark.parametrize("damage", [raised, rescored])
def test_a_cell_that_contradicts_its_scores_is_named_and_no_claim_is_judged(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    damage: Damage,
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
    assert f"{files[0]}: 1 cells contradict their scores: {CELL}: 0." in said.err


HEADER = ",".join(COLUMNS)
ROW = 'exp,home,A,c-F,30.0,19.0,42.0,,1,"{""mu"": 10, ""k"": 3}",0'


def results(folder: Path, *rows: str, header: str = HEADER, scores: str = "") -> Results:
    (folder / "exp.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    if scores:
        (folder / "exp.citances.csv.gz").write_bytes(gzip.compress(scores.encode()))
    return Results(folder)


def test_a_table_comes_with_its_scores(tmp_path: Path) -> None:
    text = "corpus,topic,citance,method,c-F\nhome,001,NA,A,30\nhome,1,,A,\n"
    read = results(tmp_path, ROW, "exp,away,A,n,3,,,,10,{},0", scores=text)
    assert read.corpora("exp") == ["away", "home"]
    table, scores = read.read("exp")
    assert table["value"].tolist() == [30.0, 3.0]
    assert scores["topic"].tolist() == ["001", "1"] and scores["citance"].tolist() == ["NA", ""]
    assert scores["c-F"].isna().tolist() == [False, True]


def test_an_experiment_that_was_not_run_is_empty(tmp_path: Path) -> None:
    read = Results(tmp_path)
    assert read.corpora("exp") == [] and all(frame.empty for frame in read.read("exp"))


def test_a_table_without_a_column_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="columns"):
        results(tmp_path, ROW, header=HEADER.replace("ci_high", "ci")).read("exp")
