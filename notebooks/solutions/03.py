"""Solutions to the exercises of lesson 03, in its variables. A docstring is the hint."""


def solution_1():
    """The mean of evaluation.human_precision(c.gold).values() is h of a citance."""
    taus = []
    for citances in (here, everywhere):
        h = [np.mean([*evaluation.human_precision(c.gold).values()]) for c in citances]
        taus.append(float(kendall(h, [marked_length(c) for c in citances])))
    return taus


def solution_2():
    """Group the values of `first` by the quarters of `scores`, and do not forget the percent."""
    means = pd.Series(first).groupby(scores["quarter"]).mean()
    return [100 * float(means[q]) for q in quarter_names]


def solution_3():
    """Call quarters once more, and compare it with scores['quarter'], citance by citance."""
    changed = np.array(quarters(weighted)) != scores["quarter"]
    return [int(changed[in_article].sum()), int(changed.sum())]
