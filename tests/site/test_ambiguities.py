"""Open choices are found in the docstrings, all of them, and belong to the right papers."""

import re

from citectx.paths import PACKAGE
from citectx.site.modules import ambiguities, by_papers, in_source

SOURCE = '''\
"""Rules of naacl2015.

Ambiguity: of the module,
on two lines.
"""
LIMIT = 3
"""Ambiguity: of a constant (acl2008)."""


class Model:
    """A model. Source: sigir2017 Eq. 1. Ambiguity: of a class. Ambiguity: and another one.

    Parameters
    ----------
    k : int
        How many. Ambiguity: of a parameter,
        indented.
    stem : bool
    """

    def _fit(self) -> None:
        """Ambiguity: of a method.

        Not part of it, nor is ``Ambiguity:`` in backticks, nor a doctest:
        >>> print("Ambiguity: no")
        """


def other():
    """Ambiguity: of lrec2016 and sigir2017.
    Source: naacl2015."""
    text = "Ambiguity: no docstring"
'''


def test_where_whose_and_what() -> None:
    found = [(f"{a.module}.{a.name}".rstrip("."), a.papers, a.text) for a in in_source(SOURCE, "m")]
    assert found == [
        ("m", ("naacl2015",), "of the module, on two lines."),
        ("m.LIMIT", ("acl2008",), "of a constant (acl2008)."),
        ("m.Model", ("sigir2017",), "of a class."),
        ("m.Model", ("sigir2017",), "and another one."),
        ("m.Model", ("sigir2017",), "of a parameter, indented."),
        ("m.Model._fit", ("sigir2017",), "of a method."),
        ("m.other", ("lrec2016", "sigir2017"), "of lrec2016 and sigir2017."),
    ]


def test_none_of_the_package_is_lost() -> None:
    """Count the marks in the text of the files, without parsing them."""
    found = ambiguities()
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text("utf-8")
        lines = [line for line in text.splitlines() if not line.lstrip().startswith((">>>", "#", "class "))]
        marks = len(re.findall(r"(?<![`(\"'])\bAmbiguity:\s", "\n".join(lines).replace('"""Ambig', "Ambig")))
        parts = ["citectx", *path.relative_to(PACKAGE).with_suffix("").parts]
        module = ".".join(parts).removesuffix(".__init__")
        assert sum(a.module == module for a in found) == marks, path
    assert len(found) > 80
    assert all(a.text and "Ambiguity:" not in a.text for a in found)


def test_grouped_by_papers_single_ones_first_none_last() -> None:
    groups = by_papers(ambiguities())
    assert list(groups)[-1] == ()
    sizes = [len(papers) for papers in list(groups)[:-1]]
    assert sizes == sorted(sizes)
    assert sum(map(len, groups.values())) == len(ambiguities())
