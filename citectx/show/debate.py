"""Cards for a debate: a claim of a paper on the front, our verdict on its back.

One group defends the claim and one attacks it, before anybody turns the card.

    python -m citectx.show.debate [PAPER] > cards.md
"""

import re
import sys
from typing import Any

import pandas as pd

from citectx.errors import DataError, unknown
from citectx.ledger import load, papers
from citectx.ledger.report import effect
from citectx.ledger.verdicts import FILE
from citectx.show.forest import open_verdicts
from citectx.show.tables import OPEN

CARD = """\
## {paper}: a claim

> {says}

({where})

- **The row**: {row}
- **The paper's effect**: {published}
- **The control**: {controls}

Defend the claim, or attack it: what must the row show, and what must the control *not* show?
Four minutes for each side.

<details><summary>Back of the card</summary>

**{verdict}**, on {corpus} ({topics:.0f} articles or papers): {effect}

{outcomes}

Ask both sides: which result would have changed your mind?

</details>
"""


def debate_card(paper: str, claim: str = "") -> str:
    """Write a card, in Markdown, on a claim of a paper, or else on its first headline claim.

    A claim is shown as it was judged on data that were run once, where it has been, and with its
    control: a row from which the idea of the paper is left out.

    >>> debate_card("sigir2017", "bio-beats-wiki").splitlines()[2]
    '> Embeddings from biomedical text find better contexts than embeddings from general text.'
    """
    headlines = [known.claim_id for known in load(paper) if known.headline]
    rows = open_verdicts()
    rows = rows[(rows["paper"] == paper) & rows["effect"].notna()]
    if claim and claim not in set(rows["id"]):
        raise unknown("claim", claim, rows["id"].unique())
    rows = rows[rows["id"].isin([claim] if claim else headlines)]
    if rows.empty:
        raise DataError(f"no headline claim of {paper} has an effect", file=OPEN / FILE)
    # those with a control first, then by the alphabet: confirmed, explored, second domain
    order = rows.assign(free=rows["control"].isna()).sort_values(["free", "stage"])
    return CARD.format_map(sides(order.iloc[0].to_dict()))


def sides(row: dict[Any, Any]) -> dict[str, Any]:
    """Describe what stands on a card, from a row of verdicts."""
    outcomes = [] if pd.isna(row["control"]) else row["control"].split("; ")
    # a control's outcome stands on the back only
    controls = "; ".join(re.sub(r": [+-].*", "", outcome) for outcome in outcomes)
    published = "no number is printed"
    if pd.notna(row["published"]):
        published = f"{row['published']:+.3g}"
    return row | {
        "row": row["reason"].partition(": ")[0],
        "published": published,
        "controls": controls or "none: say what a control would have to leave out",
        "effect": f"{effect(row)}, with the interval that decides",
        "outcomes": "\n".join(f"- {outcome}" for outcome in outcomes),
    }


if __name__ == "__main__":
    print("\n".join(map(debate_card, sys.argv[1:] or papers())))
