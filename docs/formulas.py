r"""Formulas of docstrings, written as one types them, as LaTeX.

>>> latex("p(q_i|d) = Σ_{w∈V} f_sem(w,d) / (|d| + μ)")
'p(q_{i}|d) = \\sum_{w∈V} f_{\\mathrm{sem}}(w,d) / (|d| + μ)'
"""

import re

LETTERS = re.compile(
    r"\\text\{[^}]*\}|(?P<sum>[Σ∑Π])(?:_(?:\{(?P<over>[^}]*)\}|(?P<index>[\w,]+)))?"
    r"|√\((?P<root>[^()]*)\)|√(?P<under>[\w|]+(?:\([^()]*\))?)"
    r"|(?P<name>[A-Za-zα-ωĀ-ſ]+̂?'?)(?:_(?:\{(?P<braced>[^}]*)\}|(?P<sub>[A-Za-z0-9]+)))?"
)
FORMULA = re.compile(r"^(?:log |ln )?[\w'|̂]+(?:\([^()=]*\))? *(?:=|←|∝) .*[·ΣΠ√/|λ(−∏].*$")
PROSE = re.compile(
    r"(?<![\w(^_{])(?:[a-z]{3,}(?: +[a-z]{1,})+|where|else|with|and|for)"
    r"(?![\w(_·/])(?: [a-z]+ for(?= ))?"
)


def is_formula(paragraph: str) -> bool:
    """Say whether each line of a paragraph is a formula, or goes on with one."""
    lines = [line.strip() for line in paragraph.splitlines()]
    words = len(re.findall(r"(?<![\w(_])[a-z]{3,}(?![\w(])", paragraph))
    if not lines or "``" in paragraph or words > 6 * len(lines):
        return False
    return all(map(FORMULA.match, lines))


def latex(line: str) -> str:
    """Write one line as LaTeX: sums, roots, subscripts, and longer names upright."""
    return LETTERS.sub(_part, PROSE.sub(_text, line.strip().replace("−", "-")))


def _text(match: "re.Match[str]") -> str:
    return rf"\text{{ {match[0]} }}"


def _part(match: "re.Match[str]") -> str:
    if match["sum"]:
        below = match["over"] or match["index"]
        sign = r"\prod" if match["sum"] == "Π" else r"\sum"
        return sign + (f"_{{{below}}}" if below else "")
    if root := match["root"] or match["under"]:
        return rf"\sqrt{{{LETTERS.sub(_part, root)}}}"
    if match["name"] is None:
        return match[0]
    name, sub = match["name"], match["braced"] or match["sub"]
    if name in ("log", "ln", "exp", "max", "min", "cos"):
        name = f"\\{name}"
    elif len(name.rstrip("'̂")) > 1:
        name = rf"\mathrm{{{name}}}"
    if not sub:
        return name
    return name + "_{" + (rf"\mathrm{{{sub}}}" if len(sub) > 1 and sub.isalpha() else sub) + "}"
