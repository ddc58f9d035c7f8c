"""Texts to train embeddings on: each article once, and none that the evaluation knows.

Texts are tokenised once, to a file with one sentence a line (lower-cased words, separated by
spaces), which every epoch then reads as a stream: tokenising costs as much as an epoch of CBOW, and
all sentences as Python lists would take several gigabytes.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from citectx.corpora import citation_integrity, citation_network, scisumm, scisummnet, sources
from citectx.corpora.files import shown
from citectx.corpora.registry import source
from citectx.errors import DataError, unknown
from citectx.language.text import Analyzer, SentenceSplitter
from citectx.paths import data_dir
from citectx.storage import read_object, replacing, sha256, write_json

VERSION = 1
"""Of the way texts are tokenised; raised when it changes, so that prepared files are made anew."""

LONG = 10
"""Words from which a sentence counts as a trace of its article; shorter ones may be anybody's."""

TRACES = 3
"""Long sentences that an article must share with the evaluation's texts to be left out.

In Citation-Integrity articles of known id share 6 to 415 of them, all others at most 2 (kits and
statistics described alike). Among ACL papers it finds six conference versions of journal articles
that are held out.
"""

_ANALYZER = Analyzer(stem=False, stop_words="none", numbers=False)


class Article(NamedTuple):
    """A text with its id; each paragraph is a line."""

    article_id: str
    text: str


class HeldOut(NamedTuple):
    """What must not be trained on: ids of articles, and texts in case one of them goes by another
    id.
    """

    ids: frozenset[str] = frozenset()
    texts: tuple[str, ...] = ()


class TextCorpus(NamedTuple):
    """Where the articles of one embedding come from.

    Parameters
    ----------
    about : str
        With its licence.
    sources : tuple of str
        Names of the open sources that it reads.
    articles : callable
        Returns the articles, in the same order each time.
    held_out : callable
        Returns what the evaluation uses.
    """

    about: str
    sources: tuple[str, ...]
    articles: Callable[[], Iterable[Article]]
    held_out: Callable[[], HeldOut] = HeldOut


@dataclass(frozen=True)
class TrainingText:
    """A prepared file of sentences; iterate as often as you like.

    Parameters
    ----------
    path : Path
        One sentence a line.
    facts : mapping
        What it holds: articles, sentences, words, and by reason the articles ``left_out``;
        ``sha256`` of the file, digests of the ``sources``, ``version``.
    """

    path: Path
    facts: Mapping[str, Any]

    def __iter__(self) -> Iterator[list[str]]:
        with self.path.open(encoding="utf-8", newline="\n") as lines:
            for line in lines:
                yield line.split()


def embeddings_dir() -> Path:
    """Folder of prepared texts, checkpoints and trained vectors."""
    return data_dir() / "embeddings"


def prepare(name: str, *, progress: bool = True) -> TrainingText:
    """Return the sentences to train on, prepared when first asked for.

    They go to ``<data_dir>/embeddings/texts/NAME.txt``, with facts about them in ``NAME.json``.

    Parameters
    ----------
    name : str
        A key of `CORPORA`.
    progress : bool
        Whether to show a progress bar.

    Raises
    ------
    ParameterError
        If there is no such corpus.
    MissingDataError
        If a source is not on this machine; the message says how to get it.
    """
    corpus = text_corpus(name)
    path = embeddings_dir() / "texts" / f"{name}.txt"
    digests = {each: source(each).digest for each in corpus.sources}
    facts: dict[str, Any] = {}
    with suppress(DataError):  # damaged: it will be made again
        facts = read_object(path.with_suffix(".json"))
    if path.is_file() and (facts.get("version"), facts.get("sources")) == (VERSION, digests):
        return TrainingText(path, facts)
    held_out = corpus.held_out()
    articles = tqdm(
        corpus.articles(), desc=f"{name}: texts", unit=" articles", disable=not progress
    )
    return write(articles, held_out, path, digests)


def write(
    articles: Iterable[Article],
    held_out: HeldOut,
    path: Path,
    digests: Mapping[str, str] | None = None,
) -> TrainingText:
    r"""Write the sentences of all articles that may be trained on; the file appears whole or not at
    all.

    Raises
    ------
    DataError
        If no sentence is left.

    Examples
    --------
    >>> import tempfile
    >>> articles = [Article("a", "Cells rest.\nThey do, in 12 cases."), Article("b", "An article held out.")]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     text = write(articles, HeldOut(ids=frozenset("b")), Path(folder, "some.txt"))
    ...     list(text), text.facts["left_out"]
    ([['cells', 'rest'], ['they', 'do', 'in', 'cases']], {'evaluation, by id': 1})
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    left_out: Counter[str] = Counter()
    written, count, words = 0, 0, 0
    with replacing(path) as temporary:
        with temporary.open("w", encoding="utf-8", newline="\n") as file:
            for lines in _admitted(articles, held_out, left_out):
                file.writelines(f"{line}\n" for line in lines)
                words += sum(line.count(" ") + 1 for line in lines)
                count += len(lines)
                written += bool(lines)
        if not count:
            raise DataError(
                f"no sentence to train on; articles left out: {dict(left_out)}", file=path
            )
        facts: dict[str, Any] = {"articles": written, "sentences": count, "words": words}
        facts |= {"left_out": dict(sorted(left_out.items())), "sha256": sha256(temporary)}
        facts |= {"sources": dict(digests or {}), "version": VERSION}
    write_json(path.with_suffix(".json"), facts)
    return TrainingText(path, facts)


def _admitted(
    articles: Iterable[Article], held_out: HeldOut, left_out: Counter[str]
) -> Iterator[list[str]]:
    """Yield the sentences of each article once, and none of the evaluation's; count what is left
    out.
    """
    splitter = SentenceSplitter()
    known = {trace for text in held_out.texts for trace in _traces(sentences(text, splitter))}
    seen_ids, seen = set[str](), set[int]()
    for article in articles:
        reason = "evaluation, by id" if article.article_id in held_out.ids else ""
        reason = "duplicates, by id" if article.article_id in seen_ids else reason
        lines = [] if reason else sentences(article.text, splitter)
        traces = _traces(lines)
        if len(traces & known) >= TRACES:
            reason = "evaluation, by text"
        elif 2 * len(traces & seen) > len(traces):
            reason = "duplicates, by text"
        seen_ids.add(article.article_id)
        if reason:
            left_out[reason] += 1
        else:
            seen |= traces
            yield lines


def sentences(text: str, splitter: SentenceSplitter) -> list[str]:
    """Return the sentences of two or more words, each as words separated by spaces.

    Ambiguity: sigir2017 does not say how its training texts were tokenised. Windows do not reach
    across sentences here, words are those of `citectx.language.text.Analyzer`, so that queries find
    them, and nothing is left out but numbers.

    >>> sentences("The p53-mediated arrest of 12 cells. Why?", SentenceSplitter())
    ['the p53 mediated arrest of cells']
    """
    lines = [
        " ".join(_ANALYZER(line[span.start : span.end]))
        for line in text.split("\n")
        if line.strip()
        for span in splitter.split(line)
    ]
    return [line for line in lines if " " in line]


def _traces(lines: Iterable[str]) -> set[int]:
    return {hash(line) for line in lines if line.count(" ") >= LONG - 1}


def _wikipedia() -> Iterator[Article]:
    """Articles of the files that WikiExtractor wrote: ``<doc id="…" …>``, text, ``</doc>``."""
    for path in sorted(sources.folder("wikipedia-sample").glob("text/*/wiki_*")):
        for document in path.read_text("utf-8", errors="replace").split("\n</doc>")[:-1]:
            head, _, text = document.lstrip().partition("\n")
            if head.count('"') < 2:
                raise DataError(f'expected <doc id="…">, found {shown(head)}', file=path)
            yield Article(head.split('"')[1], text)


def _pmc() -> Iterator[Article]:
    root = sources.folder("citation-integrity-fulltext") / citation_integrity.ARTICLES
    for path in sorted(root.glob("*/*/*.txt")):
        yield Article(path.stem, path.read_text("utf-8", errors="replace"))


def _citation_integrity() -> HeldOut:
    """Reference articles, the annotated citing articles, and all others below a reference.

    Of the citing articles the annotations hold passages only; those are the texts.
    """
    topics = citation_integrity.read(sources.folder("citation-integrity-annotations"))
    citing = {c.citing_id.partition("_")[0] for topic in topics for c in topic.citances}
    full_texts = (
        sources.folder("citation-integrity-fulltext") / citation_integrity.ARTICLES / "FullText"
    )
    others = {path.stem for topic in topics for path in (full_texts / topic.topic_id).glob("*.txt")}
    texts = [text.text for topic in topics for text in (topic.reference, *topic.citing.values())]
    return HeldOut(frozenset({t.topic_id for t in topics} | citing | others), tuple(texts))


def _scisummnet() -> Iterator[Article]:
    for topic in scisummnet.read(sources.folder("scisumm-corpus")):
        spans = topic.reference.sentences or ()
        yield Article(
            topic.topic_id, "\n".join(topic.reference.text[s.start : s.end] for s in spans)
        )


def _scisumm() -> HeldOut:
    """Reference and citing papers of the training and test topics, and what else cites those
    topics.
    """
    folder = sources.folder("scisumm-corpus")
    topics = [*scisumm.read_training(folder), *scisumm.read_test(folder)]
    papers = [paper for topic in topics for paper in (topic.reference, *topic.citing.values())]
    references = {topic.topic_id for topic in topics}
    network = citation_network.acl()
    citing = {network.papers[a] for a, b in network.edges if network.papers[b] in references}
    ids = references | {paper.doc_id for paper in papers} | citing
    return HeldOut(frozenset(ids), tuple(paper.text for paper in papers))


CORPORA = {
    "general": TextCorpus(
        "a sample of the English Wikipedia (CC BY-SA)", ("wikipedia-sample",), _wikipedia
    ),
    "biomedical": TextCorpus(
        "PMC full texts: the articles of Citation-Integrity and those that cite them (licence by article)",
        ("citation-integrity-fulltext", "citation-integrity-annotations"),
        _pmc,
        _citation_integrity,
    ),
    "computational-linguistics": TextCorpus(
        "ACL papers of ScisummNet (CC BY 4.0)",
        ("scisumm-corpus", "acl-citation-network"),
        _scisummnet,
        _scisumm,
    ),
}
"""Every training corpus by name."""


SHARES = {"eighth": 8, "quarter": 4, "half": 2}
"""Endings of names that take only one of so many articles; a smaller share is part of each larger
one."""


def text_corpus(name: str) -> TextCorpus:
    """Look up a training corpus, or a share of one, as in ``biomedical-eighth``.

    Articles are drawn by the digest of their ids: the same ones on every machine, from all of the
    corpus.

    >>> text_corpus("medical")
    Traceback (most recent call last):
    citectx.errors.ParameterError: unknown training corpus 'medical';
    known: 'biomedical', 'computational-linguistics', 'general'
    """
    whole, _, share = name.rpartition("-")
    if name in CORPORA:
        return CORPORA[name]
    if whole not in CORPORA or share not in SHARES:
        raise unknown("training corpus", name, CORPORA)
    corpus = CORPORA[whole]

    def drawn() -> Iterator[Article]:
        digests = (
            (hashlib.sha256(article.article_id.encode()).hexdigest(), article)
            for article in corpus.articles()
        )
        return (article for digest, article in digests if int(digest, 16) % SHARES[share] == 0)

    return corpus._replace(about=f"{share} of {corpus.about}", articles=drawn)
