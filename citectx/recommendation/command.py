"""The commands ``citectx recommend index`` and ``citectx recommend search``."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citectx.errors import DataError, MissingDataError, ParameterError

if TYPE_CHECKING:
    import pandas as pd


def describe(commands: Any) -> None:
    """Describe both commands."""
    recommend = commands.add_parser("recommend", help="search a collection of any size for what to cite")
    actions = recommend.add_subparsers(required=True, metavar="ACTION")
    index = actions.add_parser("index", help="index text files in parts; an interrupted run is resumed")
    index.add_argument("source", metavar="FOLDER", help="of .txt files, one an article; or: references")
    index.add_argument("--out", type=Path, required=True, metavar="INDEX", help="folder for the parts")
    index.add_argument("--parts", type=int, default=1, metavar="N", help="each is held in memory alone")
    index.add_argument("--unlabelled", action="store_true", help="one field for all text, without CoreSC")
    index.set_defaults(command=_index)
    search = actions.add_parser("search", help="rank the articles for citing passages")
    search.add_argument("index", type=Path, metavar="INDEX")
    search.add_argument("queries", type=Path, metavar="CSV", help="columns query, text; and citing, if any")
    search.add_argument("--out", type=Path, required=True, metavar="CSV")
    search.add_argument("-k", type=int, default=200, metavar="N", help="articles a query (default: 200)")
    search.add_argument(
        "--weights", nargs="+", default=[], metavar="CLASS=WEIGHT", help="boosts of the fields (default: 1)"
    )
    search.set_defaults(command=_search)
    for action in (index, search):
        action.add_argument("--jobs", type=int, default=1, metavar="N", help="processes on this machine")
        action.add_argument("--scheduler", metavar="ADDRESS", help="a Dask scheduler, as in tcp://host:8786")


def _index(arguments: argparse.Namespace) -> int:
    from citectx.corpora import fulltext, sources
    from citectx.recommendation import labelling, parts

    folder, classifier = Path(arguments.source), None
    if arguments.source == "references":
        folder = sources.folder(fulltext.NAME) / fulltext.FOLDER / "Reference"
    if not folder.is_dir():
        raise MissingDataError(f"{folder} is no folder; expected one of text files")
    if not arguments.unlabelled:
        labelling.trained()
        classifier = labelling.model_path()
    source = parts.TextFiles.of(folder, classifier)
    where = {"jobs": arguments.jobs, "scheduler": arguments.scheduler, "progress": True}
    parts.index(source, arguments.out, arguments.parts, **where)
    print(f"{len(source):,} articles in {arguments.parts} parts: {arguments.out}")
    return 0


def _search(arguments: argparse.Namespace) -> int:
    from citectx.recommendation.parts import PartedIndex
    from citectx.recommendation.queries import conceal, query_terms
    from citectx.storage import write_atomically

    asked = _queries(arguments.queries)
    hits = PartedIndex.open(arguments.index).search(
        [query_terms(conceal(text, [])) for text in asked["text"]],
        _weights(arguments.weights),
        arguments.k,
        barred=asked["citing"].tolist(),
        jobs=arguments.jobs,
        scheduler=arguments.scheduler,
        progress=True,
    )
    hits["query"] = asked["query"].to_numpy()[hits["query"]]
    write_atomically(arguments.out, hits.to_csv(index=False))
    print(f"{len(hits):,} hits for {len(asked):,} queries: {arguments.out}")
    return 0


def _queries(path: Path) -> "pd.DataFrame":
    import pandas as pd

    try:
        found = pd.read_csv(path, dtype=str, keep_default_na=False)
    except (OSError, ValueError) as error:
        raise DataError(f"expected a CSV file of queries ({error})", file=path) from error
    missing = {"query", "text"} - set(found.columns)
    if missing or found.empty:
        raise DataError(f"expected rows with the columns query and text, found {[*found.columns]}", file=path)
    return found if "citing" in found else found.assign(citing="")


def _weights(written: list[str]) -> dict[str, float]:
    try:
        return {name: float(value) for name, value in (pair.split("=") for pair in written)}
    except ValueError as error:
        raise ParameterError(f"expected weights as in Bac=2 Met=0.5, got {' '.join(written)}") from error
