"""Beyond the papers: a model that learns to find contexts, for anybody's paper."""
