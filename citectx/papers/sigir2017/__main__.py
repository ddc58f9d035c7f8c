"""What no notebook makes: ``python -m citectx.papers.sigir2017 readings``."""

from citectx.ledger.readings import main
from citectx.papers.sigir2017.readings import CURVES

if __name__ == "__main__":
    main(CURVES)
