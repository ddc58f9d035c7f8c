"""Tables beyond the papers that need downloads or an extra: made where those are at hand, else skipped."""

from collections.abc import Callable, Mapping
from functools import partial

import pandas as pd

from citectx import profiles
from citectx.corpora import sources
from citectx.errors import MissingDataError
from citectx.experiments.results import Result
from citectx.papers.acl2008 import corpora as acl2008_corpora
from citectx.papers.beyond import downstream
from citectx.papers.scisumm import task1a
from citectx.papers.sigir2017 import dense
from citectx.papers.sigir2017.table4 import sample
from citectx.retrieval.encoders import open_encoder


def tables(profile: str, seed: int = 0, progress: bool = True) -> Mapping[str, Callable[[], Result]]:
    """List what a profile has: summaries everywhere, the rest on open data."""
    corpora = profiles.profile(profile).load
    if profile != "open":
        return {downstream.SUMMARIES: lambda: downstream.summaries(corpora(), seed=seed, progress=progress)}
    return {
        downstream.SUMMARIES: lambda: downstream.summaries(
            [*corpora(), sample(profiles.load("scisummnet"), downstream.TOPICS)], seed=seed, progress=progress
        ),
        downstream.IMPACT: lambda: downstream.impact(
            acl2008_corpora.sets_of(profile), seed=seed, progress=progress
        ),
        task1a.NAME: lambda: task1a.run(sources.folder("scisumm-corpus"), seed=seed),
        dense.NAME: partial(_dense, profile, seed, progress),
    }


def _dense(profile: str, seed: int, progress: bool) -> Result:
    open_encoder()  # before anything is computed
    return dense.run(profiles.profile(profile).load(), seed=seed, progress=progress)


def no_encoder() -> str:
    """Say why there is no sentence encoder; empty if there is one."""
    try:
        open_encoder()
    except MissingDataError as error:
        return str(error)
    return ""


def run(profile: str, *, seed: int = 0, progress: bool = True) -> tuple[dict[str, Result], pd.DataFrame]:
    """Make and write the tables of a profile.

    Returns
    -------
    dict of str to Result
        Those that could be made.
    DataFrame
        A row for each table: its rows, or why there are none.
    """
    made: dict[str, Result] = {}
    said = {}
    for name, make in tables(profile, seed, progress).items():
        try:
            made[name] = make()
        except MissingDataError as error:
            said[name] = f"left out: {error}"
        else:
            made[name].write(profiles.profile(profile).results)
            said[name] = f"{len(made[name].table)} rows"
    return made, pd.DataFrame({"outcome": said})
