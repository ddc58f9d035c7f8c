"""What the documentation shows works as shown."""

import json
import re
import shlex
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest
import yaml

from citectx import cli, parallel, profiles
from citectx.apps.site.build import COLAB
from citectx.corpora import Corpus, csv_corpus
from citectx.experiments.results import find, read
from citectx.experiments.tuning import applicable
from citectx.papers.lrec2016 import training
from citectx.papers.sigir2017 import table1 as sigir2017_table1
from citectx.paths import RESULTS, ROOT
from citectx.retrieval import MODELS
from citectx.show import plotting

DOCS = ROOT / "docs"


def blocks(page: str, language: str) -> list[str]:
    text = (DOCS / page).read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def execute(code: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "documentation"}
    exec(compile(code, "documentation", "exec"), names)
    return names


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Do what "Add a method" says, and undo it."""
    method, line, compared, _ = blocks("add-a-method.md", "python")
    module = ModuleType("citectx.retrieval.coverage")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(method, "coverage.py", "exec"), vars(module))
    try:
        names = execute(line)
        exec(compile(compared, "documentation", "exec"), names)
        yield "Coverage"
    finally:
        MODELS.pop("Coverage", None)


def test_a_new_method_is_in_rows_tests_tuning_and_figures(toy: str) -> None:
    teaching = profiles.load("teaching")
    methods = [m for m in applicable("teaching", list(MODELS)) if m in ("VSM", "BM25", toy)]
    assert toy in methods
    result = sigir2017_table1.run([teaching], methods, beside=(), progress=False)
    assert toy in result.wide("teaching").index
    assert result.citances is not None
    for frame in (result.citances, result.extra["tests"], result.extra["tuning"]):
        assert toy in set(frame["method"])
    chosen = json.loads(result.table[result.table["method"] == toy]["params"].iloc[0])["chosen"]
    assert sum(chosen["a"].values()) == len(teaching)
    figure = plotting.methods_against_paper(result.table, {}, ["c-F"], "")
    assert toy in [label.get_text() for label in figure.axes[0].get_yticklabels()]
    figure = plotting.tuning_curves(result.extra["tuning"], "")
    legend = figure.axes[-1].get_legend()
    assert legend is not None
    assert toy in [text.get_text() for text in legend.get_texts()]


def test_a_run_from_another_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    *_, code = blocks("add-a-method.md", "python")
    names = execute(code)
    assert len(names["mine"].rankings) == 40
    assert "mine" in capsys.readouterr().out
    assert (tmp_path / "qrels").exists()


@pytest.fixture
def own_corpus(tmp_path: Path) -> Path:
    """The complete example, written file by file as the page shows it."""
    page = (DOCS / "own-corpus.md").read_text("utf-8")
    files = re.findall(r"^`(mycorpus/\S+)`\n\n```text\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(files) == 4
    for name, content in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, "utf-8")
    return tmp_path


def test_own_corpus_by_spreadsheets(own_corpus: Path) -> None:
    corpus: Corpus = csv_corpus.read(own_corpus / "mycorpus")
    assert not corpus.findings
    gold = corpus["rest"].citances[0].gold
    assert gold["A"] == gold["B"]
    assert [len(t.citances) for t in corpus] == [2, 2]


@pytest.mark.usefixtures("quick")
def test_own_corpus_from_a_relative_path_to_the_table(
    own_corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (block,) = (b for b in blocks("own-corpus.md", "text") if "CITECTX_CORPUS" in b)
    (export, variable), (program, *words) = map(shlex.split, block.splitlines())
    assert (export, program) == ("export", "citectx")
    monkeypatch.setenv("CITECTX_RESULTS", "unused")
    monkeypatch.setenv(*variable.split("="))
    monkeypatch.chdir(own_corpus)
    assert cli.main(words) == 0
    table = read(own_corpus / "build" / "own" / "own", "sigir2017_table1")
    assert set(table["method"]) >= {"VSM", "BM25", "LMD"}


def test_reproduce_a_number_in_python(capsys: pytest.CaptureFixture[str]) -> None:
    cell, scores = blocks("reproduce-a-number.md", "python")
    execute(cell)
    assert 0 < float(capsys.readouterr().out) < 100
    names = execute(scores + "\nfound = stats.ttest_rel(wide['WE_Bio'], wide['BM25'])")
    table = read(RESULTS / "open", "sigir2017_table1")
    row = table[(table["corpus"] == "citation-integrity") & (table["metric"] == "nDCG")].set_index(
        "method"
    )
    assert names["wide"].mean().to_dict() == pytest.approx(row["value"].to_dict(), abs=1e-3)
    tests = pd.read_csv(find(RESULTS / "open", "sigir2017_table1.tests.csv"))
    tests = tests[
        (tests["corpus"] == "citation-integrity") & (tests["metric"] == "nDCG")
    ].set_index("method")
    assert tests.loc["WE_Bio", "against"] == "BM25"  # the pair that the page tests
    assert names["found"].pvalue == pytest.approx(tests.loc["WE_Bio", "t_test"], abs=1e-3)


def test_the_viewer_in_a_notebook() -> None:
    (code,) = blocks("viewer.md", "python")
    assert execute(code)["prepared"].topic.topic_id == "D9001_TEACH"


def test_scaling_on_the_teaching_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """With both pieces of work in this process: others train in processes, to the same weights."""
    asked = []

    def here(*work: Any, jobs: int, **how: Any) -> list[Any]:
        asked.append(jobs)
        return parallel.run(*work, **how)

    monkeypatch.setattr(training, "run", here)
    (code,) = blocks("scaling.md", "python")
    assert set(execute(code)["result"].table["corpus"]) == {"planted"}
    assert asked == [2]


def test_environments_for_elsewhere() -> None:
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text("utf-8"))
    assert container["postCreateCommand"] == "make .venv/.lab-ready"
    binder = yaml.safe_load((ROOT / ".binder" / "environment.yml").read_text("utf-8"))
    assert "python=3.12" in binder["dependencies"]
    build = (ROOT / ".binder" / "postBuild").read_text("utf-8")
    assert "-r requirements.lock -r requirements-lab.lock" in build
    assert textwrap.dedent(build).startswith("#!/usr/bin/env bash")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    colab = (ROOT / ".colab" / "requirements.txt").read_text("utf-8").splitlines()[1:]
    others = [each for each in project["dependencies"] if not each.startswith("ipykernel")]
    assert colab == others
    assert COLAB in (ROOT / "docs" / "getting-started.md").read_text("utf-8")
