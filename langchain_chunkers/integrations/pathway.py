"""Splitters in Pathway's live pipelines.

`as_udf` makes a column function of a splitter. It takes what Pathway's own splitters take, a text or a
pair of text and metadata, and gives what they give: a list of pairs. So it stands wherever they do: in
``select``, in ``DocumentStore`` and ``VectorStoreServer``, and in YAML templates.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain_chunkers._extras import need
from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.errors import InputError, SettingError
from langchain_chunkers.settings import check_size, setting_names

__all__ = ["as_udf", "split_pair"]

Pairs = list[tuple[str, dict[str, Any]]]


def split_pair(splitter: BaseSplitter, inputs: Any, overrides: Mapping[str, Any]) -> Pairs:
    """Split what a column holds.

    Args:
        splitter: Any splitter of this package.
        inputs: A text, or a pair of a text and metadata: a dictionary, a ``pw.Json`` of one, or ``None``.
        overrides: Settings for this row.

    Returns:
        Pairs of a chunk and a copy of the metadata, with what the splitter knows.

    Raises:
        InputError: It is neither.

    Example:
        >>> from langchain_chunkers import SentenceSplitter
        >>> split_pair(SentenceSplitter(20), ("It failed. It was old.", {"page": 3}), {})
        [('It failed.', {'page': 3}), ('It was old.', {'page': 3})]
    """
    given = (inputs, {}) if isinstance(inputs, str) else inputs
    if not isinstance(given, tuple | list) or len(given) != 2:
        msg = (
            f"A column of texts, or of pairs of a text and metadata, is split: got {inputs!r:.80}."
        )
        raise InputError(msg)
    return splitter(tuple(given), **overrides)


def as_udf(
    splitter: Any,
    *,
    deterministic: bool = True,
    batch_size: int | None = None,
    executor: Any = None,
    cache_strategy: Any = None,
) -> Any:
    """Make a ``pw.UDF`` of a splitter.

    Call it with a column of texts, or of pairs (``pw.make_tuple(pw.this.text, pw.this.metadata)``), and
    with settings as constants or columns: ``chunks(pw.this.text, chunk_size=pw.this.size)``. The result
    is a column of lists of pairs; ``flatten`` makes rows of it.

    Args:
        splitter: Any splitter of this package.
        deterministic: Whether Pathway may call it again rather than keep its results. Say ``False``
            for splitters that ask a chat model: a retraction must give what was given before.
        batch_size: Rows that Pathway may hand over at once; ``None`` for one by one. Splitting gains
            nothing by it; embedding models do.
        executor: Where it runs, such as ``pw.udfs.async_executor(capacity=8)`` for splitters that ask
            a model over the network.
        cache_strategy: Such as ``pw.udfs.DiskCache()``.

    Returns:
        The UDF; its ``splitter`` is the splitter.

    Raises:
        MissingExtraError: Pathway is not installed.
        InputError: It is no splitter of this package.
        SettingError: Where it is called with an unknown setting: at once, not when rows arrive.

    Cost: that of the splitter; Pathway updates whole documents, so an edited one is split whole.
    """
    if not isinstance(splitter, BaseSplitter):
        msg = f"as_udf takes a splitter of this package: got {type(splitter).__name__}."
        raise InputError(msg)
    if batch_size is not None:
        check_size("batch_size", batch_size, "rows")
    pw = need("pathway", "pathway", "as_udf")
    known = setting_names(type(splitter))
    options: dict[str, Any] = {"deterministic": deterministic, "cache_strategy": cache_strategy}
    if executor is not None:
        options["executor"] = executor
    if batch_size is not None:
        options["max_batch_size"] = batch_size

    class SplitterUDF(pw.UDF):  # type: ignore[misc, name-defined]
        """A splitter as a column function."""

        def __init__(self) -> None:
            self.splitter = splitter
            self.kwargs: dict[str, Any] = {}  # what Pathway's own splitters have
            super().__init__(**options)

        def __call__(self, text: Any, **overrides: Any) -> Any:
            unknown = sorted(set(overrides) - set(known))
            if unknown:
                msg = (
                    f"{type(splitter).__name__} has no setting {unknown[0]!r}. "
                    f"Settings are: {', '.join(sorted(known))}."
                )
                raise SettingError(msg)
            return super().__call__(text, **overrides)

    if batch_size is None:

        def one(self: Any, inputs: Any, **overrides: Any) -> list[tuple[str, dict]]:  # type: ignore[type-arg]
            return split_pair(self.splitter, inputs, overrides)

        SplitterUDF.__wrapped__ = one
    else:

        def many(self: Any, inputs: list, **overrides: Any) -> list[list[tuple[str, dict]]]:  # type: ignore[type-arg]
            return [
                split_pair(self.splitter, each, {k: v[row] for k, v in overrides.items()})
                for row, each in enumerate(inputs)
            ]

        SplitterUDF.__wrapped__ = many
    return SplitterUDF()
