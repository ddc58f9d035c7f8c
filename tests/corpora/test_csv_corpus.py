"""A corpus from CSV files, the same as from TAC's format; errors name file, line and field."""

from pathlib import Path
from unicodedata import normalize

import pytest

from citectx import catalogue, profiles
from citectx.catalogue import resources_of
from citectx.corpora import csv_corpus
from citectx.errors import DataError, MissingDataError, ParameterError
from citectx.paths import DATA
from citectx.types import Span

ARTICLE = "# On rest\n\n## Results\n\nCells rest. They rest for  long. Cells rest.\n"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "T1.md").write_text(ARTICLE)
    (tmp_path / "citances.csv").write_text(
        "topic,citance,citing,text,marker\n"
        'T1,1,doe,"Cells, they say, rest (Doe).",Doe\nT1,2,roe,They do.,\n'
    )
    (tmp_path / "spans.csv").write_text(
        "topic,citance,annotator,start,end,text\n"
        "T1,1,B,23,34,\n"
        "T1,1,A,,,They rest for long.\n"
        "T1,1,A,23,34,Cells rest.\n"
        "T1,2,A,,,\n"
        "T1,1,A,23,25,\nT1,1,A,56,58,\nT1,1,A,30,33,\n"
    )
    return tmp_path


def test_offsets_quotes_and_nothing_found(corpus: Path) -> None:
    (topic,) = csv_corpus.read(corpus)
    first, second = topic.citances
    assert [a.annotator for a in first.annotations] == ["A", "B"]
    marked = {a: [topic.reference.text[s:e] for s, e in spans] for a, spans in first.gold.items()}
    by_a = ["Ce", "Cells rest.", "est", "They rest for  long.", "Ce"]
    assert marked == {"A": by_a, "B": ["Cells rest."]}
    assert (first.text, first.marker, first.citing_id) == (
        "Cells, they say, rest (Doe).",
        "Doe",
        "doe",
    )
    assert [(a.annotator, a.spans) for a in second.annotations] == [("A", ())]
    assert [b.kind for b in topic.reference.blocks] == ["title", "heading", "body"]


def test_own_corpus_in_tac_format(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MissingDataError, match="set CITECTX_CORPUS to the folder"):
        profiles.load("own")
    monkeypatch.setenv("CITECTX_CORPUS", str(DATA / "teaching"))
    own = profiles.load("own")
    assert own.name == "own"
    assert [t.citances for t in own] == [t.citances for t in profiles.load("teaching")]


def test_own_corpus_is_treated_like_the_one_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert resources_of("own").domain == "biomedical"
    monkeypatch.setenv("CITECTX_CORPUS_LIKE", "scisumm-train")
    assert resources_of("own").domain == "computational-linguistics"
    assert resources_of("citation-integrity").domain == "biomedical"
    monkeypatch.setenv("CITECTX_CORPUS_LIKE", "mine")
    with pytest.raises(
        ParameterError, match="unknown CITECTX_CORPUS_LIKE 'mine'; known: 'citation-integrity'"
    ):
        resources_of("own")


@pytest.mark.parametrize("end", [b"\r\n", b"\r"], ids=["CRLF", "CR alone"])
def test_other_line_ends_and_encodings_make_no_difference(corpus: Path, end: bytes) -> None:
    expected = csv_corpus.read(corpus)
    for path in (*corpus.glob("*.csv"), corpus / "texts" / "T1.md"):
        content = path.read_bytes().replace(b"\n", end)
        path.write_bytes(content.decode().encode("utf-16"))
    assert csv_corpus.read(corpus) == expected


def test_summaries_of_topics_whose_names_begin_alike(corpus: Path) -> None:
    (corpus / "texts" / "T1.B.txt").write_text("Cells rest.")
    with (corpus / "citances.csv").open("a") as file:
        file.write("T1.B,1,doe,They rest.,\n")
    (corpus / "summaries").mkdir()
    for name in ("T1.A", "T1.B.A"):
        (corpus / "summaries" / f"{name}.txt").write_text(f"{name}.")
    found = {topic.topic_id: topic.summaries for topic in csv_corpus.read(corpus)}
    assert found == {"T1": {"A": "T1.A."}, "T1.B": {"A": "T1.B.A."}}
    (corpus / "summaries" / "other.A.txt").write_text("Whose?")
    with pytest.raises(DataError, match=r"other\.A\.txt: expected TOPIC\.NAME\.txt"):
        csv_corpus.read(corpus)


COMPOSED, DECOMPOSED = normalize("NFC", "Müller"), normalize("NFD", "Müller")


@pytest.mark.parametrize(("name", "file"), [(COMPOSED, DECOMPOSED), (DECOMPOSED, COMPOSED)])
def test_composed_and_decomposed_names_are_equal(corpus: Path, name: str, file: str) -> None:
    (corpus / "summaries").mkdir()
    (corpus / "texts" / "T1.md").rename(corpus / "texts" / f"{file}.MD")
    (corpus / "texts" / f"{file}-1.txt").write_text("Cells rest, as we show.")
    (corpus / "summaries" / f"{file}.A.txt").write_text("They rest.")
    (corpus / "citances.csv").write_text(
        f"topic,citance,citing,text\n{name},1,{name}-1,Cells rest.\n"
    )
    (corpus / "spans.csv").write_text(f"topic,citance,annotator,start,end\n{file},1,A,23,34\n")
    (topic,) = csv_corpus.read(corpus)
    assert topic.citances[0].gold == {"A": (Span(23, 34),)}
    assert [*topic.citing] == [f"{COMPOSED}-1"]
    assert topic.summaries == {"A": "They rest."}


def test_front_matter_is_no_part_of_the_article(corpus: Path) -> None:
    matter = "---\ntitle: On rest\n\nauthor: Roe\n---\n"
    ruled = f"{ARTICLE}\n---\n\nThey do.\n\n---\n"
    (corpus / "spans.csv").write_text("topic,citance,annotator\n")
    for text in (ARTICLE, ruled):
        (corpus / "texts" / "T1.md").write_text(text)
        (without,) = csv_corpus.read(corpus)
        (corpus / "texts" / "T1.md").write_text(matter + text)
        (topic,) = csv_corpus.read(corpus)
        shifted = [(b.start - len(matter), b.kind) for b in topic.reference.blocks]
        assert shifted == [(b.start, b.kind) for b in without.reference.blocks]
        assert topic.reference.text == matter + text


HELD = "text is 'They rest', but the article holds 'Cells rest.'"
ERRORS = [
    (1, "topic;citance;citing;text", "lacks the columns .*; found 'topic;.* with commas between"),
    (1, "sep=,", "citances.csv, line 1: lacks the columns .*; found 'sep='. The first line names"),
    (2, "my T1,1,doe,They do.,", "citances.csv, line 2: topic is 'my T1'; expected no blank"),
    (2, "PMC:1,1,doe,They do.,", "citances.csv, line 2: topic is 'PMC:1'; expected no .* colon"),
    (3, "T1,no 2,doe,They do.,", "citances.csv, line 3: citance is 'no 2'; expected no blank"),
    (1, "topic,citance,citing,text,note", "columns unknown or there twice: 'note'; known: "),
    (2, "T1,1,doe,,", "citances.csv, line 2: text is empty"),
    (3, "T1,2,roe", "citances.csv, line 3: has 3 fields, expected 5"),
    (3, "T1,1,roe,They do.,", "line 3: citance '1' of topic 'T1' occurs twice"),
    (12, "T1,7,A,,,They rest", "spans.csv, line 2: topic 'T1' has no citance '7'"),
    (12, "T1,1,A,x,35,", "line 2: start and end are 'x, 35'; expected whole numbers"),
    (12, "T1,1,A,23,,", "line 2: start and end are '23, '; expected whole numbers"),
    (12, "T1,1,A,60,999,", "start to end, 60-999, is empty or leaves 0-68"),
    (12, "T1,1,A,60,60,", "start to end, 60-60, is empty or leaves 0-68"),
    (12, "T1,1,A,23,34,They rest", HELD),
    (12, "T1,1,A,,,Cells rest.", "text 'Cells rest.' occurs 2 times in the article"),
    (12, "T1,1,A,,,Cells run.", "text 'Cells run.' occurs 0 times in the article"),
    (18, 'T1,2,A,"', "spans.csv, line 8: not a table in CSV"),
]
"""A line of citances.csv, or that of spans.csv and ten, what stands there, and the error."""


@pytest.mark.parametrize(("line", "new", "message"), ERRORS)
def test_errors_name_file_line_and_field(corpus: Path, line: int, new: str, message: str) -> None:
    file, line = ("spans.csv", line - 10) if line > 10 else ("citances.csv", line)
    lines = (corpus / file).read_text().splitlines()
    lines[line - 1] = new
    (corpus / file).write_text("\n".join(lines))
    with pytest.raises(DataError, match=message):
        csv_corpus.read(corpus)


def test_missing_files(corpus: Path) -> None:
    (corpus / "citances.csv").write_text(
        "topic,citance,citing,text\nT1,1,a,b\nT1,2,a,b\n../T9,1,a,b\n"
    )
    with pytest.raises(
        DataError,
        match=r"citances.csv, line 4: topic '../T9' needs its reference article in texts/../T9",
    ):
        csv_corpus.read(corpus)
    (corpus / "citances.csv").write_text("topic,citance,citing,text\nT1,1,a,b\n")
    (corpus / "spans.csv").unlink()
    with pytest.raises(MissingDataError, match=r"there is no file .*spans\.csv"):
        csv_corpus.read(corpus)
    with pytest.raises(MissingDataError, match="is not a folder"):
        catalogue.read_folder(corpus / "nowhere")


def test_a_line_is_counted_where_fields_hold_line_breaks(corpus: Path) -> None:
    (corpus / "citances.csv").write_text(
        'topic,citance,citing,text\nT1,1,a,"two\nlines"\n\nT1,2,,c\n'
    )
    with pytest.raises(DataError, match=r"citances.csv, line 5: citing is empty"):
        csv_corpus.read(corpus)


def test_a_corpus_by_its_path_unless_a_corpus_has_that_name(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(corpus.parent)
    expected = csv_corpus.read(corpus)
    for path in (corpus, str(corpus), corpus.name, f"./{corpus.name}"):
        assert profiles.load(path) == expected
    Path("teaching").mkdir()
    assert profiles.load("teaching").topics == profiles.load(DATA / "teaching").topics
    with pytest.raises(MissingDataError, match=r"teaching holds no corpus; expected .*citances"):
        profiles.load("./teaching")
