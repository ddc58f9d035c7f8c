"""CL-SciSumm: training lines, blind citances, gold CSVs, what the release has odd; ScisummNet."""

import hashlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from citectx.corpora import scisumm, scisumm_articles, scisummnet
from citectx.corpora.model import Citance, Corpus

SAMPLES = Path(__file__).parents[1] / "samples"


def sids(corpus: Corpus, topic: str, citance: str) -> list[str]:
    """Return the ids of the sentences that are evidence."""
    found = next(c for c in corpus[topic].citances if c.citance_id == citance)
    places = {span: sid for sid, span in corpus[topic].reference.sentence_spans.items()}
    return [places[span] for a in found.annotations for span in a.spans]


def citances(corpus: Corpus) -> list[Citance]:
    return [citance for topic in corpus for citance in topic.citances]


# --- made-up topics


def test_a_training_topic() -> None:
    corpus = scisumm.read_training(SAMPLES / "scisumm-train")
    [topic] = corpus
    first, _ = topic.citances
    assert first.text == "Doe (1999) says they rest. We agree."
    assert (first.citing_id, first.marker) == ("W01-2", "1999")
    assert first.span
    assert first.span.of(topic.citing["W01-2"].text) == first.text
    assert [a.annotator for a in first.annotations] == ["jane"]
    assert sids(corpus, "P99-1", "1") == ["1"]
    assert set(topic.summaries) == {"human"}


def test_test_topics_blind_and_as_two_people_annotated_them() -> None:
    [topic] = scisumm.read_test(SAMPLES / "scisumm-gold")
    assert topic.citances
    assert all(citance.text and not citance.annotations for citance in topic.citances)
    [topic] = scisumm.read_gold(SAMPLES / "scisumm-gold")
    assert {a.annotator for c in topic.citances for a in c.annotations} == {"ann", "zoe"}
    assert list(topic.summaries) == ["human-ann"]


ARTICLE = (
    '<?xml version="1.0" encoding="iso-8859-1"?><PAPER><S sid ="0">On rest</S></ABSTRACT>'
    '<ABSTRACT>\n<S sid ="1" ssid = "1">Cells &amp;\n yeast rest.</S><S sid = "2"></S>'
    '<S sid ="3">By day.</S></ABSTRACT><SECTION title="Summary" number = "4">'
    '<S sid="4">So.</S></SECTION></PAPER>'
)


def test_articles_are_read_tag_by_tag() -> None:
    article = scisumm_articles.parse_article("P99-1", ARTICLE)
    blocks = [(block.kind, article.text[block.start : block.end]) for block in article.blocks]
    assert blocks == [
        ("title", "On rest"),
        ("abstract", "Cells & yeast rest. By day."),
        ("heading", "Summary"),
        ("body", "So."),
    ]
    assert article.sentence_ids == ("0", "1", "3", "4")
    assert article.sentence_spans["3"].of(article.text) == "By day."


# --- the release


@pytest.fixture(scope="module")
def training(open_corpus: Callable[[str], Path]) -> Corpus:
    return scisumm.read_training(open_corpus("scisumm-corpus"))


@pytest.mark.open_data
def test_figures_of_the_training_topics(training: Corpus) -> None:
    found = citances(training)
    assert (len(training), len(found)) == (40, 753)
    assert all(len(c.gold) == 1 and c.text and c.span for c in found)
    sentences = [sid for topic in training for sid in topic.reference.sentence_ids or ()]
    assert sum(sid != "" for sid in sentences) / len(training) == pytest.approx(217.8)
    assert sentences.count("") == 6
    summaries = Counter(name for topic in training for name in topic.summaries)
    assert summaries == {"abstract": 39, "community": 39, "human": 37}
    assert len(training.findings) == 13
    assert all("the offset holds" in finding for finding in training.findings)


@pytest.mark.open_data
def test_oddities_of_the_training_topics(training: Corpus) -> None:
    repeated = [c.citance_id for c in training["N09-1025"].citances][:14]
    assert repeated == ["1", *(f"1-{number}" for number in range(2, 15))]
    # Citing articles under other names, and Word documents.
    named = {c.citing_id for c in citances(training)}
    assert set(scisumm._CITING.values()) <= named
    assert all(c.citing_id in topic.citing for topic in training for c in topic.citances)
    assert not any("docx" in name for topic in training for name in topic.citing)


@pytest.mark.open_data
@pytest.mark.parametrize(
    ("topic", "name", "count"),
    [("J96-3004", "P11-1141", 213), ("C98-1097", "ICDAR99", 184), ("P00-1025", "P55-62_p00", 381)],
)
def test_all_sentences_of_malformed_articles_are_read(
    open_corpus: Callable[[str], Path], training: Corpus, topic: str, name: str, count: int
) -> None:
    """They close a tag that they never opened; parsers of XML that recover lose sentences."""
    folder = open_corpus("scisumm-corpus") / scisumm.TRAINING / topic / "Citance_XML"
    content = (folder / f"{name}.xml").read_bytes()
    article = training[topic].citing[name]
    assert len(article.sentences or ()) == content.count(b"</S>") == count


@pytest.mark.open_data
def test_figures_of_the_test_topics(open_corpus: Callable[[str], Path]) -> None:
    corpus = scisumm.read_test(open_corpus("scisumm-corpus"))
    assert (len(corpus), len(citances(corpus))) == (20, 339)
    assert not any(citance.annotations for citance in citances(corpus))
    missing = {c.citing_id for t in corpus for c in t.citances if c.citing_id not in t.citing}
    assert len(missing) == 3


@pytest.mark.open_data
def test_figures_of_the_gold_topics(open_corpus: Callable[[str], Path]) -> None:
    corpus = scisumm.read_gold(open_corpus("scisumm-corpus"))
    sizes = {topic.topic_id: len(topic.citances) for topic in corpus}
    assert (len(sizes), sum(sizes.values()), min(sizes.values()), max(sizes.values())) == (
        *(20, 357),
        *(15, 20),
    )
    assert Counter(len(c.gold) for c in citances(corpus)) == {4: 26, 3: 276, 2: 43, 1: 9, 0: 3}
    annotators = {
        t.topic_id: {a.annotator for c in t.citances for a in c.annotations} for t in corpus
    }
    four = {topic for topic, people in annotators.items() if len(people) == 4}
    assert four == {"P04-1036", "W99-0613"}
    assert set.union(*annotators.values()) == {"aakansha", "swastika", "sweta", "vardha"}
    humans = [sum(name.startswith("human") for name in topic.summaries) for topic in corpus]
    assert Counter(humans) == {3: 18, 4: 2}


# --- ScisummNet


def test_a_made_up_paper() -> None:
    [topic] = scisummnet.read(SAMPLES / "scisummnet")
    assert topic.topic_id == "P99-1"
    assert set(topic.summaries) == {"human", "abstract"}
    assert all(citance.text and not citance.annotations for citance in topic.citances)


@pytest.fixture(scope="module")
def unseen(open_corpus: Callable[[str], Path]) -> Corpus:
    return scisummnet.read_unseen(open_corpus("scisumm-corpus"))


@pytest.mark.open_data
def test_figures_of_the_release(open_corpus: Callable[[str], Path], unseen: Corpus) -> None:
    corpus = scisummnet.read(open_corpus("scisumm-corpus"))
    assert len(corpus) == 978
    assert all(set(topic.summaries) == {"human", "abstract"} for topic in corpus)
    # 16,589 records, one of them without any text.
    assert len(citances(corpus)) == 16_588
    assert "5" not in {citance.citance_id for citance in corpus["J93-2005"].citances}
    seen = {*scisummnet.SEEN.read_text("utf-8").split()}
    assert (len(seen), len(unseen)) == (193, 785)
    assert seen.isdisjoint(topic.topic_id for topic in unseen)
    sizes = [len(topic.citances) for topic in unseen]
    assert [sum(size >= least for size in sizes) for least in (1, 10, 20)] == [785, 697, 484]


@pytest.mark.open_data
def test_the_half_that_is_scored(open_corpus: Callable[[str], Path], unseen: Corpus) -> None:
    scored = {topic.topic_id for topic in scisummnet.read_half(open_corpus("scisumm-corpus"))}
    digests = {t.topic_id: hashlib.sha256(t.topic_id.encode()).hexdigest() for t in unseen}
    assert len(scored) == 408
    assert scored == {name for name, digest in digests.items() if int(digest[-1], 16) % 2}


@pytest.mark.open_data
def test_papers_that_share_no_citing_paper(unseen: Corpus) -> None:
    listed = scisummnet.by_hash(topic for topic in unseen if len(topic.citances) >= 20)
    kept = [*scisummnet.strangers(listed)]
    citing = [{citance.citing_id for citance in topic.citances} for topic in kept]
    assert len(kept) == 116
    assert sum(map(len, citing)) == len(set.union(*citing))
    digests = [hashlib.sha256(topic.topic_id.encode()).digest() for topic in kept]
    assert digests == sorted(digests)
