"""The articles of the teaching corpus as pages: what people marked, and what methods find."""

from html import escape
from pathlib import Path

import pandas as pd

import citectx
from citectx.show import viewer
from docs import findings

FOLDER = Path("docs", "views")
METHODS = ("VSM", "BM25", "LMD")


def page() -> str:
    """Return a list of the articles with a link to each, and how many findings a release has."""
    return f"{articles()}<h2>Findings by release</h2>{counts()}"


def counts() -> str:
    """Count the findings of each release in a table."""
    found = pd.read_csv(findings.FILE)["corpus"].value_counts()
    rows = "".join(
        f"<tr><td>{name}</td><td>{found.get(name, 0)}</td></tr>" for name in findings.RELEASES
    )
    head = "<thead><tr><th>release</th><th>findings</th></tr></thead>"
    return f'<table class="docutils">{head}<tbody>{rows}</tbody></table>'


def articles() -> str:
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
