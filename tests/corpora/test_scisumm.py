"""CL-SciSumm: training lines, blind citances, gold CSVs."""

import csv
import io
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from citectx.corpora import scisumm
from citectx.corpora.model import Corpus
from citectx.corpora.scisumm import KEYS
from citectx.errors import DataError

ARTICLE = """<PAPER><S sid="0">On rest</S><ABSTRACT>
<S sid ="1" ssid = "1">Cells rest.</S><S sid ="2" ssid = "2">They do so by day.</S></ABSTRACT>
<SECTION title="Introduction"><S sid ="3" ssid = "1">Cells were seen.</S></SECTION></PAPER>"""
CITING = """<PAPER><S sid="0">On cells</S><ABSTRACT>
<S sid ="1" ssid = "1">Cells are known.</S><S sid ="2" ssid = "2">Doe (1999) says they rest.</S>
<S sid ="3" ssid = "3">We agree.</S></ABSTRACT></PAPER>"""
FIELDS = {
    **{"Citance Number": "1", "Reference Article": "P99-1.xml", "Citing Article": "W01-2.xml"},
    **{
        "Citation Marker Offset": "['2']",
        "Citation Marker": "1999",
        "Citation Offset": "['2','3']",
    },
    "Citation Text": '<S sid ="2" ssid = "2">Doe (1999) says they rest.</S>'
    '<S sid ="3">We agree.</S>',
    **{"Reference Offset": "['1']", "Reference Text": '<S sid ="1" ssid = "1">Cells rest.</S>'},
    "Discourse Facet": "Method_Citation",
}


def line(end: str = " | Annotator:  Jane Doe, XYZ |", **changes: str) -> str:
    fields = FIELDS | {key.replace("_", " "): value for key, value in changes.items()}
    return " | ".join(f"{key}:  {value}" for key, value in fields.items()) + end + "\n\n"


class Release:
    """A made-up release with one topic."""

    def __init__(self, root: Path, part: str) -> None:
        self.root = root
        self.topic = root / "data" / part / "P99-1"
        self.put("Reference_XML/P99-1.xml", ARTICLE)
        self.put("Citance_XML/W01-2.xml", CITING)

    def put(self, path: str, content: str, encoding: str = "utf-8") -> None:
        file = self.topic / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode(encoding))

    def train(self, *lines: str) -> Corpus:
        self.put("annotation/P99-1.ann.txt", "".join(lines))
        return scisumm.read_training(self.root)


@pytest.fixture
def training(tmp_path: Path) -> Release:
    return Release(tmp_path, scisumm.TRAINING)


@pytest.fixture
def blind(tmp_path: Path) -> Release:
    return Release(tmp_path, scisumm.TEST)


def evidence(corpus: Corpus) -> dict[str, list[str]]:
    """Evidence by citance and annotator."""
    [topic] = corpus
    return {
        f"{c.citance_id} {a.annotator}": [topic.reference.text[slice(*s)] for s in a.spans]
        for c in topic.citances
        for a in c.annotations
    }


def findings(corpus: Corpus) -> list[str]:
    """What was found, without the topic's folder."""
    return [str(finding).partition("P99-1/")[2] for finding in corpus.findings]


# --- training topics


def test_line_becomes_a_citance(training: Release) -> None:
    corpus = training.train(line())
    [citance] = corpus["P99-1"].citances
    assert citance.text == "Doe (1999) says they rest. We agree."
    assert (citance.citing_id, citance.marker) == ("W01-2", "1999")
    citing = corpus["P99-1"].citing["W01-2"]
    assert citance.span and citing.text[slice(*citance.span)] == citance.text
    assert citance.annotations[0].facet == ("Method_Citation",)
    assert evidence(corpus) == {"1 jane": ["Cells rest."]}
    assert findings(corpus) == []


def test_annv3_files_are_read(training: Release) -> None:
    training.put("annotation/P99-1.annv3.txt", line())
    assert evidence(scisumm.read_training(training.root)) == {"1 jane": ["Cells rest."]}


def test_citance_reaches_from_its_first_to_its_last_sentence(training: Release) -> None:
    corpus = training.train(
        line(Citation_Offset="'3','1'"), line(Citance_Number="2", Citation_Offset="['1','9']")
    )
    [first, second] = corpus["P99-1"].citances
    text = corpus["P99-1"].citing["W01-2"].text
    assert (
        first.span
        and text[slice(*first.span)] == "Cells are known. Doe (1999) says they rest. We agree."
    )
    assert second.span is None  # there is no sentence 9


def test_line_without_annotator(training: Release) -> None:
    assert evidence(training.train(line(end=" | "))) == {"1 unnamed": ["Cells rest."]}


SENTENCES = ["Cells rest.", "They do so by day.", "Cells were seen."]


@pytest.mark.parametrize(
    ("offset", "text", "expected", "said"),
    [
        (
            "['1', '2','0']",
            "",
            [*SENTENCES[:2], "On rest"],
            "",
        ),  # each sentence is a span of its own
        *(
            (written, "", SENTENCES, f"repaired: Reference Offset {written!r} read as 1, 2, 3")
            for written in ("['1', '2' 3']", "['1' '2','3']", ";1',2,3", "1'; '2' 3?")
        ),
        (
            *("['2']", FIELDS["Reference Text"], SENTENCES[1:2]),
            "noted: Reference Offset names 2, Reference Text 1; the offset holds",
        ),
        ("['1','94']", "", SENTENCES[:1], "skipped: sentence 94 is not in P99-1"),
    ],
)
def test_evidence_by_offsets(
    training: Release, offset: str, text: str, expected: list[str], said: str
) -> None:
    corpus = training.train(line(Reference_Offset=offset, Reference_Text=text))
    assert evidence(corpus) == {"1 jane": expected}
    start = f"annotation/P99-1.ann.txt:1: {said}"
    assert [finding.startswith(start) for finding in findings(corpus)] == [True] * bool(said)


@pytest.mark.parametrize(
    ("written", "facets", "said"),
    [
        ("Method citation", ["Method_Citation"], ""),
        ("Method_CItation", ["Method_Citation"], ""),
        ("['Aim_Citation', 'Result Citation']", ["Aim_Citation", "Results_Citation"], ""),
        (
            "['Hypothesis_Citation','Implication_citation']",
            ["Hypothesis_Citation", "Implication_Citation"],
            "",
        ),
        (
            "Mood_Citation",
            ["Mood_Citation"],
            "facet 'Mood_Citation' is none of Aim_Citation, Hypothesis_Citation",
        ),
    ],
)
def test_facets_in_their_many_spellings(
    training: Release, written: str, facets: list[str], said: str
) -> None:
    corpus = training.train(line(Discourse_Facet=written))
    assert list(corpus["P99-1"].citances[0].annotations[0].facet) == facets
    assert [said in finding for finding in findings(corpus)] == [True] * bool(said)


def test_repeated_citance_numbers_get_ids_of_their_own(training: Release) -> None:
    corpus = training.train(
        line(), line(Reference_Offset="['2']", Reference_Text=""), line(), line(Citance_Number="2")
    )
    assert list(evidence(corpus)) == ["1 jane", "1-2 jane", "1-3 jane", "2 jane"]
    assert findings(corpus) == [
        "annotation/P99-1.ann.txt:3: repaired: Citance Number 1 occurred before; here it is 1-2",
        "annotation/P99-1.ann.txt:5: repaired: Citance Number 1 occurred before; here it is 1-3",
    ]


@pytest.mark.parametrize("name", ["w01-2", "W01_2.txt", "W01-2.xml"])
def test_citing_article_is_found_under_other_spellings(training: Release, name: str) -> None:
    corpus = training.train(line(Citing_Article=name))
    assert corpus["P99-1"].citances[0].citing_id == "W01-2"
    assert findings(corpus) == []


def test_missing_citing_article_leaves_the_text(training: Release) -> None:
    corpus = training.train(line(Citing_Article="W07-7.xml"))
    [citance] = corpus["P99-1"].citances
    assert (citance.citing_id, citance.span) == ("W07-7", None)
    assert citance.text == "Doe (1999) says they rest. We agree."
    assert "the citing article W07-7 is not in Citance_XML" in findings(corpus)[0]


def test_ill_formed_citing_article_is_read_and_reported(training: Release) -> None:
    training.put("Citance_XML/W01-2.xml", CITING.replace("</ABSTRACT>", ""))
    corpus = training.train(line())
    assert corpus["P99-1"].citances[0].span is not None
    assert "Citance_XML/W01-2.xml:3: repaired: not well-formed XML" in findings(corpus)[0]


def test_citing_file_of_another_kind_is_reported(training: Release) -> None:
    training.put("Citance_XML/W01-3word.docx.txt", "Cells.")
    corpus = training.train(line())
    assert findings(corpus) == ["Citance_XML/W01-3word.docx.txt: skipped: expected an .xml file"]


def test_topic_whose_article_is_missing_is_an_error_unless_allowed(training: Release) -> None:
    (training.topic.parent / "P00-7").mkdir()
    with pytest.raises(DataError, match="--allow-missing"):
        training.train(line())
    corpus = scisumm.read_training(training.root, allow_missing=True)
    assert [t.topic_id for t in corpus] == ["P99-1"]
    assert str(corpus.findings[0]).startswith("data/Training-Set-2018/P00-7: lost: ")
    assert "expected the reference article P00-7.xml" in corpus.findings[0].message


def test_summaries_and_their_file_names(training: Release) -> None:
    (training.topic.parent / "P00-7").mkdir()
    training.put("summary/P00-7_abstract.txt", "Of another paper.")
    training.put(
        "summary/P99-1.abstract.xml", '<ABSTRACT>\n<S sid ="1">Cells &amp; rest.</S></ABSTRACT>'
    )
    training.put(
        "summary/P99-1.summary.xml", '<COMMUNITY>\n<S sid ="2">They do.</S\n<S sid ="3">Cells.</S>'
    )
    training.put("summary/P99-1.combined.summary.txt", "All of it.")
    training.put("summary/P98-1.human.txt", "Cells ’rest’.\n", "cp1252")
    training.put("annotation/P99-1.ann.txt", line())
    corpus = scisumm.read_training(training.root, allow_missing=True)
    assert corpus["P99-1"].summaries == {
        "abstract": "Cells & rest.",
        "community": "They do.\nCells.",
        "human": "Cells ’rest’.",
    }
    noted = [f for f in findings(corpus) if f.startswith("summary/")]
    assert [(f.partition(":")[0], f.partition(": ")[2].partition(":")[0]) for f in noted] == [
        ("summary/P00-7_abstract.txt", "skipped"),
        ("summary/P98-1.human.txt", "repaired"),
        ("summary/P99-1.combined.summary.txt", "skipped"),
    ]


# --- blind test topics and gold annotations

COLUMNS = [*KEYS[:7], "Citation Text Clean", *KEYS[7:]]


def table(*rows: dict[str, str], columns: list[str] = COLUMNS) -> str:
    file = io.StringIO()
    writer = csv.DictWriter(file, columns, extrasaction="ignore")
    writer.writeheader()
    writer.writerows(
        FIELDS | {"Citation Text": "They r est.", "Citation Text Clean": "They rest."} | r
        for r in rows
    )
    return file.getvalue()


def gold(release: Release, **tables: str) -> Corpus:
    release.put("annotation/P99-1.csv", table({}))
    for name, content in tables.items():
        file = release.root / "data" / scisumm.GOLD / "Task1" / f"P99-1_{name}.csv"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode())
    return scisumm.read_gold(release.root)


def test_blind_citances_have_no_annotation(blind: Release) -> None:
    empty = {
        "Citation Offset": "0",
        "Reference Offset": "",
        "Reference Text": "",
        "Discourse Facet": "",
    }
    blind.put("annotation/P99-1.csv", table(empty, empty | {"Citance Number": "7"}))
    corpus = scisumm.read_test(blind.root)
    assert [(c.citance_id, c.text, c.span, c.annotations) for c in corpus["P99-1"].citances] == [
        ("1", "They rest.", None, ()),
        ("7", "They rest.", None, ()),
    ]
    assert findings(corpus) == []


def test_column_of_facets_may_have_another_name(blind: Release) -> None:
    blind.put("annotation/P99-1.csv", table({}, columns=[*COLUMNS[:-1], "Reference Citation"]))
    corpus = scisumm.read_test(blind.root)
    assert len(corpus["P99-1"].citances) == 1
    assert findings(corpus) == []


def test_table_without_its_columns_is_skipped(blind: Release) -> None:
    blind.put("annotation/P99-1.csv", "a,b\n1,2\n")
    corpus = scisumm.read_test(blind.root)
    assert corpus["P99-1"].citances == ()
    assert findings(corpus)[0].startswith(
        "annotation/P99-1.csv:1: skipped: lacks the columns Citance Number"
    )


def test_table_with_an_open_quote_is_read_up_to_it(blind: Release) -> None:
    rows = table({}) + '7,"' + "Cells rest.\n" * 20_000
    blind.put("annotation/P99-1.csv", rows)
    corpus = scisumm.read_test(blind.root)
    assert [c.citance_id for c in corpus["P99-1"].citances] == ["1"]
    assert findings(corpus)[0].startswith("annotation/P99-1.csv:3: skipped: not a table in CSV")


def test_topic_without_its_table_is_reported(blind: Release) -> None:
    assert findings(scisumm.read_test(blind.root)) == [
        "annotation/P99-1.csv: skipped: expected the citances of the topic here; there are none"
    ]


@pytest.mark.parametrize(
    ("written", "count", "said"),
    [("'2'", 1, ""), ("2'", 1, ""), ("2", 1, ""), (" '2' , '3' ", 2, ""), ("'2','3'", 2, "")]
    + [
        (written, 0, f"P99-1_jane.csv:2: noted: Reference Offset {written!r} read as none")
        for written in ("NA", "???", "")
    ],
)
def test_gold_offsets_in_their_many_spellings(
    blind: Release, written: str, count: int, said: str
) -> None:
    corpus = gold(
        blind,
        jane=table({"Reference Offset": written, "Reference Text": "", "Discourse Facet": "NA"}),
    )
    assert evidence(corpus) == {"1 jane": SENTENCES[1 : 1 + count]}
    assert [said in str(finding) for finding in corpus.findings] == [True] * bool(said)


def test_two_spellings_of_one_annotator(blind: Release) -> None:
    corpus = gold(blind, akanksha=table({}), sweta=table({}))
    assert list(evidence(corpus)) == ["1 aakansha", "1 sweta"]


def test_citances_are_aligned_on_article_and_text_not_on_numbers(blind: Release) -> None:
    blind.put("Citance_XML/W01-9.xml", CITING)
    other = {"Citing Article": "W01-9", "Citation Text Clean": "Cells  do NOT rest"}
    corpus = gold(
        blind,
        jane=table({"Citance Number": "1"}, {"Citance Number": "2"} | other),
        mary=table({"Citance Number": "1", "Citation Text Clean": "Cells do not rest."} | other),
    )
    [first, second] = corpus["P99-1"].citances
    assert (first.citance_id, first.citing_id, list(first.gold)) == ("1", "W01-2", ["jane"])
    assert (second.citance_id, second.citing_id, list(second.gold)) == (
        "2",
        "W01-9",
        ["jane", "mary"],
    )


def test_one_annotator_twice_on_one_citance_keeps_the_first(blind: Release) -> None:
    corpus = gold(
        blind,
        jane=table({}, {"Citance Number": "2", "Reference Offset": "2", "Reference Text": ""}),
    )
    assert evidence(corpus) == {"1 jane": ["Cells rest."]}
    assert "P99-1_jane.csv:3: skipped: jane annotated this citance before" in str(
        corpus.findings[0]
    )


def test_line_numbers_count_breaks_inside_quoted_fields(blind: Release) -> None:
    broken = {"Reference Text": "Cells\r\nrest."}
    corpus = gold(
        blind, jane=table(broken, broken | {"Citance Number": "2", "Reference Offset": "NA"})
    )
    assert [f.line for f in corpus.findings if "NA" in f.message] == [4]


def test_gold_summaries_are_named_by_kind_and_annotator(blind: Release) -> None:
    folder = blind.root / "data" / scisumm.GOLD / "Task2"
    folder.mkdir(parents=True)
    (folder / "P99-1.abstract").write_text("Cells rest.")
    (folder / "P99-1_akanksha.community").write_text('<S sid="1">They do.</S>')
    (folder / "P99-1_sweta.human.txt").write_text("By day.")
    corpus = gold(blind, sweta=table({}))
    assert corpus["P99-1"].summaries == {
        "abstract": "Cells rest.",
        "community-aakansha": "They do.",
        "human-sweta": "By day.",
    }


# --- the real release


@pytest.mark.open_data
def test_figures_of_the_training_topics(open_corpus: Callable[[str], Path]) -> None:
    corpus = scisumm.read_training(open_corpus("scisumm-corpus"))
    citances = [c for topic in corpus for c in topic.citances]
    messages = [finding.message for finding in corpus.findings]
    misspelt = [message for message in messages if "'Citation Number' read as" in message]
    assert (len(corpus), len(citances) - len(misspelt), len(misspelt)) == (40, 752, 1)
    assert all(len(c.gold) == 1 and c.text and c.span for c in citances)
    sentences = [sid for topic in corpus for sid in topic.reference.sentence_ids or ()]
    assert sum(sid != "" for sid in sentences) / len(corpus) == pytest.approx(217.8)
    assert sentences.count("") == 6
    kinds = ("not UTF-8", "not well-formed", "occurred before", "an .xml file", "Reference Text")
    counts = [sum(kind in message for message in messages) for kind in kinds]
    # 9 reference articles, 54 citing ones and 2 summaries are cp1252; offset and text differ in 13
    # rows (15, if one reads only what is well quoted in two malformed lists, which are reported by
    # themselves)
    assert counts == [65, 20, 13, 14, 13]
    assert sum(m.startswith("Reference Offset") and "read as" in m for m in messages) == 2
    facets = {facet for c in citances for a in c.annotations for facet in a.facet}
    assert facets == set(scisumm.FACETS.values())
    assert Counter(k for t in corpus for k in t.summaries) == {
        "abstract": 39,
        "community": 39,
        "human": 37,
    }


@pytest.mark.open_data
def test_figures_of_the_test_topics(open_corpus: Callable[[str], Path]) -> None:
    corpus = scisumm.read_test(open_corpus("scisumm-corpus"))
    assert (len(corpus), sum(len(t.citances) for t in corpus)) == (20, 339)
    assert not any(c.annotations for t in corpus for c in t.citances)


@pytest.mark.open_data
def test_figures_of_the_gold_topics(open_corpus: Callable[[str], Path]) -> None:
    corpus = scisumm.read_gold(open_corpus("scisumm-corpus"))
    citances = [c for topic in corpus for c in topic.citances]
    sizes = {t.topic_id: len(t.citances) for t in corpus}
    assert sizes == {"A00-2018": 18, "A00-2030": 20, "A97-1014": 16, "D09-1092": 20}
    assert Counter(len(c.annotations) for c in citances) == {3: 68, 2: 4, 1: 2}
    assert sum(len(c.annotations) for c in citances) == 214  # rows in the twelve files
    assert {a.annotator for c in citances for a in c.annotations} == {
        "aakansha",
        "swastika",
        "sweta",
        "vardha",
    }
