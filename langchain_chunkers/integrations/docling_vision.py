"""Pictures and tables of documents by a chat model that sees."""

from __future__ import annotations

import base64
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage

from langchain_chunkers.llm.calls import Caller, Failure
from langchain_chunkers.readers.docling_items import listed, mapped
from langchain_chunkers.readers.table_cells import PIPE, cells_of
from langchain_chunkers.readers.table_find import pipe_tables

__all__ = ["IMAGE_PROMPT", "TABLE_PROMPT", "Vision"]

IMAGE_PROMPT = """Describe this picture of a document for a reader who cannot see it, in the language of its text.
Say what it shows, read out all text and numbers in it, and say what a chart tells.
Answer with the description alone."""

TABLE_PROMPT = """Read this table. Answer with it as a Markdown pipe table with one header row, every row and every
cell as it stands, and below it one sentence that says what the table shows. Add nothing."""

_SMALL = 24  # pixels; what is smaller is a bullet or a line
_FENCE = re.compile(r"^\s*```[a-z]*\s*$", re.MULTILINE)


@dataclass(frozen=True)
class _Question:
    item: dict[str, Any]
    kind: str
    url: str
    prompt: str


@dataclass(frozen=True)
class Vision:
    """Asks a model about pictures and tables, and writes its answers into the document.

    Attributes:
        llm: A ``BaseChatModel`` that takes images.
        pictures: Ask about pictures.
        tables: Ask about tables.
        image_prompt: What is asked of a picture.
        table_prompt: What is asked of a table.
        concurrency: Most calls at a time.
        retries: How often a call is made again.
        wait: Seconds before the second try; doubled each time.
    """

    llm: Any
    pictures: bool
    tables: bool
    image_prompt: str = IMAGE_PROMPT
    table_prompt: str = TABLE_PROMPT
    concurrency: int = 8
    retries: int = 2
    wait: float = 1.0

    def run(
        self, document: dict[str, Any], name: str, pdf: bytes | None, password: str | None
    ) -> None:
        """Ask all at once, some at a time, and write the answers into the document.

        Where no answer came, the document stays as docling read it, and a warning names the file.
        """
        asked = self._questions(document, pdf, password)
        if asked:
            self._write(asked, self._caller().run(self._messages(asked)), name)

    async def arun(
        self, document: dict[str, Any], name: str, pdf: bytes | None, password: str | None
    ) -> None:
        """As `run`; the model is awaited."""
        asked = self._questions(document, pdf, password)
        if asked:
            self._write(asked, await self._caller().arun(self._messages(asked)), name)

    def _caller(self) -> Caller[str]:
        return Caller(
            self.llm, _as_text, concurrency=self.concurrency, retries=self.retries, wait=self.wait
        )

    def _questions(
        self, document: Mapping[str, Any], pdf: bytes | None, password: str | None
    ) -> list[_Question]:
        """Collect what can be shown: pixels that the document has, or a part of a PDF's page."""
        asked: list[_Question] = []
        for wanted, collection, kind, prompt in (
            (self.pictures, "pictures", "picture", self.image_prompt),
            (self.tables, "tables", "table", self.table_prompt),
        ):
            for item in listed(document.get(collection)) if wanted else ():
                if isinstance(item, dict) and item.get("content_layer", "body") == "body":
                    url = _pixels(item) or _drawn(item, document, pdf, password)
                    if url:
                        asked.append(_Question(item, kind, url, prompt))
        return asked

    def _messages(self, asked: Sequence[_Question]) -> list[list[BaseMessage]]:
        return [
            [
                HumanMessage(
                    content=[
                        {"type": "text", "text": question.prompt},
                        {"type": "image_url", "image_url": {"url": question.url}},
                    ]
                )
            ]
            for question in asked
        ]

    def _write(
        self, asked: Sequence[_Question], answers: Sequence[str | Failure], name: str
    ) -> None:
        failures = [answer for answer in answers if isinstance(answer, Failure)]
        if failures:
            warnings.warn(
                f"{name}: the model did not answer for {len(failures)} of {len(asked)} pictures and "
                f"tables, which stay as they were read. The first reason: {failures[0].reason}",
                stacklevel=5,
            )
        for question, answer in zip(asked, answers, strict=True):
            if isinstance(answer, Failure):
                continue
            text = answer
            if question.kind == "table":
                data, text = _table(answer)
                question.item["data"] = data or {}
            if text:
                note = {"kind": "description", "text": text, "provenance": "llm"}
                question.item["annotations"] = [*listed(question.item.get("annotations")), note]


def _as_text(number: int, answer: Any) -> str:
    del number
    return str(answer).strip()


def _pixels(item: Mapping[str, Any]) -> str:
    """Give the picture that docling kept, as a data URL."""
    image = mapped(item.get("image"))
    size = mapped(image.get("size"))
    sides = [size.get("width", _SMALL), size.get("height", _SMALL)]
    if any(isinstance(side, int | float) and side < _SMALL for side in sides):
        return ""
    url = image.get("uri")
    return url if isinstance(url, str) and url.startswith("data:image/") else ""


def _drawn(
    item: Mapping[str, Any], document: Mapping[str, Any], pdf: bytes | None, password: str | None
) -> str:
    """Draw the place of an item on the page of a PDF."""
    places = listed(item.get("prov"))
    if pdf is None or not places:
        return ""
    from langchain_chunkers.integrations.pdf import render_box
    from langchain_chunkers.readers.docling_notes import Notes

    place = mapped(places[0])
    page = place.get("page_no")
    if not isinstance(page, int):
        return ""
    box = Notes(document, (), ()).box(page, mapped(place.get("bbox")))
    if not box:
        return ""
    try:
        png = render_box(pdf, page, box, password)
    except Exception:  # noqa: BLE001 - a page that cannot be drawn has no picture
        return ""
    return "data:image/png;base64," + base64.b64encode(png).decode("ascii")


def _table(answer: str) -> tuple[dict[str, Any], str]:
    """Take the table out of an answer, in the form of Docling, and what is said beside it."""
    answer = _FENCE.sub("", answer).strip() + "\n"
    found = pipe_tables(answer, "auto")
    if not found:
        return {}, answer.strip()
    table = found[0]
    rows: list[Sequence[str]] = [table.names]
    rows += [
        cells_of(answer[at : table.row_end(index)], PIPE) for index, at in enumerate(table.rows)
    ]
    cells = [
        {
            "text": text, "row_span": 1, "col_span": 1,
            "start_row_offset_idx": row, "end_row_offset_idx": row + 1,
            "start_col_offset_idx": column, "end_col_offset_idx": column + 1,
            "column_header": row == 0, "row_header": False, "row_section": False,
        }
        for row, line in enumerate(rows)
        for column, text in enumerate(line)
    ]  # fmt: skip
    beside = f"{answer[: table.start]}\n{answer[table.end :]}".strip()
    data = {"table_cells": cells, "num_rows": len(rows), "num_cols": max(map(len, rows))}
    return data, beside
