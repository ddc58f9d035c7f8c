"""Make the small vectors from those trained on this machine: ``python data/vectors/build.py``.

Of each embedding the most frequent words are kept, and every word of the teaching corpus that it knows.
README.md describes the result.
"""

from collections.abc import Iterable

from citectx import profiles
from citectx.corpora.model import Topic
from citectx.embeddings import DEFAULT, open_vectors
from citectx.embeddings.small import small
from citectx.embeddings.store import SMALL_VECTORS
from citectx.language.text import Analyzer

WORDS, DIMENSIONS = 12_000, 150


def words_of(corpus: Iterable[Topic]) -> set[str]:
    """Return all words of a corpus: articles, citances, citing documents, summaries."""
    analyzer = Analyzer(stem=False, stop_words="none", numbers=False)
    return {
        word
        for topic in corpus
        for document in (topic.reference, *topic.citing.values())
        for text in (document.text, *(c.text for c in topic.citances), *topic.summaries.values())
        for word in analyzer(text)
    }


def main() -> None:
    """Write ``data/vectors/NAME`` for both embeddings and say how much of the teaching corpus they know."""
    words = words_of(profiles.load("teaching"))
    for name in ("general", "biomedical"):
        chosen = small(open_vectors(f"{name}-{DEFAULT}"), WORDS, keep=words, dimensions=DIMENSIONS)
        folder = chosen.save(SMALL_VECTORS / name, "int8")
        size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
        known = 100 * sum(word in chosen for word in words) / len(words)
        print(f"{name}: {len(chosen):,} words, {size:.1f} MB, {known:.1f} % of the teaching corpus's words")


if __name__ == "__main__":
    main()
