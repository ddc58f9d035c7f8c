"""The results site: pages made from the ledger, registry, results and docstrings, built by Sphinx.

Run ``make site``, or ``citectx site`` where the extra ``docs`` is installed.
"""
