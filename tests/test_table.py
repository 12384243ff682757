"""`TableSplitter`: worked examples, Python's own ``csv`` as oracle, cases of other projects' bug lists."""

from __future__ import annotations

import csv
import io
import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_chunkers import SettingError, testing
from langchain_chunkers.readers.table_cells import cells_of, find_delimiter, row_starts
from langchain_chunkers.readers.table_find import csv_table, pipe_tables
from langchain_chunkers.readers.table_read import format_of
from langchain_chunkers.strategies.table import TableSplitter
from tests import generators_table

DRINKS = 'id,name,note\n1,"Tea, green","two\nlines"\n2,Coffee,\n\n3,"say ""hi""",x\n'
PARTS = "| part | qty | note |\n|---|---|---|\n" + "".join(
    f"| P{i:02d} | {i * 3} | shelf note number {i} |\n" for i in range(20)
)


def contents(text: str, size: int | None = 500, **settings: Any) -> list[str]:
    return TableSplitter(size, **settings).split_text(text)


def metadatas(text: str, size: int | None = 500, **settings: Any) -> list[dict[str, Any]]:
    return [d.metadata for d in TableSplitter(size, **settings).create_documents([text])]


# ------------------------------------------------------------------ rows and cells

MARKS = st.sampled_from(generators_table.MARKS)
PLAIN = st.text(st.sampled_from('ab1 ,;\t|"\n\ré漢'), max_size=6)


@given(
    table=st.lists(st.lists(PLAIN, min_size=2, max_size=4), min_size=1, max_size=8),
    mark=MARKS,
    newline=st.sampled_from(["\n", "\r\n"]),
)
def test_rows_and_cells_are_those_of_python(
    table: list[list[str]], mark: str, newline: str
) -> None:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=mark, lineterminator=newline).writerows(table)
    text = out.getvalue()
    starts = row_starts(text, 0, len(text), mark)
    found = [cells_of(text[a:b], mark) for a, b in pairwise([*starts, len(text)])]
    expected = list(csv.reader(io.StringIO(text, newline=""), delimiter=mark))
    # rows of white space alone, which no chunk shows, are no rows here
    assert [row for row in found if "".join(row).strip()] == [
        row for row in expected if "".join(row).strip()
    ]


@given(generators_table.csvs())
def test_each_row_is_in_one_chunk(text: str) -> None:
    for size in (None, 30):
        splitter = TableSplitter(size, format="csv", delimiter=",", header=False)
        rows: set[int] = set()
        last = 0
        for d in splitter.create_documents([text]):
            if "row_start" not in d.metadata:
                continue
            assert d.metadata["row_start"] in (last, last + 1)
            last = d.metadata["row_end"]
            rows.update(range(d.metadata["row_start"], last + 1))
        table = csv_table(text, ",", header=False)
        assert rows == set(range(1, len(table.rows) + 1 if table else 1))


def test_a_quote_that_never_closes_is_text() -> None:
    assert contents('a,b\n1,"open\n2,x\n3,y\n', None, delimiter=",") == [
        'a,b\n1,"open', "a,b\n2,x", "a,b\n3,y",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text, delimiter",
    [
        ("a,b\n1,2\n", ","),
        ('name;note\n"Ann; B";1,5\nCy;2,5\n', ";"),
        ("a\tb\n1, 2\t3\n4\t5\n", "\t"),
        ("a|b|c\n1|2|3\n", "|"),
        ("Tea is hot, and black.\nIt is late, and dark.", ""),
        ("one line, alone", ""),
        ("", ""),
    ],
)
def test_the_delimiter_is_found(text: str, delimiter: str) -> None:
    assert find_delimiter(text) == delimiter


def test_the_format_is_found() -> None:
    assert format_of(DRINKS) == "csv"
    assert format_of(PARTS) == format_of("Words.\n\n" + PARTS) == "markdown"
    assert format_of("<p>x<table><tr><td>1</table>") == "html"
    assert format_of("Words, and more words.\n\nAnd more.") == ""


# ------------------------------------------------------------------ headers


@pytest.mark.parametrize(
    "text, names, rows",
    [
        ("id,name\n1,Tea\n", ("id", "name"), 1),
        ("1,Tea\n2,Milk\n", ("column 1", "column 2"), 2),
        ("Country,2019,2020\nPeru,1.5,2\n", ("Country", "2019", "2020"), 1),
        (",2019,,2020,\ncity,Q1,Q2,Q1,Q2\nBern,1,2,3,4\n", ("city", "2019 Q1", "2019 Q2", "2020 Q1", "2020 Q2"), 1),
        ("\ufeffid,name\n1,Tea\n", ("id", "name"), 1),
    ],
)  # fmt: skip
def test_the_header_is_found(text: str, names: tuple[str, ...], rows: int) -> None:
    table = csv_table(text, ",", "auto")
    assert table is not None
    assert (table.names, len(table.rows)) == (names, rows)


def test_the_header_as_the_user_says() -> None:
    text = "a,b\nc,d\n1,2\n3,4\n"
    assert contents(text, None, header=2) == ["a,b\nc,d\n1,2", "a,b\nc,d\n3,4"]
    assert contents(text, None, header=False) == ["a,b", "c,d", "1,2", "3,4"]
    assert metadatas(text, None, header=False)[0] == {
        "row_start": 1, "row_end": 1, "columns": "column 1, column 2",
    }  # fmt: skip


def test_pipe_tables_are_found_among_prose_and_not_in_code() -> None:
    text = "A | b\n\n| a | b |\n|---|:-:|\n| 1 | x \\| y |\nAfter.\n\n```\n| c |\n|---|\n| 2 |\n```\n\n> | d |\n> |---|\n> | 3 |\n"
    tables = pipe_tables(text, "auto")
    assert [table.names for table in tables] == [("a", "b"), ("d",)]
    assert cells_of(text[tables[0].rows[0] : tables[0].end], "pipe") == ["1", "x | y"]


# ------------------------------------------------------------------ the renderings


def test_the_source() -> None:
    chunks = TableSplitter(60).create_documents([DRINKS])
    assert [chunk.page_content for chunk in chunks] == [
        'id,name,note\n1,"Tea, green","two\nlines"',
        'id,name,note\n2,Coffee,\n\n3,"say ""hi""",x',
    ]
    assert chunks[1].metadata == {
        "row_start": 2, "row_end": 3, "columns": "id, name, note", "prefix": "id,name,note\n",
    }  # fmt: skip


RENDERED = {
    "markdown": "| id | name | note |\n|---|---|---|\n| 1 | Tea, green | two<br>lines |\n| 2 | Coffee |  |\n| 3 | say \"hi\" | x |",
    "csv": 'id,name,note\n1,"Tea, green","two\nlines"\n2,Coffee,\n3,"say ""hi""",x',
    "records": 'id: 1\nname: Tea, green\nnote: two\n  lines\n\nid: 2\nname: Coffee\n\nid: 3\nname: say "hi"\nnote: x',
}  # fmt: skip


@pytest.mark.parametrize("render", RENDERED)
def test_written_anew(render: Any) -> None:
    (chunk,) = TableSplitter(render=render).create_documents([DRINKS])
    assert chunk.page_content == RENDERED[render]
    assert chunk.metadata["source_start"] == 0
    assert chunk.metadata["source_end"] == len(DRINKS)


def test_metadata_leads_back_to_the_rows() -> None:
    for chunk in TableSplitter(40, render="records").create_documents([DRINKS]):
        known = chunk.metadata
        source = DRINKS[known["source_start"] : known["source_end"]]
        assert f"\n{known['row_start']}," in "\n" + source
        assert f"\n{known['row_end']}," in "\n" + source


def test_columns_wider_than_the_cap_are_groups_with_the_key() -> None:
    head = ",".join(f"col{i}" for i in range(30))
    text = head + "\n" + "".join(f"{','.join(f'{r}-{i}' for i in range(30))}\n" for r in range(4))
    chunks = TableSplitter(120, render="markdown").create_documents([text])
    assert all(chunk.page_content.startswith("| col0 | ") for chunk in chunks)
    assert not any("prefix_omitted" in chunk.metadata for chunk in chunks)
    seen = {name for chunk in chunks for name in chunk.metadata["columns"].split(", ")}
    assert seen == set(head.split(","))
    for row in range(4):
        for column in range(1, 30):
            assert sum(f"| {row}-{column} |" in chunk.page_content for chunk in chunks) == 1


def test_a_record_over_the_cap_repeats_its_key_and_the_name() -> None:
    text = "id,note\n7," + "word " * 30 + "\n"
    chunks = contents(text, 60, render="records")
    assert len(chunks) > 2
    assert all(chunk.startswith("id: 7\nnote: word") for chunk in chunks)


def test_rows_per_chunk() -> None:
    text = "a,b\n" + "".join(f"{i},x\n" for i in range(5))
    assert contents(text, rows_per_chunk=2) == ["a,b\n0,x\n1,x", "a,b\n2,x\n3,x", "a,b\n4,x"]
    assert len(contents(text, None)) == 5


def test_overlap_is_in_whole_rows() -> None:
    text = "a,b\n" + "".join(f"{i},xyz\n" for i in range(8))
    chunks = contents(text, 24, chunk_overlap=8)
    assert all(line in text.split("\n") for chunk in chunks for line in chunk.split("\n"))
    assert chunks[1].split("\n")[1] == chunks[0].split("\n")[-1]


def test_html() -> None:
    html = "<h1>H</h1><p>x</p><table><tr><th>A|b<th>B<tr><td>1<td>2<br>3<tr><td>4<td>5</table><p>y"
    assert contents(html, None, render="markdown") == [
        "H\n\nx", "| A\\|b | B |\n|---|---|\n| 1 | 2 3 |", "| A\\|b | B |\n|---|---|\n| 4 | 5 |", "y",
    ]  # fmt: skip
    source = metadatas(html, None)
    assert [known.get("row_start") for known in source] == [None, 1, 2, None]
    assert source[1]["columns"] == "A|b, B"


# ------------------------------------------------------------------ cases of other projects


def test_case_tab_01_rows_stay_whole_and_have_their_header() -> None:
    head = PARTS[: PARTS.index("| P00")]
    rows = PARTS[len(head) :].splitlines()
    found = []
    for chunk in contents(PARTS, 160):
        assert chunk.startswith(head)
        found += chunk.splitlines()[2:]
    assert found == rows


def test_case_tab_02_a_header_of_two_rows() -> None:
    text = "| Item | Q1 | Q2 |\n| | Jan | Apr |\n|---|---|---|\n" + "".join(
        f"| row {i} | {i} | {i} |\n" for i in range(12)
    )
    head = text[: text.index("| row 0")]
    chunks = contents(text, 130)
    assert len(chunks) > 1
    assert all(chunk.startswith(head) for chunk in chunks)


def test_case_tab_03_html_has_its_header() -> None:
    rows = "".join(f"<tr><td>r{i} a</td><td>r{i} b</td></tr>" for i in range(20))
    html = f"<table><tr><th>A</th><th>B</th></tr>{rows}</table>"
    for render, head in (("markdown", "| A | B |\n|---|---|\n"), ("source", "<table><tr><th>A")):
        assert all(c.startswith(head) for c in contents(html, 120, render=render))


def test_case_tab_05_a_wide_row_is_cut_at_cells_or_words() -> None:
    text = (
        "| a | b |\n|---|---|\n| " + "left words " * 12 + "| 5,120 " + "right words " * 12 + "|\n"
    )
    for render in ("source", "markdown", "records"):
        chunks = contents(text, 120, render=render)
        assert sum("5,120" in chunk for chunk in chunks) == 1
        assert all(len(chunk) <= 120 for chunk in chunks)


def test_case_html_05_a_table_keeps_the_cap() -> None:
    cells = "".join(f"<tr><td>cell {i}</td></tr>" for i in range(100))
    html = f"<h1>T</h1><p>{'word ' * 30}</p><table>{cells}</table>"
    for render in ("source", "markdown", "csv", "records"):
        testing.check_capped(TableSplitter(100, render=render), html)


# ------------------------------------------------------------------ settings


@pytest.mark.parametrize(
    "settings",
    [
        {"render": "text"}, {"rows_per_chunk": 0}, {"rows_per_chunk": True}, {"header": -1}, {"header": "yes"},
        {"key_columns": -1}, {"key_columns": "id"}, {"format": "xls"}, {"delimiter": ", "}, {"delimiter": '"'},
    ],
)  # fmt: skip
def test_settings_that_cannot_be_used(settings: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match=next(iter(settings))):
        TableSplitter(**settings)


# ------------------------------------------------------------------ golden documents

GOLDEN = Path(__file__).parent / "golden" / "table"
DOCUMENTS = sorted(path.name for path in (GOLDEN / "documents").iterdir())
RENDERS = ("source", "markdown", "csv", "records")


@pytest.mark.parametrize("render", RENDERS)
@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_chunks_are_the_golden_ones(document: str, render: Any) -> None:
    text = (GOLDEN / "documents" / document).read_bytes().decode()
    splitter = TableSplitter(300, render=render)
    testing.check_sliced(splitter, text)
    testing.check_lossless(splitter, text)
    testing.check_capped(splitter, text)
    testing.check_nested(splitter, text)
    shown = [
        f"━━━ {number}: { {k: v for k, v in chunk.metadata.items() if k != 'prefix'} }\n{chunk.page_content}\n"
        for number, chunk in enumerate(splitter.create_documents([text]))
    ]
    found = "".join(shown)
    path = GOLDEN / "chunks" / f"{document}.{render}.chunks"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_bytes(found.encode())
    assert found == path.read_bytes().decode(), (
        "If the change is meant: UPDATE_GOLDEN=1, and read it."
    )


@pytest.mark.parametrize("on_oversize", ["keep", "split"])
def test_the_room_of_a_suffix_is_that_of_a_whole_character(on_oversize: Any) -> None:
    """A character of many code points that fits alone goes without what would be closed behind it."""
    family = "👨\u200d👩\u200d👧\u200d👦"
    html = f"<table><tr><td><b></b><table><tr><td><b></b><td><b>{family}</b></table></table>"
    splitter = TableSplitter.from_tiktoken_encoder(
        "o200k_base", chunk_size=13, rows_per_chunk=1, on_oversize=on_oversize
    )
    chunks = splitter.split_text(html)
    assert max(map(splitter.length, chunks)) <= 13
    assert any(family in chunk for chunk in chunks)
