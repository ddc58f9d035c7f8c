"""The structure of articles that come as text."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citectx.corpora import citation_integrity
from citectx.corpora.model import Block, Document
from citectx.corpora.structure import markdown_blocks, plain_blocks

MARKDOWN = """\
# Rest in cells

## Abstract

### Background

Cells rest.

### Methods

We looked.

##

Letters have no heading here.

## Results

### Cells rest by day

They do.

### Table 1 Resting cells

Counts are means.

cell| day| night

* * *

---|---|---

aThe first night only.

{body}

Figure 1 Resting cells

We see that they rest.

(A) By day. (B) By night.

Figure 1 shows that they rest.

Nocturnal cells rest as well

Cells of the night were seen.

## Methods

### Summary

We looked again.

## Acknowledgements

We thank the cells.

## References

1. Doe J. Cells. 2001.

* * *
""".format(body="Table 1 lists the cells that rest. " * 10)


def described(text: str, blocks: tuple[Block, ...]) -> list[tuple[str, str]]:
    return [(b.kind, text[b.start : b.end].partition(".")[0]) for b in blocks]


def test_markdown_article_by_hand() -> None:
    assert described(MARKDOWN, markdown_blocks(MARKDOWN)) == [
        ("title", "Rest in cells"),
        ("heading", "Abstract"),
        ("heading", "Background"),
        ("abstract", "Cells rest"),
        ("heading", "Methods"),
        ("abstract", "We looked"),
        ("body", "Letters have no heading here"),
        ("heading", "Results"),
        ("heading", "Cells rest by day"),
        ("body", "They do"),
        ("caption", "Table 1 Resting cells"),
        ("caption", "Counts are means"),
        ("table", "cell| day| night"),
        ("table", "* * *"),
        ("table", "---|---|---"),
        ("table", "aThe first night only"),
        ("body", "Table 1 lists the cells that rest"),
        ("caption", "Figure 1 Resting cells"),
        ("caption", "We see that they rest"),
        ("caption", "(A) By day"),
        ("body", "Figure 1 shows that they rest"),
        ("heading", "Nocturnal cells rest as well"),
        ("body", "Cells of the night were seen"),
        ("heading", "Methods"),
        ("heading", "Summary"),
        ("body", "We looked again"),
        ("heading", "Acknowledgements"),
        ("back", "We thank the cells"),
        ("heading", "References"),
        ("references", "1"),
        ("references", "* * *"),
    ]


def test_each_heading_opens_a_section_and_tables_stay_in_theirs() -> None:
    sections = {MARKDOWN[b.start : b.end].partition(".")[0]: (b.section, b.heading) for b in markdown_blocks(MARKDOWN)}
    assert sections["Rest in cells"] == (0, "")
    assert sections["Cells rest"] == (2, "Background")
    assert sections["Letters have no heading here"] == (4, "")
    assert sections["They do"] == sections["Table 1 lists the cells that rest"] == (6, "Cells rest by day")
    assert sections["Cells of the night were seen"] == (7, "Nocturnal cells rest as well")


PLAIN = """\
Rest in cells: a study
Jane Doe and John Roe
Institute of Rest

Abstract
Background
Cells may rest.
Results
They do.
Background
Cells were thought not to rest (Doe, 2001).

2.1 Cells of the night
They rest, too.
Figure 2. Cells at rest
J. Doe thanks nobody here.
ACKNOWLEDGMENTS
The authors thank the cells
References
Doe J (2001) Cells
"""


def test_plain_article_by_hand() -> None:
    assert described(PLAIN, plain_blocks(PLAIN)) == [
        ("title", "Rest in cells: a study"),
        ("back", "Jane Doe and John Roe"),
        ("back", "Institute of Rest"),
        ("heading", "Abstract"),
        ("heading", "Background"),
        ("abstract", "Cells may rest"),
        ("heading", "Results"),
        ("abstract", "They do"),
        ("heading", "Background"),
        ("body", "Cells were thought not to rest (Doe, 2001)"),
        ("heading", "2"),
        ("body", "They rest, too"),
        ("caption", "Figure 2"),
        ("caption", "J"),
        ("heading", "ACKNOWLEDGMENTS"),
        ("back", "The authors thank the cells"),
        ("heading", "References"),
        ("references", "Doe J (2001) Cells"),
    ]


def test_species_in_a_heading_is_no_enumerator() -> None:
    text = "Title\n\nResults\n\nE. coli grows on acetate\n\nIt does.\n\nB. Growth\n\nIt is fast."
    kinds = [(b.kind, text[b.start : b.end]) for b in plain_blocks(text)]
    assert ("heading", "E. coli grows on acetate") in kinds
    assert ("heading", "B. Growth") in kinds


def test_abstract_without_parts_ends_at_the_next_heading() -> None:
    text = "A title\nAbstract\nCells rest.\nResults\nThey do.\nSummary\nAll rest.\n"
    assert [b.kind for b in plain_blocks(text)] == [
        "title",
        "heading",
        "abstract",
        "heading",
        "body",
        "heading",
        "body",
    ]


def test_abstract_of_a_letter_ends_at_the_first_figure_or_table() -> None:
    text = "A title\nAbstract\nCells rest.\nTable 1. Cells\na\tb\nFigure 1. Cells. By day.\nThey do.\n"
    kinds = [b.kind for b in plain_blocks(text)]
    assert kinds == ["title", "heading", "abstract", "caption", "table", "caption", "body"]


def test_wrapped_lines_make_one_paragraph() -> None:
    lines = ["Cells that divide at night were seen to rest by day, as first", "Doe and Roe had expected."]
    text = "A title\n\nResults\n\n" + "\n".join(lines) + "\nThen they divide.\n\nNew paragraph here.\n"
    paragraphs = [text[b.start : b.end] for b in plain_blocks(text) if b.kind == "body"]
    assert paragraphs == ["\n".join(lines), "Then they divide.", "New paragraph here."]


def test_text_without_structure_is_body() -> None:
    text = "Cells divide. They rest."
    assert plain_blocks(text) == (Block(0, 24, "body"),)
    assert plain_blocks("") == markdown_blocks(" \n\n") == ()


@given(st.text(st.sampled_from("#|\n\n\r\t ..AaBc1-(),:*é\x0b\u2028") | st.characters(exclude_categories=["Cs"])))
@pytest.mark.parametrize("blocks_of", [markdown_blocks, plain_blocks])
def test_blocks_are_in_order_and_miss_nothing_but_marks_and_space(
    blocks_of: Callable[[str], tuple[Block, ...]], text: str
) -> None:
    blocks = blocks_of(text)
    Document("any", text, blocks)  # refuses blocks that overlap or are empty
    covered = [False] * len(text)
    for block in blocks:
        covered[block.start : block.end] = [True] * (block.end - block.start)
    marks = "#" if blocks_of is markdown_blocks else ""
    assert all(seen or c in marks or c.isspace() for c, seen in zip(text, covered, strict=True))


@pytest.mark.open_data
def test_evidence_of_citation_integrity_by_kind_of_block(open_corpus: Callable[[str], Path]) -> None:
    """Counted by hand in a separate script: 85 spans on titles and 6 on headings, 11 where none should be."""
    corpus = citation_integrity.read(open_corpus("citation-integrity-annotations"))
    kinds: Counter[str] = Counter()
    for topic in corpus:
        for span in (s for c in topic.citances for a in c.annotations for s in a.spans):
            shared = {b: min(b.end, span.end) - max(b.start, span.start) for b in topic.reference.blocks}
            kinds[max(shared, key=shared.__getitem__).kind] += 1
    assert kinds == {"body": 817, "abstract": 459, "title": 85, "caption": 54, "heading": 6, "back": 6, "table": 5}
