"""Citation-Integrity: BRAT standoff over a passage and an article, four annotators."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from citectx.corpora import citation_integrity
from citectx.corpora.citation_integrity import FOLDER
from citectx.corpora.model import Citance, Corpus
from citectx.errors import DataError
from citectx.types import Span

PASSAGE = "Cells are small. Some of them rest [3]. They do so by day. Others do not."
ARTICLE = "# Rest in cells\n\n## Abstract\n\nResting cells were seen by day. They do not grow.\n"
TEXT = f"{PASSAGE}\n\n\n{'*' * 62}\n\n\n{ARTICLE}"
MARKER = "T1\tCitation 35 38\t[3]\n"


def place(text: str, quote: str) -> str:
    start = text.index(quote)
    return f"{start} {start + len(quote)}"


def mark(label: str, quote: str, number: int = 2) -> str:
    return f"T{number}\t{label} {place(TEXT, quote)}\t{quote}\n"


SENTENCE = mark("Context", "Some of them rest [3].", 9)


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Corpus]:
    """Write annotations by folder name and read them."""

    def write_and_read(text: str = TEXT, allow_missing: bool = False, **annotations: str) -> Corpus:
        for name, content in annotations.items():
            folder = tmp_path / FOLDER / name / "001_PMC5"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "PMC7_1.ann").write_bytes(content.encode())
            (folder / "PMC7_1.txt").write_bytes(text.encode())
        return citation_integrity.read(tmp_path, allow_missing=allow_missing)

    return write_and_read


def only(corpus: Corpus) -> Citance:
    [citance] = corpus["PMC5"].citances
    return citance


def evidence_texts(corpus: Corpus) -> dict[str, list[str]]:
    text = corpus["PMC5"].reference.text
    return {name: [text[slice(*s)] for s in spans] for name, spans in only(corpus).gold.items()}


def test_article_and_passage_are_parted_and_offsets_shifted(write: Callable[..., Corpus]) -> None:
    corpus = write(Zoe=MARKER + SENTENCE + mark("ACCURATE", "Resting cells were seen by day."))
    [topic] = corpus
    citance = only(corpus)
    assert (topic.topic_id, topic.reference.text) == ("PMC5", ARTICLE)
    assert [b.kind for b in topic.reference.blocks] == ["title", "heading", "abstract"]
    assert evidence_texts(corpus) == {"A": ["Resting cells were seen by day."]}
    assert (citance.text, citance.marker, citance.citing_id) == (
        "Some of them rest [3].",
        "[3]",
        "PMC7_1",
    )
    passage = topic.citing["PMC7_1"].text
    assert passage.strip() == PASSAGE
    assert [passage[slice(*s)] for s in (citance.span, citance.marker_span) if s] == [
        citance.text,
        "[3]",
    ]
    assert corpus.findings == ()


def test_annotators_are_named_in_the_order_of_their_folders(write: Callable[..., Corpus]) -> None:
    corpus = write(
        Zoe=SENTENCE + MARKER + mark("MISQUOTE", "They do not grow."),
        Ann=SENTENCE
        + MARKER
        + mark("INDIRECT", "Resting cells", 3)
        + mark("ACCURATE", "They do not grow."),
    )
    assert [(a.annotator, a.facet) for a in only(corpus).annotations] == [
        ("A", ("ACCURATE", "INDIRECT")),
        ("B", ("MISQUOTE",)),
    ]


def test_discontinuous_evidence_gives_several_spans(write: Callable[..., Corpus]) -> None:
    [start, end] = place(TEXT, "Resting cells").split()
    line = f"T2\tACCURATE {start} {end};{place(TEXT, 'by day. They')}\tResting cells by day. They\n"
    corpus = write(Zoe=MARKER + SENTENCE + line)
    assert evidence_texts(corpus) == {"A": ["Resting cells", "by day. They"]}
    assert corpus.findings == ()


@pytest.mark.parametrize("label", ["IRRELEVANT", "Span"])
def test_doubtful_labels_are_no_evidence(write: Callable[..., Corpus], label: str) -> None:
    assert evidence_texts(write(Zoe=MARKER + SENTENCE + mark(label, "They do not grow."))) == {}


def contexts(*quotes: str) -> str:
    return MARKER + "".join(mark("Context", quote, n) for n, quote in enumerate(quotes, start=2))


FOUR = {
    "A": contexts("Some of them rest [3]."),
    "B": contexts("Some of them rest [3]. They do so by day."),
    "C": contexts("They do so by day.", "Some of them rest [3]."),
    "D": contexts("Cells are small. Some of them rest [3]"),
}


def test_the_citance_is_what_half_of_the_annotators_marked(write: Callable[..., Corpus]) -> None:
    citance = only(write(**FOUR))
    assert citance.text == "Some of them rest [3]. They do so by day."  # a gap of space joins
    by_annotator = {a.annotator: a.citance_span for a in citance.annotations}
    assert by_annotator == {"A": Span(17, 39), "B": None, "C": None, "D": Span(0, 38)}


def test_majority_keeps_the_stretch_around_the_marker(write: Callable[..., Corpus]) -> None:
    corpus = write(
        A=contexts("rest [3].", "do so by day. Others do not."),
        B=contexts("rest [3].", "do so by day. Others do not."),
        C=contexts("Some of them rest [3].", "Others do not."),
    )
    assert only(corpus).text == "rest [3]."


def test_passage_stands_in_where_nobody_marked_a_context(write: Callable[..., Corpus]) -> None:
    corpus = write(Zoe=MARKER)
    assert only(corpus).text == PASSAGE
    assert "no annotator marked the citance" in corpus.findings[0].message


def test_carriage_returns_count(write: Callable[..., Corpus]) -> None:
    text = TEXT.replace("\n", "\r\n")
    start = text.index("They do not")
    line = f"T2\tACCURATE {start} {start + 11}\tThey do not\r\n"
    corpus = write(text=text, Zoe=(MARKER + SENTENCE).replace("\n", "\r\n") + line)
    assert evidence_texts(corpus) == {"A": ["They do not"]}
    assert corpus.findings == ()


def test_notes_attributes_and_relations_are_passed_over(write: Callable[..., Corpus]) -> None:
    rest = (
        "A1\tLevel T9 Sentence\n#1\tAnnotatorNotes T9\tsure\nR1\tContext Target:T1 Context:T9\t\n\n"
    )
    corpus = write(Zoe=MARKER + SENTENCE + rest)
    assert corpus.findings == ()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (mark("Citation", "grow"), "skipped: Citation at"),  # a marker in the article
        (mark("ACCURATE", "Others do not."), "skipped: ACCURATE at"),  # evidence in the passage
        ("T2\tACCURATE 60 400\tday\n", "skipped: ACCURATE 60-400 is empty or leaves 0-"),
        ("T2\tACCURATE 200 200\t\n", "skipped: ACCURATE 200-200 is empty"),
        ("T2 ACCURATE 60 70 day\n", "skipped: expected 'Tn<tab>LABEL"),
        ("something else\n", "skipped: expected 'Tn<tab>LABEL"),
        (mark("GUESSED", "grow"), "skipped: GUESSED at"),
    ],
)
def test_lines_that_cannot_be_used_are_skipped(
    write: Callable[..., Corpus], line: str, message: str
) -> None:
    corpus = write(Zoe=MARKER + SENTENCE + line)
    assert only(corpus).gold == {}
    [finding] = corpus.findings
    assert (finding.file, finding.line) == ((FOLDER / "Zoe/001_PMC5/PMC7_1.ann").as_posix(), 3)
    assert message in str(finding)


def test_text_that_differs_from_its_offsets_is_noted(write: Callable[..., Corpus]) -> None:
    line = mark("ACCURATE", "They do not grow.").replace("\tThey", "\tCells")
    corpus = write(Zoe=MARKER + SENTENCE + line)
    assert evidence_texts(corpus) == {"A": ["They do not grow."]}
    assert "does not hold the text beside it; the offsets count" in corpus.findings[0].message


def test_files_whose_text_differs_are_skipped(write: Callable[..., Corpus]) -> None:
    write(Ann=MARKER + SENTENCE, Bob=MARKER + SENTENCE)
    corpus = write(Zoe=MARKER + SENTENCE, text=TEXT.replace("Resting", "Sleeping"))
    assert [a.annotator for a in only(corpus).annotations] == ["A", "B"]
    assert "its text differs from that of the other annotators' files" in corpus.findings[0].message


def test_file_without_the_line_of_asterisks_is_skipped(write: Callable[..., Corpus]) -> None:
    corpus = write(Zoe=MARKER, text=PASSAGE, allow_missing=True)
    assert len(corpus) == 0
    assert "with asterisks between" in corpus.findings[0].message
    with pytest.raises(DataError, match="001_PMC5: lost"):
        write(Zoe=MARKER, text=PASSAGE)


def test_annotations_without_their_text_are_skipped(
    write: Callable[..., Corpus], tmp_path: Path
) -> None:
    write(Ann=MARKER + SENTENCE, Zoe=MARKER + SENTENCE)
    (tmp_path / FOLDER / "Zoe/001_PMC5/PMC7_1.txt").unlink()
    corpus = citation_integrity.read(tmp_path)
    assert [a.annotator for a in only(corpus).annotations] == ["A"]
    assert "expected PMC7_1.txt beside it" in corpus.findings[0].message


@pytest.mark.open_data
def test_published_figures(open_corpus: Callable[[str], Path]) -> None:
    folder = open_corpus("citation-integrity-annotations")
    corpus = citation_integrity.read(folder)
    citances = [c for topic in corpus for c in topic.citances]
    assert (len(corpus), len(citances)) == (10, 218)
    assert Counter(len(c.gold) for c in citances) == {4: 199, 3: 15, 2: 3, 1: 1}
    assert sum(len(spans) for c in citances for spans in c.gold.values()) == 1432
    assert all(c.span and c.marker_span and c.marker in c.text for c in citances)
    assert Counter(f.action for f in corpus.findings) == {
        "skipped": 2
    }  # two markers inside an article
    agreed = sum(all(a.citance_span is None for a in c.annotations) for c in citances)
    assert agreed == 49  # to the character in 48; once but for the space between two parts
