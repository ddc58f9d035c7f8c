"""Profiles: which corpora a run works on, and where its results go.

What the corpora are, and who reads them, is in `citectx.catalogue`.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from citectx.catalogue import load, resources_of
from citectx.corpora import Corpus
from citectx.errors import look_up
from citectx.paths import IN_CHECKOUT, RESULTS, results_dir

__all__ = ["PROFILES", "Profile", "load", "profile", "resources_of"]


@dataclass(frozen=True)
class Profile:
    """A set of corpora by their names in the catalogue, in the order of the tables."""

    name: str
    corpora: tuple[str, ...]  # with citances and evidence (sigir2017, naacl2015)
    summarized: tuple[str, ...] = ()  # more with summaries, but no evidence (sigir2017 Table 4)
    cited: tuple[str, ...] = ()  # more with summaries and citing sentences, likewise (acl2008)
    collections: tuple[str, ...] = ()  # for citation recommendation (lrec2016)

    @property
    def results(self) -> Path:
        """Folder of results, with a folder for each notebook.

        ``<name>`` in `results_dir`, or what came in the wheel where nothing has been run.
        """
        folder = results_dir() / self.name
        return folder if IN_CHECKOUT or folder.is_dir() else RESULTS / self.name

    @property
    def output(self) -> Path:
        """Where a notebook writes its tables and figures.

        A run sets ``CITECTX_OUTPUT``. Otherwise, as in a notebook that somebody works with, it is
        ``results/by-hand/<name>``, where nothing of a run is replaced.
        """
        by_hand = results_dir() / "by-hand" / self.name
        return Path(os.environ.get("CITECTX_OUTPUT", by_hand))

    def load(self) -> list[Corpus]:
        """Read the corpora with evidence."""
        return [load(name) for name in self.corpora]


_FULLTEXT = ("citation-integrity-fulltext", "citation-integrity-fulltext-1000")
_PROFILES = (
    Profile("teaching", ("teaching",), collections=("planted",)),
    Profile(
        "open",
        corpora=("citation-integrity", "citation-integrity-31", "scisumm-train", "scisumm-gold"),
        summarized=("scisummnet", "scisummnet-half"),
        cited=("scisummnet-unseen",),
        collections=_FULLTEXT,
    ),
    Profile("tac2014", ("tac2014",), collections=_FULLTEXT),
    Profile("open100", ("citation-integrity-2024",)),
    Profile("own", ("own",)),
)
PROFILES = {profile.name: profile for profile in _PROFILES}
"""What each profile contains, for every paper; the catalogue has vectors and ontologies."""


def profile(name: str) -> Profile:
    """Look a profile up.

    >>> profile("open").corpora
    ('citation-integrity', 'citation-integrity-31', 'scisumm-train', 'scisumm-gold')
    >>> profile("closed")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    citectx.errors.ParameterError: unknown profile 'closed'; known: 'open', 'open100', ...
    """
    return look_up("profile", name, PROFILES)
