"""Beyond the papers: a model that learns contexts, anybody's articles, and larger collections.

- The model: `features` of a citance and a sentence, `ltr` (fit and weights), `table` (how good it
  is, with controls), `calibration` (how often a passage is right).
- Anybody's article: `reading` (XML), `citing_articles` (who cites it), `your_paper` (its contexts
  and what it is cited for), `citances` (what it says of its references).
- Anybody's runs: `scisumm_runs` and `leaderboard`. Collections: `search`.
"""
