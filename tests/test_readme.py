"""Numbers that README and the lessons quote of open data are those of `results/open`.

Each line below is a place, a fragment of its text, and the number that belongs there. A number that
moves fails here with the sentence that has to follow it.
"""

import json
import re
from collections.abc import Callable
from functools import cache
from math import isnan

import pandas as pd
import pytest

from citectx.experiments.results import find
from citectx.ledger import Results
from citectx.ledger.view import View
from citectx.paths import NOTEBOOKS, RESULTS, ROOT

OPEN = RESULTS / "open"
CI, TRAIN, GOLD = "citation-integrity", "scisumm-train", "scisumm-gold"
FULL = "citation-integrity-fulltext"
Number = Callable[[], str]


@cache
def text_of(place: str) -> str:
    """README, or what a lesson says of open data, on one line."""
    if place == "README":
        text = (ROOT / "README.md").read_text("utf-8")
    else:
        (path,) = NOTEBOOKS.glob(f"{place}_*.ipynb")
        cells = json.loads(path.read_text("utf-8"))["cells"]
        tagged = [c for c in cells if "open-data" in c["metadata"].get("tags", ())]
        text = "\n".join("".join(cell["source"]) for cell in tagged)
    return " ".join(text.split())


@cache
def frame_of(name: str) -> pd.DataFrame:
    return pd.read_csv(find(OPEN, f"{name}.csv"))


@cache
def results() -> Results:
    return Results(OPEN)


def written(value: float, digits: int, *, sign: bool = False, thousands: bool = False) -> str:
    """As text has a number; nothing is -0.0."""
    flags = "+" * sign + "," * thousands
    return f"{round(value, digits) + 0.0:{flags}.{digits}f}"


def with_interval(value: float, low: float, high: float, digits: int, *, sign: bool = True) -> str:
    number = written(value, digits, sign=sign)
    return f"{number} [{low:.{digits}f}, {high:.{digits}f}]"


def row_of(table: str, **where: object) -> pd.Series:
    """The one row that has these values."""
    frame = frame_of(table)
    for column, value in where.items():
        frame = frame[frame[column] == value]
    (row,) = frame.to_dict("records")
    return pd.Series(row)


def cell(table: str, corpus: str, method: str, metric: str, digits: int = 1) -> Number:
    return lambda: written(
        row_of(table, corpus=corpus, method=method, metric=metric)["value"], digits
    )


def count(table: str, corpus: str, method: str, metric: str) -> Number:
    """How many citances, topics or words a cell is the mean of."""
    return lambda: written(
        row_of(table, corpus=corpus, method=method, metric=metric)["n"], 0, thousands=True
    )


def difference(
    table: str, corpus: str, high: str, low: str, metric: str, digits: int = 1, scale: int = 1
) -> Number:
    """How far a row lies above another, with the interval over topics."""

    def number() -> str:
        found = View(results(), (table,), corpus).difference(high, low, metric)
        effect, lower, upper = (scale * x for x in (found.effect, found.ci_low, found.ci_high))
        assert not isnan(lower), f"{table} has no scores of {high} and {low}"
        return with_interval(effect, lower, upper, digits)

    return number


def effect(claim: str, corpus: str, verdict: str, digits: int = 3) -> Number:
    """The effect of a claim, in a sentence that rests on its verdict."""

    def number() -> str:
        paper, _, name = claim.partition("/")
        found = row_of("verdicts", paper=paper, id=name, corpus=corpus)
        assert found["verdict"] == verdict, f"{claim} is {found['verdict']}: rewrite the sentence"
        return with_interval(found["effect"], found["ci_low"], found["ci_high"], digits)

    return number


def sigir(high: str, low: str) -> Number:
    return difference("sigir2017_table1", CI, high, low, "c-F")


def summaries(high: str, low: str, metric: str = "LexRank RG-1") -> Number:
    return difference("sigir2017_table4", CI, high, low, metric)


def lrec(high: str, low: str) -> Number:
    return difference("lrec2016_figure3", FULL, high, low, "NDCG", 3)


def acl(high: str, low: str, metric: str, corpus: str = TRAIN) -> Number:
    return difference("acl2008_table1", corpus, high, low, f"ROUGE-L @{metric}", 3)


README = [
    ("(ten articles, {} citances)", count("sigir2017_table1", CI, "BM25", "c-F")),
    ("the difference is {} points of c-F", sigir("WE_Bio+dmn", "BM25")),
    ("in the paper, it is {}, in the paper +3.2", sigir("WE_Bio+dmn", "QR")),
    ("and synonyms, is {} from the plain citance", sigir("QR", "VSM")),
    ("gain {} points of ROUGE-1", effect("sigir2017/dmn-beats-no-context", CI, "smaller", 1)),
    ("BM25's, {}, which in the paper do worse", summaries("BM25", "No Context")),
    ("sentences drawn at random, {}:", summaries("Random Context", "No Context")),
    ("differ from these by {}.", summaries("WE_Bio+dmn", "Random Context")),
    ("change F-1 by {}", effect("naacl2015/np-expand-beats-baseline", CI, "smaller")),
    ("**lrec2016** ({} citations)", count("lrec2016_figure3", FULL, "all", "NDCG")),
    ("beat equal ones by {} NDCG", effect("lrec2016/weights-help", FULL, "holds")),
    ("the classes beat these labels, by {}", lrec("all", "shuffled labels")),
    ("beats them as well, by {}", lrec("one field", "shuffled labels")),
    ("differ from that index by {}", lrec("all", "one field")),
    ("slices of equal length by {}", lrec("all", "fields of equal length")),
    ("untrained ones by {}", lrec("all", "fields of equal length baseline")),
    ("makes a difference of {} from one vector", lrec("by class", "one vector")),
    (
        "MEAD, by {} ROUGE-L",
        effect("acl2008/impact-model-beats-baselines", TRAIN, "inconclusive"),
    ),
    ("ROUGE-L ({}).", effect("acl2008/impact-model-beats-baselines", CI, "holds")),
    ("differs from the model by {}", acl("Longest", "KL-Divergence", "15")),
    (
        "the model leads it by {}",
        effect("acl2008/impact-model-beats-baselines-in-equal-words", TRAIN, "holds"),
    ),
    ("by BM25 it differs by {}", acl("KL-Divergence", "BM25", "250 words")),
    ("that we could see ({}", effect("acl2008/weights-beat-pooling", TRAIN, "inconclusive")),
]

QUOTED = [("README", *line) for line in README]


@pytest.mark.parametrize(
    ("place", "fragment", "number"), QUOTED, ids=[f"{place}: {text}" for place, text, _ in QUOTED]
)
def test_a_quoted_number_is_that_of_the_tables(place: str, fragment: str, number: Number) -> None:
    wanted = fragment.format(number())
    assert wanted in text_of(place), f"{place} must say: … {wanted} …"


def test_readme_counts_the_verdicts() -> None:
    verdicts = frame_of("verdicts")
    verdicts = verdicts[~verdicts["ours"]]
    text = (ROOT / "README.md").read_text("utf-8")
    header = re.search(r"^\| paper \| corpus \| claims \|.*$", text, re.MULTILINE)
    assert header
    names = [name.strip() for name in header[0].strip("|").split("|")]
    rows = re.findall(r"^\| (\w+\d{4}) \| ([\w-]+) \| (\d+) \|(.*)$", text, re.MULTILINE)
    assert len(rows) == verdicts["paper"].nunique()
    for paper, corpus, claims, rest in rows:
        found = verdicts[(verdicts["paper"] == paper) & (verdicts["corpus"] == corpus)]
        assert int(claims) == len(found)
        for name, value in zip(names[3:], rest.split("|"), strict=False):
            if name in {*verdicts["verdict"]}:
                assert int(value) == (found["verdict"] == name).sum(), (paper, name)
