"""Solutions to the exercises of lesson 09, in its variables. A docstring is the hint."""


def solution_1():
    """Repeat lines three and four with another c, and take the maximum."""
    found = []
    for c in (0.0003, 30):
        *weights, bias = learn(standardised, y, c)
        found.append(float(np.max(1 / (1 + np.exp(-(of_article @ weights + bias))))))
    return found


def solution_2():
    """Call weights_from with the numbers of the other three articles."""
    return {left: weights_from({1, 2, 3, 4} - {i})["citations"] for left, i in left_out.items()}


def solution_3():
    """Take the mean of each set over its topics, then the best set of each draw."""
    return float(draws.mean(axis=2).max(axis=1).mean())
