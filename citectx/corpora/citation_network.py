r"""Who cites whom: rows ``citing , cited``, as in the ACL citation network.

What we saw in it: 94,973 rows, all different, of 16,589 papers by their ACL ids; 42 rows in which a
paper cites itself.

>>> found = parse("Roe , Doe\nPoe , Doe\nDoe , Doe\n", "network.txt")
>>> found.papers, found.edges.tolist()
(('Doe', 'Poe', 'Roe'), [[2, 0], [1, 0]])
"""

from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from citectx.corpora import sources
from citectx.corpora.files import Release, shown
from citectx.errors import DataError
from citectx.types import Ints


@dataclass(frozen=True)
class CitationNetwork:
    """A directed graph of papers.

    Parameters
    ----------
    papers : tuple of str
        In alphabetical order.
    edges : int array, shape (n, 2)
        Positions of the citing and of the cited paper, each pair once, none with itself.
    """

    papers: tuple[str, ...]
    edges: Ints

    def matrix(self) -> sp.csr_array:
        """1 where the paper of the row cites that of the column, shape (papers, papers)."""
        n = len(self.papers)
        citing, cited = self.edges.T
        ones = np.ones(len(citing))
        return sp.csr_array((ones, (citing, cited)), shape=(n, n))


def read(path: Path) -> CitationNetwork:
    """Read a network.

    Names may hold commas: the comma between two has a space on either side.

    Raises
    ------
    MissingDataError
        If the file is not there.
    DataError
        Naming the file and the line: if a row does not have two names, or there are no rows.
    """
    return parse(Release("a citation network", path.parent).text(path), path)


def acl() -> CitationNetwork:
    """Read the ACL citation network.

    Raises
    ------
    MissingDataError
        If it has not been fetched.
    """
    return read(sources.folder("acl-citation-network") / "acl.txt")


def parse(text: str, file: Path | str) -> CitationNetwork:
    """Split rows; raises as `read` does."""
    pairs: dict[tuple[str, str], None] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        citing, *cited = map(str.strip, f" {line} ".split(" , "))
        if len(cited) != 1 or not (citing and cited[0]):
            raise DataError(
                f"expected 'citing , cited', found {shown(line)}", file=file, line=number
            )
        pairs[citing, cited[0]] = None
    if not pairs:
        raise DataError("holds no citation; expected rows 'citing , cited'", file=file)
    kept = [(citing, cited) for citing, cited in pairs if citing != cited]
    papers = tuple(sorted(set(chain(*pairs))))
    edges = np.searchsorted(papers, np.array(kept, dtype=str).reshape(-1, 2))
    return CitationNetwork(papers, edges.astype(np.int64))
