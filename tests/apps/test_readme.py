"""Pages are rendered from their templates, and kept up to date."""

from pathlib import Path

import pandas as pd
import pytest

from citectx import ledger
from citectx.apps import readme
from citectx.errors import DataError
from citectx.experiments.contextualization import METRICS
from citectx.experiments.results import COLUMNS, Result

TEMPLATE = """# Title

{{ overview }}

{{ table("sigir2017_table1", "citation-integrity", 2).value("LMD", "c-F") }} rest,
in the paper {{ published("sigir2017_table1")["BM25", "nDCG"] }}.
{% for race in file("races.csv") %}
{{ race.work }}: {{ race.ratio }}
{% endfor %}
"""


@pytest.fixture
def results(tmp_path: Path) -> Path:
    name, folder = "sigir2017_table1", tmp_path / "open" / "01_table1"
    rows = [
        [name, "citation-integrity", method, metric, 20.04 + i, 0, 90, float("nan"), 9, "{}", 0]
        for i, method in enumerate(("VSM", "LMD"))
        for metric in METRICS
    ]
    Result(name, pd.DataFrame(rows, columns=COLUMNS)).write(folder)
    return folder.parent


def test_pages_are_written_and_then_up_to_date(
    tmp_path: Path, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "README.md.j2").write_text(TEMPLATE)
    (tmp_path / "races.csv").write_text("work,ratio\nBM25,11.5\n")
    page = tmp_path / "README.md"
    assert readme.update(tmp_path, results, check=True) == 1
    assert not page.exists()
    assert readme.update(tmp_path, results) == 0
    text = page.read_text()
    assert "| sigir2017 | citation-integrity |" in text
    assert text.endswith("\n21.04 rest,\nin the paper 38.1.\nBM25: 11.5\n")
    assert readme.update(tmp_path, results, check=True) == 0
    page.write_text(text.replace("21.04", "22.04"))
    assert readme.update(tmp_path, results, check=True) == 1
    assert "README.md differs" in capsys.readouterr().out


def test_the_picture_of_orders_comes_with_the_pages(tmp_path: Path, results: Path) -> None:
    readme.update(tmp_path, results)
    assert (results / "ledger" / "orders.png").is_file()


def test_a_page_that_nothing_bears_out_is_not_written(tmp_path: Path, results: Path) -> None:
    claim = 'verdict("sigir2017/bio-beats-wiki", "citation-integrity", holds="so")'
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "page.md.j2").write_text(f"It is\n{{{{ {claim} }}}}.")
    with pytest.raises(DataError, match=r"^page.md.j2, line 2: .* not testable here"):
        readme.update(tmp_path, results)
    assert not (tmp_path / "docs" / "page.md").exists()


def test_a_fifth_paper_is_in_the_picture(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sigir2017, measures = ledger.load("sigir2017"), ledger.all_replication(results)
    monkeypatch.setattr(ledger, "load", lambda paper: sigir2017)
    figure = readme.orders(results, pd.concat([measures.assign(paper=name) for name in "abcde"]))
    titles = [ax.get_title(loc="left") or ax.get_title() for ax in figure.axes if ax.axison]
    assert [title[0] for title in titles] == [*"abcde"]
