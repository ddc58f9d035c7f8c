"""What toy says."""

from citectx.ledger.checks import better
from citectx.ledger.entries import Claim, Limit, Table

TABLES = {"toy_table1": Table()}
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
