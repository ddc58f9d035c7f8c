"""Features of a citance and a sentence: how well the one matches the other and what surrounds it."""

import re

import numpy as np
import scipy.sparse as sp

from citectx.papers.beyond.pairs import ANALYSES, Pairs, bm25, query, rarity
from citectx.papers.beyond.registry import VIEWS, feature
from citectx.retrieval import DFR, LMD, VSM, RetrievalModel
from citectx.retrieval.encoders import open_encoder
from citectx.types import Floats, Ints

# Words: how well a sentence matches the citance.

ALL = tuple(VIEWS)


def _model(model: RetrievalModel, pairs: Pairs) -> Floats:
    return model.fit(pairs.analysed()).score([query(q.text) for q in pairs.queries])


@feature("words", *ALL)
def bm25_usual(pairs: Pairs) -> Floats:
    """BM25 of words with the usual k1 = 1.2, b = 0.75."""
    return bm25(pairs.told(), pairs.asked())


@feature("words", *ALL)
def bm25_flat(pairs: Pairs) -> Floats:
    """BM25 of words that hardly counts repetitions: k1 = 0.2, b = 0.5."""
    return bm25(pairs.told(), pairs.asked(), k1=0.2, b=0.5)


@feature("words", *ALL)
def bm25_long(pairs: Pairs) -> Floats:
    """BM25 of words that does not mind long sentences: k1 = 2, b = 0.25."""
    return bm25(pairs.told(), pairs.asked(), k1=2.0, b=0.25)


@feature("words", *ALL)
def bm25_stems(pairs: Pairs) -> Floats:
    """BM25 of stems."""
    return bm25(pairs.told("stems"), pairs.asked("stems"), k1=0.8)


@feature("words", *ALL)
def bm25_prefixes(pairs: Pairs) -> Floats:
    """BM25 of the first five letters of words."""
    return bm25(pairs.told("prefixes"), pairs.asked("prefixes"), k1=0.8)


@feature("words", *ALL)
def bm25_grams(pairs: Pairs) -> Floats:
    """BM25 of four characters in a row."""
    return bm25(pairs.told("grams"), pairs.asked("grams"), k1=0.8)


@feature("words", *ALL)
def bm25_bigrams(pairs: Pairs) -> Floats:
    """BM25 of two stems in a row."""
    return bm25(pairs.told("bigrams"), pairs.asked("bigrams"), k1=0.8)


def once(counts: sp.csr_array) -> sp.csr_array:
    """Replace each count by 1."""
    return sp.csr_array((np.ones_like(counts.data), counts.indices, counts.indptr), shape=counts.shape)


@feature("words", *ALL)
def bm25_rare(pairs: Pairs) -> Floats:
    """BM25 of words, each of the citance once, weighted by how rare they are in the field."""
    return bm25(pairs.told(), once(pairs.asked()), k1=0.4, b=0.5, weights=pairs.rarities)


@feature("words", *ALL)
def vsm(pairs: Pairs) -> Floats:
    """Cosine of tf·idf vectors."""
    return _model(VSM(tf="raw"), pairs)


@feature("words", *ALL)
def lmd(pairs: Pairs) -> Floats:
    """Query likelihood with a Dirichlet prior, mu = 50."""
    return _model(LMD(mu=50.0), pairs)


@feature("words", *ALL)
def dfr(pairs: Pairs) -> Floats:
    """Divergence from randomness, I(F)L2 with c = 5."""
    return _model(DFR(basic="IF", after="L", c=5.0), pairs)


@feature("words", *ALL)
def coverage(pairs: Pairs) -> Floats:
    """Share of the citance's words that the sentence has, by rarity."""
    asked = [sum(map(rarity, set(ANALYSES["words"](q.text)))) for q in pairs.queries]
    return _shared(pairs) / np.maximum(asked, 1e-9)[:, None]


@feature("words", *ALL)
def focus(pairs: Pairs) -> Floats:
    """Share of the sentence's words that the citance has, by rarity."""
    told: Floats = np.maximum(once(pairs.told()) @ pairs.rarities, 1e-9)
    return _shared(pairs) / told


def _shared(pairs: Pairs) -> Floats:
    weighted = once(pairs.told()) * pairs.rarities
    return np.asarray((once(pairs.asked()) @ weighted.T).toarray(), dtype=np.float64)


@feature("words", "z")
def rarest(pairs: Pairs) -> Floats:
    """Rarity of the rarest word that both have."""
    told, asked = once(pairs.told()).toarray() * pairs.rarities, pairs.asked()
    terms = [asked.indices[a:b] for a, b in zip(asked.indptr, asked.indptr[1:], strict=False)]
    return np.array([told[:, own].max(axis=1, initial=0.0) for own in terms]).reshape(pairs.shape)


_ACRONYM = re.compile(r"\b(?:\w*[A-Z]\w*[A-Z\d]\w*|\w*\d\w*[A-Za-z]\w*)\b")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?![\w])")


def _found_again(pattern: re.Pattern[str], pairs: Pairs) -> Floats:
    told = [set(pattern.findall(text)) for text in pairs.texts]
    asked = [set(pattern.findall(q.text)) for q in pairs.queries]
    return np.array([[len(a & t) / len(a) if a else 0.0 for t in told] for a in asked]).reshape(pairs.shape)


@feature("words")
def acronyms(pairs: Pairs) -> Floats:
    """Share of the citance's acronyms and symbols (PINK1, mTOR) that the sentence has."""
    return _found_again(_ACRONYM, pairs)


@feature("words")
def numbers(pairs: Pairs) -> Floats:
    """Share of the citance's numbers that the sentence has."""
    return _found_again(_NUMBER, pairs)


# Surroundings: how well what the sentence stands in matches the citance.


def _surrounding(unit: Ints, pairs: Pairs) -> Floats:
    """Score the stretches with the same number, for each sentence of theirs."""
    members = sp.csr_array((np.ones(len(unit)), (unit, np.arange(len(unit)))))
    return bm25(members @ pairs.told("stems"), pairs.asked("stems"))[:, unit]


@feature("surroundings", "z")
def paragraph(pairs: Pairs) -> Floats:
    """BM25 of stems of the whole paragraph."""
    return _surrounding(pairs.block, pairs)


@feature("surroundings", "z")
def whole_section(pairs: Pairs) -> Floats:
    """BM25 of stems of the whole section."""
    return _surrounding(pairs.section, pairs)


@feature("surroundings", "z", "rank")
def window(pairs: Pairs) -> Floats:
    """BM25 of stems of the sentence with the one before and the one behind."""
    reach = once(pairs.neighbours) + sp.eye_array(pairs.shape[1])
    return bm25(sp.csr_array(reach @ pairs.told("stems")), pairs.asked("stems"))


@feature("surroundings", "z")
def heading(pairs: Pairs) -> Floats:
    """Share of the citance's stems that the heading of the section has."""
    vocabulary = pairs.analysed("stems").vocabulary
    known = pairs.asked("stems")
    headings = [query(b.heading, "stems") for b in pairs.sentences.blocks]
    rows = [[vocabulary[t] for t in h.weights if t in vocabulary] for h in headings]
    indptr = np.cumsum([0, *map(len, rows)])
    columns = np.array([t for row in rows for t in row], dtype=np.int64)
    has = sp.csr_array((np.ones(len(columns)), columns, indptr), shape=(len(rows), len(vocabulary)))
    shared = (once(known) @ has.T).toarray()
    return np.asarray(shared / np.maximum(np.diff(known.indptr), 1)[:, None], dtype=np.float64)


# Meaning: needs the extra ``dense``.


@feature("meaning", *ALL)
def encoder(pairs: Pairs) -> Floats:
    """Cosine of the default sentence encoder's vectors."""
    model = open_encoder()
    told, asked = (
        np.asarray(model.encode(texts), dtype=np.float64)
        for texts in (pairs.texts, [q.text for q in pairs.queries])
    )
    unit_told, unit_asked = (
        v / np.maximum(np.linalg.norm(v, axis=1, keepdims=True), 1e-9) for v in (told, asked)
    )
    return np.asarray(unit_asked @ unit_told.T, dtype=np.float64)
