"""From files to Docling documents, in their exported form: docling where it is needed, else without it."""

from __future__ import annotations

import copy
import io
import re
import threading
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any, Literal

from langchain_chunkers._extras import need
from langchain_chunkers.errors import ChunkerError, SettingError
from langchain_chunkers.files import FileError
from langchain_chunkers.integrations.child import Child, ChildError
from langchain_chunkers.integrations.docling_checks import Input, Limits, checked, kind_of
from langchain_chunkers.readers.docling import as_docling
from langchain_chunkers.settings import check_choice

__all__ = ["PDF", "Converter"]

PDF = Literal["text", "native", "layout"]
_ENDINGS = {"asciidoc": "adoc", "email": "eml", "latex": "tex"}  # where docling's name is another

_WRAPPED = re.compile(r"Conversion failed for: .*? Errors: | with hash [0-9a-f]{16,}")


class Converter:
    """Makes Docling documents of files.

    Args:
        pdf: How PDF is read: ``"text"`` by font sizes and positions, without models; ``"native"`` by docling
            without models, a text item for each line; ``"layout"`` by docling's models, which must be there.
        options: Fields of docling's ``PdfPipelineOptions`` (``"layout"``) or ``NativePdfPipelineOptions``.
        ocr: Recognise text in images of pages; ``None`` for what the options say.
        images: Keep the pixels of pictures, for a model that sees.
        tables: ``pdf="text"`` finds tables.
        password: Opens encrypted PDF.
        converter: A ``DocumentConverter`` of your own; then nothing above but ``pdf`` counts, and it runs in
            this process.
        limits: What may be read.
        here: Run docling in this process, without bounds of time and memory.

    Raises:
        SettingError: An option is not known, or has a value that it cannot have.
        MissingExtraError: A package is not installed.
    """

    def __init__(
        self,
        pdf: PDF,
        options: Mapping[str, Any],
        *,
        ocr: bool | None,
        images: bool,
        tables: bool,
        password: str | None,
        converter: Any,
        limits: Limits,
        here: bool = False,
    ) -> None:
        check_choice("pdf", pdf, ("text", "native", "layout"))
        self.pdf, self.images, self.password, self.limits = pdf, images, password, limits
        self.options = dict(options)
        if ocr is not None:
            self.options["do_ocr"] = ocr
        self._converter = converter
        self._here = here or converter is not None
        self._child: Child | None = None
        self._lock = threading.Lock()
        self.tables = tables
        self._reader: Any = None
        self._plain = pdf == "text" and converter is None
        if pdf == "text":
            if self.options and converter is None:
                msg = (
                    f"pdf='text' uses no docling pipeline, so pdf_pipeline_options and ocr have no meaning: "
                    f"got {', '.join(self.options)}. Set pdf='layout' or 'native', or leave them out."
                )
                raise SettingError(msg)
        elif converter is None:
            self.pipeline_options()

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the lock and what docling has loaded."""
        state = dict(self.__dict__)
        del state["_lock"]
        state["_reader"] = state["_child"] = None
        return state

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        """Make a new lock."""
        self.__dict__.update(state)
        self._lock = threading.Lock()

    def convert(self, given: Input) -> tuple[Any, str]:
        """Convert a file.

        Returns:
            The dictionary of a document, or text; and what kind of file it is.

        Raises:
            FileError: It cannot be converted; the message says why.
            MissingExtraError: docling is needed for it, and not installed.
        """
        kind = kind_of(given)
        checked(given, kind, self.limits)
        if kind == "txt":
            return _text(given), kind
        if kind == "json":
            text = _text(given)
            return as_docling(text) or text, kind
        if kind == "pdf" and self._plain:
            return self._own(given), kind
        if kind == "image" and self.pdf != "layout" and self._converter is None:
            reason = "it is an image: give pdf='layout', whose models recognise text"
            raise FileError(given.name, reason)
        if self._here:
            return self.with_docling(given.name, given.data, kind), kind
        return self._apart(given, kind), kind

    def _apart(self, given: Input, kind: str) -> Any:
        """Let a process of its own read it, which can be ended."""
        if find_spec("docling") is None:  # importing it is left to the other process
            need("docling", "docling", f"reading {kind.upper()}")
        with self._lock:
            if self._child is None:
                other = copy.copy(self)
                other._here = True
                limits = self.limits
                self._child = Child(
                    other.with_docling, limits.seconds, limits.memory, other.converter
                )
            child = self._child
        try:
            return child.call(given.name, given.data, kind)
        except ChildError as error:
            reason = str(error).removeprefix(f"{given.name}: ")
            raise FileError(given.name, reason) from error

    def _own(self, given: Input) -> Any:
        if self._reader is None:
            from langchain_chunkers.integrations.pdf import PDFReader

            self._reader = PDFReader(self.limits.pages, tables=self.tables, password=self.password)
        try:
            return self._reader.read(given.data, given.name.replace("\\", "/"))
        except ChunkerError:
            raise
        except Exception as error:  # whatever a damaged file brings about, the run goes on
            reason = f"it cannot be read: {type(error).__name__}: {str(error)[:200]}"
            raise FileError(given.name, reason) from error

    def with_docling(self, name: str, data: bytes, kind: str) -> Any:
        """Convert a file in this process.

        Args:
            name: How messages name it.
            data: Its bytes.
            kind: What it is, as `kind_of` says.
        """
        need("docling.document_converter", "docling", f"reading {kind.upper()}")
        from docling.datamodel.base_models import DocumentStream

        last = name.replace("\\", "/").partition("?")[0].rpartition("/")[2] or "document"
        ending = _ENDINGS.get(kind, kind)
        if not last.lower().endswith(f".{ending}") and kind != "image":
            last = (
                f"{last.rpartition('.')[0] or last}.{ending}"  # what it is, not what it is called
            )
        stream = DocumentStream(name=last, stream=io.BytesIO(data))
        try:
            result = self.converter().convert(
                stream, max_num_pages=self.limits.pages, max_file_size=self.limits.file
            )
            document: Any = result.document.export_to_dict()
        except Exception as error:  # docling's backends raise whatever their libraries do
            raise FileError(name, _reason(error, kind)) from error
        return document

    def converter(self) -> Any:
        """Give docling's converter; it is made at its first use, and kept."""
        with self._lock:
            if self._converter is None:
                need("docling.document_converter", "docling", "DoclingParser")
                from docling import document_converter as docling
                from docling.datamodel.base_models import InputFormat

                formats: dict[Any, Any] = {}
                if self.pdf == "native":
                    formats[InputFormat.PDF] = docling.NativePdfFormatOption(
                        pipeline_options=self.pipeline_options()
                    )
                elif self.pdf == "layout":
                    options = self.pipeline_options()
                    formats[InputFormat.PDF] = docling.PdfFormatOption(pipeline_options=options)
                    formats[InputFormat.IMAGE] = docling.ImageFormatOption(pipeline_options=options)
                self._converter = docling.DocumentConverter(format_options=formats)
            return self._converter

    def pipeline_options(self) -> Any:
        """Make docling's options, and check them.

        Raises:
            SettingError: A name is not known, or a value is wrong.
        """
        module = need("docling.datamodel.pipeline_options", "docling", f"pdf={self.pdf!r}")
        native = self.pdf == "native"
        kind = module.NativePdfPipelineOptions if native else module.PdfPipelineOptions
        options = dict(self.options)
        if native and options.pop("do_ocr", None):
            msg = "pdf='native' recognises no text: ocr=True needs pdf='layout'."
            raise SettingError(msg)
        if self.images:
            options.setdefault("generate_picture_images", True)
            options.setdefault("images_scale", 2.0)
        return _made(kind, options, "pdf_pipeline_options")


def _made(kind: Any, options: Mapping[str, Any], name: str) -> Any:
    """Make a model of pydantic, and those inside it; a name that none of them knows is an error.

    docling declares a base class for what may be of several kinds, and drops what that does not know.
    """
    unknown = options.keys() - kind.model_fields.keys()
    if unknown:
        msg = (
            f"{name} has no {', '.join(sorted(map(repr, unknown)))}. Options of "
            f"{kind.__name__} are: {', '.join(sorted(kind.model_fields))}."
        )
        raise SettingError(msg)
    values = dict(options)
    for key, value in options.items():
        default = kind.model_fields[key].get_default(call_default_factory=True)
        if isinstance(value, Mapping) and hasattr(default, "model_fields_set"):
            inner, rest = type(default), dict(value)
            if "kind" not in inner.model_fields and (wanted := rest.pop("kind", None)) is not None:
                inner = _of_kind(kind.model_fields[key].annotation, wanted, f"{name}[{key!r}]")
            values[key] = _made(inner, rest, f"{name}[{key!r}]")
    try:
        return kind(**values)
    except ValueError as error:  # pydantic's ValidationError is one
        msg = f"{name} cannot be used: {error}"
        raise SettingError(msg) from error


def _of_kind(base: Any, wanted: Any, name: str) -> Any:
    kinds = {getattr(base, "kind", None): base}
    found = [base]
    while found:
        for inner in found.pop().__subclasses__():
            kinds.setdefault(getattr(inner, "kind", None), inner)
            found.append(inner)
    if wanted not in kinds:
        known = ", ".join(sorted(repr(kind) for kind in kinds if kind))
        msg = f"{name}['kind'] must be one of {known}: got {wanted!r}."
        raise SettingError(msg)
    return kinds[wanted]


def _text(given: Input) -> str:
    data = given.data
    for mark, encoding in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        reason = (
            f"it is not UTF-8 (byte 0x{data[error.start]:02x} at {error.start}): save it as UTF-8"
        )
        raise FileError(given.name, reason) from error


def _reason(error: Exception, kind: str) -> str:
    """Say what went wrong, without the file's temporary name and without the trace."""
    text = " ".join(str(error).split())
    lowered = text.lower()
    if "password" in lowered or "encrypt" in lowered:
        return "it is encrypted"
    if "localentrynotfound" in type(error).__name__.lower() or "localentrynotfound" in lowered:
        return "docling's models are not there: fetch them (docling-tools models download), or use pdf='text'"
    if "no module named 'torch'" in lowered:
        return "pdf='layout' needs torch: pip install 'docling', or use pdf='text'"
    if "format not allowed" in lowered:
        return f"docling reads no such {kind.upper()}"
    cause: BaseException = error
    while cause.__cause__ is not None:
        cause = cause.__cause__
    if cause is not error:
        text = f"{type(cause).__name__}: {' '.join(str(cause).split())}"
    return f"docling cannot read it as {kind.upper()}: {_WRAPPED.sub('', text)[:300]}"
