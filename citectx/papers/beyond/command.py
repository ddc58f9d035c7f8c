"""The commands ``citectx contexts`` and ``citectx impact``."""

import argparse
import shutil
import sys
import textwrap
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citectx.errors import CitectxWarning, ParameterError

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]
    from citectx.papers.beyond.anybody import Contexts
    from citectx.papers.beyond.impact_of import Impact


def describe(commands: "Commands") -> "Commands":
    """Describe both commands; return what they were added to."""
    texts = {
        "contexts": "find the passages of an article that citing sentences are about",
        "impact": "summarise what an article is cited for, in its own sentences",
    }
    for name, text in texts.items():
        command = commands.add_parser(name, help=text, description=f"{text.capitalize()}.")
        command.add_argument(
            "article", type=Path, metavar="ARTICLE", help="JATS, TEI, text, Markdown or (extra pdf) PDF"
        )
        command.add_argument(
            "--citing", type=Path, nargs="+", default=[], metavar="XML", help="citing articles, JATS or TEI"
        )
        command.add_argument("--cites", nargs="+", default=[], metavar="SENTENCE", help="citing sentences")
        command.add_argument(
            "--citances", type=Path, metavar="CSV", help="citing sentences: a column citance"
        )
        command.add_argument("-k", type=int, default=3, metavar="N", help="passages a sentence (default: 3)")
        if name == "impact":
            command.add_argument(
                "--sentences", type=int, default=5, metavar="N", help="length of the summary (default: 5)"
            )
        command.add_argument("--json", action="store_true", help="print JSON instead of a table")
        command.add_argument(
            "--html", type=Path, metavar="FILE", help="write a page with the whole article, too"
        )
        command.set_defaults(command=run, kind=name)
    return commands


def run(arguments: argparse.Namespace) -> int:
    """Find contexts or the impact, print them, and write the page if one is wanted."""
    load_nltk()
    from citectx.papers.beyond.anybody import citances_file, contexts
    from citectx.papers.beyond.impact_of import impact

    check_out(arguments.html)
    given = [*arguments.cites, *(citances_file(arguments.citances) if arguments.citances else ())]
    if not given and not arguments.citing:
        raise ParameterError('no citing sentence: name some with --cites "…", --citances CSV or --citing XML')
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CitectxWarning)  # it is among the notes, too
        if arguments.kind == "contexts":
            result: Contexts | Impact = contexts(
                arguments.article, given, citing=arguments.citing, k=arguments.k
            )
        else:
            settings = {"sentences": arguments.sentences, "k": arguments.k}
            result = impact(arguments.article, given, citing=arguments.citing, **settings)
    report(result)
    if arguments.html:
        from citectx.storage import write_atomically

        write_atomically(arguments.html, result.to_html().encode())
        print(f"page: {arguments.html}", file=sys.stderr)
    width = max(60, min(shutil.get_terminal_size((100, 24)).columns, 140))
    print(result.to_json() if arguments.json else "\n".join(table(result, width)))
    return 0


def load_nltk() -> None:
    """Import NLTK without what it would load for parts of it that are not used here; a second less.

    Only a command does so, whose process nobody else uses: those parts fail afterwards.
    """
    unused = [name for name in ("sklearn", "scipy.stats", "matplotlib") if name not in sys.modules]
    for name in unused:
        sys.modules[name] = None  # type: ignore[assignment]  # None stops an import
    try:
        import nltk  # noqa: F401
    finally:
        for name in unused:
            del sys.modules[name]


def check_out(path: Path | None) -> None:
    """Refuse a place where no file can be written, before any work is done.

    Raises
    ------
    ParameterError
    """
    if path is not None and (path.is_dir() or not path.parent.is_dir()):
        raise ParameterError(f"{path} cannot be written: expected a file in a folder that is there")


def report(result: "Contexts | Impact") -> None:
    """Say on the standard error how the citing sentences were found, and what to bear in mind."""
    from citectx.papers.beyond.anybody import Contexts
    from citectx.papers.beyond.citing import summary

    found = result if isinstance(result, Contexts) else result.contexts
    lines = [summary(found.cited), *(f"  {one}" for one in found.cited)] if found.cited else []
    lines += [f"note: {note}" for note in found.notes]
    for line in [*lines, ""] if lines else []:
        print(printable(line), file=sys.stderr)


def table(result: "Contexts | Impact", width: int) -> Iterator[str]:
    """Yield the lines of the table: passages under each citing sentence, or the summary's sentences."""
    from citectx.papers.beyond.anybody import Contexts

    if isinstance(result, Contexts):
        found = result.frame().groupby("citance", sort=False)
        for citance in result.topic.citances:
            yield from lines(f"{citance.citance_id}  ", f"“{citance.text}”", width)
            for row in found.get_group(citance.citance_id).to_dict("records"):
                yield from lines(f"   {row['rank']}  {row['score']:7.2f}  ", _passage(row), width)
            yield ""
        return
    for row in result.frame().to_dict("records"):
        yield from lines(f"{row['rank']}  ", _passage(row), width)
        voters = ", ".join(row["chosen_by"]) or "none of the citing sentences"
        yield from lines("   chosen by ", voters, width)
        yield ""


def _passage(row: Mapping[Any, Any]) -> str:
    section = f"[{row['section']}] " if row["section"] else ""
    return section + str(row["text"])


def lines(head: str, text: str, width: int) -> list[str]:
    """Wrap a text behind its head.

    >>> lines("1  ", "Cells rest in the dark.", 16)
    ['1  Cells rest in', '   the dark.']
    """
    return textwrap.wrap(
        printable(text), width, initial_indent=printable(head), subsequent_indent=" " * len(head)
    )


def printable(text: str) -> str:
    r"""Replace what would move a terminal's cursor or change its colours.

    >>> printable("a\x1b[31mb")
    'a [31mb'
    """
    return "".join(c if c.isprintable() else " " for c in text)
