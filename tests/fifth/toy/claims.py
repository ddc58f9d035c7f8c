"""What toy says."""

from citectx.ledger.claim import Claim, Limit, Order, better

COMPARISONS: dict[str, Order] = {}
PERCENT = ()
EXPLORED = ""
CONFIRMED: dict[str, str] = {}
SECOND: dict[str, str] = {}
LIMITS: tuple[Limit, ...] = ()
CLAIMS = (
    Claim(
        "wholes-are-longer",
        "Section 1",
        "Whole sentences are longer than half of them.",
        "toy_table1",
        better("whole", "half", "length"),
    ),
)
