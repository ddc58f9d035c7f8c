"""The claims of the four papers: each names cells that there are, and says what it checks."""

import re
from collections import Counter
from functools import cache
from math import inf

import pandas as pd
import pytest

from citectx.experiments.results import find
from citectx.ledger import load, papers
from citectx.ledger.claim import Claim, Order
from citectx.ledger.verdicts import FILE
from citectx.papers.lrec2016.claims import FREQUENT, LIMITS
from citectx.papers.sigir2017.claims import EXACT, NO_EMBEDDING, NO_ONTOLOGY
from citectx.paths import RESULTS

CLAIMS = [(paper, claim) for paper in papers() for claim in load(paper)]
LOWER = re.compile(r"\b(less|lower|below|worse|fewer|closer|ignored|left out|next to no)\b")
"""What is said of values that fall, or of rows that lie below others."""


ONLY_IN_CURVES = {EXACT, NO_EMBEDDING, NO_ONTOLOGY}
"""Controls that are scored under readings alone."""


DESCRIBE = {
    *("citation-terms-do-not-appear", "logit-separates", "folds-agree-on-weights"),
    *("three-or-two-of-four-agree", "most-annotators-agree-on-most-citances"),
    *("most-citations-are-bac-or-met", "bac-and-met-are-useful-throughout"),
    "results-cite-background-results-observations",
}
"""Claims that a row is larger where no method is said to gain anything."""


OF_HARDLY_ANY = "impact-summary-has-what-people-pick"
"""Its rival has hardly any in the paper, so no percentage of the rival can be declared."""


@cache
def cells(table: str) -> set[tuple[str, str]]:
    file = find(RESULTS / "open", f"{table}.csv")
    assert file.is_file(), f"run the notebook that writes {table}: citectx run --profile open"
    frame = pd.read_csv(file)
    return {*zip(frame["method"], frame["metric"], strict=True)}


@pytest.mark.parametrize(("paper", "claim"), CLAIMS, ids=lambda each: getattr(each, "claim_id", ""))
def test_each_claim_names_cells_that_there_are_and_has_a_control_or_says_why_not(
    paper: str, claim: Claim
) -> None:
    limited = {row for limit in load(paper).limits for row in limit.rows}
    known = set().union(*map(cells, claim.tables))
    named = [cell for check in (claim.check, *claim.all_controls) for cell in check.cells()]
    lacking = {row for row, column in named if (row, column) not in known}
    assert lacking <= limited | ONLY_IN_CURVES
    assert re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", claim.claim_id)
    if getattr(claim.check, "sign", 1) < 0:
        assert LOWER.search(claim.says.lower()), claim.says
    told = f"{claim.claim_id} of {paper} needs `controls`, or `no_control` with a reason; not both"
    assert bool(claim.all_controls) != bool(claim.no_control), told
    if claim.no_control:
        assert re.fullmatch(r"[A-Z][^.]+\.", claim.no_control) and len(claim.no_control.split()) > 6
    if isinstance(claim.check, Order) and claim.check.word == "over" and claim.no_control:
        assert claim.claim_id in DESCRIBE


def test_each_claim_without_a_printed_effect_declares_what_counts() -> None:
    """Where the data could say that there is nothing, they must be able to."""
    verdicts = pd.read_csv(RESULTS / "open" / FILE).set_index("id")
    for _, claim in CLAIMS:
        told = f"{claim.claim_id} is not judged: citectx claims --profile open writes {FILE}"
        assert claim.claim_id in verdicts.index, told
        rows = verdicts.loc[[claim.claim_id]]
        scored = rows[rows["ci_low"].notna() & rows["published"].isna()]
        bounded = isinstance(claim.check, Order) and (claim.check.low, claim.check.high) != (0, inf)
        if len(scored) and not bounded and claim.claim_id != OF_HARDLY_ANY:
            told = f"{claim.claim_id} needs `least`, the effect that would count, in claims.py"
            assert claim.check.least > 0, told


def test_no_reason_of_the_committed_verdicts_speaks_of_files() -> None:
    reasons = pd.read_csv(RESULTS / "open" / FILE)["reason"]
    assert not reasons[reasons.str.contains("lacks|_table")].tolist()


def test_no_two_claims_have_the_same_words() -> None:
    assert len({(paper, claim.says) for paper, claim in CLAIMS}) == len(CLAIMS)


def test_marks_are_those_of_the_papers() -> None:
    first = {"WE_Wiki": 1, "WE_Bio": 7, "WE_Bio+rtrft": 8, "WE_Bio+dmn": 9}
    fourth = {"WE_Bio": 8, "WE_Bio+rtrft": 5, "WE_Bio+dmn": 8}
    for table, expected in (("sigir2017_table1", first), ("sigir2017_table4", fourth)):
        assert Counter(row for row, _ in load("sigir2017").marks(table)) == expected


@pytest.mark.parametrize(
    ("claim", "table", "measures"),
    [
        ("models-are-alike", "naacl2015_table2", ["F-1"]),
        ("expand-is-no-more-precise", "naacl2015_table2", ["precision"]),
        ("wiki-no-advantage", "sigir2017_table1", None),
        ("weak-context-does-not-help", "sigir2017_table4", None),
    ],
)
def test_margins_are_the_smallest_marked_gain_over_the_best_baseline(
    claim: str, table: str, measures: list[str] | None
) -> None:
    ledger = load(table.partition("_")[0])
    numbers = ledger.published((table,))
    rivals = ("VSM", "BM25", "DESM", "LMD-LDA", "QR", "baseline")
    gains = [
        numbers[row, column] - max(numbers[r, column] for r in rivals if (r, column) in numbers)
        for row, (column, _) in ledger.marks(table)
        if measures is None or column in measures
    ]
    check = ledger[claim].check
    assert isinstance(check, Order) and check.high == pytest.approx(min(gains))


def test_classes_with_few_citations_are_those_of_the_table() -> None:
    table = pd.read_csv(find(RESULTS / "open", "lrec2016_figure3.csv"))
    counts = table[table["metric"] == "citations"].set_index("method")["value"]
    classes = counts[counts.index.str.fullmatch("[A-Z][a-z]{2}")]
    assert {*classes[classes >= 50].index} == {*FREQUENT}
    limited = {name for limit in LIMITS for name in (*limit.rows, *limit.claims)}
    for name in classes[classes < 50].index:
        claim = f"{name.lower()}-improves"
        assert claim not in load("lrec2016").claims or {claim, name} & limited
