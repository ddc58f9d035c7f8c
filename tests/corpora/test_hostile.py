"""Input that once ended in a traceback, in a wrong number, or in a loss that nobody noticed."""

import csv
import os
from pathlib import Path

import numpy as np
import pytest

import citectx
from citectx.arrays import read_arrays
from citectx.cli import main
from citectx.corpora import citation_integrity, csv_corpus, tac2014
from citectx.corpora.files import Reporter, decode, natural
from citectx.corpora.markup import parse, parse_sentences
from citectx.corpora.model import Finding
from citectx.corpora.tac_lines import quoted_spans
from citectx.embeddings.vectors import FORMS
from citectx.errors import CitectxError, DataError
from citectx.ontology.vocabularies import read_obo
from citectx.paths import data_dir
from tests.corpora.test_citation_integrity_fulltext import tree
from tests.corpora.test_tac2014 import CITING, annotate, line, release  # noqa: F401 - a fixture
from tests.fuzz import VECTORS


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("\ufeff".encode() + line().encode(), ""),
        (line().encode("utf-16"), "read as utf-16"),
        (line().encode("utf-32"), "read as utf-32"),
        (b"# a comment\n" + line().encode(), ":1: skipped: expected the fields"),
        (line().encode() + b"\xff garbage", "is not UTF-8"),
        ((line() + line("2")).replace("\n", " ").encode(), "occurs again"),
    ],
    ids=["byte order mark", "utf-16", "utf-32", "comment", "garbage", "two lines in one"],
)
def test_annotations_survive_what_stands_around_them(
    release: Path,  # noqa: F811
    content: bytes,
    said: str,
) -> None:
    (release / "data/T1/Annotation/T1.A.ann.txt").write_bytes(content)
    corpus = tac2014.read(release)
    [citance] = corpus["T1"].citances
    assert (citance.citance_id, citance.text) == ("1", CITING[:38])
    assert any(said in str(f) for f in corpus.findings) if said else not corpus.findings


def test_topics_without_their_documents_or_annotations_are_errors(
    release: Path,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    annotate(release, A=line())
    (release / "data/T2/Documents_Text").mkdir(parents=True)
    (release / "data/T3/Annotation").mkdir(parents=True)
    monkeypatch.setenv("CITECTX_CORPUS", str(release))
    monkeypatch.delenv("CITECTX_ALLOW_MISSING", raising=False)
    with pytest.raises(DataError, match="2 topics of own cannot be read, the first is data/T2"):
        citectx.load("own")
    monkeypatch.setenv("CITECTX_ALLOW_MISSING", "1")
    assert "data/T3: lost" in str(citectx.load("own").findings[1])


def test_folders_of_the_environment_are_relative_to_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CITECTX_CORPUS", "mine")
    monkeypatch.setenv("CITECTX_DATA", "data")
    main(["fetch"])
    assert os.environ["CITECTX_CORPUS"] == str(tmp_path / "mine")
    assert data_dir() == tmp_path / "data"


@pytest.mark.parametrize(
    "topic", ["../../victim/keep", "/etc/hostname", "a/b", "x" * 300, "a\tb", ".."]
)
def test_names_of_topics_stay_inside_the_folder(tmp_path: Path, topic: str) -> None:
    (tmp_path / "victim").mkdir()
    (tmp_path / "victim/keep.txt").write_text("Cells rest.")
    root = tmp_path / "own/corpus"
    (root / "texts").mkdir(parents=True)
    for name, header, row in (
        ("citances.csv", ["topic", "citance", "citing", "text"], [topic, "1", "doe", "Cells."]),
        ("spans.csv", ["topic", "citance", "annotator", "text"], [topic, "1", "A", "Cells rest."]),
    ):
        with (root / name).open("w", newline="") as file:
            csv.writer(file).writerows([header, row])
    with pytest.raises(DataError, match=r"citances.csv, line 2: topic is"):
        csv_corpus.read(root)


def test_topics_whose_names_begin_alike_keep_their_own_summaries(
    tmp_path: Path,
    release: Path,  # noqa: F811
) -> None:
    root = tmp_path / "own"
    for folder in ("texts", "summaries"):
        (root / folder).mkdir(parents=True)
    (root / "citances.csv").write_text("topic,citance,citing,text\nrest,1,d,x\nrest.B,1,d,x\n")
    (root / "spans.csv").write_text("topic,citance,annotator\nrest,1,A\nrest.B,1,A\n")
    for topic in ("rest", "rest.B"):
        (root / f"texts/{topic}.txt").write_text("Cells rest.")
        (root / f"summaries/{topic}.A.txt").write_text(f"Of {topic}.")
    corpus = csv_corpus.read(root)
    assert [t.summaries for t in corpus] == [{"A": "Of rest."}, {"A": "Of rest.B."}]
    (root / "summaries/other.A.txt").write_text("Whose?")
    with pytest.raises(DataError, match=r"other\.A\.txt"):
        csv_corpus.read(root)
    (release / "data/T1.B/Documents_Text").mkdir(parents=True)
    (release / "data/T1/Summary/T1.B.A.summary.txt").write_text("Of another topic.")
    annotate_only = release / "data/T1/Annotation/T1.A.ann.txt"
    annotate_only.write_text(line())
    found = tac2014.read(release, allow_missing=True)
    assert found["T1"].summaries == {"A": "Cells rest.\n"}
    assert any("a file of another topic, T1.B" in f.message for f in found.findings)


def test_numbers_of_thousands_of_digits(tmp_path: Path) -> None:
    many = "9" * 5000
    findings: list[Finding] = []
    report = Reporter(findings, "x")
    assert quoted_spans(f"['{many}-{many}']", "Cells", "Cells", report) == ()
    marks = citation_integrity.read_full_texts(
        tree(tmp_path, f"T0\tCitation {many} {many}\t4".encode())
    )
    assert [len(findings), len(marks.marks), len(marks.findings)] == [2, 0, 1]
    assert sorted([f"a{many}", "a10", "a9"], key=natural)[:2] == ["a9", "a10"]


def test_depth_encodings_and_entities_of_xml() -> None:
    assert parse(b"<!DOCTYPE a><a>" + b"<b>" * 50 + b"</b>" * 50 + b"</a>", "x.xml").tag == "a"
    for text in (
        b"<a>" * 50_000 + b"</a>" * 50_000,
        b'<?xml version="1.0" encoding="klingon"?><a/>',
        b'<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
        b"",
    ):
        with pytest.raises(DataError, match=r"x\.xml"):
            parse(text, "x.xml")


def test_commented_out_sentences_are_no_text() -> None:
    findings: list[Finding] = []
    xml = (
        '<P><!-- <S sid="1">Not this.</S> --><S sid="2">Cells <!-- do --> rest.</S>'
        '<S sid="3"><![CDATA[<S sid="4">a < b]]></S>'
        "<SECTION title=\"x > y\"><S sid='5'>So.</S></SECTION></P>"
    )
    article = parse_sentences("P", xml, Reporter(findings, "P.xml"))
    assert article.sentence_ids == ("2", "3", "5")
    assert article.text == 'Cells rest. <S sid="4">a < b\n\nx > y\n\nSo.'
    assert findings == []


def test_flipped_bytes_of_an_npz_file_are_errors_of_ours(tmp_path: Path) -> None:
    VECTORS.save(tmp_path)
    path = tmp_path / "vectors.npz"
    whole, good = path.read_bytes(), read_arrays(path, FORMS["float32"])
    for place in range(0, len(whole), 3):
        path.write_bytes(
            whole[:place] + bytes([whole[place] ^ (1 + place % 255)]) + whole[place + 1 :]
        )
        try:
            arrays = read_arrays(path, FORMS["float32"])
        except CitectxError:
            continue
        assert all(
            np.array_equal(good[name], array) for name, array in arrays.items() if name in good
        )


def test_names_of_60_000_spaces_take_no_time(tmp_path: Path) -> None:
    spaces = " " * 60_000
    tags = " NOS" * 15_000
    path = tmp_path / "x.obo"
    path.write_text(
        f'[Term]\nid: X:1\nname: a{spaces}b {{x="{spaces}"}}{spaces}! no\n'
        f'synonym: "a{spaces}c" EXACT []\n'
        f'synonym: "d{tags}" EXACT []\nsynonym: "e{tags}!" EXACT []\n'
    )
    [concept] = read_obo(path, "x").concepts
    assert (concept.name, concept.synonyms[:2]) == ("a b", ("a c", "d"))


def test_decoding_strips_one_mark_and_counts_nul() -> None:
    findings: list[Finding] = []
    report = Reporter(findings, "x")
    assert decode("\ufeffa\ufeff".encode(), "cp1252", report) == "a\ufeff"
    assert findings == []
    assert decode("Rest".encode("utf-16-le"), "cp1252", report) == "R\0e\0s\0t\0"
    assert "4 NUL characters" in findings[0].message
