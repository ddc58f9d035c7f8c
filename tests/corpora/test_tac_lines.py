"""TAC's annotation lines: keys and pipes, offsets and quotes."""

import pytest
from citectx.corpora.tac_lines import pipe_fields, quoted_spans

from citectx.corpora.model import Finding
from citectx.corpora.text_files import Reporter
from citectx.types import Span

KEYS = ("Citance Number", "Citation Text", "Reference Offset", "Annotator")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "Citance Number: 1 | Citation Text: a | Reference Offset: [] | Annotator: A |",
            ("1", "a", "[]", "A"),
        ),
        ("Citance Number:1|Citation Text:a|Reference Offset:[]|Annotator:A", ("1", "a", "[]", "A")),
        (
            "Citance Number: 1 | Citation Text: | Reference Offset: | Annotator: |",
            ("1", "", "", ""),
        ),
    ],
)
def test_pipe_fields_by_hand(line: str, expected: tuple[str, ...]) -> None:
    findings: list[Finding] = []
    assert pipe_fields(line, KEYS, Reporter(findings, "x")) == dict(
        zip(KEYS, expected, strict=True)
    )
    assert findings == []


def test_pipes_and_keys_inside_a_text_belong_to_it_and_the_keys_are_noted() -> None:
    line = "Citance Number: 1 | Citation Text: a | Citance Number: || | Reference Offset: [] | "
    line += "Annotator: A"
    findings: list[Finding] = []
    fields = pipe_fields(line, KEYS, Reporter(findings, "x"))
    assert tuple(fields.values()) == ("1", "a | Citance Number: ||", "[]", "A")
    assert ["'Citance Number' occurs again" in f.message for f in findings] == [True]


@pytest.mark.parametrize("spelling", ["citance number", "Citance_Number", "Citation Number"])
def test_odd_spellings_of_a_key_are_reported(spelling: str) -> None:
    findings: list[Finding] = []
    fields = pipe_fields(f"{spelling}: 4 | Annotator: A |", KEYS, Reporter(findings, "x", 3))
    assert fields == {"Citance Number": "4", "Annotator": "A"}
    assert [str(f) for f in findings] == [
        f"x:3: repaired: key '{spelling}' read as 'Citance Number'"
    ]


def test_key_out_of_order_belongs_to_the_text_before_it() -> None:
    line = "Citance Number: 1 | Reference Offset: [] | Citation Text: a | Annotator: A |"
    assert pipe_fields(line, KEYS, Reporter([], "x"))["Reference Offset"] == "[] | Citation Text: a"


def test_missing_keys_are_missing() -> None:
    assert pipe_fields("Citation Text: a | Annotator: A |", KEYS, Reporter([], "x")) == {
        "Citation Text": "a",
        "Annotator": "A",
    }


def test_offsets_without_a_document_are_taken_as_they_are() -> None:
    assert quoted_spans("['5-9', '9-9']", "any", None, Reporter([], "x")) == (Span(5, 9),)


def test_swapped_pieces_are_put_right() -> None:
    text = "Cells divide. Cells rest."
    findings: list[Finding] = []
    spans = quoted_spans(
        "['0-13', '14-25']", "Cells rest. ... Cells divide.", text, Reporter(findings, "x")
    )
    assert spans == (Span(14, 25), Span(0, 13))
    assert [f.action for f in findings] == ["repaired", "repaired"]
