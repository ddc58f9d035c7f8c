"""Cohan et al. 2015: contexts by search, with reformulated queries."""
