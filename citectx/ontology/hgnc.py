"""Read HGNC's gene names: the custom download and the complete set, both TSV.

The approved name is the preferred one; the approved symbol, alias and previous symbols and names are its
synonyms. A withdrawn symbol that points to an approved one ("symbol withdrawn, see UBA1") is a previous
symbol of that gene. Columns are found by their heading, and those that hold no name are not read.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from citectx.corpora.files import Release, Reporter, shown
from citectx.errors import DataError
from citectx.ontology.concepts import Concept, Vocabulary

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "id": ("hgnc id", "hgnc_id"),
    "symbol": ("approved symbol", "symbol"),
    "name": ("approved name", "name"),
    "status": ("status",),
    "synonyms": (
        *("synonyms", "alias symbols", "alias_symbol", "name synonyms", "alias names", "alias_name"),
        *("previous symbols", "prev_symbol", "previous names", "previous name", "prev_name"),
    ),
}
"""What each column is called, in the order of preference; of synonyms all that are there are read."""

_WITHDRAWN = re.compile(r"symbol withdrawn, see (\S+)", re.IGNORECASE)
_ITEM = re.compile(r'"([^"]*)"|((?:[^|",]|,(?! ))+)')


def read(path: Path) -> Vocabulary:
    """Read approved genes with all their names.

    Parameters
    ----------
    path : Path

    Returns
    -------
    Vocabulary
        Short rows, genes without a symbol and withdrawn symbols that lead nowhere or to several genes are
        left out, and reported.

    Raises
    ------
    DataError
        If the header lacks a column for id, symbol or name, or no gene is approved.
    MissingDataError
        If the file is not there.
    """
    path = Path(path)
    release = Release("hgnc", path.parent)
    report = release(path)
    rows = _rows(release.text(path, "iso-8859-1"), report)
    approved: dict[str, dict[str, str]] = {}
    for row in rows:
        status = row["status"].lower()
        if status in ("approved", "") and approved.setdefault(row["symbol"], row) is not row:
            report("skipped", f"{shown(row['symbol'])} occurs twice; the first one counts")
        elif status not in ("approved", "", "symbol withdrawn", "entry withdrawn"):
            report("skipped", f"{shown(row['symbol'])} has the unknown status {shown(row['status'])}")
    if not approved:
        raise DataError("holds no approved gene", file=path)
    previous = _previous([r for r in rows if r["status"].lower() == "symbol withdrawn"], approved, report)
    concepts = []
    for symbol, row in approved.items():
        names = [symbol, *items(row["synonyms"]), *previous.get(symbol, ())]
        concepts.append(Concept.of(row["id"], row["name"] or symbol, names, "hgnc"))
    return Vocabulary("hgnc", tuple(concepts), release.findings())


def items(field: str) -> list[str]:
    """Take a list apart, as HGNC prints it: separated by commas or bars, names that hold commas in quotes.

    >>> items('TAF172, TAF(II)170'), items('"kinase 1, beta", "kinase 2"'), items('"p53|LFS1"')
    (['TAF172', 'TAF(II)170'], ['kinase 1, beta', 'kinase 2'], ['p53', 'LFS1'])
    """
    found = (item for quoted, plain in _ITEM.findall(field) for item in (quoted or plain).split("|"))
    return [item.strip(" ,") for item in found if item.strip(" ,")]


def _rows(text: str, report: Reporter) -> list[dict[str, str]]:
    lines = text.splitlines() or [""]
    header = [cell.partition("(")[0].strip().lower() for cell in lines[0].split("\t")]
    places = {key: [header.index(c) for c in names if c in header] for key, names in COLUMNS.items()}
    for key in ("id", "symbol", "name"):
        if not places[key]:
            expected = " or ".join(COLUMNS[key])
            raise report.at(1).error(f"no column for the {key}; expected one named {expected}")
    rows = []
    for number, line in enumerate(lines[1:], 2):
        cells = line.split("\t")
        if len(cells) != len(header):
            report.at(number)("skipped", f"expected {len(header)} fields, found {len(cells)}")
            continue
        row = {key: "|".join(cells[i] for i in at) for key, at in places.items()}
        if not row["id"] or not row["symbol"]:
            report.at(number)("skipped", "a gene without an id or a symbol")
            continue
        rows.append(row)
    return rows


def _previous(
    withdrawn: list[dict[str, str]], approved: Mapping[str, object], report: Reporter
) -> dict[str, list[str]]:
    previous: dict[str, list[str]] = {}
    for row in withdrawn:
        target = _WITHDRAWN.fullmatch(row["name"])
        if target and target[1] in approved:
            previous.setdefault(target[1], []).append(row["symbol"].removesuffix("~withdrawn"))
    used = sum(map(len, previous.values()))
    if withdrawn:
        report("noted", f"{used:,} of {len(withdrawn):,} withdrawn symbols lead to an approved gene")
    return previous
