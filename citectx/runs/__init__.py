"""Notebooks in batch: one after the other, or over a grid of parameters."""
