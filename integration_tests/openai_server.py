"""A server on this machine that speaks OpenAI's protocol: real clients talk to it over HTTP.

The answers are made here, so that each failure of a real server can be had at will. Embeddings are
real ones, of the small model whose weights come with the ``semantic`` extra.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any

Answer = Callable[["_Handler", dict[str, Any]], None]


class Server:
    """What a test sees: where the server is, what it was asked, and what it answers next.

    Attributes:
        url: The address for ``base_url``.
        requests: Bodies of all requests to the chat endpoint, in order of arrival.
        script: Answers for the next requests, the first one first; then ``otherwise``.
    """

    def __init__(self, otherwise: Answer) -> None:
        self.otherwise = otherwise
        self.script: list[Answer] = []
        self.requests: list[dict[str, Any]] = []
        self.embedded: list[list[str]] = []
        self.url = ""
        self._lock = Lock()

    def next_answer(self, request: dict[str, Any]) -> Answer:
        with self._lock:
            self.requests.append(request)
            return self.script.pop(0) if self.script else self.otherwise


def says(text: str, **message: Any) -> Answer:
    """Answer with a message, whole or as a stream."""

    def answer(handler: _Handler, request: dict[str, Any]) -> None:
        handler.send_json(_completion(request, text, message))

    return answer


def fails(status: int, kind: str = "server_error") -> Answer:
    """Answer with an error of HTTP."""

    def answer(handler: _Handler, _: dict[str, Any]) -> None:
        handler.send_json({"error": {"message": f"made to fail: {kind}", "type": kind}}, status)

    return answer


def sleeps(seconds: float) -> Answer:
    """Answer after the client has given up."""

    def answer(handler: _Handler, request: dict[str, Any]) -> None:
        time.sleep(seconds)
        handler.send_json(_completion(request, "too late", {}))

    return answer


def breaks_off(handler: _Handler, request: dict[str, Any]) -> None:
    """Promise a long answer, send half of it, and close the connection."""
    whole = json.dumps(_completion(request, "half of it", {})).encode()
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(whole)))
    handler.end_headers()
    handler.wfile.write(whole[: len(whole) // 2])
    handler.close_connection = True


def half_a_stream(handler: _Handler, request: dict[str, Any]) -> None:
    """Begin a stream of events and close the connection in the middle of one."""
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.end_headers()
    for part in ('{"topics": [', '{"start": 1}'):
        chunk = {
            "id": "c",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": request["model"],
            "choices": [{"index": 0, "delta": {"role": "assistant", "content": part}}],
        }
        handler.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
    handler.wfile.write(b'data: {"id": "c", "choi')
    handler.close_connection = True


def _completion(request: dict[str, Any], text: str, message: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": request["model"],
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": text, **message},
            }
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    state: Server
    embed: Callable[[list[str]], list[list[float]]]

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.endswith("/embeddings"):
            self._embeddings(request)
        elif self.path.endswith("/chat/completions"):
            self.state.next_answer(request)(self, request)
        else:
            self.send_json({"error": {"message": f"no such path: {self.path}"}}, 404)

    def _embeddings(self, request: dict[str, Any]) -> None:
        texts = request["input"] if isinstance(request["input"], list) else [request["input"]]
        self.state.embedded.append(texts)
        data = [
            {"object": "embedding", "index": index, "embedding": vector}
            for index, vector in enumerate(type(self).embed(texts))
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        self.send_json({"object": "list", "data": data, "model": request["model"], "usage": usage})

    def send_json(self, body: Any, status: int = 200) -> None:
        data = json.dumps(body).encode()
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client did not wait

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def serving(otherwise: Answer, embed: Callable[[list[str]], list[list[float]]]) -> Iterator[Server]:
    """Run a server on a free port of 127.0.0.1 while the block runs."""
    state = Server(otherwise)
    handler = type("Handler", (_Handler,), {"state": state, "embed": staticmethod(embed)})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
