"""The command ``citectx``."""

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from citectx import __version__
from citectx.errors import CitectxError, ParameterError
from citectx.papers.beyond.command import describe as describe_beyond
from citectx.paths import IN_CHECKOUT, make_absolute
from citectx.recommendation.command import describe as describe_recommend


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code (1 for an error that has a message, 130 for Ctrl-C)."""
    arguments = build_parser().parse_args(argv)
    make_absolute()
    if getattr(arguments, "allow_missing", False):
        os.environ["CITECTX_ALLOW_MISSING"] = "1"  # the kernels inherit it
    listeners = logging.getLogger("citectx.findings")
    listeners.handlers, listeners.propagate = [_Terminal()], False
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
        print(f"citectx: {error.strerror or error}: {error.filename or 'no file named'}", file=sys.stderr)
        return 1


class _Terminal(logging.Handler):
    """Shows on the terminal how much the readers found."""

    def emit(self, record: logging.LogRecord) -> None:
        print(self.format(record), file=sys.stderr)


def place(written: str) -> Path:
    """Read a path; an empty one is a mistake, not the folder one happens to be in."""
    if not written.strip():
        raise argparse.ArgumentTypeError("is empty; name a place (. for this folder)")
    return Path(written)


def build_parser() -> argparse.ArgumentParser:
    """Describe the commands."""
    parser = argparse.ArgumentParser(
        prog="citectx", description="Four papers on citation contexts, reproduced."
    )
    parser.add_argument("--version", action="version", version=f"citectx {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    run = commands.add_parser("run", help="execute the notebooks, write tables and figures to results/")
    run.add_argument("--profile", default="teaching", help="teaching (default), open, tac2014 or own")
    run.add_argument(
        "--only", nargs="+", action="extend", default=[], metavar="NN", help="notebooks by number or name"
    )
    run.add_argument(
        "-p",
        "--param",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME=VALUE",
        help="notebook parameters",
    )
    run.add_argument("--force", action="store_true", help="execute also what is up to date")
    run.add_argument("--jobs", type=int, default=1, help="notebooks that run at a time (default: 1)")
    run.add_argument("--out", type=place, metavar="DIR", help="write DIR/PROFILE (default: results/PROFILE)")
    run.set_defaults(command=_run)

    _add_sweep(commands)

    fetch = commands.add_parser("fetch", help="get open corpora, checked member by member")
    fetch.add_argument("names", nargs="*", metavar="NAME")
    fetch.add_argument("--all", action="store_true", help="every open source")
    fetch.add_argument("--from", dest="from_dir", type=Path, metavar="DIR", help="take NAME.tar.xz from here")
    fetch.add_argument("--verify", action="store_true", help="hash again what is already there")
    fetch.set_defaults(command=_fetch)

    sources = commands.add_parser("sources", help="list corpora: present, missing or damaged")
    sources.add_argument("--verify", action="store_true", help="hash every file")
    sources.add_argument("--findings", metavar="CORPUS", help="what reading a corpus repaired or left out")
    sources.set_defaults(command=_sources)

    embeddings = commands.add_parser("embeddings", help="train word vectors, or list those there are")
    actions = embeddings.add_subparsers(required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="all vectors on this machine")
    listing.set_defaults(command=_embeddings_list)
    train = actions.add_parser("train", help="word2vec on one corpus; an interrupted training is resumed")
    train.add_argument("name", metavar="NAME", help="general, biomedical or computational-linguistics")
    train.add_argument("--architecture", default="skip-gram", help="skip-gram (default) or cbow")
    train.add_argument("--epochs", type=int, default=5, metavar="N")
    train.add_argument("--seed", type=int, default=0, metavar="N")
    train.add_argument("--workers", type=int, default=1, metavar="N", help="more than one: not reproducible")
    train.set_defaults(command=_embeddings_train)

    _add_coresc(commands)

    scisumm = commands.add_parser(
        "scisumm-run", help="write a run for the blind topics of CL-SciSumm, Task 1a"
    )
    scisumm.add_argument("--method", default="LTR", metavar="M", help="default: LTR")
    scisumm.add_argument("--out", type=place, required=True, metavar="DIR")
    scisumm.add_argument("--force", action="store_true", help="replace a run that is there")
    scisumm.set_defaults(command=_scisumm_run)

    _add_claims(commands)
    describe_recommend(commands)

    _describe_view(describe_beyond(commands))

    readme = commands.add_parser("readme", help="write the generated tables of README.md from results/open")
    readme.add_argument("--check", action="store_true", help="only tell whether they are up to date")
    readme.set_defaults(command=_readme)
    for command in (run, sources, commands.choices["view"]):
        command.add_argument(
            "--allow-missing", action="store_true", help="do without topics that are damaged"
        )
    return parser


def _describe_view(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    view = commands.add_parser(
        "view",
        help="one article with the annotators' and the methods' spans, in the browser",
        description="Write one self-contained HTML page and open it. It holds the article's whole text, and "
        "articles of the open corpora are other people's: by default it goes to results/PROFILE/views/, "
        "which git ignores.",
    )
    view.add_argument("topic", metavar="TOPIC", help="such as D9001_TEACH")
    view.add_argument("--profile", default="teaching", help="teaching (default), open or tac2014")
    view.add_argument("--corpus", metavar="C", help="look in this corpus only")
    view.add_argument(
        "--methods",
        nargs="+",
        metavar="M",
        help="cross-validated, however long it takes (default: all that are quick on the corpus)",
    )
    view.add_argument("--citance", metavar="ID", help="begin with this one")
    view.add_argument("--no-tuning", action="store_true", help="first variant of each method, at once")
    view.add_argument("--out", type=place, metavar="FILE", help="write here instead")
    view.add_argument("--no-open", action="store_true", help="only write the page")
    view.set_defaults(command=_view)


def _add_sweep(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    sweep = commands.add_parser("sweep", help="execute a notebook over a grid of parameters")
    sweep.add_argument("notebook", metavar="NOTEBOOK", help="a path, or a number such as 01")
    sweep.add_argument(
        "-p",
        "--param",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME=VALUE,VALUE",
        help="values to try; each may be a YAML list: 'methods=[BM25],[BM25,LMD]'",
    )
    sweep.add_argument("--profile", help="passed to each run (default: the notebook's own)")
    sweep.add_argument("--jobs", type=int, default=1, metavar="N", help="processes on this machine")
    sweep.add_argument("--scheduler", metavar="ADDRESS", help="a Dask scheduler, as in tcp://host:8786")
    sweep.add_argument("--out", type=place, metavar="DIR", help="default: results/sweeps/NOTEBOOK")
    sweep.add_argument("--yes", action="store_true", help="also a grid of more than 1,000 runs")
    sweep.set_defaults(command=_sweep)


def _add_claims(commands: Any) -> None:
    claims = commands.add_parser("claims", help="check every claim of the papers against results/")
    claims.add_argument("--profile", default="open", help="whose results (default: open)")
    for name in ("paper", "corpus", "kind", "verdict"):
        claims.add_argument(f"--{name}", help=f"only this {name}")
    claims.add_argument("--format", choices=("text", "markdown", "csv"), default="text")
    claims.add_argument(
        "--against", type=Path, metavar="DIR", help="show what differs from another folder of results"
    )
    claims.set_defaults(command=_claims)


def _add_coresc(commands: Any) -> None:
    coresc = commands.add_parser("coresc", help="classify sentences by Core Scientific Concepts")
    actions = coresc.add_subparsers(required=True, metavar="ACTION")
    train = actions.add_parser("train", help="train on the ART corpus (CC BY-NC)")
    train.add_argument("--force", action="store_true", help="train anew")
    train.set_defaults(command=_coresc_train)
    label = actions.add_parser("label", help="label a collection; an interrupted run is resumed")
    label.add_argument("name", metavar="NAME", help="references or citing")
    label.add_argument("--jobs", type=int, default=1, metavar="N", help="processes on this machine")
    label.add_argument("--scheduler", metavar="ADDRESS", help="a Dask scheduler, as in tcp://host:8786")
    label.set_defaults(command=_coresc_label)


def _run(arguments: argparse.Namespace) -> int:
    from citectx.batch import runner
    from citectx.batch.parameters import parse
    from citectx.profiles import profile

    chosen = profile(arguments.profile or "teaching")
    given = parse(arguments.param)
    if "profile" in given:
        raise ParameterError("name the profile with --profile, not with --param")
    if not (arguments.out or IN_CHECKOUT or "CITECTX_RESULTS" in os.environ):
        raise ParameterError("citectx is installed without a checkout: say where results go with --out DIR")
    if arguments.out:
        os.environ["CITECTX_RESULTS"] = str(arguments.out.resolve())  # the kernels inherit it
    chosen.load()  # in the kernels nobody would see what was found
    outcomes = runner.run(chosen, arguments.only, given, force=arguments.force, jobs=arguments.jobs)
    for outcome in outcomes:
        done = f"{outcome.seconds:6.1f} s" if outcome.seconds else "up to date"
        print(f"{outcome.name:40} {done}")
    print(f"results are in {chosen.results}")
    return 0


def _sweep(arguments: argparse.Namespace) -> int:
    from citectx.batch.sweep import cmd_sweep

    return cmd_sweep(
        arguments.notebook,
        arguments.param,
        profile=arguments.profile,
        jobs=arguments.jobs,
        scheduler=arguments.scheduler,
        out=arguments.out,
        yes=arguments.yes,
    )


def _fetch(arguments: argparse.Namespace) -> int:
    from citectx.corpora.sources import cmd_fetch

    return cmd_fetch(arguments.names, arguments.all, arguments.from_dir, arguments.verify)


def _sources(arguments: argparse.Namespace) -> int:
    from citectx.corpora.sources import cmd_sources
    from citectx.profiles import load

    if arguments.findings:
        print(*load(arguments.findings).findings, sep="\n")
        return 0
    return cmd_sources(arguments.verify)


def _embeddings_list(_: argparse.Namespace) -> int:
    from citectx.embeddings import stored

    table = stored()
    print(table.to_string(index=False) if len(table) else "none; run: citectx embeddings train NAME")
    return 0


def _embeddings_train(arguments: argparse.Namespace) -> int:
    from citectx.embeddings.train import Settings, train

    chosen = {name: getattr(arguments, name) for name in ("architecture", "epochs", "seed", "workers")}
    vectors = train(arguments.name, Settings(**chosen))
    print(f"{vectors.name}: {len(vectors):,} words, {vectors.dimensions} dimensions")
    return 0


def _coresc_train(arguments: argparse.Namespace) -> int:
    from citectx.recommendation.labelling import cmd_train

    return cmd_train(force=arguments.force)


def _coresc_label(arguments: argparse.Namespace) -> int:
    from citectx.recommendation.labelling import cmd_label

    return cmd_label(arguments.name, arguments.jobs, arguments.scheduler)


def _scisumm_run(arguments: argparse.Namespace) -> int:
    from citectx.papers.scisumm.run import cmd_scisumm_run

    return cmd_scisumm_run(arguments.method, arguments.out, force=arguments.force)


def _claims(arguments: argparse.Namespace) -> int:
    from citectx.claims import cmd_claims
    from citectx.profiles import profile

    return cmd_claims(
        profile(arguments.profile).results,
        paper=arguments.paper,
        corpus=arguments.corpus,
        kind=arguments.kind,
        verdict=arguments.verdict,
        format=arguments.format,
        against=arguments.against,
    )


def _view(arguments: argparse.Namespace) -> int:
    from citectx.viewer import cmd_view

    chosen = {name: getattr(arguments, name) for name in ("profile", "corpus", "methods", "out", "citance")}
    return cmd_view(arguments.topic, **chosen, tuned=not arguments.no_tuning, opened=not arguments.no_open)


def _readme(arguments: argparse.Namespace) -> int:
    from citectx.readme import update

    return update(check=arguments.check)


if __name__ == "__main__":
    sys.exit(main())
