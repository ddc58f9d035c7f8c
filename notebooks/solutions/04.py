"""Solutions to the exercises of lesson 04, in its variables. A docstring is the hint."""


def solution_1():
    """sorted(tokens) is a list, and rouge_n takes texts: join it with spaces."""
    alphabetical = " ".join(sorted(tokens))
    return [rouge_n(alphabetical, reference, n)["F"] for n in (1, 2)]


def solution_2():
    """Set the diagonal to 0, then take the largest cosine of each row."""
    means = {}
    for name in repeats:
        kept = choice(name, drawn_from)
        between = drawn_from.similarity[np.ix_(kept, kept)]
        means[name] = float((between - np.diag(between.diagonal())).max(axis=1).mean())
    return means


def solution_3():
    """Squaring lowers a probability, so the next step may begin with another word."""
    p, order = dict(probability), []
    while sum(lengths[i] for i in order) < words and len(order) < len(sentences):
        left = {i: set(s) for i, s in enumerate(sentences) if i not in order}
        word = min(set().union(*left.values()), key=lambda w: (-p[w], w))
        mean = {i: sum(p[w] for w in own) / len(own) for i, own in left.items() if word in own}
        order.append(max(mean, key=lambda i: (round(mean[i], 12), -i)))
        p |= {w: p[w] ** 2 for w in left[order[-1]]}
    return order
