"""Cards for a debate: a claim and its control on the front, the verdict on the back."""

import re

import pandas as pd
import pytest

from citectx.errors import ParameterError
from citectx.ledger import papers
from citectx.ledger.verdicts import FILE
from citectx.paths import RESULTS
from citectx.show.debate import debate_card

VERDICTS = pd.read_csv(RESULTS / "open" / FILE)


@pytest.mark.parametrize("paper", papers())
def test_a_verdict_stands_on_the_back_only(paper: str) -> None:
    front, back = debate_card(paper).split("<details>")
    says = front.split("\n> ")[1].splitlines()[0]
    rows = VERDICTS[VERDICTS["says"] == says]
    assert {*rows["paper"]} == {paper}
    assert not any(verdict in front for verdict in rows["verdict"])
    verdict, corpus = re.findall(r"\*\*(.+)\*\*, on ([\w-]+) ", back)[0]
    [row] = rows[rows["corpus"] == corpus].to_dict("records")
    assert row["verdict"] == verdict
    # What was run once is shown, with a control; its outcome is on the back.
    assert row["stage"] == "confirmed"
    outcomes = re.findall(r": [+-]?[\d.]+ \[", str(row["control"]))
    assert outcomes
    assert all(outcome in back and outcome not in front for outcome in outcomes)
    assert f"{row['effect']:+.3g}" in back
    assert f"{row['effect']:+.3g}" not in front


def test_every_claim_with_an_effect_has_a_card() -> None:
    with_effect = VERDICTS[VERDICTS["effect"].notna()].drop_duplicates("id")
    for row in with_effect.itertuples():
        front, back = debate_card(str(row.paper), str(row.id)).split("<details>")
        assert str(row.says) in front
        assert "nan" not in front + back


def test_unknown_papers_and_claims_are_named() -> None:
    with pytest.raises(ParameterError, match="sigir2017"):
        debate_card("sigir2018")
    with pytest.raises(ParameterError, match="bio-beats-wiki"):
        debate_card("sigir2017", "bio-beats")
