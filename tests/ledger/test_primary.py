"""The primary claims, as they were declared."""

import re

import numpy as np
import pandas as pd

from citectx.ledger.primary import report_primary, survivors
from citectx.ledger.verdicts import FILE
from citectx.paths import RESULTS, ROOT

OPEN = RESULTS / "open"


def test_primary_claims_are_those_of_the_declaration() -> None:
    page = (ROOT / "docs" / "verdicts.md").read_text("utf-8")
    section = page.partition("## Declared for corpora to come")[2].partition("\n## ")[0]
    declared = re.findall(r"^\| (\w+2\d+|\w+) \| (.+?) \| .+? \|$", section, re.MULTILINE)[1:]
    frame = report_primary(OPEN)
    assert sorted(paper for paper, _ in declared) == sorted(frame["paper"])
    rows = {text.split()[0] for _, text in declared}
    assert {re.split(r"[ -]", name)[0] for name in frame["comparison"]} == {
        re.split(r"[ -]", name)[0] for name in rows
    }


def test_primary_claims_are_judged_on_the_confirmation_and_under_every_reading() -> None:
    frame = report_primary(OPEN).set_index("comparison")
    verdicts = pd.read_csv(OPEN / FILE).query("stage == 'confirmed'").set_index("id")
    # two of the four are claims of the ledger as they stand
    for name, label in (
        ("np-beats-baseline", "NP over baseline in F-1"),
        ("impact-model-beats-baselines", "KL-Divergence over the best baseline in ROUGE-L @15"),
    ):
        ours, row = frame.loc[label], verdicts.loc[name]
        assert ours["corpus"] == row["corpus"]
        assert ours["verdict"] == row["verdict"]
        assert np.isclose(ours["effect"], row["effect"], rtol=1e-5)
    assert frame["robust"].tolist() == (frame["same"] / frame["readings"] >= 0.9).tolist()
    curve = pd.read_csv(OPEN / "naacl2015_confirmed_curve/naacl2015_confirmed_curve.readings.csv")
    label = "NP over baseline in F-1"
    own = curve[(curve["headline"] == label) & (curve["role"] == "claim")]["verdict"]
    assert frame.loc[label, "readings"] == len(own)
    assert frame.loc[label, "same"] == (own == frame.loc[label, "verdict"]).sum()


def test_other_claims_must_survive_holms_correction() -> None:
    verdicts = pd.read_csv(OPEN / FILE)
    left = survivors(verdicts)
    assert (left["p_holm"] <= 0.05).all() and left["verdict"].str.startswith("holds").all()
    assert "expand-is-no-more-precise" in {*left["id"]}
    assert "np-recalls-more-than-kw" not in {*left["id"]}
