"""Solutions to the exercises of lesson 07, in its variables. A docstring is the hint."""


def solution_1():
    """Try 0.0, 0.1, 0.2 and so on; rank_with gives the rank."""
    tenths = (i / 10 for i in range(1001))
    return next((weight for weight in tenths if rank_with(weight) == 1), np.inf)


def solution_2():
    """With 4 citations they are Con, Exp and Res for Bac, and Hyp and Mod for Met."""
    found = []
    for citations in (8, 16):
        fields = kept_fields(citations)
        found.append({f for name, planted in preferences.items() for f in fields[name] - set(planted)})
    return found


def solution_3():
    """Fill an array with one gain per citation, fold by fold. Average at the end."""
    means = []
    for steps in ((-1, 6, -2), (-0.5, 2, -1)):
        unseen = np.zeros(len(citations))
        for i in range(4):
            learnt = recommendation.climb(search, fold != i, steps=steps)
            unseen[fold == i] = recommendation.gains(search.ranks(learnt), normalised=True)[fold == i]
        means.append(float(unseen.mean()))
    return means
