"""No regular expression of the package takes more than linear time (`tests.backtracking`)."""

import ast
import importlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

import citectx
from tests.backtracking import complaints

PACKAGE = Path(citectx.__file__).parent
FUNCTIONS = (
    "compile",
    "sub",
    "subn",
    "split",
    "match",
    "search",
    "findall",
    "fullmatch",
    "finditer",
)
ANCHORED = {"match", "fullmatch"}

COMPUTED = {
    "apps.contexts.features: words": "[*SECTIONS.values()]",
    "apps.contexts.features: pattern": "[_ACRONYM, _NUMBER, *CUES.values()]",
    "apps.contexts.sentences: f'[.!?…](?P<closing>": "[]",  # _BEHIND_STOP
    "apps.site.choices: end": "[]",  # of docstrings
    "apps.site.choices: f'\\\\b{paper}\\\\b'": "[r'\\bnaacl2015\\b']",
    "corpora.citation_integrity: f'(?<![\\\\w.]){re.escape(quote)}": "[r'(?<![\\w.])[3](?!\\w)']",
    'corpora.markup: f"""\\\\b{name}': """[r'\\bsid\\s*=\\s*(?:"([^"]*)"|\\'([^\\']*)\\')']""",
    "corpora.references: pattern": (
        "[rf'{_word(\"Doe\")}[^;()\\[\\]]{{0,60}}?[\\s,(\\[]2001[a-z]?\\b']"
    ),
    "corpora.references: _word(": "[_word('Doe')]",
    "corpora.references: whole": "[r'(?:^|[^\\w\\s]\\s*)doe\\s*(?:[^\\w\\s]|$)']",
    "corpora.tac_lines: f'(?:^|": "[r'(?:^|\\|)\\s*(Citance[ _]+Number|Facet)\\s*:']",
    "language.punkt: pattern.pattern": "[]",  # each is an attribute
    "language.text: f'(?<![A-Z": "[r'(?<![A-Z\\d])Doe,\\ 2001(?!\\d)']",
    "recommendation.zones: pattern": "[*_KINDS.values()]",
}
"""Patterns that are made in functions: what stands there, and examples."""

_TAKEN = "what begins no marker is taken whole by its last alternative"
_MATCHED = "NLTK tries it at one place only"

ALLOWED = {
    "apps.contexts.features:(?<![\\w.])": "what is before the last comma is a match",
    "apps.contexts.sentences._BEHIND_STOP": "a number ends where no letter or digit follows",
    "apps.site.build._LINK": "reads this repository's own pages",
    "code._IMPORT": "reads this package's own code",
    "corpora.citation_integrity:x(?:[x ]*x)?": "a single x is a match",
    "corpora.bibliography._QUOTED": "at most 400 characters are read behind each quote",
    "corpora.bibliography:(10": "at most 200 characters are read behind each beginning",
    "corpora.front_matter._STAMP": "a line is cut after 300 characters",
    "corpora.front_matter._OWN_YEAR": "at most 60 characters are read behind each word",
    "corpora.pdf:([^": "only the last characters of a paragraph are read",
    "corpora.structure._LINE": "a single letter is a match",
    r"corpora.structure:\n\s*\n": "white space without a second line end is one line",
    "corpora.structure._NUMBERING": "headings have at most 300 characters",
    "corpora.references:(?<!\\w)Doe": "at most 60 characters are read behind each name",
    "corpora.tac_lines:(?:^|": "begins with the line, or with a pipe",
    "language.punkt._WORDS": "any letter is a match, and a run of signs ends the word before it",
    "language.punkt.Language.re_boundary_realignment": _MATCHED,
    "language.punkt.Token._RE_ELLIPSIS": _MATCHED,
    "language.punkt.Token._RE_ALPHA": _MATCHED,
    "language.text._DATED[0]": _TAKEN,
    "language.text._DATED[1]": "the closing bracket has been seen before all else is looked for",
    "language.text._DATED[3]": _TAKEN,
    "language.text._ATTRIBUTED": _TAKEN,
    "language.text._UNDATED[1]": "begins behind four letters, or behind a letter and a sign",
    "ontology.vocabularies._TRAILER": "a value is one line, whose end is always a match",
    "recommendation.features._TOKEN": "a marker has at most 200 characters on either side",
}
"""Patterns that look slow and are not, each with the reason; `benchmarks.hostile` measures it."""


class Pattern(NamedTuple):
    """A regular expression, its flags, and whether it is only tried at one place."""

    source: str
    flags: int
    anchored: bool


def modules() -> Iterator[ModuleType]:
    """Import all modules of the package."""
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        if parts[-1] != "__main__":
            yield importlib.import_module(".".join(parts).removesuffix(".__init__"))


def attributes(name: str, value: Any, module: str) -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Yield compiled patterns, also those in tuples, mappings and classes."""
    if isinstance(value, re.Pattern):
        yield name, value
    elif isinstance(value, (tuple, list)):
        for i, one in enumerate(value):
            yield from attributes(f"{name}[{i}]", one, module)
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from attributes(f"{name}[{key}]", one, module)
    elif isinstance(value, type) and value.__module__ == module:
        for key, one in vars(value).items():
            yield from attributes(f"{name}.{key}", one, module)


def compiled(module: ModuleType, code: str) -> Iterator[tuple[str, Pattern]]:
    """Yield the compiled patterns of a module, and how it uses them."""
    for attribute, value in vars(module).items():
        for name, pattern in attributes(attribute, value, module.__name__):
            uses = set(re.findall(rf"\b{attribute}\.(\w+)\(", code)) & set(FUNCTIONS)
            anchored = bool(uses) and uses <= ANCHORED
            yield f".{name}", Pattern(text_of(pattern.pattern), pattern.flags, anchored)


def text_of(pattern: str | bytes) -> str:
    return pattern if isinstance(pattern, str) else pattern.decode("latin-1")


def calls(module: ModuleType, code: str) -> Iterator[tuple[str, Pattern]]:
    """Yield the patterns that a module names where it uses them."""
    room = module.__name__.removeprefix("citectx.")
    for node in ast.walk(ast.parse(code)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if ast.unparse(node.func.value) != "re" or node.func.attr not in FUNCTIONS:
            continue
        given = [*node.args[1:], *(keyword.value for keyword in node.keywords)]
        flags = [each for each in map(ast.unparse, given) if re.fullmatch(r"re\.[A-Z]+", each)]
        for source in values(room, node.args[0], vars(module)):
            flag = int(eval(flags[0])) if flags else 0
            yield f":{source}", Pattern(source, flag, node.func.attr in ANCHORED)


def values(room: str, argument: ast.expr, names: dict[str, Any]) -> Iterable[str]:
    """Return what a pattern may be: its value, or the examples of `COMPUTED`."""
    written = f"{room}: {ast.unparse(argument)}"
    for begin, examples in COMPUTED.items():
        if written.startswith(begin):
            return [str(each) for each in eval(examples, names)]
    try:
        return [text_of(eval(ast.unparse(argument), names))]
    except NameError:
        pytest.fail(f"{written}: put examples of this pattern into COMPUTED")


def collected() -> dict[str, Pattern]:
    """Return all patterns of the package by where they are."""
    found: dict[str, Pattern] = {}
    seen: set[str] = set()
    for module in modules():
        code = Path(str(module.__file__)).read_text("utf-8")
        for name, pattern in (*compiled(module, code), *calls(module, code)):
            if pattern.source not in seen:
                seen.add(pattern.source)
                found[module.__name__.removeprefix("citectx.") + name] = pattern
    return found


def allowed(name: str) -> bool:
    return any(name.startswith(begin) for begin in ALLOWED)


def test_no_pattern_takes_more_than_linear_time() -> None:
    patterns = collected()
    assert len(patterns) > 100
    slow = {
        name: complaints(*pattern[:2], anchored=pattern.anchored)
        for name, pattern in patterns.items()
        if not allowed(name)
    }
    assert {name: why for name, why in slow.items() if why} == {}


def test_exceptions_are_still_there() -> None:
    patterns = collected()
    unused = [begin for begin in ALLOWED if not any(name.startswith(begin) for name in patterns)]
    assert unused == []


@pytest.mark.parametrize(
    ("pattern", "anchored", "why"),
    [
        (r"\s+$", False, "begins again inside a loop"),
        (r"\w+@", False, "begins again inside a loop"),
        (r"[A-Z]\w+ x", False, "begins again inside a loop"),
        (r"(?:\s|,)+x", False, "begins again inside a loop"),
        (r"\[\s*(?:[^\]]*,)?x", False, "begins again inside a loop"),
        (r"^\s*x", False, "begins again inside a loop"),
        (r"x\w*a\w*b", True, "one loop behind another"),
        (r"\s*\[?\s*x", True, "one loop behind another"),
        (r"x(?P<a>.*)-(.*)$", True, "one loop behind another"),
        (r"(?:a+)+b", True, "a loop in a loop"),
        (r"(?:\d+\s*)*x", True, "a loop in a loop"),
        (r"(?:a|ab|b)*c", True, "a loop in two ways"),
        (r"(?:\w|\wx)+-", True, "a loop in two ways"),
    ],
)
def test_planted_patterns_are_found(pattern: str, anchored: bool, why: str) -> None:
    assert why in complaints(pattern, re.MULTILINE, anchored=anchored)


@pytest.mark.parametrize(
    "pattern",
    [
        r"\s+",
        r"(?<!\s)\s+$",
        r"\bA\w+b",
        r"<[^<>]*>",
        r"(?<!\w)x(?>\w*)a",
        r"\[\d{1,3}(?:\s*[,;]\s*\d{1,3})*\]",
        r"[^\W_]+(?:-[^\W_]+)*",
        r"^#{1,6} \S",
    ],
)
def test_harmless_patterns_are_not(pattern: str) -> None:
    assert complaints(pattern, re.MULTILINE) == []
