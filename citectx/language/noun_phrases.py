"""Noun phrases without a download: a tagger and a chunker whose weights are in the repository.

Both are NLTK's averaged perceptrons, trained on CoNLL-2000 (newspaper English) by
``data/nounphrases/build.py``. Import this module late: it imports all of NLTK.

>>> noun_phrases("The new method quickly finds two mutant genes in young flies.")
[('The', 'new', 'method'), ('two', 'mutant', 'genes'), ('young', 'flies')]
"""

import gzip
import json
from functools import cache

from nltk.chunk.util import conlltags2tree
from nltk.tag.perceptron import PerceptronTagger
from nltk.tokenize.destructive import NLTKWordTokenizer
from nltk.tree import Tree

from citectx.language.text import SentenceSplitter
from citectx.paths import DATA

FILE = DATA / "nounphrases" / "model.json.gz"


class _ChunkTagger(PerceptronTagger):  # type: ignore[misc]
    """Tags strings ``word/POS`` with B-NP, I-NP or O, from two words on either side."""

    def normalize(self, word: str) -> str:
        """Leave the word as it is; numbers are recognised by their part of speech."""
        return word

    def _get_features(
        self, i: int, word: str, context: list[str], prev: str, prev2: str
    ) -> dict[str, int]:
        i += len(self.START)
        window = [token.rpartition("/")[::2] for token in context[i - 2 : i + 3]]
        words, (p2, p1, p, q1, q2) = zip(*window, strict=True)
        _, w1, w, v1, _ = map(str.lower, words)
        names = ["bias", f"w {w}", f"w-1 {w1}", f"w+1 {v1}", f"suffix {word[-3:]}"]
        names += [f"p-2 {p2}", f"p-1 {p1}", f"p {p}", f"p+1 {q1}", f"p+2 {q2}"]
        names += [f"pp-1 {p1} {p}", f"pp+1 {p} {q1}", f"ppp {p1} {p} {q1}", f"pp-2 {p2} {p1}"]
        names += [f"t-1 {prev}", f"t-2 {prev2} {prev}", f"tp {prev} {p}", f"tpp {prev} {p1} {p}"]
        return dict.fromkeys(names, 1)


@cache
def taggers() -> tuple[PerceptronTagger, _ChunkTagger]:
    """Read the tagger and the chunker of this repository, once."""
    content = json.loads(gzip.decompress(FILE.read_bytes()))
    words, chunks = (
        [content[part][name] for name in ("weights", "tagdict", "classes")]
        for part in ("parts_of_speech", "chunks")
    )
    return PerceptronTagger.decode_json_obj(words), _ChunkTagger.decode_json_obj(chunks)


_TOKENIZER = NLTKWordTokenizer()
_SPLITTER = cache(SentenceSplitter)


def noun_phrases(text: str) -> list[tuple[str, ...]]:
    """Find the noun phrases of one or several sentences, each a tuple of its words.

    Source: naacl2015 §2.3.3. Ambiguity: the paper does not say how it finds them. Ours are *base*
    noun phrases, as in CoNLL-2000: they contain no others, so *the loss of function* is two.
    """
    tagger, chunker = taggers()
    phrases = []
    for sentence in _SPLITTER().split(text):
        words = _TOKENIZER.tokenize(sentence.of(text))
        tokens = [f"{word}/{pos}" for word, pos in tagger.tag(words)]
        chunks = [(*token.rsplit("/", 1), chunk) for token, chunk in chunker.tag(tokens)]
        tree = conlltags2tree(chunks)  # an I-NP that continues nothing begins a phrase
        parts = [part for part in tree if isinstance(part, Tree)]
        phrases += [tuple(word for word, _ in part) for part in parts]
    return phrases
