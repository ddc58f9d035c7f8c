"""The official score of Task 1a, against hand counts and a second computation."""

import csv
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citectx.corpora.scisumm import GOLD
from citectx.errors import DataError, MissingDataError
from citectx.evaluation.scisumm import AVERAGES, averages, compare, read_evidence, score_run

HEADER = [
    "Citance Number",
    "Reference Article",
    "Citing Article",
    "Reference Offset",
    "Reference Text",
]
S = '<S sid="1" ssid="1">Cells rest.</S>'


def table(path: Path, *rows: tuple[str, str, str, str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            [HEADER, *([str(i), *row] for i, row in enumerate(rows, start=1))]
        )
    return path


@pytest.mark.parametrize(
    ("offset", "sids"),
    [
        ("'90' , '91'", ("90", "91")),
        ("17'", ("17",)),
        ("17", ("17",)),
        (" '5'", ("5",)),
        (";17'", ("17",)),
        ("['1','94']", ("1", "94")),
        ("'3','3'", ("3",)),
        ("???", ("???",)),
    ],
)
def test_every_way_of_writing_offsets(tmp_path: Path, offset: str, sids: tuple[str, ...]) -> None:
    assert read_evidence(table(tmp_path / "T1_a.csv", ("T1", "C1", offset, S))) == {
        ("T1", "C1"): sids
    }


def test_the_last_row_of_a_pair_wins_and_rows_without_evidence_do_not_count(tmp_path: Path) -> None:
    rows = [
        ("T1", "C1.xml", "'1'", S),
        ("T1.xml", "C1", "'2'", S),
        ("T1", "C1", "NA", "NA"),
        ("T1", "C2", "3", "x"),
    ]
    assert read_evidence(table(tmp_path / "T1_a.csv", *rows)) == {("T1", "C1"): ("2",)}


def test_averages_against_a_count_by_hand(tmp_path: Path) -> None:
    gold, run = tmp_path / "gold", tmp_path / "run"
    # T1, annotator a: 3 is right, 9 of C2 and 5 of C3 are wrong, 4 and 7 are missed.
    table(gold / "T1_a.csv", ("T1", "C1", "'3','4'", S), ("T1", "C2", "7", S))
    # Annotator b: all wrong, 1 is missed.
    table(gold / "T1_b.csv", ("T1", "C1", "'1'", S))
    # T2: 2 is right and all there is, 6 is wrong.
    table(gold / "T2_a.csv", ("T2", "C1", "'2'", S))
    table(run / "T1.csv", ("T1", "C1", "'3'", S), ("T1", "C2", "'9'", S), ("T1", "C3", "'5'", S))
    table(run / "T2.csv", ("T2", "C1", "'2','6'", S))
    table(run / "T3.csv", ("T3", "C1", "'2'", S))
    scored = score_run(gold, run)
    assert scored.files == ("T1_a", "T1_b", "T2_a")
    assert scored.counts.tolist() == [[1, 2, 2], [0, 3, 1], [1, 1, 0]]
    p, r = (1 / 3 + 0 + 1 / 2) / 3, (1 / 3 + 0 + 1) / 3
    by_hand = {"micro-P": 2 / 8, "micro-R": 2 / 5, "micro-F": 4 / 13}
    by_hand |= {"macro-P": p, "macro-R": r, "macro-F": 2 * p * r / (p + r)}
    assert averages(scored.counts) == pytest.approx(by_hand)


def test_an_empty_reference_article_counts_as_printed(tmp_path: Path) -> None:
    gold, run = tmp_path / "gold", tmp_path / "run"
    table(gold / "T1_a.csv", ("", "C1", "'3'", S))
    table(run / "T1.csv", ("T1", "C1", "'3'", S))
    assert score_run(gold, run).counts.tolist() == [[0, 1, 1]]


def test_nothing_found_is_zero_not_a_division_by_zero() -> None:
    assert averages(np.zeros((2, 3), dtype=np.int64)) == dict.fromkeys(AVERAGES, 0.0)


sids = st.sets(st.integers(1, 9).map(str), max_size=4).map(lambda s: tuple(sorted(s)))
evidence = st.dictionaries(st.tuples(st.just("T1"), st.sampled_from(["C1", "C2", "C3"])), sids)


@given(evidence, evidence)
def test_counts_against_sets_of_triples(
    gold: dict[tuple[str, str], tuple[str, ...]], found: dict[tuple[str, str], tuple[str, ...]]
) -> None:
    a, b = ({(pair, sid) for pair, own in side.items() for sid in own} for side in (gold, found))
    assert compare(gold, found) == (len(a & b), len(b - a), len(a - b))


def test_errors_name_file_line_and_column(tmp_path: Path) -> None:
    path = table(tmp_path / "T1_a.csv", ("T1", "C1", "'1'", S + "\n" + S), ("T1", "C2", "", S))
    with pytest.raises(DataError, match=r"T1_a.csv, line 4: column Reference Offset is empty"):
        read_evidence(path)
    path.write_text("Reference Article,Citing Article,Reference Offset\n")
    with pytest.raises(DataError, match="line 1: lacks the columns Reference Text"):
        read_evidence(path)
    path.write_text(",".join(HEADER) + "\n1,T1,C1\n")
    with pytest.raises(DataError, match="line 2: has 3 fields, expected 5"):
        read_evidence(path)
    path.write_text(",".join(HEADER) + '\n1,T1,C1,2,"open\n')
    with pytest.raises(DataError, match="not a table in CSV"):
        read_evidence(path)


def test_a_run_must_have_every_topic(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match="holds no gold file"):
        score_run(tmp_path, tmp_path)
    table(tmp_path / "T1_a.csv", ("T1", "C1", "'1'", S))
    with pytest.raises(MissingDataError, match=r"the run has no .*T1\.csv"):
        score_run(tmp_path, tmp_path / "run")


def rows_the_second_way(path: Path) -> dict[str, list[str]]:
    """Last offsets of each citing article, cut apart as the official program does."""
    last = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["Reference Text"] != "NA" and "<S" in row["Reference Text"]:
                last[row["Citing Article"]] = [
                    x.strip().strip("'") for x in row["Reference Offset"].split(",")
                ]
    return last


@pytest.mark.open_data
def test_gold_against_gold_and_a_second_computation(
    open_corpus: Callable[[str], Path], tmp_path: Path
) -> None:
    gold = open_corpus("scisumm-corpus") / "data" / GOLD / "Task1"
    files = sorted(gold.glob("*.csv"))
    assert len(files) == 12
    for path in files:
        own = read_evidence(path)
        right = sum(map(len, own.values()))
        assert right and compare(own, own) == (right, 0, 0)
    for annotator in ("sweta", "vardha"):
        run = tmp_path / annotator
        run.mkdir()
        for path in gold.glob(f"*_{annotator}.csv"):
            shutil.copy(path, run / f"{path.stem.partition('_')[0]}.csv")
        scored = score_run(gold, run)
        for path, counts in zip(files, scored.counts, strict=True):
            mine = rows_the_second_way(path)
            theirs = rows_the_second_way(run / f"{path.stem.partition('_')[0]}.csv")
            if any(not article for article, _ in read_evidence(path)):
                theirs_found = sum(map(len, theirs.values()))
                assert counts.tolist() == [0, theirs_found, sum(map(len, mine.values()))]
                continue
            tp = sum(sid in theirs.get(c, []) for c, own in mine.items() for sid in own)
            fp = sum(sid not in mine.get(c, []) for c, own in theirs.items() for sid in own)
            fn = sum(sid not in theirs.get(c, []) for c, own in mine.items() for sid in own)
            assert counts.tolist() == [tp, fp, fn], path.name
        assert 0 < averages(scored.counts)["micro-F"] < 1
