"""Profiles: which corpora a run works on, and where its results go."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from citectx.corpora import Corpus, citation_integrity, scisumm, scisummnet, sources, tac2014
from citectx.errors import unknown
from citectx.paths import DATA, RESULTS


@dataclass(frozen=True)
class Profile:
    """A named set of corpora.

    Parameters
    ----------
    name : str
    corpora : tuple of str
        Keys of `LOADERS`, in the order of the tables.
    about : str
    """

    name: str
    corpora: tuple[str, ...]
    about: str

    @property
    def results(self) -> Path:
        """Where tables, figures and executed notebooks of this profile go.

        ``results/<name>`` of the checkout, or of the folder that ``CITECTX_RESULTS`` names.
        """
        return Path(os.environ.get("CITECTX_RESULTS", RESULTS)) / self.name

    def load(self) -> list[Corpus]:
        """Read all corpora of the profile."""
        return [load(name) for name in self.corpora]


PROFILES = {
    p.name: p
    for p in (
        Profile("teaching", ("teaching",), "a small corpus written for this repository; needs no download"),
        Profile("open", ("citation-integrity", "scisumm-train"), "real data that anyone may download"),
        Profile("tac2014", ("tac2014",), "the papers' own corpus, for those who hold its licence"),
    )
}

LOADERS: dict[str, Callable[[], Corpus]] = {
    "teaching": lambda: tac2014.read(DATA / "teaching", name="teaching"),
    "citation-integrity": lambda: citation_integrity.read(sources.folder("citation-integrity-annotations")),
    "scisumm-train": lambda: scisumm.read_training(sources.folder("scisumm-corpus")),
    "scisumm-gold": lambda: scisumm.read_gold(sources.folder("scisumm-corpus")),
    "scisummnet": lambda: scisummnet.read(sources.folder("scisumm-corpus")),
    "tac2014": lambda: tac2014.read(sources.licensed_folder("tac2014")),
}
"""One reader for each corpus that can be asked for by name."""


def profile(name: str) -> Profile:
    """Look a profile up.

    >>> profile("open").corpora
    ('citation-integrity', 'scisumm-train')
    >>> profile("closed")
    Traceback (most recent call last):
    citectx.errors.ParameterError: unknown profile 'closed'; known: 'open', 'tac2014', 'teaching'
    """
    if name not in PROFILES:
        raise unknown("profile", name, PROFILES)
    return PROFILES[name]


def load(name: str) -> Corpus:
    """Read a corpus by its name in the tables.

    Raises
    ------
    ParameterError
        If there is no such corpus.
    MissingDataError
        If its data is not on this machine; the message says how to get it.
    """
    if name not in LOADERS:
        raise unknown("corpus", name, LOADERS)
    return LOADERS[name]()
