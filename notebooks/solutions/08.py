"""Solutions to the exercises of lesson 08, in its variables. A docstring is the hint."""


def solution_1():
    """Make sets of the two choices: a - b holds what is only in a."""
    own, others = (set(m.choose(paper.cited, five)) for m in (by_itself, by_others))
    return others - own


def solution_2():
    """Average over all papers, with the order of each model and each budget."""
    little, much = summarization.ImpactModel(mu_s=1), summarization.ImpactModel(mu_s=10_000)
    gains = []
    for budget in (summarization.Budget(sentences=15), summarization.Budget(words=250)):
        before, after = (
            np.mean([p.score(model.order(p.cited), budget)["ROUGE-L"] for p in main.papers])
            for model in (little, much)
        )
        gains.append(float(after - before))
    return gains


def solution_3():
    """Compute others, theta, prior and the scores anew from the contexts left."""
    lost = {}
    for citing in weight:
        told = heard([c for c in paper.contexts if c.citing_id != citing], weight)
        mixed = {w: (1 - delta) * own.get(w, 0) + delta * told.get(w, 0) for w in own | told}
        background = dict(zip(mixed, main.background.of(list(mixed)), strict=True))
        scores = [score(mixed, sentence, background) for sentence in tokens]
        best = np.argsort(np.negative(scores), kind="stable")[:length]
        lost[citing] = len({*summary} - {*best.tolist()})
    return lost
