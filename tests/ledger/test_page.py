"""What docs/verdicts.md says of the committed verdicts, tables and readings."""

import re

import pandas as pd
import pytest

from citectx.evaluation import mean_over
from citectx.experiments.results import find
from citectx.ledger import open_results
from citectx.ledger.primary import report_primary, survivors
from citectx.ledger.rule import BELOW, NOT_BEYOND
from citectx.paths import RESULTS, ROOT
from tests.numbers import says

OPEN = RESULTS / "open"
VERDICTS = pd.read_csv(find(OPEN, "verdicts.csv"))


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


def test_primary_claims_are_those_of_the_declaration() -> None:
    page = (ROOT / "docs" / "verdicts.md").read_text("utf-8")
    section = page.partition("## Declared for corpora to come")[2].partition("\n## ")[0]
    declared = re.findall(r"^\| (\w+2\d+|\w+) \| (.+?) \| .+? \|$", section, re.MULTILINE)[1:]
    frame = report_primary(OPEN)
    assert sorted(paper for paper, _ in declared) == sorted(frame["paper"])
    rows = {re.split(r"[ -]", text)[0] for _, text in declared}
    assert {re.split(r"[ -]", name)[0] for name in frame["comparison"]} == rows


def test_the_page_says_which_verdicts_move_if_topics_count_alike() -> None:
    judged = VERDICTS[VERDICTS["topics"].notna()]
    moved = judged[judged["alike"] != judged["verdict"]]
    says("verdicts.md", f"{len(moved)} of {len(judged)} verdicts would change")
    for row in moved.to_dict("records"):
        after = {"confirmed": f" (*{row['alike']}*)"}.get(row["stage"], "")
        says("verdicts.md", f"`{row['id']}`{after}")
    assert {*moved["stage"]} == {"explored", "confirmed"}
