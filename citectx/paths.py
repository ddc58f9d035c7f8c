"""Where the checkout keeps what is not Python code."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
"""The checkout: notebooks/, data/ and results/ stand beside the package."""

DATA = ROOT / "data"
NOTEBOOKS = ROOT / "notebooks"
RESULTS = ROOT / "results"
