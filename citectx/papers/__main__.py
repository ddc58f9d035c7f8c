"""``python -m citectx.papers PAPER``: a paper's headline claims under every reading."""

from citectx.ledger.readings import main

if __name__ == "__main__":
    main()
