"""What follows from CITATION.cff: ``python -m docs.citation`` writes it anew.

The metadata of Zenodo and CodeMeta, and the BibTeX entries of README.
"""

import re
from collections.abc import Mapping
from typing import Any

import yaml

from citectx.paths import ADDRESS, ROOT
from citectx.storage import write_atomically, write_json

README = ROOT / "README.md"
BIBTEX = re.compile(r"(?<=```bibtex\n).*?(?=```)", re.DOTALL)
KEYS = ("sigir2017", "naacl2015", "lrec2016", "acl2008")
"""The papers' keys, in the order of CITATION.cff."""


def citation() -> dict[str, Any]:
    """Read CITATION.cff."""
    return dict(yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8")))


def zenodo(about: Mapping[str, Any]) -> dict[str, Any]:
    """Say what CITATION.cff says in the words of Zenodo."""
    licences = ", ".join(about["license"])
    return {
        "title": about["title"],
        "upload_type": "software",
        "version": about["version"],
        "publication_date": f"{about['date-released']}",
        "keywords": about["keywords"],
        "description": about["abstract"],
        "license": about["license"][0],
        "notes": f"Licences: {licences}; LICENSE says which file has which.",
        "creators": [{"name": author["name"]} for author in about["authors"]],
        "related_identifiers": [
            {"identifier": paper.get("doi") or paper["url"], "relation": "cites"}
            for paper in about["references"]
        ],
    }


def codemeta(about: Mapping[str, Any]) -> dict[str, Any]:
    """Say the same in the words of CodeMeta."""
    address = {"codeRepository": ADDRESS} if ADDRESS else {}
    return {
        "@context": "https://doi.org/10.5063/schema/codemeta-2.0",
        "@type": "SoftwareSourceCode",
        "name": about["title"],
        "version": about["version"],
        "datePublished": f"{about['date-released']}",
        "keywords": about["keywords"],
        "description": about["abstract"],
        "license": [f"https://spdx.org/licenses/{name}" for name in about["license"]],
        "author": [{"@type": "Organization", "name": a["name"]} for a in about["authors"]],
        "programmingLanguage": "Python",
        **address,
    }


def entry(kind: str, key: str, fields: Mapping[str, object]) -> str:
    """Write a BibTeX entry; empty fields are left out.

    >>> print(entry("misc", "a", {"year": 2026, "url": ""}))
    @misc{a,
      year = {2026},
    }
    """
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])


def bibtex(about: Mapping[str, Any]) -> str:
    """Write the entries of this repository and of the four papers."""
    ours = {
        "title": f"{{{about['title']}}}",
        "author": f"{{{about['authors'][0]['name']}}}",
        "year": about["date-released"].year,
        "version": about["version"],
        "url": ADDRESS,
    }
    entries = [entry("software", "citectx", ours)]
    for key, paper in zip(KEYS, about["references"], strict=True):
        names = [f"{a['family-names']}, {a['given-names']}" for a in paper["authors"]]
        pages = f"{paper['start']}--{paper['end']}" if "start" in paper else ""
        fields = {
            "title": f"{{{paper['title']}}}",
            "author": " and ".join(names),
            "booktitle": paper["collection-title"],
            "year": paper["year"],
            "pages": pages,
            "doi": paper.get("doi"),
            "url": paper.get("url"),
        }
        entries.append(entry("inproceedings", key, fields))
    return "\n".join(entries) + "\n"


def main() -> None:
    """Write the three files."""
    about = citation()
    write_json(ROOT / ".zenodo.json", zenodo(about))
    write_json(ROOT / "codemeta.json", codemeta(about))
    text = README.read_text("utf-8")
    write_atomically(README, BIBTEX.sub(lambda _: bibtex(about), text, count=1))


if __name__ == "__main__":
    main()
