"""Noun phrases without a download: a tagger and a chunker whose weights are kept in the repository.

Both are averaged perceptrons of NLTK's, trained on CoNLL-2000 by ``data/nounphrases/build.py``: the
first predicts parts of speech from words, the second noun phrases from both. The training text is
newspaper English; their accuracy (``data/nounphrases/README.md``) was measured there and is lower
for science.

>>> noun_phrases("The new method quickly finds two mutant genes in young flies.")
[('The', 'new', 'method'), ('two', 'mutant', 'genes'), ('young', 'flies')]
"""

import gzip
import json
from collections.abc import Sequence
from functools import cache

from nltk.tag.perceptron import PerceptronTagger
from nltk.tokenize.destructive import NLTKWordTokenizer

from citectx.errors import MissingDataError
from citectx.language.text import SentenceSplitter
from citectx.paths import DATA

FILE = DATA / "nounphrases" / "model.json.gz"


class ChunkTagger(PerceptronTagger):  # type: ignore[misc]
    """Marks the words of noun phrases (B-NP, I-NP or O); it tags strings ``word/POS``.

    Features are words and parts of speech in a window of two either side, pairs of neighbouring
    parts of speech, and the two tags before.
    """

    def normalize(self, word: str) -> str:
        """Leave the word as it is; numbers are recognised by their part of speech."""
        return word

    def _get_features(
        self, i: int, word: str, context: list[str], prev: str, prev2: str
    ) -> dict[str, int]:
        i += len(self.START)
        window = [token.rpartition("/")[::2] for token in context[i - 2 : i + 3]]
        (_, p2), (w1, p1), (w, p), (v1, q1), (_, q2) = window
        features = (
            *(
                "bias",
                f"w {w.lower()}",
                f"w-1 {w1.lower()}",
                f"w+1 {v1.lower()}",
                f"suffix {word[-3:]}",
            ),
            *(f"p-2 {p2}", f"p-1 {p1}", f"p {p}", f"p+1 {q1}", f"p+2 {q2}"),
            *(f"pp-1 {p1} {p}", f"pp+1 {p} {q1}", f"ppp {p1} {p} {q1}", f"pp-2 {p2} {p1}"),
            *(f"t-1 {prev}", f"t-2 {prev2} {prev}", f"tp {prev} {p}", f"tpp {prev} {p1} {p}"),
        )
        return dict.fromkeys(features, 1)


@cache
def taggers() -> tuple[PerceptronTagger, ChunkTagger]:
    """Read the tagger and the chunker of this repository, once.

    Raises
    ------
    MissingDataError
        If their file is not there.
    """
    if not FILE.is_file():
        raise MissingDataError(f"{FILE} is not there; data/nounphrases/build.py makes it")
    content = json.loads(gzip.decompress(FILE.read_bytes()))
    parts = (content["parts_of_speech"], content["chunks"])
    words, chunks = ((part["weights"], part["tagdict"], part["classes"]) for part in parts)
    return PerceptronTagger.decode_json_obj(words), ChunkTagger.decode_json_obj(chunks)


def bounds(words: Sequence[str]) -> list[tuple[int, int]]:
    """Return first word and end (exclusive) of each noun phrase of a sentence; an I-NP with none
    before begins one.

    >>> bounds("the cell that it eats".split())
    [(0, 2), (3, 4)]
    """
    tagger, chunker = taggers()
    found: list[tuple[int, int]] = []
    inside = False
    for i, (_, chunk) in enumerate(
        chunker.tag([f"{word}/{pos}" for word, pos in tagger.tag(words)])
    ):
        if chunk == "I-NP" and inside:
            found[-1] = (found[-1][0], i + 1)
        elif chunk != "O":
            found.append((i, i + 1))
        inside = chunk != "O"
    return found


_TOKENIZER = NLTKWordTokenizer()
_SPLITTER = cache(SentenceSplitter)


def noun_phrases(text: str) -> list[tuple[str, ...]]:
    """Find the noun phrases of a text, one or several sentences, each as its words.

    Source: naacl2015 §2.3.3. Ambiguity: the paper does not say what finds them. Ours are *base*
    noun phrases, as in CoNLL-2000: they hold no other, so *the loss of function* is two of them.
    """
    sentences = [_TOKENIZER.tokenize(text[slice(*span)]) for span in _SPLITTER().split(text)]
    return [tuple(words[a:b]) for words in sentences for a, b in bounds(words)]
