"""`HTMLSplitter`: worked examples, oracles, the cases of other projects' bug lists, golden documents."""

from __future__ import annotations

import os
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_text_splitters import TextSplitter

from langchain_chunkers import SettingError, testing
from langchain_chunkers.readers.html_decode import decode
from langchain_chunkers.readers.html_elements import safe_url
from langchain_chunkers.readers.html_tokens import attributes, tokenize
from langchain_chunkers.strategies.html import HTMLSplitter
from tests import generators_html

GOLDEN = Path(__file__).parent / "golden" / "html"
DOCUMENTS = sorted(path.name for path in (GOLDEN / "documents").iterdir())


def text_of(html: str, **settings: Any) -> str:
    return HTMLSplitter(**settings).read(html).text


def chunks_of(
    html: str, size: int | None = 500, **settings: Any
) -> list[tuple[str, dict[str, str]]]:
    """Give the chunks with their heading paths."""
    documents = HTMLSplitter(size, **settings).create_documents([html])
    return [
        (
            d.page_content,
            {k: v for k, v in d.metadata.items() if not k.startswith(("source", "anchor"))},
        )
        for d in documents
    ]


# ------------------------------------------------------------------ clean text

TEXTS = {
    "inline order": ("<p>Mix <b>ten</b> grams with <a href='#'>salt</a> now.</p>", "Mix ten grams with salt now."),
    "inline tags part no words": ("<p>un<b>believ</b>able <i>x</i>.</p>", "unbelievable x."),
    "white space": ("<p>  a \n\t b<b> c </b> d </p>", "a b c d"),
    "blocks": ("a<div>b<p>c</div>d", "a\n\nb\n\nc\n\nd"),
    "line breaks": ("a<br>b<br/><br>c", "a\nb\n\nc"),
    "entities": ("&lt;b&gt; &amp &copy2020 &#x41;&#66; &zzz; &", "<b> & ©2020 AB &zzz; &"),
    "no-break spaces": ("3.50&nbsp;&euro;<p>&nbsp;</p><p>x", "3.50 €\n\nx"),
    "numbers beyond Unicode": ("&#" + "9" * 5000 + ";&#xD800;", "\ufffd\ufffd"),
    "scripts, styles, comments": (
        "<style>p{}</style>a<script>var x='<p>b</p>';</script><!-- c <p> --><template>d</template> e", "a e",
    ),
    "script in a comment in a script": ("<script><!-- '<script>x</script>' --></script>y", "y"),
    "hidden": (
        ("<p hidden>a</p><p style='color:red;DISPLAY : none'>b</p><dialog>c</dialog><p hidden=until-found>d</p>"
         "<span aria-hidden=true>e</span><div aria-hidden=true>f</div><noscript>g</noscript><title>h</title>"),
        "d\n\nf",
    ),
    "a hidden part ends where its element ends": ("<div hidden><b>a</div>b<p>c", "b\n\nc"),
    "select": ("<form><label>Country</label> <select><option>A<option>B</select><button>Go</button></form>", "Country Go"),
    "lists": (
        "<ul><li>a<li>b<ol start=3><li>c<li value=7>d<li>e</ol><li><p>f</p><p>g</p></ul>h",
        "- a\n- b\n  3. c\n  7. d\n  8. e\n- f\n  g\n\nh",
    ),
    "marks of lists": (
        "<ol type=a><li>x<li>y</ol><ol type=I start=4 reversed><li>x<li>y</ol><ol start=99999999999><li>z</ol>",
        "a. x\nb. y\nIV. x\nIII. y\n1. z".replace("b. y\nIV", "b. y\n\nIV").replace("III. y\n1", "III. y\n\n1"),
    ),
    "definitions": ("<dl><dt>a<dd>b<dd>c<dt>d<dd>e</dl>", "a\n  b\n  c\nd\n  e"),
    "preformatted": ("<pre>\n  a\n\n  b &lt;<b>c</b><br>d\n</pre>e", "  a\n\n  b <c\nd\n\ne"),
    "tables": (
        "<table><tr><th>A<th>B</tr><tr><td>a | b<td><ul><li>c<li>d</ul></tr></table>",
        "| A | B |\n|---|---|\n| a \\| b | • c • d |",
    ),
    "a table without header": ("<table><tr><td>a<td>b<tr><td>c<td></table>", "| a | b |\n| c |  |"),
    "spans": (
        ("<table><tr><th rowspan=2>A<th colspan=2>B</tr><tr><th>b<th>c</tr>"
         "<tr><td rowspan=2>1<td colspan=2>2</tr><tr><td>3<td>4</tr></table>"),
        "| A | B | B |\n| A | b | c |\n|---|---|---|\n| 1 | 2 |  |\n| 1 | 3 | 4 |",
    ),
    "a caption": ("<table><caption>C</caption><tr><td>a<td>b</table>", "C\n\n| a | b |"),
    "tables for layout are blocks": (
        "<table><tr><td><h2>a</h2><p>b</p></td><td>c</td></tr></table><table><tr><td>d<tr><td>e</table>",
        "a\n\nb\n\nc\n\nd\n\ne",
    ),
    "a table in a table": (
        "<table><tr><td>a<td><table><tr><td>b<td>c</table></table>", "a\n\n| b | c |",
    ),
    "CDATA": ("a <![CDATA[<b> &amp;]]> c", "a <b> &amp; c"),
    "text areas and plain text": ("<textarea><b>&amp;</textarea><plaintext></p>&amp;<b>", "<b>&\n\n</p>&amp;<b>"),
    "formulas": (
        "<p>x <math><mi>r</mi><annotation encoding='application/x-tex'>r^2 &lt; 1</annotation></math> y<math><mn>2</mn></math>",
        "x $r^2 < 1$ y2",
    ),
    "drawings": ("<svg><title>a</title><defs><text>b</text></defs><text>c</text></svg>d", "c d"),
    "menus": ("<nav><a>A</a><a>B</a></nav>", "A B"),
    "an unclosed select hides its options alone": ("<select><option>a<p>b</p>c", "b\n\nc"),
    "no tags": ("5 < 6 and <3 > 2 </ >", "5 < 6 and <3 > 2"),
    "a tag that never ends": ("a <b and c", "a <b and c"),
    "a quote that never ends": ("<a href='x>b</a> c <i title=\">\">d</i>", "b c d"),
    "an unclosed comment hides the rest, as in browsers": ("a<!-- b <p>c", "a"),
    "an unclosed script hides the rest, as in browsers": ("a<script> b <p>c", "a"),
    "an unclosed title ends at the next tag": ("<title>a<p>b", "b"),
    "end tags without start": ("a</b></div></td>b</p>c", "ab\n\nc"),
    "misnested": ("<b>a<p>b</b>c<i>d</p>e</i>", "a\n\nbcd\n\ne"),
    "XHTML": ("<?xml version='1.0'?><div><a id='x'/>a<script src='y'/>b</div>", "ab"),
    "ruby": ("<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", "漢(kan)"),
}  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
def test_clean_text(name: str) -> None:
    html, expected = TEXTS[name]
    assert text_of(html).strip("\n") == expected


def test_links_and_images() -> None:
    html = (
        "<p><a>plain</a> and <a href='javascript:alert(1)'>bad</a> and <a href='u v'>ok <b>now</b></a> "
        "<a href='e'></a><img src='i.png' alt='A\n pump'><img src='data:image/png;base64,x' alt=B><img src=j>"
    )
    assert text_of(html) == "plain and bad and ok now"
    assert text_of(html, links=True) == "plain and bad and [ok now](u%20v)"
    found = text_of(html, links=True, images=True)
    assert found == "plain and bad and [ok now](u%20v) ![A pump](i.png) B ![](j)"


def test_a_link_around_blocks_is_closed_in_its_first_line() -> None:
    assert text_of("<a href=u><div>a</div><div>b</div></a>c", links=True) == "[a](u)\n\nb\n\nc"


@pytest.mark.parametrize(
    "address",
    [
        "javascript:x",
        " JavaScript:x",
        "java\tscript:x",
        "\x01javascript:x",
        "data:text/html,x",
        "vbscript:x",
        "file:///x",
        "blob:x",
    ],
)
def test_addresses_that_are_not_safe(address: str) -> None:
    assert safe_url(address) == ""
    assert text_of(f'<a href="{address}">t</a>', links=True) == "t"


def test_entities_in_addresses_are_decoded_first() -> None:
    assert text_of('<a href="&#106;avascript&colon;x">t</a>', links=True) == "t"
    assert text_of('<a href="?a=1&amp;b&copy=2">t</a>', links=True) == "[t](?a=1&b&copy=2)"


def test_boilerplate_is_left_out_if_asked_for() -> None:
    html = "<nav>menu</nav><div role=navigation>more</div><main>a<aside>b</aside></main><footer>c</footer>"
    assert text_of(html) == "menu\n\nmore\n\na\n\nb\n\nc"
    assert text_of(html, exclude_tags=HTMLSplitter.BOILERPLATE) == "a"


# ------------------------------------------------------------------ headings


def test_heading_path_and_chunks() -> None:
    html = (
        "<p>Lead</p><h1>A</h1><p>x</p><h3>C</h3><p>y</p><h2>B<br>b</h2><p>z</p><h1>D</h1><p>w</p>"
    )
    assert chunks_of(html) == [
        ("Lead", {}),
        ("A\n\nx", {"Header 1": "A"}),
        ("C\n\ny", {"Header 1": "A", "Header 3": "C"}),
        ("B b\n\nz", {"Header 1": "A", "Header 2": "B b"}),
        ("D\n\nw", {"Header 1": "D"}),
    ]
    ((whole, path),) = chunks_of(html, split_on_headings=False)
    assert (whole, path) == ("Lead\n\nA\n\nx\n\nC\n\ny\n\nB b\n\nz\n\nD\n\nw", {})


def test_small_sections_join() -> None:
    html = "<h2>A</h2><p>x</p><h2>B</h2><p>y</p>"
    assert len(chunks_of(html)) == 2
    assert [text for text, _ in chunks_of(html, min_chunk_size=10)] == ["A\n\nx\n\nB\n\ny"]


def test_a_heading_right_below_another_names_what_follows() -> None:
    assert chunks_of("<h1>A</h1><h2>B</h2><p>x") == [
        ("A\n\nB\n\nx", {"Header 1": "A", "Header 2": "B"})
    ]


def test_headings_of_other_kinds() -> None:
    assert chunks_of("<div role=heading aria-level=1>A</div>x<h2>un<div>b</div></h2>y") == [
        ("A\n\nx", {"Header 1": "A"}),
        ("un b\n\ny", {"Header 1": "A", "Header 2": "un b"}),
    ]
    assert chunks_of("<h1>A<p>x</p><h2>B<p>y") == [
        ("A\n\nx", {"Header 1": "A"}),
        ("B\n\ny", {"Header 1": "A", "Header 2": "B"}),
    ]
    assert chunks_of("<ul><li><h3>A</h3><p>x<li><h3>B</h3>y</ul>") == [
        ("- A\n  x", {"Header 3": "A"}),
        ("- B\n  y", {"Header 3": "B"}),
    ]


def test_the_path_ends_with_its_article() -> None:
    html = (
        "<main><h1>A</h1><p>x</p><aside><h2>B</h2><p>y</p></aside><p>z</p></main><footer>w</footer>"
    )
    assert chunks_of(html) == [
        ("A\n\nx", {"Header 1": "A"}),
        ("B\n\ny", {"Header 1": "A", "Header 2": "B"}),
        ("z", {"Header 1": "A"}),
        ("w", {}),
    ]


def test_marks_of_documentation_tools_are_not_in_the_path() -> None:
    html = "<h1>A<a href='#a'>¶</a></h1><p>x ¶ <a>#</a></p><h2><a href=u>C #</a></h2>y"
    assert chunks_of(html) == [
        ("A\n\nx ¶ #", {"Header 1": "A"}),
        ("C #\n\ny", {"Header 1": "A", "Header 2": "C #"}),
    ]


def test_headings_stay_with_the_text_behind() -> None:
    html = "".join(f"<h2>Heading number {n}</h2><p>{'word ' * n}</p>" for n in range(1, 30))
    for mode in ("text", "source"):
        splitter = HTMLSplitter(80, mode=mode, split_on_headings=False)
        testing.check_nested(splitter, html)
        assert not any(chunk.endswith(("number", "</h2>")) for chunk in splitter.split_text(html))


# What LangChain's HTMLHeaderTextSplitter 1.1.3 gives for these; see docs/coming-from-htmlheadertextsplitter.md.
LANGCHAIN = (
    (
        "<h1>Foo</h1><p>Some intro.</p><div><h2>Bar</h2><p>About Bar.</p><h3>Baz</h3><p>Text.</p></div><h2>Qux</h2><p>End.</p>",
        [
            ("Foo", {"Header 1": "Foo"}),
            ("Some intro.", {"Header 1": "Foo"}),
            ("Bar", {"Header 1": "Foo", "Header 2": "Bar"}),
            ("About Bar.  \nBaz  \nText.", {"Header 1": "Foo", "Header 2": "Bar"}),
            ("Qux", {"Header 1": "Foo", "Header 2": "Qux"}),
            ("End.", {"Header 1": "Foo", "Header 2": "Qux"}),
        ],
    ),
    (
        "<p>Lead</p><h1>A</h1><ul><li>x</li><li>y</li></ul>",
        [("Lead", {}), ("A", {"Header 1": "A"}), ("x  \ny", {"Header 1": "A"})],
    ),
)  # fmt: skip


@pytest.mark.parametrize("html, expected", LANGCHAIN)
def test_beside_langchain(html: str, expected: list[tuple[str, dict[str, str]]]) -> None:
    """The same text under the same headings; a heading and its text are one chunk, not two."""
    found = chunks_of(html, None, headers_to_split_on=[("h1", "Header 1"), ("h2", "Header 2")])
    joined: list[tuple[list[str], dict[str, str]]] = []
    for text, path in expected:
        if joined and joined[-1][1] == path:
            joined[-1][0].extend(text.split())
        else:
            joined.append((text.split(), path))
    assert [(text.replace("- ", "").split(), path) for text, path in found] == joined


def test_headers_to_split_on() -> None:
    html = "<h1>A</h1><p>x</p><h2>B</h2><p>y</p><h3>C</h3><p>z</p>"
    assert chunks_of(html, headers_to_split_on=[("h1", "Title"), ("H2", "Part")]) == [
        ("A\n\nx", {"Title": "A"}),
        ("B\n\ny\n\nC\n\nz", {"Title": "A", "Part": "B"}),
    ]
    # a heading above those asked for starts no chunk
    assert chunks_of("<h2>A</h2>x<h1>B</h1>y", headers_to_split_on=[("h2", "Part")]) == [
        ("A\n\nx\n\nB\n\ny", {"Part": "A"})
    ]
    for wrong in ([("section", "S")], ["h1"], [("h1",)]):
        with pytest.raises(SettingError, match="heading tag"):
            HTMLSplitter(headers_to_split_on=wrong)  # type: ignore[arg-type]


def test_return_each_element() -> None:
    html = "<h1>A</h1><p>x</p><p>y</p><ul><li>1<li>2</ul>"
    assert [t for t, _ in chunks_of(html, return_each_element=True)] == ["A\n\nx", "y", "- 1\n- 2"]


# ------------------------------------------------------------------ tables and other blocks

ROWS = 40
TABLE = (
    "<table><tr><th>A</th><th>B</th></tr>"
    + "".join(f"<tr><td>r{n} a</td><td>r{n} b</td></tr>" for n in range(ROWS))
    + "</table>"
)


@pytest.mark.parametrize("mode", ["text", "source"])
@pytest.mark.parametrize("size", [130, 200, 700])
def test_rows_are_whole_and_have_their_header(mode: Any, size: int) -> None:
    splitter = HTMLSplitter(size, mode=mode)
    documents = splitter.create_documents([f"<p>{'word ' * 30}</p>{TABLE}<p>end</p>"])
    rows = [d for d in documents if "r1" in d.page_content or " a" in d.page_content]
    assert len(rows) > 1
    for document in rows:
        text = document.page_content
        assert len(text) <= size
        if mode == "text":
            assert text.startswith("| A | B |\n|---|---|\n| r")
        else:
            assert text.startswith("<table><tr><th>A</th><th>B</th></tr><tr>")
            assert text.endswith("</tr></table>")
    for n in range(ROWS):
        row = (
            f"| r{n} a | r{n} b |" if mode == "text" else f"<tr><td>r{n} a</td><td>r{n} b</td></tr>"
        )
        assert sum(row in d.page_content for d in documents) == 1


def test_a_row_over_the_cap_is_divided_between_cells() -> None:
    cells = "".join(f"<td>a cell, number {n}, of words</td>" for n in range(8))
    chunks = HTMLSplitter(90).split_text(f"<table><tr>{cells}</tr><tr>{cells}</tr></table>")
    assert all(chunk.rstrip(" |").endswith("of words") for chunk in chunks)


def test_table_spans_do_not_make_text_without_bounds() -> None:
    rows = "".join(f"<tr><td rowspan=65534>{'x' * 150}<td colspan=1000>y</tr>" for _ in range(300))
    html = f"<table>{rows}</table>"
    assert len(text_of(html)) <= 2 * len(html) + 1000


def test_code_is_divided_at_blank_lines_and_knows_its_language() -> None:
    code = "\n\n".join(f"def f{n}(x):\n    y = x + {n}\n    return y" for n in range(6))
    html = f'<p>x</p><pre><code class="hljs language-python">{code}</code></pre>'
    documents = HTMLSplitter(100).create_documents([html])
    assert all(d.page_content.startswith("def ") for d in documents[1:])
    assert {d.metadata["language"] for d in documents[1:]} == {"python"}


def needless(splitter: HTMLSplitter, html: str, blocks: list[str]) -> list[str]:
    """List blocks that fit the cap and are in no chunk whole."""
    chunks = splitter.split_text(html)
    return [b for b in blocks if len(b) <= splitter._chunk_size and not any(b in c for c in chunks)]


@given(st.lists(st.integers(1, 60), min_size=1, max_size=12), st.sampled_from([60, 100, 300]))
def test_no_block_is_cut_without_need(sizes: list[int], size: int) -> None:
    words = [" ".join(f"w{n}x{k}." for k in range(1 + count // 4)) for n, count in enumerate(sizes)]
    items = "".join(f"<li>{each}</li>" for each in words)
    code = [f"<pre>{each.replace(' ', chr(10))}\n\n x</pre>" for each in words]
    html = f"<ul>{items}</ul>{''.join(code)}" + "".join(f"<p>{each}</p>" for each in words)
    source = HTMLSplitter(size, mode="source")
    # an item may need the tags of its list beside it
    blocks = (
        [f"<li>{w}</li>" for w in words if len(w) + 18 <= size]
        + [f"<p>{w}</p>" for w in words]
        + code
    )
    assert needless(source, html, blocks) == []
    clean = [f"- {w}" for w in words] + [c[5:-6] for c in code]
    assert needless(HTMLSplitter(size), html, clean) == []


# ------------------------------------------------------------------ source mode and the way back


@given(generators_html.texts(), st.sampled_from([20, 80, 400]))
def test_source_chunks_joined_are_the_html(html: str, size: int) -> None:
    splitter = HTMLSplitter(size, mode="source", strip_whitespace=False)
    spans = splitter.split_spans(html)
    assert "".join(html[start:end] for start, end in spans) == html


@given(generators_html.texts(), st.sampled_from([20, 80, 400]))
def test_text_chunks_say_where_they_come_from(html: str, size: int) -> None:
    """The first and last words of a chunk stand where its metadata says, however the HTML is broken.

    Where a cell is repeated in each row that it spans, the source has nothing: what follows counts.
    """
    splitter = HTMLSplitter(size, add_start_index=True)
    notes = splitter.read(html).notes
    of_source = {
        at for start, end in zip(notes.starts, notes.ends, strict=True) for at in range(start, end)
    }
    for document in splitter.create_documents([html]):
        known = document.metadata
        start, end = known["source_start"], known["source_end"]
        assert 0 <= start <= end <= len(html)
        assert known["source_line"] == html.count("\n", 0, start) + 1
        content = document.page_content.removeprefix(known.get("prefix", ""))
        first, last = content[:1], content[-1:]
        if known["start_index"] not in of_source:
            first = ""
        if known["end_index"] - 1 not in of_source:
            last = ""
        if (
            first.isalpha() and html[start] != "&" and html[start] != "<"
        ):  # marks of lists: their tag
            assert html[start] == first
        if last.isalpha() and html[end - 1] not in ";>" and not html[start:end].endswith("copy"):
            assert html[end - 1] in (last, "&") or "&" in html[max(start, end - 40) : end]


def test_a_repeated_cell_has_no_place_in_the_source() -> None:
    html = (
        "<table><tr><th>a<th>b</tr><tr><td rowspan=2>The pump failed at noon.<td>x"
        "<tr><td>The seal was new.</table>"
    )
    found = [
        (d.page_content, html[d.metadata["source_start"] : d.metadata["source_end"]])
        for d in HTMLSplitter(20).create_documents([html])
    ]
    assert found.count(("at noon.", "at noon.")) == 1
    repeated = found.index(("| The pump failed", ""))
    assert found[repeated + 1][0].startswith("at noon.")
    assert any(content.startswith("The seal was") for _, content in found[repeated:])
    last = "<table><tr><td rowspan=2>The pump failed at noon.<td>x<tr></table>"
    for document in HTMLSplitter(20).create_documents([last]):
        assert document.metadata["source_end"] <= last.index("x") + 1


def test_the_way_back_is_exact() -> None:
    html = "<h1>T</h1>\n<p>One &amp; two.\n  Three <b>four</b>\tfive.</p><ul><li>six &#33;</ul>"
    found = [
        html[d.metadata["source_start"] : d.metadata["source_end"]]
        for d in HTMLSplitter(12).create_documents([html])
    ]
    assert found == ["T</h1>\n<p>One &amp;", "two.", "Three <b>four", "five.", "<li>six &#33;"]
    document = HTMLSplitter(500).create_documents([html])[0]
    assert html[document.metadata["source_start"] : document.metadata["source_end"]] == html[4:-5]


def test_anchors_are_the_nearest_before() -> None:
    html = '<p>a</p><h2>B<a id="b"></a></h2>x<h2 id=c>C</h2>y<a name=d></a><svg><g id=no></g></svg><h2>D</h2>z'
    found = [d.metadata.get("anchor") for d in HTMLSplitter().create_documents([html])]
    assert found == [None, "b", "c", "d"]


@pytest.mark.parametrize(
    "part",
    ['Some <a href="a b, c. D e">words of. This</a> <b>text</b>. ', 'go <a href="a b c d">on</a> '],
)
def test_source_places_do_not_cut_tags(part: str) -> None:
    for size in (90, 40):  # sentences, and words
        for chunk in HTMLSplitter(size, mode="source").split_text(f"<p>{part * 20}</p>"):
            assert chunk.count("<") == chunk.count(">")


# ------------------------------------------------------------------ oracles


class Visible(HTMLParser):
    """Another way to the visible text of valid HTML, with the standard library's parser."""

    HIDDEN = frozenset(["script", "style", "template", "title", "select", "noscript", "head"])

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.depth, self.parts = 0, []  # type: ignore[var-annotated]

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.depth += tag in self.HIDDEN

    def handle_endtag(self, tag: str) -> None:
        self.depth -= tag in self.HIDDEN

    def handle_data(self, data: str) -> None:
        if not self.depth:
            self.parts.append(data)


def visible(html: str) -> str:
    parser = Visible()
    parser.feed(html)
    parser.close()
    return "".join("".join(parser.parts).split())


FORMS = (
    "<p>{}</p>", "<div>{}</div>", "<h2>{}</h2>", "<b>{}</b>", "<section>{}</section>", "<blockquote>{}</blockquote>",
    "<script>{}</script>", "<!-- {} -->", "<span title='a > b'>{}</span>", "<style>{}</style>", "<pre>{}</pre>", "{}<br>{}",
)  # fmt: skip
PLAIN = st.sampled_from(
    ["one two", "x", "a &lt; b", "&copy;", "中文。", "&#65; \n end.", "AT&amp;T"]
)


@given(
    st.recursive(
        PLAIN,
        lambda inner: (
            generators_html.filled(FORMS, inner) | st.lists(inner, max_size=4).map(" ".join)
        ),
        max_leaves=20,
    ).filter(lambda html: not any(html.count(f"<{tag}") > 1 for tag in ("script", "style", "!--")))
)
def test_the_visible_text_is_that_of_another_parser(html: str) -> None:
    assert "".join(text_of(html).split()) == visible(html)


@pytest.mark.parametrize("document", ["autogen_blog.html"])
def test_the_visible_text_of_real_pages(document: str) -> None:
    html = (GOLDEN / "documents" / document).read_bytes().decode()
    found = "".join(text_of(html).split())
    html = html.replace("\u200b", "")  # the text of links of headings to themselves
    assert found.replace("-", "") == visible(html).replace("-", "")  # "- " are marks of lists


@given(generators_html.texts())
def test_tokens_cover_the_text(html: str) -> None:
    tokens = tokenize(html)
    assert "".join(html[start:end] for _, start, end, _ in tokens) == html
    assert all(start < end for _, start, end, _ in tokens)


def test_attributes() -> None:
    html = "<a B=1 c='2 > 1' d=\"'\"e f = g h=&quot;&lt;x b=2 / i/>"
    (token,) = tokenize(html)
    expected = {"b": "1", "c": "2 > 1", "d": "'", "e": "", "f": "g", "h": '"<x', "i": ""}
    assert attributes(html, token) == expected


# ------------------------------------------------------------------ bounded, total

HOSTILE = (
    "<div>", "<b>", "<ul><li>", "<table><tr><td>", "<a ", "<a b=\"", "<a x=\">\" ", "<!--", "<![CDATA[", "<title>x",
    "<h1>x", "<pre>\n", "<svg>", "<math>", "<i></div>", "</b>", "<section><h2>x</h2>", "<dt>x<dd>y", "&#1", "<a\n",
)  # fmt: skip


@pytest.mark.parametrize("part", HOSTILE)
def test_deep_nesting_and_unclosed_everything(part: str) -> None:
    """A quadratic way through would take minutes here."""
    html = part * 10_000 + "end"
    for mode in ("text", "source"):
        chunks = HTMLSplitter(1000, mode=mode).split_text(html)
        assert all(len(chunk) <= 1000 for chunk in chunks)


def test_100_000_nested_elements() -> None:
    assert HTMLSplitter(1000).split_text("<div>" * 100_000 + "end" + "</div>" * 100_000) == ["end"]


# ------------------------------------------------------------------ cases of other projects' bug lists


def test_case_html_03_and_04_there_are_no_placeholders() -> None:
    html = (
        "<h1>T</h1>"
        + "".join(f"<p>item{n}</p>" for n in range(13))
        + "<p>The flag PRESERVED_0 is set.</p>"
    )
    text = text_of(html)
    assert all(text.split().count(f"item{n}") == 1 for n in range(13))
    assert "The flag PRESERVED_0 is set." in text


def test_case_html_05_a_table_over_the_cap() -> None:
    rows = "".join(f"<tr><td>cell {n}</td></tr>" for n in range(100))
    html = f"<h1>T</h1><p>{'word ' * 30}</p><table>{rows}</table>"
    assert max(map(len, HTMLSplitter(100).split_text(html))) <= 100


def test_case_html_06_text_before_the_first_heading() -> None:
    html = "<html><body><p>Lead text.</p><h1>A</h1><p>x</p></body></html>"
    assert chunks_of(html) == [("Lead text.", {}), ("A\n\nx", {"Header 1": "A"})]


def test_case_hdr_08_parents_stay_in_the_path() -> None:
    found = chunks_of("<h1>Book</h1><p>Intro.</p><h2>Part</h2><p>Body.</p>")
    assert found[-1][1] == {"Header 1": "Book", "Header 2": "Part"}


def test_case_hdr_10_it_is_a_text_splitter() -> None:
    assert isinstance(HTMLSplitter(), TextSplitter)


def test_case_idx_11_offsets_are_never_missing() -> None:
    html = "<h1>Title</h1><p>First para.</p><p>Second para.</p>"
    splitter = HTMLSplitter(15, add_start_index=True)
    text = splitter.read(html).text
    for document in splitter.create_documents([html]):
        known = document.metadata
        assert text[known["start_index"] : known["end_index"]] == document.page_content
        assert html[known["source_start"]] == document.page_content[0]


# ------------------------------------------------------------------ bytes


@pytest.mark.parametrize(
    "encoding, text",
    [("windows-1251", "Привет, мир"), ("shift_jis", "日本語"), ("gb2312", "你好，世界"), ("euc-kr", "안녕하세요"),
     ("big5", "繁體中文"), ("iso-8859-1", "Café €"), ("koi8-r", "Привет"), ("utf-8", "é中")],
)  # fmt: skip
def test_declared_charsets(encoding: str, text: str) -> None:
    data = text.encode("cp1252" if encoding == "iso-8859-1" else encoding)
    assert decode(b'<html><meta charset="' + encoding.encode() + b'"><p>' + data).endswith(text)
    http = (
        b"<META HTTP-EQUIV=Content-Type CONTENT='text/html; charset="
        + encoding.encode()
        + b"'>"
        + data
    )
    assert decode(http).endswith(text)
    assert decode(data, f"text/html; charset={encoding}") == text
    assert decode(data, encoding) == text
    assert decode(b"<?xml version='1.0' encoding='" + encoding.encode() + b"'?>" + data).endswith(
        text
    )


def test_what_holds_where_declarations_differ() -> None:
    assert decode(b"\xef\xbb\xbf<meta charset=latin1>\xc3\xa9")[-1] == "é"
    assert decode("\ufeffé".encode("utf-16"), "latin1")[-1] == "é"
    assert decode(b"<meta charset=koi8-r>\xe9", "text/html; charset=latin1")[-1] == "é"
    assert decode(b"<!-- <meta charset=koi8-r> --><meta charset=latin1>\xe9")[-1] == "é"
    assert decode("<meta charset=utf-16>é".encode())[-1] == "é"
    assert decode("<meta charset=nothing>é".encode())[-1] == "é"
    assert decode(b"<meta charset=hex>ab")[-2:] == "ab"
    assert decode(b"<meta charset=utf-7>+AD4-")[-5:] == "+AD4-"


@given(st.binary(max_size=60), st.none() | st.text(max_size=8))
def test_any_bytes_can_be_decoded(data: bytes, content_type: str | None) -> None:
    assert isinstance(decode(data, content_type), str)


# ------------------------------------------------------------------ settings


@pytest.mark.parametrize(
    "given_setting", [{"links": True}, {"images": True}, {"exclude_tags": ["nav"]}]
)
def test_settings_of_text_mode(given_setting: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match="every character"):
        HTMLSplitter(mode="source", **given_setting)


def test_wrong_settings() -> None:
    with pytest.raises(SettingError, match="mode must be one of"):
        HTMLSplitter(mode="markdown")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match=r"Give \['nav'\]"):
        HTMLSplitter(exclude_tags="nav")


def test_configuration_there_and_back() -> None:
    splitter = HTMLSplitter(300, headers_to_split_on=[("h1", "Title")], exclude_tags=("nav",))
    again = HTMLSplitter.from_config(splitter.to_config())
    html = "<nav>x</nav><h1>A</h1>y"
    assert again.create_documents([html]) == splitter.create_documents([html])


# ------------------------------------------------------------------ golden documents

SETTINGS: dict[str, dict[str, Any]] = {
    "text": {"chunk_size": 600},
    "source": {"chunk_size": 1200, "mode": "source"},
    "clean": {
        "chunk_size": 300,
        "links": True,
        "images": True,
        "exclude_tags": HTMLSplitter.BOILERPLATE,
    },
}


def html_of(document: str) -> str:
    return (GOLDEN / "documents" / document).read_bytes().decode()


def render(splitter: HTMLSplitter, html: str) -> str:
    parts = []
    for number, document in enumerate(splitter.create_documents([html])):
        parts.append(f"━━━ {number}: {document.metadata!r}\n{document.page_content}\n")
    return "".join(parts)


def path_of(document: str, name: str) -> Path:
    return GOLDEN / "chunks" / f"{document}.{name}.chunks"


@pytest.mark.parametrize("strip", [True, False])
@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_guarantees_hold(document: str, name: str, strip: bool) -> None:
    html, splitter = html_of(document), HTMLSplitter(**SETTINGS[name], strip_whitespace=strip)
    testing.check_sliced(splitter, html)
    testing.check_lossless(splitter, html)
    testing.check_capped(splitter, html)
    testing.check_whole_characters(splitter, html)
    testing.check_nested(splitter, html)
    testing.check_total(splitter, html)
    testing.check_own_metadata(splitter, html)


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_chunks_are_the_golden_ones(document: str, name: str) -> None:
    found = render(HTMLSplitter(**SETTINGS[name]), html_of(document))
    path = path_of(document, name)
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_bytes(found.encode())
    assert found == path.read_bytes().decode(), (
        "The chunks changed. If that is meant: python -m tests.test_html --update"
    )


def test_there_is_a_golden_file_for_each_and_no_other() -> None:
    expected = {path_of(document, name).name for document in DOCUMENTS for name in SETTINGS}
    assert {path.name for path in (GOLDEN / "chunks").iterdir()} == expected


def update() -> None:
    """Write the chunks of all documents anew."""
    for document in DOCUMENTS:
        for name, settings in SETTINGS.items():
            path_of(document, name).write_bytes(
                render(HTMLSplitter(**settings), html_of(document)).encode()
            )


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        sys.exit("usage: python -m tests.test_html --update")
    update()
