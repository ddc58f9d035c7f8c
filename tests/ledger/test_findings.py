"""Marks in prose: numbers rewritten in their own format, and complaints where nothing bears them
out."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from citectx.ledger.findings import Findings, rewritten

Write = Callable[..., None]


@pytest.fixture
def findings(tmp_path: Path, write_results: Write, base: np.ndarray) -> Findings:
    shift = np.tile(np.linspace(1, 3, 10), 8)
    columns = {
        "VSM": {"c-F": base},
        "BM25": {"c-F": base - shift},
        "WE_Bio+dmn": {"c-F": base + shift},
    }
    write_results("sigir2017_table1", "one", columns)
    line = {"corpus": "one", "row": "No Context", "gain": -1234.5, "ci_low": -2000, "ci_high": 1}
    pd.DataFrame([line]).to_csv(tmp_path / "sigir2017_table4.extra.csv", index=False)
    return Findings(tmp_path)


@pytest.mark.parametrize(
    ("mark", "old", "new"),
    [
        ("finding: sigir2017_table1 one VSM c-F n", "1 citances", "80 citances"),
        ("finding: sigir2017_table1 one WE_Bio+dmn c-F minus VSM", "**+9.9** [9, 9.9]", "**+2.0** [2, 2.5]"),
        ("finding: sigir2017_table1 one BM25 c-F minus VSM", "−9.9 [1.0, 1.0]", "−2.0 [−2.5, −1.5]"),
        ("finding: sigir2017_table1 one VSM c-F minus VSM percent", "7.0 %", "0.0 %"),
        ('finding: sigir2017_table4.extra corpus=one "row=No Context" gain', "1,000", "-1,234"),
        ('finding: sigir2017_table4.extra row="No Context" gain', "0.1 [0, 0]", "-1234.5 [-2000, 1]"),
    ],
)  # fmt: skip
def test_a_number_is_rewritten_as_it_is_written(
    findings: Findings, mark: str, old: str, new: str
) -> None:
    assert findings.rewrite(f"a <!-- {mark} -->{old} b") == f"a <!-- {mark} -->{new} b"
    assert not findings.complaints


@pytest.mark.parametrize(
    ("mark", "why"),
    [
        ("finding: sigir2017_table1 one VSM c-F -->", "no number follows"),
        ("finding: sigir2017_table1 one VSM nDCG -->1", "has no one, VSM, nDCG"),
        ("finding: sigir2017_table1 one VSM c-F times BM25 -->1", "does not understand"),
        ("finding: sigir2017_table1 one VSM -->1", "expected EXPERIMENT"),
        ("finding: sigir2017_table1 one VSM c-F n -->1 [0, 2]", "no interval"),
        ("finding: nothing row=x gain -->1", "no such file"),
        ("finding: sigir2017_table4.extra row=y gain -->1", "0 lines match"),
        ("claim: sigir2017/no-such-claim one holds -->", "no claim"),
        ("claim: sigir2018/x one holds -->3", "sigir2018"),
    ],
)
def test_a_mark_that_names_nothing_is_a_complaint_and_changes_nothing(
    findings: Findings, mark: str, why: str
) -> None:
    assert findings.rewrite(f"<!-- {mark}", "page.md") == f"<!-- {mark}"
    (complaint,) = findings.complaints
    assert complaint.startswith("page.md: ") and why in complaint


def test_a_sentence_that_rests_on_another_verdict_is_a_complaint(findings: Findings) -> None:
    rows = [("sigir2017", "bio-beats-wiki", "one", "not testable here", 1.25, 0.5, 2.0)]
    columns = ["paper", "id", "corpus", "verdict", "effect", "ci_low", "ci_high"]
    own = Findings(findings.folder, pd.DataFrame(rows, columns=columns))
    mark = "<!-- claim: sigir2017/bio-beats-wiki one {} -->"
    assert own.rewrite(mark.format("not-testable-here") + "+9.9 [0, 0]").endswith("+1.2 [0, 2]")
    assert not own.complaints
    own.rewrite(mark.format("holds") + "It holds.", "page.md")
    assert "the ledger says not testable here, not holds" in own.complaints[0]


def test_code_is_left_alone(findings: Findings) -> None:
    text = "```\n<!-- finding: x y z w -->1\n```\n`<!-- finding: x y z w -->1`"
    assert findings.rewrite(text) == text
    assert not findings.complaints


def test_markdown_cells_of_notebooks_are_rewritten_and_nothing_else(
    findings: Findings, tmp_path: Path
) -> None:
    mark = "<!-- finding: sigir2017_table1 one VSM c-F n -->"
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["ä\n", f"{mark}1 b"]},
        {"cell_type": "code", "metadata": {}, "source": [f"{mark}1"], "outputs": []},
    ]
    file = tmp_path / "n.ipynb"
    text = json.dumps({"cells": cells}, indent=1, ensure_ascii=False) + "\n"
    file.write_text(text, encoding="utf-8")
    assert rewritten(file, findings) == text.replace(f"{mark}1 b", f"{mark}80 b")
