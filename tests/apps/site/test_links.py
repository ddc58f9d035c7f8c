"""Broken links and foreign loads are found; what is fine is not reported."""

from pathlib import Path

import pytest

from citectx.apps.site.links import check


@pytest.mark.parametrize(
    ("html", "complaint"),
    [
        ('<a href="b.html#here">', ""),
        ('<a href="b.html#gone">', "no #gone in b.html"),
        ('<a href="#self"></a><p id="self">', ""),
        ('<a href="#other">', "no #other in a.html"),
        ('<a href="sub">', ""),
        ('<a href="../b.html">', "no ../b.html"),
        ('<a href="c%20d.csv">', ""),
        ('<a href="https://example.org/x">', ""),
        ('<a href="mailto:a@example.org">', ""),
        ('<img src="c%20d.csv">', ""),
        ('<img src="gone.png">', "no gone.png"),
        ('<img src="data:image/png;base64,AA">', ""),
        ('<script src="//cdn.example/x.js"></script>', "loads //cdn.example/x.js"),
        (
            '<link rel="stylesheet" href="http://example.org/x.css">',
            "loads http://example.org/x.css",
        ),
        ('<link rel="canonical" href="https://example.org/">', ""),
        ("<style>@import 'https://example.org/f.css';</style>", "loads https://example.org/f.css"),
        (
            '<p style="background: url(https://example.org/b.png)">',
            "loads https://example.org/b.png",
        ),
        ("<script>fetch('https://example.org/d')</script>", "loads https://example.org/d"),
        ("<p>fetch('https://example.org/d')</p>", ""),
    ],
)
def test_links(tmp_path: Path, html: str, complaint: str) -> None:
    (tmp_path / "sub").mkdir()
    for name, text in {
        "a.html": html,
        "b.html": '<h1 id="here">',
        "sub/index.html": "<p>",
        "c d.csv": "",
    }.items():
        (tmp_path / name).write_text(text)
    found = check(tmp_path)
    assert found == ([f"a.html: {complaint}"] if complaint else [])


def test_files_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "_static").mkdir()
    (tmp_path / "_static" / "a.css").write_text(
        "@font-face { src: url('https://fonts.example/f.woff2') }"
    )
    (tmp_path / "_static" / "b.js").write_text(
        'import x from "https://cdn.example/x.js"; see("https://ok.example")'
    )
    (tmp_path / "index.html").write_text(
        '<link rel="stylesheet" href="_static/a.css"><a href="t.csv">t</a>'
    )
    assert check(tmp_path) == [
        "_static/a.css: loads https://fonts.example/f.woff2",
        "_static/b.js: loads https://cdn.example/x.js",
        "index.html: no t.csv",
    ]
