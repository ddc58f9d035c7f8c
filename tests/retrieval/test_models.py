"""Each model against its formula, term by term; lesson 06 has Rocchio's feedback by hand."""

import math
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citectx.errors import DataError, ParameterError
from citectx.language.text import Analyzer
from citectx.retrieval import BM25, DFR, LMD, MODELS, VSM, Query, RetrievalModel, SpanIndex, model
from citectx.retrieval.lexical import standardise
from tests.retrieval import PLAIN, index_of

WORDS = ["alpha", "beta", "gamma", "delta", "epsilon"]

WITHOUT_VECTORS = [
    name for name, cls in MODELS.items() if "vectors" not in cls.__dataclass_fields__
]


class Plain:
    """The same statistics from Python counters."""

    def __init__(self, index: SpanIndex) -> None:
        self.spans = [
            Counter(PLAIN(index.candidates.text(i))) for i in range(len(index.candidates))
        ]
        self.n = len(self.spans)
        self.df = Counter(w for s in self.spans for w in s)
        self.total = sum(self.spans, Counter())
        self.length = [s.total() for s in self.spans]
        self.average = sum(self.length) / self.n

    def bm25(self, query: dict[str, int], i: int, k1: float, b: float) -> float:
        norm = k1 * (1 - b + b * self.length[i] / self.average)
        return sum(
            n * math.log(1 + (self.n - self.df[w] + 0.5) / (self.df[w] + 0.5)) * f / (f + norm)
            for w, n in query.items()
            if (f := self.spans[i][w])
        )

    def lmd(self, query: dict[str, int], i: int, mu: float) -> float:
        def p(w: str) -> float:
            prior = self.total[w] / self.total.total()
            return (self.spans[i][w] + mu * prior) / (self.length[i] + mu)

        return sum(n * math.log(p(w)) for w, n in query.items() if self.total[w])

    def vsm(self, query: dict[str, int], i: int, tf: Callable[[int], float]) -> float:
        def idf(w: str) -> float:
            return 1 + math.log(self.n / (self.df[w] + 1))

        q = {w: n * idf(w) for w, n in query.items() if self.df[w]}
        d = {w: tf(f) * idf(w) for w, f in self.spans[i].items()}
        norm = math.hypot(*q.values()) * math.hypot(*d.values())
        return sum(q[w] * d[w] for w in q if w in d) / norm if norm else 0.0

    def dfr(self, query: dict[str, int], i: int, c: float) -> float:
        stretch = math.log2(1 + c * self.average / self.length[i])
        return sum(
            n * math.log2((self.n + 1) / (self.df[w] + 0.5)) * tfn / (tfn + 1)
            for w, n in query.items()
            if (tfn := self.spans[i][w] * stretch)
        )


CASES: list[tuple[RetrievalModel, Callable[[Plain, dict[str, int], int], float]]] = [
    (BM25(k1=0.9, b=0.4), lambda p, q, i: p.bm25(q, i, 0.9, 0.4)),
    (LMD(mu=7.0), lambda p, q, i: p.lmd(q, i, 7.0)),
    (VSM(tf="raw"), lambda p, q, i: p.vsm(q, i, float)),
    (VSM(tf="log"), lambda p, q, i: p.vsm(q, i, lambda f: 1 + math.log(f))),
    (VSM(tf="sqrt"), lambda p, q, i: p.vsm(q, i, math.sqrt)),
    (DFR(c=2.0), lambda p, q, i: p.dfr(q, i, 2.0)),
]

sentence = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
article = st.lists(sentence, min_size=1, max_size=6)
query = st.dictionaries(st.sampled_from([*WORDS, "unseen"]), st.integers(1, 3), max_size=4)


@pytest.mark.parametrize(("fitted", "formula"), CASES, ids=lambda c: type(c).__name__)
@given(sentences=article, terms=query)
def test_scores_equal_the_formula(fitted: RetrievalModel, formula, sentences, terms) -> None:  # type: ignore[no-untyped-def]
    index = index_of(" ".join(f"{s.capitalize()}." for s in sentences), longest=2)
    plain = Plain(index)
    expected = [formula(plain, terms, i) for i in range(plain.n)]
    np.testing.assert_allclose(
        fitted.fit(index).score([Query(terms)])[0], expected, rtol=1e-9, atol=1e-9
    )


def test_equal_scores_are_0_whatever_their_rounding() -> None:
    rows = standardise(np.array([[0.1 + 0.2, 0.3, 0.3], [1.0, 2.0, 3.0]]))
    assert rows[0].tolist() == [0.0, 0.0, 0.0]
    assert rows[1] == pytest.approx([-math.sqrt(1.5), 0, math.sqrt(1.5)])


@pytest.mark.parametrize("name", WITHOUT_VECTORS)
def test_every_model_copes_with_an_empty_query_and_a_span_without_terms(name: str) -> None:
    index = index_of("Alpha beta gamma. The of and. Alpha delta.", analyzer=Analyzer())
    scores = model(name)().fit(index).score([Query({}), Query({"alpha": 1}), Query({"unseen": 1})])
    assert scores.shape == (3, 3)
    assert np.isfinite(scores).all()
    assert len(set(scores[0])) == len(set(scores[2])) == 1


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: BM25(k1=-1), r"BM25: k1=-1 is outside \[0, inf\]"),
        (lambda: BM25(b=1.5), r"b=1.5 is outside \[0, 1\]"),
        (lambda: LMD(mu=0), r"mu=0 is outside \(0, inf\]"),
        (lambda: LMD(mu=float("nan")), "mu=nan"),
        (lambda: model("BM52"), "unknown method 'BM52'; did you mean 'BM25'?"),
    ],
)
def test_bad_parameters(build: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        build()


def test_article_without_terms() -> None:
    with pytest.raises(DataError, match="ref: nothing to index"):
        index_of("The of.", analyzer=Analyzer())
