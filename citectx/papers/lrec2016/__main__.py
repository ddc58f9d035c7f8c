"""``python -m citectx.papers.lrec2016 readings``: its headline claims under every reading."""

from citectx.ledger.readings import main
from citectx.papers.lrec2016.readings import CURVES

if __name__ == "__main__":
    main(CURVES)
