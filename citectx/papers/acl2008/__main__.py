"""``python -m citectx.papers.acl2008 readings``: its headline claims under every reading."""

from citectx.ledger.readings import main

if __name__ == "__main__":
    main("acl2008")
