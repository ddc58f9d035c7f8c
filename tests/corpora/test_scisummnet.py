"""ScisummNet: papers, summaries, and citing sentences with their authority."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from citectx.corpora import scisummnet
from citectx.corpora.scisummnet import CITANCES, PAPERS
from citectx.errors import DataError

RECORD = {
    **{
        "citance_No": 3,
        "citing_paper_id": "W01-2",
        "citing_paper_authority": 13,
        "keep_for_gold": 1,
    },
    **{
        "citing_paper_authors": "Jane, Doe",
        "raw_text": "Doe says they r est",
        "clean_text": "Doe says they rest.",
    },
}


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    """The folder of a release with one paper, whose citing sentences are yet to be written."""
    folder = tmp_path / PAPERS / "P99-1"
    (folder / "Reference_XML").mkdir(parents=True)
    (folder / "summary").mkdir()
    (folder / "Reference_XML" / "P99-1.xml").write_text(
        '<P><S sid="0">On rest</S><S sid="1">They rest.</S></P>'
    )
    (folder / "summary" / "P99-1.abstract.txt").write_text("Cells rest.\n")
    (folder / "summary" / "P99-1.scisummnet_human.txt").write_text("All cells rest.\n")
    return tmp_path


def cite(root: Path, *records: dict[str, object] | str) -> None:
    file = root / CITANCES / "P99-1" / "citing_sentences.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(records[0] if isinstance(records[0], str) else json.dumps(records))


def messages(root: Path) -> list[str]:
    return [
        str(f).partition("P99-1/")[2] for f in scisummnet.read(root, allow_missing=True).findings
    ]


def test_paper_with_summaries_and_citances(paper: Path) -> None:
    cite(paper, RECORD)
    [topic] = scisummnet.read(paper)
    assert topic.summaries == {"human": "All cells rest.", "abstract": "Cells rest."}
    [citance] = topic.citances
    assert (citance.citance_id, citance.citing_id, citance.text) == (
        "3",
        "W01-2",
        "Doe says they rest.",
    )
    assert citance.annotations == ()
    assert topic.reference.text == "On rest\n\nThey rest."
    assert messages(paper) == []


def test_authority_of_each_citing_paper(paper: Path) -> None:
    again = {"citance_No": 4, "citing_paper_authority": 0}
    other = {"citance_No": 5, "citing_paper_id": "W02-3", "citing_paper_authority": 7}
    cite(paper, RECORD, RECORD | again, RECORD | other)
    assert scisummnet.authority(paper) == {"W01-2": 13, "W02-3": 7}


def test_raw_text_stands_in_for_missing_clean_text(paper: Path) -> None:
    cite(paper, RECORD | {"clean_text": " "})
    assert scisummnet.read(paper)["P99-1"].citances[0].text == "Doe says they r est"
    assert messages(paper) == [
        "citing_sentences.json: noted: 1 sentences have no clean_text; their raw_text is used"
    ]


FOURTH = RECORD | {"citance_No": 4}


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ((RECORD, {"citance_No": 4}), "skipped: record 2 lacks citing_paper_id"),
        ((RECORD, RECORD), "skipped: record 2: citance 3 occurs twice"),
        (
            (RECORD, FOURTH | {"clean_text": "", "raw_text": ""}),
            "skipped: record 2 (citance 4) holds no text",
        ),
        (
            ('[{"citance_No": 3},\nrest]',),
            "citing_sentences.json: skipped: not JSON that can be read",
        ),
        (('{"3": 4}',), "skipped: record 1 lacks citance_No"),
        (("[" * 100_000,), "not JSON that can be read"),
        ((RECORD, ["Doe"]), "record 2 lacks citance_No"),
        ((RECORD, RECORD | {"citance_No": [4]}), "record 2 lacks citance_No"),
        ((RECORD, FOURTH | {"raw_text": None}), "record 2 lacks raw_text"),
        ((RECORD, FOURTH | {"citing_paper_authority": "many"}), "lacks citing_paper_authority"),
    ],
)
def test_unusable_records_are_skipped(
    paper: Path, records: tuple[dict[str, object] | str, ...], message: str
) -> None:
    cite(paper, *records)
    [finding] = messages(paper)
    assert message in finding
    assert len(scisummnet.read(paper)["P99-1"].citances) == len(records) - 1
    assert len(scisummnet.authority(paper)) == min(len(records) - 1, 1)


def test_what_is_missing_is_reported(paper: Path) -> None:
    assert messages(paper) == [
        "citing_sentences.json: skipped: expected the citing sentences here; there are none"
    ]
    (paper / PAPERS / "P99-1" / "Reference_XML" / "P99-1.xml").unlink()
    with pytest.raises(DataError, match="--allow-missing"):
        scisummnet.read(paper)
    assert messages(paper) == [
        "Reference_XML/P99-1.xml: lost: expected the paper here; the topic is left out"
    ]


@pytest.mark.open_data
def test_figures_of_the_release(open_corpus: Callable[[str], Path]) -> None:
    folder = open_corpus("scisumm-corpus")
    corpus, authority = scisummnet.read(folder), scisummnet.authority(folder)
    assert len(corpus) == 779
    assert all(set(t.summaries) == {"human", "abstract"} for t in corpus)
    # 13,231 records, one of them without any text
    citances = [citance for topic in corpus for citance in topic.citances]
    assert len(citances) == 13230
    assert authority.keys() == {citance.citing_id for citance in citances}
