"""The page on which a visitor guesses first; style sheets alone count and uncover answers."""

from collections import Counter

from docs import explorer, headlines

KINDS = ("came back", "did not come back", "came out the opposite")
"""What a visitor can answer."""


def kind(verdict: str) -> str:
    """Say what a verdict means in a visitor's words.

    >>> kind("holds, below its control"), kind("smaller"), kind("contradicted")
    ('came back', 'did not come back', 'came out the opposite')
    """
    if verdict == "contradicted":
        return KINDS[2]
    return KINDS[0] if verdict.startswith("holds") else KINDS[1]


def page() -> str:
    """Return a question per main claim, with its answer."""
    claims = headlines.main_claims().to_dict("records")
    for claim in claims:
        claim["paper_says"], claim["ours"] = headlines.in_numbers(claim)
        claim["kind"] = kind(claim["verdict"])
    ((usual, most),) = Counter(claim["kind"] for claim in claims).most_common(1)
    chance = f"{len(claims) / len(KINDS):.1f}"
    return explorer.render(
        "predict.html", claims=claims, kinds=KINDS, usual=usual, most=most, chance=chance
    )
