"""Features of a sentence alone: where it stands, what it is about, how it is written.

Only `match_in_abstract` and its like know the citance.
"""

import re

import numpy as np
import scipy.sparse as sp

from citectx.language.text import citation_markers
from citectx.papers.beyond.matching import bm25_rare
from citectx.papers.beyond.pairs import SECTIONS, Pairs, query, standardised
from citectx.papers.beyond.registry import Compute, feature
from citectx.types import Floats, Ints

# Section and place: where the sentence stands.


def _is(kind: str) -> Compute:
    return lambda pairs: np.array([float(k == kind) for k in pairs.kinds])


for _kind in ("abstract", *SECTIONS, "caption"):
    feature("section", name=f"in_{_kind}")(_is(_kind))


def _match_in(kind: str) -> Compute:
    return lambda pairs: standardised(bm25_rare(pairs)) * _is(kind)(pairs)


for _kind in ("abstract", *SECTIONS):
    feature("words in section", name=f"match_in_{_kind}")(_match_in(_kind))


@feature("place")
def place(pairs: Pairs) -> Floats:
    """Place in the article, from 0 to 1."""
    return np.linspace(0.0, 1.0, pairs.shape[1])


@feature("place")
def place_squared(pairs: Pairs) -> Floats:
    """The same, squared about the middle: what is high at both ends."""
    return np.asarray((2 * place(pairs) - 1) ** 2, dtype=np.float64)


@feature("place")
def opening(pairs: Pairs) -> Floats:
    """Reciprocal of the sentence's number in the article."""
    return np.asarray(1.0 / np.arange(1.0, pairs.shape[1] + 1), dtype=np.float64)


def _from_start(unit: Ints) -> Ints:
    starts = np.flatnonzero(np.diff(unit, prepend=-1))
    return np.asarray(np.arange(len(unit)) - starts[unit], dtype=np.int64)


@feature("place")
def opening_of_paragraph(pairs: Pairs) -> Floats:
    """Reciprocal of the sentence's number in the paragraph."""
    return np.asarray(1.0 / (1.0 + _from_start(pairs.block)), dtype=np.float64)


@feature("place")
def opening_of_section(pairs: Pairs) -> Floats:
    """Reciprocal of the sentence's number in the section."""
    return np.asarray(1.0 / (1.0 + _from_start(pairs.section)), dtype=np.float64)


@feature("place")
def last_in_paragraph(pairs: Pairs) -> Floats:
    """1 for the last sentence of a paragraph."""
    return np.asarray(np.diff(pairs.block, append=-1) != 0, dtype=np.float64)


@feature("place")
def last_in_section(pairs: Pairs) -> Floats:
    """1 for the last sentence of a section."""
    return np.asarray(np.diff(pairs.section, append=-1) != 0, dtype=np.float64)


# Gist: how much the sentence says of what the article is about.


def _cosine(pairs: Pairs, target: sp.csr_array) -> Floats:
    told, df = pairs.told("stems"), pairs.analysed("stems").document_frequency
    idf = np.log1p(pairs.shape[1] / np.maximum(df, 1))
    a, b = (told * idf).toarray(), (target * idf).toarray()
    lengths = np.linalg.norm(a, axis=1)[:, None] * np.linalg.norm(b, axis=1)
    return np.asarray((a @ b.T / np.maximum(lengths, 1e-9)).mean(axis=1), dtype=np.float64)


def _cosine_with_text(pairs: Pairs, text: str) -> Floats:
    return _cosine(pairs, pairs.analysed("stems").query_matrix([query(text, "stems")]))


@feature("gist")
def like_title(pairs: Pairs) -> Floats:
    """Cosine with the title; 0 without one."""
    return _cosine_with_text(pairs, pairs.of_blocks("title"))


@feature("gist")
def like_abstract(pairs: Pairs) -> Floats:
    """Cosine with the abstract; 0 without one."""
    return _cosine_with_text(pairs, pairs.of_blocks("abstract"))


@feature("gist", "z")
def central(pairs: Pairs) -> Floats:
    """Mean cosine with all sentences of the article."""
    return _cosine(pairs, pairs.told("stems"))


# Style: how the sentence is written.


@feature("style")
def length(pairs: Pairs) -> Floats:
    """Logarithm of the number of words."""
    return np.log1p(np.asarray(pairs.told().sum(axis=1)).ravel())


@feature("style")
def length_squared(pairs: Pairs) -> Floats:
    """Squared deviation of `length` from its mean over the article."""
    own = length(pairs)
    return np.asarray((own - own.mean()) ** 2, dtype=np.float64)


@feature("style")
def citations(pairs: Pairs) -> Floats:
    """Logarithm of one plus the number of citations in the sentence."""
    return np.log1p([len(citation_markers(text)) for text in pairs.texts])


CUES = {
    "we": r"\bwe\b|\bour\b",
    "finding": r"\b(show|demonstrat|found|find|identif|reveal|report|establish|observ|confirm)\w*",
    "offer": r"\b(propos|present|introduc|describ|develop|design|extend)\w*",
    "conclusion": r"\b(suggest|indicat|conclud|imply|implies|support|therefore|thus|hence|conclusion)\w*",
    "here": r"\b(here|herein|in this (paper|study|work|article|report)|novel|new|first time)\b",
    "contrast": r"\b(however|although|but|in contrast|unlike|whereas|despite|instead)\b",
    "measure": r"\b(significant|increas|decreas|reduc|improv|outperform|higher|lower|accuracy|percent)\w*|%",
    "pointer": r"\b(fig(ure|s)?|table|equation|eq|section|appendix)\b",
    "example": r"\b(for example|for instance|e\.g|such as|consider)\b",
}
"""Words that tell what a sentence does, as patterns over lower-case text."""


def _cue(pattern: str) -> Compute:
    found = re.compile(pattern)
    return lambda pairs: np.array([float(bool(found.search(text.lower()))) for text in pairs.texts])


for _name, _pattern in CUES.items():
    feature("style", name=f"cue_{_name}")(_cue(_pattern))
