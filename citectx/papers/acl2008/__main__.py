"""``python -m citectx.papers.acl2008 readings``: its headline claims under every reading."""

from citectx.ledger.readings import main
from citectx.papers.acl2008.readings import CURVES

if __name__ == "__main__":
    main(CURVES)
