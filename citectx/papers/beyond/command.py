"""The commands ``citectx contexts`` and ``citectx impact``."""

import argparse
import shutil
import sys
import textwrap
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citectx.errors import CitectxWarning

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]
    from citectx.papers.beyond.anybody import Contexts, Impact


def describe(commands: "Commands") -> "Commands":
    """Describe both commands; return what they were added to."""
    texts = {
        "contexts": "find the passages of an article that citing sentences are about",
        "impact": "summarise what an article is cited for, in its own sentences",
    }
    for name, text in texts.items():
        command = commands.add_parser(name, help=text, description=f"{text.capitalize()}.")
        number: dict[str, Any] = {"type": int, "metavar": "N"}
        add = command.add_argument
        about = "JATS, TEI, text, Markdown or (extra pdf) PDF"
        add("article", type=Path, metavar="ARTICLE", help=about)
        citing = "citing articles, JATS or TEI"
        add("--citing", type=Path, nargs="+", default=[], metavar="XML", help=citing)
        add("--cites", nargs="+", default=[], metavar="SENTENCE", help="citing sentences")
        add("--citances", type=Path, metavar="CSV", help="citing sentences: a column citance")
        add("-k", default=3, help="passages a sentence (default: 3)", **number)
        if name == "impact":
            add("--sentences", default=5, help="length of the summary (default: 5)", **number)
        add("--json", action="store_true", help="print JSON instead of a table")
        add("--html", type=Path, metavar="FILE", help="write a page with the whole article, too")
        command.set_defaults(command=run, kind=name)
    return commands


def run(arguments: argparse.Namespace) -> int:
    """Find contexts or the impact, print them, and write the page if one is wanted."""
    from citectx.papers.beyond.anybody import citances_file, contexts, impact
    from citectx.papers.beyond.finder import summary
    from citectx.storage import write_atomically

    given = [*arguments.cites, *(citances_file(arguments.citances) if arguments.citances else ())]
    how: dict[str, Any] = {"citing": arguments.citing, "k": arguments.k}
    width = max(60, min(shutil.get_terminal_size((100, 24)).columns, 140))
    result: Contexts | Impact
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CitectxWarning)  # it is among the notes, too
        if arguments.kind == "contexts":
            result = found = contexts(arguments.article, given, **how)
            table = passages(result, width)
        else:
            result = impact(arguments.article, given, sentences=arguments.sentences, **how)
            found, table = result.contexts, sentences(result, width)
    said = [summary(found.cited), *(f"  {one}" for one in found.cited)] if found.cited else []
    said += [f"note: {note}" for note in found.notes]
    for line in [*said, ""] if said else []:
        print(printable(line), file=sys.stderr)
    if arguments.html:
        write_atomically(arguments.html, result.to_html())
        print(f"page: {arguments.html}", file=sys.stderr)
    print(result.to_json() if arguments.json else "\n".join(table))
    return 0


def passages(found: "Contexts", width: int) -> Iterator[str]:
    """Yield the lines of a table: the passages under each citing sentence."""
    frame = found.frame().groupby("citance", sort=False)
    for citance in found.topic.citances:
        yield from lines(f"{citance.citance_id}  ", f"“{citance.text}”", width)
        for row in frame.get_group(citance.citance_id).itertuples():
            yield from lines(f"   {row.rank}  {row.score:7.2f}  ", _passage(row), width)
        yield ""


def sentences(summary: "Impact", width: int) -> Iterator[str]:
    """Yield the lines of a table: the sentences of the summary, with those that chose each."""
    row: Any
    for row in summary.frame().itertuples():
        yield from lines(f"{row.rank}  ", _passage(row), width)
        yield from lines("   chosen by ", ", ".join(row.chosen_by) or "none of the citing sentences", width)
        yield ""


def _passage(row: Any) -> str:
    return f"[{row.section}] {row.text}" if row.section else str(row.text)


def lines(head: str, text: str, width: int) -> list[str]:
    """Wrap a text behind its head.

    >>> lines("1  ", "Cells rest in the dark.", 16)
    ['1  Cells rest in', '   the dark.']
    """
    head = printable(head)
    return textwrap.wrap(printable(text), width, initial_indent=head, subsequent_indent=" " * len(head))


def printable(text: str) -> str:
    r"""Replace what would move a terminal's cursor or change its colours.

    >>> printable("a\x1b[31mb")
    'a [31mb'
    """
    return "".join(c if c.isprintable() else " " for c in text)
