"""The command ``citectx``."""

import argparse
import difflib
import errno
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from citectx import __version__
from citectx.errors import CitectxError, ParameterError
from citectx.paths import make_absolute

Argument = tuple[tuple[str, ...], dict[str, Any]]
"""Names and options of an argument, as argparse takes them."""


def argument(*names: str, **options: Any) -> Argument:
    """Describe an argument as argparse does."""
    return names, options


def several(*names: str, **options: Any) -> Argument:
    """Describe an option that takes one value or more, and may be there again."""
    return argument(*names, nargs="+", action="extend", default=[], **options)


def some_text(text: str) -> str:
    """Refuse an empty text, such as a variable of the shell that is not set."""
    if not text.strip():
        raise argparse.ArgumentTypeError("expected some text; this is empty")
    return text


def path(text: str) -> Path:
    """Read a path; an empty one would be the folder at hand."""
    return Path(some_text(text))


def file(*names: str, **options: Any) -> Argument:
    """Describe the path of a file."""
    return argument(*names, type=path, **{"metavar": "FILE", **options})


def folder(*names: str, **options: Any) -> Argument:
    """Describe the path of a folder."""
    return argument(*names, type=path, metavar="FOLDER", **options)


def flag(*names: str, **options: Any) -> Argument:
    """Describe an option without a value."""
    return argument(*names, action="store_true", **options)


def at_least_one(text: str) -> int:
    """Read a number of things that cannot be none.

    >>> at_least_one("0")
    Traceback (most recent call last):
    argparse.ArgumentTypeError: expected a whole number of at least 1, not '0'
    """
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, not {text!r}")
    return int(text)


PROFILE = argument("--profile", default="open", help="whose results (default: open)")
JOBS = argument("--jobs", type=at_least_one, default=1, metavar="N", help="how many run at a time")
SPANS = argument(
    "-k", type=at_least_one, default=3, metavar="N", help="spans per citance (default: 3)"
)
FORCE = flag("--force", help="replace the file if it is there")

COMMANDS: dict[str, tuple[str, str, list[Argument]]] = {
    "run": (
        "citectx.runs:run",
        "execute notebooks; their tables and figures go to results/PROFILE/NOTEBOOK",
        [
            argument("--profile", default="teaching", help="teaching (default), open, own ..."),
            several("--only", metavar="NN", help="notebooks, by number or name"),
            several("-p", "--param", metavar="NAME=VALUE", help="their parameters"),
            folder("--out", help="write FOLDER/PROFILE/NOTEBOOK instead"),
            JOBS,
        ],
    ),
    "sweep": (
        "citectx.runs:sweep",
        "execute a notebook for each combination of values, and collect its tables",
        [
            argument("notebook", metavar="NOTEBOOK", help="a path, or a number such as 01"),
            several(
                "-p",
                "--param",
                metavar="NAME=VALUE,VALUE",
                help="values to try; a list has brackets: 'methods=[BM25],[BM25,LMD]'",
            ),
            folder("--out", help="default: results/sweeps/NOTEBOOK"),
            JOBS,
        ],
    ),
    "fetch": (
        "citectx.corpora.sources:cmd_fetch",
        "get corpora, each byte checked; without a name, list them",
        [
            argument("names", nargs="*", metavar="NAME"),
            flag("--all", dest="all_", help="every open source"),
            flag("--verify", dest="verified", help="hash every file"),
        ],
    ),
    "train": (
        "citectx.cli:train",
        "train word vectors, which the open profile needs",
        [
            argument(
                "name", metavar="NAME", help="general or biomedical or computational-linguistics"
            ),
            argument("--architecture", default="cbow", help="cbow (default) or skip-gram"),
        ],
    ),
    "claims": (
        "citectx.ledger:cmd_claims",
        "check the claims of the papers against results",
        [
            PROFILE,
            argument("--paper", type=some_text, metavar="NAME", help="every claim of a paper"),
            flag("--readings", help="how many readings bear them out"),
            file(
                "--csv",
                nargs="?",
                const=Path("-"),
                help="the verdicts as a table, to FILE or the output",
            ),
            FORCE,
        ],
    ),
    "explain": (
        "citectx.explain:cmd_explain",
        "tell where a number comes from: the paper's, scores, parameters, code and command",
        [
            argument("table", metavar="TABLE", help="such as sigir2017_table1; or a claim's id"),
            argument("row", nargs="?", metavar="ROW", help="such as BM25"),
            argument("metric", nargs="?", metavar="METRIC", help="such as nDCG"),
            argument("--corpus", metavar="C", help="default: each of them"),
            PROFILE,
            flag("--json", dest="as_json", help="print all that is known, unrounded"),
        ],
    ),
    "compare": (
        "citectx.compare:cmd_compare",
        "list the numbers in which two folders of results differ",
        [
            folder("expected", help="such as results/open"),
            folder("got", help="such as those of your run"),
        ],
    ),
    "evaluate": (
        "citectx.beyond.leaderboard:cmd_evaluate",
        "score all runs of files on a corpus, and test each against the first",
        [
            file(
                "runs",
                nargs="+",
                help="TREC's TOPIC:CITANCE Q0 TOPIC:START-END RANK SCORE TAG; "
                "or a folder of CL-SciSumm's files",
            ),
            argument("--corpus", required=True, metavar="NAME", help="or a folder"),
            argument(
                "--metrics",
                nargs="+",
                metavar="M",
                default=["c-F", "nDCG", "c-P@1"],
                help="also RG-1",
            ),
            SPANS,
        ],
    ),
    "contexts": (
        "citectx.beyond.your_paper:cmd_contexts",
        "find the passages of an article that citing sentences are about",
        [
            file("article", metavar="ARTICLE", help="in JATS or TEI"),
            several("--citing", type=path, metavar="PATH", help="articles, or folders of them"),
            several("--cites", metavar="SENTENCE", help="citing sentences"),
            SPANS,
            flag("--impact", help="summarise what it is cited for"),
            file("--html", help="also write a page"),
            file("--csv", help="also write a table of who cites where"),
            JOBS,
            FORCE,
        ],
    ),
    "citances": (
        "citectx.beyond.citances:cmd_citances",
        "print the sentences of an article that cite each of its references, as CSV",
        [file("article", metavar="ARTICLE", help="in JATS or TEI")],
    ),
    "search": (
        "citectx.beyond.search:cmd_search",
        "rank the articles of a collection for passages that need a citation",
        [
            argument(
                "source",
                type=some_text,
                metavar="SOURCE",
                help="a folder of articles in JATS or TEI",
            ),
            argument(
                "passages",
                type=some_text,
                nargs="+",
                metavar="PASSAGE",
                help="text around the citation",
            ),
            argument("-k", type=at_least_one, default=10, metavar="N", help="articles per passage"),
            several("--weights", metavar="CLASS=WEIGHT", help="of CoreSC classes"),
            flag("--unlabelled", help="search without CoreSC classes"),
            folder("--index", dest="index_", help="keep the index there, and open it next time"),
            folder("--opensearch", help="write files for OpenSearch instead"),
        ],
    ),
    "view": (
        "citectx.show.viewer:cmd_view",
        "show an article with the spans of annotators and methods in the browser",
        [
            argument("topic", metavar="TOPIC", help="such as D9001_TEACH"),
            argument("--profile", default="teaching", help="teaching (default), open or tac2014"),
            argument(
                "--methods",
                nargs="+",
                metavar="M",
                default=["VSM", "BM25", "LMD"],
                help="whose spans",
            ),
        ],
    ),
    "doctor": (
        "citectx.doctor:cmd_doctor",
        "check libraries, folders, data and kernel, and name the next command",
        [],
    ),
    "lessons": (
        "citectx.runs:cmd_lessons",
        "copy the lessons into a folder, to read and change them",
        [folder("folder", help="where they go"), flag("--force", help="replace those there")],
    ),
    "grade": (
        "citectx.show.grading:cmd_grade",
        "run students' notebooks, and write which exercises are right",
        [
            folder("folder", help="with a folder or a notebook for each student"),
            file("--out", help="default: FOLDER/grades.csv"),
            flag("--trust", help="run nothing: take what is saved in the notebooks"),
            JOBS,
            FORCE,
        ],
    ),
}
"""Each command: the function that it calls, what it does, and the function's arguments."""

ORDER = (
    *("run", "claims", "explain", "compare", "contexts", "citances"),
    *("evaluate", "search", "view", "lessons", "grade", "fetch", "train", "sweep", "doctor"),
)
"""The commands in the order of the help: those that a reader wants first."""

EXAMPLES = """examples:
  citectx run --only 05                            execute a lesson on the teaching corpus
  citectx claims --paper naacl2015                 what came of a paper's claims
  citectx explain sigir2017_table1 BM25 nDCG       where a number comes from
  citectx contexts ARTICLE.xml --citing CITING.xml the passages that others cite
  citectx doctor                                   what is missing here, and what to do next
"""


def build_parser() -> argparse.ArgumentParser:
    """Describe the commands to argparse."""
    parser = argparse.ArgumentParser(
        "citectx",
        description="Four papers on citation contexts, reproduced.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"citectx {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name in ORDER:
        target, text, arguments = COMMANDS[name]
        command = commands.add_parser(name, help=text, description=text)
        command.set_defaults(target=target)
        for names, options in arguments:
            command.add_argument(*names, **options)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns 0, or a code after a message.

    The code is 1 after an error, 2 for a command that there is not, and 130 after Ctrl-C.
    """
    open_closed_streams()
    if sys.stdout is None:
        return fail("standard output is closed; send it somewhere, such as > /dev/null")
    words = sys.argv[1:] if argv is None else [*argv]
    try:
        given = read(words)
    except ParameterError as error:
        return fail(str(error), 2)
    if "target" not in given:
        build_parser().print_help()
        return 0
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    findings = logging.getLogger("citectx.findings")
    findings.handlers = [logging.StreamHandler()]
    findings.setLevel(logging.INFO)
    try:
        make_absolute()
        command = resolve_name(given.pop("target"))
        command(**given)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return fail("interrupted; what was finished is kept", 130)
    except BrokenPipeError:  # whoever reads has seen enough
        discard_output()
    except (CitectxError, OSError) as error:
        return fail(explained(error))
    return 0


def read(words: Sequence[str]) -> dict[str, Any]:
    """Read a command with its arguments; a wrong word is refused with what may be meant.

    >>> read(["explane"])
    Traceback (most recent call last):
    citectx.errors.ParameterError: there is no command 'explane'; did you mean explain?
    >>> read(["run", "--onyl", "05"])
    Traceback (most recent call last):
    citectx.errors.ParameterError: run does not take '--onyl', '05'; see: citectx run --help
    """
    if words and not words[0].startswith("-") and words[0] not in COMMANDS:
        similar = difflib.get_close_matches(words[0], COMMANDS, n=1)
        remedy = f"did you mean {similar[0]}?" if similar else "citectx --help lists the commands"
        raise ParameterError(f"there is no command {words[0]!r}; {remedy}")
    given, rest = build_parser().parse_known_args(words)
    if rest:
        remedy = f"see: citectx {words[0]} --help"
        if words[0] == "contexts":
            remedy = "sentences go after --cites, files after --citing"
        raise ParameterError(f"{words[0]} does not take {', '.join(map(repr, rest))}; {remedy}")
    return vars(given)


def open_closed_streams() -> None:
    """Open the null device in place of closed standard streams.

    Else the next file that is opened takes the number of a closed stream, and what programs that
    we start print goes into that file.
    """
    number = os.open(os.devnull, os.O_RDWR)
    while number <= 2:
        os.set_inheritable(number, True)
        number = os.open(os.devnull, os.O_RDWR)
    os.close(number)
    if sys.stderr is None:  # progress and findings go nowhere; errors go to the output
        sys.stderr = os.fdopen(2, "w")


def discard_output() -> None:
    """Let what is still to be printed go nowhere, so that Python does not fail at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def explained(error: Exception) -> str:
    """Return the text of an error, and what to do where the system refuses to write."""
    if isinstance(error, OSError) and error.errno in (errno.EACCES, errno.EROFS, errno.EPERM):
        variables = "CITECTX_RESULTS, CITECTX_DATA or CITECTX_CACHE"
        return f"{error}; name another file, or set {variables} to a folder that you may write"
    if isinstance(error, (FileExistsError, NotADirectoryError)) and error.filename:
        return f"{error.filename} is a file, where a folder is needed; name another"
    return str(error)


def fail(message: str, code: int = 1) -> int:
    """Print an error, to the output if errors cannot be shown; returns the exit code."""
    was_closed = sys.__stderr__ is None
    print(f"citectx: {message}", file=sys.stdout if was_closed else sys.stderr)
    return code


def train(name: str, architecture: str) -> None:
    """Train word vectors."""
    from citectx.embeddings.train import Word2VecSettings
    from citectx.embeddings.train import train as train_vectors

    vectors = train_vectors(name, Word2VecSettings(architecture))  # type: ignore[arg-type]
    print(f"{vectors.name}: {len(vectors):,} words, {vectors.dimensions} dimensions")


if __name__ == "__main__":
    sys.exit(main())
