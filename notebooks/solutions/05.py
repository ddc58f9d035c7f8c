"""Solutions to the exercises of lesson 05, in its variables. A docstring is the hint."""


def solution_1():
    """Put the annotators of a citance together, and count each section once."""
    numbers = []
    for citance in (least, most):
        spans = [span for own in table1.marks(citance).values() for span in own]
        found = {b.section for s in spans for b in blocks if b.start < s.end and s.start < b.end}
        numbers.append(len(found))
    return numbers


def solution_2():
    """Add up three of the columns, divide by citances, and look for ties at the top."""
    shares = topics[["full", "all", "majority"]].sum(axis=1) / topics["citances"]
    return {t for own in (topics["alpha"], shares) for t in own.index[own == own.max()]}


def solution_3():
    """Sort the counts. For one character you take the largest. Which one for 100?"""
    changed = {}
    for topic_id, own in partly.items():
        changed[topic_id] = 0
        for marked in own:
            places = [x for spans in marked.values() for x in {x for s in spans for x in range(*s)}]
            counts = sorted(np.unique(places, return_counts=True)[1])
            sharing = counts[-100] if len(counts) >= 100 else 1
            changed[topic_id] += named(sharing, len(marked)) != agreement.agreement_level(marked).name
    return [changed.get(first.topic_id, 0), sum(changed.values())]
