"""Annotation lines: TAC's ``Key: value | Key: value |`` with printed offsets, and BRAT standoff."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from citectx.corpora.files import Reporter, shown
from citectx.types import Span


def listed(value: str) -> tuple[str, ...]:
    """Take a printed list apart, however it is quoted, without empty and repeated items.

    >>> listed("['Method_Citation', 'Aim_Citation']"), listed("Method_Citation"), listed("['1','94', '1']")
    (('Method_Citation', 'Aim_Citation'), ('Method_Citation',), ('1', '94'))
    """
    items = (item.strip() for item in re.split(r"[\[\]'\"‘’;,]", value))
    return tuple(dict.fromkeys(item for item in items if item))


def pipe_fields(line: str, keys: Sequence[str], report: Reporter) -> dict[str, str]:
    """Split an annotation line of TAC's making: ``Key: value | Key: value |``.

    A pipe belongs to a value unless a key follows, and keys come in the order given, so that texts may hold
    pipes. A key written with ``_`` for a space, in another case, or as ``Citation Number`` is read as the one
    meant, and reported.

    Parameters
    ----------
    line : str
    keys : sequence of str
        In the order of the format; those missing from the line are missing from the result.
    report : Reporter
        Of this line.

    Examples
    --------
    >>> pipe_fields("Citance Number: 4 | Citation Text: a | b | Annotator: A |",
    ...             ["Citance Number", "Citation Text", "Annotator"], Reporter([], "x"))
    {'Citance Number': '4', 'Citation Text': 'a | b', 'Annotator': 'A'}
    """
    meant = {key.lower(): key for key in keys} | _ALSO
    spellings = "|".join(re.escape(k).replace(r"\ ", "[ _]+") for k in meant)
    todo, found, again = list(keys), [], list[str]()
    for match in re.finditer(rf"(?:^|\|)\s*({spellings})\s*:", line, re.IGNORECASE):
        key = meant[re.sub("[ _]+", " ", match[1]).lower()]
        if key not in todo:
            again.append(key)  # a text that speaks of keys, or two lines in one
            continue
        del todo[: todo.index(key) + 1]
        found.append((key, match))
        if match[1] != key:
            report("repaired", f"key {match[1]!r} read as {key!r}")
    if again:
        report("noted", f"key {again[0]!r} occurs again, {len(again)} such keys in all, read as text")
    if not found:
        return {}
    ends = [match.start() for _, match in found[1:]] + [len(line.rstrip().removesuffix("|"))]
    return {key: line[match.end() : end].strip() for (key, match), end in zip(found, ends, strict=True)}


_ALSO = {"citation number": "Citance Number"}


def pipe_rows(
    lines: Iterable[tuple[str, Reporter]], keys: Sequence[str], optional: Sequence[str] = ()
) -> Iterator[tuple[dict[str, str], Reporter]]:
    """Iterate over annotation lines of TAC's making; those that lack a key or a number are skipped."""
    for line, report in lines:
        fields = pipe_fields(line, [*keys, *optional], report)
        if missing := [key for key in keys if key not in fields]:
            report("skipped", f"expected the fields {', '.join(keys)}; missing {', '.join(missing)}")
        elif not fields["Citance Number"]:
            report("skipped", "expected a Citance Number, found none")
        else:
            yield fields, report


class Mark(NamedTuple):
    """A labelled stretch of text, which may have gaps, with the text that the annotation quotes."""

    label: str
    spans: tuple[Span, ...]
    quote: str
    report: Reporter

    @property
    def hull(self) -> Span:
        """From the first to the last of its characters."""
        return Span(min(span.start for span in self.spans), max(span.end for span in self.spans))


_MARK = re.compile(r"T\d+\t(\S+) (\d{1,12} \d{1,12}(?:;\d{1,12} \d{1,12})*)\t(.*)")
_NO_MARK = re.compile(r"[AMER#]\d*\t\S+ .*|\*\t.*")


def brat_marks(lines: Iterable[tuple[str, Reporter]]) -> Iterator[Mark]:
    """Read the ``T`` lines of BRAT standoff: an id, a label with pairs of offsets, the text.

    Attributes, notes and relations (``A``, ``#``, ``R`` lines) are not read.
    """
    for line, report in lines:
        if match := _MARK.fullmatch(line):
            pairs = (pair.split() for pair in match[2].split(";"))
            yield Mark(match[1], tuple(Span(int(a), int(b)) for a, b in pairs), match[3], report)
        elif not _NO_MARK.fullmatch(line):
            report("skipped", f"expected 'Tn<tab>LABEL start end[;start end]<tab>text', found {shown(line)}")


def quoted_spans(offsets: str, quote: str, text: str | None, report: Reporter) -> tuple[Span, ...]:
    """Read printed offsets and compare them with the text that is quoted beside them.

    Ambiguity: TAC's release does not say which counts where the two differ. If the quoted text occurs in the
    document exactly once, and neither inside nor around the marked place, we take the quote; else the
    offset, as long as it lies in the text. Each such case is reported.

    Parameters
    ----------
    offsets : str
        As in ``['12-34', '56-78']``.
    quote : str
        The pieces of text, joined by ``...``; white space does not matter.
    text : str or None
        The document; None if it is not at hand, so that offsets cannot be checked.
    report : Reporter
        Of the line that both come from.

    Examples
    --------
    >>> found = []
    >>> quoted_spans("['0-5', '93-97']", "Cells ... rest", "Cells that rest", Reporter(found, "x"))
    (Span(start=0, end=5), Span(start=11, end=15))
    >>> print(*found)
    x: repaired: offset 93-97 does not hold its text, which is at 11-15
    """
    spans = [Span(int(a), int(b)) for a, b in _PAIR.findall(offsets)]
    if re.sub(r"[\[\]'\",;\s]", "", _PAIR.sub("", offsets)):
        report("noted", f"offsets are {shown(offsets)}, expected pairs as in ['12-34', '56-78']")
    if text is None:
        return tuple(span for span in spans if span.start < span.end)
    inside = all(start < end <= len(text) for start, end in spans)
    if inside and _letters(quote) == _letters("".join(text[a:b] for a, b in spans)):
        return tuple(spans)
    pieces = quote.split("...")
    if len(pieces) != len(spans):
        report("noted", f"{len(spans)} offsets, but the text beside them has {len(pieces)} pieces")
        pieces = [""] * len(spans)
    placed = [_place(*pair, text, report) for pair in zip(spans, pieces, strict=True)]
    return tuple(span for span in placed if span)


_PAIR = re.compile(r"(?<!\d)(\d{1,12})\s*-\s*(\d{1,12})(?!\d)")


def _place(span: Span, quote: str, text: str, report: Reporter) -> Span | None:
    """Decide between an offset and its quote."""
    inside = span.start < span.end <= len(text)
    if inside and (not quote or _letters(text[slice(*span)]) == _letters(quote)):
        return span
    pattern = r"\s+".join(map(re.escape, quote.split()))
    found = [Span(*match.span()) for match in re.finditer(pattern, text)] if pattern else []
    offset = f"offset {span.start}-{span.end}"
    if len(found) == 1 and not (inside and _nested(span, found[0])):
        report("repaired", f"{offset} does not hold its text, which is at {found[0].start}-{found[0].end}")
        return found[0]
    if inside:
        report("noted", f"{offset} does not hold its text; the offset counts")
        return span
    report("skipped", f"{offset} leaves the text (0-{len(text)}), which holds its text {len(found)} times")
    return None


def _nested(one: Span, other: Span) -> bool:
    outer = Span(min(one.start, other.start), max(one.end, other.end))
    return outer in (one, other)


def _letters(text: str) -> str:
    """Reduce a text to what survives being copied into a line."""
    return "".join(text.replace("...", "").split())
