from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from citectx.apps.contexts import finder
from citectx.corpora.articles import read_article
from citectx.experiments.results import read
from citectx.paths import RESULTS, ROOT

EXAMPLES = ROOT / "docs" / "your-paper"


def by_condition(table: pd.DataFrame) -> dict[str, dict[Any, float]]:
    """The values of `finder.METRICS` for each condition."""
    wide = table.pivot_table(index="metric", columns="method", values="value", sort=False)
    return {str(condition): values.to_dict() for condition, values in wide.items()}


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
    found = by_condition(result.table)
    perfect = dict.fromkeys(finder.METRICS, 100.0)
    assert found["all metadata"] == perfect
    assert found["title and year"] == perfect
    assert found["another file's entry"] == perfect  # a misprint apart
    # Without links "3" in brackets is still read, and the range too; nothing is linked to entry 3
    # in [2–4].
    assert found["links removed"] == perfect
    assert set(result.table["n"]) == {4, 8}


def test_what_is_not_found_lowers_recall(tmp_path: Path) -> None:
    path = tmp_path / "citing.xml"
    text = (EXAMPLES / "citing-review.xml").read_text("utf-8")
    path.write_text(text.replace('rid="b3">3<', 'rid="b3">three<'), "utf-8")
    found = by_condition(finder.run({"made up": [read_article(path)]}).table)
    assert found["all metadata"]["sentence recall"] == 100
    assert found["links removed"]["sentence recall"] == pytest.approx(75)


def test_committed_table_is_whole_and_in_the_documentation() -> None:
    table = read(RESULTS / "open", finder.NAME)
    plos = by_condition(table[table["corpus"] == "plos-jats"])["all metadata"]
    assert set(plos) == set(finder.METRICS)
    assert min(plos.values()) > 99
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
