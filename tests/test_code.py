"""The code splitter: definitions, what belongs together, names, languages, and what must not break it."""

from __future__ import annotations

import ast
import sys
import sysconfig
from bisect import bisect_right
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_text_splitters import Language

from langchain_chunkers import RecursiveSplitter, TiktokenMeasure, testing
from langchain_chunkers.errors import MissingExtraError, SettingError
from langchain_chunkers.outline import Strength
from langchain_chunkers.readers import code_parse
from langchain_chunkers.readers.code import read_code
from langchain_chunkers.readers.code_guess import guess_language
from langchain_chunkers.readers.code_languages import GRAMMARS, by_file_name, canonical
from langchain_chunkers.strategies.code import CodeSplitter
from tests import generators, generators_code

CACHE = '''import os
import sys

@registered
class Cache(Base):
    """Keeps."""

    size = 3

    def get(self, key):
        return self.items[key]

    # The oldest.
    @locked
    def evict(self, count):
        """Evict."""
        for key in list(self)[:count]:
            del self[key]

        return count


def main():
    print(Cache())
'''


def documents(
    text: str, size: int | None, language: str = "python", **params: Any
) -> list[Document]:
    return CodeSplitter(size, language=language, **params).create_documents([text])


def symbols(
    text: str, size: int | None, language: str = "python", **params: Any
) -> list[str | None]:
    return [d.metadata.get("symbol") for d in documents(text, size, language, **params)]


# ------------------------------------------------------------------ what is divided where


def test_each_function_is_a_chunk_where_there_is_no_cap() -> None:
    found = documents(CACHE, None)
    assert [d.metadata.get("symbol") for d in found] == [
        None, "class Cache", "class Cache > def get", "class Cache > def evict", "def main",
    ]  # fmt: skip
    assert [(d.metadata["line_start"], d.metadata["line_end"]) for d in found] == [
        (1, 2), (4, 8), (10, 11), (13, 20), (23, 24),
    ]  # fmt: skip
    assert found[3].page_content.startswith("    # The oldest.\n    @locked\n    def evict")
    assert {d.metadata["language"] for d in found} == {"python"}


def test_neighbours_share_a_chunk_unless_each_is_asked_for() -> None:
    text = "def a():\n    pass\n\n\ndef b():\n    pass\n"
    assert len(documents(text, 100)) == 1
    assert symbols(text, 100) == ["def a, def b"]
    assert symbols(text, 100, split_on_definitions=True) == ["def a", "def b"]
    assert len(documents(text, None, split_on_definitions=False)) == 1
    assert len(documents(text, 100, split_on_definitions=True, min_chunk_size=30)) == 1


def test_a_class_is_divided_between_members_and_a_method_at_statements() -> None:
    assert symbols(CACHE, 180) == [
        None, "class Cache", "class Cache > def evict", "def main",
    ]  # fmt: skip
    found = [d.page_content for d in documents(CACHE, 110)]
    assert "        for key in list(self)[:count]:\n            del self[key]" in found


def test_outer_statements_are_better_places_than_inner_ones() -> None:
    text = (
        "def f(a):\n    if a:\n        one(a)\n        two(a)\n    else:\n        three(a)\n"
        "    for b in a:\n        four(b)\n        five(b)\n"
    )
    assert [d.page_content for d in documents(text, 85)] == [
        "def f(a):\n    if a:\n        one(a)\n        two(a)\n    else:\n        three(a)",
        "    for b in a:\n        four(b)\n        five(b)",
    ]


def test_imports_stay_together_over_a_blank_line() -> None:
    text = "import a\n\nimport b\nimport c\nx = 1\n\ny = 2\n"
    assert documents(text, 30)[0].page_content == "import a\n\nimport b\nimport c"


def test_a_comment_leaves_its_function_only_to_keep_it_whole() -> None:
    comment, body = (
        "# why\n",
        "def f(x):\n    y = x + 1\n    z = y + x\n    v = z + 1\n    return v\n",
    )
    whole = len(body) - 1
    assert [d.page_content for d in documents(comment + body, whole)] == [comment[:-1], body[:-1]]
    assert documents(comment + body, whole - 1)[0].page_content.startswith("# why\ndef f(x):")


def test_a_licence_stands_apart_and_a_banner_goes_with_what_follows() -> None:
    text = "# Licence.\n\nimport a\n\nx = 1\n\n# ---- part ----\n\ndef f():\n    pass\n"
    found = [d.page_content for d in documents(text, None)]
    assert found[-1] == "# ---- part ----\n\ndef f():\n    pass"
    assert found[0].startswith("# Licence.")


def test_code_on_one_line_is_divided_at_statements() -> None:
    text = "var alpha=1;function beta(){return alpha};var gamma=beta()+beta();delta(gamma,alpha);"
    found = [d.page_content for d in documents(text, 45, "javascript")]
    assert found == [
        "var alpha=1;function beta(){return alpha};",
        "var gamma=beta()+beta();delta(gamma,alpha);",
    ]


def test_a_docstring_too_long_is_divided_as_prose() -> None:
    sentences = " ".join(f"Sentence number {n} says a little." for n in range(12))
    text = f'def f():\n    """Do it.\n\n    {sentences}\n    """\n    return 1\n'
    found = [d.page_content for d in documents(text, 120)]
    assert all(chunk.rstrip().endswith((".", "return 1", '"""')) for chunk in found)


@pytest.mark.parametrize(
    "language, text",
    [
        ("java", "class A {\n  // one\n  @Override\n  void f() {\n    g();\n  }\n\n  void h() {\n    i();\n  }\n}\n"),
        ("rust", "/// One.\n#[inline]\nfn f() {\n    g();\n}\n\n/// Two.\nfn h() {\n    i();\n}\n"),
        ("csharp", "class A {\n  /// <x/>\n  [Fact]\n  void F() {\n    G();\n  }\n\n  void H() {\n    I();\n  }\n}\n"),
        ("typescript", "/** One. */\nexport const f = () => {\n  return 1;\n};\n\n/** Two. */\nconst h = () => {\n  return 2;\n};\n"),
        ("go", "// One.\nfunc f() {\n\tg()\n}\n\n// Two.\nfunc h() {\n\ti()\n}\n"),
        ("ruby", "class A\n  # One.\n  def f\n    g\n  end\n\n  def h\n    i\n  end\nend\n"),
        ("kotlin", "// One.\n@A\nfun f() {\n    g()\n}\n\nfun h() {\n    i()\n}\n"),
        ("cpp", "// One.\ntemplate <class T>\nvoid f(T a) {\n  g(a);\n}\n\nvoid h() {\n  i();\n}\n"),
    ],
)  # fmt: skip
def test_what_is_about_a_function_goes_with_it(language: str, text: str) -> None:
    found = [d.page_content for d in documents(text, None, language)]
    assert len(found) == 2
    assert found[0] + "\n\n" + found[1] + "\n" == text


# ------------------------------------------------------------------ signatures


def test_signatures_are_repeated_counted_and_declared() -> None:
    found = documents(CACHE, 160, include_signatures=True)
    inside = [d for d in found if "prefix" in d.metadata]
    assert inside[0].metadata["prefix"] == "class Cache(Base):\n    ...\n"
    assert inside[0].page_content.startswith("class Cache(Base):\n    ...\n    # The oldest.")
    assert all(len(d.page_content) <= 160 for d in found)


@pytest.mark.parametrize(
    "text", ["def f():", "class A:\n    def f(self):\n        return lambda:", "class A:"]
)
def test_signatures_of_code_that_breaks_off(text: str) -> None:
    for size in (None, 8, 100):
        splitter = CodeSplitter(size, language="python", include_signatures=True)
        assert "".join("".join(splitter.split_text(text)).split()) == "".join(text.split())


def test_signatures_of_all_that_is_around() -> None:
    body = "".join(f"        step_{n}()\n" for n in range(20))
    text = f"class A:\n    def f(\n        self,  # me\n        b,\n    ):\n{body}"
    last = documents(text, 150, include_signatures=True)[-1]
    assert last.metadata["prefix"] == "class A:\n    ...\n    def f( self, b, ):\n        ...\n"


def test_signatures_that_take_over_half_are_left_out() -> None:
    found = documents(CACHE, 50, include_signatures=True)
    assert any(d.metadata.get("prefix_omitted") for d in found)
    assert all(len(d.page_content) <= 50 for d in found)


# ------------------------------------------------------------------ cases seen in other libraries


def test_decorators_stay_and_strings_are_not_code() -> None:  # fen-05
    text = (
        'import a\n\n@cache\n@retry(times=3)\ndef load(x):\n    doc = """\ndef fake(y):\n    pass\n"""\n    return x\n\n'
        "class K:\n    def m(self):\n        return 1\n"
    )
    found = [d.page_content for d in documents(text, 100)]
    assert (
        found[-2].startswith("@cache\n@retry(times=3)\ndef load(x):")
        or "@cache\n@retry" in found[0]
    )
    assert not any(chunk.startswith("def fake") for chunk in found)


def test_offsets_are_characters() -> None:  # idx-12
    text = '# café ☕ setup\nimport os\n\ndef one():\n    return "é"\n\ndef two():\n    return 2\n'
    for d in documents(text, 40, add_start_index=True):
        assert text[d.metadata["start_index"] : d.metadata["end_index"]] == d.page_content
    assert symbols(text, 30)[-2:] == ["def one", "def two"]


def test_the_first_line_keeps_its_indentation() -> None:  # wsp-04
    text = "class A:\n    def f(self):\n        x = 1\n        return x\n\n    def g(self):\n        return 2\n"
    assert [d.page_content for d in documents(text, 60)][1] == "    def g(self):\n        return 2"


# ------------------------------------------------------------------ broken code


def test_a_syntax_error_costs_nothing_but_where_it_is() -> None:
    whole = "def {}(x):\n    y = x + 1\n    return y\n\n\n"
    text = (
        whole.format("a")
        + whole.format("b")
        + "def c(((:\n  ]] = {\n\n\n"
        + whole.format("d")
        + whole.format("e")
    )
    found = [d.page_content for d in documents(text, 45)]
    assert [
        name for name in "abde" if f"def {name}(x):\n    y = x + 1\n    return y" in found
    ] == list("abde")


@given(
    st.one_of(generators.texts(), generators_code.code(*generators_code.SCRIPT)),
    st.sampled_from(generators_code.LANGUAGES),
)
def test_every_text_can_be_read_in_every_language(text: str, language: str) -> None:
    outline = read_code(text, language, least=1)
    assert outline.text == text
    for strength, ats in outline.places.items():
        assert strength < Strength.BLOCK  # it can be laid into a fence
        assert list(ats) == sorted(set(ats))
        assert all(0 < at < len(text) for at in ats)


@given(generators.texts())
def test_the_parser_has_a_byte_for_each_character(text: str) -> None:
    source = code_parse.as_bytes(text)
    assert len(source) == len(text)
    assert source.isascii()
    assert b"\0" not in source


DEEP = {
    "brackets": "[" * 100_000 + "]" * 100_000,
    "unclosed": "(" * 30_000,
    "braces": "{\n" * 50_000,
    "tags": "<a>" * 50_000,
    "one word": "x" * 1_000_000,
    "newlines": "\n" * 60_000,
    "dashes": "- " * 20_000,
    "junk": "x ' \" ` # " * 3_000,
    "indentation": "".join(" " * (n % 50) + "a:\n" for n in range(10_000)),
    "operators": "a + " * 30_000,
}


@pytest.mark.parametrize("name", DEEP)
@pytest.mark.parametrize("language", ["python", "yaml", "html", "json", "lua"])
def test_nothing_is_too_deep(name: str, language: str) -> None:
    text = DEEP[name]
    spans = CodeSplitter(
        1000, language=language, strip_whitespace=False, include_signatures=True
    ).split_spans(text)
    assert spans[-1].end == len(text)
    assert all(before.end == span.start for before, span in pairwise(spans))


def test_classes_inside_each_other_a_thousand_deep() -> None:
    text = "".join(" " * n + f"class A{n}:\n" for n in range(1000)) + " " * 1000 + "pass\n"
    found = documents(text, 400, include_signatures=True)
    assert all(len(d.page_content) <= 400 for d in found)


def test_a_text_too_large_for_a_tree_is_read_by_indentation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(code_parse, "LARGEST", 100)
    assert symbols(CACHE, None)[0] is None
    assert documents(CACHE, None)[-1].page_content == "def main():\n    print(Cache())"


# ------------------------------------------------------------------ languages


@pytest.mark.parametrize(
    "said, name",
    [("py", "python"), ("C++", "cpp"), ("c#", "csharp"), ("ts", "typescript"), (Language.GO, "go"), (" Kotlin ", "kotlin"),
     ("yml", "yaml"), ("sh", "bash"), ("cobol", "cobol")],
)  # fmt: skip
def test_languages_go_by_many_names(said: Any, name: str) -> None:
    assert documents("x", 10, said)[0].metadata["language"] == name
    assert CodeSplitter.from_config(CodeSplitter(language=said).to_config())


@pytest.mark.parametrize("language", [member.value for member in Language])
def test_every_language_of_langchain_is_read(language: str) -> None:
    testing.check_lossless(CodeSplitter(20, language=language), CACHE)


def test_a_language_without_a_grammar_is_read_by_indentation() -> None:
    text = "to square :n\n  repeat 4 [\n    fd :n\n  ]\nend\n\nto x\n  y\nend\n"
    assert [d.page_content for d in documents(text, None, "logo")] == [
        text[:45].rstrip(),
        text[45:].strip(),
    ]


def test_without_a_grammar_a_comment_goes_with_what_follows_too() -> None:
    text = "-- licence\n\nmodule A\n\n-- part\n\n-- one\nf x =\n  g x\n\nh = 1\n"
    assert [d.page_content for d in documents(text, None, "haskell")] == [
        "-- licence\n\nmodule A", "-- part\n\n-- one\nf x =\n  g x", "h = 1",
    ]  # fmt: skip
    assert documents(text, 30, "haskell")[1].page_content == "-- part\n\n-- one\nf x =\n  g x"


def test_the_name_of_a_function_of_c_may_stand_on_its_own_line() -> None:
    assert symbols("static int\nf(int a)\n{\n  return a;\n}\n", None, "c") == ["static int f"]


def test_what_closes_around_a_chunk_is_no_part_of_its_name() -> None:
    text = "module M\n  class A\n    def f\n      1\n    end\n\n    def g\n      2\n    end\n  end\nend\n"
    assert symbols(text, None, "ruby")[-1] == "module M > class A > def g"


@pytest.mark.parametrize("language", [None, 3, "", " "])
def test_a_language_is_a_name(language: Any) -> None:
    with pytest.raises(SettingError, match="language must be the name"):
        CodeSplitter(language=language)


def test_every_grammar_can_be_loaded_and_reads() -> None:
    for name, grammar in GRAMMARS.items():
        assert code_parse.load(grammar) is code_parse.load(grammar)
        assert code_parse.parse("a", grammar) is not None
        assert canonical(name) == name


def test_the_kinds_of_nodes_exist_in_the_grammars() -> None:
    for name, grammar in GRAMMARS.items():
        language = code_parse.load(grammar)
        known = {language.node_kind_for_id(n) for n in range(language.node_kind_count)}
        named = grammar.functions | grammar.containers | grammar.imports
        if name not in (
            "csharp",
            "java",
            "kotlin",
            "javascript",
            "typescript",
            "tsx",
            "swift",
            "scala",
        ):
            assert named <= known, (name, named - known)
        assert not named or named & known


@pytest.mark.parametrize(
    "name, language",
    [("a/b.py", "python"), ("C:\\x\\y.Cpp", "cpp"), ("a.tsx", "tsx"), ("https://x.org/a.rs", "rust"), ("README", None), ("a.unknown", None),
     ("", None), (".py", None), ("Gemfile", "ruby")],
)  # fmt: skip
def test_file_names_say_the_language(name: str, language: str | None) -> None:
    assert by_file_name(name) == language


def test_auto_asks_metadata_then_the_text() -> None:
    splitter = CodeSplitter(100)
    texts = [
        "func f() {}\n",
        "fn f() {}\n",
        CACHE,
        "Some words. And more.",
        "<?php\nf();\n",
        '{"a": 1}',
    ]
    metadatas: list[dict[str, Any]] = [
        {"source": "x/f.go"},
        {"language": "rust"},
        {},
        {"source": 3, "language": "en"},
        {},
        {},
    ]
    found = [
        splitter.create_documents([t], [m])[0].metadata["language"]
        for t, m in zip(texts, metadatas, strict=True)
    ]
    assert found == ["go", "rust", "python", "text", "php", "json"]
    assert splitter.split_text(CACHE) == CodeSplitter(100, language="python").split_text(CACHE)


@given(generators.texts())
def test_guessing_is_total(text: str) -> None:
    assert guess_language(text[:300]) in {None, "yaml", *GRAMMARS}


def test_a_missing_package_is_said_when_the_splitter_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    code_parse._language.cache_clear()
    monkeypatch.setitem(sys.modules, "tree_sitter_lua", None)
    with pytest.raises(MissingExtraError, match=r"langchain-chunkers\[code\]"):
        CodeSplitter(language="lua")
    lua = Document("local x = 1\n", metadata={"source": "a.lua"})
    assert (
        CodeSplitter().split_documents([lua])[0].page_content == "local x = 1"
    )  # no text is an error
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    with pytest.raises(MissingExtraError, match="tree_sitter"):
        CodeSplitter()
    with pytest.raises(MissingExtraError):
        read_code("x = 1", "python")
    assert read_code("x = 1", "yaml").text == "x = 1"
    monkeypatch.undo()
    code_parse._language.cache_clear()


# ------------------------------------------------------------------ the standard library

MODULES = (
    "abc",
    "ast",
    "bisect",
    "calendar",
    "contextlib",
    "csv",
    "dataclasses",
    "enum",
    "functools",
    "heapq",
    "textwrap",
    "types",
)


def functions_that_fit(text: str, length: Any, size: int) -> list[tuple[int, int]]:
    """Find them by Python's own parser: from the first decorator to the end."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            start, end = starts[first - 1], starts[node.end_lineno] - 1
            if node.end_lineno > node.lineno and length(text[start:end]) <= size:
                found.append((start, end))
    return found


@pytest.mark.parametrize("size", [64, 256, 1024])
def test_no_function_of_the_standard_library_is_cut_that_fits(size: int) -> None:
    folder, length = Path(sysconfig.get_path("stdlib")), TiktokenMeasure("cl100k_base")
    splitter = CodeSplitter(size, language="python", length_function=length)
    whole = 0
    for module in MODULES:
        text = (folder / f"{module}.py").read_text(encoding="utf-8").replace("\f", "")
        chunks = splitter.split_text(text, strip_whitespace=False)
        assert "".join(chunks) == text
        assert all(length(chunk) <= size for chunk in chunks)
        spans = splitter.split_spans(text)
        starts = [span.start for span in spans]
        for start, end in functions_that_fit(text, length, size):
            span = spans[bisect_right(starts, start) - 1]
            assert span.end >= end, text[start:end]
            whole += 1
    assert whole > 100


def test_separators_would_cut_functions() -> None:
    """The oracle sees cuts where there are some."""
    text = (Path(sysconfig.get_path("stdlib")) / "enum.py").read_text(encoding="utf-8")
    spans = RecursiveSplitter(chunk_size=400).split_spans(text)
    starts = [span.start for span in spans]
    cut = [
        (start, end)
        for start, end in functions_that_fit(text, len, 400)
        if spans[max(bisect_right(starts, start) - 1, 0)].end < end
    ]
    assert cut
