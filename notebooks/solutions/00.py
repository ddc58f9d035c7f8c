"""Solutions to the exercises of lesson 00, in its variables. A docstring is the hint."""


def solution_1():
    """The citance says “protect”. How sure is the article that drugs “shield”?"""
    words = span.of(drifted.prepared.topic.reference.text).lower().split()
    return {word for word in words if word in ("may", "might", "could", "perhaps", "possibly")}


def solution_2():
    """set(pictures.article) is a set, and Python can intersect sets."""
    return set(pictures.article) & set(pictures.query)


def solution_3():
    """Sort the gains, largest first, and divide each by log2 of its rank plus 1."""
    orders = [sorted(own, reverse=True) for own in marked if own.any()]
    sums = [sum(g / np.log2(r + 1) for r, g in enumerate(gains, 1)) for gains in orders]
    return [float(max(sums)), float(min(sums))]
