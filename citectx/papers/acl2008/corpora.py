"""All tables of acl2008 over the corpora of a profile; test sets are made once and shared."""

from collections.abc import Sequence

from citectx import profiles
from citectx.experiments.results import Result
from citectx.papers.acl2008 import sensitivity as acl2008_sensitivity
from citectx.papers.acl2008 import table1 as acl2008_table1
from citectx.papers.acl2008 import table3 as acl2008_table3
from citectx.papers.acl2008 import table4 as acl2008_table4
from citectx.papers.acl2008.impact_set import ImpactProtocol, ImpactSet, impact_set


def corpora(profile: str) -> list[str]:
    """Name the corpora of a profile, with those that have citances only.

    >>> corpora("open")
    ['citation-integrity', 'scisumm-train', 'scisumm-gold']
    """
    chosen = profiles.profile(profile)
    return [*chosen.corpora, *chosen.impact]


def sets_of(profile: str, protocol: ImpactProtocol | None = None) -> list[ImpactSet]:
    """Read the corpora of a profile and build their test sets.

    Raises
    ------
    MissingDataError
        If a corpus is not on this machine; the message says how to get it.
    """
    return [impact_set(profiles.load(name), protocol) for name in corpora(profile)]


def run(sets: Sequence[ImpactSet], *, seed: int = 0, progress: bool = True) -> list[Result]:
    """Make Tables 1, 3 and 4 and the sensitivity curves, with the settings of the paper."""
    experiments = (acl2008_table1.run, acl2008_table3.run, acl2008_table4.run, acl2008_sensitivity.run)
    return [experiment(sets, seed=seed, progress=progress) for experiment in experiments]
