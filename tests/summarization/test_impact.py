"""The impact language model against Eq. 1 to 5 of acl2008, written down word by word."""

import math
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from citectx import profiles
from citectx.corpora import Topic, citation_network
from citectx.errors import DataError
from citectx.language.citation_contexts import CitationContext, citation_contexts
from citectx.language.text import Analyzer, Sentences, SentenceSplitter, strip_citation_markers
from citectx.summarization.base import Budget
from citectx.summarization.impact import Background, CitedPaper, ImpactModel, authority, look_up

ANALYZER = Analyzer()
SCORES = {"Brandvold": 0.3, "Nakagiri": 0.1, "Whitlam": 0.25}


def parts(
    topic: Topic, splitter: SentenceSplitter
) -> tuple[Sentences, list[CitationContext], Background]:
    texts = [d.text for d in (topic.reference, *topic.citing.values())]
    contexts = citation_contexts(topic, splitter)
    return splitter.sentences(topic.reference), contexts, Background(texts, ANALYZER)


@pytest.fixture(scope="module")
def topic() -> Topic:
    return profiles.load("teaching").topics[0]


@pytest.fixture(scope="module")
def paper(topic: Topic) -> CitedPaper:
    sentences, contexts, background = parts(topic, SentenceSplitter())
    return CitedPaper.of(sentences, contexts, background, ANALYZER, SCORES)


def plain_scores(topic: Topic, model: ImpactModel) -> list[float]:
    """−D(θ_I‖θ_s) with its entropy, as one reads it."""
    splitter = SentenceSplitter()
    sentences, contexts, _ = parts(topic, splitter)
    everything = Counter(
        w for d in (topic.reference, *topic.citing.values()) for w in ANALYZER(d.text)
    )
    total = everything.total()
    document = Counter(w for text in sentences.texts() for w in ANALYZER(text))
    cited: Counter[str] = Counter()
    for context in contexts:
        for text, k in zip(context.sentences, context.distances, strict=True):
            pr = 1.0 if model.alpha is None else 1 / model.alpha**k
            pg = SCORES.get(context.citing_id, 0.1) if model.use_authority else 1.0
            for w in ANALYZER(strip_citation_markers(text)):
                cited[w] += pg * pr  # type: ignore[assignment]
    size, weight = document.total(), sum(cited.values())

    def impact(w: str) -> float:
        p_d, p_c = document[w] / size, cited[w] / weight
        if model.interpolation == "document":
            return p_d
        if model.interpolation == "citation":
            return p_c
        if model.interpolation == "constant":
            return (1 - model.delta) * p_d + model.delta * p_c
        return (document[w] + model.mu_c * p_c) / (size + model.mu_c)

    vocabulary = sorted({*document, *cited})
    scores = []
    for text in sentences.texts():
        counts = Counter(ANALYZER(text))
        score = 0.0
        for w in vocabulary:
            p = impact(w)
            smoothed = (counts[w] + model.mu_s * max(everything[w], 1) / total) / (
                counts.total() + model.mu_s
            )
            score += p * math.log(smoothed) if p else 0.0
        scores.append(score)
    return scores


MODELS = [
    ImpactModel(),
    ImpactModel(alpha=None, use_authority=False),
    ImpactModel(alpha=2.0, delta=0.35, mu_s=50.0),
    ImpactModel(interpolation="dirichlet", mu_c=700.0),
    ImpactModel(interpolation="citation", use_authority=False),
    ImpactModel(interpolation="document", mu_s=5.0),
]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_equations_1_to_5_word_by_word(topic: Topic, paper: CitedPaper, model: ImpactModel) -> None:
    expected = plain_scores(topic, model)
    assert model.scores(paper) == pytest.approx(np.array(expected), abs=1e-10)
    assert model.model(paper).sum() == pytest.approx(1.0)
    best = ImpactModel.choose(model, paper, Budget(sentences=5))
    assert best == sorted(range(len(expected)), key=lambda i: (-round(expected[i], 9), i))[:5]


def test_the_setting_is_that_of_the_papers_table_1() -> None:
    model = ImpactModel()
    assert (model.interpolation, model.delta, model.mu_s, model.alpha) == ("constant", 0.8, 1000, 3)
    assert model.mu_c == 20_000 and model.use_authority


def network_of(path: Path, pairs: Iterable[str]) -> citation_network.CitationNetwork:
    path.write_text("\n".join(pairs))
    return citation_network.read(path)


def test_pagerank_is_that_of_networkx(tmp_path: Path) -> None:
    networkx = pytest.importorskip("networkx")
    rng = np.random.default_rng(0)
    pairs = {(f"p{a}", f"p{b}") for a, b in rng.integers(0, 60, (150, 2)) if a != b}
    network = network_of(tmp_path / "random.txt", [f"{a} , {b}" for a, b in sorted(pairs)])
    expected = networkx.pagerank(
        networkx.DiGraph(sorted(pairs)), alpha=0.85, tol=1e-12, max_iter=1000
    )
    assert authority(network) == pytest.approx(expected, abs=1e-9)


def test_papers_unknown_to_the_network_weigh_as_much_as_the_least_known(tmp_path: Path) -> None:
    network = network_of(tmp_path / "network.txt", ["Roe , Doe", "Poe , Doe", "Doe , Moe"])
    scores = authority(network)
    assert look_up(["Nemo", "Doe"], scores).tolist() == [scores["Poe"], scores["Doe"]]
    assert look_up(["Nemo"], {}).tolist() == [1.0]


def test_a_paper_without_contexts(topic: Topic) -> None:
    sentences, _, background = parts(topic, SentenceSplitter())
    bare = CitedPaper.of(sentences, [], background, ANALYZER, SCORES)
    with pytest.raises(DataError, match="no word in any citation context"):
        ImpactModel().scores(bare)
    assert len(ImpactModel(interpolation="document").choose(bare, Budget(sentences=3))) == 3
