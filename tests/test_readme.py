"""Numbers that README and the lessons quote of open data are those of `results/open`.

Each line of `QUOTED` is a place, a fragment of its text, and the numbers that belong there. Where a
number moves, the test shows the sentence that has to follow it.
"""

import json
import re
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import pandas as pd
import pytest

from citectx import ledger
from citectx.evaluation.agreement import LEVELS
from citectx.experiments.results import find
from citectx.ledger import load, open_results, papers
from citectx.ledger.claim import better
from citectx.ledger.evidence import Results
from citectx.ledger.rule import BELOW, NO_CONTROL, NOT_BEYOND
from citectx.ledger.verdicts import evidence_of
from citectx.paths import NOTEBOOKS, RESULTS, ROOT
from citectx.show.tables import published
from docs import headlines

OPEN = RESULTS / "open"
CI, TRAIN, GOLD = "citation-integrity", "scisumm-train", "scisumm-gold"
FULL = "citation-integrity-fulltext"
CI31, FULL1000 = "citation-integrity-31", "citation-integrity-fulltext-1000"
Number = Callable[[], str]
AHEAD_IN = ("holds", "no control", "not beyond", "below")


@cache
def text_of(place: str) -> str:
    """README, or what a lesson says of open data, on one line and without links."""
    if place == "README":
        text = (ROOT / "README.md").read_text("utf-8")
    else:
        (path,) = NOTEBOOKS.glob(f"{place}_*.ipynb")
        cells = json.loads(path.read_text("utf-8"))["cells"]
        tagged = [c for c in cells if "open-data" in c["metadata"].get("tags", ())]
        text = "\n".join("".join(cell["source"]) for cell in tagged)
    return " ".join(re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", text).split())


@cache
def frame_of(name: str) -> pd.DataFrame:
    return pd.read_csv(find(OPEN, f"{name}.csv"))


@cache
def results() -> Results:
    return open_results(OPEN)


def row_of(table: str, **where: object) -> Any:
    """The one row that has these values."""
    frame = frame_of(table)
    for column, value in where.items():
        frame = frame[frame[column] == value]
    (row,) = frame.to_dict("records")
    return row


def written(value: float, low: float, high: float, digits: int) -> str:
    """A difference with its interval; nothing is -0.0."""
    return f"{round(value, digits) + 0.0:+.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def cell(
    table: str, corpus: str, method: str, metric: str, digits: int = 1, scale: int = 1
) -> Number:
    return lambda: (
        f"{scale * row_of(table, corpus=corpus, method=method, metric=metric)['value']:.{digits}f}"
    )


def ahead(table: str, corpus: str, method: str) -> Number:
    """Under how many readings a row is clearly ahead, whatever its controls do."""

    def number() -> str:
        rows = [row_of(table, corpus=corpus, method=method, metric=m) for m in AHEAD_IN]
        return f"{sum(row['value'] for row in rows):.0f}"

    return number


def count(table: str, corpus: str, method: str, metric: str) -> Number:
    """How many citances, topics or words a cell is the mean of."""
    return lambda: f"{row_of(table, corpus=corpus, method=method, metric=metric)['n']:,.0f}"


def topics(table: str, corpus: str) -> Number:
    """How many articles a table rests on."""

    def number() -> str:
        rows = pd.read_csv(find(OPEN, f"{table}.citances.csv.gz"))
        return str(rows.loc[rows["corpus"] == corpus, "topic"].nunique())

    return number


def in_paper(high: str, low: str) -> Number:
    """How far a row of sigir2017 Table 1 lies above another in the paper, in c-F."""

    def number() -> str:
        printed = published("sigir2017_table1")["c-F"]
        return f"{printed[high] - printed[low]:+.1f}"

    return number


def difference(
    table: str, corpus: str, metric: str, digits: int, high: str, low: str, scale: int = 1
) -> Number:
    """How far a row lies above another, with the interval over topics."""

    def number() -> str:
        evidence = evidence_of(load(table.partition("_")[0]), results(), (table,), corpus)
        check = better(high, low, metric)
        found = check.compare(evidence, evidence.scores(check.cells())).ours.at((0, 0))
        value, lower, upper = (scale * x for x in found.numbers)
        return written(value, lower, upper, digits)

    return number


def paired(table: str, scale: int = 1, digits: int = 1, **where: object) -> Number:
    """The difference in a row of a table of tests."""

    def number() -> str:
        found = row_of(table, **where)
        value, low, high = (scale * found[name] for name in ("difference", "ci_low", "ci_high"))
        return written(value, low, high, digits)

    return number


CLASSES = "lrec2016_figure3.questions"


def asked(first: str, second: str, corpus: str = FULL) -> Number:
    """The difference in NDCG between two rows of lrec2016 Figure 3."""
    return paired(CLASSES, digits=3, corpus=corpus, first=first, second=second)


def effect(claim: str, corpus: str, verdict: str, digits: int = 3) -> Number:
    """The effect of a claim, in a sentence that rests on its verdict."""

    def number() -> str:
        paper, _, name = claim.partition("/")
        found = row_of("verdicts", paper=paper, id=name, corpus=corpus)
        assert found["verdict"] == verdict, f"{claim} is {found['verdict']}: rewrite the sentence"
        return written(found["effect"], found["ci_low"], found["ci_high"], digits)

    return number


def share(level: str) -> Number:
    """The share of the citances on a level of agreement, with its interval."""

    def number() -> str:
        row = row_of("naacl2015_table1", corpus=CI, method=level, metric="share")
        return f"{row['value']:.1f} % [{row['ci_low']:.1f}, {row['ci_high']:.1f}]"

    return number


def printed(*levels: str) -> Number:
    """The same in the paper, for several levels together."""
    counts = ledger.load("naacl2015").published(("naacl2015_table1",))
    total = sum(counts[level, "count"] for level in LEVELS)
    return lambda: f"{100 * sum(counts[level, 'count'] for level in levels) / total:.1f}"


contexts = partial(difference, "sigir2017_table1", CI, "c-F", 1)
rouge = partial(difference, "sigir2017_table4", CI, "LexRank RG-1", 1)
scisummnet = partial(difference, "sigir2017_table4", "scisummnet")
queries = partial(difference, "naacl2015_table2", CI, "F-1", 1, low="baseline", scale=100)
queries_cl = partial(difference, "naacl2015_table2", TRAIN, "F-1", 1, low="baseline", scale=100)
deep = partial(paired, "naacl2015_table2.depth_changes", 100, corpus=CI, metric="F-1")
impact = partial(difference, "acl2008_table1", TRAIN, "ROUGE-L @250 words", 3)
people = partial(paired, "beyond_contexts.people", corpus=CI)
person = partial(paired, "sigir2017_table3.tests", metric="c-P@1 against others")
contexts_31 = partial(difference, "sigir2017_table1", CI31, "c-F", 1)
rouge_31 = partial(difference, "sigir2017_table4", CI31, "LexRank RG-1", 1)
rouge_gold = partial(difference, "sigir2017_table4", GOLD, "LexRank RG-1", 1)
queries_31 = partial(difference, "naacl2015_table2", CI31, "F-1", 1, low="baseline", scale=100)
ablated_31 = partial(difference, "sigir2017_ablation", CI31, "c-F", 1)
ndcg_1000 = partial(cell, "lrec2016_figure3", FULL1000, metric="NDCG", digits=3)
asked_1000 = partial(asked, corpus=FULL1000)
impact_gold = partial(difference, "acl2008_table1", GOLD, "ROUGE-L @250 words", 3)
ndcg = partial(cell, "lrec2016_figure3", FULL, metric="NDCG", digits=3)
agreement = partial(cell, "lrec2016_figure4", FULL, metric="agreement", digits=0, scale=100)
quarter = partial(cell, "sigir2017_table3", CI)
WEIGHTS = ("lrec2016_curve", FULL1000, "all over all baseline in NDCG")
NO_CLASSES = (*WEIGHTS[:2], f"{WEIGHTS[2]}, control: one field")
ablated = partial(difference, "sigir2017_ablation", CI, "c-F", 1, "Eq. 2 [cbow]")
EQ2, NO_TAU = "Eq. 2, normalized [cbow]", "Eq. 2, normalized, no τ [cbow]"
first = partial(cell, "sigir2017_table1", metric="c-P@1")


def learned(method: str, against: str, metric: str = "c-P@1", corpus: str = CI) -> Number:
    """How far a row of lesson 09 lies above another."""
    table = "beyond_contexts.tests"
    return paired(table, corpus=corpus, method=method, against=against, metric=metric)


def without_embedding() -> str:
    """In how many folds WE_Bio+dmn has a weight of 0 for the vectors."""
    params = row_of("sigir2017_table1", corpus=CI, method="WE_Bio+dmn", metric="c-F")["params"]
    return str(json.loads(params)["chosen"]["weight"]["0.0"])


def gain_in_percent() -> str:
    """What naacl2015 prints beside its best row."""
    numbers = load("naacl2015").printed
    is_best = numbers["method"].eq("NP+expand") & numbers["table"].eq("naacl2015_table2")
    rows = numbers[is_best]
    return f"{rows[rows['metric'].eq('F-1')]['change'].dropna().iloc[0]:.1f}"


def gain_here() -> str:
    """The paper's gain in percent of our baseline."""
    claim = row_of("verdicts", paper="naacl2015", id="np-expand-beats-baseline", corpus=CI31)
    return f"{claim['published']:+.3f}"


OUTSIDE = " (outside the abstract)"
MODEL = ("sigir2017_curve", CI, "WE_Bio+dmn over the best baseline in c-F")
NP = ("naacl2015_curve", CI, "NP over baseline in F-1")
RANDOM = (*NP[:2], f"{NP[2]}, control: random words")
GAIN = ("sigir2017_summaries_curve", CI, "WE_Bio over No Context in LexRank RG-1")
AHEAD = ("acl2008_curve", TRAIN, "KL-Divergence over the best baseline in ROUGE-L @15")
DRAWN = (*GAIN[:2], f"{GAIN[2]}, control: Random Context")
ACL = "acl2008/impact-model-beats-baselines"
HELPS = "sigir2017/dmn-beats-no-context"
PICKED = "acl2008/impact-summary-has-what-people-pick"

QUOTED: list[tuple[str, str, list[Number]]] = [
    ("README", "passages are {} above random", [rouge_31("WE_Wiki", "Random Context")]),
    (
        "README",
        "Trained weights are {} against an index",
        [paired(CLASSES, 100, corpus=FULL1000, first="all", second="one field")],
    ),
    ("01", "On {} articles with", [topics("sigir2017_table1", CI)]),
    ("01", "with {} citances the", [count("sigir2017_table1", CI, "BM25", "c-F")]),
    ("01", "WE_Bio+dmn is {} points of c-F", [contexts("WE_Bio+dmn", "BM25")]),
    ("01", "In the paper it is {}.", [in_paper("WE_Bio+dmn", "BM25")]),
    ("01", "WE_Bio+dmn is {} points from QR", [contexts("WE_Bio+dmn", "QR")]),
    ("01", "this difference is {}.", [in_paper("WE_Bio+dmn", "QR")]),
    ("01", "the model is {} points from BM25,", [contexts_31("WE_Bio+dmn", "BM25")]),
    ("01", "and {} ahead of QR.", [contexts_31("WE_Bio+dmn", "QR")]),
    ("01", "are {} points from those of Wikipedia", [contexts_31("WE_Bio", "WE_Wiki")]),
    ("01", "On the ten articles they are {} ahead", [contexts("WE_Bio", "WE_Wiki")]),
    ("01", "On the 31 articles *No query* has {}:", [first(CI31, "No query")]),
    ("01", "In {} readings of it", [cell(*MODEL, "readings", 0)]),
    ("01", "best baseline in {} and", [ahead(*MODEL)]),
    ("01", "clearly behind in {}.", [cell(*MODEL, "contradicted", 0)]),
    ("01", "c-P@1 of {}. BM25 has {}", [first(CI, "No query"), first(CI, "BM25")]),
    ("01", "the abstract {}.", [first(CI, "BM25+abstract")]),
    ("01", "*No query* has {}.", [first(TRAIN, "No query")]),
    ("02", "The logit gains {} points of c-F", [ablated("identity for logit [cbow]")]),
    ("02", "difference is {} points", [ablated("LMD (Eq. 1)")]),
    (
        "02",
        "the threshold gains {} points.",
        [difference("sigir2017_ablation", CI, "c-F", 1, EQ2, NO_TAU)],
    ),
    (
        "02",
        "on CL-SciSumm {}.",
        [difference("sigir2017_ablation", TRAIN, "c-F", 1, EQ2, NO_TAU)],
    ),
    ("02", "Eq. 2 is {} points above Eq. 2 with", [ablated("random vectors")]),
    ("02", "On 31 other articles it gains {},", [ablated_31(EQ2, NO_TAU)]),
    ("02", "articles the difference is {}.", [ablated_31("Eq. 2 [cbow]", "random vectors")]),
    ("03", "articles with {} citances", [count("naacl2015_table1", CI, "total", "share")]),
    ("03", "For {} of them", [count("sigir2017_table3", CI, "human", "c-P@1")]),
    ("03", "c-F rises from {} to {}.", [quarter("Q1", "c-F"), quarter("Q4", "c-F")]),
    ("03", "well, from {} to {}.", [quarter("Q1 BM25", "c-F"), quarter("Q4 BM25", "c-F")]),
    ("03", "deviation rises from {} to {}.", [quarter("Q1", "c-F sd"), quarter("Q4", "c-F sd")]),
    ("03", "precision is {} %. J", [cell("sigir2017_table3", CI, "human", "c-P@1")]),
    ("03", "is {} points from it,", [person(corpus=CI, method="WE_Bio+dmn")]),
    ("03", "that of BM25 {}.", [person(corpus=CI, method="BM25")]),
    ("03", "is {} % there", [cell("sigir2017_table3", GOLD, "human", "c-P@1")]),
    ("03", "first span is {} points", [person(corpus=GOLD, method="WE_Dom")]),
    ("04", "| WE_Bio | {} | help", [rouge("WE_Bio", "No Context")]),
    ("04", "| BM25 | {} | do not help", [rouge("BM25", "No Context")]),
    ("04", "WE_Bio's contexts add {} points,", [rouge_31("WE_Bio", "No Context")]),
    ("04", "points, BM25's {}, random", [rouge_31("BM25", "No Context")]),
    ("04", "{}. BM25's are", [rouge_31("Random Context", "No Context")]),
    ("04", "BM25's are {} points above the random", [rouge_31("BM25", "Random Context")]),
    ("04", "random ones, WE_Bio's {}.", [rouge_31("WE_Bio", "Random Context")]),
    ("04", "BM25's contexts add {} and", [rouge_gold("BM25", "No Context")]),
    ("04", "{}. **Contexts help", [rouge_gold("Random Context", "No Context")]),
    ("04", "drawn at random | {} |", [rouge("Random Context", "No Context")]),
    ("04", "lies {} points from random", [rouge("WE_Bio+dmn", "Random Context")]),
    ("04", "On {} articles of S", [count("sigir2017_table4", "scisummnet", "VSM", "LexRank RG-1")]),
    ("04", "by {} with LexRank", [scisummnet("LexRank RG-2", 1, "WE_Dom", "No Context")]),
    ("04", "by {} with LSA", [scisummnet("LSA RG-2", 1, "WE_Dom", "No Context")]),
    ("04", "is {} points of", [scisummnet("LexRank RG-1", 1, "WE_Dom", "Random Context")]),
    ("04", "only {} above VSM", [scisummnet("LexRank RG-1", 1, "WE_Dom", "VSM")]),
    ("04", "In {} readings", [cell(*GAIN, "readings", 0)]),
    ("04", "citances alone in {} and", [ahead(*GAIN)]),
    ("04", "clearly behind in {}.", [cell(*GAIN, "contradicted", 0)]),
    ("04", "sentences in {} and", [ahead(*DRAWN)]),
    ("04", "behind in {}. V", [cell(*DRAWN, "contradicted", 0)]),
    ("05", "meet on {} of", [share("all")]),
    ("05", "of the {} citances", [count("naacl2015_table1", CI, "total", "share")]),
    ("05", "citances, not on {} %.", [printed("all")]),
    ("05", "on {}, not on {} %.", [share("none"), printed("none")]),
    ("05", "{} % here and", [cell("naacl2015_table1", CI, "full", "share")]),
    ("05", "and {} % in the paper", [printed("full")]),
    ("05", "paper {} % of", [printed("full", "all", "majority")]),
    ("05", "here {} %.", [cell("naacl2015_table1", CI, "majority or more", "share")]),
    ("05", "{} on Citation-Integrity,", [cell("naacl2015_table1", CI, "alpha", "alpha", 2)]),
    ("05", "{} on the 20 test topics", [cell("naacl2015_table1", GOLD, "alpha", "alpha", 2)]),
    ("06", "F-1 of {} % on C", [cell("naacl2015_table2", CI, "baseline", "F-1", 1, 100)]),
    ("06", "of {} % on CL", [cell("naacl2015_table2", TRAIN, "baseline", "F-1", 1, 100)]),
    ("06", "In {} readings", [cell(*NP, "readings", 0)]),
    ("06", "the citance in {} and", [ahead(*NP)]),
    ("06", "behind it in {}.", [cell(*NP, "contradicted", 0)]),
    ("06", "they are clearly ahead in {} and", [ahead(*RANDOM)]),
    ("07", "{} citations in", [count("lrec2016_figure3", FULL, "all", "NDCG")]),
    ("07", "in {} citing articles", [topics("lrec2016_figure3", FULL)]),
    ("07", "equal weights | {} |", [asked("all", "all baseline")]),
    ("07", "for all | {} |", [asked("by class", "one vector")]),
    ("07", "other classes | {} |", [asked("by class", "other classes")]),
    ("07", "| classes − shuffled labels | {} |", [asked("all", "shuffled labels")]),
    ("07", "classes − an index without classes | {} |", [asked("all", "one field")]),
    ("07", "of equal length | {} |", [asked("all", "fields of equal length")]),
    ("07", "without training, NDCG is {}.", [ndcg("one field")]),
    ("07", "it is {}, and", [ndcg("all baseline")]),
    ("07", "back to {}.", [ndcg("all")]),
    ("07", "equal weights have {}, and", [ndcg("norms of the article baseline")]),
    ("07", "adds only {}.", [cell("lrec2016_figure3", FULL, "norms of the article", "gain", 3)]),
    ("07", "by {} % for Bac", [cell("lrec2016_figure3", FULL, "Bac", "mean", 0)]),
    ("07", "and {} % for Met", [cell("lrec2016_figure3", FULL, "Met", "mean", 0)]),
    ("07", "by {} % for Con", [cell("lrec2016_figure3", FULL, "Con", "mean", 0)]),
    ("07", "{} % for Exp (", [cell("lrec2016_figure3", FULL, "Exp", "mean", 0)]),
    ("07", "{} % for Obs (", [cell("lrec2016_figure3", FULL, "Obs", "mean", 0)]),
    ("07", "({} citations) were", [count("lrec2016_figure3", FULL1000, "all", "NDCG")]),
    ("07", "Training gains {} there", [asked_1000("all", "all baseline")]),
    ("07", "classes are {} ahead of shuffled", [asked_1000("all", "shuffled labels")]),
    ("07", "But they are {} from an index without", [asked_1000("all", "one field")]),
    ("07", "in all {} that differ, trained", [ahead(*WEIGHTS)]),
    ("07", "index without classes in {} of 6, and", [ahead(*NO_CLASSES)]),
    ("07", "clearly behind it in {}.", [cell(*NO_CLASSES, "contradicted", 0)]),
    ("07", "agree on {} % of", [agreement("CoreSC")]),
    ("07", "labels on {} %.", [agreement("shuffled labels")]),
    ("07", "on {} % of the sentences", [cell("lrec2016_coresc", "ART", "ours", "accuracy")]),
    ("07", "on {} % of those", [cell("lrec2016_coresc", "CRA", "ours", "accuracy")]),
    ("08", "model is {} above MEAD, the best", [effect(ACL, TRAIN, "inconclusive")]),
    ("08", "On Citation-Integrity it is {} above MEAD", [effect(ACL, CI, BELOW)]),
    ("08", "It is {} above LEAD", [effect(f"{ACL}-in-equal-words", TRAIN, NOT_BEYOND)]),
    ("08", "It is {} above BM25", [impact("KL-Divergence", "BM25")]),
    ("08", "higher by {}.", [effect(PICKED, TRAIN, NOT_BEYOND)]),
    ("08", "alone are {} above", [effect("acl2008/contexts-beat-paper", TRAIN, "inconclusive")]),
    ("08", "recall by {}.", [effect("acl2008/weights-beat-pooling", TRAIN, "inconclusive")]),
    ("08", "the model is {} from MEAD.", [effect(ACL, GOLD, "inconclusive")]),
    ("08", "In 250 words it is {} above LEAD", [effect(f"{ACL}-in-equal-words", GOLD, NOT_BEYOND)]),
    ("08", "alone are {} from the", [effect("acl2008/contexts-beat-paper", GOLD, "contradicted")]),
    ("08", "We tried {} readings", [cell(*AHEAD, "readings", 0)]),
    ("08", "best baseline in {} of", [ahead(*AHEAD)]),
    (
        "09",
        "(to 1999, 2000 to 2004, from 2005), it has {}.",
        [cell("beyond_contexts", TRAIN, "LTR (other years)", "nDCG")],
    ),
    ("09", "(nDCG {} against", [cell("beyond_contexts", TRAIN, "LTR", "nDCG")]),
    ("09", "against {})", [cell("beyond_contexts", TRAIN, "BM25", "nDCG")]),
    ("09", "most of it (nDCG {})", [cell("beyond_contexts", TRAIN, "LTR (words only)", "nDCG")]),
    ("09", "first sentence is {} points above BM25's, and", [learned("Section prior", "BM25")]),
    ("09", "first sentence is {} points from BM25's.", [learned("No query", "BM25")]),
    ("09", "tell it from LTR's: {}.", [learned("Section prior", "LTR")]),
    ("09", "LTR's first sentence is {} points", [learned(f"LTR{OUTSIDE}", f"BM25{OUTSIDE}")]),
    ("09", "*words only* is {} points", [learned("LTR (words only)", "LTR", "nDCG")]),
    ("09", "section prior {}.", [learned("Section prior", "LTR", "nDCG")]),
    ("09", "first sentence is {} points from", [people(metric="c-P@1")]),
    ("09", "LTR is {} points of nDCG ahead", [learned("LTR", "BM25", "nDCG", CI31)]),
    ("09", "there, and the section prior {} from", [learned("Section prior", "LTR", "nDCG", CI31)]),
    ("09", "CL-SciSumm LTR is {} ahead of", [learned("LTR", "BM25", "nDCG", GOLD)]),
]
for name in ("NP", "KW"):
    columns = [queries(high=name), deep(method=name), queries_31(high=name), queries_cl(high=name)]
    QUOTED.append(("06", f"| {name} | {{}} | {{}} | {{}} | {{}} |", columns))
BOTH = [queries(high="NP+expand"), deep(method="NP+expand"), queries_31(high="NP+expand")]
QUOTED.append(("06", "| NP+expand | {} | {} | {} | no ontology |", BOTH))
for name in ("BM25", "No query", "Section prior", "LTR (words only)", "LTR"):
    columns = [cell("beyond_contexts", CI, name, metric) for metric in ("nDCG", "c-P@1")]
    QUOTED.append(("09", f"| {name} | {{}} | {{}} |", columns))


@pytest.mark.parametrize(
    ("place", "fragment", "numbers"), QUOTED, ids=[f"{place}: {text}" for place, text, _ in QUOTED]
)
def test_quoted_numbers_are_those_of_the_tables(
    place: str, fragment: str, numbers: list[Number]
) -> None:
    wanted = fragment.format(*(number() for number in numbers))
    assert wanted in text_of(place), f"{place} must say: … {wanted} …"


COUNTED = [
    *(("holds",), (NO_CONTROL,), (NOT_BEYOND,), (BELOW,), ("contradicted",)),
    *(("absent", "smaller"), ("inconclusive", "not testable here")),
]
"""What the columns of README's table count."""


def claims_of(stage: str) -> pd.DataFrame:
    """What the papers claim where it was explored or confirmed, each comparison once."""
    verdicts = frame_of("verdicts")
    rows = verdicts[(verdicts["stage"] == stage) & ~verdicts["ours"]]
    return rows[rows["same_as"].isna()]


@pytest.mark.parametrize("stage", ["explored", "confirmed"])
def test_readme_counts_the_verdicts(stage: str) -> None:
    verdicts = claims_of(stage)["verdict"].value_counts()
    numbers = [str(sum(verdicts.get(name, 0) for name in names)) for names in COUNTED]
    assert f"| {stage} | {' | '.join(numbers)} |" in text_of("README")


def test_readme_has_the_yardstick() -> None:
    claims = claims_of("confirmed")
    assert "holds" not in {*claims["verdict"]}, "README says that nothing is ahead of a control"
    untested = ["inconsistent in the paper", "not testable here"]
    tested = claims[claims["seen"].notna() & ~claims["verdict"].isin(untested)]
    hold = tested["verdict"].str.startswith("holds").sum()
    page = text_of("README")
    assert f"{tested['seen'].sum():.1f} of the {len(tested)} confirmed comparisons" in page
    assert f"should hold. {hold} do, in one of the ways below. None of them is clearly" in page


def test_readme_has_the_main_claims_with_their_verdicts() -> None:
    page, rows = text_of("README"), headlines.main_claims()
    declared = {claim.claim_id for name in papers() for claim in load(name) if claim.headline}
    assert {*rows["id"]} == declared
    for row in rows.to_dict("records"):
        paper, ours = headlines.in_numbers(row)
        pair = row["pair"].replace("|", r"\|")
        assert f"| {row['said']} | {pair} | {paper} | {ours} | {row['verdict']} |" in page
        is_clear = row["rule_low"] > 0 or row["rule_high"] < 0
        assert is_clear == row["verdict"].startswith(("holds", "contradicted"))
    ahead_in = rows["verdict"].str.startswith("holds")
    said = "*Two of the papers' eight main gains came back, and neither clearly beats a simple"
    assert said in page and said in (ROOT / "docs" / "index.md").read_text("utf-8")
    assert (len(rows), [*rows.loc[ahead_in, "verdict"]]) == (8, [NOT_BEYOND, BELOW])


def test_the_figure_of_the_main_claims_follows_from_the_tables() -> None:
    assert headlines.picture() == headlines.PICTURE.read_text("utf-8")


def test_the_page_says_how_robust_verdicts_are() -> None:
    page = " ".join((ROOT / "docs" / "verdicts.md").read_text("utf-8").split())
    for stage in ("explored", "confirmed"):
        claims = claims_of(stage)
        open_ = claims[claims["verdict"] == "inconclusive"]
        is_clear = claims["verdict"].str.startswith("holds") | (claims["verdict"] == "contradicted")
        clear = claims[is_clear]
        survive = int((clear["p_holm"] <= 0.05).sum())
        kept = clear["kept"].str.split(" of ", expand=True)
        always = int((kept[0] == kept[1]).sum())
        seldom, unknown = int((open_["seen"] < 0.5).sum()), int(open_["seen"].isna().sum())
        numbers = [len(clear), survive, always, len(open_), seldom, unknown]
        assert f"| {stage} | {' | '.join(map(str, numbers))} |" in page
