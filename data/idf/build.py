"""Count document frequencies of words in the texts of each field: ``python data/idf/build.py``.

README.md describes the result.
"""

from collections.abc import Iterator

from tqdm import tqdm

from citectx.embeddings.texts import CORPORA
from citectx.language.idf import DOMAINS, FOLDER, GENERAL, HALF, Idf
from citectx.storage import write_atomically

LEAST = dict.fromkeys((*DOMAINS, HALF), 5) | {GENERAL: 20}
"""Documents that a word must occur in to be listed: far below where any threshold would cut."""


def texts(domain: str) -> Iterator[str]:
    """Return each article of a field once, without those that the evaluation uses."""
    _, _, read, held_out = CORPORA[domain]
    held_ids, _ = held_out()
    seen = set(held_ids)
    for article_id, text in tqdm(read(), desc=domain, unit=" articles"):
        if article_id not in seen:
            seen.add(article_id)
            yield text


def main() -> None:
    """Write ``data/idf/DOMAIN.tsv.gz`` for all fields."""
    for domain in (*DOMAINS, HALF, GENERAL):
        rarity = Idf.of(texts(domain), LEAST[domain])
        data = rarity.to_bytes()
        write_atomically(FOLDER / f"{domain}.tsv.gz", data)
        documents, words, size = rarity.documents, len(rarity.frequencies), len(data) / 1e3
        print(f"{domain}: {documents:,} documents, {words:,} words, {size:.0f} kB")


if __name__ == "__main__":
    main()
