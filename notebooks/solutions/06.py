"""Solutions to the exercises of lesson 06, in its variables. A docstring is the hint."""


def solution_1():
    """Each element of `texts` is the set of terms of a window. All added terms count."""
    return {term: sum(term in terms for terms in texts) for term in added}


def solution_2():
    """`prepare` takes the corpus and returns all its topics. Take the one of this article."""
    ready = prepare(corpora[0])
    return f1_and_length([p for p in ready if p.topic is first])


def solution_3():
    """Both functions return lists of text: add them up before they are analysed."""

    def either(p, query):
        pieces = reformulation.keywords(query.text, rarity)
        pieces += reformulation.phrases(query.text, p.index.analyzer)
        kept = set(p.index.analyzer(" ".join(pieces)))
        weights = {t: n for t, n in query.weights.items() if t in kept}
        return retrieval.Query(weights or query.weights, query.text)

    return [f1_and_length(asked, either)[0] for asked in both.values()]
