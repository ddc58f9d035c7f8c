from pathlib import Path

import pandas as pd
import pytest

from citectx.apps.contexts import finder
from citectx.corpora.articles import read_article
from citectx.experiments.results import read
from citectx.paths import RESULTS, ROOT

EXAMPLES = ROOT / "docs" / "your-paper"


def wide(result_table: pd.DataFrame) -> pd.DataFrame:
    return result_table.pivot_table(index="method", columns="metric", values="value", sort=False)


def test_every_condition_on_files_whose_answers_are_known(tmp_path: Path) -> None:
    text = (EXAMPLES / "citing-review.xml").read_text("utf-8")
    for name, title in (
        ("one", "Warm springs and early rotifers"),
        ("two", "Warm spring and the early rotifers"),
    ):
        entry = "<year>1998</year><pub-id pub-id-type='pmid'>7</pub-id>"
        own = text.replace("Warm springs and early rotifers", title).replace(
            "<year>1998</year>", entry
        )
        (tmp_path / f"{name}.xml").write_text(own, "utf-8")
    articles = [read_article(tmp_path / f"{name}.xml") for name in ("one", "two")]
    result = finder.run({"made up": articles})
    table = wide(result.table)
    assert table.loc["all metadata"].tolist() == [100.0] * 4
    assert table.loc["title and year"].tolist() == [100.0] * 4
    assert table.loc["another file's entry"].tolist() == [100.0] * 4  # a misprint apart
    # Without links "3" in brackets is still read, and the range too; nothing is linked to entry 3
    # in [2–4].
    assert table.loc["links removed"].tolist() == [100.0] * 4
    assert set(result.table["n"]) == {4, 8}


def test_what_is_not_found_lowers_recall(tmp_path: Path) -> None:
    path = tmp_path / "citing.xml"
    text = (EXAMPLES / "citing-review.xml").read_text("utf-8")
    path.write_text(text.replace('rid="b3">3<', 'rid="b3">three<'), "utf-8")
    table = wide(finder.run({"made up": [read_article(path)]}).table)
    assert table.loc["all metadata", "sentence recall"] == 100
    assert table.loc["links removed", "sentence recall"] == pytest.approx(75)


def test_committed_table_is_whole_and_in_the_documentation() -> None:
    table = read(RESULTS / "open", finder.NAME)
    plos = wide(table[table["corpus"] == "plos-jats"])
    assert set(plos.columns) == set(finder.METRICS)
    assert plos.loc["all metadata"].min() > 99
    page = (ROOT / "docs" / "your-paper.md").read_text("utf-8")
    printed = [
        line.split(" | ") for line in page.splitlines() if line.startswith(("| `plos", "| `s2orc"))
    ]
    shown = {
        (row[0].strip("|` "), row[1]): [float(cell.strip(" |")) for cell in row[3:]]
        for row in printed
    }
    rounded = table.groupby(["corpus", "method"])["value"].apply(
        lambda values: values.round(1).tolist()
    )
    assert shown == rounded.to_dict()
