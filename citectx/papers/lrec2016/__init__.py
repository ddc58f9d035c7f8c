"""Duma et al. 2016: citation recommendation weighted by Core Scientific Concepts."""
