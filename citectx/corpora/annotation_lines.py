"""Lines ``Key: value | Key: value |`` of annotations, as TAC 2014 and CL-SciSumm print them."""

import re
from collections.abc import Sequence
from pathlib import Path

from citectx.corpora.text_files import Row
from citectx.errors import DataError

KEYS = (
    "Topic ID",
    "Citance Number",
    "Reference Article",
    "Citing Article",
    "Citation Marker Offset",
    "Citation Marker",
    "Citation Offset",
    "Citation Text",
    "Reference Offset",
    "Reference Text",
    "Discourse Facet",
    "Annotator",
)
"""Fields of an annotation line, in their order."""


def annotation_row(line: str, path: Path, number: int, keys: Sequence[str]) -> Row:
    """Split a line ``Key: value | Key: value |`` that has these keys in this order.

    A pipe belongs to a value unless the next key follows, so texts may hold pipes. Case does not
    matter in a key, and ``_`` may be written for a space.
    """
    patterns = [rf"{key.replace(' ', '[ _]')}\s*:" for key in keys]
    whole = r"(.*?)\|\s*".join(patterns)
    match = re.fullmatch(rf"\s*{whole}(.*?)\|?\s*", line, re.IGNORECASE)
    # A first key that occurs again is another annotation, whose line end was lost.
    if match is None or len(re.findall(patterns[0], line, re.IGNORECASE)) > 1:
        raise DataError(
            f"expected 'Key: value |' for {', '.join(keys)}, once and in this order",
            file=path,
            line=number,
        )
    values = map(str.strip, match.groups())
    return Row(dict(zip(keys, values, strict=True)), path, number)
