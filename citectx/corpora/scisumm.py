"""Read CL-SciSumm 2018: training topics, blind test topics, and the gold annotations of these.

Evidence is given by ids (``sid``) of the sentences in the reference article's file.

What we saw in the data: 40 training topics with 753 citances, one annotator each; 20 test topics
with 339 citances. Their gold annotations have 357, of which 354 have evidence; three people
annotated a topic, in two topics four. Three citing articles of test topics are missing; 14 more are
Word documents, which are left out. 63 articles and two summaries are in Windows-1252, all other
files in UTF-8. Sentence ids are quoted in several ways; two offsets of the gold annotations are
"NA". The first fourteen citances of N09-1025 all have number 1.
"""

import html
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from citectx.corpora.annotation_lines import KEYS as TAC_KEYS
from citectx.corpora.annotation_lines import annotation_row
from citectx.corpora.layout import TITLE
from citectx.corpora.model import Annotation, Citance, Corpus, Document, Topic
from citectx.corpora.scisumm_articles import ENCODING, SOURCE, read_article
from citectx.corpora.text_files import (
    Row,
    bare,
    csv_rows,
    listing,
    natural,
    need_part,
    numbered_lines,
    read_text,
    squeeze,
)
from citectx.types import Span

TRAINING = Path("data", "Training-Set-2018")
TEST = Path("data", "Test-Set-2018")
GOLD = Path("data", "Test-Set-2018-Gold")
"""Where the parts are in the upstream repository."""

KEYS = TAC_KEYS[1:]
"""Fields of an annotation: those of TAC 2014 without Topic ID."""

QUOTED = re.compile(r'\bsid\s*=\s*"(\d+)"')
_CITING = {
    "PS15684-W09": "PS15684_w09",
    "Pproc_D10": "Pproc_d10",
    "Q13-1024": "Q13-1024-parscit130908",
    "w11-1604": "W11-1604",
}
"""Citing articles whose names in the annotations are not those of their files."""

_SUMMARIES = {
    "human": "human",
    "abstract": "abstract",
    "community": "community",
    "summary": "community",  # N01-1011.summary.xml
}
"""Summaries by the second part of their files' names.

Left out are ``combined``, which is the other three in one, and ``C04-1089_abstract.txt`` and
``C00-2123_abstract.txt``, which are copies. Some first parts are misspelt (``W95-010``).
"""


def read_training(folder: Path) -> Corpus:
    """Read the 40 training topics, one annotator each, from the unpacked upstream repository.

    A topic has its citing articles and up to three summaries: ``human``, ``community`` (the
    sentences marked as cited) and ``abstract``. An annotator is called by the first name.

    Ambiguity: in 13 of 753 rows Reference Offset and the ids inside Reference Text differ, and the
    release does not say which one holds. The offset does here; each case is a finding.
    Ambiguity: one row says "Citation Number" for "Citance Number". It can be read, so it is, as a
    753rd citance.
    """
    part = need_part(folder, TRAINING, SOURCE)
    return _read("scisumm-train", part, _training_rows, _training_summaries)


def read_test(folder: Path) -> Corpus:
    """Read the 20 test topics, whose citances have no annotations.

    One file calls the facets, of which it has none, Reference Citation.
    """
    part = need_part(folder, TEST, SOURCE)
    return _read("scisumm-test", part, _test_rows, lambda _: {})


def read_gold(folder: Path) -> Corpus:
    """Read the 20 test topics as three or four annotators each marked them.

    Annotators number the citances each in their own way, so citances are aligned on citing article
    and text. Summaries are named by kind and annotator, as in ``human-sweta``.
    """
    need_part(folder, GOLD, SOURCE)
    part = need_part(folder, TEST, SOURCE)
    return _read("scisumm-gold", part, _gold_rows, _gold_summaries, aligned=True)


def _read(
    name: str,
    part: Path,
    read_rows: Callable[[Path], list[Row]],
    read_summaries: Callable[[Path], dict[str, str]],
    aligned: bool = False,
) -> Corpus:
    """Read the topics of a part; findings say where an offset and its text name other sentences."""
    topics = []
    findings: list[str] = []
    for path in listing(part):
        rows = read_rows(path)
        reference = read_article(path / "Reference_XML" / f"{path.name}.xml")
        articles = map(read_article, listing(path / "Citance_XML", "*.xml"))
        citing = {article.doc_id: article for article in articles}
        citances = [_citance(row, reference, citing, findings) for row in rows]
        numbered = _number(_align(citances) if aligned else citances)
        topics.append(Topic(path.name, reference, numbered, citing, read_summaries(path)))
    return Corpus(name, tuple(topics), tuple(findings))


def _training_rows(folder: Path) -> list[Row]:
    [path] = (folder / "annotation").glob("*.ann*.txt")
    rows = []
    for number, line in numbered_lines(path):
        annotated = line if "Annotator:" in line else f"{line.rstrip(' |')} | Annotator: unnamed"
        mended = annotated.replace("Citation Number:", "Citance Number:")  # P98-1081, line 34
        row = annotation_row(mended, path, number, KEYS)
        row.fields["Annotator"] = row["Annotator"].lower().partition(" ")[0]
        rows.append(row)
    return rows


def _training_summaries(folder: Path) -> dict[str, str]:
    files = {_SUMMARIES.get(p.name.split(".")[1]): p for p in listing(folder / "summary", "*.*")}
    return {kind: _plain(read_text(path, ENCODING)) for kind, path in files.items() if kind}


def _test_rows(folder: Path) -> list[Row]:
    return [*csv_rows(folder / "annotation" / f"{folder.name}.csv", KEYS[:-2])]


def _gold(topic: Path) -> Path:
    return topic.parents[1] / GOLD.name  # beside the part that holds the topic


def _gold_rows(topic: Path) -> list[Row]:
    paths = listing(_gold(topic) / "Task1", f"{topic.name}_*.csv")
    rows = [row for path in paths for row in csv_rows(path, KEYS[:-1])]
    for row in rows:
        row.fields["Annotator"] = _person(row.path.stem)
    return rows


def _gold_summaries(topic: Path) -> dict[str, str]:
    """Read ``A00-2018.abstract``, ``A00-2018_sweta.community``, ``A00-2018_sweta.human.txt``."""
    summaries = {}
    for path in listing(_gold(topic) / "Task2", f"{topic.name}[_.]*"):
        whose, kind = path.name.split(".")[:2]
        name = f"{kind}-{_person(whose)}" if "_" in whose else kind
        summaries[name] = _plain(read_text(path, ENCODING))
    return summaries


def _person(name: str) -> str:
    """Return the annotator at the end of a name, who spells herself Aakansha elsewhere."""
    return name.partition("_")[2].replace("akanksha", "aakansha")


def _citance(
    row: Row, reference: Document, citing: Mapping[str, Document], findings: list[str]
) -> Citance:
    name = row["Citing Article"].removesuffix(".xml").removesuffix(".txt")
    name = _CITING.get(name, name)
    sids = [sid for sid in sids_of(row["Citation Offset"]) if sid != TITLE]  # 0: unknown
    places = [citing[name].sentence_spans[sid] for sid in sids] if name in citing else []
    text = squeeze(_plain(row.fields.get("Citation Text Clean") or row["Citation Text"]))
    marker = row["Citation Marker"]
    span = Span.around(places) if places else None
    annotations = []
    if "Annotator" in row.fields:  # not in the blind test
        named = sids_of(row["Reference Offset"])
        quoted = QUOTED.findall(row["Reference Text"])
        if named and quoted and set(quoted) != set(named):
            both = f"Reference Offset names {', '.join(named)}, Reference Text {', '.join(quoted)}"
            findings.append(row.finding(f"noted: {both}; the offset holds"))
        evidence = tuple(reference.sentence_spans[sid] for sid in named)
        annotations.append(Annotation(row["Annotator"], evidence))
    return Citance(row["Citance Number"], name, text, marker, span, None, tuple(annotations))


def sids_of(offset: str) -> list[str]:
    """Return sentence ids: ``['1','94']``, ``'1','94'``, ``1'`` or, twice, ``NA``."""
    return list(dict.fromkeys(re.findall(r"\d+", offset)))


def _number(citances: Iterable[Citance]) -> tuple[Citance, ...]:
    """Call citances that share a number 1, 1-2, 1-3."""
    numbered = []
    counts: Counter[str] = Counter()
    for citance in citances:
        number = citance.citance_id
        counts[number] += 1
        name = f"{number}-{counts[number]}" if counts[number] > 1 else number
        numbered.append(replace(citance, citance_id=name))
    return tuple(numbered)


def _align(citances: Iterable[Citance]) -> list[Citance]:
    """Join what the annotators of a topic say of the same text."""
    aligned: dict[tuple[str, str], Citance] = {}
    for citance in citances:
        key = citance.citing_id, bare(citance.text)
        first = aligned.get(key, replace(citance, annotations=()))
        aligned[key] = replace(first, annotations=first.annotations + citance.annotations)
    return sorted(aligned.values(), key=lambda citance: natural(citance.citance_id))


def _plain(marked_up: str) -> str:
    """Take the text out of ``<S>`` elements, a line for each; some tags lack their ``>``."""
    parts = re.split(r"</?(?:S|ABSTRACT|COMMUNITY)\b[^<>]*>?", marked_up)
    return "\n".join(html.unescape(part).strip() for part in parts if part.strip())
