"""Which part of a paper a sentence is in, by the headings above it."""

import re
from functools import lru_cache

from citectx.corpora.coresc import Paper

_KINDS = {
    "abstract": r"^abstract",
    "introduction": r"introduction|background|\baims?\b|objectives?|purpose|rationale|context",
    "results and discussion": r"^(?>.*?results?\b).*\b(discussion|analysis)",
    "results": r"results?\b|findings",
    "methods": r"experiment|method|material|procedure|(calculat|computation)[^\W_]{0,12} details"
    r"|apparatus|patients|subjects|design|statistic|setting",
    "discussion": r"discussion|interpretation",
    "conclusion": r"conclu|summary|outlook|perspective|remarks|implications|significance",
    "theory": r"theor|model|formulation|simulation",
}
"""Parts of a paper, and what their headings hold; the first that fits counts."""

_OPENS = re.compile(
    r"introduction|background|experiment(s|al)?( section| details| procedures?| part| methods?)?"
    r"|((computational|theoretical|numerical|general|calculation|online) )?"
    r"(methods?|details|methodology)"
    r"|(materials?|patients|subjects|methods|research design) and (methods|materials)"
    r"|((experimental|computational|numerical) )?results?"
    r"( and (discussions?|analysis)| discussion)?"
    r"|discussions?|(summary|conclusions?|discussion)( and \w+)?|concluding remarks"
    r"|theory|theoretical background|model"
)
"""Headings that open a part; others are inside the part that was open before."""


@lru_cache(maxsize=1 << 16)
def kind_of_heading(heading: str) -> tuple[str, bool]:
    """Return which part of a paper a heading is about, and whether it opens that part.

    >>> kind_of_heading("2. Materials & Methods"), kind_of_heading("Statistical analysis")
    (('methods', True), ('methods', False))
    >>> kind_of_heading("Forces at thermal equilibrium")
    ('other', False)
    """
    name = " ".join(re.findall(r"[^\W\d_]+", heading.replace("&", " and ").lower()))
    kind = next((kind for kind, pattern in _KINDS.items() if re.search(pattern, name)), "other")
    return kind, _OPENS.fullmatch(name) is not None


def zones(paper: Paper) -> list[str]:
    """Return the part of the paper that each sentence is in: "title", "methods", "other", ...

    Only some headings open a part, even without a sentence; others head subsections. Text before
    any heading is introduction; after it, without a part, it is "other".
    """
    parts: list[str] = []
    zone, heading = "introduction", ""
    for sentence in paper.sentences:
        if sentence.zone in ("title", "abstract"):
            parts.append(sentence.zone)
            continue
        new = sentence.heading and (sentence.above or sentence.heading != heading)
        for name in (*sentence.above, sentence.heading) if new else sentence.above:
            kind, opens = kind_of_heading(name)
            if opens:
                zone = kind
            elif zone in ("introduction", "other"):
                zone = "other" if kind == "abstract" else kind
        heading = sentence.heading
        parts.append(zone)
    return parts
