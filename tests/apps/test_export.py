"""Tables of a corpus in Parquet, read by others."""

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from citectx.apps import export
from citectx.cli import main
from citectx.corpora.model import Corpus
from citectx.errors import MissingDataError, ParameterError
from citectx.profiles import LOADERS


def test_tables_hold_all_of_a_corpus(teaching: Corpus) -> None:
    found = export.tables(teaching)
    texts = found["topics"].set_index("topic")["text"]
    assert texts.to_dict() == {topic.topic_id: topic.reference.text for topic in teaching}
    citances = [(t.topic_id, c.citance_id, c.text) for t in teaching for c in t.citances]
    columns = found["citances"][["topic", "citance", "text"]]
    assert [*columns.itertuples(index=False, name=None)] == citances
    marked: dict[tuple[str, str, str], list[tuple[int, int]]] = {}
    row: Any
    for row in found["annotations"].itertuples():
        spans = marked.setdefault((row.topic, row.citance, row.annotator), [])
        if not pd.isna(row.start):
            spans.append((row.start, row.end))
            assert texts[row.topic][row.start : row.end] == row.text
    assert marked == {
        (topic.topic_id, citance.citance_id, each.annotator): [*map(tuple, each.spans)]
        for topic in teaching
        for citance in topic.citances
        for each in citance.annotations
    }
    for row in found["sentences"].itertuples():
        assert texts[row.topic][row.start : row.end] == row.text
    assert len(found["summaries"]) == sum(len(topic.summaries) for topic in teaching)


def test_each_corpus_has_a_licence() -> None:
    for name in LOADERS:
        known = "not known" not in export.licence_of(name)
        assert known == (name != "own"), name
    assert "must not be passed on" in export.licence_of("tac2014")


def test_the_card_names_licence_and_tables(teaching: Corpus) -> None:
    found = export.tables(teaching)
    text = export.card(teaching, found)
    assert "Licence of the texts: CC BY 4.0." in text
    assert re.findall(r"data_files: (\w+)\.parquet", text) == [*found]


def test_files_are_read_by_pandas(teaching: Corpus, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    assert main(["export", "teaching", "--out", str(tmp_path / "out")]) == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    for name, table in export.tables(teaching).items():
        read = pd.read_parquet(tmp_path / "out" / f"{name}.parquet")
        pd.testing.assert_frame_equal(read, table, check_dtype=False)
    assert main(["export", "teaching", "--out", str(tmp_path / "out")]) == 0
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before


def test_files_are_read_by_datasets(teaching: Corpus, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    export.export(teaching, tmp_path / "out")
    for name, table in export.tables(teaching).items():
        read = datasets.load_dataset(
            str(tmp_path / "out"), name, split="train", cache_dir=str(tmp_path / "cache")
        )
        assert read.column_names == [*table]
        assert len(read) == len(table)


def test_folders_of_others_are_left_alone(teaching: Corpus, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ParameterError, match=r"notes\.txt was not written by citectx"):
        export.export(teaching, tmp_path)
    (tmp_path / ".citectx").write_text("")
    with pytest.raises(ParameterError, match=r"notes\.txt is of no export"):
        export.export(teaching, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".citectx", "notes.txt"]


def test_without_pyarrow_the_message_says_what_to_install(
    teaching: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(export, "import_module", refuse)
    with pytest.raises(MissingDataError, match=r"citectx\[export\]"):
        export.export(teaching, tmp_path / "out")
    assert not [*(tmp_path / "out").glob("*.parquet")]
