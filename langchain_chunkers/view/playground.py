"""A page to try splitters on: paste a text, move the sliders, see the chunks.

Served by the standard library, to this machine only: it listens on 127.0.0.1, and answers nobody who
calls it by another name, so that no page of the web can reach it through a name of its own (DNS
rebinding). What it is sent is split and forgotten.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from importlib.util import find_spec
from string import Template
from typing import Any
from urllib.parse import parse_qs

from langchain_chunkers.config import splitter_class
from langchain_chunkers.errors import ChunkerError
from langchain_chunkers.view.make import view
from langchain_chunkers.view.safe import as_html

__all__ = ["Playground", "answer", "page"]

_SPLITTERS = ("recursive", "sentence", "paragraph", "markdown", "token", "fixed")
_NEEDS = {"markdown": "pyromark"}
_ENCODINGS = ("cl100k_base", "o200k_base")
_MOST = (
    20_000_000  # bytes of a request: a text of five megabytes, each character written as %XX%XX%XX
)
_SAMPLE = """# The pump

The pump in the basement failed in May. It was old; nobody knew how old. The crew came within an hour.

## Repair

Turn it off first. Then wait. Then open the lid with the small key. 备用水泵没有坏，我们昨天就用上了它。
"""


def page() -> str:
    """Give the page with the form."""
    style, script = _file("playground.css"), _file("playground.js")
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "frame-src 'self'; form-action 'self'; base-uri 'none'"
    )
    names = [name for name in _SPLITTERS if name not in _NEEDS or find_spec(_NEEDS[name])]
    return Template(_file("playground.html")).substitute(
        policy=policy,
        style=style,
        script=script,
        splitters="".join(f"<option>{name}</option>" for name in names),
        encodings="".join(f"<option>{name}</option>" for name in _ENCODINGS),
        sample=as_html(_SAMPLE),
    )


def answer(asked: Mapping[str, str]) -> str:
    """Split what the form sent, and give the page with the chunks; a wrong setting as a line of text.

    Args:
        asked: ``text``, ``splitter``, ``beside``, ``unit``, ``size`` and ``overlap``, all strings.
    """
    try:
        names = list(
            dict.fromkeys(name for key in ("splitter", "beside") if (name := asked.get(key)))
        )
        splitters = {name: _splitter(name, asked) for name in names or ["recursive"]}
        return view(splitters, asked.get("text", "").replace("\r\n", "\n"), title="Chunks").html
    except (ChunkerError, ValueError) as error:
        return f'<!doctype html><meta charset="utf-8"><title>No</title><p>{as_html(str(error))}</p>'


def _splitter(name: str, asked: Mapping[str, str]) -> Any:
    size, overlap = int(asked.get("size", 300)), int(asked.get("overlap", 0))
    unit = asked.get("unit", "characters")
    settings: dict[str, Any] = {"chunk_size": size, "chunk_overlap": min(overlap, size // 2)}
    kind = splitter_class(name)
    if name == "token":
        settings = {"max_tokens": size, "min_tokens": min(50, size // 4)}
        unit = unit if unit in _ENCODINGS else _ENCODINGS[0]
    if unit in _ENCODINGS:
        return kind.from_tiktoken_encoder(unit, **settings)
    return kind(**settings)


def _file(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(content: str) -> str:
    digest = hashlib.sha256(content.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


class Playground(ThreadingHTTPServer):
    """The server, on 127.0.0.1 and no other address.

    Args:
        port: Its port; 0 for one that is free.

    Raises:
        OSError: The port is taken.
    """

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://127.0.0.1:{self.server_port}/"


class _Handler(BaseHTTPRequestHandler):
    server: Playground

    def do_GET(self) -> None:
        if self._is_ours() and self.path == "/":
            self._send(200, page())
        else:
            self._refuse()

    def do_POST(self) -> None:
        stated = self.headers.get("Content-Length") or ""
        length = int(stated) if stated.isascii() and stated.isdigit() and len(stated) < 20 else 0
        if not self._is_ours() or self.path != "/view" or not 0 < length <= _MOST:
            self.close_connection = True  # what it sent is not read
            self._refuse()
            return
        body = self.rfile.read(length).decode("utf-8", "replace")
        sent = parse_qs(body, keep_blank_values=True, encoding="utf-8", errors="replace")
        self._send(200, answer({name: values[-1] for name, values in sent.items()}))

    def _is_ours(self) -> bool:
        """Say whether the caller named this machine, and is no page of another site."""
        names = {f"{host}:{self.server.server_port}" for host in ("127.0.0.1", "localhost")}
        origin = self.headers.get("Origin")
        allowed = {None, "null", *(f"http://{name}" for name in names)}
        return self.headers.get("Host") in names and (
            origin in allowed
            and self.headers.get("Sec-Fetch-Site") in (None, "same-origin", "none")
        )

    def _refuse(self) -> None:
        self._send(403, "<!doctype html><title>No</title><p>Not here.</p>")

    def _send(self, code: int, content: str) -> None:
        data = content.encode("utf-8", "replace")
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Say nothing: each move of a slider would be a line."""
