"""Races against other libraries, and the rows of the leaderboard."""

import citectx  # noqa: F401 (before numpy: it chooses the BLAS kernel)
