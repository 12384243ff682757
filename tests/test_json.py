"""`JSONSplitter`: what it reads, that every chunk is JSON, and that together they are the document.

Golden documents: after a change that is meant, ``python -m tests.test_json --update`` writes the chunks
anew: read the difference.
"""

from __future__ import annotations

import json
import os
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from langchain_chunkers import InputError, SettingError, TiktokenMeasure, testing
from langchain_chunkers.readers.json_frames import Frames, locate, pointer
from langchain_chunkers.readers.json_parse import parse
from langchain_chunkers.strategies.json_ import JSONSplitter
from langchain_chunkers.testing import words
from tests import generators_json

DATA = Path(__file__).parent / "data" / "json"
GOLDEN = Path(__file__).parent / "golden" / "json"
DOCUMENTS = ("shop.json", "log.jsonl")
SETTINGS: dict[str, dict[str, Any]] = {
    "json": {"chunk_size": 120},
    "small": {"chunk_size": 48, "chunk_overlap": 12},
    "lines": {"chunk_size": 120, "render": "lines"},
    "each": {"chunk_size": None},
}


class Pairs(list):
    """An object with repeated keys."""


def loads(text: str) -> Any:
    """Read JSON with numbers as they are written, and repeated keys kept."""
    return json.loads(text, parse_int=str, parse_float=str, object_pairs_hook=Pairs)


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def leaves(value: Any) -> list[Any]:
    """List the values that hold no others, by the simplest means: the oracle."""
    found, stack = [], [value]
    while stack:
        one = stack.pop()
        if isinstance(one, Pairs):
            stack.extend([inner for _, inner in reversed(one)]) if one else found.append("{}")
        elif isinstance(one, list):
            stack.extend(reversed(one)) if one else found.append("[]")
        else:
            found.append(one)
    return found


def text_of(name: str) -> str:
    return (DATA / name).read_bytes().decode()


def chunks(text: str, size: int | None, **params: Any) -> list[str]:
    return JSONSplitter(size, **params).split_text(text)


# ---------------------------------------------------------------------- reading


@pytest.mark.parametrize(
    "text",
    [
        "{}", "[]", "[1,]", '{"a":1,}', "{,}", "[,1]", '{"a"}', '{"a":}', '{"a":1 "b":2}', "[1 2]", "1", '"x"', "",
        "  ", "[1]]", "[1}", '{"a":[}', "[[],{},[{}]]", '{"a" : {"b":[]}}', "tru", "[true,NaN,-Infinity,-1.5e+3]",
        "01", "[01]", "-", "1.", ".5", "1e", '"\\u12"', '"a\tb"', '"\\x"', "{1:2}", '{"a":1,2}', '{"a"::1}', ":1", ",",
        "[1,2", '[{"a":1}{"b":2}]', "[[1][2]]", '{"a":1,"b"}', '["a":1]', '{"a","b"}', '{"a":"b" "c":1}', '"\ud800"',
    ],
)  # fmt: skip
def test_what_is_json_is_what_the_standard_library_reads(text: str) -> None:
    assert (parse(text) is not None) == is_json(text)


SIGNS = st.sampled_from(["{", "}", "[", "]", ",", ":", '"a"', "1", " ", '"b":', "-"])


@settings(max_examples=400)
@given(st.lists(SIGNS, max_size=10).map("".join))
@example("[[]")
def test_any_row_of_signs_is_read_as_by_the_standard_library(text: str) -> None:
    assert (parse(text) is not None) == is_json(text)


@given(generators_json.values())
def test_each_value_is_found_with_its_place_and_its_pointer(text: str) -> None:
    tree = parse(text)
    assert tree is not None
    found = [
        tree.text[tree.value[i] : tree.end[i]] for i in range(len(tree.start)) if not tree.size[i]
    ]
    assert [leaves(loads(one))[0] for one in found] == leaves(loads(text))
    for number in range(len(tree.start)):
        whole: Any = loads(text)
        for part in (pointer(tree, number) or "").split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            if isinstance(whole, Pairs):
                options = [value for name, value in whole if name == key]
                if len(options) > 1:
                    break  # a pointer cannot tell repeated keys apart
                whole = options[0]
            else:
                whole = whole[int(key)]
        else:
            assert loads(tree.text[tree.value[number] : tree.end[number]]) == whole


def test_lines_that_are_no_json_are_text_among_the_others() -> None:
    tree = parse('{"a": 1}\n\n{broken\n{"b": 2}\n{"c": 3}')
    assert tree is not None
    assert [tree.sign(number) for number in tree.records] == ["{", "", "{", "{"]
    assert parse('{"a": 1}\n{broken\nand more\nprose') is None
    assert parse("{\n1\n2\n3\n") is None, "A broken object is no JSON Lines."


# ---------------------------------------------------------------------- chunks


def test_a_list_is_divided_between_items_and_each_chunk_is_json() -> None:
    """Cases json-01 and json-02."""
    data = {"rows": [{"id": i, "name": f"n{i}"} for i in range(200)]}
    found = chunks(json.dumps(data), 300)
    assert all(len(chunk) <= 300 for chunk in found)
    assert [row for chunk in found for row in json.loads(chunk)["rows"]] == data["rows"]
    assert chunks('[{"a":1},{"b":2}]', 300) == ['[{"a":1},{"b":2}]']


def test_lists_stay_lists() -> None:
    """Case json-03."""
    text = '{"tags": ["x", "y", "z"], "m": {"0": "real key"}}'
    assert chunks(text, 300) == [text]
    assert all(isinstance(json.loads(c).get("tags", []), list) for c in chunks(text, 24))


def test_size_counts_what_is_emitted() -> None:
    """Case json-04."""
    text = JSONSplitter.dump({f"k{i}": "漢字漢字漢字漢字" for i in range(30)})
    found = chunks(text, 200)
    assert all(150 < len(chunk) <= 200 for chunk in found)


def test_the_path_is_kept_around_each_chunk() -> None:
    text = '{"a": {"b": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], "c": "x"}, "d": 1}'
    documents = JSONSplitter(34).create_documents([text])
    assert [document.page_content for document in documents] == [
        '{"a": {"b": [1, 2, 3, 4, 5]}}',
        '{"a": {"b": [6, 7, 8, 9]}}',
        '{"a": {"b": [10, 11, 12]}}',
        '{"a": {"c": "x"}}',
        '{"d": 1}',
    ]
    assert [document.metadata["path"] for document in documents] == ["/a/b"] * 3 + ["/a/c", "/d"]
    assert [document.metadata.get("item_start") for document in documents] == [0, 5, 9, None, None]
    assert documents[1].metadata["prefix"] == '{"a": {"b": ['
    assert documents[1].metadata["suffix"] == "]}}"


def test_numbers_and_repeated_keys_stay_as_written() -> None:
    text = '{"n": 1.50, "n": 1E+400, "n": 12345678901234567890123}'
    assert chunks(text, 20) == [
        '{"n": 1.50}',
        '{"n": 1E+400}',
        '"n":',
        "123456789012",
        "34567890123}",
    ]
    assert chunks(text, 40) == ['{"n": 1.50, "n": 1E+400}', '{"n": 12345678901234567890123}']


def test_a_string_is_divided_as_text_is() -> None:
    text = json.dumps(
        {"about": "We sell tea. It is good tea, from small gardens.\nCome by and see."}
    )
    assert chunks(text, 40) == [
        '{"about": "We sell tea. "}',
        '{"about": "It is good tea, "}',
        '{"about": "from small gardens.\\n"}',
        '{"about": "Come by and see."}',
    ]


@pytest.mark.parametrize(
    "text", ['"' + "\\\\" * 50 + '"', '"' + "\\u00e9" * 20 + '"', '"' + "\\ud83c\\udf75" * 9 + '"']
)
def test_no_escape_is_cut(text: str) -> None:
    found = chunks(text, 31)
    assert "".join(json.loads(chunk) for chunk in found) == json.loads(text)
    assert not any("\ud83c" in json.loads(chunk) for chunk in found), (
        "A surrogate pair is one escape."
    )


@pytest.mark.parametrize("size", [3, 4, 5, 6, 7])
def test_no_part_of_an_escape_is_made_a_string(size: int) -> None:
    for document in JSONSplitter(size).create_documents(['"\\u00e9\\u00e9\\n\\\\x"']):
        assert "prefix" not in document.metadata or is_json(document.page_content)


def test_a_comma_in_a_key_is_part_of_it() -> None:
    found = chunks('{"a, b, c, d": 1}', 6)
    assert "".join(found).replace(" ", "") == '{"a,b,c,d":1}'


def test_an_escape_that_has_no_room_beside_its_path_stays_whole() -> None:
    """Escapes of twelve characters, a path of ten, and a cap of 20."""
    text = '{"id": "x\\ud83d\\udc4d\\ud83c\\udffd"}'
    documents = JSONSplitter(20).create_documents([text])
    assert [document.page_content for document in documents] == [
        '{"id": "x"}',
        '"\\ud83d\\udc4d"',
        '"\\ud83c\\udffd"',
    ]
    assert ["prefix_omitted" in d.metadata for d in documents] == [False, True, True]
    assert not any(chunk.endswith("\\") for chunk in chunks(text.replace("x", ""), 20))


def test_what_leaves_no_room_is_left_out_with_a_note() -> None:
    text = '{"a long key": {"another long key": [1, 2, 3, 4, 5, 6]}}'
    documents = JSONSplitter(12).create_documents([text])
    assert documents[-1].page_content == "[5, 6]"
    assert documents[-1].metadata == {
        "path": "/a long key/another long key", "item_start": 4, "item_end": 5, "prefix_omitted": True,
        "prefix": "[", "suffix": "]",
    }  # fmt: skip


def test_json_lines_have_record_numbers_and_broken_lines_are_text() -> None:
    documents = JSONSplitter(30).create_documents(['{"a": 1}\n{"b": 2}\n{broken, line\n{"c": 3}'])
    found = [
        (d.page_content, d.metadata["record_start"], d.metadata["record_end"]) for d in documents
    ]
    assert found == [('{"a": 1}\n{"b": 2}', 1, 2), ('{broken, line\n{"c": 3}', 3, 4)]


def test_overlap_is_of_whole_elements() -> None:
    found = chunks("[10, 20, 30, 40, 50, 60, 70, 80]", 18, chunk_overlap=5)
    assert all(is_json(chunk) for chunk in found)
    items = [json.loads(chunk) for chunk in found]
    assert all(before[-1] == after[0] for before, after in pairwise(items))


def test_without_a_cap_each_element_is_a_chunk() -> None:
    assert chunks('{"rows": [{"a": 1}, {"a": [2, 3]}]}', None) == [
        '{"rows": [{"a": 1}]}',
        '{"rows": [{"a": [2, 3]}]}',
    ]
    assert chunks('{"a": 1, "b": 2}\n{"a": 3, "b": 4}\n', None) == [
        '{"a": 1, "b": 2}',
        '{"a": 3, "b": 4}',
    ]


def test_what_is_no_json_is_text() -> None:
    text = '{"a": 1,, "b": "The pump failed. Nobody noticed."}'
    assert chunks(text, 30) == ['{"a": 1,, "b":', '"The pump failed.', 'Nobody noticed."}']
    assert JSONSplitter(30).create_documents([text])[0].metadata == {}


def test_as_lines_each_value_has_its_path() -> None:
    text = '{"a": {"b": [{"c": 1.50}, "x\\ny"]}, "d.e": null, "f": [], "g": {}}'
    assert chunks(text, 200, render="lines") == [
        'a.b[0].c: 1.50\na.b[1]: x\ny\n["d.e"]: null\nf: []\ng: {}'
    ]
    document = JSONSplitter(20, render="lines").create_documents([text])[0]
    assert document.page_content == "a.b[0].c: 1.50"
    start, end = document.metadata["source_start"], document.metadata["source_end"]
    assert text[start:end] == '"c": 1.50'


@pytest.mark.parametrize("render", ["json", "lines"])
@pytest.mark.parametrize(
    "text",
    ['{"k":' * 100_000 + "1" + "}" * 100_000, "[" * 100_000 + "]" * 100_000, "[1," * 50_000, '{"a":1,"k":' * 9_000 + "1" + "}" * 9_000],
    ids=["objects", "lists", "open", "leaves"],
)  # fmt: skip
def test_no_depth_is_too_deep(text: str, render: str) -> None:
    """Case rec-03."""
    splitter = JSONSplitter(300, render=render)
    assert all(len(chunk) <= 300 for chunk in splitter.split_text(text))


# ---------------------------------------------------------------------- all documents

SIZES = st.sampled_from([5, 8, 12, 20, 40, 80, 200])


@settings(max_examples=100)
@given(generators_json.texts(), SIZES, st.sampled_from([len, words]))
def test_each_chunk_is_json_unless_it_says_otherwise(text: str, size: int, measure: Any) -> None:
    tree = parse(text)
    if tree is None or tree.broken:
        return
    for document in JSONSplitter(size, size // 4, length_function=measure).create_documents([text]):
        if "prefix_omitted" not in document.metadata or "prefix" in document.metadata:
            inner = parse(document.page_content)
            assert inner is not None
            assert not inner.broken
            assert len(inner.records) == 1 or len(tree.records) > 1


def leaves_with_keys(value: Any) -> list[tuple[tuple[str, ...], Any]]:
    """List the leaves, each with the keys that lead to it, ``*`` for a list."""
    found: list[tuple[tuple[str, ...], Any]] = []
    stack: list[tuple[tuple[str, ...], Any]] = [((), value)]
    while stack:
        keys, one = stack.pop()
        if isinstance(one, Pairs) and one:
            stack.extend(((*keys, key), inner) for key, inner in reversed(one))
        elif isinstance(one, list) and one:
            stack.extend(((*keys, "*"), inner) for inner in reversed(one))
        else:
            found.append((keys, leaves(one)[0]))
    return found


@settings(max_examples=100)
@given(generators_json.values(), SIZES, st.sampled_from([len, words]))
@example('{"id": "x\\ud83d\\udc4d\\ud83c\\udffd"}', 20, len)
def test_the_values_of_all_chunks_are_those_of_the_document(
    text: str, size: int, measure: Any
) -> None:
    """Each exactly once and as written, with its keys where the path is whole, and the parts of a string in order."""
    wanted = leaves_with_keys(loads(text))
    found: list[tuple[tuple[str, ...], Any, bool]] = []
    for document in JSONSplitter(size, length_function=measure).create_documents([text]):
        known = document.metadata
        cut = "prefix_omitted" in known
        if cut and "prefix" not in known and "suffix" not in known:
            return  # plain text: some value does not fit
        own = leaves_with_keys(loads(document.page_content))
        found += [(keys, leaf, not cut) for keys, leaf in own]
    at = 0
    for keys, value in wanted:
        parts: list[Any] = []
        while not parts or (isinstance(value, str) and "".join(parts) != value):
            own_keys, part, has_path = found[at]
            assert own_keys == keys if has_path else keys[len(keys) - len(own_keys) :] == own_keys
            parts.append(part)
            at += 1
            assert parts == [value] or (isinstance(value, str) and value.startswith("".join(parts)))
    assert at == len(found)


@settings(max_examples=100)
@given(generators_json.texts(), SIZES)
def test_nothing_is_lost_but_what_stands_between_values(text: str, size: int) -> None:
    splitter, end = JSONSplitter(size), 0
    if splitter.read(text).notes is None:
        return
    for span in splitter.split_spans(text):
        assert not text[end : span.fresh].strip(", \t\r\n]}\ufeff")
        end = span.end
    assert not text[end:].strip(", \t\r\n]}\ufeff")


@settings(max_examples=50)
@given(generators_json.texts(), SIZES)
def test_unstripped_the_slices_are_the_text(text: str, size: int) -> None:
    splitter = JSONSplitter(size, strip_whitespace=False)
    assert "".join(text[start:end] for start, end in splitter.split_spans(text)) == text
    assert "".join(splitter(text)) == text


@pytest.mark.parametrize("size", [64, 256, 1024])
@pytest.mark.parametrize("render", ["json", "lines"])
@pytest.mark.parametrize("document", DOCUMENTS)
def test_tokens(document: str, render: str, size: int) -> None:
    splitter = JSONSplitter.from_tiktoken_encoder(chunk_size=size, render=render)
    measure = TiktokenMeasure()
    assert all(measure(chunk) <= size for chunk in splitter.split_text(text_of(document)))


# ---------------------------------------------------------------------- objects, settings, frames


def test_objects_in_objects_out() -> None:
    data = {"a": {"b": 1, "c": [True, None, "é"]}, "d": "x"}
    assert JSONSplitter(32).split_json(data) == [
        {"a": {"b": 1}},
        {"a": {"c": [True, None, "é"]}},
        {"d": "x"},
    ]
    assert JSONSplitter(3).split_json({"abc": 1})[0] == '{"a', "What is no JSON is a string."
    with pytest.raises(InputError, match=r"json\.dumps"):
        JSONSplitter.dump({1, 2})


def test_a_wrong_setting_says_so() -> None:
    with pytest.raises(SettingError, match="render"):
        JSONSplitter(render="yaml")


def test_a_frame_is_what_is_open_at_both_ends() -> None:
    text = '{"a": [1, {"b": 2}], "c": "xyz"}'
    tree = parse(text)
    assert tree is not None
    frames = Frames(tree, 100)
    cases = {
        (7, 8): '{"a": [1]}',
        (10, 18): '{"a": [{"b": 2}]}',
        (11, 29): '{"a": [{"b": 2}], "c": "xy"}',
    }
    for (start, end), whole in cases.items():
        frame = frames.around(start, end)
        assert frame is not None
        assert is_json(frame.prefix + text[start:end] + frame.suffix)
        if whole:
            assert frame.prefix + text[start:end] + frame.suffix == whole
    assert frames.around(2, 8) is None, "No chunk begins inside a key."
    assert locate(tree, 10, 18)["path"] == "/a/1"


# ---------------------------------------------------------------------- golden documents


def render_chunks(splitter: JSONSplitter, text: str) -> str:
    """Show chunks with a line in front of each: where it is, and its metadata."""
    parts = []
    for number, chunk in enumerate(splitter.create_documents([text], add_start_index=True)):
        known = {k: v for k, v in chunk.metadata.items() if k not in ("prefix", "suffix")}
        where = f"{known.pop('start_index')}-{known.pop('end_index')}"
        facts = json.dumps(known, ensure_ascii=False)
        parts.append(f"━━━ {number}: {where} {facts}\n{chunk.page_content}\n")
    return "".join(parts)


def path_of(document: str, name: str) -> Path:
    return GOLDEN / f"{document}.{name}.chunks"


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_chunks_are_the_golden_ones(document: str, name: str) -> None:
    text, splitter = text_of(document), JSONSplitter(**SETTINGS[name])
    testing.check_sliced(splitter, text)
    testing.check_capped(splitter, text)
    testing.check_whole_characters(splitter, text)
    testing.check_nested(splitter, text)
    found = render_chunks(splitter, text)
    if os.environ.get("UPDATE_GOLDEN"):
        path_of(document, name).write_bytes(found.encode())
    assert found == path_of(document, name).read_bytes().decode(), (
        "The chunks changed. If that is meant: python -m tests.test_json --update"
    )


def update() -> None:
    """Write the chunks of all documents anew."""
    for document in DOCUMENTS:
        for name, params in SETTINGS.items():
            found = render_chunks(JSONSplitter(**params), text_of(document))
            path_of(document, name).write_bytes(found.encode())


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        sys.exit("usage: python -m tests.test_json --update")
    update()
