"""Scores under a reading: under the declared one those of our tables, and judged again."""

import json
import re
from collections import defaultdict
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest

from citectx import ledger, profiles
from citectx.experiments.contextualization import prepare
from citectx.experiments.results import find
from citectx.ledger import open_results
from citectx.ledger.claim import better as order
from citectx.ledger.readings import NUMBERS, Curve, run
from citectx.ledger.verdicts import evidence_of
from citectx.papers.acl2008 import readings as acl2008
from citectx.papers.lrec2016 import readings as lrec2016
from citectx.papers.naacl2015 import readings as naacl2015
from citectx.papers.naacl2015.queries import DRAWS, FEWER, draw_queries, queries
from citectx.papers.naacl2015.readings import IDF, PHRASES, ROWS
from citectx.papers.naacl2015.table2 import PROTOCOL
from citectx.papers.sigir2017 import readings as sigir2017
from citectx.paths import RESULTS

OPEN = RESULTS / "open"
CURVES = [*acl2008.CURVES, *lrec2016.CURVES, *naacl2015.CURVES, *sigir2017.CURVES]
WHOLE = [curve for curve in CURVES if not curve.name.endswith("_second_curve")]
"""Those of all topics of their corpora: the second domain has 150 of its papers."""

each_curve = pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.name)


def committed(curve: Curve) -> pd.DataFrame:
    return pd.read_csv(find(OPEN, f"{curve.name}.readings.csv"))


@pytest.mark.parametrize("curve", WHOLE, ids=lambda curve: curve.name)
def test_under_the_declared_reading_effects_are_those_of_our_tables(curve: Curve) -> None:
    table, claims = committed(curve), ledger.load(curve.paper)
    first = {name: str(choice) for name, choice in curve.specifications()[0].items()}
    named = [dict(row) for row in table[[*first]].astype(str).to_dict("records")]
    chosen = table[[row == first for row in named]]
    firsts = chosen[chosen["role"] == "claim"].groupby(["corpus", "claim"]).first().reset_index()
    assert len(firsts) == firsts["corpus"].nunique() * len({*table["claim"]})
    for row in firsts.to_dict("records"):
        better, column = re.split(" over .* in ", row["headline"])
        evidence = evidence_of(
            claims, open_results(OPEN), claims[row["claim"]].tables, row["corpus"]
        )
        check = order(better, row["against"], column)
        found = check.compare(evidence, evidence.scores(check.cells())).ours.at((0, 0))
        if row["against"] == "shuffled labels":
            # three deals per reading, twenty in the table: the mean moves, and its interval with it
            assert row["effect"] == pytest.approx(found.effect, abs=2e-3)
            width = 2 * found.reach()
            assert row["ci_high"] - row["ci_low"] == pytest.approx(width, rel=0.2)
            continue
        for name, expected in zip(NUMBERS, found.numbers, strict=True):
            assert row[name] == pytest.approx(expected, abs=2e-4), (row["claim"], name)


@pytest.mark.parametrize(
    ("name", "table", "papers", "near"),
    [
        # one of the 150 has no candidate sentence
        ("sigir2017_summaries_second_curve", "sigir2017_table4", 149, 2e-4),
        # p(w|D) counts the 150 papers, and in the table all
        ("acl2008_second_curve", "acl2008_table1", 150, 5e-3),
    ],
)
def test_readings_of_the_second_domain_begin_with_the_table_on_their_papers(
    name: str, table: str, papers: int, near: float
) -> None:
    (curve,) = (curve for curve in CURVES if curve.name == name)
    first = committed(curve).iloc[0]
    better, column = re.split(" over .* in ", first["headline"])
    scores = open_results(OPEN)(table)[first["corpus"]][1]
    wide = scores.pivot_table(column, "topic", "method")
    lowest = sorted(wide.index, key=lambda topic: sha256(topic.encode()).hexdigest())[:papers]
    gain = (wide[better] - wide[first["against"]])[lowest].mean()
    assert first["effect"] == pytest.approx(gain, abs=near)


@each_curve
def test_committed_readings_are_all_that_are_declared(curve: Curve) -> None:
    every = [{n: str(c) for n, c in one.items()} for one in curve.specifications()]
    for _, own in committed(curve).groupby(["corpus", "headline", "against", "role"]):
        rows = own[[*curve.readings]].astype(str).to_dict("records")
        assert {json.dumps(row) for row in rows} <= {json.dumps(one) for one in every}


@pytest.mark.slow
@pytest.mark.parametrize("paper", [acl2008, naacl2015, sigir2017])
def test_one_choice_at_a_time_on_the_teaching_corpus(paper: ModuleType, tmp_path: Path) -> None:
    result = run(replace(paper.CURVES[-1], drawn=0, corpora=("teaching",)))
    wide = result.table.pivot_table("value", "method", "metric")
    assert (wide["holds"] + wide["contradicted"] <= wide["readings"]).all()
    assert (wide["smallest"] <= wide["median"]).all()
    first = result.extra["readings"].iloc[0]
    assert first["effect"] == wide.loc[first["headline"], "declared"]
    assert result.write(tmp_path).is_file()


def test_a_control_keeps_as_many_words_as_the_reformulation() -> None:
    rows = queries("teaching", prepare(profiles.load("teaching"), PROTOCOL), ROWS)
    controls = defaultdict(list)
    for name, drawn in draw_queries(rows):
        controls[name].append(drawn)
    assert {len(draws) for draws in controls.values()} == {DRAWS}
    for name, row in FEWER.items():
        for drawn in controls[name]:
            for query, like, whole in zip(drawn, rows[row], rows["baseline"], strict=True):
                assert len(query) == min(len(like), len(whole)) and query.items() <= whole.items()
    for drawn in controls["NP+random names"]:
        for query, less, more in zip(drawn, rows["NP"], rows["NP+expand"], strict=True):
            assert {*less} <= {*query} and len(query) <= len(more)


def test_the_logarithm_moves_the_threshold_and_phrases_may_be_of_any_length() -> None:
    topics = prepare(profiles.load("teaching"), PROTOCOL)
    sizes = {}
    for name, threshold in IDF.items():
        limits = {"longest": PHRASES["any length"], "threshold": threshold}
        rows = queries("teaching", topics, ROWS, **limits)
        sizes[name] = sum(map(len, rows["KW"]))
    assert sizes["log10"] < sizes["ln"] < sizes["log2"] < sizes["no logarithm"]
    limited = queries("teaching", topics, ["NP"])["NP"]
    both = zip(limited, rows["NP"], strict=True)
    assert all(less.keys() <= more.keys() for less, more in both)
