"""A number explained: found by its names, on one screen, and as the files say that are named."""

import json
import re
import shlex
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from citectx import cli, profiles
from citectx.apps.explain import WIDTH, Asked, Shelf, asked, explained, named
from citectx.apps.explain.sections import _date
from citectx.errors import DataError, MissingDataError, ParameterError
from citectx.ledger import load, papers
from citectx.paths import RESULTS, ROOT

LINES = 42
OPEN = RESULTS / "open"


@pytest.fixture(scope="module")
def shelf() -> Shelf:
    return Shelf(profiles.profile("open"))


def sections(about: Asked) -> dict[str, str]:
    """The text of each section by its label, without line ends."""
    found, label = dict[str, str](), "title"
    for line in explained(about).splitlines():
        if line[0] != " ":
            label = line[:12].strip() if found else "title"
        found[label] = f"{found.get(label, '')} {line[12:].strip()}".strip()
    return found


TABLES = [(paper, table) for paper in papers() for table in load(paper).experiments]


def test_only_a_commit_is_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "written"
    assert _date(f"--output={file}") == _date("HEAD") == ""
    assert not file.exists()


@pytest.mark.parametrize(("paper", "table"), TABLES)
def test_every_number_that_a_claim_may_rest_on_is_explained(
    paper: str, table: str, shelf: Shelf
) -> None:
    if table not in shelf.files:
        pytest.skip(f"{table} is not committed")
    own = load(paper).experiments[table]
    frame = shelf.frame(table)
    known = {*zip(frame["method"], frame["metric"], strict=True)}
    for row, column in product(own.rows, own.columns):
        if (row, column) in known:
            about = asked(shelf, table, row, column)
            assert (about.row, about.metric) == (row, column)
            lines = explained(about).splitlines()
            assert len(lines) <= LINES
            assert max(map(len, lines)) <= WIDTH
            assert {line[:12].strip() for line in lines} >= {"number", "file", "made", "again"}


def test_what_is_told_is_what_files_say(shelf: Shelf) -> None:
    about = asked(shelf, "sigir2017_table1", "bm25", "ndcg")
    told = sections(about)
    file, line = told["file"].split(", line ")
    record = (ROOT / file).read_text("utf-8").splitlines()[int(line) - 1].split(",")
    assert record[:4] == ["sigir2017_table1", "citation-integrity", "BM25", "nDCG"]
    assert told["number"].startswith(f"{record[4]} [{record[5]}, {record[6]}], n = {record[8]}")
    frame = pd.read_csv(ROOT / file)
    column = frame[(frame["corpus"] == "citation-integrity") & (frame["metric"] == "nDCG")]
    rank = (column["value"] > float(record[4])).sum() + 1
    assert f"no. {rank} of the {len(column)} rows" in told["number"]
    published = pd.read_csv(ROOT / "citectx/papers/sigir2017/published/table1.csv", index_col=0)
    assert told["published"].startswith(str(published.loc["BM25", "nDCG"]))


def test_the_highest_and_lowest_scores_are_those_of_the_file(shelf: Shelf) -> None:
    told = sections(asked(shelf, "sigir2017_table4", "WE_Bio", "LexRank RG-1"))
    folder = shelf.files["sigir2017_table4"].parent
    scores = pd.read_csv(folder / "sigir2017_table4.citances.csv.gz")
    own = scores[(scores["method"] == "WE_Bio") & (scores["corpus"] == "citation-integrity")]
    found = own.set_index("topic")["LexRank RG-1"].sort_values()
    assert [part.split()[0] for part in told["lowest"].split("; ")] == found.index[:3].tolist()
    assert [part.split()[0] for part in told["highest"].split("; ")] == found.index[:-4:-1].tolist()
    assert told["mean over"] == "10 topics: made again from its scores"


def test_the_code_is_where_it_says(shelf: Shelf) -> None:
    for row, name in (("BM25", "class BM25"), ("WE_Bio+dmn", "class WEBioInterpolated")):
        told = sections(asked(shelf, "sigir2017_table1", row, "c-F"))["code"]
        places = re.findall(r"\((citectx/\S+\.py):(\d+)\)", told)
        file, line = places[0]
        found = (ROOT / file).read_text("utf-8").splitlines()[int(line) - 1 :][:2]
        assert any(each.startswith(name) for each in found), found
        assert "Source: sigir2017 §3.1, Table 1." in told


def test_headlines_are_told_under_all_readings_and_claims_with_their_verdicts(
    shelf: Shelf,
) -> None:
    told = sections(asked(shelf, "naacl2015_table2", "NP", "F-1"))
    curve = pd.read_csv(OPEN / "naacl2015_curve" / "naacl2015_curve.csv")
    own = curve[curve["corpus"] == "citation-integrity"].set_index(["method", "metric"])["value"]
    counts = own["NP over baseline in F-1"]
    assert (
        f"holds in {counts['holds']:.0f} of {counts['readings']:.0f} readings" in told["under all"]
    )
    assert "depth = 20 (or 3, 50)" in told["readings"]
    verdicts = pd.read_csv(OPEN / "ledger" / "verdicts.csv")
    own = verdicts[verdicts["corpus"] == "citation-integrity"].set_index("id")["verdict"]
    assert re.search(rf"{own['np-beats-baseline']} \S+ \S+ \S+ +np-beats-baseline", told["claims"])


def test_parameters_are_those_that_were_chosen(shelf: Shelf) -> None:
    told = sections(asked(shelf, "sigir2017_table1", "BM25", "c-F"))["parameters"]
    listed = re.findall(r"k1 = (.*?);? among", told)[0]
    assert sum(map(int, re.findall(r"\((\d+)\)", listed))) == 10
    assert "among 30 variants" in told


@pytest.mark.parametrize(
    ("table", "row", "metric", "corpus", "expected"),
    [
        ("table9", "BM25", "c-F", None, "unknown table 'table9'; known: .*'sigir2017_table1'"),
        ("sigir2017_table1", "BM52", "c-F", None, "unknown row 'BM52'; known: 'BM25'"),
        ("sigir2017_table1", "WE_", "c-F", None, "known: 'WE_Bio', 'WE_Bio.dmn'"),
        ("sigir2017_table1", "BM25", "F", None, "unknown metric 'F'; known: .*'c-F'"),
        ("sigir2017_table1", "BM25", "c-F", "tac", "unknown corpus 'tac'; known: 'citation-"),
    ],
)
def test_what_there_is_not_is_told_with_what_there_is(
    shelf: Shelf, table: str, row: str, metric: str, corpus: str | None, expected: str
) -> None:
    with pytest.raises(ParameterError, match=expected):
        asked(shelf, table, row, metric, corpus)


def test_names_in_either_case_and_by_a_beginning() -> None:
    known = ["WE_Bio", "WE_Bio+dmn", "we_bio", "LMD"]
    assert named("row", "l", known) == "LMD"
    assert named("row", "we_bio", known) == "we_bio"
    with pytest.raises(ParameterError, match=r"known: 'WE_Bio', 'we_bio'$"):
        named("row", "WE_BIO", known)


def small(folder: Path, *, value: float = 2.0) -> None:
    """A table of the teaching profile, as an experiment writes it."""
    from citectx.experiments.report import Cell, tabulate
    from citectx.experiments.results import Result

    scores = pd.DataFrame({"topic": ["a", "a", "b"], "citance": ["1", "2", "1"]})
    scores = scores.assign(method="BM25", **{"c-F": [1.0, 2.0, 3.0]})
    scores.insert(0, "corpus", "teaching")
    cells = [Cell("BM25", "c-F", value, 3), Cell("count", "topics", 2.0, 2)]
    table = tabulate("sigir2017_table1", "teaching", cells, 0, {"k": 3})
    Result("sigir2017_table1", table, scores, data={"teaching": "1a"}).write(folder)


@pytest.fixture
def teaching(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CITECTX_RESULTS", str(tmp_path))
    return tmp_path / "teaching" / "01_tac_table1_contextualization"


WORDS = "explain sigir2017_table1 bm25 c-F --profile teaching".split()


def test_a_run_on_the_teaching_corpus(teaching: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(WORDS) == 1
    assert "citectx run --profile teaching" in capsys.readouterr().err
    small(teaching)
    assert cli.main(WORDS) == 0
    told = capsys.readouterr().out
    assert "number      2.0000, n = 3: no. 1 of the 1 rows" in told
    assert "3 citances of 2 topics" in told
    assert "highest     b 1 3; a 2 2; a 1 1" in told
    assert "again       citectx run --profile teaching --only 01\n" in told
    assert "data: teaching 1a" in told


def test_a_table_that_contradicts_its_scores_is_refused(teaching: Path) -> None:
    small(teaching, value=2.5)
    with pytest.raises(DataError, match="contradict"):
        asked(Shelf(profiles.profile("teaching")), "sigir2017_table1", "BM25", "c-F")


@pytest.mark.parametrize(
    ("about", "expected"),
    [
        ({"tables": {"sigir2017_table1": {"data": ["1a"]}}}, "data is"),
        ({"command": "citectx 'run"}, "No closing quotation"),
        ({"tables": {"sigir2017_table1": {"commit": 7, "data": {"teaching": 7}}}}, ""),
        ({}, ""),
    ],
)
def test_a_damaged_run_json_is_named(
    teaching: Path, about: dict[str, object], expected: str
) -> None:
    small(teaching)
    (teaching / "run.json").write_text(json.dumps(about))
    found = asked(Shelf(profiles.profile("teaching")), "sigir2017_table1", "BM25", "c-F")
    if not expected:
        assert "again       citectx run --profile teaching" in explained(found)
        return
    with pytest.raises(DataError, match=rf"run\.json: .*{expected}"):
        explained(found)


def test_no_results_are_told(teaching: Path) -> None:
    assert not teaching.exists()
    with pytest.raises(MissingDataError, match="run: citectx run"):
        asked(Shelf(profiles.profile("teaching")), "sigir2017_table1", "BM25", "c-F")


def test_a_number_that_is_no_mean_says_so(shelf: Shelf) -> None:
    told = sections(asked(shelf, "sigir2017_table2", "WE_Bio", "gene"))
    assert told["mean over"].startswith("nothing that was kept")
    assert "highest" not in told


def test_a_command_is_told_without_folders_of_the_machine(shelf: Shelf) -> None:
    for table in shelf.files:
        frame = shelf.frame(table)
        if frame.duplicated(["corpus", "method", "metric"]).any():
            continue
        first = frame.iloc[0]
        about = asked(shelf, table, first["method"], first["metric"], first["corpus"])
        told = sections(about)
        assert told["again"].startswith(("citectx ", "python -m citectx."))
        assert not re.search(r"\s/\w", told["again"])
        assert np.isfinite(first["value"])


def test_the_page_shows_what_the_command_tells(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "reproduce-a-number.md").read_text("utf-8")
    shown = re.findall(r"^\$ (citectx explain .*)\n((?:[^`].*\n)+)```", page, re.MULTILINE)
    assert shown
    for command, expected in shown:
        assert cli.main(shlex.split(command)[1:]) == 0
        assert masked(capsys.readouterr().out) == masked(expected), f"paste what {command} prints"


def masked(text: str) -> str:
    """Numbers, lines and commits may move with results and code; what is told may not."""
    words = re.sub(r"commit \w+|[A-Z]+\d+", "…", text).split()
    return " ".join(re.sub(r"[-+]?\d[\d.]*", "#", word) for word in words)
