"""Table 4 under one reading: each choice moves a number, and each is what it is called."""

from typing import Any

import pandas as pd
import pytest
from rouge_score import rouge_scorer

from citectx.ledger.readings import declared
from citectx.papers.sigir2017 import curve_summaries as curve
from citectx.papers.sigir2017.summaries import NO_CONTEXT, RANDOM_CONTEXT

DECLARED = declared("sigir2017-summaries")
OTHERS = [(name, other) for name, each in DECLARED.readings.items() for other in each.choices[1:]]


def scores(**choices: Any) -> pd.DataFrame:
    return curve.scores("teaching", DECLARED.default | choices).set_index(["topic", "method"])


@pytest.mark.parametrize(("name", "choice"), OTHERS)
def test_each_choice_moves_a_number(name: str, choice: Any) -> None:
    rest = {} if name == "words" else {"words": "100"}  # all rows have more to choose from
    base, other = scores(**rest), scores(**rest, **{name: choice})
    assert base.index.equals(other.index)
    assert not base.drop(columns="citance").equals(other.drop(columns="citance"))


def test_rows_are_the_headlines_and_their_control() -> None:
    named = {each.better for each in DECLARED.headlines} | {NO_CONTEXT, RANDOM_CONTEXT}
    assert {*scores().index.unique("method")} == named


REFERENCES = [*next(iter(curve._references("teaching").values())).values()]


def summaries(**choices: Any) -> dict[str, str]:
    chosen = DECLARED.default | choices
    prepared = curve._topics("teaching", chosen["k"], chosen["max_sentences"])[0]
    found = curve._scored("teaching", chosen["max_sentences"], chosen["denominator"])[0]
    material = curve._material("teaching", prepared, found, chosen)
    texts = {
        name: tuple(material.pool.texts[i] for i in which) for name, which in material.rows.items()
    }
    rarity = curve._rarity("teaching", stemmed=chosen["stem"])
    return {name: curve._summary(own, REFERENCES, rarity, chosen) for name, own in texts.items()}


def test_a_whole_last_sentence_is_longer_than_the_limit() -> None:
    cut, whole = summaries(words="100"), summaries(words="100", last="whole")
    assert len(cut["WE_Bio"].split()) == 100 < len(whole["WE_Bio"].split())
    assert whole["WE_Bio"].startswith(cut["WE_Bio"])


def test_what_resembles_a_chosen_sentence_is_skipped() -> None:
    kept = summaries(repeated="each time", words="250")["WE_Bio"].splitlines()
    skipped = summaries(repeated="each time", words="250", redundancy="skipped")["WE_Bio"]
    assert len({*kept}) < len(kept)
    assert len({*skipped.splitlines()}) == len(skipped.splitlines())


@pytest.mark.parametrize("part", curve.PARTS)
def test_rouge_is_that_of_the_library(part: str) -> None:
    found = summaries()
    choices = DECLARED.default | {"part": part}
    ours = curve._rouge(found["WE_Bio"], REFERENCES[:1], choices)
    library = rouge_scorer.RougeScorer(["rouge1", "rouge2"])
    theirs = library.score(REFERENCES[0], found["WE_Bio"])
    name = {"F": "fmeasure"}.get(part, part)
    expected = [100 * getattr(theirs[kind], name) for kind in ("rouge1", "rouge2")]
    assert [*ours.values()] == pytest.approx(expected)


def test_the_control_is_the_mean_of_its_draws() -> None:
    found = summaries()
    drawn = [text for name, text in found.items() if name.startswith(RANDOM_CONTEXT)]
    assert len({*drawn}) > 1
    assert len(drawn) == curve.DRAWS
    each = [curve._rouge(text, REFERENCES, DECLARED.default) for text in drawn]
    first = scores().xs(RANDOM_CONTEXT, level="method").iloc[0]
    assert first["LexRank RG-1"] == pytest.approx(pd.DataFrame(each)["LexRank RG-1"].mean())
