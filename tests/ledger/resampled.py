"""How often the rule errs on topics as they are: ``python -m tests.ledger.resampled`` writes it.

`tests.ledger.test_null` draws normal topics. Here the topics of the committed tables are drawn
with replacement, all cells of a topic together, so their skew and their ties are kept. First every
cell is moved to where the null hypothesis has it. Its mean over the topics that are drawn from is
then exactly that, so each verdict that is counted is an error:

- *holds* and *contradicted*: all methods are equally good, or lie on the margin of the claim;
- *absent* and *smaller*: the paper's effect is true, and 2, 3 or 4.5 standard errors large;
- *row = control*: the row is far ahead of its rivals, as its control is, and plainly holds.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf

import numpy as np
import pandas as pd

from citectx.ledger import load, open_results, papers
from citectx.ledger.claim import Check, Claim, Correlates, Order
from citectx.ledger.evidence import Coordinate, Evidence, TopicScores
from citectx.ledger.rule import FEW_TOPICS, Comparisons, Judged, judge
from citectx.ledger.verdicts import evidence_of
from citectx.paths import RESULTS
from citectx.storage import write_atomically
from citectx.types import Floats

FILE = RESULTS / "open" / "ledger" / "errors.csv"
DRAWS = 2_000
"""How often each claim is drawn on each corpus; a row of the table has 16,000 draws or more."""

CHUNK = 100
"""Draws at a time: 942 topics of sixteen cells are 15,000 numbers in each of them."""

TOPICS = {"6 to 9": 6, "10 to 13": 10, "14 to 31": 14, "32 or more": 32}
"""The rows of the table, and the fewest topics of each."""

EFFECTS = (2.0, 3.0, 4.5)
"""The paper's effect where it is true, in standard errors."""

FAR = 1e4
Draw = Callable[[TopicScores, Floats, int], TopicScores]
"""Draws topics of cells around their expected values, by a seed."""

ERRORS = ("holds", "contradicted", "absent", "smaller", "row = control")


@dataclass
class Case:
    """A claim on a corpus that has scores by topic for all of its cells."""

    claim: Claim
    corpus: str
    evidence: Evidence
    is_second: bool = False
    """Whether this is the second domain, whose hundreds of papers are slow to draw again."""

    def controls(self) -> list[Order]:
        """List the controls that the corpus has, too, but for those over some citances alone."""
        scored = {*self.evidence.by_topic}
        controls = [one for one in self.claim.all_controls if not one.among]
        return [one for one in controls if {*one.cells()} <= scored]

    def topics(self) -> int:
        """Count the topics of the cell that has the fewest."""
        shares = self.evidence.scores(self.claim.check.cells()).shares[0]
        return int((shares > 0).sum(axis=1).min())


def cases() -> Iterator[Case]:
    """List the claims with each corpus where six topics are scored or more."""
    results = open_results(RESULTS / "open")
    for paper in papers():
        ledger = load(paper)
        for claim in ledger:
            for corpus in results(claim.tables[0]):
                evidence = evidence_of(ledger, results, claim.tables, corpus)
                is_second = ledger.stage(claim, corpus) == "second domain"
                if is_second and ledger.why_never(corpus, (), claim.claim_id):
                    continue
                case = Case(claim, corpus, evidence, is_second)
                is_scored = {*claim.check.cells()} <= {*evidence.by_topic}
                if is_scored and case.topics() >= FEW_TOPICS:
                    yield case


def resample(scores: TopicScores, expected: Floats, seed: int) -> TopicScores:
    """Draw topics with replacement from scores whose cells have the expected means, (cells,)."""
    used = (scores.shares[0] > 0).any(axis=0)
    centre = scores.mean[0] - expected
    moved = (scores.means[0] - centre[:, None])[:, used]  # (cells, topics)
    shares = scores.shares[0][:, used]
    n = int(used.sum())
    drawn = np.random.default_rng(seed).integers(n, size=(CHUNK, n))
    weights = shares[:, drawn].swapaxes(0, 1)  # (draws, cells, topics)
    with np.errstate(invalid="ignore"):  # a cell none of whose topics was drawn
        weights = weights / weights.sum(axis=-1, keepdims=True)
    return TopicScores(moved[:, drawn].swapaxes(0, 1), weights, expected)


def without_effect(
    check: Check, evidence: Evidence, seed: int, draw: Draw = resample
) -> Comparisons:
    """Draw what is seen where all methods are equally good, or lie on the claim's margin."""
    scores = evidence.scores(check.cells())
    if isinstance(check, Order):
        margin = check.high if check.high < inf else 0.0
        expected = np.array([margin * (row in check.rows) for row, _ in check.cells()])
        drawn = check.compare(evidence, draw(scores, expected, seed))
    else:  # the two columns come from different draws, so they have nothing in common
        nothing = np.zeros(len(scores.values))
        half = len(nothing) // 2
        one = draw(scores, nothing, seed)
        other = draw(scores, nothing, seed + CHUNK * DRAWS)
        means = np.concatenate([one.means[:, :half], other.means[:, half:]], axis=1)
        shares = np.concatenate([one.shares[:, :half], other.shares[:, half:]], axis=1)
        drawn = check.compare(evidence, TopicScores(means, shares, nothing))
    return drawn._replace(paper=np.full(len(drawn.labels), np.nan))


def with_effect(drawn: Comparisons, size: float) -> Judged:
    """Judge the same draws if the paper's effect is true and so many standard errors large."""
    paper = size * np.nanmedian(drawn.ours.error, axis=0)
    ours = drawn.ours._replace(effect=drawn.ours.effect + paper)
    return judge(drawn._replace(ours=ours, paper=paper), seen=1.0)


def level_with_control(
    case: Case, seed: int, draw: Draw = resample
) -> tuple[Judged, Judged] | None:
    """Judge draws in which a row is far ahead of its rivals, and level with all of its controls.

    The first verdicts are those before the controls. None where no means of the cells are like
    that, because a control compares what the claim does.
    """
    check, controls = case.claim.check, case.controls()
    assert isinstance(check, Order)
    cells = list(dict.fromkeys(cell for one in (check, *controls) for cell in one.cells()))
    wanted = [far_inside(check), *(one.high if one.high < inf else 0.0 for one in controls)]
    contrasts = [over(cells, one) for one in (check, *controls)]
    effects = np.repeat(wanted, [*map(len, contrasts)])
    expected = np.linalg.lstsq(np.concatenate(contrasts), effects)[0]  # (cells,)
    if not np.allclose(np.concatenate(contrasts) @ expected, effects, atol=1e-6):
        return None
    drawn = draw(case.evidence.scores(cells), expected, seed)

    def judge_one(one: Order) -> Judged:
        places = [cells.index(cell) for cell in one.cells()]
        values = expected[places]
        part = TopicScores(drawn.means[:, places], drawn.shares[:, places], values)
        compared = one.compare(case.evidence, part)
        return judge(compared._replace(paper=np.full(len(compared.labels), np.nan)))

    alone = judge_one(check)
    return alone, alone.and_beyond([judge_one(one) for one in controls])


def far_inside(check: Order) -> float:
    """Return an effect with which a claim holds in every draw."""
    if check.high == inf:
        return FAR
    return -FAR if check.low == -inf else 0.0


def over(cells: list[Coordinate], one: Order) -> Floats:
    """Return the contrasts of a comparison over more cells than its own, (pairs, cells)."""
    contrasts = np.zeros((len(one.pairs()), len(cells)))
    contrasts[:, [cells.index(cell) for cell in one.cells()]] = one.contrasts()
    return contrasts


def errors_of(case: Case, draws: int) -> dict[str, float]:
    """Return in which share of the draws each error is made."""
    chunks = [errors_in_chunk(case, seed) for seed in range(draws // CHUNK)]
    return dict(pd.DataFrame(chunks).mean())


def errors_in_chunk(case: Case, seed: int) -> dict[str, float]:
    """Return the same for one chunk of draws."""
    check = case.claim.check
    drawn = without_effect(check, case.evidence, seed)
    verdict = judge(drawn).verdict
    shares = {name: float((verdict == name).mean()) for name in ("holds", "contradicted")}
    if isinstance(check, Correlates) or (check.low, check.high) != (0.0, inf):
        return shares
    true = np.array([with_effect(drawn, size).verdict for size in EFFECTS])
    shares |= {name: float((true == name).mean()) for name in ("absent", "smaller")}
    if case.controls():
        level = level_with_control(case, seed)
        if level:
            shares["row = control"] = float((level[1].verdict == "holds").mean())
    return shares


def measure(draws: int = DRAWS) -> pd.DataFrame:
    """Measure the errors of every claim on every corpus, and summarise them by number of topics.

    Returns
    -------
    DataFrame
        A row for each range of topics and kind of error: how many ``claims`` there are (one on two
        corpora counts twice) with how many ``draws``, the ``mean`` error in percent, that of the
        ``worst`` claim, and how many claims are wrong in more than 5 % (``above_5``).
    """
    # a correlation over citances has no scores by topic that could be moved
    movable = [case for case in cases() if not getattr(case.claim.check, "of", "")]
    movable = [case for case in movable if not case.is_second]
    measured = [(case.topics(), errors_of(case, draws)) for case in movable]
    rows = []
    for topics, fewest in TOPICS.items():
        most = min((bound for bound in TOPICS.values() if bound > fewest), default=inf)
        errors = pd.DataFrame(by_claim for n, by_claim in measured if fewest <= n < most)
        for error in ERRORS:
            shares = 100 * errors[error].dropna()
            above = int((shares > 5).sum())
            count = len(shares) * draws
            rows.append((topics, error, len(shares), count, shares.mean(), shares.max(), above))
    columns = ["topics", "error", "claims", "draws", "mean", "worst", "above_5"]
    return pd.DataFrame(rows, columns=columns).round(1)


if __name__ == "__main__":
    write_atomically(FILE, measure().to_csv(index=False))
