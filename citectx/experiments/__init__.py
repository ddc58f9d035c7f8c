"""Experiments: one file for each table of a paper; parameters in, tidy rows out."""
