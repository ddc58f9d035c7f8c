"""The real Lucene, where it is installed; and random documents and queries to hold against it.

``python -m tests.recommendation.oracle`` writes ``lucene/scores.json``: what Lucene 4.10 gives for
random queries on random articles.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from citectx.corpora import Document
from citectx.corpora.coresc import CLASSES
from citectx.errors import MissingDataError
from citectx.recommendation.collection import Collection, Labels
from citectx.storage import write_atomically
from citectx.types import Span

LUCENE = Path(__file__).with_name("lucene")
SEED, QUERIES = 6, 40
JARS = ("lucene-core", "lucene-analyzers-common")


def class_path() -> str:
    """Jars of Lucene 4.10: in Debian's folder, or in the one that CITECTX_LUCENE names."""
    folder = Path(os.environ.get("CITECTX_LUCENE", "/usr/share/java"))
    found = [jar for name in JARS for jar in sorted(folder.glob(f"{name}-4.10*.jar"))[:1]]
    if len(found) < len(JARS) or not shutil.which("javac"):
        raise MissingDataError(
            "needs a JDK and Lucene 4.10: Debian's liblucene4.10-java, "
            "or CITECTX_LUCENE=folder of its jars"
        )
    return os.pathsep.join(map(str, found))


QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""A virtual machine that starts sooner, and is slower in the end: for tests, not for measuring."""


def ask(lines: Sequence[str], *arguments: str, options: Sequence[str] = QUICK) -> list[str]:
    """Compile the program and run it, hand it documents and queries, give what it prints."""
    program = ["java", *options, "-cp", class_path(), str(LUCENE / "Oracle.java")]
    asked = "\n".join(lines) + "\n"
    done = subprocess.run(
        [*program, *arguments], input=asked, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def random_collection(seed: int, articles: int = 300, terms: int = 400) -> Collection:
    """Articles whose fields are empty, short or long, over words of very different frequency."""
    rng = np.random.default_rng(seed)
    documents, labels = [], dict[str, Labels]()
    share = 1 / np.arange(1, terms + 1)
    for i in range(articles):
        text, labels[f"d{i}"] = "", []
        for _ in range(int(rng.integers(1, 12))):
            size = int(rng.choice([1, 2, 3, 7, 20, 150]))
            sentence = " ".join(f"w{n}" for n in rng.choice(terms, size, p=share / share.sum()))
            span = Span(len(text), len(text) + len(sentence))
            labels[f"d{i}"].append((span, CLASSES[rng.integers(len(CLASSES))]))
            text += sentence + " "
        documents.append(Document(f"d{i}", text))
    return Collection.build(documents, labels)


def random_queries(seed: int, count: int, terms: int = 400) -> list[tuple[list[str], list[float]]]:
    """Terms (also repeated and unknown ones) and boosts (also 0)."""
    rng = np.random.default_rng(seed)
    found = []
    for i in range(count):
        asked = [f"w{n}" for n in rng.integers(0, terms + 10, size=rng.integers(1, 40))]
        if i % 3 == 0:
            asked.append(asked[0])
        boosts = rng.choice([0, 1, 1, 2, 5, 7, 13, 0.3], size=len(CLASSES))
        found.append((asked, boosts.tolist()))
    return found


def document_lines(collection: Collection) -> list[str]:
    fields: list[dict[str, list[str]]] = [{} for _ in collection.doc_ids]
    start = 0
    for end, doc, kind in zip(
        collection.sentence_end, collection.sentence_doc, collection.sentence_class, strict=True
    ):
        found = [collection.vocabulary[t] for t in collection.tokens[start:end]]
        fields[doc].setdefault(collection.classes[kind], []).extend(found)
        start = end
    return [
        "\t".join(["D", *(f"{k}={' '.join(v)}" for k, v in own.items() if v)]) for own in fields
    ]


def query_line(asked: Sequence[str], boosts: Sequence[float]) -> str:
    """Write a query for the program; 0 is the tie: only the best field counts."""
    weighted = [f"{field}^{boost}" for field, boost in zip(CLASSES, boosts, strict=True)]
    return "\t".join(["Q", "0.0", " ".join(asked), *weighted])


def main() -> None:
    queries = random_queries(SEED, QUERIES)
    lines = document_lines(random_collection(SEED)) + [query_line(*query) for query in queries]
    rows: list[Any] = [[*query, [], []] for query in queries]
    for query, doc, score in map(str.split, ask(lines)):
        _, _, docs, scores = rows[int(query)]
        docs.append(int(doc))
        scores.append(float(score))
    write_atomically(LUCENE / "scores.json", (json.dumps(rows) + "\n").encode())


if __name__ == "__main__":
    main()
