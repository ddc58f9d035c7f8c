"""The official score of Task 1a, against hand counts and a second computation."""

import csv
from pathlib import Path

import pytest

from citectx.errors import DataError, MissingDataError
from citectx.evaluation.scisumm import read_evidence, score_run

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
    p, r = (1 / 3 + 0 + 1 / 2) / 3, (1 / 3 + 0 + 1) / 3
    by_hand = {"micro-P": 2 / 8, "micro-R": 2 / 5, "micro-F": 4 / 13}
    by_hand |= {"macro-P": p, "macro-R": r, "macro-F": 2 * p * r / (p + r)}
    assert score_run(gold, run) == pytest.approx(by_hand)


def test_an_empty_reference_article_counts_as_printed(tmp_path: Path) -> None:
    gold, run = tmp_path / "gold", tmp_path / "run"
    table(gold / "T1_a.csv", ("", "C1", "'3'", S))
    table(run / "T1.csv", ("T1", "C1", "'3'", S))
    assert set(score_run(gold, run).values()) == {0}


def test_errors_name_file_line_and_column(tmp_path: Path) -> None:
    path = table(tmp_path / "T1_a.csv", ("T1", "C1", "'1'", S + "\n" + S), ("T1", "C2", "", S))
    with pytest.raises(DataError, match=r"T1_a.csv, line 4: column Reference Offset is empty"):
        read_evidence(path)


def test_a_run_must_have_every_topic(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match="holds no gold file"):
        score_run(tmp_path, tmp_path)
    table(tmp_path / "T1_a.csv", ("T1", "C1", "'1'", S))
    with pytest.raises(MissingDataError, match=r"the run has no .*T1\.csv"):
        score_run(tmp_path, tmp_path / "run")
