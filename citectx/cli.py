"""The command ``citectx``."""

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from functools import partial
from operator import methodcaller
from pathlib import Path
from pkgutil import resolve_name

from citectx import __version__
from citectx.errors import CitectxError
from citectx.paths import make_absolute

argument = partial(methodcaller, "add_argument")
"""Describes an argument as argparse does."""

several = partial(argument, nargs="+", action="extend", default=[])
file = partial(argument, type=Path, metavar="FILE")
folder = partial(argument, type=Path, metavar="FOLDER")
flag = partial(argument, action="store_true")
names = partial(argument, nargs="+", metavar="M")
"""Kinds of arguments."""

PROFILE = argument("--profile", default="open", help="whose results (default: open)")
JOBS = argument("--jobs", type=int, default=1, metavar="N", help="how many run at a time")
SPANS = argument("-k", type=int, default=3, metavar="N", help="spans per citance (default: 3)")
FORCE = flag("--force", help="replace the file if it is there")

COMMANDS: dict[str, tuple[str, str, list[methodcaller]]] = {
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
            argument("--paper", metavar="NAME", help="every claim of a paper"),
            flag("--readings", help="how many readings bear them out"),
        ],
    ),
    "explain": (
        "citectx.explain:cmd_explain",
        "tell where a number comes from: the paper's, scores, parameters, code and command",
        [
            argument("table", metavar="TABLE", help="such as sigir2017_table1"),
            argument("row", metavar="ROW", help="such as BM25"),
            argument("metric", metavar="METRIC", help="such as nDCG"),
            argument("--corpus", metavar="C", help="default: each of them"),
            PROFILE,
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
            names("--metrics", default=["c-F", "nDCG", "c-P@1"], help="also RG-1"),
            SPANS,
        ],
    ),
    "contexts": (
        "citectx.beyond.your_paper:cmd_contexts",
        "find the passages of an article that citing sentences are about",
        [
            file("article", metavar="ARTICLE", help="in JATS or TEI"),
            several("--citing", type=Path, metavar="PATH", help="articles, or folders of them"),
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
        [
            file("article", metavar="ARTICLE", help="in JATS or TEI"),
            file("--out", help="write the table instead"),
            FORCE,
        ],
    ),
    "search": (
        "citectx.beyond.search:cmd_search",
        "rank the articles of a collection for passages that need a citation",
        [
            argument("source", metavar="SOURCE", help="a folder of articles in JATS or TEI"),
            argument("passages", nargs="+", metavar="PASSAGE", help="text around the citation"),
            argument("-k", type=int, default=10, metavar="N", help="articles per passage"),
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
            names("--methods", default=["VSM", "BM25", "LMD"], help="whose spans"),
        ],
    ),
    "grade": (
        "citectx.show.grading:cmd_grade",
        "run students' notebooks, and write which exercises are right",
        [
            folder("folder", help="with a folder or a notebook for each student"),
            file("--out", help="default: FOLDER/grades.csv"),
            FORCE,
        ],
    ),
}
"""Each command: the function that it calls, what it does, and the function's arguments."""


def build_parser() -> argparse.ArgumentParser:
    """Describe the commands to argparse."""
    parser = argparse.ArgumentParser("citectx", description="Four papers on citation contexts.")
    parser.add_argument("--version", action="version", version=f"citectx {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, (target, text, arguments) in COMMANDS.items():
        command = commands.add_parser(name, help=text, description=text)
        command.set_defaults(target=target)
        for add_to in arguments:
            add_to(command)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns 0, 1 after an error with a message, or 130 after Ctrl-C."""
    given = vars(build_parser().parse_args(argv))
    make_absolute()
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    findings = logging.getLogger("citectx.findings")
    findings.handlers = [logging.StreamHandler()]
    findings.setLevel(logging.INFO)
    try:
        command = resolve_name(given.pop("target"))
        command(**given)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return fail("interrupted; what was finished is kept", 130)
    except BrokenPipeError:  # whoever reads has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (CitectxError, OSError) as error:
        return fail(str(error))
    return 0


def fail(message: str, code: int = 1) -> int:
    """Print an error; returns the exit code."""
    print(f"citectx: {message}", file=sys.stderr)
    return code


def train(name: str, architecture: str) -> None:
    """Train word vectors."""
    from citectx.embeddings.train import Word2VecSettings
    from citectx.embeddings.train import train as train_vectors

    vectors = train_vectors(name, Word2VecSettings(architecture))  # type: ignore[arg-type]
    print(f"{vectors.name}: {len(vectors):,} words, {vectors.dimensions} dimensions")


if __name__ == "__main__":
    sys.exit(main())
