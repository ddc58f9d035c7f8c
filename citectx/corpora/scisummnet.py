"""Read ScisummNet (2019): 978 ACL papers with citing sentences and human summaries.

Its links from citing sentences to the paper were made by a program, so they are no gold standard
and are not read: citances come without annotations.

What we saw in the data: 16,588 citing sentences; one more has no text (J93-2005, record 5) and is
left out. All files are UTF-8. 4,584 sentences of ten papers hold no text, most of them in C04-1073,
C04-1100 and C02-1139.
"""

import json
from pathlib import Path

from citectx.corpora.model import Citance, Corpus, Topic
from citectx.corpora.scisumm_articles import SOURCE, read_article
from citectx.corpora.text_files import listing, need_part, read_text

CITANCES = Path("data", "Training-Set-2019", "Task1", "From-ScisummNet-2019")
PAPERS = Path("data", "Training-Set-2019", "Task2", "From-ScisummNet-2019")
"""Where the citing sentences and the papers are in the upstream repository."""


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


def _topic(paper: Path, citing: Path) -> Topic:
    name = paper.name
    folder = paper / "summary"
    reference = read_article(paper / "Reference_XML" / f"{name}.xml")
    human = read_text(folder / f"{name}.scisummnet_human.txt").strip()
    abstract = read_text(folder / f"{name}.abstract.txt").strip()
    summaries = {"human": human, "abstract": abstract}
    citances = []
    for record in json.loads(read_text(citing / "citing_sentences.json")):
        if text := record["clean_text"].strip() or record["raw_text"].strip():
            citances.append(Citance(str(record["citance_No"]), record["citing_paper_id"], text))
    return Topic(name, reference, tuple(citances), summaries=summaries)
