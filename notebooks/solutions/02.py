"""Solutions to the exercises of lesson 02, in its variables. A docstring is the hint."""


def solution_1():
    """near_plasma holds two sets. You want the words of one that the other lacks."""
    return {w for w in asked if w in near_plasma["biomedical"] - near_plasma["general"]}


def solution_2():
    """A word counts if any of its similarities is above 0: any(axis=0) tells which."""
    plain = EmbeddingLM(vectors=model.vectors, phi="identity").fit(one.prepared.index)
    return [int((each.related(one.query) > 0).any(axis=0).sum()) for each in (model, plain)]


def solution_3():
    """Call retrofitted with both edges, and scale the vectors to length 1 before the product."""
    moved = retrofitted(start, np.array([[0, 1], [1, 2]]))
    return float(moved[0] @ moved[2] / np.linalg.norm(moved[0]) / np.linalg.norm(moved[2]))
