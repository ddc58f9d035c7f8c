"""Runs as frames and files, and their scores: ours, anybody's, and as ir-measures has them."""

from collections.abc import Callable
from math import log2
from pathlib import Path

import ir_measures as measures
import pandas as pd
import pytest

import citectx
from citectx import cli, profiles
from citectx.corpora import Annotation, Citance, Corpus, Document, Topic
from citectx.errors import DataError
from citectx.experiments.contextualization import measure_rows, prepare
from citectx.experiments.report import means, tabulate
from citectx.experiments.results import find, read
from citectx.papers.sigir2017 import table1
from citectx.retrieval import BM25
from citectx.storage import sha256, to_gzip
from citectx.types import Span

METRICS = ["c-F", "c-P@5", "wc-F", "nDCG", "RG-1"]
COMMITTED = profiles.profile("open").results


@pytest.fixture(scope="module")
def run(teaching: Corpus) -> pd.DataFrame:
    return citectx.retrieve(teaching, BM25(k1=0.4))


def test_a_run_scores_as_the_tables_do(teaching: Corpus, run: pd.DataFrame) -> None:
    topics = prepare(teaching)
    rows = {"BM25": [topic.scores(BM25(k1=0.4)) for topic in topics]}
    expected = measure_rows(topics, rows, METRICS)
    scores = citectx.evaluate(teaching, run, METRICS)
    pd.testing.assert_frame_equal(scores, expected, check_exact=True)


def test_a_run_that_cuts_finer_is_compared_with_the_best_order_of_its_own_spans() -> None:
    """One of two sentences is evidence, of which the run returns one half first, one half last."""
    text = "Cells of the mud rest. Others divide at night."
    marked = (Annotation("A", (Span(0, 22),)),)
    topic = Topic("T", Document("ref", text), (Citance("1", "x", "Cells.", annotations=marked),))
    spans = pd.DataFrame({"start": [0, 23, 9], "end": [8, 46, 22], "rank": [1, 2, 3]})
    run = spans.assign(method="halves", topic="T", citance="1", score=[3.0, 2.0, 1.0])
    scores = citectx.evaluate(Corpus("made", (topic,)), run, ["nDCG"])
    assert scores["nDCG"].item() == pytest.approx(100 * (1 + 1 / 2) / (1 + 1 / log2(3)))


@pytest.mark.parametrize("name", ["run.trec", "run.trec.gz"])
def test_files_hold_the_same_run(tmp_path: Path, run: pd.DataFrame, name: str) -> None:
    citectx.to_trec(run, tmp_path / name)
    back = citectx.read_run(tmp_path / name)
    assert back.index[0] == 1
    pd.testing.assert_frame_equal(back.reset_index(drop=True), run, check_exact=True)


@pytest.mark.parametrize("damage", [slice(-9), slice(2), slice(0, None, 2)])
def test_a_damaged_archive_is_an_error_that_names_it(tmp_path: Path, damage: slice) -> None:
    path = tmp_path / "run.trec.gz"
    packed = to_gzip(ROW.encode())
    path.write_bytes(packed[:2] + packed[2:][damage])
    with pytest.raises(DataError, match=r"run\.trec\.gz: cannot be unpacked"):
        citectx.read_run(path)


ROW = "D1:1 Q0 D1:1-9 1 2.5 x\n"


@pytest.mark.parametrize(
    "content",
    [
        *((2 * ROW + "\n").encode(), f"{ROW}\r\n \r\n{ROW}".encode(), (2 * ROW).encode("utf-16")),
        *(to_gzip((2 * ROW).encode()), f" {ROW}{ROW.replace(' ', chr(9))}".encode("utf-8-sig")),
    ],
    ids=["blank last line", "blank line", "UTF-16", "gzip without .gz", "blanks and tabs"],
)
def test_files_of_other_tools_are_read(tmp_path: Path, content: bytes) -> None:
    for name in ("run.trec", "run.trec.gz"):
        (tmp_path / name).write_bytes(content)
        run = citectx.read_run(tmp_path / name)
        assert run[["start", "end", "score"]].to_numpy().tolist() == [[1, 9, 2.5]] * 2


def test_scores_decide_before_ranks_and_lines(tmp_path: Path) -> None:
    path = tmp_path / "run.trec"
    rows = ["5-9 1 .58", "0-4 9 +5.8", "20-30 3 .58", "10-19 2 0.58", "1-2 1 -7."]
    path.write_text("".join(f"D1:1 Q0 D1:{row} x\n" for row in rows))
    run = citectx.read_run(path).sort_values("rank")
    assert run["start"].tolist() == [0, 5, 10, 20, 1]
    assert run["score"].tolist() == [5.8, 0.58, 0.58, 0.58, -7.0]
    assert run["rank"].tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("row", "field"),
    [
        *(("D1:1 Q0 D1:1-9 1", "SCORE"), ("D1:1 Q0 D1:1-9 1 0,5 x", "SCORE")),
        *(("D1:1 Q0 D1:1-9 1 nan x", "SCORE"), ("D1:1 Q0 D1:1-9 one 1 x", "RANK")),
        *(("D1:1 Q0 D1:1_9 1 1 x", "START"), ("D1:1 Q0 D2:1-9 1 1 x", "START")),
        *(("D1:1 D1:1-9 1 1 x", "START"), ("D1:1 Q0 D1:1-9 1 1", "METHOD")),
        *(("D1:1 Q0 D1:1-9 1 1 x y", "METHOD"), ("D1", "TOPIC"), ("my paper:1 Q0", "TOPIC")),
    ],
)
def test_malformed_rows_are_named_with_file_line_and_field(
    tmp_path: Path, row: str, field: str
) -> None:
    path = tmp_path / "bad.trec"
    path.write_text(f"{ROW}\n{row}\nD1\n")
    message = rf"bad\.trec, line 3: {field} is missing or wrong in '{row}'; expected TOPIC:CIT"
    with pytest.raises(DataError, match=message):
        citectx.read_run(path)
    path.write_text("\n")
    with pytest.raises(DataError, match=r"bad\.trec, line 1: TOPIC is missing"):
        citectx.read_run(path)


@pytest.mark.parametrize(
    "row",
    [
        *(("D0000", "1", 0, 9), ("D9001_TEACH", "99", 0, 9), ("D9001_TEACH", "1", 9, 9)),
        *(("D9001_TEACH", "1", 0, 10**7), ("D9001_TEACH", "1", 1, 9)),
    ],
)
def test_what_does_not_fit_a_corpus_is_named_with_its_line(
    teaching: Corpus, tmp_path: Path, row: tuple[str, str, int, int]
) -> None:
    topic, citance, start, end = row
    path = tmp_path / "run.trec"
    first = "D9001_TEACH:1 Q0 D9001_TEACH:1-9 1 9 x"
    path.write_text(f"{first}\n{topic}:{citance} Q0 {topic}:{start}-{end} 2 8 x\n")
    message = rf"run\.trec, line 2: {start}-{end} is not in an .* {topic}:{citance} "
    with pytest.raises(DataError, match=message):
        citectx.evaluate(teaching, citectx.read_run(path), ["c-F"])


def test_runs_are_compared_on_the_command_line(
    teaching: Corpus, run: pd.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    less = run[run["topic"] == "D9001_TEACH"].assign(method="less")
    files = [str(tmp_path / name) for name in ("bm25.trec", "less.trec")]
    citectx.to_trec(run, files[0])
    citectx.to_trec(less, files[1])
    command = ["evaluate", "--corpus", "teaching", "--metrics", "c-F", "--"]
    assert cli.main([*command, *files]) == 0
    head, *rows, _, tests, test, _, data, judged, version = capsys.readouterr().out.splitlines()
    assert head.split()[:4] == ["method", "metric", "n", "value"]
    assert tests.split()[2:4] == ["against", "difference"]
    citectx.to_qrels(teaching, tmp_path / "qrels")
    assert judged == f"qrels: {sha256(tmp_path / 'qrels')}"
    assert [data, version] == ["data: teaching", f"citectx: {citectx.__version__}"]
    scores = citectx.evaluate(teaching, pd.concat([run, less]), ["c-F"])
    mean = scores.groupby("method")["c-F"].mean()
    assert [row.split()[3] for row in rows] == [f"{mean[name]:.4f}" for name in ("BM25", "less")]
    assert float(test.split()[3]) == pytest.approx(mean["less"] - mean["BM25"], abs=1e-4)
    assert cli.main([*command, files[0], files[0]]) == 1
    assert "two runs have the same name" in capsys.readouterr().err


def follows(corpus: Corpus, file: Path, table: pd.DataFrame) -> None:
    """Check that a file of runs gives its table, to the last digit that is written."""
    metrics = ["c-F", "nDCG", "c-P@1"]
    key, numbers = ["method", "metric"], ["value", "ci_low", "ci_high"]
    table = table.assign(method=table["method"].str.replace(" ", "_")).set_index(key)
    scores = citectx.evaluate(corpus, citectx.read_run(file), metrics)
    ours = tabulate("runs", corpus.name, means(scores), 0).set_index(key)[numbers].round(4)
    expected = table.loc[ours.index, numbers].round(4)
    pd.testing.assert_frame_equal(ours, expected, atol=1e-9, check_index_type=False)
    assert len(ours) > 12


def test_the_file_of_a_table_has_its_values_for_us_and_for_others(
    teaching: Corpus, tmp_path: Path
) -> None:
    rows = ["VSM", "BM25", "LMD"]
    result = table1.run([teaching], rows)
    result.write(tmp_path)
    assert table1.run([teaching], rows).files == result.files
    file, judged = (tmp_path / f"{table1.NAME}.{name}" for name in result.files)
    follows(teaching, file, result.table)
    run = citectx.read_run(file)
    qrels = [*measures.read_trec_qrels(str(judged))]
    ours = result.wide("teaching", 9)["nDCG"]
    for row in rows:
        citectx.to_trec(run[run["method"] == row], tmp_path / "one.trec")
        theirs = [*measures.read_trec_run(str(tmp_path / "one.trec"))]
        mean = measures.calc_aggregate([measures.nDCG], qrels, theirs)[measures.nDCG]
        assert ours[row] == pytest.approx(100 * mean, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("table", ["sigir2017_table1", "beyond_contexts"])
def test_committed_files_have_the_values_of_their_tables(
    open_corpus: Callable[[str], Path], table: str
) -> None:
    open_corpus("citation-integrity-annotations")
    file = find(COMMITTED, f"{table}.runs.citation-integrity.trec.gz")
    if not file.is_file():
        pytest.skip("the runs are not there yet")
    rows = read(COMMITTED, table)
    rows = rows[rows["corpus"] == "citation-integrity"]
    follows(profiles.load("citation-integrity"), file, rows)
