"""Error analysis: properties counted again by hand, and the committed table from its own files."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from citectx import profiles
from citectx.apps import errors
from citectx.errors import DataError
from citectx.experiments.results import find, read
from citectx.language.text import stop_words, strip_citation_markers
from citectx.paths import RESULTS

OPEN = RESULTS / "open"
FOLDER = OPEN / errors.NAME


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return read(OPEN, errors.NAME).set_index(["method", "metric"])


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    """Scores and properties, by citance and method."""
    found = pd.read_csv(find(OPEN, "sigir2017_table1.citances.csv.gz"))
    about = pd.read_csv(FOLDER / f"{errors.NAME}.properties.csv")
    own = found[found["corpus"] == errors.CORPUS]
    return own.merge(about, on=errors.KEYS, validate="many_to_one")


def test_a_bins_mean_by_hand(table: pd.DataFrame, scores: pd.DataFrame) -> None:
    own = scores[scores["method"] == "BM25"]
    ranked = sorted(own["in gold"])
    cut = float(np.interp((len(ranked) - 1) * 2 / 3, range(len(ranked)), ranked))
    most = own[own["in gold"] > cut + 1e-3]
    row: Any = table.loc[("BM25", "c-F, in gold: high")]
    assert (row["value"], row["n"]) == (pytest.approx(most["c-F"].mean(), abs=1e-3), len(most))
    # Residuals of topics, each times its share; the t-distribution's quantile from elsewhere.
    share = most.groupby("topic").size() / len(most)
    moves = share * (most.groupby("topic")["c-F"].mean() - most["c-F"].mean())
    square = (share**2).sum()
    bias = (share**2 * (1 - 2 * share + square)).sum()
    df = square**2 / (share**4).sum() - 1
    half = stats.t.ppf(0.975, df) * np.sqrt((moves**2).sum() * square / bias)
    assert row["ci_high"] - row["value"] == pytest.approx(half, abs=1e-3)


def test_differences_are_those_of_the_outer_bins(table: pd.DataFrame) -> None:
    named = [pair for pair in table.index if pair[1].endswith("high − low")]
    assert len(named) == 77
    for method, metric in named:
        name = metric.removesuffix("high − low")
        outer = [table.loc[(method, name + each), "value"] for each in ("high", "low")]
        assert table.loc[(method, metric), "value"] == pytest.approx(outer[0] - outer[1], abs=2e-4)


@pytest.mark.parametrize("place", [errors.PLACES[0], *errors.PLACES[2:]])
def test_tau_with_another_library(place: str, table: pd.DataFrame, scores: pd.DataFrame) -> None:
    wide = scores.pivot_table(index=errors.KEYS, columns="method", values="nDCG")
    about = scores.drop_duplicates(errors.KEYS).set_index(errors.KEYS)
    absent = about[errors.ABSENT + place].reindex(wide.index)
    known = absent.notna()
    found = stats.kendalltau((wide["WE_Bio"] - wide["BM25"])[known], absent[known]).statistic
    row: Any = table.loc[("WE_Bio − BM25", f"nDCG: tau, {errors.ABSENT}{place}")]
    assert row["value"] == pytest.approx(found, abs=2e-3)  # scores are rounded: few new ties


def test_sample_is_drawn_from_what_all_methods_miss(scores: pd.DataFrame) -> None:
    judged = pd.read_csv(errors.JUDGED).merge(scores, on=errors.KEYS)
    own = judged[judged["method"].isin(errors.METHODS)]
    assert len(own) == errors.SAMPLE * len(errors.METHODS)
    assert (own["c-F"] == 0).all()


def test_sample_of_other_citances_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "judged.csv"
    file.write_text("topic,citance,kind,reason\na,b,c,d\n", "utf-8")
    monkeypatch.setattr(errors, "JUDGED", file)
    with pytest.raises(DataError, match="other citances than those that were drawn"):
        list(errors._kinds([("a", "c")], 1))


def test_properties_of_the_teaching_corpus_by_hand() -> None:
    corpus = profiles.load("teaching")
    found = errors.properties(corpus)
    topic = corpus.topics[0]
    citance = next(c for c in topic.citances if c.gold)
    text = strip_citation_markers(citance.text, citance.marker).lower()
    words = [
        word
        for word in re.findall(r"\w+", text)
        if word not in stop_words("english") and not word.isdecimal()
    ]
    marked = " ".join(
        span.of(topic.reference.text).lower() for spans in citance.gold.values() for span in spans
    )
    inside = set(words) & set(re.findall(r"\w+", marked))
    row: Any = found.loc[(topic.topic_id, citance.citance_id)]
    assert row["length"] == len(words)
    assert row["in gold"] == pytest.approx(100 * len(inside) / len(set(words)))
    assert row["absent from all gold spans"] == pytest.approx(100 - row["in gold"])
    chars = {i for spans in citance.gold.values() for s in spans for i in range(s.start, s.end)}
    assert row["gold length"] == len(chars)


def test_scores_of_other_citances_are_refused() -> None:
    corpus = profiles.load("teaching")
    with pytest.raises(DataError, match="run notebook 01 again"):
        errors.run(replace(corpus, topics=corpus.topics[:1]), OPEN)


def test_equal_values_share_a_bin() -> None:
    values = pd.Series([1.0, 1, 1, 1, 2, 3, np.nan])
    assert errors.binned(values, "length").tolist() == ["low"] * 4 + ["high"] * 2
    levels = pd.Series([0.0, 1, 2])
    assert errors.binned(levels, "agreement").tolist() == list(errors.BINS)


@pytest.mark.open_data
def test_committed_table_is_what_the_code_makes(table: pd.DataFrame) -> None:
    made = errors.run(profiles.load(errors.CORPUS), OPEN).table.set_index(["method", "metric"])
    numbers = ["value", "ci_low", "ci_high", "p_value", "n"]
    pd.testing.assert_frame_equal(made[numbers], table[numbers], check_dtype=False, atol=1e-3)
