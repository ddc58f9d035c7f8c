"""Full texts of Citation-Integrity: articles in plain text, places where one cites another."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from citectx.corpora import citation_integrity
from citectx.corpora.citation_integrity import ARTICLES

ARTICLE = (
    "Rest in cells\n\nAbstract\n\nCells rest.\n\nIt is known.\n\nMethods\n\nWe looked [3, 4].\n"
)


def tree(root: Path, annotations: bytes, article: str = ARTICLE) -> Path:
    for folder, name in (
        ("Reference/PMC9", "PMC9"),
        ("Reference/PMC10", "PMC10"),
        ("FullText/PMC9", "PMC77"),
    ):
        (root / ARTICLES / folder).mkdir(parents=True, exist_ok=True)
        (root / ARTICLES / folder / f"{name}.txt").write_bytes(article.encode())
    (root / ARTICLES / "FullText/PMC9/PMC77.ann").write_bytes(annotations)
    return root


def test_articles_and_marks_are_read_in_order(tmp_path: Path) -> None:
    at = ARTICLE.index("4")
    found = citation_integrity.read_full_texts(
        tree(tmp_path, f"T0\tMultiCitation {at} {at + 1}\t4".encode())
    )
    assert [d.doc_id for d in found.references] == ["PMC9", "PMC10"]
    assert [(m.citing_id, m.target_id, m.text, m.alone) for m in found.marks] == [
        ("PMC77", "PMC9", "4", False)
    ]
    assert not found.findings
    kinds = [b.kind for b in found.citing[0].blocks]
    assert kinds == ["title", "heading", "abstract", "body", "heading", "body"]


@pytest.mark.parametrize(
    ("line", "action", "marks"),
    [
        ("T0\tCitation 60 61\t4", "repaired", 1),
        ("T0\tCitation 0 1\t77", "skipped", 0),
        ("T0 Citation 0 1 7", "skipped", 0),
    ],
)
def test_a_mark_not_at_its_offset_is_found_or_skipped(
    tmp_path: Path, line: str, action: str, marks: int
) -> None:
    found = citation_integrity.read_full_texts(tree(tmp_path, line.encode()))
    assert [f.action for f in found.findings] == [action]
    assert found.findings[0].line == 1
    assert len(found.marks) == marks
    assert all(ARTICLE[slice(*m.span)] == m.text for m in found.marks)


def test_two_places_behind_an_offset_are_no_answer(tmp_path: Path) -> None:
    article = ARTICLE.replace("[3, 4]", "[4] and saw [4]")
    found = citation_integrity.read_full_texts(tree(tmp_path, b"T0\tCitation 50 51\t4", article))
    assert not found.marks
    assert "2 times" in found.findings[0].message


def test_an_article_that_is_missing_or_empty_is_reported(tmp_path: Path) -> None:
    tree(tmp_path, b"")
    (tmp_path / ARTICLES / "Reference/PMC10/PMC10.txt").write_text("  \n")
    (tmp_path / ARTICLES / "Reference/PMC11").mkdir()
    found = citation_integrity.read_full_texts(tmp_path)
    assert [d.doc_id for d in found.references] == ["PMC9"]
    assert [f.action for f in found.findings] == ["skipped", "skipped", "noted"]


@pytest.mark.open_data
def test_the_release_holds_what_its_description_says(open_corpus: Callable[[str], Path]) -> None:
    found = citation_integrity.read_full_texts(open_corpus("citation-integrity-fulltext"))
    assert (len(found.references), len(found.citing), len(found.marks)) == (2995, 100, 2420)
    assert len({m.target_id for m in found.marks}) == 486
    assert Counter(f.action for f in found.findings) == {"repaired": 13}
    texts = {d.doc_id: d.text for d in found.citing}
    assert all(texts[m.citing_id][slice(*m.span)] == m.text for m in found.marks)
    assert {m.target_id for m in found.marks} <= {d.doc_id for d in found.references}
