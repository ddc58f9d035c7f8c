"""Read ScisummNet (2019): 978 ACL papers with citing sentences and human summaries.

`read` returns all of them. 193 were summarized before the others were declared as a second domain:
`read_unseen` returns the other 785, and `read_half` those of them whose words no vectors were
trained on.

Its links from citing sentences to the paper were made by a program, so they are no gold standard
and are not read: citances come without annotations.

What we saw in the data: 16,588 citing sentences; one more has no text (J93-2005, record 5) and is
left out. All files are UTF-8. 4,584 sentences of ten papers hold no text, most of them in C04-1073,
C04-1100 and C02-1139.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from citectx.corpora.model import Citance, Corpus, Topic
from citectx.corpora.scisumm_articles import SOURCE, read_article
from citectx.corpora.text_files import listing, need_part, read_text
from citectx.paths import DATA
from citectx.storage import sha

CITANCES = Path("data", "Training-Set-2019", "Task1", "From-ScisummNet-2019")
PAPERS = Path("data", "Training-Set-2019", "Task2", "From-ScisummNet-2019")
"""Where the citing sentences and the papers are in the upstream repository."""

SEEN = DATA / "registry" / "scisummnet-seen.txt"
"""The 193 papers that two earlier versions of Table 4 summarized, one id per line."""

TRAINED, SCORED = 0, 1
"""Which half's words vectors are trained on, and which half is scored with them."""


def read(folder: Path) -> Corpus:
    """Read all papers with their citing sentences and summaries (``human``, ``abstract``).

    The folder is the unpacked upstream repository.

    Ambiguity: 1,601 of 16,588 sentences have no cleaned text, and the release does not say whether
    they were rejected. They are kept with their raw text, because dropping a citation changes the
    counts that impact-based methods live on.
    """
    papers = need_part(folder, PAPERS, SOURCE)
    citing = folder / CITANCES
    topics = tuple(_topic(paper, citing / paper.name) for paper in listing(papers))
    return Corpus("scisummnet", topics)


def read_unseen(folder: Path) -> Corpus:
    """Read the papers that had not been summarized when they were declared."""
    seen = {*read_text(SEEN).split()}
    topics = tuple(topic for topic in read(folder) if topic.topic_id not in seen)
    return Corpus("scisummnet-unseen", topics)


def read_half(folder: Path) -> Corpus:
    """Read those of `read_unseen` that are in the half that is scored."""
    topics = tuple(topic for topic in read_unseen(folder) if half(topic.topic_id) == SCORED)
    return Corpus("scisummnet-half", topics)


def half(topic_id: str) -> int:
    """Say in which half a paper is, 0 or 1, which the SHA-256 of its id decides.

    >>> half("A00-1043"), half("W99-0623")
    (0, 1)
    """
    return int(sha(topic_id.encode()), 16) % 2


def by_hash(topics: Iterable[Topic]) -> list[Topic]:
    """Sort papers by the SHA-256 of their ids, an order that nobody chose."""
    return sorted(topics, key=lambda topic: sha(topic.topic_id.encode()))


def strangers(topics: Iterable[Topic]) -> Iterator[Topic]:
    """Yield papers of which no two share a citing paper; of two that do, the one that comes first.

    >>> from citectx.corpora import Document
    >>> def cited_by(name, *citing):
    ...     citances = tuple(Citance(who, who, "") for who in citing)
    ...     return Topic(name, Document(name, "Cells."), citances)
    >>> papers = [cited_by("A", "Doe", "Roe"), cited_by("B", "Roe"), cited_by("C", "Poe")]
    >>> [paper.topic_id for paper in strangers(papers)]
    ['A', 'C']
    """
    met: set[str] = set()
    for topic in topics:
        citing = {citance.citing_id for citance in topic.citances}
        # a paper that is left out brings no citing paper with it
        if met.isdisjoint(citing):
            met |= citing
            yield topic


def _topic(paper: Path, citing: Path) -> Topic:
    name = paper.name
    folder = paper / "summary"
    reference = read_article(paper / "Reference_XML" / f"{name}.xml")
    human = read_text(folder / f"{name}.scisummnet_human.txt").strip()
    abstract = read_text(folder / f"{name}.abstract.txt").strip()
    summaries = {"human": human, "abstract": abstract}
    citances = []
    for record in json.loads(read_text(citing / "citing_sentences.json")):
        # some of the cleaned texts are empty
        if text := record["clean_text"].strip() or record["raw_text"].strip():
            citances.append(Citance(str(record["citance_No"]), record["citing_paper_id"], text))
    return Topic(name, reference, tuple(citances), summaries=summaries)
