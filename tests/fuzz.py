"""Every reader against mutated files: it reads them, says what it found, or raises an error of
ours.

The files are one topic of the teaching corpus and small made-up ones in the format of each release
(samples/). A mutation that only adds, recodes or flips must not lose anything without a finding.

    python -m tests.fuzz [--times 10000] [--seed 0] [READER ...]
"""

import argparse
import random
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from citectx import profiles
from citectx.apps import parts
from citectx.apps.contexts import anybody
from citectx.apps.contexts.ltr import LTR, WEIGHTS
from citectx.corpora import (
    articles,
    citation_integrity,
    citation_integrity_2024,
    citation_network,
    coresc,
    csv_corpus,
    registry,
    scisumm,
    scisummnet,
    tac2014,
)
from citectx.corpora.model import Corpus
from citectx.corpora.references import Article, mentions
from citectx.embeddings.vectors import Vectors
from citectx.errors import CitectxError
from citectx.evaluation.scisumm import read_evidence
from citectx.experiments import results
from citectx.experiments.rankings import Run
from citectx.language.idf import Idf
from citectx.ledger import entries, readings
from citectx.ledger.published import read_folder
from citectx.ontology import Vocabulary
from citectx.ontology.vocabularies import read_hgnc, read_obo, read_table, read_umls
from citectx.papers.sigir2017 import ratings
from citectx.paths import DATA, PACKAGE
from tests.corpora import test_registry

SECONDS = 3.0
"""Of processor time for one small file: a quadratic pattern needs more for a line of 60,000
letters."""

Files = dict[str, bytes]


class Reader(NamedTuple):
    """How to make the files of a release, read them, and count what was read and what was found."""

    files: Files
    read: Callable[[Path], Any]
    counts: Callable[[Any], tuple[int, ...]]
    findings: Callable[[Any], int] = lambda found: len(found.findings)
    flips: bool = True
    """Whether a flipped byte must leave a trace, too; not where it makes another valid name or
    filter."""


def corpus_counts(corpus: Corpus) -> tuple[int, ...]:
    """Topics, citances, annotations, spans, citing documents, sentences."""
    citances = [c for topic in corpus for c in topic.citances]
    annotations = [a for c in citances for a in c.annotations]
    return (
        *(len(corpus), len(citances), len(annotations), sum(len(a.spans) for a in annotations)),
        *(
            sum(len(t.citing) for t in corpus),
            sum(len(t.reference.sentences or ()) for t in corpus),
        ),
    )


def vocabulary_counts(vocabulary: Vocabulary) -> tuple[int, ...]:
    """Concepts."""
    return (len(vocabulary),)


def below(folder: Path, prefix: str = "") -> Files:
    """Return the files of a folder by their paths."""
    return {
        f"{prefix}{p.relative_to(folder)}": p.read_bytes() for p in folder.rglob("*") if p.is_file()
    }


def write(files: Files, folder: Path) -> None:
    """Write files below a folder."""
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)


def made(make: Callable[[Path], object]) -> Files:
    """Return the files that a function writes into a folder."""
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder))
        return below(Path(folder))


VECTORS = Vectors(("cell", "rést"), np.array([[1, 0.5], [0.25, 2]], dtype=np.float32))
MEMBERS = test_registry.MEMBERS


def _extract(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as out:
        registry.extract(folder / "a.tar.gz", MEMBERS, Path(out))


def _read_net(folder: Path) -> Corpus:
    scisummnet.authority(folder)
    return scisummnet.read(folder)


def _read_labelled(path: Path) -> coresc.CoreSCCorpus:
    return coresc.read_teaching(path, tac2014.read(path.parent / "topics", "teaching"))


def _index(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        for name, text in {"a": "Cells rest.", "b": "Yeast rests.", "c": "Flies."}.items():
            Path(temporary, f"{name}.txt").write_text(text)
        parts.index(parts.TextFiles.of(Path(temporary)), folder, 2)


def _read_index(folder: Path) -> tuple[int, ...]:
    """Read all parts, as a search does, but without its cache: their articles."""
    found = [parts._open(part, ("rest",)) for part in parts._listed(folder / parts.MANIFEST)]
    return tuple(len(ids) for _, ids in found)


TOPIC = below(DATA / "teaching/data/D9001_TEACH", "D9001_TEACH/")
SMALL_TOPIC = {  # two annotators and two citing articles suffice
    path: content
    for path, content in TOPIC.items()
    if not path.endswith((".C.ann.txt", ".D.ann.txt"))
}
LABELS = "\n".join(
    line
    for line in (DATA / "teaching/coresc.csv").read_text().splitlines()
    if line.startswith(("topic", "D9001"))
)


def _read_article(path: Path) -> Article:
    article = articles.read_article(path)
    assert all(
        0 <= link.span.start < link.span.end <= len(article.document.text) for link in article.links
    )
    mentions(article, [reference.key for reference in article.references])
    return article


def article_counts(article: Article) -> tuple[int, ...]:
    """References and links."""
    return len(article.references), len(article.links)


def sample(name: str) -> Files:
    """Return the files of a small made-up release."""
    return below(Path(__file__).with_name("samples") / name)


def paper_counts(found: coresc.CoreSCCorpus) -> tuple[int, ...]:
    """Papers and labels."""
    return len(found), sum(len(p.labels) for p in found)


def nothing(found: object) -> int:
    """Findings of a reader that reports none."""
    return 0


PAPER = PACKAGE / "papers" / "acl2008"


def _pdf(text: str) -> bytes:
    """Return a PDF of one page with a line of text."""
    drawn = f"BT /F1 9 Tf 20 700 Td ({text}) Tj ET"
    parts = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        "/Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    file, places = "%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(file))
        file += f"{number} 0 obj\n{part}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    trailer = f"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n{len(file)}\n%%EOF\n"
    return f"{file}xref\n0 6\n0000000000 65535 f \n{table}{trailer}".encode()


def _items(found: Any) -> tuple[int, ...]:
    """How many there are."""
    return (len(found),)


# What reads PDF is an extra, which need not be installed.
PDF = {
    "pdf": Reader(
        {"a.pdf": _pdf("Cells rest. " * 20)},
        lambda f: _read_article(f / "a.pdf"),
        article_counts,
        nothing,
        flips=False,
    )
}

READERS: dict[str, Reader] = {
    **(PDF if find_spec("pypdf") else {}),
    **{
        ending: Reader(
            sample(ending),
            lambda folder: _read_article(min(folder.iterdir())),
            article_counts,
            flips=False,
        )
        for ending in ("jats.xml", "tei.xml", "txt", "md")
    },
    "tac2014": Reader(SMALL_TOPIC, tac2014.read, corpus_counts),
    "csv": Reader(sample("csv"), csv_corpus.read, corpus_counts),
    "own": Reader(sample("csv"), profiles.load, corpus_counts),
    "citation-integrity": Reader(
        sample("citation-integrity"), citation_integrity.read, corpus_counts
    ),
    "citation-integrity-2024": Reader(
        sample("citation-integrity-2024"),
        lambda folder: citation_integrity_2024.read(folder, folder),
        corpus_counts,
    ),
    "citing paragraphs": Reader(
        sample("citation-integrity-2024"),
        citation_integrity_2024.read_contexts,
        lambda found: (len(found.paragraphs) + found.skipped,),
    ),
    "scisumm-train": Reader(sample("scisumm-train"), scisumm.read_training, corpus_counts),
    "scisumm-test": Reader(sample("scisumm-test"), scisumm.read_test, corpus_counts),
    "scisumm-gold": Reader(sample("scisumm-gold"), scisumm.read_gold, corpus_counts),
    "scisummnet": Reader(sample("scisummnet"), _read_net, corpus_counts),
    "art": Reader(sample("art"), coresc.read_art, paper_counts),
    "cra": Reader(sample("cra"), coresc.read_cra, paper_counts),
    "coresc.csv": Reader(
        {
            "coresc.csv": LABELS.encode(),
            **{f"topics/{path}": content for path, content in SMALL_TOPIC.items()},
        },
        lambda folder: _read_labelled(folder / "coresc.csv"),
        paper_counts,
    ),
    "fulltext": Reader(
        sample("fulltext"),
        citation_integrity.read_full_texts,
        lambda found: (len(found.references), len(found.citing), len(found.marks)),
    ),
    "citation-network": Reader(
        sample("citation-network"),
        lambda folder: citation_network.read(folder / "acl.txt"),
        lambda found: (len(found.papers), len(found.edges)),
        nothing,
        flips=False,
    ),
    "scisumm-run": Reader(
        sample("scisumm-run"),
        lambda folder: read_evidence(folder / "P99-1_ann.csv"),
        lambda found: (len(found),),
        nothing,
    ),
    "obo": Reader(sample("obo"), lambda folder: read_obo(folder / "x.obo", "x"), vocabulary_counts),
    "mesh": Reader(
        sample("mesh"), lambda f: read_table(f / "m.tsv", "mesh", "MESH"), vocabulary_counts
    ),
    "hgnc": Reader(sample("hgnc"), lambda f: read_hgnc(f / "h.tsv"), vocabulary_counts),
    "umls": Reader(sample("umls"), read_umls, vocabulary_counts, flips=False),
    "vectors": Reader(made(VECTORS.save), Vectors.load, lambda found: (len(found),), nothing),
    "index": Reader(made(_index), _read_index, tuple, nothing),
    "results": Reader(
        {"t.csv": f"{','.join(results.COLUMNS)}\nt,own,A,c-F,0.5,0.4,0.6,,3,{{}},0\n".encode()},
        lambda folder: results.read(folder, "t"),
        _items,
        nothing,
        flips=False,
    ),
    "citances": Reader(
        {"c.csv": b'citance,note\nCells rest [1].,a\n"Cells, too.",b\n'},
        lambda folder: anybody.citances_file(folder / "c.csv"),
        _items,
        nothing,
        flips=False,
    ),
    "trec": Reader(
        {"run.txt": b"T1:1 Q0 T1:0-9 1 2 BM25\nT1:1 Q0 T1:12-19 2 1 BM25\n"},
        lambda folder: Run.read(folder / "run.txt"),
        lambda found: (len(found.rankings),),
        nothing,
        flips=False,
    ),
    "spans": Reader(
        {"run.csv": b"topic,citance,start,end,note\nT1,1,0,9,a\nT1,1,12,19,\n"},
        lambda folder: Run.read(folder / "run.csv"),
        lambda found: (len(found.rankings),),
        nothing,
        flips=False,
    ),
    "pairs": Reader(
        {"pairs.txt": b"cell\tnucleus\t0.5\nheart failure\trest\t0.25\n"},
        lambda folder: ratings.read_pairs(folder / "pairs.txt"),
        _items,
        nothing,
        flips=False,
    ),
    "idf": Reader(
        {"i.tsv.gz": Idf(3, {"rest": 2, "cell": 1}).to_bytes()},
        lambda folder: Idf.read(folder / "i.tsv.gz"),
        lambda found: (len(found.frequencies),),
        nothing,
        flips=False,
    ),
    "weights": Reader(
        {"weights.json": WEIGHTS.read_bytes()},
        lambda folder: LTR.load(folder / "weights.json"),
        lambda found: (len(found.weights),),
        nothing,
        flips=False,
    ),
    "published": Reader(below(PAPER / "published"), read_folder, _items, nothing, flips=False),
    "ledger": Reader(
        {
            "acl2008/claims.yaml": (PAPER / "claims.yaml").read_bytes(),
            **below(PAPER / "published", "acl2008/published/"),
        },
        lambda folder: entries.read(folder / "acl2008/claims.yaml"),
        lambda found: (len(found.claims),),
        nothing,
        flips=False,
    ),
    "readings": Reader(
        {"readings.toml": (PAPER / "readings.toml").read_bytes()},
        lambda folder: readings.read(folder / "readings.toml", entries.load("acl2008")),
        lambda found: (len(found.readings), len(found.headlines)),
        nothing,
        flips=False,
    ),
    "archive": Reader(
        made(lambda folder: test_registry.make(folder / "a.tar.gz")),
        _extract,
        lambda _: (),
        nothing,
    ),
}


# --- mutations: the first kind only adds or recodes, the second may take away

Mutation = Callable[[bytes, random.Random], bytes]
PIECES = [
    *(
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"\0",
        b"\xed\xa0\x80",
        b"\xc3",
        b"\r\n",
        b"\n",
        b"\x0b",
        b"\xe2\x80\xa8",
        b"\x1c",
    ),
    *(
        b"# a comment\n",
        b"<!-- ",
        b"-->",
        b"<![CDATA[",
        b"<!DOCTYPE x>",
        b"<?x",
        b'"',
        b"'",
        b"|",
        b"\t",
        b",",
        b" , ",
    ),
    *(
        b"../",
        b"{",
        b"[",
        b"}",
        b"\\",
        b"...",
        b"&#0;",
        b"&x;",
        b"=",
        b":",
        b"-1",
        b"null",
        b"1e999",
        b"NaN",
        b"%s",
    ),
]
LONG = [
    *(piece * 60_000 for piece in (b" ", b"9", b"a", b"*", b"(", b"\\", b"\t")),
    *(piece * 20_000 for piece in (b"\n", b'"', b"<S ", b"{x ", b"| ", b"...", b"1-", b", ")),
    *(piece * 15_000 for piece in (b" NOS", b"<!--", b"1;1 ")),
    *(b"9" * 5_000, b"<a>" * 50_000, b"[" * 100_000),
]


def _insert(content: bytes, piece: bytes, draw: random.Random) -> bytes:
    place = draw.randrange(len(content) + 1)
    return content[:place] + piece + content[place:]


def _line(content: bytes, draw: random.Random) -> bytes:
    """Insert a line of its own."""
    lines = content.split(b"\n")
    piece = draw.choice(
        [b"# a comment", b"garbage \xff", b"", b"\0", "ünïcode".encode(), b"<!-- x -->"]
    )
    place = draw.randrange(len(lines) + 1)
    return b"\n".join([*lines[:place], piece, *lines[place:]])


def _recode(content: bytes, draw: random.Random) -> bytes:
    encoding = draw.choice(
        ["utf-8-sig", "utf-16", "utf-16-be", "utf-32", "latin-1", "cp1252", "utf-7", "cp037"]
    )
    return content.decode("utf-8", errors="replace").encode(encoding, errors="replace")


def _number(content: bytes, draw: random.Random) -> bytes:
    """Blow up a number."""
    places = [i for i, byte in enumerate(content) if 48 <= byte <= 57]
    if not places:
        return content
    place = draw.choice(places)
    return (
        content[:place]
        + draw.choice([b"9" * 30, b"9" * 5000, b"-", b"0x", b"\xd9\xa3"])
        + content[place:]
    )


def _flip(content: bytes, draw: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(draw.randint(1, 3) if content else 0):
        changed[draw.randrange(len(changed))] ^= draw.randint(1, 255)
    return bytes(changed)


def _slice(content: bytes, draw: random.Random) -> tuple[int, int]:
    start = draw.randrange(len(content) + 1)
    return start, min(len(content), start + draw.choice([1, 10, 100, 10_000]))


def _delete(content: bytes, draw: random.Random) -> bytes:
    start, end = _slice(content, draw)
    return content[:start] + content[end:]


def _repeat(content: bytes, draw: random.Random) -> bytes:
    start, end = _slice(content, draw)
    return _insert(content, content[start:end], draw)


ADDING: list[Mutation] = [_line, _recode, _number]
OTHERS: list[Mutation] = [
    _flip,
    _flip,
    _delete,
    _repeat,
    lambda content, draw: _insert(content, draw.choice(PIECES), draw),
    lambda content, draw: _insert(content, draw.choice(PIECES), draw),
    lambda content, draw: content[: draw.randrange(len(content) + 1)],
    lambda content, draw: draw.choice(
        [b"", b"<html>\n<p>try again later</html>", draw.randbytes(300)]
    ),
]


def _long(content: bytes, draw: random.Random) -> bytes:
    return _insert(content, draw.choice(LONG), draw)


class Failure(NamedTuple):
    """What went wrong, with which mutation of which file."""

    reader: str
    number: int
    path: str
    mutation: str
    message: str


def failures(name: str, times: int, seed: int = 0) -> Iterator[Failure]:
    """Yield the mutations that end in another error, take too long, or lose without a word."""
    reader = READERS[name]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "release")
        write(reader.files, folder)
        whole = reader.counts(reader.read(folder))
        paths = sorted(reader.files)
        for number in range(times):
            draw = random.Random(f"{name} {seed} {number}")
            path = draw.choice(paths)
            kind = "long" if draw.random() < 0.1 else draw.choice(["adding", "other"])
            mutations = {"long": _long, "adding": draw.choice(ADDING), "other": draw.choice(OTHERS)}
            mutate = mutations[kind]
            (folder / path).write_bytes(mutate(reader.files[path], draw))
            leaves_a_trace = kind == "adding" or (reader.flips and mutate is _flip)
            message = _attempt(reader, folder, whole if leaves_a_trace else ())
            (folder / path).write_bytes(reader.files[path])
            if message:
                yield Failure(name, number, path, getattr(mutate, "__name__", kind), message)


def _attempt(reader: Reader, folder: Path, whole: tuple[int, ...]) -> str:
    started = time.process_time()
    try:
        found = reader.read(folder)
    except CitectxError as error:
        found, message = None, str(error)
        if len(message) > 2_000 or not message.strip():
            return f"message of {len(message)} letters: {message[:200]}"
    except Exception:
        return traceback.format_exc(limit=-3)
    if (seconds := time.process_time() - started) > SECONDS:
        return f"took {seconds:.1f} s"
    if found is not None and whole:
        counts = reader.counts(found)
        lost = any(now < before for now, before in zip(counts, whole, strict=True))
        if lost and not reader.findings(found):
            return f"lost without a finding: {counts}, before {whole}"
    return ""


def main() -> None:
    """Run from the command line: the first failures of each reader."""
    parser = argparse.ArgumentParser(description="Feed readers with mutated files.")
    parser.add_argument("readers", nargs="*", metavar="READER", help="by default all")
    parser.add_argument("--times", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    for name in arguments.readers or READERS:
        found = list(islice(failures(name, arguments.times, arguments.seed), 5))
        print(*found, f"{name}: {len(found) or 'no'} failures", sep="\n", flush=True)


if __name__ == "__main__":
    main()
