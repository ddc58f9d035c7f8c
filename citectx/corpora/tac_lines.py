"""Annotation lines of TAC 2014 and CL-SciSumm: ``Key: value | Key: value |``, with offsets."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from citectx.corpora.files import Line, Reporter, Row, shown
from citectx.types import Span

_ALSO = {"citation number": "Citance Number"}


def pipe_fields(line: str, keys: Sequence[str], report: Reporter) -> dict[str, str]:
    """Split an annotation line.

    A pipe belongs to a value unless a key follows, and keys come in the order given, so that texts
    may hold pipes. A key written with ``_`` for a space, in another case, or as ``Citation Number``
    is read as the one meant, and reported.

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
    spellings = "|".join(re.escape(key).replace(r"\ ", "[ _]+") for key in meant)
    todo, again = list(keys), []
    found: dict[str, re.Match[str]] = {}
    for match in re.finditer(rf"(?:^|\|)\s*({spellings})\s*:", line, re.IGNORECASE):
        key = meant[re.sub("[ _]+", " ", match[1]).lower()]
        if key not in todo:
            again.append(key)  # a text that speaks of keys, or two lines in one
            continue
        del todo[: todo.index(key) + 1]
        found[key] = match
        if match[1] != key:
            report("repaired", f"key {match[1]!r} read as {key!r}")
    if again:
        count = f"{len(again)} such keys in all, read as text"
        report("noted", f"key {again[0]!r} occurs again, {count}")
    ends = [match.start() for match in found.values()]
    ends.append(len(line.rstrip().removesuffix("|")))
    values = {}
    for (key, match), end in zip(found.items(), ends[1:], strict=True):
        values[key] = line[match.end() : end].strip()
    return values


def pipe_rows(
    lines: Iterable[Line], keys: Sequence[str], optional: Sequence[str] = ()
) -> Iterator[Row]:
    """Iterate over annotation lines; skip those that lack a key or a number."""
    for line, report in lines:
        fields = pipe_fields(line, [*keys, *optional], report)
        missing = [key for key in keys if key not in fields]
        if missing:
            expected = f"expected the fields {', '.join(keys)}"
            report("skipped", f"{expected}; missing {', '.join(missing)}")
        elif not fields["Citance Number"]:
            report("skipped", "expected a Citance Number, found none")
        else:
            yield fields, report


def quoted_spans(offsets: str, quote: str, text: str | None, report: Reporter) -> tuple[Span, ...]:
    """Read printed offsets and compare them with the text that is quoted beside them.

    Ambiguity: TAC's release does not say which counts where the two differ. If the quoted text
    occurs in the document exactly once, and neither inside nor around the marked place, we take the
    quote; else the offset, as long as it lies in the text. Each such case is reported.

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
    spans = [Span(int(start), int(end)) for start, end in _PAIR.findall(offsets)]
    if re.sub(r"[\[\]'\",;\s]", "", _PAIR.sub("", offsets)):
        report("noted", f"offsets are {shown(offsets)}, expected pairs as in ['12-34', '56-78']")
    if text is None:
        return tuple(span for span in spans if span.start < span.end)
    marked = "".join(span.of(text) for span in spans)
    inside = all(_lies_in(span, text) for span in spans)
    if inside and _copied(quote) == _copied(marked):
        return tuple(spans)
    pieces = quote.split("...")
    if len(pieces) != len(spans):
        report("noted", f"{len(spans)} offsets, but the text beside them has {len(pieces)} pieces")
        pieces = [""] * len(spans)
    placed = [_place(*pair, text, report) for pair in zip(spans, pieces, strict=True)]
    return tuple(filter(None, placed))


_PAIR = re.compile(r"(?<!\d)(\d{1,12})\s*-\s*(\d{1,12})(?!\d)")


def _place(span: Span, quote: str, text: str, report: Reporter) -> Span | None:
    """Decide between an offset and its quote."""
    inside = _lies_in(span, text)
    if inside and (not quote or _copied(quote) == _copied(span.of(text))):
        return span
    found = occurrences(quote, text)
    offset = f"offset {span.start}-{span.end}"
    if len(found) == 1 and not (inside and _nested(span, found[0])):
        there = f"{found[0].start}-{found[0].end}"
        report("repaired", f"{offset} does not hold its text, which is at {there}")
        return found[0]
    if inside:
        report("noted", f"{offset} does not hold its text; the offset counts")
        return span
    times = f"which holds its text {len(found)} times"
    report("skipped", f"{offset} leaves the text (0-{len(text)}), {times}")
    return None


def occurrences(quote: str, text: str) -> list[Span]:
    r"""Find a quote in a text, whatever white space is between its words.

    >>> occurrences("cells  rest", "If cells\nrest, cells rest.")
    [Span(start=3, end=13), Span(start=15, end=25)]
    >>> occurrences("", "Cells rest.")
    []
    """
    wanted, words = " ".join(quote.split()), list(re.finditer(r"\S+", text))
    plain = " ".join(word.group() for word in words)
    # Where each word begins in the plain text, and in the text.
    here = list(accumulate((len(word.group()) + 1 for word in words), initial=0))

    def offset(place: int) -> int:
        number = bisect_right(here, place) - 1
        return words[number].start() + place - here[number]

    found: list[Span] = []
    start = plain.find(wanted) if wanted else -1
    while start >= 0:
        end = start + len(wanted)
        found.append(Span(offset(start), offset(end - 1) + 1))
        start = plain.find(wanted, end)
    return found


def _lies_in(span: Span, text: str) -> bool:
    return span.start < span.end <= len(text)


def _nested(one: Span, other: Span) -> bool:
    """Whether one of two spans lies in the other."""
    return Span.around((one, other)) in (one, other)


def _copied(text: str) -> str:
    """Reduce a text to what survives being copied into a line."""
    return "".join(text.replace("...", "").split())
