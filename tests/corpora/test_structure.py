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

EXAMPLES = Path(__file__).with_name("structure")


def described(text: str, blocks: tuple[Block, ...]) -> list[str]:
    """Kind, section, heading and first sentence of each block."""
    return [
        f"{b.kind}\t{b.section}\t{b.heading}\t{text[b.start : b.end].partition('.')[0]}"
        for b in blocks
    ]


def by_hand(name: str) -> tuple[str, list[str]]:
    """An article, and its blocks as a reader sees them."""
    text, blocks = ((EXAMPLES / f"{name}{end}").read_text("utf-8") for end in ("", ".blocks.tsv"))
    return text, blocks.splitlines()


@pytest.mark.parametrize(
    ("name", "blocks_of"), [("article.md", markdown_blocks), ("article.txt", plain_blocks)]
)
def test_an_article_by_hand(name: str, blocks_of: Callable[[str], tuple[Block, ...]]) -> None:
    text, expected = by_hand(name)
    assert described(text, blocks_of(text)) == expected


def test_species_in_a_heading_is_no_enumerator() -> None:
    text = "Title\n\nResults\n\nE. coli grows on acetate\n\nIt does.\n\nB. Growth\n\nIt is fast."
    kinds = [(b.kind, text[b.start : b.end]) for b in plain_blocks(text)]
    assert ("heading", "E. coli grows on acetate") in kinds
    assert ("heading", "B. Growth") in kinds


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Results\nThey do.\nSummary\nAll rest.\n", "heading body heading body"),
        (
            "Table 1. Cells\na\tb\nFigure 1. Cells. By day.\nThey do.\n",
            "caption table caption body",
        ),
    ],
)
def test_an_abstract_ends_at_the_next_heading_or_at_the_first_figure_or_table(
    text: str, kinds: str
) -> None:
    found = [b.kind for b in plain_blocks(f"A title\nAbstract\nCells rest.\n{text}")]
    assert found == ["title", "heading", "abstract", *kinds.split()]


def test_wrapped_lines_make_one_paragraph() -> None:
    lines = [
        "Cells that divide at night were seen to rest by day, as first",
        "Doe and Roe had expected.",
    ]
    text = (
        "A title\n\nResults\n\n" + "\n".join(lines) + "\nThen they divide.\n\nNew paragraph here.\n"
    )
    paragraphs = [text[b.start : b.end] for b in plain_blocks(text) if b.kind == "body"]
    assert paragraphs == ["\n".join(lines), "Then they divide.", "New paragraph here."]


def test_text_without_structure_is_body() -> None:
    text = "Cells divide. They rest."
    assert plain_blocks(text) == (Block(0, 24, "body"),)
    assert plain_blocks("") == markdown_blocks(" \n\n") == ()


@given(
    st.text(
        st.sampled_from("#|\n\n\r\t ..AaBc1-(),:*é\x0b\u2028")
        | st.characters(exclude_categories=["Cs"])
    )
)
@pytest.mark.parametrize("blocks_of", [markdown_blocks, plain_blocks])
def test_blocks_keep_order_and_miss_nothing_but_space(
    blocks_of: Callable[[str], tuple[Block, ...]], text: str
) -> None:
    blocks = blocks_of(text)
    Document("any", text, blocks)  # refuses blocks that overlap or are empty
    covered = [False] * len(text)
    for block in blocks:
        covered[block.start : block.end] = [True] * (block.end - block.start)
    marks = "" if blocks_of is plain_blocks else "#"
    assert all(seen or c in marks or c.isspace() for c, seen in zip(text, covered, strict=True))


@pytest.mark.open_data
def test_evidence_of_citation_integrity_by_kind_of_block(
    open_corpus: Callable[[str], Path],
) -> None:
    """Counted by hand in a separate script: 85 spans on titles and 6 on headings, 11 where none
    should be."""
    corpus = citation_integrity.read(open_corpus("citation-integrity-annotations"))
    kinds: Counter[str] = Counter()
    for topic in corpus:
        for span in (s for c in topic.citances for a in c.annotations for s in a.spans):
            shared = {
                b: min(b.end, span.end) - max(b.start, span.start) for b in topic.reference.blocks
            }
            kinds[max(shared, key=shared.__getitem__).kind] += 1
    assert kinds == {
        "body": 817,
        "abstract": 459,
        "title": 85,
        "caption": 54,
        "heading": 6,
        "back": 6,
        "table": 5,
    }
