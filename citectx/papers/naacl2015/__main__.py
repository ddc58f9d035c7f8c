"""``python -m citectx.papers.naacl2015 readings``: its headline claims under every reading."""

from citectx.ledger.readings import main
from citectx.papers.naacl2015.readings import CURVES

if __name__ == "__main__":
    main(CURVES)
