"""The vocabulary of sentences with numbers, and its errors."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from citectx.errors import DataError
from citectx.experiments.results import COLUMNS, Result
from citectx.ledger import check, load
from citectx.paths import RESULTS
from citectx.show.prose import Facts, rendered

TABLE = '{% set t = table("sigir2017_table1", "one") %}\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three methods on eight topics of ten citances; BM25 is 1 to 3 points below VSM."""
    rng = np.random.default_rng(0)
    base = rng.uniform(20, 40, 80)
    shift = np.tile(np.linspace(1, 3, 10), 8)
    scores = {"VSM": base, "BM25": base - shift, "WE_Bio+dmn": base + shift}
    rows, citances = [], []
    for method, values in scores.items():
        cell = ["sigir2017_table1", "one", method, "c-F", values.mean(), 20, 40, "", 80, "{}", 0]
        rows.append(cell)
        for i, value in enumerate(values):
            citances.append(("one", f"T{i // 10}", str(i % 10), method, value))
    columns = ["corpus", "topic", "citance", "method", "c-F"]
    kept = pd.DataFrame(citances, columns=columns)
    Result("sigir2017_table1", pd.DataFrame(rows, columns=COLUMNS), kept).write(tmp_path / "01")
    extra = [("one", 0.5, -1234.5, -2000.0, 1.0), ("one", 0.9, 0.26, None, None)]
    names = ["corpus", "cap", "gain", "ci_low", "ci_high"]
    pd.DataFrame(extra, columns=names).to_csv(tmp_path / "01" / "extra.csv", index=False)
    return tmp_path / "01"


@pytest.fixture
def facts(folder: Path) -> Facts:
    return Facts(folder.parent)


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ('{{ t.n("VSM", "c-F") }} citances', "80 citances"),
        ('{{ t.difference("WE_Bio+dmn", "VSM", "c-F") }}', "+2.0 [2.0, 2.0]"),
        ('{{ t.difference("BM25", "VSM", "c-F", interval=false) }}', "-2.0"),
        ('{{ cell("extra", "gain", cap=0.5, decimals=0) }}', "-1,234"),
        ('{{ cell("extra", "gain", cap=0.9, percent=true, signed=true) }} %', "+26.0 %"),
        ('{{ cell("extra", "gain", cap=0.5, interval=true) }}', "-1,234.5 [-2000.0, 1.0]"),
        ('{{ rows("extra", corpus="one") | length }} rows', "2 rows"),
    ],
)
def test_what_a_sentence_can_say(facts: Facts, sentence: str, said: str) -> None:
    assert rendered(TABLE + sentence, facts) == said


def test_percents_and_decimals_belong_to_the_table(facts: Facts, folder: Path) -> None:
    value = pd.read_csv(folder / "sigir2017_table1.csv")["value"][0]
    text = '{{ table("sigir2017_table1", "one", 2, percent=true).value("VSM", "c-F") }}'
    assert rendered(text, facts) == f"{100 * value:,.2f}"


@pytest.mark.parametrize(
    ("sentence", "why"),
    [
        ("{{ nothing }}", "'nothing' is undefined"),
        ("{{ t.mean }}", "no attribute 'mean'"),
        ("{% if %}", "Expected an expression"),
        ('{{ t.value("VSM") }}', "missing 1 required positional argument"),
        ('{{ table("sigir2018_table1", "one") }}', "no table sigir2018_table1"),
        ('{{ table("sigir2017_table1", "two") }}', "unknown corpus .* 'two'; known: 'one'"),
        ('{{ t.value("VSN", "c-F") }}', "unknown method .* known: 'BM25', 'VSM', 'WE_Bio.dmn'"),
        ('{{ t.difference("VSM", "LMD", "c-F") }}', "unknown method .* 'LMD'"),
        ('{{ t.value("VSM", "c-G") }}', "unknown metric .* known: 'c-F'"),
        ('{{ cell("extra", "gain") }}', "2 rows of extra .* expected one"),
        ('{{ cell("extra", "loss", cap=0.5) }}', "unknown column of extra 'loss'; known: 'cap'"),
        ('{{ cell("extra", "gain", cop=0.5) }}', "unknown column of extra 'cop'"),
        ('{{ cell("extra", "gain", cap=0.7) }}', "unknown cap of extra 0.7; known: '0.5', '0.9'"),
        ('{{ cell("extra", "gain", cap=0.9, interval=true) }}', "no gain or ci_low or ci_high"),
        ('{{ verdict("sigir2017/no-such-claim", "one", holds="") }}', "unknown claim of sigir2017"),
        ('{{ verdict("sigir2018/x", "one", holds="") }}', "unknown paper 'sigir2018'"),
        ('{{ verdict("sigir2017/bio-beats-wiki", "two", holds="") }}', "unknown corpus .* 'one'"),
    ],
)
def test_a_sentence_that_nothing_bears_out(facts: Facts, sentence: str, why: str) -> None:
    """The message names template and line, and says what there is."""
    with pytest.raises(DataError, match=rf"^page.md.j2, line 3: .*{why}"):
        rendered(f"{TABLE}It gains\n{sentence} points.", facts, "page.md.j2")


def test_a_difference_without_scores_has_no_interval(facts: Facts, folder: Path) -> None:
    (folder / "sigir2017_table1.citances.csv.gz").unlink()
    with pytest.raises(DataError, match="no scores of VSM and BM25 for an interval"):
        rendered(TABLE + '{{ t.difference("VSM", "BM25", "c-F") }}', facts)


def test_a_verdict_needs_its_phrase(facts: Facts) -> None:
    claim = '"sigir2017/bio-beats-wiki", "one"'
    said = rendered(f"It {{{{ verdict({claim}, not_testable_here='is open') }}}}.", facts)
    assert said == "It is open."
    with pytest.raises(DataError, match=r"is not testable here, .* words for holds or absent only"):
        rendered(f"{{{{ verdict({claim}, holds='holds', absent='does not') }}}}", facts)
    with pytest.raises(DataError, match=r"is not testable here, .* words for holds only"):
        rendered(f"{{{{ effect({claim}, 'holds') }}}}", facts)


def test_a_claim_without_an_effect_has_no_number(facts: Facts) -> None:
    with pytest.raises(DataError, match="bio-beats-wiki on one has no effect"):
        claim = '"sigir2017/bio-beats-wiki", "one", "not_testable_here"'
        rendered(f"{{{{ effect({claim}) }}}}", facts)


def test_an_effect_is_the_ledgers() -> None:
    facts, corpus = Facts(RESULTS / "open"), "citation-integrity-fulltext"
    verdicts = check(load("lrec2016"), facts.results).query("id == 'weights-help'")
    row = verdicts[verdicts["corpus"] == corpus].to_dict("records")[0]
    said = facts.effect("lrec2016/weights-help", corpus, row["verdict"], decimals=4)
    assert said == f"{row['effect']:+.4f} [{row['ci_low']:.4f}, {row['ci_high']:.4f}]"
