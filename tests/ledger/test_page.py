"""All verdicts again, written from the words of docs/verdicts.md and not from the package's code.

Taken over are the claims as data (rows, rivals, columns, rule, bounds, controls), the tables with
their scores, and *seen*, which is a simulation.
"""

from functools import cache
from math import inf, nan
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from citectx.evaluation import mean_over
from citectx.experiments.results import find
from citectx.ledger import load, open_results
from citectx.ledger.claim import Best, Claim, Correlates, Ledger, Order
from citectx.ledger.primary import report_primary, survivors
from citectx.ledger.rule import BELOW, NOT_BEYOND
from citectx.paths import RESULTS
from tests.numbers import says

OPEN = RESULTS / "open"
VERDICTS = pd.read_csv(find(OPEN, "verdicts.csv"))
Difference = tuple[float, float, float, int]
"""Effect, standard error, degrees of freedom, topics."""


@cache
def files(table: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    scores = find(OPEN, f"{table}.citances.csv.gz")
    kept = pd.read_csv(scores) if scores.is_file() else pd.DataFrame(columns=["corpus", "method"])
    return pd.read_csv(find(OPEN, f"{table}.csv")), kept


@cache
def scores_of(tables: tuple[str, ...], corpus: str, row: str, column: str, among: str = "") -> Any:
    """The table's value and n, and the scores by topic (None if there are none)."""
    for name in tables:
        table, scores = files(name)
        here = table[(table[["corpus", "method", "metric"]] == [corpus, row, column]).all(axis=1)]
        if len(here):
            own = scores[(scores["corpus"] == corpus) & (scores["method"] == row)]
            has = column in own and own[column].notna().any()
            if among:
                alone = scores[(scores["corpus"] == corpus) & (scores["method"] == among)]
                own = own.merge(alone[["topic", "citance"]])
            by_topic = own.set_index("topic")[column].dropna() if has else None
            return float(here["value"].iloc[0]), int(here["n"].iloc[0]), by_topic
    return None


def moves(at: Any) -> tuple[float, pd.Series, pd.Series]:
    """The mean of a row, the topics' shares in it, and by how much each moves it."""
    _, n, scores = at
    means, sizes = scores.groupby(level=0).mean(), scores.groupby(level=0).size()
    p = pd.Series(1.0, means.index) if n == len(means) else sizes
    p = p / p.sum()
    mean = float((p * means).sum())
    return mean, p, p * (means - mean)


def difference(parts: list[tuple[int, Any]]) -> Difference:
    """The sum of some rows with signs, with the error and degrees of freedom of the page."""
    if any(at[2] is None for _, at in parts):
        return sum(sign * at[0] for sign, at in parts), nan, nan, 0
    found = [(sign, *moves(at)) for sign, at in parts]
    effect = sum(sign * mean for sign, mean, _, _ in found)
    d = pd.concat([sign * moved for sign, _, _, moved in found], axis=1).fillna(0.0).sum(axis=1)
    p = pd.concat([share for _, _, share, _ in found], axis=1).fillna(0.0).mean(axis=1).to_numpy()
    m = np.diag(p) @ (np.eye(len(p)) - np.ones((len(p), 1)) @ p[None])
    a = m.T @ m
    variance = float((d**2).sum() * (p**2).sum() / np.trace(a)) if len(p) > 1 else nan
    df = np.trace(a) ** 2 / np.trace(a @ a) if len(p) > 1 else nan
    return effect, float(np.sqrt(variance)), float(df), len(p)


def correlation(check: Correlates, claim: Claim, corpus: str) -> Difference:
    """Kendall's tau with a jackknife over topics."""
    cells = [
        scores_of(claim.tables, corpus, row, column)
        for column in (check.column, check.other)
        for row in check.across or (check.of,)
    ]
    if any(at[2] is None for at in cells):
        values = np.split(np.array([at[0] for at in cells]), 2)
        return float(stats.kendalltau(*values).statistic), nan, nan, 0
    topics = sorted({topic for at in cells for topic in at[2].index})

    def tau(left: list[str]) -> float:
        kept = [at[2][at[2].index.isin(left)] for at in cells]
        if check.of:
            return float(stats.kendalltau(*(own.to_numpy() for own in kept)).statistic)
        means = [
            own.groupby(level=0).mean().mean() if at[1] == len(topics) else own.mean()
            for own, at in zip(kept, cells, strict=True)
        ]
        return float(stats.kendalltau(*np.split(np.array(means).round(12), 2)).statistic)

    if any({*at[2].index} != {*topics} for at in cells):  # a cell lacks a topic
        return tau(topics), nan, nan, 0
    without = np.array([tau([t for t in topics if t != topic]) for topic in topics])
    n = len(topics)
    error = np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum())
    return tau(topics), float(error), n - 1, n


def ledger_of(claim: Claim) -> Ledger:
    return load(str(VERDICTS.loc[VERDICTS["id"] == claim.claim_id, "paper"].iloc[0]))


def paper_effect(
    check: Order, claim: Claim, corpus: str, column: str, row: str, rival: str
) -> float:
    """The paper's effect, over the best of its rivals; percent are of our rival."""
    ledger = load(str(VERDICTS.loc[VERDICTS["id"] == claim.claim_id, "paper"].iloc[0]))
    numbers = ledger.published(claim.tables)
    at = scores_of(claim.tables, corpus, rival, column)
    ours = at[0] if at[2] is None else moves(at)[0]
    if check.percent:
        return check.sign * numbers.get((row, check.percent), nan) / 100 * ours
    rivals = check.rivals if isinstance(check.rivals, Best) else (rival,)
    theirs = [check.sign * numbers.get((name, column), nan) for name in rivals]
    base = check.sign * (nan if np.isnan(theirs).any() else max(theirs))
    effect = numbers.get((row, column), nan) - base
    return check.sign * (effect / base * ours if ledger.relative(claim) and base else effect)


def pairs_of(check: Order) -> list[tuple[str, str, list[str]]]:
    """Column, row and its rivals, of which the strongest counts."""
    if isinstance(check.rivals, Best):
        return [(c, row, [*check.rivals]) for c in check.columns for row in check.rows]
    if check.rows == check.rivals:
        rows = [(a, b) for i, b in enumerate(check.rows) for a in check.rows[i + 1 :]]
    else:
        rows = [(row, rival) for rival in check.rivals for row in check.rows]
    return [(c, row, [rival]) for c in check.columns for row, rival in rows]


def verdict_of(check: Any, claim: Claim, corpus: str, seen: float) -> str:
    """The verdict before controls."""
    found = list[tuple[float, Difference, float, float]]()
    low, high, k = 0.0, inf, 1
    if isinstance(check, Correlates):
        numbers = load(
            str(VERDICTS.loc[VERDICTS["id"] == claim.claim_id, "paper"].iloc[0])
        ).published(claim.tables)
        columns = [
            [numbers.get((r, c), nan) for r in check.across] for c in (check.column, check.other)
        ]
        paper = stats.kendalltau(*columns).statistic if check.across else nan
        ours = correlation(check, claim, corpus)
        found, n, m = [(0.0, ours, float(paper), check.least)], 1, 1
    else:
        low, high = check.low, check.high
        for column, row, rivals in pairs_of(check):
            k, against = len(rivals), []
            for rival in rivals:
                rows = zip((row, rival, *check.minus), (1, -1, -1, 1), strict=False)
                parts = [
                    (s * check.sign, scores_of(claim.tables, corpus, r, column, check.among))
                    for r, s in rows
                ]
                ours = difference(parts)
                margin = min(ours[0] - low, high - ours[0])
                scale = 1.0 if np.isnan(ours[1]) else ours[1]
                distance = margin / scale if scale else np.sign(margin) * inf if margin else 0.0
                paper = paper_effect(check, claim, corpus, column, row, rival)
                at = scores_of(claim.tables, corpus, rival, column)
                level = at[0] if at[2] is None else moves(at)[0]
                least = check.least * (level / 100 if ledger_of(claim).relative(claim) else 1)
                against.append((distance, ours, paper, least))
            found.append(min(against, key=lambda one: one[0]))
        n = len(found)
        m = {"each": n, "most": n // 2 + 1, "any": 1}[check.rule]
    borne_out = [np.isnan(paper) or low < paper < high for _, _, paper, _ in found]
    order = sorted(range(n), key=lambda i: -found[i][0])
    _, (effect, error, df, topics), paper, least = found[order[m - 1]]
    paper = paper if borne_out[order[m - 1]] else nan
    inside = stats.t.ppf(1 - 0.025 / (n - m + 1), df) * error
    outside = stats.t.ppf(1 - 0.025 / (m * k), df) * error
    is_better, half = (low, high) == (0, inf), (least if np.isnan(paper) else paper) / 2
    cases = {
        "inconsistent in the paper": sum(borne_out) < m,
        "not testable here": np.isnan(error) or (effect == 0 and error == 0),
        "inconclusive": topics < 6,
        "holds": effect - inside > low and effect + inside < high,
        "contradicted": effect + outside < low or effect - outside > high,
        "absent": is_better and -half < effect - inside and effect + outside < half,
        "smaller": is_better and effect + outside < paper and seen > 0.5,
    }
    return next((verdict for verdict, is_true in cases.items() if is_true), "inconclusive")


def has(check: Any, claim: Claim, corpus: str) -> bool:
    return all(scores_of(claim.tables, corpus, *cell) for cell in check.cells())


def test_all_verdicts_follow_from_the_page() -> None:
    judged = VERDICTS[VERDICTS["topics"].notna()]
    wrong = []
    for line in judged.to_dict("records"):
        corpus = line["corpus"]
        claim = load(line["paper"])[line["id"]].on(corpus)
        expected = verdict_of(claim.check, claim, corpus, line["seen"])
        controls = [c for c in claim.all_controls if has(c, claim, corpus)]
        if expected == "holds":
            found = {verdict_of(c, claim, corpus, 0) for c in controls}
            if not found:
                expected = "holds, no control"
            elif "contradicted" in found:
                expected = "holds, below its control"
            elif found != {"holds"}:
                expected = "holds, not beyond its control"
        if expected != line["verdict"]:
            wrong.append((line["id"], corpus, line["verdict"], expected))
    assert not wrong
    silent = VERDICTS.drop(judged.index)
    assert {*silent["verdict"]} == {"not testable here"} and silent["reason"].notna().all()


def counted(stage: str) -> pd.DataFrame:
    """What the papers claim at a stage, each comparison once."""
    rows = VERDICTS[(VERDICTS["stage"] == stage) & ~VERDICTS["ours"]]
    return rows[rows["same_as"].isna()]


def test_the_page_counts_verdicts_and_names_what_rests_on_one_comparison() -> None:
    stages = [counted(stage)["verdict"] for stage in ("explored", "confirmed", "second domain")]
    for verdict in sorted({verdict for stage in stages for verdict in stage}):
        numbers = " | ".join(str((stage == verdict).sum()) for stage in stages)
        says("verdicts.md", f"| {verdict} | {numbers} |")
    again = VERDICTS[VERDICTS["same_as"].notna() & (VERDICTS["stage"] == "confirmed")]
    for row in again[~again["ours"]].to_dict("records"):
        says("verdicts.md", f"`{row['same_as']}` and `{row['id']}`")
    held = counted("confirmed")
    failed = held[held["verdict"].isin([NOT_BEYOND, BELOW])]
    post_hoc = int(failed["post_hoc"].sum())
    assert "holds" not in {*held["verdict"]}  # "no confirmed claim is clearly ahead"
    says("verdicts.md", f"Of the {len(failed)} that fail one, {post_hoc} met a control")


def test_the_page_has_what_should_have_held() -> None:
    rows = counted("confirmed").dropna(subset="seen")
    rows = rows[~rows["verdict"].isin(["not testable here", "inconsistent in the paper"])]
    for paper, part in (*rows.groupby("paper"), ("all", rows)):
        hold = part["verdict"].str.startswith("holds").sum()
        says("verdicts.md", f"| {paper} | {len(part)} | {part['seen'].sum():.1f} | {hold} |")


def test_the_page_has_each_verdict_of_the_second_domain() -> None:
    confirmed = VERDICTS[VERDICTS["stage"] == "confirmed"].set_index("id")["verdict"]
    second = VERDICTS[VERDICTS["stage"] == "second domain"]
    judged = second[second["verdict"] != "not testable here"]
    for row in judged.to_dict("records"):
        digits = 1 if row["paper"] == "sigir2017" else 3
        low, high = (f"{row[name]:.{digits}f}" for name in ("rule_low", "rule_high"))
        ours = f"{row['effect']:+.{digits}f} [{low}, {high}]"
        paper = f"{row['published']:+.{digits}f}" if pd.notna(row["published"]) else "not printed"
        pair = row["pair"].replace("|", r"\|")
        line = f"| `{row['id']}` | {pair} | {paper} | {ours} | {row['verdict']} |"
        says("verdicts.md", f"{line} {confirmed[row['id']]} |")
    printed = judged[judged["seen"].notna() & ~judged["ours"]]
    hold = printed["verdict"].str.startswith("holds").sum()
    said = f"{len(printed)} claims with a printed effect {printed['seen'].sum():.1f} should hold"
    says("verdicts.md", f"{said} if the papers were right, and {hold} do.")
    assert (judged["verdict"] == "holds").sum() == 4


def means_of(table: str, corpus: str, first: str, second: str, metric: str) -> str:
    """Write how far a row is above another on the second domain, with its interval."""
    scores = open_results(OPEN)(table)[corpus][1]
    wide = scores.pivot_table(metric, "topic", "method")
    digits = 1 if table.startswith("sigir2017") else 3
    gain = (wide[first] - wide[second]).dropna()
    effect, low, high = mean_over(gain, gain.index).numbers
    return f"{effect:+.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


HALF, UNSEEN, GOLD = "scisummnet-half", "scisummnet-unseen", "scisumm-gold"
RG1, RG2 = "LexRank RG-1", "LexRank RG-2"
IN_15, IN_10, WORDS = "ROUGE-L @15", "ROUGE-L @10", "ROUGE-L @250 words"
TABLE1, TABLE3, TABLE4 = "acl2008_table1", "acl2008_table3", "sigir2017_table4"
MODEL, REFERENCES = "KL-Divergence", "acl2008_references"

SECOND = [
    ("WE_Wiki's by {} points over the citances", TABLE4, HALF, "WE_Wiki", "No Context", RG1),
    ("WE_Dom's by {}. The paper", TABLE4, HALF, "WE_Dom", "No Context", RG1),
    ("same contexts do harm, {} and", TABLE4, HALF, "WE_Wiki", "No Context", RG2),
    ("and {}, and with LSA", TABLE4, HALF, "WE_Dom", "No Context", RG2),
    ("Random contexts do harm, {}, and", TABLE4, HALF, "Random Context", "No Context", RG1),
    ("WE_Wiki is {} above them", TABLE4, HALF, "WE_Wiki", "Random Context", RG1),
    ("plain VSM it is not clearly different, {},", TABLE4, HALF, "WE_Wiki", "VSM", RG1),
    ("BM25's are open, {}.", TABLE4, HALF, "BM25", "No Context", RG1),
    ("by F it is {} from LEAD", TABLE1, UNSEEN, MODEL, "LEAD", "ROUGE-L F @15"),
    ("words it is {} from MEAD-Doc+Cite", TABLE1, UNSEEN, MODEL, "MEAD-Doc+Cite", WORDS),
    ("and {} from MEAD-Doc. Plain", TABLE1, UNSEEN, MODEL, "MEAD-Doc", WORDS),
    ("at both lengths, by {} and", TABLE1, UNSEEN, "BM25", MODEL, IN_15),
    ("and {}. - **Contexts alone", TABLE1, UNSEEN, "BM25", MODEL, WORDS),
    ("way round in ten sentences, {}, but", TABLE3, GOLD, "P(w|C)", "P(w|d)", IN_10),
    ("but not in 250 words, {}. Why", TABLE3, GOLD, "P(w|C)", "P(w|d)", WORDS),
    ("contexts alone are {} from ConstCoef", TABLE3, UNSEEN, "P(w|C)", "ConstCoef", WORDS),
    ("by F in ten sentences {}.", TABLE3, UNSEEN, "P(w|C)", "ConstCoef", "ROUGE-L F @10"),
    (
        "the model is {} from MEAD-Doc+Cite. -",
        REFERENCES,
        GOLD,
        MODEL,
        "MEAD-Doc+Cite",
        "ROUGE-L @15, people",
    ),
]


@pytest.mark.parametrize(("said", "table", "corpus", "first", "second", "metric"), SECOND)
def test_what_the_page_says_of_the_second_domain_is_in_its_tables(
    said: str, table: str, corpus: str, first: str, second: str, metric: str
) -> None:
    says("verdicts.md", said.format(means_of(table, corpus, first, second, metric)))


def test_the_page_says_how_far_two_references_agree() -> None:
    scores = open_results(OPEN)("sigir2017_table4")[HALF][0]
    lsa = scores[scores["metric"] == "LSA RG-1"].set_index("method")["value"]
    assert lsa.idxmax() == "No Context"
    for corpus, metric, said in (
        (GOLD, IN_15, "a tau of {} in 15 sentences"),
        (GOLD, WORDS, "and {} in 250 words. On twelve"),
        ("scisumm-train", IN_15, "On twelve training topics it is {} and"),
        ("scisumm-train", WORDS, "and {}. So the reference"),
    ):
        table = open_results(OPEN)(REFERENCES)[corpus][0]
        agreement = table[table["method"] == "agreement"].set_index("metric")
        row = agreement.loc[f"tau of {metric}"]
        tau = f"{row['value']:+.2f} [{row['ci_low']:.2f}, {row['ci_high']:.2f}]"
        says("verdicts.md", said.format(tau))
    second = VERDICTS[(VERDICTS["stage"] == "second domain") & ~VERDICTS["ours"]]
    against = second[second["verdict"] == "contradicted"]
    fails = against[against["p_holm"] > 0.05]["id"]
    assert len(against) == 6
    assert {*fails} == {"dirichlet-beats-constant", "authority-helps"}


def readings_of(name: str, headline: str) -> pd.DataFrame:
    """Read the readings of one headline on the second domain, each result once."""
    rows = pd.read_csv(find(OPEN, f"{name}.readings.csv"))
    rows = rows[(rows["headline"] == headline) & (rows["role"] == "claim")]
    return rows[~rows[["effect", "ci_low", "ci_high"]].duplicated()]


def test_the_page_says_under_how_many_readings_the_second_domain_says_so() -> None:
    said = []
    for row in ("WE_Wiki", "WE_Dom"):
        headline = f"{row} over No Context in LexRank RG-1"
        rows = readings_of("sigir2017_summaries_second_curve", headline)
        said.append(f"{(rows['verdict'] == 'holds').sum()} of {len(rows)}")
        against = rows[rows["verdict"] == "contradicted"]
        assert [*against["summarizer"]] == ["LSA"]
    wiki, domain = said
    says(
        "verdicts.md", f"more than random ones, under {wiki} readings, and WE_Dom's under {domain}"
    )
    headline = "KL-Divergence over the best baseline in ROUGE-L @15"
    rows = readings_of("acl2008_second_curve", headline)
    behind = (rows["verdict"] == "contradicted").sum()
    says("verdicts.md", f"best baseline of its table under {behind} of {len(rows)}, also")
    (alone,) = rows[rows["sharing"] == "none"][["effect", "ci_low", "ci_high"]].to_numpy()
    says("verdicts.md", "share a citing paper, {:+.3f} [{:.3f}, {:.3f}]".format(*alone))
    rows = readings_of("acl2008_second_curve", headline.replace("@15", "@250 words"))
    (free,) = rows[rows["abstract"] == "a candidate"].to_dict("records")
    numbers = "{effect:+.3f} [{ci_low:.3f}, {ci_high:.3f}]".format_map(free)
    says("verdicts.md", f"it is {numbers} from {free['against']} in 250 words")


def test_the_page_reports_the_primary_claims_and_who_survives_holm() -> None:
    for row in report_primary(OPEN).to_dict("records"):
        digits = 1 if row["paper"] == "sigir2017" else 3
        low, high = (f"{row[name]:.{digits}f}" for name in ("ci_low", "ci_high"))
        ours = f"{round(row['effect'], digits) + 0.0:+.{digits}f} [{low}, {high}]"
        about = f"| {row['paper']} | {row['comparison']} | {ours} | {row['verdict']} "
        says("verdicts.md", f"{about}| {row['same']} of {row['readings']} |")
        assert not row["robust"] and row["verdict"] != "holds"  # as the page says
    left = survivors(VERDICTS)
    names = ", ".join(f"`{name}`" for name in left["id"])
    says("verdicts.md", f"These {len(left)} hold in any way and survive it: {names}. None")
    assert "holds" not in {*left["verdict"]}


def test_the_page_says_which_verdicts_move_if_topics_count_alike() -> None:
    judged = VERDICTS[VERDICTS["topics"].notna()]
    moved = judged[judged["alike"] != judged["verdict"]]
    says("verdicts.md", f"{len(moved)} of {len(judged)} verdicts would change")
    for row in moved.to_dict("records"):
        after = {"confirmed": f" (*{row['alike']}*)"}.get(row["stage"], "")
        says("verdicts.md", f"`{row['id']}`{after}")
    assert {*moved["stage"]} == {"explored", "confirmed"}
