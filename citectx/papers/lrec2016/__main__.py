"""``python -m citectx.papers.lrec2016 readings``: its headline claims under every reading."""

from citectx.ledger.readings import main

if __name__ == "__main__":
    main("lrec2016")
