"""Numbers that README and the lessons quote of open data are those of `results/open`.

Each line of `QUOTED` is a place, a fragment of its text, and the numbers that belong there. A
number knows its row, its rival and its corpus: the fragment must name the first two, and the
paragraph the third. Where a number moves, ``python -m tests.numbers --write`` writes it; where
another rival is the strongest, the test shows the sentence that a person has to write anew.
"""

import base64
import doctest
import json
import re
from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import Any, NamedTuple, ParamSpec

import pandas as pd
import pytest

from citectx import ledger
from citectx.beyond.table import ROWS as LEARNED
from citectx.evaluation.agreement import LEVELS
from citectx.experiments.results import find
from citectx.ledger import load, open_results, papers, report
from citectx.ledger.claim import Best, Names, Order, best_of, better
from citectx.ledger.evidence import Results
from citectx.ledger.rule import BELOW, NOT_BEYOND
from citectx.ledger.verdicts import evidence_of
from citectx.papers.sigir2017.claims import BASELINES
from citectx.paths import NOTEBOOKS, RESULTS, ROOT
from citectx.retrieval import MODELS, OURS
from citectx.show.tables import published
from docs import headlines
from tests.numbers import file_of, paragraphs_of, says, text_of

OPEN = RESULTS / "open"
CI, TRAIN, GOLD = "citation-integrity", "scisumm-train", "scisumm-gold"
FULL = "citation-integrity-fulltext"
CI31, FULL1000 = "citation-integrity-31", "citation-integrity-fulltext-1000"
HALF, UNSEEN = "scisummnet-half", "scisummnet-unseen"
RG1 = "LexRank RG-1"
AHEAD_IN = ("holds", "no control", "not beyond", "below")


class Quote(NamedTuple):
    """A number as prose has it, and what it is a number of, as the tables name it."""

    text: str
    corpus: str = ""
    row: str = ""
    rival: str = ""


Number = Callable[[], Quote]
Asked = ParamSpec("Asked")


def later(quote: Callable[Asked, Quote]) -> Callable[Asked, Number]:
    """Put a number off: tables are read when a test runs, not while tests are collected."""

    def put_off(*args: Asked.args, **options: Asked.kwargs) -> Number:
        return lambda: quote(*args, **options)

    return put_off


CALLED = {
    CI: ("Citation-Integrity", "ten articles", "10 articles"),
    CI31: ("31 articles", "31 other articles"),
    TRAIN: ("CL-SciSumm",),
    GOLD: ("20 test topics of CL-SciSumm", "test topics of CL-SciSumm", "20 test topics"),
    FULL: ("100 citing articles",),
    FULL1000: ("first 1,000 citing articles",),
    HALF: ("ScisummNet",),
    UNSEEN: ("Papers that people summarized",),
    "ART": ("ART",),
    "CRA": ("CRA",),
}
"""What prose calls a corpus."""

FIRST = {"07": FULL, "08": TRAIN}
"""The corpus of a lesson's paragraphs that name none, if that is not `CI`."""

ROWS: dict[str, dict[str, tuple[str, ...]]] = {
    "README": {"Random Context": ("random sentences",), "one field": ("an index without classes",)},
    "01": {"WE_Bio+dmn": ("WE_Bio+dmn", "the model")},
    "02": {
        "Eq. 2 [cbow]": ("Eq. 2",),
        "Eq. 2, normalized [cbow]": ("the dot product normalized",),
        "Eq. 2, normalized, no τ [cbow]": ("the threshold",),
        "random vectors": ("at random",),
    },
    "03": {"human": ("people",)},
    "04": {"No Context": ("the citances alone", "citances alone"), "Random Context": ("random",)},
    "06": {
        "baseline": ("the citance",),
        "random words": ("random words of the citance",),
        "NP": ("NP", "noun phrases"),
    },
    "07": {
        "all": ("trained weights", "training", "classes"),
        "all baseline": ("equal weights",),
        "one field": ("an index without classes",),
    },
    "08": {"KL-Divergence": ("the model",)},
    "09": {"LTR (against others)": ("LTR",), "people (against others)": ("people",)},
}
"""What a place calls a row that it does not call by its name."""

METHODS = {*MODELS, *OURS, *LEARNED, "KL-Divergence", "baseline"}
"""Rows that a sentence must name also where it has no rival."""


def names_in(text: str, names: Iterable[str]) -> int:
    """Where the last of some names ends; 0 if there is none. It is not within a longer name."""
    pattern = "|".join(rf"(?<![\w+-]){re.escape(name)}(?![\w+-])" for name in names)
    ends = [found.end() for found in re.finditer(pattern, text, re.IGNORECASE)]
    return max(ends, default=0)


def names_row(place: str, row: str, text: str) -> bool:
    """Whether a text of a place names a row of a table."""
    return names_in(text, ROWS.get(place, {}).get(row, (row,))) > 0


def corpus_of(place: str, before: str, head: list[str]) -> str:
    """The corpus that was named last, at the head of a column or in the text before."""
    for text in (" ".join(head), before):
        ends = {corpus: names_in(text, names) for corpus, names in CALLED.items()}
        last = max(ends, key=lambda corpus: (ends[corpus], corpus == GOLD))  # the longer of two
        if ends[last]:
            return last
    return FIRST.get(place, CI)


def context_of(place: str, wanted: str) -> tuple[str, str, list[str]]:
    """The paragraph up to the end of a fragment, its sentence, and the cells of a table's head."""
    says(place, wanted)
    said = [paragraph for paragraph in paragraphs_of(place) if wanted in paragraph]
    assert len(said) == 1, f"{place} must say, once: … {wanted} …"
    before = said[0].partition(wanted)[0]
    stops = [found.start() for found in re.finditer(r"(?<=[.:?])(?<!Eq\.)\**\s(?=[*A-Z])", said[0])]
    begin = max((stop for stop in stops if stop < len(before)), default=0)
    end = min((stop for stop in stops if stop >= len(before + wanted)), default=len(said[0]))
    sentence = said[0][begin:end]
    rows = re.findall(r"\| .*? \|(?= \|-)", before) if wanted.startswith("|") else []
    head = [cell.strip() for cell in rows[0].split("|")[1:-1]] if rows else []
    return before + wanted, sentence, head


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


@later
def cell(
    table: str, corpus: str, method: str, metric: str, digits: int = 1, scale: int = 1
) -> Quote:
    found = row_of(table, corpus=corpus, method=method, metric=metric)
    return Quote(f"{scale * found['value']:.{digits}f}", corpus, method)


@later
def under(verdicts: tuple[str, ...], table: str, corpus: str, label: str) -> Quote:
    """Under how many readings a comparison has one of some verdicts."""
    rows = [row_of(table, corpus=corpus, method=label, metric=name) for name in verdicts]
    row, rival = compared(label)
    return Quote(f"{sum(row['value'] for row in rows):.0f}", corpus, row, rival)


def compared(label: str) -> tuple[str, str]:
    """Row and rival of a comparison as the ledger writes it; a control is a rival, too."""
    comparison, _, control = label.partition(", control: ")
    row, rival = re.split(" over | below ", comparison.rpartition(" in ")[0])
    return row, control or rival


@later
def count(table: str, corpus: str, method: str, metric: str) -> Quote:
    """How many citances, topics or words a cell is the mean of."""
    found = row_of(table, corpus=corpus, method=method, metric=metric)
    return Quote(f"{found['n']:,.0f}", corpus)


@later
def in_paper(high: str, rival: str) -> Quote:
    """How far a row of sigir2017 Table 1 lies above another in the paper, in c-F."""
    numbers = published("sigir2017_table1")["c-F"]
    return Quote(f"{numbers[high] - numbers[rival]:+.1f}", row=high, rival=rival)


@later
def difference(
    table: str, metric: str, digits: int, corpus: str, high: str, low: Names, scale: int = 1
) -> Quote:
    """How far a row lies above another, or the best of others, with the interval over topics."""
    rival = low if isinstance(low, str) else best(low, table, corpus, metric)
    evidence = evidence_of(load(table.partition("_")[0]), results(), (table,), corpus)
    check = better(high, rival, metric)
    found = check.compare(evidence, evidence.scores(check.cells())).ours.at((0, 0))
    value, lower, upper = (scale * x for x in found.numbers)
    return Quote(written(value, lower, upper, digits), corpus, high, rival)


def best(rows: tuple[str, ...], table: str, corpus: str, metric: str) -> str:
    """The row with the highest mean."""
    frame = frame_of(table)
    values = frame[(frame["corpus"] == corpus) & (frame["metric"] == metric)]
    means = values.set_index("method")["value"]
    return str(means[[*rows]].idxmax())


@later
def paired(table: str, scale: int = 1, digits: int = 1, **where: object) -> Quote:
    """The difference in a row of a table of tests."""
    found = row_of(table, **where)
    value, low, high = (scale * found[name] for name in ("difference", "ci_low", "ci_high"))
    row, rival = (found[name] for name in (("first", "second") if "first" in found else TESTED))
    return Quote(written(value, low, high, digits), found["corpus"], row, rival)


TESTED = ("method", "against")
CLASSES = "lrec2016_figure3.questions"


def asked(first: str, second: str, corpus: str = FULL) -> Number:
    """The difference in NDCG between two rows of lrec2016 Figure 3."""
    return paired(CLASSES, digits=3, corpus=corpus, first=first, second=second)


def classes_1000(rival: str) -> Number:
    """Trained weights over a control, in points of 100."""
    return paired(CLASSES, 100, corpus=FULL1000, first="all", second=rival)


@later
def effect(claim: str, corpus: str, verdict: str) -> Quote:
    """The effect of a claim, in a sentence that rests on its verdict; its rival is what decides."""
    paper, _, name = claim.partition("/")
    found = row_of("verdicts", paper=paper, id=name, corpus=corpus)
    assert found["verdict"] == verdict, f"{claim} is {found['verdict']}: rewrite the sentence"
    row, rival = compared(found["reason"].partition(": ")[0])
    check = load(paper)[name].check
    if isinstance(check, Order) and isinstance(check.rivals, Best):
        strongest = best(check.rivals, load(paper)[name].tables[0], corpus, check.columns[0])
        assert rival == strongest, "the rival that decides is not the one with the best mean"
    text = written(found["effect"], found["ci_low"], found["ci_high"], 3)
    return Quote(text, corpus, row, rival)


@later
def share(level: str) -> Quote:
    """The share of the citances on a level of agreement, with its interval."""
    row = row_of("naacl2015_table1", corpus=CI, method=level, metric="share")
    return Quote("{value:.1f} % [{ci_low:.1f}, {ci_high:.1f}]".format_map(row), CI)


@later
def printed(*levels: str) -> Quote:
    """The same in the paper, for several levels together."""
    counts = ledger.load("naacl2015").published(("naacl2015_table1",))
    total = sum(counts[level, "count"] for level in LEVELS)
    return Quote(f"{100 * sum(counts[level, 'count'] for level in levels) / total:.1f}")


@later
def learned(method: str, against: str, metric: str = "c-P@1", corpus: str = CI) -> Quote:
    """How far a row of lesson 09 lies above another.

    On the ten articles it is the difference of the numbers that the lesson's table shows.
    """
    pair = partial(paired, "beyond_contexts.tests", method=method, against=against)
    quote = pair(metric=metric, corpus=corpus)()
    if corpus != CI:
        return quote
    cells = [cell("beyond_contexts", CI, row, metric)() for row in (method, against)]
    high, low = (float(shown.text) for shown in cells)
    return quote._replace(text=f"{high - low:+.1f} [{quote.text.partition('[')[2]}")


contexts = partial(difference, "sigir2017_table1", "c-F", 1)
MODEL_LEADS = ("WE_Bio+dmn", best_of(BASELINES))
ablated = partial(difference, "sigir2017_ablation", "c-F", 1)
summed = partial(difference, "sigir2017_table4")
rouge = partial(summed, RG1, 1)
queries = partial(difference, "naacl2015_table2", "F-1", 1, high="NP", low="baseline", scale=100)
impact = partial(difference, "acl2008_table1", "ROUGE-L @250 words", 3)
people = partial(paired, "beyond_contexts.people", corpus=CI)
person = partial(paired, "sigir2017_table3.tests", metric="c-P@1 against others")
quarter = partial(cell, "sigir2017_table3", CI)
first = partial(cell, "sigir2017_table1", metric="c-P@1")

EQ2 = "Eq. 2 [cbow]"
THRESHOLD = ("Eq. 2, normalized [cbow]", "Eq. 2, normalized, no τ [cbow]")
MODEL = ("sigir2017_curve", CI, "WE_Bio+dmn over the best baseline in c-F")
NP = ("naacl2015_curve", CI, "NP over baseline in F-1")
RANDOM = (*NP[:2], f"{NP[2]}, control: random words")
ACL = "acl2008/impact-model-beats-baselines"
EQUAL = f"{ACL}-in-equal-words"
ADDED = (HALF, "WE_Wiki", "No Context")
DRAWN = ("Random Context", "No Context")
PICKED = "acl2008/impact-summary-has-what-people-pick"

QUOTED: list[tuple[str, str, list[Number]]] = [
    ("README", "passages are {} above random", [rouge(CI31, "WE_Wiki", "Random Context")]),
    ("README", "Trained weights are {} against shuffled", [classes_1000("shuffled labels")]),
    ("README", "labels, but {} against an index without", [classes_1000("one field")]),
    ("01", "On ten articles with {} citances", [count("sigir2017_table1", CI, "BM25", "c-F")]),
    ("01", "WE_Bio+dmn is {} points of c-F", [contexts(CI, *MODEL_LEADS)]),
    ("01", "In the paper it is {} against BM25.", [in_paper("WE_Bio+dmn", "BM25")]),
    ("01", "the model is {} points against BM25.", [contexts(CI31, *MODEL_LEADS)]),
    ("01", "In {} readings of it", [under(("readings",), *MODEL)]),
    ("01", "best baseline in {} and", [under(AHEAD_IN, *MODEL)]),
    ("01", "clearly behind in {}.", [under(("contradicted",), *MODEL)]),
    ("02", "the threshold gains {} points of", [ablated(TRAIN, *THRESHOLD)]),
    ("02", "On the 20 test topics the threshold gains {}.", [ablated(GOLD, *THRESHOLD)]),
    ("02", "Eq. 2 with its own vectors is {} points above", [ablated(CI, EQ2, "random vectors")]),
    ("03", "articles with {} citances", [count("naacl2015_table1", CI, "total", "share")]),
    ("03", "For {} of them", [count("sigir2017_table3", CI, "human", "c-P@1")]),
    ("03", "c-F rises from {} to {}.", [quarter("Q1", "c-F"), quarter("Q4", "c-F")]),
    ("03", "well, from {} to {}.", [quarter("Q1 BM25", "c-F"), quarter("Q4 BM25", "c-F")]),
    ("03", "precision is {} %. J", [cell("sigir2017_table3", CI, "human", "c-P@1")]),
    ("03", "is {} points against people.", [person(corpus=CI, method="WE_Bio+dmn")]),
    ("04", "| BM25 | {} | do not help", [rouge(CI, "BM25", "No Context")]),
    ("04", "has {} of them that we declared", [count("sigir2017_table4", HALF, "VSM", RG1)]),
    ("04", "contexts of WE_Wiki add {} points over", [rouge(*ADDED)]),
    ("04", "| nobody: sentences drawn at random | {} |", [rouge(CI, *DRAWN)]),
    ("05", "meet on {} of", [share("all")]),
    ("05", "of the {} citances", [count("naacl2015_table1", CI, "total", "share")]),
    ("05", "citances, not on {} %.", [printed("all")]),
    ("05", "{} % here and", [cell("naacl2015_table1", CI, "full", "share")]),
    ("05", "and {} % in the paper", [printed("full")]),
    ("05", "paper {} % of", [printed("full", "all", "majority")]),
    ("05", "here {} %.", [cell("naacl2015_table1", CI, "majority or more", "share")]),
    ("05", "{} on Citation-Integrity,", [cell("naacl2015_table1", CI, "alpha", "alpha", 2)]),
    ("05", "test topics of CL-SciSumm {}.", [cell("naacl2015_table1", GOLD, "alpha", "alpha", 2)]),
    ("06", "On Citation-Integrity NP is {} points of F-1", [queries(CI)]),
    ("06", "On CL-SciSumm it is {} against", [queries(TRAIN)]),
    ("06", "and on the 20 test topics {}.", [queries(GOLD)]),
    ("06", "Of {} readings", [under(("readings",), *NP)]),
    ("06", "they are clearly ahead in {}.", [under(AHEAD_IN, *RANDOM)]),
    ("07", "they gain {} NDCG", [asked("all", "all baseline")]),
    ("07", "on {} citations. All", [count("lrec2016_figure3", FULL, "all", "NDCG")]),
    ("07", "classes are {} against an index without classes, which", [asked("all", "one field")]),
    ("07", "but classes are {} against an index without", [asked("all", "one field", FULL1000)]),
    ("08", "is {} above MEAD-Doc, the best baseline", [effect(ACL, TRAIN, "inconclusive")]),
    ("08", "It is {} above LEAD, the best of them there", [effect(EQUAL, TRAIN, NOT_BEYOND)]),
    ("08", "but it is {} against BM25", [impact(GOLD, "KL-Divergence", "BM25")]),
    ("08", "We declared {} of them", [count("acl2008_table1", UNSEEN, "LEAD", "ROUGE-L @15")]),
    ("09", "first sentence is {} points against BM25's.", [learned("LTR (no query)", "BM25")]),
    ("09", "first sentence is {} points against", [people(metric="c-P@1")]),
    ("09", "LTR is {} points of nDCG ahead", [learned("LTR", "BM25", "nDCG", CI31)]),
]


@pytest.mark.parametrize(
    ("place", "fragment", "numbers"), QUOTED, ids=[f"{place}: {text}" for place, text, _ in QUOTED]
)
def test_quoted_numbers_are_those_of_the_tables(
    place: str, fragment: str, numbers: list[Number]
) -> None:
    quotes = [number() for number in numbers]
    texts = [quote.text for quote in quotes]
    if place != "README":
        texts = [text.replace("-", "−") for text in texts]
    wanted = fragment.format(*texts)
    before, sentence, head = context_of(place, wanted)
    for column, quote in enumerate(quotes, 1):
        # README calls rows by what they are: "passages that a model finds"
        if place != "README" and (quote.rival or quote.row in METHODS):
            is_named = names_row(place, quote.row, before + sentence)
            assert is_named, f"{place}: {wanted} is of {quote.row}"
        if quote.rival:
            is_named = names_row(place, quote.rival, before if head else sentence)
            assert is_named, f"{place}: {wanted} is over {quote.rival}"
        if quote.corpus and place != "README":  # which says what is confirmed
            about = corpus_of(place, before, head[: column + 1])
            assert about == quote.corpus, f"{place}: {wanted} is of {quote.corpus}, not of {about}"


IN_WORDS: list[tuple[str, str, list[Number], str]] = [
    ("01", "as good as BM25's", [first(CI, "No query"), first(CI, "BM25")], "alike"),
    ("01", "On the others it is far worse", [first(CI31, "BM25"), first(CI31, "No query")], "far"),
    ("02", "whether the logit helps", [ablated(CI, EQ2, "identity for logit [cbow]")], "open"),
    ("02", "nor whether Eq. 2 as a whole does", [ablated(CI, EQ2, "LMD (Eq. 1)")], "open"),
    ("03", "may be as good as people's", [person(corpus=GOLD, method="WE_Dom")], "open"),
    ("04", "clearly above the random ones", [rouge(CI31, "BM25", "Random Context")], "above"),
    ("04", "In ROUGE-2 the same contexts do harm", [summed("LexRank RG-2", 1, *ADDED)], "below"),
    ("04", "while random sentences do harm", [rouge(HALF, *DRAWN)], "below"),
    ("04", "summaries of LSA are better without any", [summed("LSA RG-1", 1, *ADDED)], "below"),
    (
        "08",
        "clearly behind MEAD-Doc+Cite there",
        [difference("acl2008_table1", "ROUGE-L @15", 3, UNSEEN, "KL-Divergence", "MEAD-Doc+Cite")],
        "below",
    ),
    ("08", "plain search is clearly ahead", [impact(UNSEEN, "BM25", "KL-Divergence")], "above"),
    ("07", "ahead of shuffled labels", [asked("all", "shuffled labels")], "above"),
    ("07", "no sign that the class of the *citing*", [asked("by class", "one vector")], "open"),
    ("07", "too, training gains", [asked("all", "all baseline", FULL1000)], "above"),
    ("08", "beats the paper's baselines there, too", [effect(EQUAL, GOLD, NOT_BEYOND)], "above"),
    ("08", "annotators picked more", [effect(PICKED, TRAIN, NOT_BEYOND)], "above"),
    ("09", "ten articles cannot tell it from LTR", [learned("Section prior", "LTR")], "open"),
    ("09", "clearly behind LTR in nDCG", [learned("Section prior", "LTR", "nDCG")], "below"),
    ("09", "clearly behind LTR in nDCG", [learned("LTR (no query)", "LTR", "nDCG")], "below"),
    ("09", "so is *LTR (words only)*", [learned("LTR (words only)", "LTR", "nDCG")], "below"),
]
"""What lessons say in words, the numbers behind it, and what these must show."""


@pytest.mark.parametrize(("place", "fragment", "numbers", "what"), IN_WORDS)
def test_what_is_said_in_words_is_what_the_tables_show(
    place: str, fragment: str, numbers: list[Number], what: str
) -> None:
    assert fragment in text_of(place)
    values = [float(x) for number in numbers for x in re.findall(r"[+-]?\d+\.\d+", number().text)]
    if what in ("alike", "far"):
        high, low = values
        assert (abs(high - low) < 2) if what == "alike" else (high > 3 * low)
    else:
        _, low, high = values
        assert ("above" if low > 0 else "below" if high < 0 else "open") == what


def test_noun_phrases_are_ahead_of_the_citance_in_no_reading() -> None:
    assert "none puts them clearly ahead of the citance" in text_of("06")
    assert under(AHEAD_IN, *NP)().text == "0"


def test_where_training_helps_in_every_fold() -> None:
    cells = frame_of("lrec2016_figure3")
    values = cells[cells["corpus"] == FULL].pivot_table("value", "method", "metric")
    gained = values[(values["citations"] >= 50) & (values["folds improved"] == 4)].index
    assert {*gained} == {*values.index[values["citations"] >= 50]} and len(gained) == 7
    clear = []
    for kind in gained:
        folds = [f"NDCG fold {i}" for i in (1, 2, 3, 4)]
        rows = kind, f"{kind} baseline"
        quotes = [difference("lrec2016_figure3", fold, 3, FULL, *rows)() for fold in folds]
        if all("[0." in quote.text for quote in quotes):  # the interval is above 0
            clear.append(kind)
    said = f"gain in every fold, but only {' and '.join(clear)} gain clearly in each."
    says("07", f"All seven classes with 50 citations or more {said}")


def claims_of(stage: str) -> pd.DataFrame:
    """What the papers claim where it was explored or confirmed, each comparison once."""
    return report.claimed_once(frame_of("verdicts")).query("stage == @stage")


@pytest.mark.parametrize("stage", ["explored", "confirmed", "second domain"])
def test_readme_counts_the_verdicts(stage: str) -> None:
    says("README", f"| {stage} | {' | '.join(map(str, headlines.counts(stage)))} |")


def test_readme_has_the_yardstick() -> None:
    told = report.yardstick(frame_of("verdicts")).loc["all"]
    should = "{should_hold:.1f} of the {comparisons:.0f} confirmed comparisons"
    says("README", should.format_map(told))
    hold = f"should hold; {told['hold']:.0f} do. Of all confirmed ones,"
    says("README", f"{hold} none is clearly ahead of")
    assert headlines.counts("confirmed")[0] == 0  # of those beyond their controls


def test_readme_says_what_the_second_domain_shows() -> None:
    claims = claims_of("second domain").set_index("id")
    verdicts = claims["verdict"]
    controls = claims.loc[verdicts == "holds", "control"]
    # other pairs than those that check equal length
    ideas = controls.str.split("; ").map(lambda told: ["@250 words" in each for each in told])
    assert sorted(ideas) == [[False], [True], [True, False], [True, False]]
    said = "There four claims hold, three of them beyond a control"
    contradicted = (
        f"the model of impact in 15 sentences is {verdicts['impact-model-beats-baselines']}"
    )
    says("README", f"{said}, and {contradicted}.")


def test_readme_has_the_main_claims_with_their_verdicts() -> None:
    rows = headlines.main_claims()
    second = headlines.second_domain()
    declared = {claim.claim_id for name in papers() for claim in load(name) if claim.headline}
    assert {*rows["id"]} == declared
    assert {*second} < declared and len(second) == 3
    for row in rows.to_dict("records"):
        paper, ours = headlines.in_numbers(row)
        pair = row["pair"].replace("|", r"\|")
        there = headlines.in_second_domain(second.get(row["id"]))
        says(
            "README", f"| {row['said']} | {pair} | {paper} | {ours} | {row['verdict']} | {there} |"
        )
        is_clear = row["rule_low"] > 0 or row["rule_high"] < 0
        assert is_clear == row["verdict"].startswith(("holds", "contradicted"))
    ahead_in = rows["verdict"].str.startswith("holds")
    said = "*Two of the papers' eight main gains came back, and neither clearly beats a simple"
    for place in ("README", "index.md"):
        says(place, said)
    assert (len(rows), [*rows.loc[ahead_in, "verdict"]]) == (8, [NOT_BEYOND, BELOW])


def test_readme_names_the_lessons_by_their_titles_and_shows_one() -> None:
    text = file_of("README").read_text("utf-8")
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        title = "".join(json.loads(path.read_text("utf-8"))["cells"][0]["source"]).splitlines()[0]
        link = f"[{path.name[:2]} {title.removeprefix('# ')}](notebooks/{path.name})"
        assert link in text, f"README's table of lessons needs {link}"
    cells = json.loads(file_of("00").read_text("utf-8"))["cells"]
    outputs = [output.get("data", {}) for cell in cells for output in cell.get("outputs", ())]
    figures = [base64.b64decode(data["image/png"]) for data in outputs if "image/png" in data]
    assert (ROOT / "docs" / "images" / "lesson.png").read_bytes() in figures


def test_python_in_readme_prints_what_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    [code] = re.findall(r"(?ms)^```pycon\n(.*?)^```", file_of("README").read_text("utf-8"))
    parsed = doctest.DocTestParser().get_doctest(code, {}, "README", "README.md", 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    assert runner.run(parsed).failed == 0 and len(parsed.examples) == 4


def test_the_page_says_how_robust_verdicts_are() -> None:
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
        says("verdicts.md", f"| {stage} | {' | '.join(map(str, numbers))} |")
