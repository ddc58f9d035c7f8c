"""Papers whose sentences carry CoreSC classes: the ART corpus, the CRA corpus, the teaching corpus.

What we saw in the data: ART has 225 papers of physical chemistry and biochemistry in nine folders
of 25, one for each annotator, 34,680 sentences, all with exactly one class: Res 7,373, Bac 6,657,
Obs 4,659, Met 3,751, Mod 3,456, Con 3,083, Exp 2,841, Obj 1,190, Hyp 656, Goa 548, Mot 466. A paper
has 32 to 381 of them; the first is its title. Formulae are cut to pieces by ``<SB>`` and ``<SP>``;
citations are ``<REF ID="cit4 cit5">4,5</REF>``, glued to the word before; 36 sections have an empty
heading, and many headings tell what a section is about, not what it does ("Forces at thermal
equilibrium"). In 121 papers a heading that opens a part has no sentence of its own, but begins with
a subsection ("Results and discussion", 56 times); so in 43 of CRA.

CRA has 50 papers on cancer risk, 8,501 sentences, in two dialects (publisher's HTML: ``SEC``,
``TITLE``, ``h3``; JATS: ``sec``, ``title``, where the introduction often has no heading). 54
sentences (thanks, grants) have no class and are left out; 276 have a second class, 2 of them a
third. Only 4 are Mod. Most citations are ``<xref>``, as are references to figures and tables; some
are ``[IARC 2002]`` in plain text. Where ART has one raised group of numbers, CRA has brackets
around many marks; both are read as one mark.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pandas as pd

from citectx.corpora import sources, tac
from citectx.corpora.model import Block, Document, Topic
from citectx.corpora.text_files import csv_rows, listing, natural, need_folder, squeeze
from citectx.paths import DATA
from citectx.types import Span

CLASSES = ("Bac", "Con", "Exp", "Goa", "Hyp", "Met", "Mod", "Mot", "Obj", "Obs", "Res")
"""Background, conclusion, experiment, goal, hypothesis, method, model, motivation, object,
observation, result.

Ambiguity: lrec2016's Table 1 distinguishes Method-New from Method-Old, its Figures 3 and 4 have one
class Met. So do we.
"""

MARK = "[CIT]"
"""Replaces marked citations in a sentence's text, a group of them together with its brackets."""

_MARKS = r" ?\[CIT\](?: ?[,;–—-] ?\[CIT\])* ?"
_GROUP = re.compile(rf"\({_MARKS}\)|\[{_MARKS}\]|{_MARKS}")

TEACHING = DATA / "teaching" / "coresc.csv"


class Sentence(NamedTuple):
    """A sentence and its place in the paper.

    Parameters
    ----------
    text : str
        White space squeezed; marked citations replaced by `MARK`.
    zone : str
        "title", "abstract" or "body".
    heading : str
        Of the innermost section, "" where there is none.
    section : int
        Running number of that section.
    paragraph : int
        Running number of the paragraph in the paper.
    above : tuple of str
        Headings between the sentence before and `heading`: "Results", where subsections begin at
        once.
    """

    text: str
    zone: str = "body"
    heading: str = ""
    section: int = 0
    paragraph: int = 0
    above: tuple[str, ...] = ()


@dataclass(frozen=True)
class Paper:
    """A paper as a sequence of sentences."""

    doc_id: str
    sentences: tuple[Sentence, ...]

    def __len__(self) -> int:
        return len(self.sentences)

    @classmethod
    def of(cls, document: Document, spans: Iterable[Span], blocks: Iterable[Block]) -> "Paper":
        """Take sentences of a document, each with the block that it is in."""
        numbers = {block.start: number for number, block in enumerate(document.blocks)}
        sentences, seen = [], 0
        for span, block in zip(spans, blocks, strict=True):
            text = squeeze(span.of(document.text))
            zone = block.kind if block.kind in ("title", "abstract") else "body"
            number = numbers[block.start]
            passed = [b.heading for b in document.blocks[seen:number] if b.kind == "heading"]
            above = tuple(passed[:-1])
            sentences.append(Sentence(text, zone, block.heading, block.section, number, above))
            seen = number
        return cls(document.doc_id, tuple(sentences))


@dataclass(frozen=True)
class LabelledPaper:
    """A paper with the classes of its sentences.

    Parameters
    ----------
    paper : Paper
    labels : tuple of str
        One of `CLASSES` for each sentence.
    others : tuple of tuple of str
        Further classes of each sentence, mostly none.
    group : str
        The annotator, where the corpus has several.
    """

    paper: Paper
    labels: tuple[str, ...]
    others: tuple[tuple[str, ...], ...] = ()
    group: str = ""


@dataclass(frozen=True)
class CoreSCCorpus:
    """Labelled papers."""

    name: str
    papers: tuple[LabelledPaper, ...]

    def __iter__(self) -> Iterator[LabelledPaper]:
        return iter(self.papers)

    def __len__(self) -> int:
        return len(self.papers)

    def counts(self) -> pd.Series:
        """Number of sentences of each class."""
        found = Counter(label for paper in self.papers for label in paper.labels)
        return pd.Series({name: found[name] for name in CLASSES}, name=self.name)


def read_art(folder: Path | None = None) -> CoreSCCorpus:
    """Read the ART corpus; a paper's group is its annotator, ``ann1`` to ``ann9``.

    Parameters
    ----------
    folder : Path, optional
        Holds the folders ``ann…``; by default the open source ``coresc-corpora``.

    Raises
    ------
    MissingDataError
        If the corpus is not on this machine.
    """
    return _read("ART", folder, "ART_Corpus", "ann*/*.xml")


def read_cra(folder: Path | None = None) -> CoreSCCorpus:
    """Read the Multi-CoreSC CRA corpus; `LabelledPaper.others` holds the second and third classes.

    Parameters and errors are those of `read_art`.
    """
    return _read("CRA", folder, "Multi-CoreSC_CRA_corpus", "*.xml")


def _read(name: str, folder: Path | None, part: str, pattern: str) -> CoreSCCorpus:
    folder = folder or sources.folder("coresc-corpora") / "dataset" / "external" / part
    need_folder(folder, f"the {name} corpus", "Run: citectx fetch coresc-corpora.")
    paths = sorted(listing(folder, pattern), key=natural)
    return CoreSCCorpus(name, tuple(map(read_paper, paths)))


def read_paper(path: Path) -> LabelledPaper:
    """Read one file of ART or CRA."""
    walk = _Walk()
    walk.element(ElementTree.fromstring(path.read_bytes()))
    name = path.stem.removesuffix("_annotated").removesuffix("_mode2")
    paper = Paper(name, tuple(walk.sentences))
    labels = tuple(classes[0] for classes in walk.classes)
    others = tuple(classes[1:] for classes in walk.classes)
    return LabelledPaper(paper, labels, others, path.parent.name)


_HEADINGS = ("HEADER", "title", "TITLE", "h3", "h4", "h5")
_SECTIONS = ("DIV", "SEC", "sec")
_ZONES = {
    "TITLE": "title",
    "article-title": "title",
    "ABSTRACT": "abstract",
    "abstract": "abstract",
}


class _Walk:
    """Collects the sentences of a paper of either corpus, and the classes of each."""

    def __init__(self) -> None:
        self.sentences: list[Sentence] = []
        self.classes: list[tuple[str, ...]] = []
        self.zone, self.heading = "body", ""
        self.section = self.paragraph = 0
        self.passed: list[str] = []  # headings since the last sentence

    def element(self, element: Element) -> None:
        """Take an element with all that it holds."""
        tag = _name(element)
        if tag == "s":
            self._sentence(element)
        elif tag in _HEADINGS and element.find(".//{*}s") is None:
            self.heading = squeeze("".join(element.itertext()))
            self.passed.append(self.heading)
            self.section += 1
        else:
            self._part(element, tag)

    def _part(self, element: Element, tag: str) -> None:
        zone, heading = self.zone, self.heading
        self.zone = _ZONES.get(tag, zone)
        self.paragraph += tag in ("P", "p")
        for child in element:
            self.element(child)
        if tag in _ZONES:
            self.zone, self.heading = zone, heading
            self.paragraph += 1
        elif tag in _SECTIONS:
            self.heading = heading
            self.section += 1

    def _sentence(self, element: Element) -> None:
        # Annotations stand in the order CoreSc1, CoreSc2, CoreSc3.
        marks = [e for e in element.iter() if e.tag.startswith(("annotationART", "CoreSc"))]
        if not marks:
            return
        text = squeeze("".join(_text(element)))
        text = squeeze(_GROUP.sub(f" {MARK} ", text))
        place = self.zone, self.heading, self.section, self.paragraph
        above = tuple(self.passed[:-1])
        self.sentences.append(Sentence(text, *place, above))
        self.classes.append(tuple(mark.attrib["type"] for mark in marks))
        self.passed = []


def _name(element: Element) -> str:
    return element.tag.rpartition("}")[2]  # without the namespace


def _text(element: Element) -> Iterator[str]:
    """Yield an element's text, with `MARK` for each citation."""
    bibliographic = element.get("ref-type") == "bibr" or element.get("class") == "xref-bibr"
    if _name(element) == "REF" or (_name(element) == "xref" and bibliographic):
        yield f" {MARK} "
        return
    yield element.text or ""
    for child in element:
        yield from _text(child)
        yield child.tail or ""


def read_teaching(path: Path = TEACHING, topics: Iterable[Topic] | None = None) -> CoreSCCorpus:
    """Read the classes of sentences of the teaching corpus: ``topic,start,end,class``.

    Offsets count characters of the topic's reference article. There are few sentences, enough to
    train and test on in a lesson.

    Parameters
    ----------
    path : Path
    topics : iterable of Topic, optional
        By default those of ``data/teaching``.
    """
    topics = tac.read(DATA / "teaching", name="teaching") if topics is None else topics
    articles = {topic.topic_id: topic.reference for topic in topics}
    marked: dict[str, dict[Span, str]] = {}
    for row in csv_rows(path, ["topic", "start", "end", "class"]):
        span = Span(int(row["start"]), int(row["end"]))
        marked.setdefault(row["topic"], {})[span] = row["class"]
    papers = (_labelled(articles[topic], labels) for topic, labels in marked.items())
    return CoreSCCorpus("teaching", tuple(papers))


def _labelled(article: Document, labels: dict[Span, str]) -> LabelledPaper:
    document = replace(article, sentences=tuple(labels))  # which checks their order
    blocks = [_block(document, span) for span in labels]
    paper = Paper.of(document, labels, blocks)
    return LabelledPaper(paper, tuple(labels.values()), ((),) * len(labels))


def _block(document: Document, span: Span) -> Block:
    """Return the last block that begins no later than a span."""
    return [block for block in document.blocks if block.start <= span.start][-1]
