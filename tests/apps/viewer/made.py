"""Topics made for the viewer's tests: one tries everything, and some lack things."""

from citectx.corpora import Annotation, Block, Citance, Corpus, Document, Topic
from citectx.types import Span

EVIL = (
    "Cells </script><script>window.hacked = 1</script> <!-- \"rest\" & 'die' &amp; &#60;b&#62;. "
    "In 𝛼-cells 😀 the 𝛽 signal falls\u2028by half\u2029 {{DATA}} {{SCRIPT}}. "
    "Worms <img src=x onerror='window.hacked = 1'> crawl. Mice sleep ]]> all day."
)
TITLE = "<b>Title</b> of 𝒜 & co"


def evil() -> Topic:
    """An article with markup, quotes, entities, astral characters and spans that overlap."""
    text = f"{TITLE}\n\n<i>Results</i>\n\n{EVIL}"
    start = len(text) - len(EVIL)
    blocks = (
        Block(0, len(TITLE), "title"),
        Block(len(TITLE) + 2, start - 2, "heading", 1, "<i>Results</i>"),
        Block(start, len(text), "body", 1, "<i>Results</i>"),
    )
    alpha, sleep = text.index("𝛼-cells"), text.index("Mice")
    citance = Citance(
        '1"><script>window.hacked = 1</script>',
        "<u>citing</u>",
        "The 𝛼 <b>signal</b> falls 😀 (Doe, 2001).",
        "Doe, 2001",
        annotations=(
            Annotation("<A>", (Span(start, alpha + 7),), ("<s>facet</s>",)),
            Annotation("B&", (Span(alpha, alpha + 12), Span(sleep, len(text)))),
            Annotation("C", ()),
        ),
    )
    second = Citance(
        "2", "x", "Mice sleep.", annotations=(Annotation("C", (Span(sleep, sleep + 4),)),)
    )
    third = Citance("3", "x", "Nobody knows what sleep is.", annotations=(Annotation("C", ()),))
    return Topic("<T>", Document("<T>", text, blocks), (citance, second, third))


def corpus(*topics: Topic) -> Corpus:
    """A corpus of no known name."""
    return Corpus("made", topics)


def bare(*citances: Citance) -> Topic:
    """A small article, cited or not."""
    return Topic(
        "bare", Document("bare", "Alpha cells divide. Beta cells rest. Gamma cells die."), citances
    )
