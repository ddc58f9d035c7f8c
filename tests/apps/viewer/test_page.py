"""One file, no network, no markup out of an article."""

import base64
import hashlib
import html
import json
import re
from collections import Counter
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citectx.apps import viewer
from citectx.apps.viewer import choose, content, framed, render
from citectx.apps.viewer.page import embedded
from citectx.corpora import Corpus
from citectx.errors import ParameterError
from citectx.experiments.contextualization import Protocol, prepare
from citectx.retrieval import LMD, VSM
from citectx.show import html as display
from tests.apps.viewer.made import bare, corpus, evil


def evil_page() -> str:
    prepared, shown, _ = choose(corpus(evil()), evil(), ["VSM", "LMD"], tuned=False)
    return render(content(prepared, shown, {"<M>": "<why>"}, corpus="<C>"))


class Parts(HTMLParser):
    """Tags, attributes, and what stands in script and style elements."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str | None]] = []
        self.inside: dict[str, str] = {}
        self._open = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += attrs
        self._open = dict(attrs).get("id") or tag

    def handle_endtag(self, tag: str) -> None:
        self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open:
            self.inside[self._open] = self.inside.get(self._open, "") + data


@given(
    st.dictionaries(
        st.text(max_size=5), st.text(st.characters() | st.sampled_from("<>&\u2028\u2029"))
    )
)
def test_embedded_json_is_plain_ascii_that_html_does_not_read(data: dict[str, str]) -> None:
    text = embedded(data)
    assert text.isascii()
    assert not set("<>&") & set(text)
    assert json.loads(text) == data


def test_an_article_adds_no_tag_to_the_page() -> None:
    """The same elements with markup in the article or without, its text whole inside the data."""
    tame, _, _ = choose(corpus(bare()), bare(), [])
    parts, plain = Parts(evil_page()), Parts(render(content(tame)))
    assert parts.tags == plain.tags
    assert parts.tags["script"] == 2
    data = json.loads(parts.inside["data"])
    assert data["text"] == evil().reference.text
    assert data["citances"][0]["id"] == evil().citances[0].citance_id
    assert parts.inside["title"] == "<T> · <b>Title</b> of 𝒜 & co"


def test_policy_allows_the_pages_own_script_and_style_alone() -> None:
    parts = Parts(evil_page())
    (policy,) = [
        value for _, value in parts.attributes if value and value.startswith("default-src 'none'")
    ]
    for tag, directive in (("script", "script-src"), ("style", "style-src")):
        own = base64.b64encode(hashlib.sha256(parts.inside[tag].encode()).digest()).decode()
        assert f"{directive} 'sha256-{own}'" in policy
    assert "unsafe" not in policy


def test_page_asks_for_nothing() -> None:
    page = evil_page()
    attributes = Parts(page).attributes
    assert not [a for a in attributes if a[0] in {"src", "href", "style"} or a[0].startswith("on")]
    own = re.sub(r'<script type="application/json".*?</script>', "", page, flags=re.DOTALL)
    assert not re.search(
        r"https?:|//[a-z]|@import|url\(|innerHTML|insertAdjacent|document\.write|eval\(", own
    )


def test_frame_holds_the_whole_page() -> None:
    page = evil_page()
    (inner,) = [value for name, value in Parts(framed(page)).attributes if name == "srcdoc"]
    assert inner == page
    assert 'sandbox="allow-scripts"' in framed(page)
    assert html.escape("<script>") not in page  # nothing was escaped twice


def srcdoc(shown: Any) -> dict[str, Any]:
    (page,) = [value for name, value in Parts(shown.data).attributes if name == "srcdoc"]
    assert page
    data: dict[str, Any] = json.loads(Parts(page).inside["data"])
    return data


def test_show_puts_an_article_or_a_citance_into_a_notebook(teaching: Corpus) -> None:
    prepared = prepare(teaching, Protocol())[0]
    topic = prepared.topic
    data = srcdoc(viewer.show(prepared, {"VSM": VSM(), "LMD": LMD(mu=100)}, "2"))
    assert [m["name"] for m in data["methods"]] == ["VSM", "LMD"]
    assert data["citances"][data["start"]]["id"] == "2"
    assert srcdoc(viewer.show(topic, {}))["methods"] == []
    assert srcdoc(viewer.show(topic, {}, topic.citances[3]))["start"] == 3
    fragment = display.show(topic, "2").data
    assert fragment == display.show(topic, topic.citances[1]).data
    assert "<iframe" not in fragment
    assert "<script" not in fragment


def test_show_tells_what_is_wrong(teaching: Corpus) -> None:
    topic = teaching.topics[0]
    with pytest.raises(ParameterError, match="methods need a prepared topic"):
        viewer.show(topic, {"VSM": VSM()})
