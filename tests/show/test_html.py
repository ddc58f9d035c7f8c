"""Highlighting: nothing lost, nothing interpreted."""

import html
import re

from hypothesis import given
from hypothesis import strategies as st

from citectx.corpora import Annotation, Block, Citance, Document, Topic
from citectx.show.html import citance_html, context_html, highlight
from citectx.types import Span

spans = st.lists(
    st.tuples(st.integers(0, 19), st.integers(1, 20))
    .filter(lambda s: s[0] < s[1])
    .map(lambda s: Span(*s)),
    max_size=3,
)


@given(st.text("ab<&\"'{} \n", min_size=20, max_size=20), spans, spans)
def test_text_survives_and_every_character_has_its_marks(
    text: str, a: list[Span], b: list[Span]
) -> None:
    marked = highlight(text, {"A": a, "B": b})
    pieces = re.findall(
        r'<span class="([^"]*)"(?: title="[^"]*")?>(.*?)</span>|([^<]+)', marked, re.DOTALL
    )
    found = [
        (c, set(classes.split()))
        for classes, inner, plain in pieces
        for c in html.unescape(inner or plain)
    ]
    assert "".join(c for c, _ in found) == text
    for place, (_, classes) in enumerate(found):
        covered = [any(s.start <= place < s.end for s in layer) for layer in (a, b)]
        assert classes == ({f"u{sum(covered)}"} if any(covered) else set())


def test_markup_in_an_article_is_shown_not_run() -> None:
    text = "Title\n\n<script>alert(1)</script> cells rest.\n\nThey die."
    blocks = (
        Block(0, 5, "title"),
        Block(7, 44, "body", 1, "<b>Results"),
        Block(46, 55, "body", 2, "Discussion"),
    )
    citance = Citance(
        "1",
        "x",
        "Cells <i>rest</i> [<3>].",
        "[<3>]",
        annotations=(Annotation('A"', (Span(7, 15),)),),
    )
    page = context_html(Topic("T", Document("r", text, blocks), (citance,)), citance)
    assert "<script>" not in page
    assert "<i>rest" not in page
    assert "&lt;script&gt;" in page
    assert 'title="A&quot;"' in page
    assert "&lt;b&gt;Results" in page
    assert "They die" not in page  # a paragraph without any mark


def test_marker_is_picked_out_once() -> None:
    assert (
        citance_html(Citance("1", "x", "A (3) b (3).", "(3)"))
        == 'A <b class="marker">(3)</b> b (3).'
    )
