"""The TAC 2014 format: what is written comes back; each quirk of the release is mended or told."""

import runpy
from pathlib import Path

import pytest

from citectx.corpora import tac
from citectx.corpora.model import Corpus
from citectx.errors import DataError, MissingDataError
from citectx.paths import DATA
from citectx.types import Span

REFERENCE = (
    "Rest in cells\n\nCells divide at night. They rest by day.\nResting cells ... do not grow.\n"
)
CITING = "Doe found that cells rest (Roe, 2001). Others disagree.\n"


FIELDS = {
    "Topic ID": "T1",
    "Citance Number": "1",
    "Reference Article": "Roe.txt",
    "Citing Article": "Doe.txt",
    "Citation Marker Offset": "27-36",
    "Citation Marker": "Roe, 2001",
    "Citation Offset": "0-38",
    "Citation Text": "Doe found that cells rest (Roe, 2001).",
    "Reference Offset": "['38-55']",
    "Reference Text": "They rest by day.",
    "Discourse Facet": "Results_Citation",
    "Annotator": "A",
}


def line(number: str = "1", **changes: str) -> str:
    changed = {key.replace("_", " "): value for key, value in changes.items()}
    fields = FIELDS | {"Citance Number": number} | changed
    return " | ".join(f"{key}: {value}" for key, value in fields.items()) + " |\n\n"


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A release with one topic and no annotation yet."""
    topic = tmp_path / "release" / "data" / "T1"
    for folder in ("Annotation", "Documents_Text", "Summary"):
        (topic / folder).mkdir(parents=True)
    (topic / "Documents_Text" / "Roe.txt").write_text(REFERENCE)
    (topic / "Documents_Text" / "Doe.txt").write_text(CITING)
    (topic / "Summary" / "T1.A.summary.txt").write_text("Cells rest.\n")
    return tmp_path / "release"


def annotate(release: Path, **files: str | bytes) -> Corpus:
    for letter, content in files.items():
        path = release / "data" / "T1" / "Annotation" / f"T1.{letter}.ann.txt"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return tac.read(release)


def evidence(corpus: Corpus) -> list[str]:
    [topic] = corpus
    return [
        topic.reference.text[slice(*s)]
        for c in topic.citances
        for a in c.annotations
        for s in a.spans
    ]


def test_what_is_written_comes_back() -> None:
    built = runpy.run_path(str(DATA / "teaching/build.py"))["build"](DATA / "teaching/source")
    read = tac.read(DATA / "teaching")
    assert read.findings == ()
    for mine, theirs in zip(read, built, strict=True):
        assert (mine.topic_id, mine.citances) == (theirs.topic_id, theirs.citances)
        texts = [{d.doc_id: d.text for d in topic.documents} for topic in (mine, theirs)]
        assert texts[0] == texts[1]
        assert mine.citing.keys() == theirs.citing.keys()
        assert mine.summaries == theirs.summaries


# --- where a release is looked for


def test_a_release_or_its_data_is_named(release: Path, tmp_path: Path) -> None:
    expected = annotate(release, A=line()).topics
    assert tac.read(release / "data").topics == expected
    for folder in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(MissingDataError, match=r"holds no topic; .* data/TOPIC/Annotation"):
            tac.read(folder)


# --- quirks


@pytest.mark.parametrize(
    ("recode", "end"),
    [
        *(("iso-8859-1", "\n"), ("utf-8-sig", "\n"), ("utf-16", "\n")),
        *(("utf-8", "\r\n"), ("utf-8", "\r")),
    ],
)
def test_other_encodings_and_line_ends_make_no_difference(
    release: Path, recode: str, end: str
) -> None:
    text = REFERENCE.replace("night", "nîght")
    file = release / "data/T1/Documents_Text/Roe.txt"
    file.write_bytes(text.replace("\n", end).encode(recode))
    corpus = annotate(release, A=(line("10") + line("2")).replace("\n", end).encode(recode))
    assert [citance.citance_id for citance in corpus["T1"].citances] == ["2", "10"]
    assert corpus["T1"].reference.text == text
    assert evidence(corpus) == [DAY, DAY]
    assert corpus.findings == ()


def test_keys_in_other_spellings_and_pipes_in_texts(release: Path) -> None:
    spelt = line().replace("Reference Offset", "Reference_offset").replace(" | Ann", "|Ann")
    quoted = spelt.replace("Reference Text: They", "Reference Text: | Roe | They")
    [citance] = annotate(release, A=quoted)["T1"].citances
    assert citance.annotations[0].spans == (Span(38, 55),)


DAY, DOTS = "They rest by day.", "Resting cells ... do not grow."
NOTED = "T1.A.ann.txt:1: noted: Reference Offset does not hold the Reference Text; the offset holds"


@pytest.mark.parametrize(
    ("offset", "text", "expected", "said"),
    [
        ("[]", "", [], ""),  # nothing found
        ("['56-86']", DOTS, [DOTS], ""),  # three dots of its own
        ("['38-69']", "They rest by day. Resting cells", ["They rest by day.\nResting cells"], ""),
        ("['38-55', '15-37']", DAY, [DAY, "Cells divide at night."], NOTED),
        ("['38-55', '36-37', '54-55']", f"{DAY} ... . ... .", [DAY, ".", "."], ""),
        ("NA", DAY, [], NOTED),
        ("['15-32']", DAY, ["Cells divide at n"], NOTED),
        ("['38-55']", "They rest by", [DAY], NOTED),
        ("['38-55']", "They rest at sea.", [DAY], NOTED),
    ],
)
def test_offsets_hold_whatever_text_is_beside_them(
    release: Path, offset: str, text: str, expected: list[str], said: str
) -> None:
    corpus = annotate(release, A=line(Reference_Offset=offset, Reference_Text=text))
    assert evidence(corpus) == expected
    assert "".join(corpus.findings) == said


@pytest.mark.parametrize("offset", ["938-955", "55-38", "38-38", "38-938"])
@pytest.mark.parametrize("key", ["Reference Offset", "Citation Offset", "Citation Marker Offset"])
def test_offsets_that_leave_the_text_are_an_error(release: Path, key: str, offset: str) -> None:
    with pytest.raises(
        DataError, match=rf"line 1: {key} {offset} is empty or leaves the text \(0-"
    ):
        annotate(release, A=line(**{key: offset}))


def test_document_names_lose_commas_and_apostrophes(release: Path) -> None:
    folder = release / "data/T1/Documents_Text"
    (folder / "Doe.txt").rename(folder / "O'Doe, Moe.txt")
    corpus = annotate(release, A=line(**{"Citing Article": 'O"Doe Moe.txt'}))
    assert corpus["T1"].citances[0].citing_id == "O'Doe, Moe"
    assert corpus["T1"].citances[0].text == CITING[:38]


def test_the_citance_is_what_most_marked_and_among_equals_the_longest(release: Path) -> None:
    narrow = line(Citation_Offset="4-38", Citation_Text=CITING[4:38])
    [citance] = annotate(release, A=line(), B=narrow)["T1"].citances
    assert citance.span == Span(0, 38)
    [citance] = annotate(release, C=narrow)["T1"].citances
    assert citance.span == Span(4, 38)
    assert [a.annotator for a in citance.annotations] == ["A", "B", "C"]


# --- bad input


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("Citance Number: 1 | Reference Article: Roe.txt |", "expected 'Key: value |' for Topic"),
        ("# a comment", "expected 'Key: value |' for Topic ID, Citance Number, .* in this order"),
        (f"{line().strip()} {line('2').strip()}", "once and in this order"),
    ],
)
def test_a_malformed_line_is_an_error(release: Path, bad: str, message: str) -> None:
    with pytest.raises(DataError, match=rf"T1\.A\.ann\.txt, line 3: .*{message}"):
        annotate(release, A=f"{line()}{bad}\n")


@pytest.mark.parametrize("name", ["my 1", "PMC:1", ""])
def test_names_can_stand_in_files_of_runs(release: Path, name: str) -> None:
    with pytest.raises(DataError, match=rf"line 1: Citance Number is '{name}'; expected no blank"):
        annotate(release, A=line(name))
    annotate(release, A=line())
    (release / "data" / "T1").rename(release / "data" / f"{name} T")
    with pytest.raises(DataError, match=f"data/{name} T: rename the folder: a topic's name has"):
        tac.read(release)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"Reference_Article": "Doe.txt"}, "Reference Article 'Doe.txt': expected an article in"),
        ({"Reference_Article": "Moe.txt"}, "Reference Article 'Moe.txt': expected an article in"),
        ({"Citing_Article": "Moe.txt"}, "Citing Article 'Moe.txt': expected an article in Docum"),
        ({"Citation_Offset": "[]"}, "expected offsets of the citance and its marker in the citing"),
    ],
)
def test_a_line_about_what_is_nowhere_is_an_error(
    release: Path, changes: dict[str, str], message: str
) -> None:
    with pytest.raises(DataError, match=f"line 3: {message}"):
        annotate(release, A=line() + line("2", **changes))


def test_topics_without_their_documents_or_annotations_are_errors(release: Path) -> None:
    (release / "data/T2/Documents_Text").mkdir(parents=True)
    with pytest.raises(DataError, match=r"T2: expected annotations in Annotation/\*\.ann\.txt"):
        annotate(release, A=line())
    (release / "data/T1/Documents_Text/Roe.txt").unlink()
    with pytest.raises(DataError, match=r"T1\.A\.ann\.txt, line 1: Reference Article 'Roe\.txt'"):
        annotate(release, A=line())
