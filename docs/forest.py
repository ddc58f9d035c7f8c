"""The pictures of each paper's claims: ``python -m docs.forest`` draws them anew."""

from pathlib import Path

from citectx.ledger import papers
from citectx.paths import ROOT
from citectx.show import forest
from citectx.storage import write_atomically
from docs.headlines import svg


def file(paper: str) -> Path:
    """Return where the picture of a paper lies."""
    return ROOT / "docs" / "images" / f"claims-{paper}.svg"


def picture(paper: str) -> str:
    """Return the picture of a paper's claims."""
    return svg(lambda: forest.draw(paper))


def line(paper: str) -> str:
    """Return the line of Markdown that shows it, with words for those who hear it."""
    return f"![{forest.in_words(paper)}](images/{file(paper).name})"


if __name__ == "__main__":
    for name in papers():
        write_atomically(file(name), picture(name))
        print(line(name))
