"""citectx: four papers on citation contexts, reproduced with real data and checked claims."""

__version__ = "0.1.0"
