"""Cohan & Goharian 2017: contexts by word embeddings and domain ontologies."""
