"""Scores under a reading: those of our tables under the declared one, kept, and judged again."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest

from citectx import ledger, profiles
from citectx.errors import MissingDataError
from citectx.experiments.results import find
from citectx.ledger import Results
from citectx.ledger.readings import declared
from citectx.ledger.view import View
from citectx.papers import curves
from citectx.papers.curves import Item
from citectx.paths import RESULTS

OPEN = RESULTS / "open"
TABLES = {
    "naacl2015": ("naacl2015_table2", "F-1"),
    "acl2008": ("acl2008_table1", "ROUGE-L @15"),
    "sigir2017-summaries": ("sigir2017_table4", "LexRank RG-1"),
}
DRAWN = ["Random", "Random Context"]
"""Rows that are means over several draws here, or over others."""


def committed(paper: str) -> pd.DataFrame:
    name = curves.experiment(paper)
    file = OPEN / name / f"{name}.readings.csv"
    if not file.is_file():
        pytest.skip(f"{paper}: no readings are committed")
    return pd.read_csv(file)


@pytest.mark.parametrize("paper", curves.CURVES)
def test_under_the_declared_reading_effects_are_those_of_our_tables(paper: str) -> None:
    table = committed(paper)
    claims = ledger.load(declared(paper).paper)
    default = {name: str(choice) for name, choice in declared(paper).default.items()}
    named = [dict(row) for row in table[[*default]].astype(str).to_dict("records")]
    chosen = table[[row == default for row in named]]
    firsts = chosen[chosen["role"] == "claim"].groupby(["corpus", "claim"]).first().reset_index()
    assert len(firsts) == firsts["corpus"].nunique() * len({*table["claim"]})
    for row in firsts.to_dict("records"):
        better, column = re.split(" over .* in ", row["headline"])
        view = View(Results(OPEN), claims[row["claim"]].tables, row["corpus"])
        found = view.difference(better, row["against"], column)
        for name in ("effect", "ci_low", "ci_high"):
            assert row[name] == pytest.approx(getattr(found, name), abs=2e-4), (row["claim"], name)


@pytest.mark.parametrize("paper", curves.CURVES)
def test_readings_are_all_that_are_declared(paper: str) -> None:
    table, found = committed(paper), declared(paper)
    listed = {
        json.dumps(s) for s in ({n: str(c) for n, c in s.items()} for s in found.specifications())
    }
    for _, own in table.groupby(["corpus", "headline", "against", "role"]):
        assert {
            json.dumps(row) for row in own[[*found.readings]].astype(str).to_dict("records")
        } <= listed


@pytest.mark.parametrize("paper", TABLES)
def test_one_choice_at_a_time_on_the_teaching_corpus(paper: str, tmp_path: Path) -> None:
    result = curves.run(paper, ["teaching"], drawn=0)
    wide = result.table.pivot_table("value", "method", "metric")
    assert (wide["holds"] + wide["contradicted"] <= wide["readings"]).all()
    assert (wide["smallest"] <= wide["median"]).all()
    long = result.extra["readings"]
    first = long.iloc[0]
    assert first["effect"] == wide.loc[first["headline"], "declared"]
    result.write(tmp_path)
    assert len(pd.read_csv(tmp_path / f"{result.experiment}.readings.csv")) == len(long)


@pytest.mark.parametrize("paper", TABLES)
def test_scores_that_are_kept_are_those_that_were_computed(
    paper: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITECTX_CACHE", str(tmp_path))
    item = Item(paper, "teaching", declared(paper).default)
    first = curves.scores(item)
    kept = [*tmp_path.rglob("*.npz")]
    pd.testing.assert_frame_equal(first, curves.scores(item))
    assert [*tmp_path.rglob("*.npz")] == kept


def test_a_control_keeps_as_many_words_as_the_reformulation() -> None:
    from citectx.experiments.contextualization import prepare
    from citectx.papers.naacl2015 import curve
    from citectx.papers.naacl2015.table2 import PROTOCOL

    topics = prepare(profiles.load("teaching"), PROTOCOL)
    asked = curve._asked(topics, curve._model("teaching", "log"))
    plain = asked["baseline"][0]
    for name, row in (("random words", "NP"), ("random words (KW)", "KW")):
        for drawn in asked[name]:
            sizes = [
                (len(a), min(len(b), len(p)))
                for a, b, p in zip(drawn, asked[row][0], plain, strict=True)
            ]
            assert all(one == two for one, two in sizes)
            assert all(a.items() <= p.items() for a, p in zip(drawn, plain, strict=True))
    for drawn in asked["NP+random names"]:
        pairs = zip(drawn, asked["NP"][0], asked["NP+expand"][0], strict=True)
        assert all({*own} <= {*found} and len(found) <= len(more) for found, own, more in pairs)


@pytest.mark.open_data
def test_scores_are_those_of_the_tables() -> None:
    for paper, (experiment, metric) in TABLES.items():
        corpus = "citation-integrity"
        try:
            scores = curves.scores(Item(paper, corpus, declared(paper).default))
        except MissingDataError as error:
            pytest.skip(str(error))
        table = pd.read_csv(find(OPEN, f"{experiment}.csv"))
        ours = table[(table["corpus"] == corpus) & (table["metric"] == metric)]
        expected = ours.set_index("method")["value"]
        means = scores.groupby(["method", "topic"])[metric].mean().groupby("method").mean()
        shared = expected.index.intersection(means.index).drop(DRAWN, errors="ignore")
        assert len(shared) >= 3
        assert means[shared].to_numpy() == pytest.approx(expected[shared].to_numpy(), abs=6e-5)
