"""Open choices are found in the docstrings, all of them, and belong to the right papers."""

import re
from pathlib import Path

from citectx.apps.site.choices import ambiguities, by_papers, in_source
from citectx.paths import PACKAGE


def test_where_whose_and_what() -> None:
    source = Path(__file__).with_name("ambiguities.txt").read_text("utf-8")
    found = [(f"{a.module}.{a.name}".rstrip("."), a.papers, a.text) for a in in_source(source, "m")]
    assert found == [
        ("m", ("naacl2015",), "of the module, on two lines."),
        ("m.LIMIT", ("acl2008",), "of a constant (acl2008)."),
        ("m.Model", ("sigir2017",), "of a class."),
        ("m.Model", ("sigir2017",), "and another one."),
        ("m.Model", ("sigir2017",), "of a parameter, indented."),
        ("m.Model._fit", ("sigir2017",), "of a method."),
        ("m.other", ("lrec2016", "sigir2017"), "of lrec2016 and sigir2017."),
    ]


def test_none_of_the_package_is_lost_and_each_is_in_the_group_of_its_papers() -> None:
    """Count the marks in the text of the files, without parsing them."""
    found = ambiguities()
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text("utf-8")
        lines = [
            line
            for line in text.splitlines()
            if not line.lstrip().startswith((">>>", "#", "class "))
        ]
        marks = len(
            re.findall(r"(?<![`(\"'])\bAmbiguity:\s", "\n".join(lines).replace('"""Ambig', "Ambig"))
        )
        parts = ["citectx", *path.relative_to(PACKAGE).with_suffix("").parts]
        module = ".".join(parts).removesuffix(".__init__")
        assert sum(a.module == module for a in found) == marks, path
    assert len(found) > 80
    assert all(a.text and "Ambiguity:" not in a.text for a in found)
    groups = by_papers(found)  # single papers first, none last
    assert list(groups)[-1] == ()
    sizes = [len(papers) for papers in list(groups)[:-1]]
    assert sizes == sorted(sizes)
    assert sum(map(len, groups.values())) == len(found)
