"""Citation-Integrity: BRAT standoff over a passage and an article, and the full texts."""

from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest

from citectx.corpora import citation_integrity
from citectx.corpora.citation_integrity import FOLDER
from citectx.corpora.citation_integrity_files import read_marks
from citectx.corpora.full_texts import ARTICLES, read_full_texts
from citectx.corpora.model import Citance, Corpus
from citectx.types import Span

PASSAGE = "Cells are small. Some of them rest [3]. They do so by day. Others do not."
ARTICLE = "# Rest in cells\n\n## Abstract\n\nResting cells were seen by day. They do not grow.\n"
TEXT = f"{PASSAGE}\n\n\n{'*' * 62}\n\n\n{ARTICLE}"
MARKER = "T1\tCitation 35 38\t[3]\n"


def place(quote: str) -> str:
    start = TEXT.index(quote)
    return f"{start} {start + len(quote)}"


def mark(label: str, quote: str, number: int = 2) -> str:
    return f"T{number}\t{label} {place(quote)}\t{quote}\n"


SENTENCE = mark("Context", "Some of them rest [3].", 9)


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Corpus]:
    """Write annotations by folder name and read them."""

    def write_and_read(text: str = TEXT, **annotations: str) -> Corpus:
        for name, content in annotations.items():
            folder = tmp_path / FOLDER / name / "001_PMC5"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "PMC7_1.ann").write_text(content)
            (folder / "PMC7_1.txt").write_text(text)
        return citation_integrity.read(tmp_path)

    return write_and_read


def only(corpus: Corpus) -> Citance:
    [citance] = corpus["PMC5"].citances
    return citance


def evidence(corpus: Corpus) -> dict[str, list[str]]:
    text = corpus["PMC5"].reference.text
    return {name: [span.of(text) for span in spans] for name, spans in only(corpus).gold.items()}


def test_marks_may_have_gaps_and_notes_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "a.ann"
    path.write_text("#1\tAnnotatorNotes T1\tSure.\nT1\tContext 6 11;0 5\trest Cells\nA1\tSure T1\n")
    expected = (2, "Context", [Span(6, 11), Span(0, 5)], "rest Cells")
    assert list(read_marks(path)) == [expected]


def test_article_and_passage_are_parted_and_offsets_shifted(write: Callable[..., Corpus]) -> None:
    corpus = write(Zoe=MARKER + SENTENCE + mark("ACCURATE", "Resting cells were seen by day."))
    [topic] = corpus
    citance = only(corpus)
    assert (topic.topic_id, topic.reference.text) == ("PMC5", ARTICLE)
    assert [block.kind for block in topic.reference.blocks] == ["title", "heading", "abstract"]
    assert evidence(corpus) == {"A": ["Resting cells were seen by day."]}
    assert (citance.text, citance.marker) == ("Some of them rest [3].", "[3]")
    assert (citance.span, citance.marker_span) == (Span(17, 39), Span(35, 38))
    assert topic.citing[citance.citing_id].text.strip() == PASSAGE


def test_annotators_verdicts_and_gaps(write: Callable[..., Corpus]) -> None:
    [start, end] = place("Resting cells").split()
    gap = f"T2\tACCURATE {start} {end};{place('by day. They')}\tResting cells by day. They\n"
    corpus = write(
        Zoe=SENTENCE + MARKER + mark("MISQUOTE", "They do not grow."),
        Ann=SENTENCE + MARKER + gap + mark("INDIRECT", "They do not grow.", 3),
        Eve=SENTENCE + MARKER + mark("IRRELEVANT", "They do not grow."),
    )
    assert [a.annotator for a in only(corpus).annotations] == ["A", "B", "C"]
    assert evidence(corpus) == {
        "A": ["Resting cells", "by day. They", "They do not grow."],
        "C": ["They do not grow."],
    }


def contexts(*quotes: str) -> str:
    return MARKER + "".join(mark("Context", quote, n) for n, quote in enumerate(quotes, start=2))


def test_the_citance_is_what_half_of_the_annotators_marked(write: Callable[..., Corpus]) -> None:
    corpus = write(
        Ann=contexts("Some of them rest [3]."),
        Bea=contexts("Some of them rest [3].", "They do so by day."),
        Cas=contexts("Cells are small. Some of them rest [3].", "They do so by day."),
        Dot=MARKER,
    )
    assert only(corpus).text == "Some of them rest [3]. They do so by day."


@pytest.mark.open_data
def test_published_figures(open_corpus: Callable[[str], Path]) -> None:
    folder = open_corpus("citation-integrity-annotations")
    corpus = citation_integrity.read(folder)
    citances = [c for topic in corpus for c in topic.citances]
    assert (len(corpus), len(citances)) == (10, 218)
    assert Counter(len(c.gold) for c in citances) == {4: 199, 3: 15, 2: 3, 1: 1}
    assert sum(len(spans) for c in citances for spans in c.gold.values()) == 1432
    assert all(c.span and c.marker_span and c.marker in c.text for c in citances)
    views = defaultdict(set)  # of each citance, as each annotator marked it
    for path in (folder / FOLDER).glob("*/*/*.ann"):
        marked = [spans for _, label, spans, _ in read_marks(path) if label == "Context"]
        views[path.parent.name, path.name].add(str(sorted(marked)))
    assert sum(len(view) == 1 for view in views.values()) == 48


FULL_TEXT = (
    "Rest in cells\n\nAbstract\n\nCells rest.\n\nIt is known.\n\nMethods\n\nWe looked [3, 4].\n"
)


def tree(root: Path, annotation: str, article: str = FULL_TEXT) -> Path:
    for name in ("Reference/PMC9/PMC9", "Reference/PMC10/PMC10", "FullText/PMC9/PMC77"):
        path = root / ARTICLES / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(article)
    (root / ARTICLES / "FullText/PMC9/PMC77.ann").write_text(annotation)
    return root


@pytest.mark.parametrize("shift", [0, 20])
def test_articles_and_marks_at_or_behind_their_offset(tmp_path: Path, shift: int) -> None:
    at = FULL_TEXT.index("4") - shift
    root = tree(tmp_path, f"T0\tMultiCitation {at} {at + 1}\t4")
    references, citing, [found], _ = read_full_texts(root)
    assert [document.doc_id for document in references] == ["PMC9", "PMC10"]
    assert (found.citing_id, found.target_id) == ("PMC77", "PMC9")
    assert found.span.of(FULL_TEXT) == "4"
    kinds = [block.kind for block in citing[0].blocks]
    assert kinds == ["title", "heading", "abstract", "body", "heading", "body"]


def test_a_mark_with_two_places_behind_its_offset_is_a_finding(tmp_path: Path) -> None:
    article = FULL_TEXT.replace("[3, 4]", "[4] and saw [4]")
    texts = read_full_texts(
        tree(tmp_path, "T0\tCitation 50 51\t4\nT1\tCitation 0 4\tRest", article)
    )
    assert [mark.span.of(article) for mark in texts.marks] == ["Rest"]
    assert texts.findings == ("PMC9/PMC77.ann:1: left out: '4' is not near 50",)


def test_a_citing_article_is_stored_once_and_those_with_most_references_are_read(
    tmp_path: Path,
) -> None:
    root = tree(tmp_path, "T0\tCitation 0 4\tRest")
    folder = root / ARTICLES / "FullText"
    (folder / "PMC10").mkdir()
    (folder / "PMC10/PMC77.ann").write_text("T0\tCitation 5 7\tin")
    for name in ("PMC78", "PMC101"):
        (folder / f"PMC9/{name}.txt").write_text(FULL_TEXT)
        (folder / f"PMC10/{name}.ann").write_text("T0\tCitation 0 4\tRest")
    texts = read_full_texts(root, most=2)
    assert [document.doc_id for document in texts.citing] == ["PMC77", "PMC78"]
    cited = [(mark.citing_id, mark.target_id) for mark in texts.marks]
    assert cited == [("PMC77", "PMC9"), ("PMC77", "PMC10"), ("PMC78", "PMC10")]


@pytest.mark.open_data
def test_figures_of_the_full_texts(open_corpus: Callable[[str], Path]) -> None:
    folder = open_corpus("citation-integrity-fulltext")
    first = read_full_texts(folder)
    targets = {mark.target_id for mark in first.marks}
    assert (len(first.citing), len(first.marks), len(targets)) == (100, 2420, 486)
    references, citing, marks, findings = read_full_texts(folder, most=10_000)
    assert (len(references), len(citing), len(marks)) == (2995, 3197, 22_945 - len(findings))
    assert (len(first.findings), len(findings)) == (0, 26)
    assert len({mark.target_id for mark in marks}) == 2236
    assert {mark.target_id for mark in marks} <= {d.doc_id for d in references}
