"""`MarkdownSplitter`: worked examples, cases of the field, and properties on generated documents.

Longer than other files, since each kind of block has a part of its own here.
"""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_classic.retrievers import ParentDocumentRetriever
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import MarkdownHeaderTextSplitter, MarkdownTextSplitter

from langchain_chunkers import (
    BaseSplitter,
    SettingError,
    Strength,
    TiktokenMeasure,
    TokenCountSplitter,
)
from langchain_chunkers.errors import MissingExtraError
from langchain_chunkers.readers import markdown_blocks as reader_blocks
from langchain_chunkers.readers import markdown_parse
from langchain_chunkers.readers.markdown import read_markdown
from langchain_chunkers.readers.markdown_front import front_matter_end, parse_front_matter
from langchain_chunkers.readers.markdown_headings import heading_title
from langchain_chunkers.strategies.markdown import MarkdownSplitter
from tests import generators, generators_markdown
from tests.markdown_blocks import cut_without_need, whole_blocks

DATA = sorted((Path(__file__).parent / "data" / "markdown").glob("*.markdown"))
TABLE = "| part | qty | note |\n|---|---|---|\n" + "".join(
    f"| P{i:02} | {i * 3} | shelf note number {i} |\n" for i in range(20)
)
FENCE = "```python\n" + "".join(f"x{i} = compute({i})\n" for i in range(20)) + "```\n"


def split(text: str, size: int | None = 500, **settings: Any) -> list[str]:
    return MarkdownSplitter(size, **settings).split_text(text)


def facts(text: str, size: int | None = 500, **settings: Any) -> list[dict[str, Any]]:
    return [d.metadata for d in MarkdownSplitter(size, **settings).create_documents([text])]


def squeezed(text: str) -> str:
    return "".join(text.split())


def own_text(documents: list[Any]) -> str:
    """Join chunks without what they repeat."""
    parts = []
    for document in documents:
        prefix, suffix = document.metadata.get("prefix", ""), document.metadata.get("suffix", "")
        text = document.page_content
        assert text.startswith(prefix)
        assert text.endswith(suffix)
        parts.append(text[len(prefix) : len(text) - len(suffix)])
    return "".join(parts)


# ---------------------------------------------------------------------- headings


def test_a_heading_starts_a_chunk_and_stays_with_what_follows() -> None:
    text = "Start.\n\n# A\n\na\n\n## B\n\nb\n\nC\n===\n\nc"
    assert split(text) == ["Start.", "# A\n\na", "## B\n\nb", "C\n===\n\nc"]
    assert split(text, split_on_headings=False) == [text]
    assert facts(text) == [
        {}, {"Header 1": "A"}, {"Header 1": "A", "Header 2": "B"}, {"Header 1": "C"},
    ]  # fmt: skip


def test_every_chunk_of_a_section_knows_its_headings() -> None:
    found = facts("# A\n\n" + "Some words of prose. " * 40 + "\n\n" + FENCE, 200)
    assert len(found) > 5
    assert all(metadata["Header 1"] == "A" for metadata in found)


def test_small_sections_join() -> None:
    text = "# A\n\na\n\n## B\n\nb\n\n## C\n\n" + "Long enough to stand alone. " * 3
    assert split(text, 100, min_chunk_size=12) == [
        "# A\n\na\n\n## B\n\nb",
        text[text.index("## C") :].strip(),
    ]


def test_headings_without_text() -> None:
    text = "# A\n## B\n\ntext\n\n## C\n\n# D"
    assert split(text) == ["# A\n## B\n\ntext", "## C", "# D"]
    assert facts(text) == [
        {"Header 1": "A", "Header 2": "B"}, {"Header 1": "A", "Header 2": "C"}, {"Header 1": "D"},
    ]  # fmt: skip


def test_closing_hashes_are_no_title() -> None:  # hdr-01
    assert facts("# Title ##\nbody\n\n## C# notes ##\nmore\n") == [
        {"Header 1": "Title"}, {"Header 1": "Title", "Header 2": "C# notes"},
    ]  # fmt: skip
    raws = ["#", "# #", "## a#", "## a \\#", "#\tx ## \t", "a\r\nb\r\n-\r\n"]
    assert [heading_title(raw) for raw in raws] == ["", "", "a#", "a \\#", "x", "a b"]


def test_byte_order_mark() -> None:  # hdr-03
    assert facts("\ufeff# First\nbody\n") == [{"Header 1": "First"}]


def test_a_jump_of_levels() -> None:  # hdr-04
    text = "# Cat\na\n\n### One\nb\n\n### Two\nc\n"
    assert facts(text)[2] == {"Header 1": "Cat", "Header 3": "Two"}


def test_a_slash_in_a_title() -> None:  # hdr-05
    assert facts("# Root\n## 24/7 desk\n### Hours\ntext\n") == [
        {"Header 1": "Root", "Header 2": "24/7 desk", "Header 3": "Hours"}
    ]


def test_calls_leave_no_trace() -> None:  # hdr-09
    splitter = MarkdownSplitter()
    first = splitter.create_documents(["# One\nfirst doc\n"])
    splitter.create_documents(["# Two\nsecond doc\n"])
    assert [(d.page_content, d.metadata) for d in first] == [
        ("# One\nfirst doc", {"Header 1": "One"})
    ]
    first[0].metadata["Header 1"] = "changed"
    assert facts("# One\nfirst doc\n") == [{"Header 1": "One"}]


def test_retrievers_take_it() -> None:  # hdr-10
    from langchain_core.embeddings import DeterministicFakeEmbedding

    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    retriever = ParentDocumentRetriever(
        vectorstore=store, docstore=InMemoryStore(), child_splitter=MarkdownSplitter(40)
    )
    from langchain_core.documents import Document

    retriever.add_documents([Document(page_content="# A\n\nx\n\n# B\n\ny")])
    assert len(store.store) == 2


def test_equal_titles_are_two_sections() -> None:  # hdr-11
    assert split("# FAQ\nq one\n\n# FAQ\nq two\n") == ["# FAQ\nq one", "# FAQ\nq two"]


def test_headings_without_body_are_emitted() -> None:  # los-06
    assert split("# Annex A\n# Annex B\n# Annex C\n") == ["# Annex A", "# Annex B", "# Annex C"]


def test_a_heading_over_the_cap_loses_nothing() -> None:  # los-05
    text = "# " + "very long heading word " * 40 + "\n\nBody text."
    splitter = MarkdownSplitter.from_tiktoken_encoder(chunk_size=32)
    chunks = splitter.split_text(text)
    assert squeezed("".join(chunks)) == squeezed(text)
    assert max(map(splitter.length, chunks)) <= 32


def test_headings_in_quotes_and_items_begin_no_section() -> None:
    text = "# A\n\n> # Q\n>\n> q\n\n- # I\n\n  i\n"
    assert facts(text) == [{"Header 1": "A"}]
    assert not any(chunk.endswith(("# Q", "# I")) for chunk in split(text, 14))


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_newlines_of_all_kinds(newline: str) -> None:  # crlf-01
    text = "# Head\ntext\n\n---\n\n| a |\n|---|\n| b |\n\n~~~ py\nx\n~~~\n\nTitle\n-----\n\nmore\n"
    other = text.replace("\n", newline)
    assert facts(other) == facts(text)
    for size in (20, 500):
        chunks = [chunk.replace(newline, "\n") for chunk in split(other, size)]
        assert chunks == split(text, size)


# ---------------------------------------------------------------------- code


def test_a_fence_that_fits_is_whole() -> None:  # fen-01
    text = (
        "Intro paragraph here.\n\n```python\n# setup step\nimport os\n\ndef main():\n"
        "    return os.getcwd()\n```\n\nOutro paragraph here.\n"
    )
    assert [chunk.count("```") for chunk in split(text, 90)] == [0, 2, 0]
    assert [chunk.count("```") for chunk in split(text, 100)] == [0, 2]


def test_a_comment_is_no_heading() -> None:  # fen-02
    text = (
        "## Usage\n\n```bash\n# install the tool first please\npip install x\n"
        "# then run the tool with care\nx run\n```\n"
    )
    chunks = split(text, 70)
    assert chunks == [
        "## Usage\n\n```bash\n# install the tool first please\npip install x\n```",
        "```bash\n# then run the tool with care\nx run\n```",
    ]


def test_a_closing_fence_has_no_info() -> None:  # fen-04
    text = "# A\n\n```text\nsee:\n```python is how you start\n# not a header\n```\n\n# B\nend\n"
    assert [metadata["Header 1"] for metadata in facts(text)] == ["A", "B"]


def test_a_large_fence_is_closed_and_opened_again() -> None:
    found = MarkdownSplitter(120).create_documents([FENCE])
    assert len(found) > 3
    for document in found:
        assert document.page_content.startswith("```python\n")
        assert document.page_content.endswith("\n```")
        assert len(document.page_content) <= 120
        assert document.metadata["language"] == "python"
    assert "prefix" not in found[0].metadata
    assert "suffix" not in found[-1].metadata
    assert own_text(found).replace("\n", "") == FENCE.replace("\n", "")


@pytest.mark.parametrize(
    "lead, first",
    [("> ", "> "), ("  ", "- "), ("   ", "1. "), (">   ", "> - "), ("   ", "   ")],
)
def test_a_fence_is_opened_again_where_it_stood(lead: str, first: str) -> None:
    lines = FENCE.replace("```", "~~~~").rstrip().split("\n")
    text = first + ("\n" + lead).join(lines) + "\n"
    found = MarkdownSplitter(120).create_documents([text])
    assert len(found) > 3
    for document in found[1:]:
        assert document.metadata["prefix"] == f"{lead}~~~~python\n"
        tokens = markdown_parse.parse(markdown_parse.flatten(document.page_content))
        assert [kind for kind, *_ in tokens if kind in ("CodeBlock", "Paragraph")] == ["CodeBlock"]
    assert all(document.metadata["suffix"] == f"\n{lead}~~~~" for document in found[:-1])


def test_an_unclosed_fence_runs_to_the_end() -> None:  # los-01
    text = "# Guide\nintro\n\n```python\nx = 1\n\n## Later\nkeep me\n"
    assert split(text) == [text.strip()]
    assert squeezed(own_text(MarkdownSplitter(30).create_documents([text]))) == squeezed(text)


def test_tabs_and_hard_spaces_stay() -> None:  # los-08
    text = "# Build\n\n```make\nall:\n\tcc\tmain.c\n```\n\nPrice:\u00a05\u00a0€\n"
    assert split(text) == [text.strip()]


def test_prose_before_a_comment_stays() -> None:  # los-02
    text = "# Top\nprose before\n\n```py\n# comment\nrun()\n```\nafter\n"
    stripped = split(text, None, strip_headers=True, headers_to_split_on=[("#", "H1")])
    assert stripped == [text.removeprefix("# Top\n").strip()]


@pytest.mark.parametrize(
    "info, language",
    [("py", "py"), (" C++ x=1", "C++"), ("{.python #id}", "python"), ("js{1,2}", "js"), ("", None), ("c#", "c#")],
)  # fmt: skip
def test_the_language_of_a_fence(info: str, language: str | None) -> None:
    assert facts(f"~~~{info}\nx\n~~~")[0].get("language") == language


def test_a_chunk_names_its_first_language() -> None:
    assert facts("Text.\n\n```sql\nx\n```\n\n```go\ny\n```") == [{"language": "sql"}]


def test_code_is_divided_by_the_reader_of_its_language(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "a = 1\nb = 2\n\nc = 3\nd = 4\ne = 5\nf = 6\n"

    def read(language: str, text: str) -> Any:
        assert (language, text) == ("py", code.rstrip())
        from langchain_chunkers import Outline

        at = text.index("d")
        return Outline(text, {Strength.SECTION1: [at], Strength.LINE: [text.index("b")]})

    monkeypatch.setattr(reader_blocks, "embedded", read)
    assert split(f"```py\n{code}```", 40) == [
        "```py\na = 1\nb = 2\n\nc = 3\n```", "```py\nd = 4\ne = 5\nf = 6\n```",
    ]  # fmt: skip


def test_code_of_a_language_that_no_reader_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise MissingExtraError(name)

    monkeypatch.setattr(reader_blocks, "import_module", missing)
    assert reader_blocks.embedded("cobol", "x") is None
    assert len(split(FENCE, 120)) > 3


# ---------------------------------------------------------------------- tables


def test_a_table_is_divided_by_rows() -> None:  # tab-01
    header = "| part | qty | note |\n|---|---|---|\n"
    chunks = split(TABLE, 160)
    assert len(chunks) > 5
    for chunk in chunks:
        assert chunk.startswith(header)
        assert all(line.startswith("| ") and line.endswith(" |") for line in chunk.split("\n")[2:])
    assert split("# T\n\n" + TABLE, 2_000) == ["# T\n\n" + TABLE.strip()]


def test_a_header_of_two_rows() -> None:  # tab-02
    header = "| Item | Q1 | Q2 |\n| | Jan | Apr |\n|---|---|---|\n"
    chunks = split(header + "".join(f"| row {i} | {i} | {i} |\n" for i in range(12)), 120)
    assert len(chunks) > 2
    assert all(chunk.startswith(header) for chunk in chunks)


def test_a_row_over_the_cap_is_divided_at_cells() -> None:  # tab-05
    text = "| a | b |\n|---|---|\n| " + "left words " * 9 + "| 5,120 " + "right words " * 6 + "|\n"
    chunks = split(text, 130)
    assert [chunk.split("\n")[2][:9] for chunk in chunks] == ["| left wo", "| 5,120 r"]
    chunks = split(text, 60)
    assert max(map(len, chunks)) <= 60
    assert sum("5,120" in chunk for chunk in chunks) == 1


def test_a_header_that_leaves_no_room_is_left_out() -> None:
    found = MarkdownSplitter(60).create_documents([TABLE])
    assert all(d.metadata.get("prefix_omitted") for d in found[1:])


def test_tables_in_quotes_and_items() -> None:
    rows = TABLE.rstrip().split("\n")
    for first, lead in (("> ", "> "), ("- ", "  "), ("- intro\n  ", "  "), ("text\n", "")):
        found = MarkdownSplitter(170).create_documents([first + ("\n" + lead).join(rows)])
        prefixes = {d.metadata.get("prefix") for d in found[2:]}
        assert prefixes == {f"{lead}{rows[0]}\n{lead}{rows[1]}\n"}, first


def test_what_is_no_table() -> None:
    for text in (
        "| a | b |\n|---|\n| c |\n",
        "a\n---\nb",
        "|---|\n| a |",
        "```\n| a |\n|---|\n| b |\n```",
    ):
        assert not any(region.prefix.startswith("|") for region in read_markdown(text).regions)


# ---------------------------------------------------------------------- lists and other blocks


def test_a_list_is_divided_between_items() -> None:
    text = "Intro:\n\n- one\n- two\n  - two a\n  - two b\n- three"
    assert split(text, 36) == ["Intro:\n\n- one", "- two\n  - two a\n  - two b\n- three"]
    assert split(text, 29) == ["Intro:\n\n- one", "- two\n  - two a\n  - two b", "- three"]


def test_the_deeper_an_item_the_weaker_its_boundary() -> None:
    outline = read_markdown("x\n\n- a\n  - b\n    - c\n    - d\n  - e\n- f\n")
    kinds = {outline.text[at:].split()[1]: strength.name for at, strength in outline.boundaries()}
    assert kinds == {"a": "PARAGRAPH", "b": "LINE", "c": "SENTENCE", "d": "SENTENCE", "e": "LINE", "f": "PARAGRAPH"}  # fmt: skip


def test_a_blank_line_inside_a_block_is_no_boundary() -> None:
    for block in ("- a\n\n  b", "> a\n>\n> b", "<!-- a\n\nb -->", "~~~\na\n\nb\n~~~", "[^1]: a\n\n    b", "    a\n\n    b"):  # fmt: skip
        inner = {at for at, strength in read_markdown(f"<x>\n\n{block}\n\ny").boundaries() if strength >= Strength.BLOCK}  # fmt: skip
        assert inner == {5, 7 + len(block)}, block


def test_display_math_is_text() -> None:
    text = "a\n\n$$\nx\n- y\n# z\n$$\n\nb"
    assert [at for at, _ in read_markdown(text).boundaries()] == [3, 20]
    assert facts("$$\n\n# Not hidden\n\n$$\n") == [{}, {"Header 1": "Not hidden"}]


def test_definitions_and_footnotes_are_blocks() -> None:
    text = "See [a] and [^n].\n\n[a]: https://example.org\n[b]: /b\n\n[^n]: A note.\n\nEnd."
    assert split(text, 40) == [
        "See [a] and [^n].", "[a]: https://example.org\n[b]: /b", "[^n]: A note.\n\nEnd.",
    ]  # fmt: skip


# ---------------------------------------------------------------------- front matter

YAML = "---\ntitle: Pumps\ndate: 2024-05-01\ntags: [a, b]\n---\n"
PARSED = {"title": "Pumps", "date": "2024-05-01", "tags": ["a", "b"]}


def test_front_matter() -> None:
    text = YAML + "\n# A\n\nx"
    assert split(text) == [YAML.strip(), "# A\n\nx"]
    assert facts(text, front_matter="metadata") == [{"front_matter": PARSED, "Header 1": "A"}]
    assert split(text, front_matter="metadata") == ["# A\n\nx"]
    assert split(YAML + "x", front_matter="text") == [YAML + "x"]
    span = MarkdownSplitter(front_matter="metadata").split_spans(text)[0]
    assert text[span.start : span.end] == "# A\n\nx"
    assert "".join(MarkdownSplitter(front_matter="metadata")(text)) == text


def test_front_matter_that_cannot_be_read_stays() -> None:
    for block in ("---\na: [b\n---\n", "+++\na b\n+++\n", "---\na: &x [1]\nb: *x\n---\n", "---\na: " + "[" * 300 + "\n---\n", "---\na: " + "[" * 9_000 + "\n---\n"):  # fmt: skip
        assert parse_front_matter(block) is None
        assert squeezed("".join(split(block + "\nx", front_matter="metadata"))) == squeezed(
            block + "x"
        )
    toml = parse_front_matter("+++\na = 1\nb = nan\n[c]\nd = 07:30:00\n+++\n")
    assert toml == {"a": 1, "b": "nan", "c": {"d": "07:30:00"}}


@pytest.mark.parametrize(
    "text", ["---\n\na: b\n---\n", "---\nno mapping\n---\n", "x\n---\na: b\n---\n", "---\na: b\n", "----\na: b\n----\n"]
)  # fmt: skip
def test_what_is_no_front_matter(text: str) -> None:
    assert front_matter_end(text) == 0


def test_without_a_yaml_parser_front_matter_is_a_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "yaml", None)
    assert split(YAML + "\nx", front_matter="metadata") == [YAML.strip(), "x"]


# ---------------------------------------------------------------------- settings


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"headers_to_split_on": ["#"]}, "pairs of a mark and a name"),
        ({"headers_to_split_on": [("h1", "H")]}, "one to six '#'"),
        ({"custom_header_patterns": {"**": 1}}, "needs headers_to_split_on"),
        ({"front_matter": "yes"}, "front_matter must be one of"),
    ],
)
def test_settings_that_cannot_be_used(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        MarkdownSplitter(**settings)


def test_configurations() -> None:
    splitter = MarkdownSplitter(300, headers_to_split_on=[("#", "H1")], strip_headers=True)
    again = BaseSplitter.from_config(splitter.to_config())
    assert again.split_text("# A\n\nx") == ["x"]
    assert pickle.loads(pickle.dumps(splitter)).split_text("# A\n\nx") == ["x"]


def test_without_pyromark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyromark", None)
    with pytest.raises(MissingExtraError, match=r"langchain-chunkers\[markdown\]"):
        MarkdownSplitter()


# ---------------------------------------------------------------------- LangChain's way

HEADERS = [("#", "H1"), ("##", "H2"), ("###", "H3")]


def visible(documents: list[Any]) -> list[tuple[str, dict[str, Any]]]:
    """Leave out white space, which LangChain rewrites, and what it does not know."""
    found = []
    for document in documents:
        text = "".join(c for c in document.page_content if c.isprintable() and not c.isspace())
        known = {key: value for key, value in document.metadata.items() if key.startswith("H")}
        found.append((text, known))
    return found


def both(text: str, **settings: Any) -> tuple[list[Any], list[Any]]:
    theirs = MarkdownHeaderTextSplitter(HEADERS, **settings).split_text(text)
    settings = {"strip_headers": True, **settings}  # the defaults of LangChain
    ours = MarkdownSplitter(None, headers_to_split_on=HEADERS, front_matter="text", **settings)
    return visible(theirs), visible(ours.create_documents([text]))


PLAIN = (
    "Words before.\n\n# One\n\nText of one.\nMore of it.\n\n- a\n- b\n\n## Two\n\n```py\n# x\n\ny = 1\n```\n\n"
    "#### Deeper\n\nStill two.\n\n### Three\n\n> quoted\n>\n> more\n\n# Four\n\n| a |\n|---|\n| b |\n\n## Five\n\nEnd."
)


@pytest.mark.parametrize("strip_headers", [True, False])
@pytest.mark.parametrize("text", [PLAIN, *(path.read_bytes().decode() for path in DATA)])
def test_the_chunks_of_langchain(text: str, strip_headers: bool) -> None:
    theirs, ours = both(text, strip_headers=strip_headers)
    assert len(ours) > 5
    assert ours == theirs


def test_each_line_as_langchain() -> None:
    theirs, ours = both(PLAIN.replace("#### Deeper\n", "#### Deeper"), return_each_line=True)
    assert len(ours) == 8
    assert ours == theirs


@given(st.lists(st.sampled_from([
    "# A", "## B", "### C", "#### D", "Some words.\nMore words.", "- a\n- b", "```\n# no\n\nx\n```", "~~~ py\ny\n~~~",
    "> q\n> r", "1. x\n2. y", "| a | b |\n|---|---|\n| c | d |", "**bold** and `code`", "中文。", "## E `code`",
]), min_size=1, max_size=9), st.booleans())  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_the_chunks_of_langchain_on_documents(blocks: list[str], strip_headers: bool) -> None:
    numbered = [
        f"{block} {i}" if block.startswith("#") else block for i, block in enumerate(blocks)
    ]
    # a heading always has text: LangChain drops those that have none
    text = "\n\n".join(
        f"{block}\n\nUnder it." if block.startswith("#") else block for block in numbered
    )
    theirs, ours = both(text, strip_headers=strip_headers)
    assert ours == theirs


def test_custom_header_patterns() -> None:
    text = "**One**\n\na\n\n***Two***\n\nb\n\nnot **three**\n\n**One**\nc\n\n# Four\n\nd"
    arguments: dict[str, Any] = {
        "headers_to_split_on": [("**", "B1"), ("***", "B2"), ("#", "H1")],
        "custom_header_patterns": {"**": 1, "***": 2},
    }
    for strip in (True, False):
        theirs = MarkdownHeaderTextSplitter(strip_headers=strip, **arguments).split_text(text)
        ours = MarkdownSplitter(None, strip_headers=strip, **arguments).create_documents([text])
        assert [(squeezed(d.page_content), d.metadata) for d in ours] == [
            (squeezed(d.page_content), d.metadata) for d in theirs
        ]


def test_a_pipeline_keeps_the_heading_path() -> None:
    pipeline = MarkdownSplitter(None) | TokenCountSplitter(max_tokens=20, min_tokens=1)
    text = "# A\n\n" + "Some words of prose. " * 20 + "\n\n# B\n\nb"
    found = pipeline.create_documents([text], add_start_index=True)
    assert [d.metadata["Header 1"] for d in found] == ["A"] * (len(found) - 1) + ["B"]
    assert all(
        text[d.metadata["start_index"] : d.metadata["end_index"]] == d.page_content for d in found
    )


def test_headings_of_other_levels_are_text() -> None:
    text = "# A\n\na\n\n## B\n\nb\n\n# C\n\nc"
    assert split(text, headers_to_split_on=[("#", "T")]) == ["# A\n\na\n\n## B\n\nb", "# C\n\nc"]
    assert facts(text, headers_to_split_on=[("##", "T")]) == [{}, {"T": "B"}]
    assert split(text, headers_to_split_on=[]) == [text]


# ---------------------------------------------------------------------- properties


@given(st.one_of(generators_markdown.documents(), generators.texts()))
@settings(max_examples=150, deadline=None)
def test_masking_changes_no_block(text: str) -> None:
    if "$$" in text:  # hidden on purpose
        return
    flat = markdown_parse.flatten(text)
    masked = markdown_parse.parse(flat)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(markdown_parse, "_masked", lambda flat: flat)
        assert masked == markdown_parse.parse(flat)


@given(generators_markdown.blocks(), st.sampled_from([40, 90, 200]), st.booleans())
@settings(max_examples=100, deadline=None)
def test_no_block_is_cut_without_need(text: str, size: int, headings: bool) -> None:
    text = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    if front_matter_end(text) or "$$" in text or "|" in text or "[^" in text:
        return  # read otherwise by markdown-it
    splitter = MarkdownSplitter(size, split_on_headings=headings)
    assert not cut_without_need(splitter, text, len)


@pytest.mark.parametrize("path", DATA, ids=lambda path: path.name)
@pytest.mark.parametrize("size", [64, 256, 1024])
def test_real_documents(path: Path, size: int) -> None:
    text = path.read_bytes().decode()
    measure = TiktokenMeasure()
    splitter = MarkdownSplitter(size, length_function=measure)
    found = splitter.create_documents([text])
    assert max(measure(document.page_content) for document in found) <= size
    assert squeezed(own_text(found)) == squeezed(text)
    assert not cut_without_need(splitter, text, measure)


def test_the_judge_sees_cut_blocks() -> None:
    text = DATA[0].read_bytes().decode()
    assert len(list(whole_blocks(text))) > 30
    assert cut_without_need(
        _Spans(MarkdownTextSplitter(chunk_size=400, chunk_overlap=0)), text, len
    )


class _Spans:
    """LangChain's own Markdown splitter, with spans."""

    def __init__(self, splitter: Any) -> None:
        self.splitter, self._chunk_size = splitter, splitter._chunk_size

    def split_spans(self, text: str) -> list[Any]:
        splitter = self.splitter
        splitter._add_start_index = True
        starts = [d.metadata["start_index"] for d in splitter.create_documents([text])]
        return [type("Span", (), {"fresh": start})() for start in starts]


@pytest.mark.parametrize("mark", [">", "1. ", "[", "|", "```\n", "<!--", "- x\n  ", "a|b\n-|-\n"])
def test_hostile_depth_is_ordinary(mark: str) -> None:
    text = mark * (60_000 // len(mark))
    assert "".join(MarkdownSplitter(1_000)(text)) == text
