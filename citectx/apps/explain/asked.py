"""Find a number in a profile's tables, by names that may lack their ends."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from citectx.errors import MissingDataError, unknown
from citectx.experiments.report import OVER_CITANCES, SPREAD
from citectx.experiments.results import COLUMNS, read
from citectx.ledger import Ledger, Results, check, load, papers
from citectx.ledger.results import SCORES
from citectx.profiles import Profile


class Shelf:
    """The tables of a profile, each read once.

    Parameters
    ----------
    profile : Profile
    """

    def __init__(self, profile: Profile) -> None:
        self.profile, self.results = profile, Results(profile.results)
        self._frames: dict[str, pd.DataFrame] = {}
        self._verdicts: dict[str, pd.DataFrame] = {}

    @cached_property
    def files(self) -> dict[str, Path]:
        """The table files by the tables' names.

        Raises
        ------
        MissingDataError
            If there are none.
        """
        found = {}
        for file in sorted(self.profile.results.glob("[!.]*/*.csv")):
            if "." not in file.stem and _header(file) == COLUMNS:
                found[file.stem] = file
        if not found:
            where, name = self.profile.results, self.profile.name
            raise MissingDataError(f"{where} has no tables; run: citectx run --profile {name}")
        return found

    def frame(self, table: str) -> pd.DataFrame:
        """Read a table, and check that its values are what its scores make."""
        if table not in self._frames:
            if self.files[table].with_name(f"{table}{SCORES}").is_file():
                self.results.verify(table)
            self._frames[table] = read(self.profile.results, table)
        return self._frames[table]

    def verdicts(self, ledger: Ledger, table: str) -> pd.DataFrame:
        """Judge the claims that rest on a table."""
        if table not in self._verdicts:
            claims = [claim for claim in ledger if table in claim.experiments]
            self._verdicts[table] = check(ledger, self.results, claims)
        return self._verdicts[table]


def _header(file: Path) -> list[str]:
    return file.read_text("utf-8").partition("\n")[0].strip().split(",")


@dataclass(frozen=True)
class Asked:
    """The number that somebody asks about.

    Parameters
    ----------
    shelf : Shelf
    table, row, metric, corpus : str
        As the table has them.
    place : int
        Where it is in the table, from 0.
    """

    shelf: Shelf = field(repr=False)
    table: str
    row: str
    metric: str
    corpus: str
    place: int

    @property
    def file(self) -> Path:
        """The file of the table."""
        return self.shelf.files[self.table]

    @property
    def record(self) -> dict[Any, Any]:
        """The row of the file."""
        return self.shelf.frame(self.table).iloc[self.place].to_dict()

    @property
    def ledger(self) -> Ledger | None:
        """The ledger of the paper that the table is of, if it is of one."""
        paper = self.table.partition("_")[0]
        return load(paper) if paper in papers() else None

    @property
    def tested(self) -> Ledger | None:
        """The ledger, if claims are about the table."""
        ledger = self.ledger
        return ledger if ledger and self.table in ledger.experiments else None

    @cached_property
    def scores(self) -> "pd.Series[float] | None":
        """What the number is a mean of, by topic and citance, if it was kept."""
        base = self.metric.removesuffix(OVER_CITANCES).removesuffix(SPREAD)
        return self.shelf.results.scores(self.table, self.corpus, self.row, base)

    @property
    def by_topic(self) -> bool:
        """Whether it is a mean over topics: of topics' means, or of what was scored as a whole."""
        topics = set() if self.scores is None else {*self.scores.index.unique("topic")}
        return len(topics) == int(self.record["n"])


def asked(shelf: Shelf, table: str, row: str, metric: str, corpus: str | None = None) -> Asked:
    """Find a number by names that may lack their ends, in letters of either case.

    Raises
    ------
    ParameterError
        If there is no such table, row, metric or corpus, listing what there is.
    """
    table = named("table", table, shelf.files)
    frame = shelf.frame(table)
    row = named("row", row, frame["method"].unique())
    own = frame[frame["method"] == row]
    metric = named("metric", metric, own["metric"].unique())
    own = own[own["metric"] == metric]
    known = own["corpus"].unique().tolist()
    corpus = _closest(table, known) if corpus is None else named("corpus", corpus, known)
    own = own[own["corpus"] == corpus]
    (place,) = own.index.tolist()
    return Asked(shelf, table, row, metric, corpus, place)


def named(kind: str, given: str, known: Iterable[str]) -> str:
    """Find a name: as it is, in letters of either case, or by a beginning that no other has.

    >>> named("row", "we_bio+d", ["WE_Bio", "WE_Bio+dmn"]), named("row", "we_bio", ["WE_Bio", "x"])
    ('WE_Bio+dmn', 'WE_Bio')
    """
    listed, small = list(map(str, known)), given.casefold()
    if given in listed:
        return given
    same = [name for name in listed if name.casefold() == small]
    found = same or [name for name in listed if name.casefold().startswith(small)]
    if len(found) != 1:
        raise unknown(kind, given, found or listed)
    return found[0]


def _closest(table: str, corpora: Sequence[str]) -> str:
    """Take the corpus closest to the paper's own."""
    paper = table.partition("_")[0]
    if paper in papers():
        ledger = load(paper)
        for name in (ledger.corpus, ledger.main):
            if name in corpora:
                return name
    return corpora[0]
