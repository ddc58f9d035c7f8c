"""The impact language model against Eq. 1 to 5 of acl2008, written down word by word."""

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from citectx.corpora import Corpus, Topic, citation_network
from citectx.errors import DataError
from citectx.language.citation_contexts import CitationContext, citation_contexts
from citectx.language.text import Analyzer, SentenceSplitter, strip_citation_markers
from citectx.summarization.base import Budget
from citectx.summarization.impact import Background, CitedPaper, ImpactModel, authority, look_up

ANALYZER, SPLITTER = Analyzer(), SentenceSplitter()
SCORES = {"Brandvold": 0.3, "Nakagiri": 0.1, "Whitlam": 0.25}


@pytest.fixture(scope="module")
def topic(teaching: Corpus) -> Topic:
    return teaching.topics[0]


def cited(topic: Topic, contexts: list[CitationContext]) -> CitedPaper:
    texts = (d.text for d in (topic.reference, *topic.citing.values()))
    sentences = SPLITTER.sentences(topic.reference)
    return CitedPaper.of(sentences, contexts, Background(texts, ANALYZER), ANALYZER, SCORES)


def plain_scores(topic: Topic, model: ImpactModel) -> list[float]:
    """−D(θ_I‖θ_s) with its entropy, as one reads it."""
    sentences = SPLITTER.sentences(topic.reference)
    papers = (topic.reference, *topic.citing.values())
    everything = Counter(w for paper in papers for w in ANALYZER(paper.text))
    total = everything.total()
    document = Counter(w for text in sentences.texts() for w in ANALYZER(text))
    cited: Counter[str] = Counter()
    for context in citation_contexts(topic, SPLITTER):
        for text, k in zip(context.sentences, context.distances, strict=True):
            pr = 1.0 if model.alpha is None else 1 / model.alpha**k
            pg = SCORES.get(context.citing_id, 0.1) if model.use_authority else 1.0
            for w in ANALYZER(strip_citation_markers(text)):
                cited[w] += pg * pr  # type: ignore[assignment]
    size, weight = document.total(), sum(cited.values())

    def impact(w: str) -> float:
        p_d, p_c = document[w] / size, cited[w] / weight
        return {
            "document": p_d,
            "citation": p_c,
            "constant": (1 - model.delta) * p_d + model.delta * p_c,
            "dirichlet": (document[w] + model.mu_c * p_c) / (size + model.mu_c),
        }[model.interpolation]

    def score(text: str) -> float:
        counts = Counter(ANALYZER(text))
        said = 0.0
        for w in sorted({*document, *cited}):
            prior = max(everything[w], 1) / total
            smoothed = (counts[w] + model.mu_s * prior) / (counts.total() + model.mu_s)
            said += impact(w) * math.log(smoothed)
        return said

    return [score(text) for text in sentences.texts()]


MODELS = [
    ImpactModel(),
    ImpactModel(alpha=None, use_authority=False),
    ImpactModel(alpha=2.0, delta=0.35, mu_s=50.0),
    ImpactModel(interpolation="dirichlet", mu_c=700.0),
    ImpactModel(interpolation="citation", use_authority=False),
    ImpactModel(interpolation="document", mu_s=5.0),
]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_equations_1_to_5_word_by_word(topic: Topic, model: ImpactModel) -> None:
    paper = cited(topic, citation_contexts(topic, SPLITTER))
    expected = plain_scores(topic, model)
    assert model.scores(paper) == pytest.approx(np.array(expected), abs=1e-10)
    assert model.model(paper).sum() == pytest.approx(1.0)
    best = ImpactModel.choose(model, paper, Budget(sentences=5))
    assert best == sorted(range(len(expected)), key=lambda i: (-round(expected[i], 9), i))[:5]


def test_the_setting_is_that_of_the_papers_table_1() -> None:
    model = ImpactModel()
    assert (model.interpolation, model.delta, model.mu_s, model.alpha) == ("constant", 0.8, 1000, 3)
    assert model.mu_c == 20_000 and model.use_authority


def test_papers_unknown_to_the_network_weigh_as_much_as_the_least_known(tmp_path: Path) -> None:
    path = tmp_path / "network.txt"
    path.write_text("Roe , Doe\nPoe , Doe\nDoe , Moe\n")
    scores = authority(citation_network.read(path))
    assert look_up(["Nemo", "Doe"], scores).tolist() == [scores["Poe"], scores["Doe"]]
    assert look_up(["Nemo"], {}).tolist() == [1.0]


def test_a_paper_without_contexts(topic: Topic) -> None:
    bare = cited(topic, [])
    with pytest.raises(DataError, match="no word in any citation context"):
        ImpactModel().scores(bare)
    assert len(ImpactModel(interpolation="document").choose(bare, Budget(sentences=3))) == 3
