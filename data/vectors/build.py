"""Make the small vectors from those trained on this machine: ``python data/vectors/build.py``.

Of each embedding the most frequent words are kept, and every word of the teaching corpus that it
knows. README.md describes the result.
"""

from collections.abc import Iterable

import numpy as np

from citectx import profiles
from citectx.corpora.model import Topic
from citectx.embeddings import Vectors, open_vectors
from citectx.embeddings.vectors import SMALL_VECTORS
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


def small(vectors: Vectors, n_words: int, *, keep: Iterable[str] = (), dimensions: int) -> Vectors:
    """Keep the most frequent words, and fewer dimensions.

    Parameters
    ----------
    vectors : Vectors
    n_words : int
        How many words to keep, those in `keep` included.
    keep : iterable of str
        Words to keep however rare they are, as far as they are known.
    dimensions : int
        Project both matrices on this many principal axes of the two together, without centring: dot
        products, also those of input with output vectors, then change as little as possible.
    """
    wanted = {vectors.index[word] for word in keep if word in vectors}
    rest = [row for row in range(min(n_words, len(vectors))) if row not in wanted]
    rows = np.array(sorted([*wanted, *rest[: n_words - len(wanted)]]), dtype=np.int64)
    matrices = [m[rows] for m in (vectors.matrix, vectors.output)]
    if dimensions < vectors.dimensions:
        stacked = np.vstack(matrices).astype(np.float64)
        _, axes = np.linalg.eigh(stacked.T @ stacked)  # from the least to the most important
        matrices = [(m @ axes[:, -dimensions:]).astype(np.float32) for m in matrices]
    facts = {"words": len(rows), "dimensions": matrices[0].shape[1], "taken_from": len(vectors)}
    words, (matrix, output) = tuple(vectors.words[i] for i in rows), matrices
    return Vectors(words, matrix, output, dict(vectors.card) | facts)


def main() -> None:
    """Write ``data/vectors/NAME`` for both embeddings; print their share of the corpus's words."""
    words = words_of(profiles.load("teaching"))
    for name in ("general", "biomedical"):
        chosen = small(open_vectors(f"{name}-skip-gram"), WORDS, keep=words, dimensions=DIMENSIONS)
        folder = chosen.save(SMALL_VECTORS / name, int8=True)
        size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
        known = 100 * sum(word in chosen for word in words) / len(words)
        share = f"{known:.1f} % of the teaching corpus's words"
        print(f"{name}: {len(chosen):,} words, {size:.1f} MB, {share}")


if __name__ == "__main__":
    main()
