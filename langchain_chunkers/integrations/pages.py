"""Pages of loaders made into one text: a sentence over a page break is one sentence.

Loaders such as `PyPDFLoader` give a document for each page, or text with form feeds. Split page by
page, sentences are cut at each break, and every page repeats its header. `JoinPages` makes one document
of the pages of a source; `MarkPages` says behind the splitter on which pages each chunk stands.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from langchain_core.documents import BaseDocumentTransformer, Document

from langchain_chunkers.errors import InputError
from langchain_chunkers.integrations.pdf_blocks import join_lines

__all__ = ["JoinPages", "MarkPages", "split_pages"]

_EDGE = 3  # lines at each end of a page that may be a running header or footer
_NUMBER = re.compile(
    r"\W*(?:(?:page|p\.|seite|página|pagina|стр\.?|页|頁|第)\s*)?"
    r"(?:\d{1,4}|[ivxlc]{1,7})(?:\s*(?:of|von|de|из|/|共)\s*\d{1,4})?\s*[页頁]?\W*",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_BROKEN = re.compile("([^\\W\\d_]*[-\u00ad\u2010])[ \t]*\n[ \t]*(?=[^\\W\\d_])")
_ENDS = re.compile("[.!?:;。！？：；…।؟۔][\"'”’」』）)\\]]*$")
_ITEM = re.compile(r"[-*+•–#>|]|\(?[A-Za-z0-9]{1,3}[.)]\s")
_STARTS, _LABELS, _REMOVED = "page_starts", "page_labels", "removed_lines"


class _Page(NamedTuple):
    """A page: what it is called, its text, and the lines that were taken out."""

    label: Any
    text: str
    removed: tuple[str, ...] = ()


class JoinPages(BaseDocumentTransformer):
    """Makes one document of the pages of each source.

    Running headers, footers and page numbers go, words that a line or a page break parted are whole again,
    and a sentence that goes on over a break goes on. Metadata that all pages share stays; of each page
    its start in the text and its label are kept, for `MarkPages`, and every line taken out is named in
    ``metadata["removed_lines"]``: nothing is lost silently.

    Args:
        source_key: The key of the metadata that says which document a page is of. Pages without it are
            of one document.
        page_key: The key that says which page it is; the order of pages is that in which they come.
        running: Whether to remove running headers, footers and page numbers: lines at the edge of
            pages that are the same, numbers aside, on at least three pages and a third of them.
        hyphens: Whether to join words parted at line ends. A hyphen stays where the document has the
            word with it elsewhere.

    Guarantees: without ``running`` and ``hyphens`` no character goes but white space at page breaks.

    Cost: linear; all pages of a call are held.

    Example:
        >>> pages = [
        ...     Document(page_content="The pump was re-", metadata={"source": "a", "page": 1}),
        ...     Document(page_content="placed. It works.", metadata={"source": "a", "page": 2}),
        ... ]
        >>> (whole,) = JoinPages().transform_documents(pages)
        >>> whole.page_content
        'The pump was replaced. It works.'
    """

    def __init__(
        self,
        source_key: str = "source",
        page_key: str = "page",
        *,
        running: bool = True,
        hyphens: bool = True,
    ) -> None:
        self._source_key, self._page_key = source_key, page_key
        self._running, self._hyphens = running, hyphens

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> list[Document]:
        """Join the pages of each source; sources in the order of their first page."""
        if kwargs:
            msg = f"JoinPages takes no arguments here: got {', '.join(kwargs)}."
            raise InputError(msg)
        groups: dict[str, list[Document]] = {}
        for document in documents:
            groups.setdefault(str(document.metadata.get(self._source_key, "")), []).append(document)
        return [self._joined(group) for group in groups.values()]

    def _joined(self, documents: Sequence[Document]) -> Document:
        pages = list(self._pages(documents))
        if self._running:
            pages = _without_running(pages)
        words = _words(page.text for page in pages) if self._hyphens else frozenset()
        text, starts = "", []
        for page in pages:
            own = _whole(page.text, words) if self._hyphens else page.text
            text, start = _join(text, own.strip(), words, hyphens=self._hyphens)
            starts.append(start)
        metadata = _shared(documents)
        metadata.pop(self._page_key, None)
        metadata |= {_STARTS: starts, _LABELS: [page.label for page in pages]}
        removed = [[page.label, line] for page in pages for line in page.removed]
        if removed:
            metadata[_REMOVED] = removed
        ids = {document.id for document in documents}
        return Document(
            page_content=text, metadata=metadata, id=ids.pop() if len(ids) == 1 else None
        )

    def _pages(self, documents: Sequence[Document]) -> Iterator[_Page]:
        """Give the pages; a form feed begins one too."""
        for number, document in enumerate(documents):
            label = document.metadata.get(self._page_key, number)
            parts = document.page_content.split("\f")
            if len(parts) == 1:
                yield _Page(label, parts[0])
                continue
            first = label if isinstance(label, int) and self._page_key in document.metadata else 1
            for offset, part in enumerate(parts[:-1] if not parts[-1].strip() else parts):
                yield _Page(first + offset, part)


class MarkPages(BaseDocumentTransformer):
    """Says on which pages chunks stand, by their offsets.

    Goes behind a splitter with ``add_start_index=True`` that was given documents of `JoinPages`. Each
    chunk gets ``page``, the label of its first page, and ``pages`` where it stands on several.

    Args:
        page_key: The key for the first page; ``pages`` is that with an ``s``.

    Raises:
        InputError: A chunk has no ``start_index`` and ``end_index``.
    """

    def __init__(self, page_key: str = "page") -> None:
        self._page_key = page_key

    def transform_documents(self, documents: Sequence[Document], **_: Any) -> list[Document]:
        """Give the chunks with their pages; those of other documents as they are."""
        return [self._marked(document) for document in documents]

    def _marked(self, chunk: Document) -> Document:
        known = chunk.metadata
        if _STARTS not in known:
            return chunk
        if "start_index" not in known or "end_index" not in known:
            msg = (
                "MarkPages needs chunks with offsets: make the splitter with add_start_index=True."
            )
            raise InputError(msg)
        start, end = known["start_index"], max(known["end_index"], known["start_index"] + 1)
        edges = [*known[_STARTS][1:], end + 1]
        on = [
            label
            for first, last, label in zip(known[_STARTS], edges, known[_LABELS], strict=True)
            if first < end and start < last and first != last
        ]
        kept = {k: v for k, v in known.items() if k not in (_STARTS, _LABELS, _REMOVED)}
        kept |= {self._page_key: on[0]} if on else {}
        kept |= {f"{self._page_key}s": on} if len(on) > 1 else {}
        return Document(page_content=chunk.page_content, metadata=kept, id=chunk.id)


def split_pages(splitter: Any, pages: Iterable[Document], **options: Any) -> list[Document]:
    """Join pages, split what they are, and mark the pages of each chunk.

    Args:
        splitter: Any splitter of this package.
        pages: Documents of pages, as loaders give them.
        **options: Of `JoinPages`.

    Returns:
        The chunks; their offsets are those of the joined text.

    Example:
        >>> from langchain_chunkers import SentenceSplitter
        >>> pages = [
        ...     Document(page_content="One is here. Two goes", metadata={"source": "a", "page": 7}),
        ...     Document(page_content="on here. Three.", metadata={"source": "a", "page": 8}),
        ... ]
        >>> for chunk in split_pages(SentenceSplitter(None), pages):
        ...     print(chunk.page_content, chunk.metadata["page"], chunk.metadata.get("pages"))
        One is here. 7 None
        Two goes on here. 7 [7, 8]
        Three. 8 None
    """
    joined = JoinPages(**options)
    chunks = splitter.split_documents(joined.transform_documents(list(pages)), add_start_index=True)
    return MarkPages(joined._page_key).transform_documents(chunks)


def _shared(documents: Sequence[Document]) -> dict[str, Any]:
    """Give the metadata that all pages share."""
    first: Mapping[str, Any] = documents[0].metadata
    others = [document.metadata for document in documents[1:]]
    return {
        key: value
        for key, value in first.items()
        if all(key in other and other[key] == value for other in others)
    }


def _words(texts: Iterable[str]) -> frozenset[str]:
    """Collect the words of a document that no line end parts."""
    words: set[str] = set()
    for text in texts:
        for found in _WORD.findall(_BROKEN.sub(" ", text)):
            words.add(found.lower())
            words.update(found.lower().split("-"))
    return frozenset(words)


def _whole(text: str, words: frozenset[str]) -> str:
    """Join the words that line ends part."""
    parts, at = [], 0
    for found in _BROKEN.finditer(text):
        after = _WORD.match(text, found.end())
        head = after.group() if after else text[found.end()]
        # a list item or a heading with a dash at its end is no parted word
        if found.group(1)[:-1]:
            joined = join_lines(found.group(1), head, words)
            parts += [text[at : found.start()], joined[: len(joined) - len(head)]]
            at = found.end()
    return "".join([*parts, text[at:]])


def _join(text: str, page: str, words: frozenset[str], *, hyphens: bool) -> tuple[str, int]:
    """Put a page behind what there is; give the text and where the page begins in it."""
    if not text or not page:
        return text + page, len(text)
    first, last = page.split("\n", 1)[0], text.rsplit("\n", 1)[-1]
    goes_on = not _ENDS.search(last.rstrip()) and not _ITEM.match(first)
    if not goes_on or not (first[0].islower() or first[0] > "\u2e80" or last[-1] in ",-\u00ad，、"):
        return f"{text}\n\n{page}", len(text) + 2
    if not hyphens and last[-1] in "-\u00ad\u2010":
        return f"{text}\n{page}", len(text) + 1
    tail = text.rpartition("\n")[2]
    joined = join_lines(tail, page, words)
    whole = text[: len(text) - len(tail)] + joined
    return whole, len(whole) - len(page)


def _without_running(pages: Sequence[_Page]) -> list[_Page]:
    """Take out running headers, footers and page numbers."""
    edges = [_edge_lines(page.text) for page in pages]
    counted = Counter(key for found in edges for key in {key for _, key in found})
    enough = max(3, -(-len(pages) // 3))
    cleaned = []
    for page, found in zip(pages, edges, strict=True):
        lines = page.text.split("\n")
        gone: set[int] = set()
        for top in (
            True,
            False,
        ):  # from the edge inwards, up to the first line that is the page's own
            for number, key in sorted(f for f in found if f[1][0] is top)[:: 1 if top else -1]:
                if counted[key] < enough:
                    break
                gone.add(number)
        removed = tuple(lines[number].strip() for number in sorted(gone))
        left = "\n".join(line for number, line in enumerate(lines) if number not in gone)
        cleaned.append(_Page(page.label, left, removed))
    return cleaned


def _edge_lines(text: str) -> list[tuple[int, tuple[bool, str]]]:
    """List the numbers of the lines at the edges of a page, each with what it is like."""
    lines = text.split("\n")
    filled = [number for number, line in enumerate(lines) if line.strip()]
    if len(filled) <= _EDGE:  # a page of a few lines is all edge: only numbers are running there
        near = [n for n in filled if _NUMBER.fullmatch(lines[n].strip())]
        return [(n, (n == filled[0], "#")) for n in near]
    found = []
    for top, some in ((True, filled[:_EDGE]), (False, filled[-_EDGE:])):
        for number in some:
            line = " ".join(lines[number].split())
            like = "#" if _NUMBER.fullmatch(line) else _DIGITS.sub("#", line).casefold()
            found.append((number, (top, like)))
    return found
