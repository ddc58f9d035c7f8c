"""How the time of whatever reads text grows with texts that were made to stop it.

Run as ``python -m benchmarks.hostile [NAME ...]``: writes ``benchmarks/hostile.csv`` and prints
what grows faster than its text. Each consumer gets each text in three sizes, each twice the one
before, from 1,000 characters up to where a call takes `LEAST` seconds, but at most `MOST`
characters. What is counted is processor time, which a busy machine changes little; the exponent is
the binary logarithm of what doubling the text does to it: 1 is linear, 2 quadratic.
"""

import contextlib
import gc
import logging
import math
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from citectx.apps.contexts import features
from citectx.apps.contexts.anybody import citances_file, contexts, impact
from citectx.apps.contexts.ltr import LTR
from citectx.apps.viewer.page import embedded
from citectx.corpora.articles import article_of, read_article
from citectx.corpora.citation_integrity import article_blocks
from citectx.corpora.coresc import Paper
from citectx.corpora.text_files import Reporter, bare, listed, natural, squeeze
from citectx.corpora.model import Citance, Document, Topic
from citectx.corpora.pdf import read_pdf
from citectx.corpora.references import Reference, Work, doi_in, find, mentions
from citectx.corpora.structure import markdown_blocks, plain_blocks
from citectx.corpora.tac_lines import occurrences, quoted_spans
from citectx.errors import CitectxError, CitectxWarning
from citectx.evaluation.agreement import agreement_level
from citectx.evaluation.rouge import rouge
from citectx.experiments.contextualization import Prepared, Protocol
from citectx.experiments.rankings import Run
from citectx.language.citation_contexts import citation_contexts
from citectx.language.noun_phrases import noun_phrases
from citectx.language.text import (
    Analyzer,
    SentenceSplitter,
    citation_markers,
    stem,
    strip_citation_markers,
)
from citectx.ontology.vocabularies import open_vocabulary
from citectx.paths import ROOT
from citectx.recommendation.features import Tokens
from citectx.retrieval import BM25, LMD, VSM, Query
from citectx.runs.parameters import parse
from citectx.show.html import highlight
from citectx.storage import write_atomically
from citectx.summarization import SUMMARIZERS, Budget, Pool
from citectx.types import Span
from tests.fuzz import READERS

SMALLEST, MOST = 1_000, 64_000  # characters of the smallest and of the largest text
LEAST = 0.01  # seconds that the smallest of the three sizes takes, if `MOST` allows it
LINEAR = 1.3
"""An exponent above this is worse than linear, as processor time can be measured."""

RESULTS = ROOT / "benchmarks" / "hostile.csv"

PIECES = {
    "one word": "a",
    "capitals": "A",
    "capitals and small letters": "Aa",
    "letters y": "y",
    "one line": "cells rest in the dark ",
    "one sentence": "Cells rest in the dark. ",
    "dots": ".",
    "spaced dots": ". ",
    "opened brackets": "(",
    "closed brackets": ")",
    "square brackets": "[",
    "opened and closed": "()",
    "digits": "1",
    "digits and commas": "1,",
    "spaces": " ",
    "tabs": "\t",
    "line ends": "\n",
    "mixed line ends": "\r\n\r",
    "tags": "<a>",
    "tags and ends": "<a></a>",
    "links": '<xref ref-type="bibr" rid="b1">1</xref>',
    "sections of XML": "<S sid='1'>",
    "comments": "<!--",
    "et al.": "Doe et al. ",
    "names": "Doe, ",
    "pairs of names": "Doe and ",
    "particles": "van ",
    "glued names": "Aand",
    "numbers in brackets": "[1] ",
    "years in brackets": "(Doe, 2001; ",
    "open years": "(2001, 2001; ",
    "quotes": '"',
    "single quotes": "'",
    "hyphens": "-",
    "hyphenated": "a-",
    "underscores": "_",
    "combining marks": "e\u0301",
    "emoji": "🙂",
    "cells of a table": "| a ",
    "headings": "# A\n",
    "short lines": "A\n",
    "new sentences": "{}a {}b. ",
    "new words": "w{} ",
    "captions": "Figure 1. A\n",
    "offsets": "1-2, ",
    "backslashes": "\\",
    "braces": "{{",
    "percent signs": "%",
    "asterisks": "*",
    "exclamation marks": "!",
}
"""What the texts repeat; ``{}`` stands for a number that grows, in letters."""

QUADRATIC = {
    "LexRank": "similarities of all pairs of sentences; a pool has some hundreds",
    "LSA": "decomposes a matrix of sentences and terms; a pool has some hundreds",
    "ROUGE": "longest common subsequences of all pairs of lines; a summary has some tens",
    "parameters": "PyYAML looks 1,024 characters ahead: never more than a second",
}
"""What is quadratic by its definition, and what bounds it."""


_LETTERS = str.maketrans("0123456789", "abcdefghij")  # so that no number is a year


def text(piece: str, size: int) -> str:
    """Repeat a piece up to a size."""
    if "{}" in piece:
        numbers = (str(i).translate(_LETTERS) for i in range(size // (len(piece) + 4)))
        return "".join(piece.replace("{}", number) for number in numbers)
    return (piece.replace("{{", "{") * (size // len(piece) + 1))[:size]


SPLITTER = SentenceSplitter()
CITANCE = Citance("1", "x", "Cells rest in the dark (Doe, 2001).", marker="Doe, 2001")
ARTICLE = "Cells rest in the dark. In the light they divide."


def _prepared(article: str, citance: str = CITANCE.text) -> Prepared:
    topic = Topic("t", Document("t", article), (replace(CITANCE, text=citance),))
    return Prepared(topic, SPLITTER, Protocol(), only_annotated=False)


def _model(model: Any, content: str) -> None:
    _prepared(content).scores(model)
    _prepared(ARTICLE, content).scores(model)


def _summarize(name: str, content: str) -> None:
    texts = [content[s.start : s.end] for s in SPLITTER.split(content)]
    SUMMARIZERS[name].choose(Pool.of(texts), Budget(words=100))


def _features(content: str) -> None:
    prepared = _prepared(content)
    names = features.names_of(*features.GROUPS)
    features.matrix(prepared.index, prepared.queries, names)


def _own_paper(find_: Callable[..., Any], content: str) -> None:
    found = find_(article_of(content), [CITANCE.text])
    for _ in found.lines():
        pass
    found.to_json()
    found.to_html()


def _mentions(content: str) -> None:
    xml = f"<article><body><p>{_plain(content)}</p></body><back><ref-list>"
    xml += '<ref id="b1"><label>1</label><mixed-citation><string-name><surname>Doe</surname>'
    xml += "</string-name><article-title>On rest</article-title><year>2001</year>"
    xml += f"</mixed-citation></ref><ref id='b2'><mixed-citation>{_plain(content)}"
    xml += "</mixed-citation></ref></ref-list></back></article>"
    article = _read("a.xml", xml.encode())
    mentions(article, [reference.key for reference in article.references])


def _plain(content: str) -> str:
    return content.replace("&", "&amp;").replace("<", "&lt;")


def _read(name: str, content: bytes) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(content)
        return read_article(path)


def _citing(content: str) -> None:
    """Read a citing article with links, whose text is split around them."""
    link = '<xref ref-type="bibr" rid="b1">[1]</xref>'
    body = f"<p>Cells rest. {link} {_plain(content)} {link}</p>"
    back = '<ref-list><ref id="b1"><label>1</label><mixed-citation>'
    back += "<article-title>Cells rest in the dark and in the light</article-title>"
    back += "</mixed-citation></ref></ref-list>"
    xml = f"<article><body>{body}</body><back>{back}</back></article>"
    citing = _read("c.xml", xml.encode())
    own = article_of(f"# Cells rest in the dark and in the light\n\n{ARTICLE}\n")
    contexts(own, citing=[citing])


def _titles(content: str) -> None:
    """Look for a work in a list that holds almost the same title."""
    other = Reference("b1", "1", Work(f"x{content}", "2001", ("Doe",)), content)
    find(Work(content, "2001", ("Doe",)), [other])


def _file(name: str, read: Callable[[Path], Any], content: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(content.encode())
        read(path)


def _in_corpus(name: str, path: str, where: str, content: str) -> None:
    """Read a small release, one file of which holds the text: in its middle, or as a line."""
    reader = READERS[name]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "release")
        for other, own in reader.files.items():
            (folder / other).parent.mkdir(parents=True, exist_ok=True)
            middle = len(own) // 2
            added = content.encode()
            if other != path:
                added = own
            elif where == "in":
                added = own[:middle] + added + own[middle:]
            else:
                added = own + b"\n" + added + b"\n"
            (folder / other).write_bytes(added)
        reader.read(folder)


def _corpora() -> Iterator[tuple[str, Callable[[str], Any]]]:
    for name, reader in READERS.items():
        seen: set[str] = set()
        for path in sorted(reader.files):
            kind = Path(path).suffix
            if name in ("vectors", "archive") or kind in seen:
                continue
            seen.add(kind)
            for where in ("in", "below"):
                yield f"{name}: {where} {kind}", partial(_in_corpus, name, path, where)


def _alignment(content: str) -> None:
    whole = f"{ARTICLE} {content}"
    citing = Document("x", whole)
    citance = replace(CITANCE, text=content)
    topic = Topic("t", Document("t", ARTICLE), (citance,), {"x": citing})
    citation_contexts(topic, SPLITTER)


def _tokens(content: str) -> None:
    sentences = SPLITTER.sentences(Document("x", content))
    Tokens.of([Paper.of(sentences.document, sentences.spans, sentences.blocks)])


def _spans(content: str) -> Iterator[Span]:
    return (Span(i, i + 3) for i in range(0, len(content) - 3, 7))


GRAPH = open_vocabulary(["teaching"])

CONSUMERS: dict[str, Callable[[str], Any]] = {
    "article: txt": lambda t: _read("a.txt", t.encode()),
    "article: md": lambda t: _read("a.md", t.encode()),
    "article: JATS": _mentions,
    "article: JATS, markup": lambda t: _read(
        "a.xml", f"<article><body><p>{t}</p></body></article>".encode()
    ),
    "article: TEI, markup": lambda t: _read(
        "a.xml", f"<TEI><text><body><p>{t}</p></body></text></TEI>".encode()
    ),
    "article: PDF": lambda t: read_pdf(b"%PDF-1.4\n" + t.encode(), "a.pdf"),
    "citing article": _citing,
    "titles": _titles,
    "DOI": doi_in,
    "plain_blocks": plain_blocks,
    "markdown_blocks": markdown_blocks,
    "article_blocks": article_blocks,
    "names of files": lambda t: (natural(t), bare(t), listed(t), squeeze(t)),
    "quotes": lambda t: (occurrences(t, t), quoted_spans(t, t, t, Reporter([], "x"))),
    "sentences": SPLITTER.split,
    "training of sentences": lambda t: SentenceSplitter([t]),
    "training by lines": lambda t: SentenceSplitter(t.splitlines()),
    "terms": lambda t: list(Analyzer(stem=True)(t)),
    "hyphenated terms": lambda t: list(Analyzer(split_hyphens=False)(t)),
    "stem": stem,
    "noun phrases": noun_phrases,
    "citation markers": citation_markers,
    "markers stripped": strip_citation_markers,
    "marker stripped": lambda t: strip_citation_markers(t, t[: len(t) // 2]),
    "citation contexts": _alignment,
    "concepts": lambda t: GRAPH.match(list(Analyzer()(t))),
    "tokens of CoreSC": _tokens,
    "grams": lambda t: list(features.ANALYSES["grams"](t)),
    "features": _features,
    "LTR": partial(_model, LTR.load()),
    **{name: partial(_model, model) for name, model in (("BM25", BM25()), ("LMD", LMD()))},
    "VSM": partial(_model, VSM()),
    "query": lambda t: Query.of_citance(replace(CITANCE, text=t), Analyzer()),
    **{name: partial(_summarize, name) for name in SUMMARIZERS},
    "ROUGE": lambda t: rouge(t, [t + " x"], ["rouge1", "rougeLsum"]),
    "agreement": lambda t: agreement_level({"A": list(_spans(t)), "B": list(_spans(t[1:]))}),
    "HTML": lambda t: highlight(t, {"A": list(_spans(t))}),
    "viewer": lambda t: embedded({"text": t}),
    "run file": partial(_file, "run", Run.from_trec),
    "parameters": lambda t: parse([f"x={t}"]),
    "table of citances": partial(_file, "c.csv", citances_file),
    "contexts": partial(_own_paper, contexts),
    "impact": partial(_own_paper, impact),
    **dict(_corpora()),
}


def seconds(consumer: Callable[[str], Any], content: str) -> float:
    """Return the processor time of a call; errors of ours are an answer, too."""
    started = time.process_time()
    with contextlib.suppress(CitectxError), warnings.catch_warnings():
        warnings.simplefilter("ignore", CitectxWarning)
        consumer(content)
    return time.process_time() - started


def measure(consumer: Callable[[str], Any], piece: str) -> dict[str, object]:
    """Time a consumer at three sizes of a text."""
    size = SMALLEST
    while seconds(consumer, text(piece, size)) < LEAST and 4 * size < MOST:
        size *= 2
    sizes = [size, 2 * size, 4 * size]
    times = [seconds(consumer, text(piece, each)) for each in sizes]
    grows = math.log2(times[2] / times[0]) / 2
    if grows > LINEAR and times[-1] < 1:  # once more: a first call may have filled a cache
        times = [
            min(t, seconds(consumer, text(piece, n))) for t, n in zip(times, sizes, strict=True)
        ]
        grows = math.log2(times[2] / times[0]) / 2
    return {
        "characters": sizes[-1],
        "seconds": round(times[-1], 3),
        "exponent": round(grows, 2) if times[-1] >= LEAST else 0.0,
    }


def table(names: Iterable[str]) -> pd.DataFrame:
    """Measure consumers on all texts."""
    rows: list[dict[str, object]] = []
    for name in names:
        for what, piece in PIECES.items():
            row = {"consumer": name, "text": what} | measure(CONSUMERS[name], piece)
            rows.append(row | {"by definition": QUADRATIC.get(name, "")})
            gc.collect()
            if float(str(row["exponent"])) > LINEAR:
                print(*row.values(), flush=True)
        print(f"{name}: measured", file=sys.stderr)
    return pd.DataFrame(rows)


def main(*names: str) -> None:
    gc.disable()  # it looks at whatever is there, again and again
    logging.disable()
    for name in names or CONSUMERS:  # what is loaded late is loaded now
        seconds(CONSUMERS[name], ARTICLE)
    found = table(names or CONSUMERS)
    if not names:
        found = found.sort_values(["exponent", "seconds", "consumer", "text"], ascending=False)
        write_atomically(RESULTS, found.to_csv(index=False))


if __name__ == "__main__":
    main(*sys.argv[1:])
