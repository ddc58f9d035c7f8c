"""Read Citation-Integrity as it was published in 2024: 100 reference articles, 3,063 citances.

Claims are in SciFact's schema: a line a citance, whose evidence are numbers of sentences in the
numbered paragraphs of the one cited article; a paragraph's id is the number of the article times
1,000 plus its own. ``corpus.jsonl`` holds the paragraphs, a line each, as lists of sentences. So
the article is its paragraphs in order, its sentences are prescribed, and gold is a set of them.
There is one annotation a citance, adjudicated. Articles 1 to 10 are those of
`citectx.corpora.citation_integrity`, in another conversion.

What we saw in the claims: the three files number their citances anew, but an article is in one of
them only. 2,441 of 3,063 citances have evidence, two of them only with the label IRRELEVANT.
Placeholders stand for citation markers: ``<|cit|>`` or ``<|multi_cit|>`` for the article's own, one
in 3,045 citances and none in 18, and ``<|other_cit|>`` for other works. ``corpus.jsonl`` could not
be had when this was written; what is said of it follows from the claims and the schema.

The citing paragraphs, with the sentences marked that belong to a citation's context, are in files
of their own, which do not say what is cited. They come article by article, though, and share their
wording with the claims: where runs of four words are counted, 3,056 of 3,066 paragraphs lie in 100
blocks, one an article, and the other ten alone within such a block. 3,052 paragraphs have one
marker.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from citectx.corpora.citation_integrity import DOUBTFUL, VERDICTS, article_blocks
from citectx.corpora.files import Line, Release, Reporter, need_folder, shown, squeeze
from citectx.corpora.model import Annotation, Citance, Corpus, Document, Finding, Topic
from citectx.errors import DataError
from citectx.storage import parsed
from citectx.types import Span

NAME = "citation-integrity-2024"
FOLDER = Path("Data", "multivers-format")
"""Where claims and articles are in the upstream repository."""

ARTICLES = FOLDER / "corpus.jsonl"
PARTS = ("train", "dev", "test")
"""Of the release; an article is in one of them. We use all."""

LABELS = VERDICTS | {"INDIRECT_NOT_REVIEW", "ETIQUETTE"}
"""Labels of evidence."""

ANNOTATOR = "adjudicated"
MARKER = "*"
"""Stands for the citation markers that the release has replaced."""

_OWN = re.compile(r"<\|(?:multi_)?cit\|>")
_PLACEHOLDER = re.compile(r"<\|\w{1,20}\|>")
_TAGGED = re.compile(r"<CITATION_MARKER>([^<]*+)</CITATION_MARKER>")
_REMEDY = f"Run `citectx fetch {NAME}`, or name the folder that holds Data."
_RUN = 4  # words


def read(folder: Path, articles: Path, *, allow_missing: bool = False) -> Corpus:
    """Read the 100 topics.

    Parameters
    ----------
    folder, articles : Path
        The unpacked upstream repository: the one with the claims, and the one with
        ``corpus.jsonl``, which may be the same.
    allow_missing : bool
        Leave out a topic that cannot be read, with a finding, where an error would be raised.

    Returns
    -------
    Corpus
        Topics are named by the number of their article. Each citance has a citing document of its
        own, which is the citance.

    Raises
    ------
    MissingDataError
        If claims or articles are not there.
    DataError
        If a topic cannot be read, unless `allow_missing` is set.

    Notes
    -----
    Ambiguity: upstream calls nothing a title, heading or abstract. An article's paragraphs are
    taken for lines of plain text, as the full texts of the other release are, and their kinds
    guessed alike. The first is its title if it is short, and is then no candidate, though 346 of
    6,134 groups of evidence sentences name it.

    Ambiguity: as in the other release, sentences labelled ``IRRELEVANT`` are no evidence.
    """
    need_folder(Path(folder) / FOLDER, "the claims", _REMEDY)
    release = Release(NAME, Path(folder))
    texts = Release(NAME, Path(articles), release.found)
    paragraphs = _paragraphs(texts)
    groups: dict[int, list[_Claim]] = defaultdict(list)
    for claim in _claims(release):
        groups[claim.article].append(claim)
    topics = []
    for number in sorted({*groups, *paragraphs}):
        with texts(texts.root / ARTICLES).attempt("lost"):
            topics.append(_topic(number, paragraphs.get(number, {}), groups.get(number, [])))
    if not topics and not release.found:
        raise DataError("holds no citance; fetch it again", file=release.root / FOLDER)
    return release.corpus(topics, allow_missing=allow_missing)


class _Claim(NamedTuple):
    """A citance as it is in the file; evidence by paragraph."""

    name: str
    text: str
    article: int
    paragraphs: list[int]
    evidence: dict[str, list[dict[str, Any]]]
    report: Reporter


def _record(line: Line, kinds: dict[str, Any]) -> dict[str, Any] | None:
    """Return the JSON object of a line, None, with a finding, if it is not what it should be."""
    text, report = line
    try:
        record = parsed(text)
    except (ValueError, RecursionError) as error:
        report("skipped", f"not JSON that can be read: {shown(str(error))}")
        return None
    known = record if isinstance(record, dict) else {}
    wrong = [key for key, kind in kinds.items() if not isinstance(known.get(key), kind)]
    if wrong:
        report("skipped", f"lacks {', '.join(wrong)}, or they are of another type")
        return None
    return known


def _are(kind: type, values: Any) -> bool:
    """Whether this is a list of values of a kind; what is true is no number."""
    return isinstance(values, list) and all(type(value) is kind for value in values)


def _paragraphs(release: Release) -> dict[int, dict[int, list[str]]]:
    """Read the sentences of each paragraph by article and paragraph."""
    found: dict[int, dict[int, list[str]]] = defaultdict(dict)
    for line in release.lines(release.root / ARTICLES):
        record = _record(line, {"doc_id": int, "abstract": list})
        if record is None:
            continue
        article, number = divmod(record["doc_id"], 1000)
        if not _are(str, record["abstract"]):
            line[1]("skipped", "abstract: expected a list of sentences")
        elif number in found[article]:
            line[1]("skipped", f"doc_id {record['doc_id']} occurs twice; the first one is kept")
        else:
            found[article][number] = [squeeze(sentence) for sentence in record["abstract"]]
    return found


_CLAIM = {"id": int, "claim": str, "evidence": dict, "cited_doc_ids": list}


def _claims(release: Release) -> Iterator[_Claim]:
    seen: set[tuple[int, int]] = set()
    for part in PARTS:
        for line in release.lines(release.root / FOLDER / f"claims-{part}.jsonl"):
            record, report = _record(line, _CLAIM), line[1]
            if record is None:
                continue
            ids, text = record["cited_doc_ids"], squeeze(record["claim"])
            cited = {each // 1000 for each in ids} if _are(int, ids) else set()
            if len(cited) != 1 or not text:
                report("skipped", "expected a claim, and cited_doc_ids of one article")
                continue
            (article,) = cited
            if (article, record["id"]) in seen:
                report("skipped", f"claim {record['id']} occurs twice; the first one is kept")
                continue
            seen.add((article, record["id"]))
            yield _Claim(str(record["id"]), text, article, ids, record["evidence"], report)


def _topic(number: int, paragraphs: dict[int, list[str]], claims: Sequence[_Claim]) -> Topic:
    name = f"{number:03}"
    if not claims:
        raise DataError(f"no claim cites article {name}")
    expected = {each % 1000 for claim in claims for each in claim.paragraphs}
    if expected != set(paragraphs):
        differ = sorted(expected ^ set(paragraphs))
        raise DataError(
            f"article {name}: {len(differ)} paragraphs, first {number * 1000 + differ[0]}, are "
            "here or in cited_doc_ids of the claims, but not in both"
        )
    reference, places = _reference(name, paragraphs)
    citances = tuple(_citance(claim, places) for claim in claims)
    return Topic(name, reference, citances, {claim.name: _citing(claim) for claim in claims})


Places = dict[tuple[int, int], Span]
"""Where the sentences of an article are, by paragraph and sentence."""


def _reference(name: str, paragraphs: dict[int, list[str]]) -> tuple[Document, Places]:
    places: Places = {}
    text = ""
    for number in sorted(paragraphs):
        for i, sentence in enumerate(paragraphs[number]):
            if sentence:
                places[number, i] = Span(len(text), len(text) + len(sentence))
                text += f"{sentence} "
        text = f"{text.rstrip()}\n\n" if text.strip() else ""
    text = text.rstrip()
    if not text:
        raise DataError(f"article {name} holds no text")
    ids = tuple(f"{number}:{i}" for number, i in places)
    return Document(name, text, article_blocks(text), tuple(places.values()), ids), places


def _citing(claim: _Claim) -> Document:
    return Document(claim.name, _PLACEHOLDER.sub(MARKER, claim.text))


def _citance(claim: _Claim, places: Places) -> Citance:
    text = _citing(claim).text
    own = _OWN.search(claim.text)
    marker = None
    if own:
        start = len(_PLACEHOLDER.sub(MARKER, claim.text[: own.start()]))
        marker = Span(start, start + len(MARKER))
    spans: set[Span] = set()
    labels: set[str] = set()
    for paragraph, sentence, label in _evidence(claim):
        place = places.get((paragraph, sentence))
        if place is None:
            claim.report("skipped", f"there is no sentence {sentence} in paragraph {paragraph}")
            continue
        labels.add(label)
        if label not in DOUBTFUL:
            spans.add(place)
    annotation = Annotation(ANNOTATOR, tuple(sorted(spans)), tuple(sorted(labels)))
    printed = MARKER if marker else ""
    return Citance(claim.name, claim.name, text, printed, Span(0, len(text)), marker, (annotation,))


def _evidence(claim: _Claim) -> Iterator[tuple[int, int, str]]:
    """Yield paragraph, sentence and label of all evidence of a citance."""
    known = {str(each): each % 1000 for each in claim.paragraphs}
    for paragraph, groups in claim.evidence.items():
        if paragraph not in known or not isinstance(groups, list):
            claim.report("skipped", f"evidence in {shown(paragraph)}, which is no cited paragraph")
            continue
        for group in groups:
            kept = group if isinstance(group, dict) else {}
            label, sentences = kept.get("label"), kept.get("sentences")
            if label not in LABELS | DOUBTFUL or not _are(int, sentences):
                claim.report("skipped", f"evidence {shown(repr(group))} has no known form")
                continue
            for sentence in sentences or ():
                yield known[paragraph], sentence, str(label)


@dataclass(frozen=True)
class CitingParagraph:
    """A paragraph around a citation.

    Parameters
    ----------
    name : str
        Part and number, as ``train:1``.
    article : str
        The reference article that it cites, as topics are named.
    text : str
        The release's sentences, joined by blanks.
    sentences : tuple of Span
    context : tuple of int
        Numbers of those that belong to the citation's context.
    marker : Span
    """

    name: str
    article: str
    text: str
    sentences: tuple[Span, ...]
    context: tuple[int, ...]
    marker: Span


@dataclass(frozen=True)
class CitingParagraphs:
    """What `read_contexts` returns; left out and counted is what lacks one marker or a context."""

    paragraphs: tuple[CitingParagraph, ...]
    skipped: int
    findings: tuple[Finding, ...] = ()


def read_contexts(folder: Path) -> CitingParagraphs:
    """Read the citing paragraphs in which the sentences of a context are marked.

    Parameters
    ----------
    folder : Path
        The unpacked upstream repository.

    Returns
    -------
    CitingParagraphs

    Raises
    ------
    MissingDataError
        If they are not there.

    Notes
    -----
    Ambiguity: the release does not say which article a paragraph cites. It is the one with whose
    claims it shares most runs of four words (one that is shared with several articles counts in
    parts). Where the paragraphs before and after agree on another one, it is theirs; where it
    shares no run with any, that of the paragraph before.
    """
    need_folder(Path(folder) / FOLDER, "the claims", _REMEDY)
    release = Release(NAME, Path(folder))
    words = _words_of_claims(release)
    found: list[CitingParagraph] = []
    skipped = 0
    for part in PARTS:
        records = []
        for number, line in enumerate(release.lines(release.root / "Data" / f"{part}.jsonl"), 1):
            record = _record(line, {"sentences": list, "labels": list})
            if record is not None and _is_whole(record, line[1]):
                records.append((f"{part}:{number}", record["sentences"], record["labels"]))
        articles = _smoothed([_closest(" ".join(sentences), words) for _, sentences, _ in records])
        for (name, sentences, labels), article in zip(records, articles, strict=True):
            paragraph = _paragraph(name, article, sentences, labels)
            found += [paragraph] if paragraph else []
            skipped += paragraph is None
    return CitingParagraphs(tuple(found), skipped, release.findings())


def _is_whole(record: dict[str, Any], report: Reporter) -> bool:
    sentences, labels = record["sentences"], record["labels"]
    if (
        _are(str, sentences)
        and _are(int, labels)
        and len(sentences) == len(labels) > 0
        and set(labels) <= {0, 1}
    ):
        return True
    report("skipped", "expected as many labels, 0 or 1, as sentences")
    return False


def _paragraph(
    name: str, article: str, sentences: Sequence[str], labels: Sequence[int]
) -> CitingParagraph | None:
    """Take the tags out; None unless there is one marker."""
    text, spans = "", list[Span]()
    numbers = []
    for sentence, label in zip(sentences, labels, strict=True):
        squeezed = squeeze(sentence)
        if squeezed:
            numbers += [len(spans)] if label else []
            spans.append(Span(len(text), len(text) + len(squeezed)))
            text += f"{squeezed} "
    markers = list(_TAGGED.finditer(text))
    if len(markers) != 1 or not numbers:
        return None
    (found,) = markers
    marker = Span(found.start(), found.start() + len(found[1]))
    before, after = found.start(1) - found.start(), found.end() - found.end(1)

    def moved(place: int) -> int:
        return place - before * (place > found.start()) - after * (place >= found.end())

    whole = text[: found.start()] + found[1] + text[found.end() :].rstrip()
    places = tuple(Span(moved(start), moved(end)) for start, end in spans)
    return CitingParagraph(name, article, whole, places, tuple(numbers), marker)


def _runs(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"[a-z]+", _TAGGED.sub(" ", _PLACEHOLDER.sub(" ", text)).lower())
    return {tuple(words[i : i + _RUN]) for i in range(len(words) - _RUN + 1)}


def _words_of_claims(release: Release) -> dict[tuple[str, ...], set[str]]:
    """Return the articles in whose claims each run of words occurs."""
    found: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for claim in _claims(release):
        for run in _runs(claim.text):
            found[run].add(f"{claim.article:03}")
    return found


def _closest(text: str, words: dict[tuple[str, ...], set[str]]) -> str:
    """Return the article whose claims share most runs with a text, "" if none does."""
    votes: dict[str, float] = defaultdict(float)
    for run in _runs(text):
        for article in words.get(run, ()):
            votes[article] += 1 / len(words[run])
    return max(sorted(votes), key=votes.__getitem__, default="")


def _smoothed(articles: Sequence[str]) -> list[str]:
    """Give what stands alone within a block of one article to it, and "" to the block before.

    >>> _smoothed(["001", "001", "", "001", "002", "003", "002", "", ""])
    ['001', '001', '001', '001', '002', '002', '002', '002', '002']
    """
    found = list(articles)
    for i in range(1, len(found)):
        after = articles[i + 1] if i + 1 < len(articles) else ""
        if not found[i] or articles[i - 1] == after != "":
            found[i] = found[i - 1]
    return found
