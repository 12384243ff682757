"""The viewer: what it shows is the text, once and in order, and the text can do nothing."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_text_splitters import RecursiveCharacterTextSplitter
from rich.console import Console

from langchain_chunkers import (
    AutoSplitter,
    ContextualSplitter,
    FixedSizeSplitter,
    HTMLSplitter,
    JSONSplitter,
    MarkdownSplitter,
    RecursiveSplitter,
    SentenceSplitter,
)
from langchain_chunkers.cli.settings import Wishes
from langchain_chunkers.cli.view import run_view
from langchain_chunkers.errors import InputError
from langchain_chunkers.testing.fakes import ScriptedChatModel
from langchain_chunkers.view import View, view
from langchain_chunkers.view.page import _file

GOLDEN = Path(__file__).parent / "golden" / "view"
VOID = {"meta", "input"}
XSS = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "</style><img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    '" onmouseover="alert(1)',
    "' autofocus onfocus='alert(1)",
    "<!-- --> <![CDATA[ ]]> <!--<script>",
    "</li></ol></section><iframe srcdoc='<script>1</script>'>",
    "</textarea></title><a href=javascript:alert(1)>x</a>",
    "<base href=//evil><meta http-equiv=refresh content=0;url=//evil>",
    "&lt;script&gt; &#60;script&#62; &amp;",
    "$title ${script} $$ %s {0}",
    "\u202eevil\u2066\u2069 \x00\x1b[2J \u2028\u2029 \ud800",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
]


class Page(HTMLParser):
    """Reads a page: its elements, and the text of the source in each pane."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[tuple[str, tuple[str, ...]]] = set()
        self.values: list[str] = []
        self.panes: list[str] = []
        self.data = ""
        self.stack: list[tuple[str, dict]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add((tag, tuple(name for name, _ in attrs)))
        self.values += [value for name, value in attrs if name != "content" and value]
        if tag == "section":
            self.panes.append("")
        if tag not in VOID:
            self.stack.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        opened, _ = self.stack.pop()
        assert opened == tag, "elements are nested"

    def handle_data(self, data):
        if any(attrs.get("id") == "data" for _, attrs in self.stack):
            self.data += data
        if not any("s" in (attrs.get("class") or "").split() for _, attrs in self.stack):
            return
        if self.stack[-1][1].get("class") == "u":  # a stand-in
            data = chr(int(data.removeprefix("U+"), 16))
        if self.panes:
            self.panes[-1] += data


def shapes(html: str) -> set:
    return Page(html).tags


def look(text, *splitters):
    return view({f"s{n}": one for n, one in enumerate(splitters)}, text)


@pytest.mark.parametrize("evil", XSS)
def test_a_hostile_text_adds_no_element_and_no_attribute(evil):
    def everywhere(word):
        text = f"before {word} after\n\n{word}\n\n" * 3
        document = Document(page_content=text, metadata={word: word, "source": word, "n": [word]})
        chunks = RecursiveSplitter(chunk_size=60, chunk_overlap=20)
        return view({word: chunks, "2": chunks}, document, title=word).html

    page = Page(everywhere(evil))
    plain = Page(everywhere("harmless".ljust(len(evil), "x")))
    allowed = plain.tags | {("b", ("class",)), ("span", ("class",)), ("mark", ("class", "data-n"))}
    assert page.tags <= allowed
    assert not page.stack
    for value in page.values:  # only numbers and our own words
        assert re.fullmatch(r"[\w.,:;=+/ ()'-]*", value, re.ASCII), value
    assert page.panes[0] == page.panes[1]
    assert evil in page.panes[0]
    assert "<" not in re.search(r'id="data">(.*?)</script>', everywhere(evil)).group(1)
    json.loads(page.data)


def test_scripts_and_styles_are_only_those_that_the_policy_names():
    html = look("text <script>1</script>", RecursiveSplitter()).html
    import base64
    import hashlib

    for tag in ("script", "style"):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src &#x27;sha256-{digest}".replace("&#x27;", "'") in html
    assert "default-src 'none'" in html
    assert not re.search(r"(?:https?:)?//[a-z]", html.replace(_file("page.js"), ""))
    assert "innerHTML" not in _file("page.js")
    assert "insertAdjacentHTML" not in _file("page.js")


def test_nobody_sees_a_bidi_override_act():
    html = look("pay \u202eelgoog\u202c now", RecursiveSplitter()).html
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", html)
    assert '<b class="u">U+202E</b>' in html


@given(
    st.text(st.characters() | st.sampled_from("<>&\"' \n\r\x00\u202e"), max_size=200),
    st.integers(5, 60),
    st.integers(0, 4),
)
def test_every_character_is_there_once_for_each_strategy_and_in_order(text, size, overlap):
    shown = look(
        text,
        RecursiveSplitter(chunk_size=size, chunk_overlap=overlap),
        FixedSizeSplitter(chunk_size=size, chunk_overlap=overlap, strip_whitespace=False),
        MarkdownSplitter(chunk_size=size, chunk_overlap=overlap),
    )
    page = Page(shown.html)
    assert page.panes == [text, text, text]
    assert not page.stack


@given(st.text("ab \n", max_size=120), st.integers(3, 20), st.integers(0, 2), st.booleans())
def test_the_same_for_chunks_from_elsewhere(text, size, overlap, offsets):
    splitter = RecursiveCharacterTextSplitter(
        chunk_size=size, chunk_overlap=overlap, add_start_index=offsets
    )
    assert Page(view(splitter, text).html).panes == [text]
    assert Page(view(splitter.split_text(text), text).html).panes == [text]


def test_strangers_and_changed_order_still_show_the_text_once():
    text = "one two three four"
    chunks = ["three", "one", "stranger", "four", "", "three"]
    shown = view(chunks, text)
    assert Page(shown.html).panes == [text]
    assert "stranger" in shown.html
    assert shown.panes[0].pieces[2].placed is False


def test_overlap_is_shaded_where_it_stands():
    text = "First sentence here. Second sentence here. Third sentence here."
    splitter = RecursiveSplitter(chunk_size=45, chunk_overlap=22)
    html = view(splitter, text).html
    shaded = re.findall(r'<mark class="s o" data-n="(\d+)">(.*?)</mark>', html)
    expected = [
        (str(n), text[span.start : span.fresh])
        for n, span in enumerate(splitter.split_spans(text))
        if span.start < span.fresh
    ]
    assert expected
    assert [(n, part.rstrip()) for n, part in shaded] == [(n, p.rstrip()) for n, p in expected]


def test_it_says_why_it_was_cut_there_and_how_large_it_is():
    text = "# A\n\nOne. Two.\n\n# B\n\nThree."
    pane = json.loads(Page(view(MarkdownSplitter(chunk_size=20), text).html).data)[0]
    about = [dict(chunk["about"]) for chunk in pane["chunks"]]
    assert about[0]["starts at"] == "start of the text"
    assert about[0]["ends before"] == "section 1 (12 of 13)"
    assert about[1]["starts at"] == "section 1 (12 of 13)"
    assert about[1]["size"] == "11 of 20 characters"
    assert about[1]["offsets"] == "16 to 27 (11 characters)"
    assert about[1]["metadata: Header 1"] == "B"


def test_what_is_added_is_shown_as_such_and_is_no_text_of_the_source():
    text = "```python\n" + "x = 1\n" * 20 + "```"
    html = view(MarkdownSplitter(chunk_size=60), text).html
    assert '<ins class="x">```python\n</ins>' in html
    assert Page(html).panes == [text]


@pytest.mark.parametrize(
    "splitter, text",
    [
        (JSONSplitter(chunk_size=30), json.dumps({"a": list(range(30)), "b": "<script>"})),
        (HTMLSplitter(chunk_size=30), "<h1>Title</h1><p>One two.</p><p>Three &lt;script&gt;.</p>"),
        (AutoSplitter(chunk_size=30), "# A\n\nOne two three.\n\n# B\n\nFour five six seven."),
        (SentenceSplitter(chunk_size=10), ""),
        (SentenceSplitter(chunk_size=10), " \n "),
    ],
    ids=["json", "html", "auto", "empty", "white"],
)
def test_splitters_whose_chunks_are_no_slices_are_shown_too(splitter, text):
    shown = view(splitter, text)
    documents = splitter.create_documents([text])
    assert Page(shown.html).panes == [shown.panes[0].source]
    assert len(shown.panes[0].pieces) == len(documents)
    for piece, document in zip(shown.panes[0].pieces, documents, strict=True):
        source = shown.panes[0].source
        as_slice = piece.prefix + source[piece.start : piece.end] + piece.suffix
        assert document.page_content == (as_slice if piece.emitted is None else piece.emitted)
        assert piece.size == splitter.length(document.page_content)


def test_a_model_is_asked_once_and_knows_the_title():
    model = ScriptedChatModel(answers=["The pump's manual."])
    splitter = ContextualSplitter(
        RecursiveSplitter(chunk_size=60), llm=model, parts=("title",), context_size=30
    )
    text = "Replace the seal each year. Use grease on the ring. Wait for an hour. Try it."
    document = Document(page_content=text, metadata={"title": "Pump"})
    expected = splitter.split_documents([document])
    asked = len(model.prompts)
    pieces = view(splitter, document).panes[0].pieces
    assert len(model.prompts) == 2 * asked
    assert [piece.metadata for piece in pieces] == [chunk.metadata for chunk in expected]
    plain = ContextualSplitter(RecursiveSplitter(chunk_size=60), parts=("title",), context_size=30)
    assert view(plain, document).panes[0].pieces[0].prefix == "Pump\n\n"


def test_chunks_without_a_text_are_laid_one_behind_the_other():
    text = "First sentence here. Second sentence here. Third sentence here."
    splitter = RecursiveSplitter(chunk_size=45, chunk_overlap=22, add_start_index=True)
    documents = splitter.create_documents([text])
    source = view(documents).panes[0].source
    assert source.replace(" ", "") == text.replace(" ", "")
    assert view(splitter.split_spans(text), text).panes[0].source == text


def test_wrong_arguments_are_named():
    with pytest.raises(InputError, match=r"view\(splitter, text\)"):
        view("a text")
    with pytest.raises(InputError, match="needs the text"):
        view(RecursiveSplitter())
    with pytest.raises(InputError, match="got int"):
        view([1, 2])
    with pytest.raises(InputError, match="got an empty mapping"):
        view({})
    with pytest.raises(InputError, match="must be a string"):
        view(RecursiveSplitter(), 5)


def test_metadata_that_json_lacks_is_shown_all_the_same():
    loop: list = []
    loop.append(loop)
    metadata = {"nan": float("nan"), 5: {1, 2}, "loop": loop, "long": "x" * 5000, "pair": {(1,): 2}}
    metadata = {str(key): value for key, value in metadata.items()}
    html = view([Document(page_content="a", metadata=metadata)], "a").html
    about = dict(json.loads(Page(html).data)[0]["chunks"][0]["about"])
    assert about["metadata: nan"] == "NaN"
    assert len(about["metadata: long"]) < 2100


def test_notebook_frame_holds_the_page_and_nothing_outside_it():
    shown = look("</iframe><script>1</script>", RecursiveSplitter())
    page = Page(shown._repr_html_())
    assert page.tags == {("iframe", ("sandbox", "title", "width", "height", "style", "srcdoc"))}
    assert shown.html in page.values
    assert "allow-scripts" in page.values


def test_terminal_shows_chunks_and_obeys_nothing():
    console = Console(record=True, width=100, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    console.print(look("One \x1b[31mred\u202e[bold]. Two.", SentenceSplitter(chunk_size=30)))
    told = console.export_text()
    assert "<U+001B>[31mred<U+202E>[bold]." in told
    assert "1 · size" in told
    console.file.close()


def test_a_megabyte_is_a_page_of_a_few_megabytes():
    text = ("A sentence of some words, and then another one. " * 20 + "\n\n") * 1050
    html = view(RecursiveSplitter(chunk_size=500), text[:1_000_000]).html
    assert len(html) < 5_000_000
    assert "content-visibility: auto" in html


def contrast(one: str, other: str) -> float:
    """WCAG 2.2, relative luminance and contrast ratio."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_enough_in_light_and_dark():
    themes = re.findall(r"--paper: .*?\n.*?\n.*?;\s*\n", _file("page.css"))
    assert len(themes) == 3
    assert re.sub(r"\s+", " ", themes[1]) == re.sub(r"\s+", " ", themes[2])
    for theme in themes:
        colour = dict(re.findall(r"--([\w-]+): (#\w{6})", theme))
        for ground in ("paper", "c0", "c1", "c2", "c3"):
            assert contrast(colour["ink"], colour[ground]) >= 7, ground
            for ink in ("quiet", "added", "gap"):
                assert contrast(colour[ink], colour[ground]) >= 4.5, (ink, ground)
            assert contrast(colour["focus"], colour[ground]) >= 3, ground
        assert contrast(colour["ink"], colour["over"]) >= 4.5
        assert contrast(colour["hit-ink"], colour["hit"]) >= 4.5


def test_keys_are_handled_and_controls_are_named():
    html = look("a. b.", SentenceSplitter(chunk_size=3), SentenceSplitter(chunk_size=9)).html
    for key in ("ArrowDown", "ArrowUp", "Home", "End", "Enter", "Escape"):
        assert key in _file("page.js")
    html = html[: html.index("<script>")]
    assert html.count('tabindex="0"') == 2 + 1  # the first chunk of each list, and the facts
    assert 'lang="en"' in html
    assert "<main>" in html
    assert '<label for="query">' in html
    assert html.count('dir="auto"') == html.count('class="t"')


def test_golden_page():
    text = "# Pumpe\n\nEin Satz. Noch ein Satz.\n\n## שלום\n\n水泵坏了。我们修好了。\r\n\x00<b>&amp;\u202e\n"
    shown = view(
        {"markdown": MarkdownSplitter(chunk_size=30), "fixed": FixedSizeSplitter(20, 5)},
        Document(page_content=text, metadata={"source": "pump.md"}),
    )
    body = shown.html[shown.html.index("<main>") : shown.html.index("<script>")]
    assert shown.title == "pump.md"
    assert Page(shown.html).panes == [text, text]
    assert body == (GOLDEN / "pump.html").read_bytes().decode()


def test_save_writes_the_page(tmp_path):
    shown = look("\ud800 text", RecursiveSplitter())
    assert isinstance(shown, View)
    path = shown.save(tmp_path / "page.html")
    assert path.read_text(encoding="utf-8") == shown.html


def test_command_writes_a_page_for_each_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("notes.txt").write_text("One. Two. Three.", encoding="utf-8")
    two = [Wishes(splitter="sentence", chunk_size=6), Wishes(splitter="fixed", chunk_size=5)]
    assert run_view("notes.txt", two) == 0
    page = Page(Path("notes.txt.chunks.html").read_text(encoding="utf-8"))
    assert page.panes == ["One. Two. Three."] * 2
    assert "notes.txt.chunks.html" in capsys.readouterr().err
    assert run_view("notes.txt", two[:1], output="-") == 0
    assert capsys.readouterr().out.startswith("<!DOCTYPE html>")
    assert run_view("notes.txt", two[:1], terminal=True) == 0
    assert "1 · size" in capsys.readouterr().out


def test_command_names_what_is_wrong(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("a", encoding="utf-8")
    Path("b.txt").write_text("b", encoding="utf-8")
    assert run_view("missing.txt", [Wishes()]) == 1
    assert run_view("a.txt", [Wishes(splitter="nosuch")]) == 2
    assert run_view(".", [Wishes()]) == 2
    assert "one file" in capsys.readouterr().err
    assert run_view("a.txt", [Wishes()], output="no/such/folder.html") == 1
    assert run_view("a.txt", [Wishes()], output="a.txt") == 2
