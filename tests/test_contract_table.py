"""The contract's rows of `TableSplitter`: the source and what is written anew × every measure."""

from __future__ import annotations

from typing import ClassVar

from hypothesis import strategies as st

from langchain_chunkers.strategies.table import TableSplitter
from tests import generators_table, test_contract


class TableContract(test_contract.Contract):
    splitter_class = TableSplitter
    # What is repeated in front of rows takes room that no other chunk has to give; overlap is in rows.
    packs = overlaps_always = False

    def texts(self) -> st.SearchStrategy[str]:
        return generators_table.texts()


class TestTable(TableContract):
    pass


class TestTableOfOneColumn(TableContract):
    splitter_params: ClassVar = {"format": "csv", "header": 2, "delimiter": ";"}


class TestTableByRow(TableContract):
    splitter_params: ClassVar = {"rows_per_chunk": 1}
    fitting_stays = False


class TestTableAsMarkdown(TableContract):
    splitter_params: ClassVar = {"render": "markdown"}
    fitting_stays = False


class TestTableAsCSV(TableContract):
    splitter_params: ClassVar = {"render": "csv", "format": "csv", "key_columns": 2}
    fitting_stays = False


class TestTableAsRecords(TableContract):
    splitter_params: ClassVar = {"render": "records", "rows_per_chunk": 2}
    fitting_stays = False


del TableContract  # a base, and no row of its own
