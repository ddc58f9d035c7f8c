"""Table 4 under one reading: each choice moves a number, and each is what it is called."""

from typing import Any

import pandas as pd
import pytest
from rouge_score import rouge_scorer

from citectx.papers.sigir2017 import readings_summaries as read
from citectx.papers.sigir2017 import table4
from citectx.papers.sigir2017.table4 import NO_CONTEXT, RANDOM_CONTEXT, SummaryProtocol

CURVE = read.SUMMARIES
DEFAULT = CURVE.specifications()[0]
OTHERS = [(name, other) for name, each in CURVE.readings.items() for other in each.choices[1:]]
TEXTS = ["Cells divide in mice.", "Mice rest.", "Cells divide in mice [3].", "Cells rest now."]
WANTED = ["Cells divide. Mice rest now."]
COLUMNS = ["LexRank RG-1", "LexRank RG-2"]


def scores(**choices: Any) -> pd.DataFrame:
    return read.scores("teaching", DEFAULT | choices)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "choice"), OTHERS)
def test_each_choice_moves_a_number(name: str, choice: Any) -> None:
    rest = {} if name == "words" else {"words": "100"}  # all rows have more to choose from
    base, other = scores(**rest), scores(**rest, **{name: choice})
    assert base["method"].tolist() == other["method"].tolist()
    assert not base[COLUMNS].equals(other[COLUMNS])


def test_rows_are_the_headlines_and_their_control() -> None:
    named = {each.better for each in CURVE.headlines} | {NO_CONTEXT, RANDOM_CONTEXT}
    assert {*scores()["method"]} == named


def test_the_default_of_the_table_is_the_declared_reading() -> None:
    for name, value in vars(SummaryProtocol()).items():
        if name in DEFAULT:
            assert str(value) == str(DEFAULT[name])


def summarize(**choices: Any) -> list[str]:
    how = SummaryProtocol(**choices)
    pool = table4.pool_of("teaching", [(text, 0, "") for text in TEXTS], how)
    return table4.summarize(pool, table4.ORDERS["LexRank"](pool), WANTED, how).splitlines()


def test_a_whole_last_sentence_is_longer_than_the_limit() -> None:
    cut, whole = (" ".join(summarize(words=5, last=last)) for last in ("cut", "whole"))
    assert len(cut.split()) == 5 < len(whole.split()) and whole.startswith(cut)


def test_what_resembles_a_chosen_sentence_is_skipped() -> None:
    assert len(summarize(words=99)) == 4 > len(summarize(words=99, redundancy="skipped"))


def test_rouge_is_that_of_the_library() -> None:
    library = rouge_scorer.RougeScorer(["rouge1", "rouge2"]).score(WANTED[0], TEXTS[0])
    names: dict[Any, str] = {"F": "fmeasure", "recall": "recall", "precision": "precision"}
    for part, name in names.items():
        found = table4.measure(TEXTS[0], WANTED, SummaryProtocol(part=part))
        expected = [100 * getattr(library[kind], name) for kind in library]
        assert [*found.values()] == pytest.approx(expected)
