"""A number explained: found by its names, with the files that it rests on."""

import json
from pathlib import Path

import pandas as pd
import pytest

from citectx.errors import ParameterError
from citectx.explain import complete, explain, published
from citectx.ledger.verdicts import FILE
from citectx.paths import RESULTS, ROOT
from tests.conftest import Ask

VERDICTS = pd.read_csv(RESULTS / "open" / FILE)
TABLES = sorted(file for file in (RESULTS / "open").glob("0[1-8]*/*.csv") if "." not in file.stem)


def told(table: str, row: str, metric: str, corpus: str) -> dict[str, str]:
    """What is told of a number, by its label."""
    _, *lines = explain(table, row, metric, corpus).splitlines()
    return {line[:14].strip(): line[14:] for line in lines if line[2] != " "}


def test_what_is_told_is_what_the_files_say() -> None:
    found = told("sigir2017_table1", "bm25", "ndcg", "citation-integrity")
    file, line = found["table"].split(", line ")
    cell = pd.read_csv(ROOT / file).iloc[int(line) - 2]
    names = cell[["corpus", "method", "metric"]].tolist()
    assert names == ["citation-integrity", "BM25", "nDCG"]
    assert found["value"] == "56.92 [52.63, 61.21], n = 218" and round(cell["value"], 2) == 56.92
    scores = pd.read_csv(ROOT / found["scores"])
    own = scores[(scores["corpus"] == "citation-integrity") & (scores["method"] == "BM25")]
    assert own["nDCG"].mean() == pytest.approx(cell["value"], abs=1e-4)
    assert found["paper"] == "38.1 (citectx/papers/sigir2017/published/table1.csv)"
    assert found["code"] == "citectx/papers/sigir2017/table1.py"
    assert found["made by"] == "citectx run --profile open --only 01"
    assert found["parameters"].startswith("depth=20, folds=10, k=3, ")
    assert found["chosen"] == "b=0.5 in 9 folds, 0.75 in 1"


def test_json_has_every_column_unrounded(ask: Ask) -> None:
    number = "sigir2017_table1", "BM25", "nDCG", "--corpus", "citation-integrity"
    [told] = json.loads(ask("explain", *number, "--json").out)
    assert told["value"] == 56.9208 and told["p_value"] is None
    assert told["params"]["chosen"]["b"] == {"0.5": 9, "0.75": 1}
    rows = json.loads(ask("explain", "bio-beats-wiki", "--json").out)
    assert [*rows[0]] == [*VERDICTS.columns]
    assert len(rows) == (VERDICTS["id"] == "bio-beats-wiki").sum()


@pytest.mark.parametrize("file", TABLES, ids=lambda file: file.stem)
def test_a_number_of_each_table_is_explained(file: Path) -> None:
    cell = pd.read_csv(file).iloc[-1]
    found = told(file.stem, cell["method"], cell["metric"], cell["corpus"])
    assert found["table"].startswith(file.relative_to(ROOT).as_posix())
    assert (ROOT / found["code"]).is_file()
    assert found["made by"].startswith("citectx run")


def test_papers_whose_tables_have_methods_as_columns() -> None:
    found = told("acl2008_table1", "KL", "ROUGE-1 @3", "scisumm-train")
    assert found["paper"].startswith("0.323 ")


@pytest.mark.parametrize(("row", "metric"), [("full", "overlap sd"), ("alpha", "value")])
def test_what_a_paper_does_not_print_is_said(row: str, metric: str) -> None:
    assert published("naacl2015_table1", row, metric) == "prints no such number"


def test_without_a_corpus_all_of_them_are_told(ask: Ask) -> None:
    told = ask("explain", "sigir2017_table1", "VSM", "c-F").out
    heads = [line for line in told.splitlines() if not line.startswith(" ")]
    assert heads[0] == "sigir2017_table1: VSM, c-F, on citation-integrity"
    assert len(heads) > 1


@pytest.mark.parametrize(
    "asked", ["bio-beats-wiki", "verdicts bio-beats-wiki effect", "BIO-BEATS-W"]
)
def test_a_claim_is_explained(asked: str, ask: Ask) -> None:
    told = ask("explain", *asked.split(), "--corpus", "citation-integrity-31").out
    row = VERDICTS.query("id == 'bio-beats-wiki' and corpus == 'citation-integrity-31'")
    assert told.startswith(f"bio-beats-wiki (sigir2017, {row['where'].item()}): ")
    assert f"verdict     {row['verdict'].item()}\n  stage       {row['stage'].item()}\n" in told
    assert f"effect      {row['effect'].item():+.3g} [" in told
    assert f"verdicts.csv, line {row.index.item() + 2}" in told
    assert told.endswith("made by     citectx claims --profile open\n")


def test_a_claim_that_was_not_run_has_no_effect(ask: Ask) -> None:
    for claim in VERDICTS["id"].unique():
        told = ask("explain", claim)
        assert told.code == 0 and "nan" not in told.out.split()


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("sigir2017_table1 BM25 nDCG", "yet; run: citectx run --profile teaching --only 01\n"),
        ("bio-beats-wiki", "is missing; run: citectx claims --profile teaching"),
    ],
)
def test_before_a_run_the_command_that_makes_a_table_is_named(
    asked: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ask: Ask
) -> None:
    monkeypatch.setenv("CITECTX_RESULTS", str(tmp_path))
    told = ask("explain", *asked.split(), "--profile", "teaching")
    assert told.code == 1 and says in told.err


@pytest.mark.parametrize("given", ["WE", "x"])
def test_names_that_are_not_clear_are_listed(given: str) -> None:
    with pytest.raises(ParameterError, match="'WE_Bio', 'WE_Wiki'"):
        complete("row", given, ["WE_Bio", "WE_Wiki"])
