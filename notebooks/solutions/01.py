"""Solutions to the exercises of lesson 01, in its variables. A docstring is the hint."""


def solution_1():
    """np.argmax(one.scores(model)) is the number of the sentence that a model puts first."""
    models = [retrieval.EmbeddingLM(vectors=vectors, mu=mu) for mu in values]
    return [int(np.argmax(one.scores(model))) for model in models]


def solution_2():
    """lead.idxmax() names the article, and lead.drop(name) leaves it out."""
    return float(lead.drop(lead.idxmax()).mean())


def solution_3():
    """Only total changes: Eq. 1 divides by the sentence's words, plus μ."""
    scores = one.scores(retrieval.EmbeddingLM(vectors=vectors, mu=100, denominator="length"))
    return float(scores[first] - scores[longest])
