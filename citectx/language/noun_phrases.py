"""Noun phrases without a download: a tagger and a chunker whose weights are kept in the repository.

Both are averaged perceptrons of NLTK's, trained on CoNLL-2000 by ``data/nounphrases/build.py``: the first
predicts parts of speech from words, the second noun phrases from both. The training text is newspaper
English; their accuracy (``data/nounphrases/README.md``) was measured there and is lower for science.

>>> noun_phrases("The new method quickly finds two mutant genes in young flies.")
[('The', 'new', 'method'), ('two', 'mutant', 'genes'), ('young', 'flies')]
"""

import gzip
import json
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Self

from nltk.tag.perceptron import PerceptronTagger
from nltk.tokenize import NLTKWordTokenizer

from citectx.errors import DataError, MissingDataError
from citectx.language.text import SentenceSplitter
from citectx.paths import DATA

FILE = DATA / "nounphrases" / "model.json.gz"

Words = tuple[str, ...]


class Token(NamedTuple):
    """A word as CoNLL-2000 has it: part of speech, and B-NP, I-NP or O."""

    word: str
    pos: str
    chunk: str


class Accuracy(NamedTuple):
    """How well a `Model` does on text with known answers, as fractions."""

    tagging: float
    precision: float
    recall: float
    f1: float


class ChunkTagger(PerceptronTagger):  # type: ignore[misc]
    """Marks the words of noun phrases; it tags strings ``word/POS``.

    Features are words and parts of speech in a window of two either side, pairs of neighbouring parts of
    speech, and the two tags before.
    """

    def normalize(self, word: str) -> str:
        """Leave the word as it is; numbers are recognised by their part of speech."""
        return word

    def _make_tagdict(self, sentences: Any) -> None:
        super()._make_tagdict(sentences)
        self.tagdict.clear()  # no word is nearly always first in its phrase, not even an article

    def _get_features(self, i: int, word: str, context: list[str], prev: str, prev2: str) -> dict[str, int]:
        i += len(self.START)
        window = [token.rpartition("/")[::2] for token in context[i - 2 : i + 3]]
        (_, p2), (w1, p1), (w, p), (v1, q1), (_, q2) = window
        return dict.fromkeys(
            (
                *("bias", f"w {w.lower()}", f"w-1 {w1.lower()}", f"w+1 {v1.lower()}", f"suffix {word[-3:]}"),
                *(f"p-2 {p2}", f"p-1 {p1}", f"p {p}", f"p+1 {q1}", f"p+2 {q2}"),
                *(f"pp-1 {p1} {p}", f"pp+1 {p} {q1}", f"ppp {p1} {p} {q1}", f"pp-2 {p2} {p1}"),
                *(f"t-1 {prev}", f"t-2 {prev2} {prev}", f"tp {prev} {p}", f"tpp {prev} {p1} {p}"),
            ),
            1,
        )


@dataclass(frozen=True)
class Model:
    """The two perceptrons.

    Parameters
    ----------
    parts_of_speech : PerceptronTagger
    chunks : ChunkTagger
    """

    parts_of_speech: PerceptronTagger
    chunks: ChunkTagger

    @classmethod
    def train(cls, sentences: Sequence[Sequence[Token]], *, rounds: int = 8, seed: int = 0) -> Self:
        """Train both; each round goes through the sentences in another order.

        >>> sentence = [Token("cells", "NNS", "B-NP"), Token("rest", "VBP", "O")]
        >>> Model.train([sentence] * 20, rounds=1).phrases(["cells", "rest"])
        [('cells',)]
        """
        words, chunks = PerceptronTagger(load=False), ChunkTagger(load=False)
        state = random.getstate()
        random.seed(seed)  # NLTK shuffles with the generator that everybody shares
        words.train([[(t.word, t.pos) for t in s] for s in sentences], nr_iter=rounds)
        chunks.train([[(f"{t.word}/{t.pos}", t.chunk) for t in s] for s in sentences], nr_iter=rounds)
        random.setstate(state)
        return cls(words, chunks)

    def tag(self, words: Sequence[str]) -> list[Token]:
        """Return each word of a sentence with its part of speech and its place in a noun phrase."""
        tagged = [(word, str(pos)) for word, pos in self.parts_of_speech.tag(words)]
        chunks = self.chunks.tag([f"{word}/{pos}" for word, pos in tagged])
        return [Token(word, pos, str(c)) for (word, pos), (_, c) in zip(tagged, chunks, strict=True)]

    def phrases(self, words: Sequence[str]) -> list[Words]:
        """Find the noun phrases of a sentence; they do not overlap, nor does one hold another."""
        tokens = self.tag(words)
        return [tuple(words[a:b]) for a, b in bounds(tokens)]

    def evaluate(self, sentences: Iterable[Sequence[Token]]) -> Accuracy:
        """Compare with known answers: parts of speech by word, noun phrases by both ends.

        The chunker sees the tagger's parts of speech, not the known ones.
        """
        words = right = found = known = hits = 0
        for sentence in sentences:
            ours = self.tag([t.word for t in sentence])
            words += len(sentence)
            right += sum(a.pos == b.pos for a, b in zip(ours, sentence, strict=True))
            mine, theirs = set(bounds(ours)), set(bounds(sentence))
            found, known, hits = found + len(mine), known + len(theirs), hits + len(mine & theirs)
        scores = (hits / max(n, 1) for n in (found, known, (found + known) / 2))
        return Accuracy(right / max(words, 1), *scores)

    def to_bytes(self, smallest: float = 0.0, decimals: int = 1) -> bytes:
        """Return the weights as gzipped JSON, rounded, without those nearer to zero than `smallest`."""
        parts = {"parts_of_speech": self.parts_of_speech, "chunks": self.chunks}
        content = {
            name: {
                "classes": sorted(tagger.classes),
                "tagdict": dict(sorted(tagger.tagdict.items())),
                "weights": _pruned(tagger.model.weights, smallest, decimals),
            }
            for name, tagger in parts.items()
        }
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        return gzip.compress(text.encode(), mtime=0)

    @classmethod
    def read(cls, path: Path = FILE) -> Self:
        """Read the weights that `to_bytes` returned.

        Raises
        ------
        DataError
            If the file holds something else.
        MissingDataError
            If it is not there.
        """
        if not path.is_file():
            raise MissingDataError(f"{path} is not there; data/nounphrases/build.py makes it")
        try:
            content = json.loads(gzip.decompress(path.read_bytes()))
            taggers = [content["parts_of_speech"], content["chunks"]]
            params = [(t["weights"], t["tagdict"], t["classes"]) for t in taggers]
        except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
            raise DataError(f"expected the weights of two taggers ({error!r})", file=path) from error
        return cls(PerceptronTagger.decode_json_obj(params[0]), ChunkTagger.decode_json_obj(params[1]))


def _pruned(weights: Mapping[str, Mapping[str, float]], smallest: float, decimals: int) -> dict[str, Any]:
    kept = {
        feature: {c: round(w, decimals) for c, w in sorted(of.items()) if abs(w) >= smallest and round(w, decimals)}
        for feature, of in sorted(weights.items())
    }
    return {feature: of for feature, of in kept.items() if of}


def bounds(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Return first word and end (exclusive) of each noun phrase; an I-NP with none before it begins one.

    >>> bounds([Token("the", "DT", "B-NP"), Token("cell", "NN", "I-NP"), Token("it", "PRP", "B-NP")])
    [(0, 2), (2, 3)]
    """
    found: list[tuple[int, int]] = []
    inside = False
    for i, token in enumerate(tokens):
        if token.chunk == "I-NP" and inside:
            found[-1] = (found[-1][0], i + 1)
        elif token.chunk != "O":
            found.append((i, i + 1))
        inside = token.chunk != "O"
    return found


def read_conll(text: str) -> list[list[Token]]:
    r"""Read sentences in the format of CoNLL-2000: ``word POS chunk`` a line, a blank line between.

    Chunks other than noun phrases become O.

    >>> read_conll("cells NNS B-NP\nrest VBP B-VP\n")
    [[Token(word='cells', pos='NNS', chunk='B-NP'), Token(word='rest', pos='VBP', chunk='O')]]
    """
    blocks = (block.splitlines() for block in re.split(r"\n\s*\n", text.strip()))
    rows = ([line.split() for line in block] for block in blocks)
    return [[Token(word, pos, c if c.endswith("-NP") else "O") for word, pos, c in lines] for lines in rows]


open_model = cache(Model.read)
"""Read the model of this repository, once."""

_TOKENIZER = NLTKWordTokenizer()
_SPLITTER = cache(SentenceSplitter)


def noun_phrases(text: str, model: Model | None = None) -> list[Words]:
    """Find the noun phrases of a text, each as its words.

    Source: naacl2015 §2.3.3. Ambiguity: the paper does not say what finds them. Ours are *base* noun phrases,
    as in CoNLL-2000: they hold no other, so *the loss of function* is two of them.

    Parameters
    ----------
    text : str
        One or several sentences.
    model : Model, optional
        By default the repository's.
    """
    model = model or open_model()
    sentences = (_TOKENIZER.tokenize(text[slice(*span)]) for span in _SPLITTER().split(text))
    return [phrase for words in sentences for phrase in model.phrases([str(word) for word in words])]
