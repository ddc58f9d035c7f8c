"""Mei & Zhai 2008: summaries of a paper's impact."""
