"""Punkt with Python's patterns is NLTK's Punkt, and no clock decides what it finds."""

from collections.abc import Iterable, Sequence

import pytest
from nltk.tokenize import punkt as nltk_punkt
from nltk.tokenize.destructive import NLTKWordTokenizer

from citectx import profiles
from citectx.corpora import citation_integrity, sources
from citectx.corpora.model import Document
from citectx.language import noun_phrases
from citectx.language.punkt import Counts, tokenizer, trained


def learnt(parameters: nltk_punkt.PunktParameters) -> tuple[object, ...]:
    """Return all that Punkt has learnt."""
    sets = parameters.abbrev_types, parameters.sent_starters, parameters.collocations
    return (*sets, dict(parameters.ortho_context))


def by_nltk(texts: Iterable[str]) -> nltk_punkt.PunktParameters:
    trainer = nltk_punkt.PunktTrainer()
    for text in texts:
        trainer.train(text, finalize=False)
    trainer.finalize_training()
    return trainer.get_params()


def same(documents: Iterable[Document]) -> int:
    """Compare parameters, and every sentence; return how many there are."""
    count = 0
    for document in documents:
        texts = [document.text[b.start : b.end] for b in document.blocks]
        ours, theirs = trained(texts), by_nltk(texts)
        assert learnt(ours) == learnt(theirs)
        one, other = tokenizer(ours), nltk_punkt.PunktSentenceTokenizer(theirs)
        for text in texts:
            spans = list(one.span_tokenize(text))
            assert spans == list(other.span_tokenize(text))
            count += len(spans)
    return count


def teaching() -> list[Document]:
    return [topic.reference for topic in profiles.load("teaching")]


def test_parameters_and_sentences_are_nltks() -> None:
    assert same(teaching()) > 100


@pytest.mark.open_data
def test_of_real_articles_too() -> None:
    topics = [*profiles.load("citation-integrity")][:3]
    assert same(topic.reference for topic in topics) > 300


@pytest.mark.slow
@pytest.mark.open_data
def test_of_sixty_articles_too() -> None:
    folder = sources.folder(citation_integrity.FULL_TEXTS)
    assert same(citation_integrity.read_references(folder)[:60]) > 5_000


TEXTS = [
    "Cells rest. " * 5_000 + "a" * 200_000 + ". We saw 3.5 of them.",
    "He said: 'so' (\"no\").",
]


def everything(texts: Sequence[str]) -> tuple[object, ...]:
    """Train, split and part words."""
    parameters = trained(texts)
    spans = [list(tokenizer(parameters).span_tokenize(text)) for text in texts]
    return learnt(parameters), spans, [noun_phrases.WordTokenizer().tokenize(t) for t in texts]


def test_no_limit_of_time_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    redos = pytest.importorskip("nltk.redos")  # since 3.10
    expected = everything(TEXTS)
    monkeypatch.setattr(redos, "DEFAULT_TIMEOUT", 1e-6)
    with pytest.raises(TimeoutError):
        by_nltk(TEXTS)
    assert everything(TEXTS) == expected


def test_words_are_parted_as_by_nltk() -> None:
    ours, theirs = noun_phrases.WordTokenizer(), NLTKWordTokenizer()
    for document in teaching():
        for block in document.blocks:
            text = document.text[block.start : block.end]
            assert ours.tokenize(text) == theirs.tokenize(text)


def test_the_sum_of_frequencies_is_kept() -> None:
    counts = Counts()
    for word in ("a", "b", "a"):
        counts[word] += 1
    assert (counts.N(), counts["a"], counts["c"]) == (3, 2, 0)
