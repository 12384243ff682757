"""`split_table` says what the splitter says, document by document, in every shape of a table."""

from __future__ import annotations

import datetime as dt
import itertools
import json
import pickle
import subprocess
import sys

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.documents import Document

from langchain_chunkers import (
    AutoSplitter,
    BaseSplitter,
    ContextualSplitter,
    FixedSizeSplitter,
    MarkdownSplitter,
    RecursiveSplitter,
    SentenceSplitter,
    TokenCountSplitter,
)
from langchain_chunkers.errors import ChunkerError, InputError, SettingError
from langchain_chunkers.integrations import arrow
from langchain_chunkers.integrations.arrow import COLUMNS, BatchSplitter, split_table
from langchain_chunkers.retrieval.ids import chunk_ids

SPLITTERS = [
    RecursiveSplitter(20),
    SentenceSplitter(30, 10),
    FixedSizeSplitter(7, 3, strip_whitespace=False),
    MarkdownSplitter(40),
    TokenCountSplitter(chunk_size=8),
    RecursiveSplitter(30) | FixedSizeSplitter(10),
]
TWO = "1eb32d1ee4458814f94f8b92d1bd3e06"  # digest of "Two."
GIANT = "e" + "\u0301" * 50  # one character for a reader, larger than the caps here


class Fussy(RecursiveSplitter):
    """A splitter of one's own, that some texts break."""

    name = "fussy"

    def read(self, text):
        if "poison" in text:
            raise RecursionError("poison \ud800")
        return super().read(text)


def in_process(splitter: BaseSplitter, documents: list[tuple[str, str]]) -> list[dict]:
    """Split one document after another, without Arrow: the oracle."""
    rows = []
    for name, text in documents:
        document = Document(page_content=text, id=name)
        chunks = splitter.split_documents([document], add_start_index=True)
        ids = chunk_ids(chunks, "document_id")
        for index, (chunk, key) in enumerate(zip(chunks, ids, strict=True)):
            start, end = chunk.metadata.pop("start_index"), chunk.metadata.pop("end_index")
            del chunk.metadata["document_id"]
            rows.append(
                {
                    "document_id": name,
                    "chunk_id": key,
                    "chunk_index": index,
                    "text": chunk.page_content,
                    "start_index": start,
                    "end_index": end,
                    "metadata": chunk.metadata,
                    "error": None,
                }
            )
    return rows


def read_rows(table: pa.Table) -> list[dict]:
    return [{**row, "metadata": json.loads(row["metadata"])} for row in table.to_pylist()]


@pytest.mark.parametrize("splitter", SPLITTERS, ids=repr)
@given(texts=st.lists(st.text(st.characters(codec="utf-8"), max_size=120), max_size=6))
def test_rows_are_the_chunks_of_the_splitter(splitter: BaseSplitter, texts: list[str]) -> None:
    documents = [(f"d{row}", text) for row, text in enumerate(texts)]
    table = pa.table(
        {
            "id": pa.array([name for name, _ in documents], pa.string()),
            "text": pa.array(texts, pa.string()),
        }
    )
    assert read_rows(split_table(table, splitter, id_column="id")) == in_process(
        splitter, documents
    )


@given(
    texts=st.lists(
        st.none() | st.text("ab. \n\u0301", max_size=30) | st.just("poison"), max_size=12
    ),
    cuts=st.lists(st.integers(0, 12), max_size=4),
    slice_size=st.integers(1, 60),
)
def test_batches_and_slices_change_nothing(
    texts: list[str | None], cuts: list[int], slice_size: int
) -> None:
    """However an engine cuts a table into batches, and we batches into slices, rows are the same."""
    table = pa.table(
        {"text": pa.array(texts, pa.string()), "n": pa.array(range(len(texts)), pa.int64())}
    )
    shipped = BatchSplitter.of(Fussy(5), keep_columns=["n"])
    whole = shipped.split(table)
    edges = sorted({0, len(texts), *(cut for cut in cuts if cut < len(texts))})
    pieces = [shipped.split(table.slice(a, b - a)) for a, b in itertools.pairwise(edges)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrow, "_SLICE", slice_size)
        assert shipped.split(table).equals(whole)
    if pieces:
        assert pa.concat_tables(pieces).equals(whole)
    lists = shipped.split_lists(table)
    assert [row for rows in lists.to_pylist() for row in rows] == whole.drop_columns(
        ["n"]
    ).to_pylist()


def test_schema_is_the_same_for_every_table() -> None:
    expected = pa.schema(
        [*((name, getattr(pa, kind)()) for name, kind in COLUMNS.items()), ("at", pa.date32())]
    )
    for rows in ([], [("", None)], [("One. Two.", dt.date(1999, 1, 1))], [(None, None)]):
        table = pa.table(
            {
                "text": pa.array([text for text, _ in rows], pa.large_string()),
                "at": pa.array([at for _, at in rows], pa.date32()),
                "other": pa.array([1] * len(rows)),
            }
        )
        assert split_table(table, RecursiveSplitter(5), keep_columns=["at"]).schema == expected


def test_a_document_that_fails_is_a_row() -> None:
    texts = ["First. Second.", GIANT, None, "", "Last."]
    table = pa.table({"id": [1, 2, 3, 4, 5], "text": texts, "tag": list("abcde")})
    splitter = RecursiveSplitter(10, on_oversize="raise")
    rows = split_table(table, splitter, id_column="id", keep_columns="tag").to_pylist()
    assert [(row["document_id"], row["text"], row["tag"]) for row in rows] == [
        ("1", "First.", "a"),
        ("1", "Second.", "a"),
        ("2", None, "b"),
        ("3", None, "c"),
        ("5", "Last.", "e"),
    ]
    assert rows[2]["error"].startswith("OversizeError: ")
    assert rows[3]["error"] == "InputError: text is null"
    assert {rows[2][name] for name in COLUMNS} == {"2", None, rows[2]["error"]}
    assert not any(row["error"] for row in (rows[0], rows[1], rows[4]))


def test_a_failure_after_some_chunks_leaves_none_of_them() -> None:
    table = pa.table({"text": [f"First sentence. Second one. {GIANT}"]})
    rows = split_table(table, FixedSizeSplitter(10, on_oversize="raise")).to_pylist()
    assert [row["text"] for row in rows] == [None]


def test_text_that_is_no_utf_8_is_the_error_of_its_own_document() -> None:
    """Arrow does not look whether strings are UTF-8: files of other writers may hold anything."""
    texts = pa.array([b"Fine.", b"\xff\xfe", b"Fine too."], pa.binary()).view(pa.string())
    table = pa.table({"text": texts, "id": ["a", "b", "c"]})
    rows = split_table(table, RecursiveSplitter(20), id_column="id").to_pylist()
    assert [row["text"] for row in rows] == ["Fine.", None, "Fine too."]
    assert rows[1]["document_id"] == "b"
    assert rows[1]["error"].startswith("UnicodeDecodeError: ")


def test_an_error_message_with_a_lone_surrogate_is_written() -> None:
    rows = split_table(pa.table({"text": ["poison"]}), Fussy(5)).to_pylist()
    assert rows[0]["error"] == "RecursionError: poison ?"


def test_ids() -> None:
    texts = ["Same. Same. Same.", "Same. Same. Same.", "Other."]
    table = pa.table({"text": texts, "id": ["a", "b", None]})
    named = split_table(table, FixedSizeSplitter(6), id_column="id")
    assert len(set(named["chunk_id"].to_pylist())) == named.num_rows == 7
    unnamed = split_table(table, FixedSizeSplitter(6))
    assert unnamed["document_id"][0] == unnamed["document_id"][3] != unnamed["document_id"][6]
    assert named["document_id"][6] == unnamed["document_id"][6]  # null: a digest of the text
    # frozen: ids are keys in other people's stores
    assert unnamed["document_id"][6].as_py() == "053a32f025d58ba6cd785295dfe89c97"
    assert named["chunk_id"][1].as_py() == "1be048e769e4a0339a936e8d5e6b8452"


@pytest.mark.parametrize(
    "values, names",
    [
        (pa.array([7, 8]), ["7", "8"]),
        (pa.array([b"\x01\xff", b"ab"]), ["01ff", "6162"]),
        (pa.array(["x", "y"]).dictionary_encode(), ["x", "y"]),
        (pa.array([dt.date(1999, 1, 1), None]), ["1999-01-01", None]),
    ],
)
def test_ids_of_any_type(values: pa.Array, names: list[str | None]) -> None:
    table = pa.table({"id": values, "text": ["One.", "Two."]})
    found = split_table(table, RecursiveSplitter(20), id_column="id")["document_id"].to_pylist()
    assert found == [name or text for name, text in zip(names, [None, TWO], strict=True)]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_every_type_of_string(kind: pa.DataType) -> None:
    table = pa.table({"text": pa.array(["One. Two.", None], pa.string()).cast(kind)})
    assert split_table(table, SentenceSplitter(5))["text"].to_pylist() == ["One.", "Two.", None]
    encoded = pa.table({"text": pa.array(["One."] * 2).dictionary_encode()})
    assert split_table(encoded, SentenceSplitter(5)).num_rows == 2
    nulls = pa.table({"text": pa.nulls(2)})
    assert split_table(nulls, SentenceSplitter(5))["error"].null_count == 0


def test_a_record_batch_is_a_table_too() -> None:
    batch = pa.record_batch({"text": ["One. Two."]})
    assert split_table(batch, SentenceSplitter(5)).num_rows == 2


def test_kept_columns_keep_their_types_and_reach_the_splitter() -> None:
    table = pa.table(
        {
            "body": ["# A\n\nOne.", "key,value\n1,2\n"],
            "source": ["a.md", "b.csv"],
            "at": pa.array(
                [dt.datetime(1999, 1, 1, tzinfo=dt.UTC), None], pa.timestamp("ns", "UTC")
            ),
            "tags": [["x", "y"], []],
        }
    )
    chunks = split_table(table, AutoSplitter(100), "body", keep_columns=["source", "at", "tags"])
    assert chunks.schema.field("at").type == pa.timestamp("ns", "UTC")
    assert chunks["tags"].to_pylist() == [["x", "y"], []]
    first, second = read_rows(chunks)
    assert first["metadata"].get("Header 1") == "A"  # read as Markdown, for its source
    assert "row_start" in second["metadata"]  # read as a table
    assert "source" not in first["metadata"]


def test_metadata_is_what_the_splitter_knows() -> None:
    splitter = ContextualSplitter(MarkdownSplitter(200))
    rows = read_rows(split_table(pa.table({"text": ["# Title\n\nText."]}), splitter))
    (chunk,) = splitter.create_documents(["# Title\n\nText."])
    assert rows[0]["metadata"] == chunk.metadata
    assert rows[0]["text"] == chunk.page_content


def test_it_ships_as_a_configuration() -> None:
    shipped = pickle.loads(pickle.dumps(BatchSplitter.of(RecursiveSplitter(9), keep_columns=["n"])))
    assert json.loads(shipped.config) == {
        "splitter": "recursive",
        "chunk_size": 9,
        "add_start_index": True,
        "show_progress": False,
    }
    assert len(pickle.dumps(shipped)) < 1000
    assert shipped.splitter() is shipped.splitter()  # built once


def test_another_process_finds_a_splitter_of_ones_own() -> None:
    """A process that has imported nothing yet gives the same rows."""
    code = (
        "import pickle, sys; import pyarrow as pa\n"
        "shipped = pickle.loads(sys.stdin.buffer.read())\n"
        "print(shipped.split(pa.table({'text': ['One. Two.', 'poison']})).to_pylist())"
    )
    shipped = BatchSplitter.of(Fussy(5))
    done = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(shipped), capture_output=True, check=True
    )
    here = shipped.split(pa.table({"text": ["One. Two.", "poison"]})).to_pylist()
    assert done.stdout.decode().strip() == str(here)


def test_what_cannot_be_shipped_is_said_before_any_work() -> None:
    table = pa.table({"text": ["One."]})
    with pytest.raises(ChunkerError, match="cannot be written into a configuration"):
        split_table(table, RecursiveSplitter(5, length_function=lambda text: len(text)))
    with pytest.raises(SettingError, match="keep_columns must not have the name"):
        split_table(table, RecursiveSplitter(5), keep_columns=["text"])


def test_wrong_tables() -> None:
    splitter = RecursiveSplitter(5)
    with pytest.raises(InputError, match=r"no column 'body'. Its columns are: text"):
        split_table(pa.table({"text": ["One."]}), splitter, "body")
    with pytest.raises(InputError, match="must be of type string: got int64"):
        split_table(pa.table({"text": [1]}), splitter)
    with pytest.raises(InputError, match="must be a pyarrow Table or RecordBatch: got dict"):
        split_table({"text": ["One."]}, splitter)


def test_importing_the_package_does_not_import_pyarrow() -> None:
    code = (
        "import sys, langchain_chunkers.integrations.engines as e;"
        "bad = {'pyarrow', 'daft', 'ray', 'pyspark', 'dask', 'pandas'} & sys.modules.keys();"
        "assert not bad, bad"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
