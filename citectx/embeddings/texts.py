"""Texts to train embeddings on: each article once, and none that the evaluation uses.

Texts are tokenised once, to a file with one sentence per line (lower-cased words, separated by
spaces). Every epoch then streams this file.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, TypeAlias

from tqdm import tqdm

from citectx import profiles
from citectx.corpora import citation_network, full_texts, scisummnet, sources
from citectx.errors import look_up
from citectx.language.idf import ANALYZER
from citectx.language.text import SentenceSplitter
from citectx.paths import data_dir
from citectx.storage import read_json, replacing, sha256, write_json

LONG = 10
"""Words that make a sentence a trace of its article. Shorter ones may come from any article."""

TRACES = 3
"""Traces that an article must share with the evaluation's texts to be left out.

What we saw in the data: in Citation-Integrity, articles of known id share 6 to 415 traces, all
others at most 2 (kits and statistics described alike). Among ACL papers, six conference versions of
held-out journal articles are left out.
"""

Article: TypeAlias = tuple[str, str]
"""Id and text of an article. Each paragraph is a line."""

HeldOut: TypeAlias = tuple[Set[str], Sequence[str]]
"""Ids and texts of articles that must not be trained on. Their texts may occur under other ids."""


def embeddings_dir() -> Path:
    """Return the folder of prepared texts, checkpoints and trained vectors."""
    return data_dir() / "embeddings"


def prepare(name: str) -> Path:
    """Return the file of a corpus's sentences, written on first use; ``NAME.json`` describes it.

    Both are in ``<data_dir>/embeddings/texts``. A missing source raises a MissingDataError that
    says how to get it.
    """
    _, needed, read, held_out = look_up("training corpus", name, CORPORA)
    path = embeddings_dir() / "texts" / f"{name}.txt"
    digests = {source: sources.source(source).sha256 for source in needed}
    # what the kept file was made from, None where there is none
    current = read_json(path.with_suffix(".json")).get("sources")
    if current != digests or not path.is_file():
        articles = tqdm(read(), desc=f"{name}: texts", unit=" articles")
        write(articles, held_out(), path, digests)
    return path


def write(
    articles: Iterable[Article], held_out: HeldOut, path: Path, digests: Mapping[str, str]
) -> dict[str, Any]:
    r"""Write the sentences of all articles that may be trained on, and return facts about them.

    The JSON file beside it holds the same facts: counts of articles, sentences and words, counts
    of articles ``left_out`` by reason, the ``sha256`` of the file, and digests of the ``sources``.

    >>> import tempfile
    >>> articles = [("a", "Cells rest.\nThey do, in 12 cases."), ("b", "An article held out.")]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "some.txt")
    ...     facts = write(articles, ({"b"}, []), file, {})
    ...     file.read_text(), facts["left_out"]
    ('cells rest\nthey do in cases\n', {'evaluation, by id': 1})
    """
    left_out: Counter[str] = Counter()
    facts: Counter[str] = Counter()
    with replacing(path) as file:
        for lines in _admit(articles, held_out, left_out):
            file.writelines(f"{line}\n".encode() for line in lines)
            facts["articles"] += bool(lines)
            facts["sentences"] += len(lines)
            facts["words"] += sum(line.count(" ") + 1 for line in lines)
    left = dict(sorted(left_out.items()))
    described = {**facts, "left_out": left, "sha256": sha256(path), "sources": dict(digests)}
    write_json(path.with_suffix(".json"), described)
    return described


def _admit(
    articles: Iterable[Article], held_out: HeldOut, left_out: Counter[str]
) -> Iterator[list[str]]:
    """Yield the sentences of each article that may be trained on; count the others by reason."""
    splitter = SentenceSplitter()
    held_ids, held_texts = held_out
    # hashes of long sentences: the texts may stand under other ids in the corpus
    held_traces = {trace for text in held_texts for trace in _traces(sentences(text, splitter))}
    # by id, why the next article of that name is left out
    reasons = dict.fromkeys(held_ids, "evaluation, by id")
    seen_traces: set[int] = set()
    for article_id, text in articles:
        reason = reasons.get(article_id)
        reasons[article_id] = "duplicates, by id"
        if reason:
            left_out[reason] += 1
            continue
        lines = sentences(text, splitter)
        traces = _traces(lines)
        # shared sentences by chance are few: a duplicate has most of its text in common
        if len(traces & held_traces) >= TRACES:
            left_out["evaluation, by text"] += 1
        elif 2 * len(traces & seen_traces) > len(traces):
            left_out["duplicates, by text"] += 1
        else:
            seen_traces |= traces
            yield lines


def sentences(text: str, splitter: SentenceSplitter) -> list[str]:
    """Return the sentences of two or more words, each as words separated by spaces.

    Ambiguity: sigir2017 does not say how its training texts were tokenised. Our windows do not
    reach across sentences. Words are those of `citectx.language.text.Analyzer`, so that queries
    find them. Only numbers are left out.

    >>> sentences("The p53-mediated arrest of 12 cells. Why?", SentenceSplitter())
    ['the p53 mediated arrest of cells']
    """
    lines = [
        " ".join(ANALYZER(span.of(paragraph)))
        for paragraph in filter(str.strip, text.split("\n"))
        for span in splitter.split(paragraph)
    ]
    return [line for line in lines if " " in line]


def _traces(lines: Iterable[str]) -> set[int]:
    """Return hashes of the sentences that give an article away."""
    return {hash(line) for line in lines if line.count(" ") >= LONG - 1}


def _wikipedia() -> Iterator[Article]:
    """Read the output of WikiExtractor: ``<doc id="…" …>``, text, ``</doc>``."""
    # groups: id, text
    document = re.compile(r'<doc id="([^"]*)".*\n((?s:.*?))\n</doc>')
    for path in sorted(sources.folder("wikipedia-sample").glob("text/*/wiki_*")):
        yield from document.findall(path.read_text("utf-8", errors="replace"))


def _pmc() -> Iterator[Article]:
    root = sources.folder("citation-integrity-fulltext") / full_texts.ARTICLES
    for path in sorted(root.glob("*/*/*.txt")):
        yield path.stem, path.read_text("utf-8", errors="replace")


def _citation_integrity() -> HeldOut:
    """Hold out the 41 reference articles and all that cite them.

    Those that cite an article are listed in its folder: with their marks or, if none is known, with
    their text. Texts of citing articles are the passages that the annotations hold.
    """
    topics = [*profiles.load("citation-integrity"), *profiles.load("citation-integrity-31")]
    root = sources.folder("citation-integrity-fulltext") / full_texts.ARTICLES
    ids: set[str] = set()
    for topic in topics:
        listed = (root / "FullText" / topic.topic_id).glob("*.*")
        ids |= {path.stem for path in listed}
    documents = [document for topic in topics for document in topic.documents]
    # a citing article's id carries the number of its reference article, after "_"
    ids |= {document.doc_id.partition("_")[0] for document in documents}
    return ids, [document.text for document in documents]


def _scisummnet() -> Iterator[Article]:
    for topic in profiles.load("scisummnet"):
        text = topic.reference.text
        spans = topic.reference.sentences or ()
        yield topic.topic_id, "\n".join(span.of(text) for span in spans)


def _trained_half() -> Iterator[Article]:
    """Read the papers of ScisummNet in the half that is not scored."""
    for name, text in _scisummnet():
        if scisummnet.half(name) == scisummnet.TRAINED:
            yield name, text


def _scored_half() -> HeldOut:
    """Hold out what `_scisumm` does, the other half, and what cites its papers.

    The models are tuned on the training topics of CL-SciSumm, so these stay held out.
    """
    ids, texts = _scisumm()
    scored = [
        topic
        for topic in profiles.load("scisummnet")
        if scisummnet.half(topic.topic_id) == scisummnet.SCORED
    ]
    citing = {citance.citing_id for topic in scored for citance in topic.citances}
    names = {topic.topic_id for topic in scored}
    articles = [topic.reference.text for topic in scored]
    return ids | citing | names, [*texts, *articles]


def _scisumm() -> HeldOut:
    """Hold out all papers of the training and test topics, and all that cite these topics."""
    topics = [*profiles.load("scisumm-train"), *profiles.load("scisumm-test")]
    papers = [paper for topic in topics for paper in topic.documents]
    references = {topic.topic_id for topic in topics}
    network = citation_network.acl()
    # an edge runs from the paper that cites, a, to the one that is cited, b
    citing = {network.papers[a] for a, b in network.edges if network.papers[b] in references}
    ids = {paper.doc_id for paper in papers} | citing
    return ids, [paper.text for paper in papers]


CORPORA: dict[
    str, tuple[str, tuple[str, ...], Callable[[], Iterable[Article]], Callable[[], HeldOut]]
] = {
    "general": (
        "a sample of the English Wikipedia (CC BY-SA)",
        ("wikipedia-sample",),
        _wikipedia,
        lambda: (set(), []),
    ),
    "biomedical": (
        "PMC full texts: the articles of Citation-Integrity and those that cite them"
        " (licence by article)",
        (
            "citation-integrity-fulltext",
            "citation-integrity-annotations",
            "citation-integrity-2024",
        ),
        _pmc,
        _citation_integrity,
    ),
    "computational-linguistics": (
        "ACL papers of ScisummNet (CC BY 4.0)",
        ("scisumm-corpus", "acl-citation-network"),
        _scisummnet,
        _scisumm,
    ),
    "computational-linguistics-half": (
        "ACL papers of one half of ScisummNet (CC BY 4.0), to score the other half with",
        ("scisumm-corpus", "acl-citation-network"),
        _trained_half,
        _scored_half,
    ),
}
"""Training corpora by name: what each is, the open sources that it needs, and readers of its
articles and of the held-out ones. Articles always come in the same order."""
