"""The corpora of a profile that acl2008's tables are about, and their test sets."""

from citectx import profiles
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
