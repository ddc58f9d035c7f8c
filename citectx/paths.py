"""Where data, notebooks and results are: in the checkout, or inside the package when it came as a wheel."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
BUNDLED = PACKAGE / "bundled"
"""In a wheel, a copy of the checkout's folders; in a checkout there is no such folder."""

IN_CHECKOUT = not BUNDLED.is_dir()
ROOT = PACKAGE.parent if IN_CHECKOUT else BUNDLED
"""The folder of notebooks/, data/ and results/."""

DATA = ROOT / "data"
NOTEBOOKS = ROOT / "notebooks"
RESULTS = ROOT / "results"
