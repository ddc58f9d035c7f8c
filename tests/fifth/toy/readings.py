"""What toy leaves open: nothing."""

from citectx.ledger.readings import Curve

CURVES: tuple[Curve, ...] = ()
