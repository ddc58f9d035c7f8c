"""Runs of CL-SciSumm: made-up files, those of 2020, and the scores that their organisers gave."""

import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import citectx
from citectx import cli
from citectx.beyond import scisumm_runs as runs
from citectx.catalogue import load
from citectx.corpora import sources
from citectx.corpora.model import Corpus
from citectx.corpora.text_files import csv_rows
from citectx.errors import DataError, MissingDataError
from citectx.paths import ROOT
from citectx.storage import sha256

HEADER = "Citance Number,Reference Article,Citing Article,Citation Text,Reference Offset,"
SAMPLE = Path(__file__).parents[1] / "samples" / "scisumm-gold" / "data"


@pytest.fixture
def gold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Corpus:
    """One topic, two people, two citing sentences of one article; sentence 1 is always evidence."""
    monkeypatch.setenv("CITECTX_DATA", str(tmp_path / "data"))
    (upstream,) = sources.source("scisumm-corpus").upstream
    place = tmp_path / "data" / "scisumm-corpus" / Path(upstream).name / "data"
    shutil.copytree(SAMPLE, place)
    return load("scisumm-gold")


def write(folder: Path, *rows: str) -> Path:
    """Write a run of one topic, as a team might have."""
    file = folder / "mine" / "input" / "res" / "Task1" / "P99-1.annv3.csv"
    file.parent.mkdir(parents=True)
    file.write_text("\n".join([f"{HEADER}Reference Text", *rows]))
    return folder / "mine"


FIRST, SECOND = "1,P99-1,W01-2,They rest.", '2.0,P99-1.xml,W01-2.xml,<S sid="3">We agree</S>'


@pytest.mark.parametrize(
    ("rows", "spans", "counts"),
    [
        ([f"{FIRST},\"['1', '3']\",<S>x</S>"], {"1": ["1", "3"]}, (1, 1, 0)),
        (
            [f'{FIRST},"2, 1",<S>x</S>', f"{SECOND},'3',<S>x"],
            {"1": ["2", "1"], "2": ["3"]},
            (0, 1, 1),
        ),
        ([f"{FIRST},'1',dummy", f"{FIRST},2,dummy"], {"1": ["1", "2"]}, (0, 0, 1)),
        ([f'{FIRST},,"<S sid =""2"">x</S>"'], {"1": ["2"]}, (0, 1, 1)),
        (
            [f"{FIRST},1,x", f"{FIRST},9,<S>x</S>", "1,P99-1,W01-2,Who?,1,NA", f"{FIRST},,<S>x"],
            {"1": ["1"]},
            (0, 1, 1),
        ),
    ],
)
def test_rows_become_spans_for_us_and_counts_for_the_organisers(
    gold: Corpus,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    rows: list[str],
    spans: dict[str, list[str]],
    counts: tuple[int, int, int],
) -> None:
    ((name, read),) = runs.read_runs(write(tmp_path, *rows)).items()
    with caplog.at_level("INFO"):
        run = runs.to_run(gold, name, read)
    assert name == "mine"
    sids = {span: sid for sid, span in gold["P99-1"].reference.sentence_spans.items()}
    places = zip(run["start"], run["end"], strict=True)
    told = run.assign(sid=[sids[place] for place in places])  # type: ignore[index]
    assert told.groupby("citance")["sid"].agg(list).to_dict() == spans
    found = "3 findings in mine, the first is P99-1.annv3.csv:3: left out, since"
    assert [message[: len(found)] for message in caplog.messages] == [found] * (len(rows) == 4)
    units = runs.official(runs.entries(read))
    for _, file in units.groupby("file"):
        cases = [*zip(file["side"], file["right"], strict=True)]
        wanted = (("gold", True), ("run", False), ("gold", False))
        assert tuple(map(cases.count, wanted)) == counts


def test_a_folder_without_a_run_and_a_run_of_other_topics(gold: Corpus, tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match="holds no file of a run, such as A00-2018"):
        runs.read_runs(tmp_path / "data" / "scisumm-runs-2020")
    ((name, read),) = runs.read_runs(write(tmp_path, "1,P99-1,W01-2,Who?,1,<S>x")).items()
    with pytest.raises(
        DataError, match=r"mine: no row fits scisumm-gold; the first is P99-1\.annv3\.csv:2: left"
    ):
        runs.to_run(gold, name, read)


def test_the_form_has_the_first_spans_of_a_ranking(gold: Corpus, tmp_path: Path) -> None:
    rows = [f'{FIRST},"3,2,1",<S>x', f'{SECOND},"2,1",<S>x']
    ((name, read),) = runs.read_runs(write(tmp_path, *rows)).items()
    run = runs.to_run(gold, name, read)
    assert runs.fill_in(gold, run, k=9) == runs.entries(read)
    assert runs.fill_in(gold, run, k=1) == [("P99-1", "P99-1", "W01-2", "2")]
    split = run.assign(start=run["start"] + 1)
    assert {sid for *_, sid in runs.fill_in(gold, split, k=1)} == {""}


def test_a_made_up_run_enters_the_leaderboard_as_the_page_says(
    gold: Corpus,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = (ROOT / "docs" / "leaderboard.md").read_text("utf-8")
    blocks = re.findall(r"^```text\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    (table,) = (block for block in blocks if block.startswith("Reference Article"))
    (commands,) = (block for block in blocks if "scisumm-gold" in block)
    (line,) = (block for block in blocks if block.startswith("|"))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "P99-1.csv").write_text(table)
    monkeypatch.chdir(tmp_path)
    for command in commands.splitlines():
        assert cli.main(shlex.split(command)[1:]) == 0
    told = capsys.readouterr().out
    values = dict(re.findall(r"^ +mine +(\S.*?) +\d+ +([\d.]+)", told, re.MULTILINE))
    assert [*values] == ["c-F", "nDCG", "c-P@1", "official F1", "official F1 (macro)"]
    assert values["official F1"] == values["official F1 (macro)"] == "66.6667"  # P 1/2, R 1
    upstream, judged, version = told.splitlines()[-3:]
    assert upstream.removeprefix("data: ") in page
    citectx.to_qrels(gold, tmp_path / "qrels")
    assert judged == f"qrels: {sha256(tmp_path / 'qrels')}"
    assert version == f"citectx: {citectx.__version__}"
    header, *_ = re.findall(r"^\| run .*\|$", page, re.MULTILINE)
    assert line.count("|") == header.count("|")


# --- the 110 runs of 2020


@pytest.fixture(scope="module")
def sent(open_corpus: Callable[[str], Path]) -> Path:
    return open_corpus("scisumm-runs-2020") / "CLSciSumm_2020_Evaluation"


@pytest.mark.slow
@pytest.mark.open_data
def test_the_rule_gives_the_scores_of_the_organisers(sent: Path) -> None:
    read, equal, others = runs.read_runs(sent), 0, []
    assert len(read) == 110
    for file in sent.rglob("scores.txt"):
        text = file.read_text("utf-8")
        parts = [sent.name, *file.parent.relative_to(sent).parts]
        name = "/".join(p for p in parts if p.lower() not in runs.LEVELS | {"output"})
        ours = runs.f1(runs.official(runs.entries(read[name])))
        theirs = [float(x) for x in re.findall(r"task1a_f1_m[ai]cro_avg: (\S+)", text)]
        if ours == pytest.approx(theirs, abs=1e-9):
            equal += 1
        else:
            others.append(name)
    gold = sources.folder("scisumm-corpus") / "data" / "Test-Set-2018-Gold" / "Task1"
    files = {path.stem: runs.entries(csv_rows(path, runs.NEEDED)) for path in gold.glob("*.csv")}
    of_others = {name for name, marked in files.items() if all(e[0] != e[1] for e in marked)}
    assert of_others == {"A00-2030_aakansha", "P08-1102_aakansha", "P08-1102_sweta"}
    assert equal == 98
    assert [Path(name).name for name in others] == ["57-Team MLU"]


@pytest.mark.slow
@pytest.mark.open_data
def test_rows_that_fit_nothing_and_runs_as_rankings(
    sent: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    gold, count = load("scisumm-gold"), {}
    for name, read in runs.read_runs(sent).items():
        caplog.clear()
        run = runs.to_run(gold, name, read)
        team, *rest = Path(name).parts[1:]
        if caplog.messages:
            count[team[:2], *rest] = int(caplog.messages[0].split()[0])
        if rest == ["run_sembert_scibert_all_top2"]:
            assert runs.fill_in(gold, run, k=2) == runs.entries(read)
    assert sum(count.pop(("54", name)) for name in ("run104", "run106", "run109")) == 288
    assert {*count.values()} == {1, 54}
