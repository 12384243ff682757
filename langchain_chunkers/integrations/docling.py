"""`DoclingParser` and `DoclingLoader`: PDF, DOCX, PPTX, XLSX, HTML and the like as LangChain documents.

Some lines over 300: the two share their settings, whose docstring is the reference.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from importlib.util import find_spec
from typing import Any, Literal

from langchain_core.document_loaders import BaseBlobParser, BaseLoader
from langchain_core.documents import Document
from langchain_core.documents.base import Blob
from langchain_core.language_models import BaseChatModel
from langchain_core.runnables.config import run_in_executor

from langchain_chunkers._extras import need
from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.errors import InputError, SettingError
from langchain_chunkers.files import FileError
from langchain_chunkers.integrations.docling_checks import Input, Limits
from langchain_chunkers.integrations.docling_convert import PDF, Converter
from langchain_chunkers.integrations.docling_inputs import read_blob, read_inputs
from langchain_chunkers.integrations.docling_vision import IMAGE_PROMPT, TABLE_PROMPT, Vision
from langchain_chunkers.settings import check_choice
from langchain_chunkers.strategies.docling import DoclingSplitter

__all__ = ["DoclingLoader", "DoclingParser"]

_REPEATED = ("prefix", "suffix", "prefix_omitted")


class DoclingParser(BaseBlobParser):
    """Turns files into LangChain documents by their structure: headings, lists, tables, pictures.

    A LangChain blob parser, and a callable ``bytes -> [(text, metadata)]`` as Pathway's pipelines want it.
    PDF is read without models by default; all other formats by docling (the extra ``docling``).
    What a file is, its content says, not its name. ``parser | splitter`` splits further.

    Does not recognise text in images unless ``pdf="layout"``, whose models docling fetches.

    Args:
        image_parsing_strategy: ``"llm"``: a model describes pictures. ``None``: their captions alone.
        table_parsing_strategy: ``"docling"``: tables as they were read. ``"llm"``: a model reads them off
            an image of their place; those of which there is none stay as they were read.
        multimodal_llm: Any ``BaseChatModel`` that takes images; needed by ``"llm"``.
        pdf_pipeline_options: Fields of docling's ``PdfPipelineOptions``, nested ones as dictionaries; of
            ``NativePdfPipelineOptions`` with ``pdf="native"``.
        chunk: Give chunks; ``False`` for one document for each file.
        splitter: Makes the chunks; by default ``DoclingSplitter(chunk_size=None)``: a chunk for each
            section, table and picture.
        pdf: ``"text"``: headings by font size, columns, running headers and footers removed; without
            models. ``"native"``: docling without models, line by line. ``"layout"``: docling's layout
            models. ``None``: ``"layout"`` where ``pdf_pipeline_options`` or ``ocr=True`` is given, else ``"text"``.
        ocr: Recognise text in images of pages (``pdf="layout"``).
        pdf_tables: ``pdf="text"`` looks for tables.
        password: Opens encrypted PDF.
        max_file_size: Bytes; a larger file is an error.
        max_unpacked_size: Bytes to which a packed file (DOCX, XLSX) may unpack.
        max_pages: Pages of a PDF.
        max_seconds: Seconds that docling may take for a file. It runs in a process of its own, which is ended
            then. ``"auto"``: 300, and 3600 with ``pdf="layout"``. ``None``: in this process, without bounds.
        max_memory: Bytes that this process may hold, on Linux. ``"auto"``: 4 GB, and any with
            ``pdf="layout"``, whose models are in it.
        concurrency: Most calls of the model at a time.
        retries: How often a call is made again; where none answers, the item stays as it was read, with a
            warning.
        retry_wait: Seconds before the second try; doubled each time.
        image_prompt: What the model is asked of a picture.
        table_prompt: What it is asked of a table.
        converter: A ``DocumentConverter`` of your own, for all formats but text; it runs in this process.

    Raises:
        SettingError: A setting cannot be used, or an option of the pipeline does not exist.
        MissingExtraError: A package is not installed; for docling, at the first file that needs it.

    Cost: one file in memory at a time. PDF as text some 20 ms a page, and 200 to 300 for one with lines
        in which tables are looked for.

    Example:
        >>> parser = DoclingParser()
        >>> [d.page_content for d in parser.parse(Blob.from_data("Tea is hot.", path="tea.txt"))]
        ['Tea is hot.']
    """

    def __init__(
        self,
        image_parsing_strategy: Literal["llm"] | None = None,
        table_parsing_strategy: Literal["docling", "llm"] = "docling",
        multimodal_llm: BaseChatModel | None = None,
        pdf_pipeline_options: Mapping[str, Any] | None = None,
        chunk: bool = True,
        *,
        splitter: BaseSplitter | None = None,
        pdf: PDF | None = None,
        ocr: bool | None = None,
        pdf_tables: bool = True,
        password: str | None = None,
        max_file_size: int = 100_000_000,
        max_unpacked_size: int = 300_000_000,
        max_pages: int = 5000,
        max_seconds: float | Literal["auto"] | None = "auto",
        max_memory: int | Literal["auto"] | None = "auto",
        concurrency: int = 8,
        retries: int = 2,
        retry_wait: float = 1.0,
        image_prompt: str = IMAGE_PROMPT,
        table_prompt: str = TABLE_PROMPT,
        converter: Any = None,
    ) -> None:
        if converter is None and not any(map(_is_there, ("docling", "pypdfium2"))):
            need("docling", "docling", "DoclingParser")
        check_choice("image_parsing_strategy", image_parsing_strategy, (None, "llm"))
        check_choice("table_parsing_strategy", table_parsing_strategy, ("docling", "llm"))
        sees = image_parsing_strategy == "llm" or table_parsing_strategy == "llm"
        _check_model(multimodal_llm, sees=sees)
        if splitter is not None and (not chunk or not isinstance(splitter, BaseSplitter)):
            msg = (
                "splitter must be a splitter of this package, and chunk=True: "
                f"got {type(splitter).__name__} and chunk={chunk!r}."
            )
            raise SettingError(msg)
        for name, value in (
            ("max_file_size", max_file_size), ("max_unpacked_size", max_unpacked_size),
            ("max_pages", max_pages), ("concurrency", concurrency), ("retries", retries + 1),
        ):  # fmt: skip
            if type(value) is not int or value < 1:
                msg = f"{name} must be a positive integer: got {value!r}."
                raise SettingError(msg)
        if pdf is None:
            pdf = "layout" if pdf_pipeline_options or ocr else "text"
        seconds, memory = _bounds(max_seconds, max_memory, layout=pdf == "layout")
        self._limits = Limits(max_file_size, max_unpacked_size, max_pages, seconds, memory)
        self._password = password
        self._converter = Converter(
            pdf, pdf_pipeline_options or {}, ocr=ocr or (ocr if pdf == "layout" else None), images=sees,
            tables=pdf_tables, password=password, converter=converter, limits=self._limits,
            here=max_seconds is None,
        )  # fmt: skip
        self._vision = (
            Vision(
                multimodal_llm, image_parsing_strategy == "llm", table_parsing_strategy == "llm",
                image_prompt, table_prompt, concurrency, retries, retry_wait,
            )
            if sees
            else None
        )  # fmt: skip
        if splitter is None:
            splitter = DoclingSplitter(chunk_size=None) if chunk else DoclingSplitter(chunk=False)
        self._splitter: BaseSplitter = splitter
        self._then: tuple[BaseSplitter, ...] = ()

    # ------------------------------------------------------------------ one file

    def convert(self, source: Any, name: str | None = None) -> Any:
        """Read one file, without splitting it.

        Args:
            source: A path, a URL, bytes or a ``Blob``.
            name: How metadata and messages name bytes; its ending tells text formats apart.

        Returns:
            The dictionary of a Docling document, for `DoclingSplitter`; or text, of a text file.

        Raises:
            FileError: It cannot be read; the message says why.
        """
        given = self._one(source if name is None else (name, bytes(source)))
        document, kind = self._converter.convert(given)
        if self._vision is not None and isinstance(document, dict):
            pdf = given.data if kind == "pdf" else None
            self._vision.run(document, given.name, pdf, self._password)
        return document

    def _one(self, source: Any) -> Input:
        found = list(read_inputs(source, self._limits))
        if len(found) != 1:
            msg = f"One file is needed: got {len(found)}. For folders there is DoclingLoader."
            raise InputError(msg)
        if isinstance(found[0], FileError):
            raise found[0]
        return found[0]

    def _split(self, document: Any, given: Input) -> Iterator[Document]:
        """Split what a file became, with its name all the way down."""
        metadata = {"source": given.name, **given.metadata}
        splitter = self._splitter
        if isinstance(splitter, DoclingSplitter):
            chunks: Iterable[Document] = splitter.create_documents([document], [metadata])
        else:
            text = DoclingSplitter(chunk=False).create_documents([document], [metadata])
            chunks = splitter.lazy_split_documents(text)
        for further in self._then:
            chunks = further.lazy_split_documents(map(_bare, chunks))
        yield from chunks

    def lazy_parse(self, blob: Blob) -> Iterator[Document]:
        """Parse a blob of LangChain's loaders.

        Yields:
            Chunks, with ``source``, the blob's own metadata, and that of the splitter.

        Raises:
            FileError: It cannot be read; the message says why.
        """
        yield from self._parsed(read_blob(blob, self._limits))

    def _parsed(self, given: Input) -> Iterator[Document]:
        document, kind = self._converter.convert(given)
        if self._vision is not None and isinstance(document, dict):
            pdf = given.data if kind == "pdf" else None
            self._vision.run(document, given.name, pdf, self._password)
        yield from self._split(document, given)

    async def aparse(self, blob: Blob) -> list[Document]:
        """As ``parse``: files are read in a thread, the model is awaited."""
        return await self._aparsed(await run_in_executor(None, read_blob, blob, self._limits))

    async def _aparsed(self, given: Input) -> list[Document]:
        document, kind = await run_in_executor(None, self._converter.convert, given)
        if self._vision is not None and isinstance(document, dict):
            pdf = given.data if kind == "pdf" else None
            await self._vision.arun(document, given.name, pdf, self._password)
        return await run_in_executor(None, lambda: list(self._split(document, given)))

    def __call__(self, contents: bytes) -> list[tuple[str, dict[str, Any]]]:
        """Parse bytes into pairs of a text and metadata, as Pathway's parsers do."""
        given = self._one(bytes(contents))
        pairs = [(chunk.page_content, chunk.metadata) for chunk in self._parsed(given)]
        for _, metadata in pairs:
            if metadata.get("source") == given.name:
                del metadata["source"]  # a made-up name says nothing
        return pairs

    def __or__(self, splitter: BaseSplitter) -> DoclingParser:
        """Split further what is parsed; a `DoclingSplitter` takes the place of the default one."""
        if not isinstance(splitter, BaseSplitter):
            return NotImplemented
        made = copy.copy(self)
        if isinstance(splitter, DoclingSplitter) and not self._then:
            made._splitter = splitter
        else:
            made._then = (*self._then, splitter)
        return made


def _is_there(module: str) -> bool:
    """Say whether a package is installed, without importing it."""
    try:
        return find_spec(module) is not None
    except ValueError:
        return True  # it was put in by hand


def _bare(document: Document) -> Document:
    """Take off what was said of a chunk as a whole, before it is divided."""
    metadata = {k: v for k, v in document.metadata.items() if k not in _REPEATED}
    return Document(page_content=document.page_content, metadata=metadata)


def _bounds(seconds: Any, memory: Any, *, layout: bool) -> tuple[float, int | None]:
    """Give what docling's process may take."""
    if seconds == "auto":
        seconds = 3600.0 if layout else 300.0
    elif seconds is not None and (not isinstance(seconds, int | float) or not seconds > 0):
        msg = f"max_seconds must be a positive number, 'auto' or None: got {seconds!r}."
        raise SettingError(msg)
    if memory == "auto":
        memory = None if layout else 4_000_000_000
    elif memory is not None and (type(memory) is not int or memory < 1):
        msg = f"max_memory must be a positive integer, 'auto' or None: got {memory!r}."
        raise SettingError(msg)
    return seconds or 0.0, memory


def _check_model(model: Any, *, sees: bool) -> None:
    if sees and not isinstance(model, BaseChatModel):
        msg = (
            f"The strategy 'llm' needs multimodal_llm, a chat model of LangChain that takes images: got "
            f"{type(model).__name__}."
        )
        raise SettingError(msg)
    if model is not None and not sees:
        msg = (
            "multimodal_llm is used by image_parsing_strategy='llm' and table_parsing_strategy='llm': set "
            "one of them, or leave it out."
        )
        raise SettingError(msg)


class DoclingLoader(BaseLoader):
    """Loads files, folders, URLs and bytes as chunks, one file at a time.

    A file that cannot be read (damaged, encrypted, empty, too large, not what its name says) is named in a
    warning and left out, and the run goes on; `problems` has them all.

    Args:
        file_path: A path, a folder, a glob, an ``http(s)`` URL, bytes, a pair of a name and bytes, a ``Blob``, or
            an iterable of those.
        parser: A `DoclingParser`, or one followed by splitters (``DoclingParser() | TokenCountSplitter()``).
        on_error: ``"warn"``, ``"ignore"``, or ``"raise"`` for the first file that cannot be read.
        **options: Settings of `DoclingParser`, where no parser is given.

    Attributes:
        problems: A `FileError` (``name``, ``reason``) for each file left out of the last run.

    Example:
        >>> loader = DoclingLoader(("tea.txt", b"Tea is hot."))
        >>> [(d.page_content, d.metadata) for d in loader.load()]
        [('Tea is hot.', {'source': 'tea.txt'})]
    """

    def __init__(
        self,
        file_path: Any,
        *,
        parser: DoclingParser | None = None,
        on_error: Literal["warn", "ignore", "raise"] = "warn",
        **options: Any,
    ) -> None:
        check_choice("on_error", on_error, ("warn", "ignore", "raise"))
        if parser is not None and options:
            msg = f"Give {', '.join(options)} to the parser, or leave the parser out."
            raise SettingError(msg)
        self.file_path, self._on_error = file_path, on_error
        self._parser = parser or DoclingParser(**options)
        self.problems: list[FileError] = []

    def lazy_load(self) -> Iterator[Document]:
        """Load chunks, file by file; nothing is held but the file at hand."""
        self.problems = []
        for given in read_inputs(self.file_path, self._parser._limits):
            try:
                if isinstance(given, FileError):
                    raise given
                yield from self._parser._parsed(given)
            except FileError as problem:
                self._note(problem)

    async def alazy_load(self) -> AsyncIterator[Document]:
        """As `lazy_load`: files are read in a thread, the model is awaited."""
        self.problems = []
        inputs = iter(read_inputs(self.file_path, self._parser._limits))
        while (given := await run_in_executor(None, next, inputs, None)) is not None:
            try:
                if isinstance(given, FileError):
                    raise given
                chunks = await self._parser._aparsed(given)
            except FileError as problem:
                self._note(problem)
                continue
            for chunk in chunks:
                yield chunk

    def _note(self, problem: FileError) -> None:
        if self._on_error == "raise":
            raise problem
        self.problems.append(problem)
        if self._on_error == "warn":
            warnings.warn(f"left out: {problem}", stacklevel=3)

    def __or__(self, splitter: BaseSplitter) -> DoclingLoader:
        """Split further what is loaded."""
        if not isinstance(splitter, BaseSplitter):
            return NotImplemented
        return DoclingLoader(
            self.file_path, parser=self._parser | splitter, on_error=self._on_error
        )
