"""The articles of the teaching corpus as pages: what people marked, and what methods find."""

from html import escape
from pathlib import Path

import citectx
from citectx.show import viewer

FOLDER = Path("docs", "views")
METHODS = ("VSM", "BM25", "LMD")


def page() -> str:
    """Return a list of the articles, with a link to each."""
    items = ""
    for topic in citectx.load("teaching"):
        title = escape(topic.reference.blocks[0].span.of(topic.reference.text))
        count = f"{len(topic.citances)} citing sentences"
        items += f'<li><a href="views/{topic.topic_id}.html">{title}</a> ({count})</li>'
    return f"<ul>{items}</ul>"


def write(site: Path) -> None:
    """Write a page per article into the site."""
    corpus = citectx.load("teaching")
    (site / FOLDER).mkdir(parents=True, exist_ok=True)
    for topic in corpus:
        text = viewer.page(corpus, topic.topic_id, METHODS)
        (site / FOLDER / f"{topic.topic_id}.html").write_text(text, "utf-8")
