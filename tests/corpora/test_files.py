"""What the readers share."""

from collections.abc import Callable
from pathlib import Path

import pytest

from citectx.corpora import citation_integrity, coresc, scisumm, scisummnet
from citectx.corpora.files import listed
from citectx.errors import DataError, MissingDataError


@pytest.mark.parametrize(
    ("printed", "items"),
    [
        ("['1','94']", ("1", "94")),
        ("['1', '94' 95']", ("1", "94", "95")),
        ("Method_Citation", ("Method_Citation",)),
        ("", ()),
        ("[]", ()),
    ],
)
def test_printed_lists(printed: str, items: tuple[str, ...]) -> None:
    assert listed(printed) == items


@pytest.mark.parametrize(
    ("source", "reader"),
    [
        ("citation-integrity-annotations", citation_integrity.read),
        ("citation-integrity-fulltext", citation_integrity.read_full_texts),
        ("coresc-corpora", coresc.read_art),
        ("coresc-corpora", coresc.read_cra),
        *(
            ("scisumm-corpus", read)
            for read in (scisumm.read_training, scisumm.read_test, scisumm.read_gold)
        ),
        *(("scisumm-corpus", read) for read in (scisummnet.read, scisummnet.authority)),
    ],
)
def test_a_missing_folder_says_what_to_do(
    tmp_path: Path, source: str, reader: Callable[[Path], object]
) -> None:
    with pytest.raises((DataError, MissingDataError), match=f"citectx fetch {source}"):
        reader(tmp_path / "nowhere")
