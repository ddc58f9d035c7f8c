"""Train the tagger and the chunker on CoNLL-2000: ``python data/nounphrases/build.py``.

README.md describes the result.
"""

import gzip
import json
import random
import zipfile

from nltk.chunk import ChunkScore, conllstr2tree, conlltags2tree, tree2conlltags
from nltk.tag.perceptron import PerceptronTagger

from citectx.corpora import sources
from citectx.language.noun_phrases import FILE, _ChunkTagger, taggers
from citectx.storage import write_atomically

SMALLEST = 0.3
"""Weights nearer to zero are left out; they hardly matter, and the file is smaller without them."""

Token = tuple[str, str, str]
"""A word as CoNLL-2000 has it: part of speech, and B-NP, I-NP or O (for all other chunks)."""


class _Learner(_ChunkTagger):
    def _make_tagdict(self, sentences: list[list[Token]]) -> None:
        super()._make_tagdict(sentences)
        self.tagdict.clear()  # no word is nearly always first in its phrase, not even an article


def part(name: str) -> list[list[Token]]:
    """Read the training or the test part of CoNLL-2000."""
    path = next(sources.folder("nltk-data").rglob("conll2000.zip"))
    blocks = zipfile.ZipFile(path).read(f"conll2000/{name}.txt").decode().strip().split("\n\n")
    return [tree2conlltags(conllstr2tree(block, chunk_types=("NP",))) for block in blocks]


def trained(tagger: PerceptronTagger, sentences: list[list[tuple[str, str]]]) -> dict[str, object]:
    """Train one perceptron in eight rounds, and return what of it is kept."""
    tagger.train(sentences, nr_iter=8)
    weights = {
        feature: {
            name: round(weight, 1) for name, weight in sorted(of.items()) if abs(weight) >= SMALLEST
        }
        for feature, of in sorted(tagger.model.weights.items())
    }
    kept = {feature: of for feature, of in weights.items() if of}
    return {
        "classes": sorted(tagger.classes),
        "tagdict": dict(sorted(tagger.tagdict.items())),
        "weights": kept,
    }


def measured() -> tuple[float, ChunkScore]:
    """Return the share of test words with the right tag, and the score of their noun phrases."""
    (tagger, chunker), test, score = taggers(), part("test"), ChunkScore()
    for sentence in test:
        tagged = tagger.tag([word for word, _, _ in sentence])
        known = [chunk for _, _, chunk in sentence]
        found = [chunk for _, chunk in chunker.tag([f"{word}/{pos}" for word, pos in tagged])]
        trees = (
            conlltags2tree([(*word, c) for word, c in zip(tagged, of, strict=True)])
            for of in (known, found)
        )
        score.score(*trees)
    return tagger.accuracy([[(word, pos) for word, pos, _ in sentence] for sentence in test]), score


def main() -> None:
    """Write ``model.json.gz`` and measure it on the test part."""
    train = part("train")
    random.seed(0)  # NLTK shuffles with it after each round
    words = trained(PerceptronTagger(load=False), [[(w, pos) for w, pos, _ in s] for s in train])
    chunks = trained(
        _Learner(load=False), [[(f"{w}/{pos}", chunk) for w, pos, chunk in s] for s in train]
    )
    text = json.dumps(
        {"parts_of_speech": words, "chunks": chunks}, ensure_ascii=False, separators=(",", ":")
    )
    write_atomically(FILE, gzip.compress(text.encode(), mtime=0))
    print(*measured())


if __name__ == "__main__":
    main()
