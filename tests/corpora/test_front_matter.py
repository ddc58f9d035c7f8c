"""Title, DOI and year in the first lines of text and Markdown."""

import pytest

from citectx.corpora.articles import article_of

LIST = "\n\nReferences\n\n1. Poe E. Fish. 1999. doi:10.99999/fish.1\n"


@pytest.mark.parametrize(
    ("text", "title", "doi", "year"),
    [
        ("Why cells rest\n\ndoi:10.99999/Rest.1\n\nThey do.", "Why cells rest", "rest.1", ""),
        ("Why cells rest\n\nDOI: https://doi.org/10.99999/rest.1.", "Why cells rest", "rest.1", ""),
        ("# Why cells rest\n\n<https://doi.org/10.99999/rest.1>", "Why cells rest", "rest.1", ""),
        ("Why cells rest\n\nThey do, as in 10.99999/rest.1.", "Why cells rest", "", ""),
        ("Journal of Rest 3\nWhy cells rest\n\nPublished: May 2016.", "Why cells rest", "", "2016"),
        ("Why cells rest\n\n© 2015 Doe. Proceedings of 2016, p. 1.", "Why cells rest", "", "2016"),
        ("Why cells rest\n\nIn 1999 they did.", "Why cells rest", "", ""),
        ("---\ntitle: 'On rest'\nyear: 2016\n---\n\nThey do.", "On rest", "", "2016"),
        ("---\ntitle: On rest\ndate: 2016-03-04\n---\n# Printed\n\nSo.", "On rest", "", "2016"),
        ("---\ndoi: 10.99999/rest.1\n---\n# Why cells\n\nSo.", "Why cells", "rest.1", ""),
        ("---\n\n# Why cells rest\n\nThey do.", "Why cells rest", "", ""),
    ],
)
def test_what_first_lines_tell(text: str, title: str, doi: str, year: str) -> None:
    work = article_of(text + LIST).work
    assert (work.title, work.year) == (title, year)
    assert work.doi == (f"10.99999/{doi}" if doi else "")


def test_what_is_above_the_title_is_back_matter() -> None:
    text = "---\ntitle: On rest\n---\nJournal of Rest\n\n# On rest\n\nThey do.\n"
    blocks = article_of(text).document.blocks
    assert [(b.kind, text[b.start : b.end][:3]) for b in blocks] == [
        ("back", "---"),
        ("title", "On "),
        ("body", "The"),
    ]
