"""What the tests of all models share."""

from citectx.corpora import Document
from citectx.language.spans import Candidates
from citectx.language.text import Analyzer, SentenceSplitter
from citectx.retrieval import SpanIndex

PLAIN = Analyzer(stop_words="none")


def index_of(text: str, longest: int = 1, analyzer: Analyzer = PLAIN) -> SpanIndex:
    """Index the windows of an article, of at most so many sentences."""
    sentences = SentenceSplitter().sentences(Document("ref", text))
    return SpanIndex(Candidates.of(sentences, longest), analyzer)
