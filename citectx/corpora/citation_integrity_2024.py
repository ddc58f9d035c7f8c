"""Read Citation-Integrity as it was published in 2024: 100 reference articles, 3,063 citances.

A line of the claims (SciFact's schema) is a citance, whose evidence is given by numbers of
sentences in numbered paragraphs of the cited article: its number times 1,000 plus their own. There
is one adjudicated annotation per citance. Articles 1 to 10 are those of
`citectx.corpora.citation_integrity`, in another conversion.

What we saw in the claims: 2,441 of 3,063 citances have evidence, two of them only with the label
IRRELEVANT. The form of ``corpus.jsonl`` (not at hand) follows from the claims and the schema.
"""

from collections import defaultdict
from dataclasses import replace
from operator import itemgetter
from pathlib import Path

from citectx.corpora.citation_integrity_files import (
    CLAIMS,
    FOLDER,
    citance,
    evidence_places,
    passages,
    read_claims,
    read_records,
)
from citectx.corpora.layout import Section, article_blocks, lay_out
from citectx.corpora.model import Corpus, Topic
from citectx.corpora.text_files import squeeze


def read(folder: Path, articles: Path) -> Corpus:
    """Read the 100 topics from the upstream repository with the claims, and that with the articles.

    Topics are named by the number of their article. The citing document of a citance is its text.

    Ambiguity: upstream calls nothing a title, heading or abstract. An article's paragraphs are
    taken for lines of plain text, as the full texts of the other release are, and their kinds
    guessed alike. The first is its title if it is short, and is then no candidate, though 346 of
    6,134 groups of evidence sentences name it.
    Ambiguity: as in the other release, sentences labelled ``IRRELEVANT`` are no evidence.
    """
    sections: dict[int, list[Section]] = defaultdict(list)
    records = read_records(articles / FOLDER / "corpus.jsonl")
    for record in sorted(records, key=itemgetter("doc_id")):
        article, paragraph = divmod(record["doc_id"], 1000)
        lines = enumerate(map(squeeze, record["abstract"]))
        sentences = [(f"{paragraph}:{i}", sentence) for i, sentence in lines]
        sections[article].append(("", "body", sentences))
    topics = []
    for article, claims in sorted(read_claims(folder).items()):
        laid_out = lay_out(f"{article:03}", sections[article])
        reference = replace(laid_out, blocks=article_blocks(laid_out.text))
        places = reference.sentence_spans
        citances = []
        for claim in claims:
            spans = {places[f"{paragraph}:{n}"] for paragraph, n in evidence_places(claim)}
            citances.append(citance(str(claim["id"]), claim["claim"], spans))
        topics.append(Topic(reference.doc_id, reference, tuple(citances), passages(citances)))
    return Corpus(CLAIMS, tuple(topics))
