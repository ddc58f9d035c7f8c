"""The command ``citectx``."""

import argparse
import logging
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citectx import __version__
from citectx.errors import CitectxError
from citectx.paths import make_absolute

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

REPLACE = "replace the file if it is there, unless it is an input"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Returns
    -------
    int
        The exit code: 0, 1 after an error with a message, 130 after Ctrl-C.
    """
    if argv is None:  # a process of its own
        os.environ.setdefault("CITECTX_STATIC", "1")
    arguments = build_parser().parse_args(argv)
    make_absolute()
    listeners = logging.getLogger("citectx.findings")
    listeners.handlers, listeners.propagate = [logging.StreamHandler()], False
    listeners.setLevel(logging.INFO)
    try:
        return int(arguments.command(arguments))
    except CitectxError as error:
        print(f"citectx: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("citectx: interrupted; what was finished is kept", file=sys.stderr)
        return 130
    except OSError as error:
        where = error.filename or "no file named"
        print(f"citectx: {error.strerror or error}: {where}", file=sys.stderr)
        return 1


def place(written: str) -> Path:
    """Read the name of a file or folder; an empty one is a mistake, not the current folder."""
    if not written.strip():
        raise argparse.ArgumentTypeError("is empty; name a file or a folder (. for this one)")
    return Path(written)


def word(written: str) -> str:
    """Read any other word; an empty one is a mistake, not its default."""
    if not written.strip():
        raise argparse.ArgumentTypeError("is empty; name something, or leave it out")
    return written


def notebook(written: str) -> str:
    """Read the number or name of a notebook; an empty one is a mistake, not all of them."""
    if not written.strip():
        raise argparse.ArgumentTypeError("is empty; give a notebook's number, such as 01")
    return written


def calls(target: str) -> Callable[[argparse.Namespace], Any]:
    """Return a command that imports ``module:function`` only when it runs."""

    def command(arguments: argparse.Namespace) -> Any:
        module, _, function = target.partition(":")
        named = vars(arguments)
        given = {name: named[name] for name in named if name != "command"}
        return getattr(import_module(module), function)(**given)

    return command


class _Parser(argparse.ArgumentParser):
    """A parser, like those of its commands, that reads each argument without a type as a `word`."""

    def __init__(self, **how: Any) -> None:
        super().__init__(**how)
        self.register("type", None, word)

    def add_subparsers(self, **how: Any) -> Any:
        commands = super().add_subparsers(**how)
        commands.type = str  # it is given all that follows a command, which that reads itself
        return commands


def build_parser() -> argparse.ArgumentParser:
    """Describe the commands; their arguments are named as those of the functions they call."""
    parser = _Parser(prog="citectx", description="Four papers on citation contexts, reproduced.")
    parser.add_argument("--version", action="version", version=f"citectx {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_runs(commands)
    _add_data(commands)
    _add_training(commands)
    _add_results(commands)
    _add_evaluate(commands)
    _add_search(commands)
    _add_own_paper(commands)
    _add_view(commands)
    return parser


def _add(
    commands: "Commands", name: str, target: str, text: str, **about: Any
) -> argparse.ArgumentParser:
    """Add a command that calls ``module:function``."""
    command: argparse.ArgumentParser = commands.add_parser(name, help=text, **about)
    command.set_defaults(command=calls(target))
    return command


def _add_runs(commands: "Commands") -> argparse.ArgumentParser:
    text = "execute the notebooks, write tables and figures to results/"
    run = _add(commands, "run", "citectx.runs.runner:cmd_run", text)
    run.add_argument(
        "--profile", default="teaching", help="teaching (default), open, tac2014 or own"
    )
    several: dict[str, Any] = {"nargs": "+", "action": "extend", "default": []}
    run.add_argument(
        "--only", **several, type=notebook, metavar="NN", help="notebooks by number or name"
    )
    run.add_argument("-p", "--param", **several, metavar="NAME=VALUE", help="notebook parameters")
    run.add_argument("--force", action="store_true", help="also execute what is up to date")
    run.add_argument(
        "--jobs", type=int, default=1, help="notebooks that run at a time (default: 1)"
    )
    run.add_argument(
        "--out", type=place, metavar="DIR", help="write DIR/PROFILE (default: results/PROFILE)"
    )

    text = "execute a notebook over a grid of parameters"
    sweep = _add(commands, "sweep", "citectx.runs.sweep:cmd_sweep", text)
    sweep.add_argument(
        "notebook", type=notebook, metavar="NOTEBOOK", help="a path, or a number such as 01"
    )
    text = "values to try; each may be a YAML list: 'methods=[BM25],[BM25,LMD]'"
    sweep.add_argument(
        "-p", "--param", **several, dest="pairs", metavar="NAME=VALUE,VALUE", help=text
    )
    sweep.add_argument("--profile", help="passed to each run (default: the notebook's own)")
    _add_workers(sweep)
    sweep.add_argument("--out", type=place, metavar="DIR", help="default: results/sweeps/NOTEBOOK")
    sweep.add_argument("--yes", action="store_true", help="allow a grid of more than 1,000 runs")
    return run


def _add_workers(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="processes on this machine"
    )


def _add_data(commands: "Commands") -> None:
    text = "get corpora, each byte checked; without a name, list them"
    fetch = _add(commands, "fetch", "citectx.corpora.sources:cmd_fetch", text)
    fetch.add_argument("names", nargs="*", metavar="NAME")
    fetch.add_argument("--all", dest="all_", action="store_true", help="every open source")
    text = "name files that are missing or changed"
    fetch.add_argument("--verify", dest="verified", action="store_true", help=text)


def _add_training(commands: "Commands") -> None:
    embeddings = commands.add_parser("embeddings", help="train word vectors")
    actions = embeddings.add_subparsers(required=True, metavar="ACTION")
    text = "word2vec on one corpus; an interrupted training is resumed"
    train = _add(actions, "train", "citectx.cli:_embeddings_train", text)
    train.add_argument(
        "name", metavar="NAME", help="general, biomedical or computational-linguistics"
    )
    train.add_argument("--architecture", default="skip-gram", help="skip-gram (default) or cbow")
    train.add_argument("--epochs", type=int, default=5, metavar="N")
    train.add_argument("--seed", type=int, default=0, metavar="N")
    train.add_argument(
        "--workers", type=int, default=1, metavar="N", help="more than one: not reproducible"
    )

    coresc = commands.add_parser("coresc", help="classify sentences by Core Scientific Concepts")
    actions = coresc.add_subparsers(required=True, metavar="ACTION")
    labelling = "citectx.recommendation.labelling"
    train = _add(actions, "train", f"{labelling}:cmd_train", "train on the ART corpus (CC BY-NC)")
    train.add_argument("--force", action="store_true", help="train anew")
    text = "label a collection; an interrupted run is resumed"
    label = _add(actions, "label", f"{labelling}:cmd_label", text)
    label.add_argument("name", metavar="NAME", help="references or citing")
    _add_workers(label)


def _add_results(commands: "Commands") -> None:
    text = "check every claim of the papers against results/"
    claims = _add(commands, "claims", "citectx.ledger:cmd_claims", text)
    claims.add_argument("--profile", default="open", help="whose results (default: open)")
    claims.add_argument("--paper", metavar="NAME", help="every claim of a paper, with reasons")
    claims.add_argument("--all", dest="everything", action="store_true", help="of all papers")
    text = "show what differs from another folder of results"
    claims.add_argument("--against", type=place, metavar="DIR", help=text)
    text = "tell where a number comes from: the paper's, scores, parameters, code and command"
    explain = _add(commands, "explain", "citectx.explain:cmd_explain", text)
    about = "in either case, or as much of it as no other begins with"
    for name, example in (("table", "sigir2017_table1"), ("row", "BM25"), ("metric", "nDCG")):
        explain.add_argument(name, metavar=name.upper(), help=f"such as {example}; {about}")
    explain.add_argument("--corpus", metavar="C", help="default: each of them")
    explain.add_argument("--profile", default="open", help="whose results (default: open)")
    text = "judge the headline claims of papers under every reading of what they leave open"
    readings = _add(commands, "readings", "citectx.papers.curves:cmd_readings", text)
    about = "a paper, or sigir2017-summaries for its Table 4 (default: all)"
    readings.add_argument("curves", nargs="*", metavar="NAME", help=about)
    readings.add_argument("--profile", default="open", help="whose corpora (default: open)")
    about = "combinations drawn (default: as declared); 0 changes one thing at a time"
    readings.add_argument("--drawn", type=int, metavar="N", help=about)
    _add_workers(readings)


def _add_evaluate(commands: "Commands") -> None:
    text = "score anybody's runs on a corpus, and test them against the first"
    evaluate = _add(commands, "evaluate", "citectx.experiments.evaluate:cmd_evaluate", text)
    add = evaluate.add_argument
    about = "TREC's format, or .csv with the columns topic, citance, start, end, best first"
    add("runs", type=place, nargs="+", metavar="RUN", help=about)
    add("--corpus", required=True, metavar="NAME", help="such as teaching, or a folder")
    default = ["c-F", "nDCG", "c-P@1"]
    add("--metrics", nargs="+", default=default, metavar="M", help="such as c-F, nDCG, RG-1")
    add("-k", type=int, default=3, metavar="N", help="spans returned per citance (default: 3)")


def _add_search(commands: "Commands") -> None:
    text = "rank the articles of a collection for passages that look for a citation"
    search = _add(commands, "search", "citectx.search:cmd_search", text)
    add = search.add_argument
    add("source", metavar="SOURCE", help="a folder of articles in JATS or TEI; or: references")
    add("passages", nargs="+", metavar="PASSAGE", help="text around the place that should cite")
    add("-k", type=int, default=10, metavar="N", help="articles per passage (default: 10)")
    about = "how much a CoreSC class counts (default: 1)"
    add("--weights", nargs="+", default=[], metavar="CLASS=WEIGHT", help=about)
    add("--unlabelled", action="store_true", help="one field for all text, without CoreSC")
    about = "do not search, but write files for OpenSearch or Elasticsearch to a new folder"
    add("--opensearch", type=place, metavar="FOLDER", help=about)


def _add_own_paper(commands: "Commands") -> None:
    text = "find the passages of an article that citing sentences are about"
    about = "Of anybody's article in JATS or TEI; docs/your-paper.md says how to get TEI of a PDF."
    target = "citectx.apps.contexts.anybody:cmd_contexts"
    command = _add(commands, "contexts", target, text, description=f"{text.capitalize()}. {about}")
    add = command.add_argument
    add("article", type=place, metavar="ARTICLE", help="JATS or TEI")
    add("--citing", type=place, nargs="+", default=[], metavar="FILE", help="citing articles")
    add("--cites", nargs="+", default=[], metavar="SENTENCE", help="citing sentences")
    add("--citances", type=place, metavar="CSV", help="citing sentences: a column citance")
    about = "by what citing articles know the article, instead of what its file tells"
    known = command.add_argument_group("the article", about)
    for name in ("title", "doi"):
        known.add_argument(f"--{name}", metavar=name.upper())
    add("-k", type=int, default=3, metavar="N", help="passages per sentence (default: 3)")
    text = "instead, summarise what the article is cited for, in its own sentences"
    add("--impact", action="store_true", help=text)
    add("--json", dest="as_json", action="store_true", help="print JSON instead of a table")
    add("--html", type=place, metavar="FILE", help="also write a page with the whole article")
    add("--force", action="store_true", help=REPLACE)


def _add_view(commands: "Commands") -> argparse.ArgumentParser:
    text = "show an article with the annotators' and the methods' spans in the browser"
    about = (
        "Write one self-contained HTML page and open it. It holds the article's whole text, and "
        "articles of the open corpora are other people's: by default it goes to "
        "results/PROFILE/views/, which git ignores."
    )
    view = _add(commands, "view", "citectx.show.viewer:cmd_view", text, description=about)
    add = view.add_argument
    add("topic", metavar="TOPIC", help="such as D9001_TEACH")
    add("--profile", default="teaching", help="teaching (default), open or tac2014")
    add("--corpus", metavar="C", help="look in this corpus only")
    text = "default: VSM, BM25 and LMD"
    add("--methods", nargs="+", default=["VSM", "BM25", "LMD"], metavar="M", help=text)
    add("--out", type=place, metavar="FILE", help="write here instead")
    add("--no-open", dest="opened", action="store_false", help="only write the page")
    return view


def _embeddings_train(*, name: str, **chosen: Any) -> int:
    from citectx.embeddings.train import Word2VecSettings, train

    vectors = train(name, Word2VecSettings(**chosen))
    print(f"{vectors.name}: {len(vectors):,} words, {vectors.dimensions} dimensions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
