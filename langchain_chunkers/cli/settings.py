"""Makes the splitter that the options and the configuration file describe.

What is said on the command line wins over the file. Every mistake is a `SettingError` (or another
`ChunkerError`) of one line, raised before any file is touched.
"""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from langchain_chunkers._extras import need
from langchain_chunkers.config import splitter_class
from langchain_chunkers.errors import ChunkerError, SettingError
from langchain_chunkers.files import reason_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langchain_chunkers import BaseSplitter

CHARACTERS = "characters"
DEFAULT_SPLITTER = "recursive"


@dataclass(frozen=True)
class Wishes:
    """What the command line said; None where it said nothing."""

    splitter: str | None = None
    chunk_size: int | None = None
    overlap: int | None = None
    min_chunk_size: int | None = None
    tokenizer: str | None = None
    config: Path | None = None
    options: Sequence[str] = field(default_factory=tuple)


def make_splitter(wishes: Wishes) -> BaseSplitter:
    """Make the splitter; its chunks will carry `start_index` and `end_index`.

    Raises:
        ChunkerError: a setting, the file or the tokenizer cannot be used.
    """
    settings = {} if wishes.config is None else read_config(wishes.config)
    name = settings.pop("splitter", DEFAULT_SPLITTER)
    tokenizer = settings.pop("tokenizer", None)
    kind = splitter_class(str(wishes.splitter or name))
    tokenizer = wishes.tokenizer or tokenizer
    said = _said(wishes)
    if "chunk_size" in said:
        settings.pop("max_tokens", None)  # the token splitter's name for the same
    settings.update(said)
    settings["add_start_index"] = True
    try:
        return _build(kind, tokenizer, settings)
    except ChunkerError:
        raise
    except (TypeError, ValueError, OSError) as error:  # OSError: a tokenizer's file
        raise SettingError(str(error)) from error


def _build(
    kind: type[BaseSplitter], tokenizer: str | None, settings: dict[str, Any]
) -> BaseSplitter:
    if tokenizer is None:
        return kind.from_config(settings)
    settings.pop("length_function", None)  # what the file counted
    if tokenizer == CHARACTERS:
        return kind.from_config({"length_function": CHARACTERS, **settings})
    encoding = find_encoding(tokenizer)
    if encoding is not None:
        return kind.from_tiktoken_encoder(encoding_name=encoding, **settings)
    return kind.from_huggingface_tokenizer(load_tokenizer(tokenizer), **settings)


def _said(wishes: Wishes) -> dict[str, Any]:
    options = dict(map(parse_option, wishes.options))
    flags = {
        "chunk_size": wishes.chunk_size,
        "chunk_overlap": wishes.overlap,
        "min_chunk_size": wishes.min_chunk_size,
    }
    for name, value in flags.items():
        if value is None:
            continue
        if name in options:
            raise SettingError(f"{name} is given twice: by its own option and by --option")
        options[name] = value
    return options


def find_encoding(name: str) -> str | None:
    """Find the tiktoken encoding that has this name or belongs to the model of this name."""
    import tiktoken

    if name in tiktoken.list_encoding_names():
        return name
    try:
        return tiktoken.encoding_name_for_model(name)
    except KeyError:
        return None


def load_tokenizer(name: str) -> Any:
    """Load a Hugging Face tokenizer from a tokenizer.json or the folder of a model.

    Raises:
        SettingError: there is no tokenizer in it, or nothing of this name.
        MissingExtraError: the package that reads it is not installed.
    """
    path = Path(name)
    if not path.exists():
        raise SettingError(_unknown_tokenizer(name))
    file = path / "tokenizer.json" if path.is_dir() else path
    if path.is_dir() and not file.exists():
        return _load_pretrained(path)
    tokenizers = need("tokenizers", "huggingface", f"the tokenizer {file}")
    try:
        return tokenizers.Tokenizer.from_file(str(file))
    except Exception as error:  # the native reader raises nothing narrower
        raise SettingError(f"tokenizer {file} cannot be read: {error}") from error


def _load_pretrained(folder: Path) -> Any:
    """Load a tokenizer without a tokenizer.json: a vocab.txt, a sentencepiece model."""
    transformers = need("transformers", "transformers", f"{folder}, which has no tokenizer.json,")
    try:
        return transformers.AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
    except (OSError, ValueError, KeyError) as error:
        reason = str(error).partition("\n")[0]
        raise SettingError(f"{folder} has no tokenizer that can be read: {reason}") from error


def read_config(path: Path) -> dict[str, Any]:
    """Read the settings in a YAML or JSON file: the names and values that `to_config` gives.

    Raises:
        SettingError: it cannot be read, or is not a mapping of names to values.
    """
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeError) as error:
        reason = reason_of(error) if isinstance(error, OSError) else error
        raise SettingError(f"config {path} cannot be read: {reason}") from error
    try:
        found = json.loads(text) if path.suffix.lower() == ".json" else _from_yaml(text)
    except ValueError as error:
        raise SettingError(f"config {path} cannot be read: {error}") from error
    if found is None:
        return {}
    if not isinstance(found, dict):
        kind = type(found).__name__
        raise SettingError(f"config {path} must be names and values, one a line: got a {kind}")
    return {str(name).replace("-", "_"): value for name, value in found.items()}


def parse_option(option: str) -> tuple[str, Any]:
    """Read `name=value`, the value as YAML: `5`, `true`, `null`, `text`, `[a, b]`.

    Raises:
        SettingError: it has no `=`, or the value is no YAML.
    """
    name, equals, value = option.partition("=")
    name = name.strip().replace("-", "_")
    if not equals or not name:
        raise SettingError(f"--option must be name=value: got {option!r}")
    try:
        return name, _from_yaml(value)
    except ValueError as error:
        raise SettingError(f"the value of --option {name} cannot be read: {error}") from error


def _from_yaml(text: str) -> Any:
    """Read YAML; a mistake is a `ValueError` of one line, with the place."""
    yaml = need("yaml", "cli", "reading settings")
    try:
        return yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        raise ValueError(f"{error.problem}{where}") from error
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from error


def _unknown_tokenizer(name: str) -> str:
    import tiktoken

    encodings = [CHARACTERS, *tiktoken.list_encoding_names()]
    near = difflib.get_close_matches(name, [*encodings, *tiktoken.model.MODEL_TO_ENCODING], n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    return (
        f"unknown tokenizer {name!r}.{hint} Known: {', '.join(encodings)}, models such as gpt-4o, "
        "and the path of a tokenizer.json or of its folder."
    )
