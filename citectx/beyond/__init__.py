"""Beyond the papers: a model that learns to find contexts, and its use on your own paper."""
