"""Beyond the papers: contexts found by a model that learns from annotated topics, for anybody's
paper.
"""
