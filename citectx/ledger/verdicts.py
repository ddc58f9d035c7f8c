"""From a ledger and results to verdicts, one row for each claim and corpus, and to measures of
replication.

Beside verdicts on single sentences stand three numbers for each table, which need nothing but the
paper's means (Breuer et al., SIGIR 2020):

- Kendall's tau-b between the paper's order of methods and ours, in the measure of the table's
headline
  comparison;
- the effect ratio of that comparison, our improvement over the paper's: 1 is a replication, 0 none,
below 0
  the opposite;
- delta RI, the paper's relative improvement minus ours: 0 is a replication.

Their intervals are percentile bootstraps over topics, 2.5 % to 97.5 %.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from math import isnan, nan
from pathlib import Path

import numpy as np
import pandas as pd

from citectx.code import code_digest
from citectx.errors import DataError
from citectx.evaluation.significance import holm
from citectx.ledger.entries import Claim, Ledger, load, papers
from citectx.ledger.forms import Outcome
from citectx.ledger.results import ByTopic, Results, View
from citectx.paths import data_dir
from citectx.storage import digest, sha256, write_atomically
from citectx.types import Floats

ABOUT = "paper id kind where says corpus".split()
NUMBERS = list(Outcome._fields[2:-1])
COLUMNS = [*ABOUT, "verdict", "reason", *NUMBERS, "p_holm", "others"]
VERDICTS = "verdicts.csv"
"""All verdicts of a results folder, for readers who do not have the scores of its citances."""
PROTOCOL = "k depth max_sentences ndcg_k overlap numbers split_hyphens".split()
"""Parameters that all rows of one comparison must share."""


def check(ledger: Ledger, results: Results, claims: Iterable[Claim] | None = None) -> pd.DataFrame:
    """Compute the verdict on every claim, for each corpus that its experiments were run on.

    Parameters
    ----------
    ledger : Ledger
    results : Results
    claims : iterable of Claim, optional
        Only these (default: all).

    Returns
    -------
    DataFrame
        Columns `COLUMNS`, rows in the ledger's order, then by corpus;
        `citectx.ledger.forms.Outcome` explains the numbers. A claim whose experiment has not been
        run has one row, with an empty corpus. ``p_holm`` adjusts the one-sided p-values on each
        corpus, separately for claims in words and marks; it decides nothing.

    Raises
    ------
    DataError
        If a results file is damaged. Tables and scores that contradict each other make a claim "not
        testable here", with a reason that names file and row.

    Examples
    --------
    >>> from pathlib import Path
    >>> from citectx.ledger import load
    >>> frame = check(load("sigir2017"), Results(Path("no such folder")))
    >>> set(frame["verdict"]), frame["reason"][0]
    ({'not testable here'}, 'not run yet: sigir2017_table1')
    """
    rows = [
        (
            ledger.paper,
            claim.claim_id,
            claim.kind,
            claim.where,
            claim.says,
            corpus,
            *outcome,
            claim.worded,
        )
        for claim, corpus, outcome in _judged(ledger, ledger if claims is None else claims, results)
    ]
    frame = pd.DataFrame(rows, columns=[*ABOUT, *Outcome._fields, "worded"])
    frame[NUMBERS] = frame[NUMBERS].astype(float)
    frame["p_holm"] = nan
    for _, family in frame[frame["p_value"].notna()].groupby(["corpus", "worded"]):
        frame.loc[family.index, "p_holm"] = holm(family["p_value"])
    return frame[COLUMNS]


def _judged(
    ledger: Ledger, claims: Iterable[Claim], results: Results
) -> Iterator[tuple[Claim, str, Outcome]]:
    views: dict[tuple[tuple[str, ...], str, bool], View] = {}
    for claim in claims:
        paper = Outcome("not testable here", "", claim.published)
        if absent := [name for name in claim.experiments if not results.ran(name)]:
            yield claim, "", paper._replace(reason=f"not run yet: {', '.join(absent)}")
            continue
        for corpus in sorted(
            {corpus for name in claim.experiments for corpus in results.corpora(name)}
        ):
            key = (claim.experiments, corpus, claim.relative)
            if key not in views:
                views[key] = view_of(ledger, results, *key)
            why = _untestable(claim, ledger, views[key])
            try:
                found = paper._replace(reason=why) if why else claim.check.judge(views[key])
            except DataError as error:
                found = paper._replace(reason=f"the results contradict each other: {error}")
            if isnan(found.published):
                found = found._replace(published=paper.published)
            yield claim, corpus, found


def all_verdicts(folder: Path, paper: str | None = None) -> pd.DataFrame:
    """Return the verdicts on the claims of one paper or of all, as `check` does.

    They are kept on disk under a hash of code, claims and results. A folder without scores of
    citances, as a wheel has it, brings its verdicts in `VERDICTS`.
    """
    if paper:
        load(paper)  # an unknown one is an error, whatever is on disk
    files = sorted(Path(folder).glob("*.csv*"))
    if (folder / VERDICTS).exists() and not any(f.name.endswith(".citances.csv.gz") for f in files):
        frame = _read(folder / VERDICTS)
    else:
        seen = [(f.name, sha256(f)) for f in files if f.name != VERDICTS]
        kept = data_dir() / "verdicts" / f"{digest(code_digest('citectx.ledger'), seen)}.csv"
        frame = _read(kept) if kept.exists() else _all_judged(folder, kept)
    return frame[frame["paper"] == paper].reset_index(drop=True) if paper else frame


def _all_judged(folder: Path, kept: Path) -> pd.DataFrame:
    results = Results(folder)
    frame = pd.concat([check(load(name), results) for name in papers()], ignore_index=True)
    with suppress(OSError):  # a cache that cannot be written is no reason to stop
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(kept, frame.to_csv(index=False))
    return frame


def _read(file: Path) -> pd.DataFrame:
    frame = pd.read_csv(file, dtype=str, keep_default_na=False)
    return frame.assign(**{name: pd.to_numeric(frame[name]) for name in [*NUMBERS, "p_holm"]})


def view_of(
    ledger: Ledger,
    results: Results,
    experiments: tuple[str, ...],
    corpus: str,
    relative: bool = False,
) -> View:
    """Return the view of a corpus through experiments of a ledger."""
    used = [ledger.experiments[name] for name in experiments]
    units = {c: 100.0 for each in used for c in each.percent} | {
        c: 1.0 for each in used for c in each.fraction
    }
    published, halves = ledger.published(experiments), ledger.half_units(experiments)
    return View(results, experiments, corpus, ledger.corpus, published, halves, units, relative)


def _untestable(claim: Claim, ledger: Ledger, view: View) -> str:
    """Return why a corpus cannot test a claim; "" if it can."""
    lacking: dict[str, list[str]] = {}
    for row, column in claim.check.cells():
        if not view.has(row, column):
            lacking.setdefault(row, []).append(column)
    if why := ledger.why_never(view.corpus, lacking, claim.claim_id):
        return why
    if lacking:
        return f"{' or '.join(claim.experiments)} lacks {_named(claim, lacking)}"
    if claim.needs:
        row, column, least = (claim.needs[name] for name in ("row", "column", "at_least"))
        found = view.value(row, column) if view.has(row, column) else 0
        if found < least:
            return f"{row} has {found:g} {column}, fewer than {least:g}"
    return _protocols({view.number(*cell).params for cell in claim.check.cells()})


def _named(claim: Claim, lacking: dict[str, list[str]]) -> str:
    """Name the rows, or single cells of rows, that the tables lack for a claim."""
    needed = {row: [c for r, c in claim.check.cells() if r == row] for row in lacking}
    parts = [
        row if len(columns) == len(needed[row]) else f"{row} ({', '.join(columns)})"
        for row, columns in lacking.items()
    ]
    return ", ".join(parts)


def _protocols(params: set[str]) -> str:
    """Describe the first parameter of the protocol in which some cells differ; "" if there is
    none.
    """
    for name in PROTOCOL:
        found = {value for text in params if (value := _params(text).get(name)) is not None}
        if len(found) > 1:
            return f"the rows differ in {name}: {', '.join(sorted(map(str, found)))}"
    return ""


@lru_cache(maxsize=4096)
def _params(text: str) -> dict[str, object]:
    found = json.loads(text) if text else {}
    return found if isinstance(found, dict) else {}


RESAMPLES = 2000
REPLICATION = "paper experiment corpus metric comparison methods topics".split() + [
    f"{name}{end}" for name in ("tau", "effect_ratio", "delta_ri") for end in ("", "_low", "_high")
]


def replication(ledger: Ledger, results: Results, *, seed: int = 0) -> pd.DataFrame:
    """Measure how closely each table with a headline comparison replicates, for each corpus.

    Parameters
    ----------
    ledger : Ledger
    results : Results
    seed : int
        Of the bootstrap.

    Returns
    -------
    DataFrame
        Columns `REPLICATION`; NaN for what cannot be computed, such as the intervals of tables
        without scores.
    """
    rows = []
    for name, experiment in ledger.experiments.items():
        if not experiment.headline or not results.ran(name):
            continue
        for corpus in results.corpora(name):
            about = {"paper": ledger.paper, "experiment": name, "corpus": corpus}
            with suppress(DataError):  # the verdicts say what is wrong
                rows.append(
                    about
                    | _measured(
                        view_of(ledger, results, (name,), corpus), experiment.headline, seed
                    )
                )
    return pd.DataFrame(rows, columns=REPLICATION)


def all_replication(folder: Path, paper: str | None = None) -> pd.DataFrame:
    """Return the measures of replication of one paper or of all, as `replication` does."""
    results = Results(folder)
    frames = [replication(load(name), results) for name in ([paper] if paper else papers())]
    return pd.concat([frame for frame in frames if len(frame)] or frames[:1], ignore_index=True)


def _measured(view: View, headline: Mapping[str, str], seed: int) -> dict[str, object]:
    top, base, metric = (headline[name] for name in ("better", "than", "in"))
    column = headline.get("order", metric)
    methods = [row for row, c in view.published if c == column and view.has(row, column)]
    paper = np.array([view.published_value(row, column) for row in methods])
    ours = np.array([[view.value(row, column) for row in methods]])
    found: dict[str, object] = {
        "metric": metric,
        "comparison": f"{top} over {base}",
        "methods": len(methods),
    }
    if len(methods) > 2:
        draws = _resampled([view.cell(row, column) for row in methods], seed)
        found |= _with_interval("tau", _tau(paper, ours), _tau(paper, draws))
    if not (view.has(top, metric) and view.has(base, metric)):
        return found
    cells = [view.cell(row, metric) for row in (top, base)]
    found["topics"] = 0 if cells[0] is None else len(cells[0].topics)
    theirs = [view.published_value(row, metric) for row in (top, base)]
    whole, draws = (
        np.array([[view.value(row, metric) for row in (top, base)]]),
        _resampled(cells, seed),
    )
    gains = [means[:, 0] / means[:, 1] - 1 for means in (whole, draws)]  # relative improvements
    if "percent" in headline:
        printed = view.published_value(top, headline["percent"])
        gain, ratios = printed / 100, [100 * each / printed for each in gains]
    else:
        gain = theirs[0] / theirs[1] - 1
        ratios = [(means[:, 0] - means[:, 1]) / (theirs[0] - theirs[1]) for means in (whole, draws)]
    found |= _with_interval("effect_ratio", *ratios)
    return found | _with_interval("delta_ri", *(gain - each for each in gains))


def _resampled(cells: "list[ByTopic | None]", seed: int) -> Floats:
    """Return the means of some methods over topics drawn with replacement.

    Returns
    -------
    (resamples, methods) floats
        Empty where a method has no scores, or not the topics of the first one.
    """
    kept = [cell for cell in cells if cell is not None and len(cell.topics) > 1]
    if (
        not kept
        or len(kept) < len(cells)
        or any(list(c.topics) != list(kept[0].topics) for c in kept)
    ):
        return np.empty((0, len(cells)))
    topics = len(kept[0].topics)
    times = np.random.default_rng(seed).multinomial(
        topics, np.full(topics, 1 / topics), size=RESAMPLES
    )
    return np.column_stack([(times @ (c.shares * c.means)) / (times @ c.shares) for c in kept])


def _tau(paper: Floats, ours: Floats) -> Floats:
    """Kendall's tau-b of one list with each row of another: (methods,), (resamples, methods) →
    (resamples,).

    >>> _tau(np.array([1.0, 2.0, 3.0]), np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])).tolist()
    [1.0, -1.0]
    """
    first, second = np.triu_indices(len(paper), 1)
    theirs, own = np.sign(paper[first] - paper[second]), np.sign(ours[:, first] - ours[:, second])
    with np.errstate(invalid="ignore"):  # all tied: NaN
        found: Floats = own @ theirs / np.sqrt((own**2).sum(axis=1) * (theirs**2).sum())
    return found


def _with_interval(name: str, values: Floats, draws: Floats) -> dict[str, float]:
    low, high = np.nanpercentile(draws, [2.5, 97.5]) if draws.size else (nan, nan)
    return {name: float(values[0]), f"{name}_low": float(low), f"{name}_high": float(high)}
