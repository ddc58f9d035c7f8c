"""Texts to train embeddings on: each article once, and none that the evaluation uses.

Texts are tokenised once, to a file with one sentence per line (lower-cased words, separated by
spaces), which every epoch then streams: tokenising costs as much as an epoch of CBOW, and all
sentences as Python lists would take several gigabytes.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from tqdm import tqdm

from citectx.corpora import citation_integrity, citation_network, scisumm, scisummnet, sources
from citectx.errors import unknown
from citectx.language.text import Analyzer, SentenceSplitter
from citectx.paths import data_dir
from citectx.storage import read_json, replacing, sha256, write_json

LONG = 10
"""Words that make a sentence a trace of its article; shorter ones may come from any."""

TRACES = 3
"""Traces that an article must share with the evaluation's texts to be left out.

In Citation-Integrity, articles of known id share 6 to 415, all others at most 2 (kits and
statistics described alike). Among ACL papers this finds six conference versions of journal articles
that are held out.
"""

_ANALYZER = Analyzer(stem=False, stop_words="none", numbers=False)

Article: TypeAlias = tuple[str, str]
"""Id and text of an article; each paragraph is a line."""

HeldOut: TypeAlias = tuple[frozenset[str], tuple[str, ...]]
"""Ids of articles that must not be trained on, and texts in case one has another id."""


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
        Returns what the evaluation uses; nothing by default.
    """

    about: str
    sources: tuple[str, ...]
    articles: Callable[[], Iterable[Article]]
    held_out: Callable[[], HeldOut] = lambda: (frozenset(), ())


def embeddings_dir() -> Path:
    """Return the folder of prepared texts, checkpoints and trained vectors."""
    return data_dir() / "embeddings"


def prepare(name: str) -> Path:
    """Return the file of sentences to train on, made on first use; ``NAME.json`` has facts on it.

    Both are in ``<data_dir>/embeddings/texts``.

    Parameters
    ----------
    name : str
        A key of `CORPORA`.

    Raises
    ------
    ParameterError
        If there is no such corpus.
    MissingDataError
        If a source is not on this machine; the message says how to get it.
    """
    if name not in CORPORA:
        raise unknown("training corpus", name, CORPORA)
    corpus = CORPORA[name]
    path = embeddings_dir() / "texts" / f"{name}.txt"
    digests = {each: sources.source(each).sha256 for each in corpus.sources}
    current = read_json(path.with_suffix(".json")).get("sources")
    if current != digests or not path.is_file():
        articles = tqdm(corpus.articles(), desc=f"{name}: texts", unit=" articles")
        write(articles, corpus.held_out(), path, digests)
    return path


def write(
    articles: Iterable[Article], held_out: HeldOut, path: Path, digests: Mapping[str, str]
) -> dict[str, Any]:
    r"""Write the sentences of all articles that may be trained on, as a whole file or none.

    Returns
    -------
    dict
        What stands in the JSON file beside it: counts of articles, sentences and words, and of
        articles ``left_out`` by reason; ``sha256`` of the file, digests of the ``sources``.

    Examples
    --------
    >>> import tempfile
    >>> articles = [("a", "Cells rest.\nThey do, in 12 cases."), ("b", "An article held out.")]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "some.txt")
    ...     facts = write(articles, (frozenset("b"), ()), file, {})
    ...     file.read_text(), facts["left_out"]
    ('cells rest\nthey do in cases\n', {'evaluation, by id': 1})
    """
    left_out, facts = Counter[str](), Counter[str]()
    with replacing(path) as file:
        for lines in _admitted(articles, held_out, left_out):
            file.writelines(f"{line}\n".encode() for line in lines)
            facts["articles"] += bool(lines)
            facts["sentences"] += len(lines)
            facts["words"] += sum(line.count(" ") + 1 for line in lines)
    left = dict(sorted(left_out.items()))
    described = {**facts, "left_out": left, "sha256": sha256(path), "sources": dict(digests)}
    write_json(path.with_suffix(".json"), described)
    return described


def _admitted(
    articles: Iterable[Article], held_out: HeldOut, left_out: Counter[str]
) -> Iterator[list[str]]:
    """Yield the sentences of each article that may be trained on; count by reason what may not."""
    splitter = SentenceSplitter()
    held_ids, held_texts = held_out
    held_traces = {trace for text in held_texts for trace in _traces(sentences(text, splitter))}
    seen_ids, seen_traces = set[str](), set[int]()
    for article_id, text in articles:
        known = article_id in seen_ids
        seen_ids.add(article_id)
        if known or article_id in held_ids:
            left_out["duplicates, by id" if known else "evaluation, by id"] += 1
            continue
        lines = sentences(text, splitter)
        traces = _traces(lines)
        if len(traces & held_traces) >= TRACES:
            left_out["evaluation, by text"] += 1
        elif 2 * len(traces & seen_traces) > len(traces):
            left_out["duplicates, by text"] += 1
        else:
            seen_traces |= traces
            yield lines


def sentences(text: str, splitter: SentenceSplitter) -> list[str]:
    """Return the sentences of two or more words, each as words separated by spaces.

    Ambiguity: sigir2017 does not say how its training texts were tokenised. Here windows do not
    reach across sentences, words are those of `citectx.language.text.Analyzer`, so that queries
    find them, and only numbers are left out.

    >>> sentences("The p53-mediated arrest of 12 cells. Why?", SentenceSplitter())
    ['the p53 mediated arrest of cells']
    """
    found = []
    for paragraph in filter(str.strip, text.split("\n")):
        for start, end in splitter.split(paragraph):
            found.append(" ".join(_ANALYZER(paragraph[start:end])))
    return [sentence for sentence in found if " " in sentence]


def _traces(lines: Iterable[str]) -> set[int]:
    """Return hashes of the sentences that give an article away."""
    return {hash(line) for line in lines if line.count(" ") >= LONG - 1}


def _wikipedia() -> Iterator[Article]:
    """Yield what WikiExtractor wrote: ``<doc id="…" …>``, text, ``</doc>``."""
    for path in sorted(sources.folder("wikipedia-sample").glob("text/*/wiki_*")):
        documents = path.read_text("utf-8", errors="replace").split("\n</doc>")
        for document in documents[:-1]:
            head, _, text = document.lstrip().partition("\n")
            yield head.split('"')[1], text


def _pmc() -> Iterator[Article]:
    root = sources.folder("citation-integrity-fulltext") / citation_integrity.ARTICLES
    for path in sorted(root.glob("*/*/*.txt")):
        yield path.stem, path.read_text("utf-8", errors="replace")


def _citation_integrity() -> HeldOut:
    """Return the reference articles, the annotated citing articles, and all others that cite them.

    The annotations hold only passages of the citing articles; these are the texts.
    """
    topics = citation_integrity.read(sources.folder("citation-integrity-annotations"))
    root = sources.folder("citation-integrity-fulltext") / citation_integrity.ARTICLES
    ids = set[str]()
    texts = []
    for topic in topics:
        below = sorted((root / "FullText" / topic.topic_id).glob("*.txt"))
        ids |= {topic.topic_id, *(path.stem for path in below)}
        ids |= {citance.citing_id.partition("_")[0] for citance in topic.citances}
        texts += [document.text for document in (topic.reference, *topic.citing.values())]
    return frozenset(ids), tuple(texts)


def _scisummnet() -> Iterator[Article]:
    for topic in scisummnet.read(sources.folder("scisumm-corpus")):
        text, spans = topic.reference.text, topic.reference.sentences or ()
        yield topic.topic_id, "\n".join(text[start:end] for start, end in spans)


def _scisumm() -> HeldOut:
    """Return all papers of the training and test topics, and what else cites those topics."""
    folder = sources.folder("scisumm-corpus")
    topics = [*scisumm.read_training(folder), *scisumm.read_test(folder)]
    papers = [paper for topic in topics for paper in (topic.reference, *topic.citing.values())]
    references = {topic.topic_id for topic in topics}
    network = citation_network.acl()
    citing = {network.papers[a] for a, b in network.edges if network.papers[b] in references}
    ids = references | {paper.doc_id for paper in papers} | citing
    return frozenset(ids), tuple(paper.text for paper in papers)


CORPORA = {
    "general": TextCorpus(
        "a sample of the English Wikipedia (CC BY-SA)", ("wikipedia-sample",), _wikipedia
    ),
    "biomedical": TextCorpus(
        "PMC full texts: the articles of Citation-Integrity and those that cite them"
        " (licence by article)",
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
