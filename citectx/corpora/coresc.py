"""Papers whose sentences carry CoreSC classes: the ART corpus, the CRA corpus, the teaching corpus.

What we saw in the data: ART has 225 papers of physical chemistry and biochemistry in nine folders
of 25, one per annotator, 34,680 sentences, all with exactly one class. A paper has 32 to 381 of
them; the first is its title. Citations are ``<REF ID="cit4 cit5">4,5</REF>``, glued to the word
before. 36 sections have an empty heading. In 121 papers a heading that opens a part has no sentence
of its own, but begins with a subsection ("Results and discussion", 56 times); so in 43 of CRA.

CRA has 50 papers on cancer risk, 8,501 sentences, in two dialects (publisher's HTML and JATS, where
the introduction often has no heading). 54 sentences (thanks, grants) have no class and are left
out, as are the second classes of 276. Citations are ``<xref>``, as are references to figures. ART
has one raised group of numbers where CRA has brackets around many marks; both are read as one mark.
"""

import re
from bisect import bisect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from lxml import etree
from lxml.etree import XPath
from lxml.etree import _Element as Element

from citectx.corpora import sources, tac
from citectx.corpora.model import Document
from citectx.corpora.text_files import listing, squeeze
from citectx.paths import DATA
from citectx.types import Span

CLASSES = ("Bac", "Con", "Exp", "Goa", "Hyp", "Met", "Mod", "Mot", "Obj", "Obs", "Res")
"""Background, conclusion, experiment, goal, hypothesis, method, model, motivation, object,
observation, result.

Ambiguity: lrec2016's Table 1 distinguishes Method-New from Method-Old, its Figures 3 and 4 have one
class Met. So do we.
"""

MARK = "[CIT]"
"""What replaces marked citations in a sentence, a group of them together with its brackets."""

_MARKS = r"\s*\[CIT\](?:\s*[,;–—-]\s*\[CIT\])*\s*"
_GROUP = re.compile(rf"\({_MARKS}\)|\[{_MARKS}\]|{_MARKS}")

TEACHING = DATA / "teaching" / "coresc.csv"


class Sentence(NamedTuple):
    """A sentence, its marked citations replaced by `MARK`, and its place in the paper.

    The zone is "title", "abstract" or "body", the heading that of the innermost section, "" where
    there is none. `above` are the headings between the sentence before and this heading: "Results",
    where subsections begin at once.
    """

    text: str
    zone: str = "body"
    heading: str = ""
    above: tuple[str, ...] = ()


@dataclass(frozen=True)
class Paper:
    """A paper as a sequence of sentences, with none or one of `CLASSES` for each.

    The group is the annotator, where the corpus has several.
    """

    doc_id: str
    sentences: tuple[Sentence, ...]
    labels: tuple[str, ...] = ()
    group: str = ""

    def __len__(self) -> int:
        return len(self.sentences)

    @classmethod
    def of(cls, document: Document, spans: Iterable[Span]) -> "Paper":
        """Take sentences of a document."""
        starts = [block.start for block in document.blocks]
        sentences = []
        seen = 0
        for span in spans:
            number = bisect(starts, span.start) - 1
            block = document.blocks[number]
            zone = block.kind if block.kind in ("title", "abstract") else "body"
            passed = [b.heading for b in document.blocks[seen:number] if b.kind == "heading"]
            text = squeeze(span.of(document.text))
            sentences.append(Sentence(text, zone, block.heading, tuple(passed[:-1])))
            seen = number
        return cls(document.doc_id, tuple(sentences))


@dataclass(frozen=True)
class CoreSCCorpus:
    """Labelled papers."""

    name: str
    papers: tuple[Paper, ...]

    def __iter__(self) -> Iterator[Paper]:
        return iter(self.papers)

    def __len__(self) -> int:
        return len(self.papers)


def read_art() -> CoreSCCorpus:
    """Read the ART corpus; a paper's group is its annotator, ``ann1`` to ``ann9``."""
    return _read("ART", "ART_Corpus", "ann*/*.xml")


def read_cra() -> CoreSCCorpus:
    """Read the Multi-CoreSC CRA corpus; further classes of a sentence are left out."""
    return _read("CRA", "Multi-CoreSC_CRA_corpus", "*.xml")


def _read(name: str, part: str, pattern: str) -> CoreSCCorpus:
    folder = sources.folder("coresc-corpora") / "dataset" / "external" / part
    return CoreSCCorpus(name, tuple(map(read_paper, listing(folder, pattern))))


_HEADINGS = ("HEADER", "title", "TITLE", "h3", "h4", "h5")
_PARTS = {
    "TITLE": "title",
    "article-title": "title",
    "ABSTRACT": "abstract",
    "abstract": "abstract",
    **dict.fromkeys(("DIV", "SEC", "sec"), ""),
}
"""Elements at whose end their headings are no longer in force, and the zones that they begin."""

_CLASSES = XPath(
    ".//*[starts-with(name(), 'annotationART') or starts-with(name(), 'CoreSc')]/@type"
)
_CITATIONS = XPath(
    ".//*[local-name() = 'REF'"
    " or local-name() = 'xref' and (@ref-type = 'bibr' or @class = 'xref-bibr')]"
)


def read_paper(path: Path) -> Paper:
    """Read the sentences of a file of ART or CRA that have a class, and the first class of each."""
    sentences: list[Sentence] = []
    labels: list[str] = []
    headings: list[tuple[Element, str]] = []  # the part that each is in, and its text
    above: list[str] = []  # headings since the last sentence
    for element in etree.fromstring(path.read_bytes()).iter("{*}*"):
        tag = _name(element)
        if tag in _HEADINGS and element.find(".//{*}s") is None:
            heading = squeeze("".join(element.itertext()))
            headings.append((_parts(element)[0], heading))
            above.append(heading)
        # Annotations stand in the order CoreSc1, CoreSc2, CoreSc3.
        elif tag == "s" and (classes := _CLASSES(element)):
            parts = _parts(element)
            zones = [_PARTS.get(_name(part), "") for part in parts]
            zone = next(filter(None, zones), "body")
            in_force = [text for part, text in headings if part in parts]
            heading = in_force[-1] if in_force else ""
            passed = tuple(above[:-1])
            sentences.append(Sentence(_text(element), zone, heading, passed))
            labels.append(classes[0])
            above = []
    name = path.stem.removesuffix("_annotated").removesuffix("_mode2")
    return Paper(name, tuple(sentences), tuple(labels), path.parent.name)


def _name(element: Element) -> str:
    return element.tag.rpartition("}")[2]  # without the namespace


def _parts(element: Element) -> list[Element]:
    """Return the parts of a paper that an element is in, the innermost first, the paper last."""
    *above, paper = element.iterancestors()
    parts = [e for e in above if _name(e) in _PARTS]
    return [*parts, paper]


def _text(sentence: Element) -> str:
    """Return the text of a sentence, with `MARK` for each group of citations."""
    for citation in _CITATIONS(sentence):
        citation[:] = []
        citation.text = f" {MARK} "
    printed = "".join(sentence.itertext())
    return squeeze(_GROUP.sub(f" {MARK} ", printed))


def read_teaching() -> CoreSCCorpus:
    """Read the classes of sentences of the teaching corpus: ``topic,start,end,class``."""
    topics = tac.read(DATA / "teaching", "teaching")
    papers = []
    for topic, rows in pd.read_csv(TEACHING).groupby("topic", sort=False):
        document = topics[str(topic)].reference
        paper = Paper.of(document, map(Span, rows["start"], rows["end"]))
        papers.append(replace(paper, labels=tuple(rows["class"])))
    return CoreSCCorpus("teaching", tuple(papers))
