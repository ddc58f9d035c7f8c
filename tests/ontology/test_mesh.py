"""The three formats of MeSH, each on a small file of our own making with the same two descriptors."""

from pathlib import Path

import pytest

from citectx.errors import CitectxError, DataError, MissingDataError, ParameterError
from citectx.ontology import mesh

TSV = (
    "D900001\tAbdomen, Sore\tSore Abdomen|Sore Abdomens|Abdomens, Sore|Bellyache\n"
    "D900002\tZinc Finger\tFinger, Zinc\n"
)

XML = """<?xml version="1.0"?>
<!DOCTYPE DescriptorRecordSet SYSTEM "https://example.org/never-fetched.dtd">
<DescriptorRecordSet LanguageCode="eng">
<DescriptorRecord DescriptorClass="1">
  <DescriptorUI>D900001</DescriptorUI>
  <DescriptorName><String>Abdomen, Sore</String></DescriptorName>
  <PharmacologicalActionList><PharmacologicalAction><DescriptorReferredTo>
    <DescriptorUI>D999999</DescriptorUI><DescriptorName><String>Another</String></DescriptorName>
  </DescriptorReferredTo></PharmacologicalAction></PharmacologicalActionList>
  <ConceptList>
    <Concept PreferredConceptYN="Y"><TermList>
      <Term IsPermutedTermYN="N" RecordPreferredTermYN="Y"><String>Abdomen, Sore</String></Term>
      <Term IsPermutedTermYN="N"><String>Sore Abdomen</String></Term>
      <Term IsPermutedTermYN="N"><String>Sore Abdomens</String></Term>
      <Term IsPermutedTermYN="Y"><String>Abdomens, Sore</String></Term>
    </TermList></Concept>
    <Concept PreferredConceptYN="N"><TermList>
      <Term IsPermutedTermYN="N"><String>Bellyache</String></Term>
      <Term IsPermutedTermYN="Y"><String>Belly, Aching</String></Term>
    </TermList></Concept>
  </ConceptList>
</DescriptorRecord>
<DescriptorRecord DescriptorClass="1">
  <DescriptorUI>D900002</DescriptorUI>
  <DescriptorName><String>Zinc Finger</String></DescriptorName>
  <ConceptList><Concept PreferredConceptYN="Y"><TermList>
    <Term IsPermutedTermYN="N"><String>Zinc Finger</String></Term>
    <Term IsPermutedTermYN="Y"><String>Finger, Zinc</String></Term>
  </TermList></Concept></ConceptList>
</DescriptorRecord>
</DescriptorRecordSet>
"""

ASCII = """*NEWRECORD
RECTYPE = D
MH = Abdomen, Sore
AQ = DI PA
PRINT ENTRY = Sore Abdomen|T047|NON|EQV|NLM (1999)|980101|abcdef
ENTRY = Sore Abdomens|T047|NON|EQV|NLM (1999)|980101|abcdef
ENTRY = Bellyache
MS = Where ENTRY = is not the beginning of a line it is text.
UI = D900001

*NEWRECORD
RECTYPE = D
MH = Zinc Finger
UI = D900002
"""


def write(path: Path, content: str) -> Path:
    path.write_text(content, "utf-8")
    return path


@pytest.mark.parametrize(("ending", "content"), [("tsv", TSV), ("xml", XML), ("bin", ASCII)])
def test_every_format_gives_the_same_concepts_in_natural_word_order(
    tmp_path: Path, ending: str, content: str
) -> None:
    concepts = mesh.read(write(tmp_path / f"mesh.{ending}", content)).concepts
    assert [(c.concept_id, c.name, sorted(c.synonyms), c.source) for c in concepts] == [
        ("MESH:D900001", "Sore Abdomen", ["Bellyache", "Sore Abdomens"], "mesh"),
        ("MESH:D900002", "Zinc Finger", [], "mesh"),
    ]


def test_inverted_name_stays_where_its_words_stand_in_no_other_order() -> None:
    names = ["Leukemia, Hairy Cell", "Hairy Leukemia", "Cell, Leukemia"]
    assert mesh.natural_order(names) == names


def test_first_natural_spelling_takes_the_place_of_the_heading() -> None:
    names = ["Abdomen, Sore", "Sore Abdomen", "sore abdomen"]
    assert mesh.natural_order(names) == ["Sore Abdomen", "sore abdomen"]


def test_rows_with_too_few_fields_and_doubles_are_reported(tmp_path: Path) -> None:
    text = "D1\tHeart\nD2\tLung\tLungs\nD2\tAnother\t\n\tNameless\t\n"
    vocabulary = mesh.read(write(tmp_path / "m.tsv", text))
    assert [c.name for c in vocabulary] == ["Lung"]
    assert [(f.line, f.action) for f in vocabulary.findings] == [
        (1, "skipped"),
        (None, "skipped"),
        (4, "skipped"),
    ]


@pytest.mark.parametrize(
    ("ending", "content"),
    [
        ("xml", XML.replace("<DescriptorUI>D900001</DescriptorUI>", "")),
        ("xml", XML.replace("<DescriptorName><String>Abdomen, Sore</String></DescriptorName>", "")),
        ("bin", ASCII.replace("UI = D900001\n", "")),
        ("bin", ASCII.replace("MH = Abdomen, Sore\n", "")),
    ],
)
def test_record_without_id_or_heading_is_skipped_and_reported(
    tmp_path: Path, ending: str, content: str
) -> None:
    vocabulary = mesh.read(write(tmp_path / f"m.{ending}", content))
    assert [c.concept_id for c in vocabulary] == ["MESH:D900002"]
    assert [f.action for f in vocabulary.findings if "lacks" in f.message] == ["skipped"]


def test_xml_with_entities_is_refused(tmp_path: Path) -> None:
    bomb = XML.replace(
        'SYSTEM "https://example.org/never-fetched.dtd"', '[<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]'
    ).replace("Bellyache", "&b;")
    with pytest.raises(DataError, match="not the XML that MeSH promises"):
        mesh.read(write(tmp_path / "m.xml", bomb))


def test_truncated_xml_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"m\.xml, line \d+: not the XML"):
        mesh.read(write(tmp_path / "m.xml", XML[: len(XML) // 2]))


def test_xml_is_streamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two thousand records never more than the parser's buffer holds may hang on the root."""
    start, end = XML.index("<DescriptorRecord "), XML.rindex("</DescriptorRecordSet>")
    records = "".join(XML[start:end].replace("D9", f"D{i}-") for i in range(1000))
    path = write(tmp_path / "m.xml", XML[:start] + records + XML[end:])
    roots, hanging = [], []
    parse, record = mesh.iterparse, mesh._record

    def keeping(*args, **kwargs):  # type: ignore[no-untyped-def]
        for event, element in parse(*args, **kwargs):
            roots.append(element) if not roots else None
            yield event, element

    def counting(element, report):  # type: ignore[no-untyped-def]
        hanging.append(len(roots[0]))
        return record(element, report)

    monkeypatch.setattr(mesh, "iterparse", keeping)
    monkeypatch.setattr(mesh, "_record", counting)
    assert len(mesh.read(path)) == len(hanging) == 2000
    assert max(hanging) < 250


@pytest.mark.parametrize(
    ("name", "content", "error", "message"),
    [
        ("m.txt", TSV, ParameterError, "known: '.bin', '.tsv', '.xml'"),
        ("m.tsv", "", DataError, "holds no descriptor"),
        ("m.bin", "nothing", DataError, "holds no descriptor"),
        ("m.xml", "<DescriptorRecordSet/>", DataError, "holds no descriptor"),
        ("m.xml", "", DataError, "not the XML"),
    ],
)
def test_wrong_file_is_an_error(
    tmp_path: Path, name: str, content: str, error: type[CitectxError], message: str
) -> None:
    with pytest.raises(error, match=message):
        mesh.read(write(tmp_path / name, content))


def test_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match="expected MeSH descriptors"):
        mesh.read(tmp_path / "desc.xml")
