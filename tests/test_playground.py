"""The playground: what it shows, and whom it answers."""

from __future__ import annotations

import http.client
import threading
from urllib.parse import urlencode

import pytest
from typer.testing import CliRunner

from langchain_chunkers.cli.app import app
from langchain_chunkers.view.playground import Playground, answer, page

pytestmark = pytest.mark.enable_socket  # both ends are of this process


@pytest.fixture(scope="module")
def port():
    import pytest_socket

    pytest_socket.enable_socket()
    with Playground() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_port
        server.shutdown()


def ask(port, method="GET", path="/", fields=None, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    body = urlencode(fields) if fields is not None else None
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    if fields is not None:
        headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
    connection.request(method, path, body, headers)
    response = connection.getresponse()
    found = response.status, response.read().decode()
    connection.close()
    return found


FIELDS = {
    "text": "One is here. Two is here.",
    "splitter": "sentence",
    "size": "15",
    "overlap": "0",
    "unit": "characters",
}


def test_it_splits_what_it_is_sent(port):
    code, html = ask(port)
    assert code == 200
    assert "<option>recursive</option>" in html
    code, html = ask(port, "POST", "/view", FIELDS)
    assert code == 200
    assert "2 chunks" in html
    code, html = ask(port, "POST", "/view", {**FIELDS, "beside": "fixed"})
    assert html.count("<ol") == 2


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:80"},
        {"Origin": "http://evil.example"},
        {"Sec_Fetch_Site": "cross-site"},
    ],
)
def test_it_answers_no_other_site(port, headers):
    assert ask(port, **headers)[0] == 403
    assert ask(port, "POST", "/view", FIELDS, **headers)[0] == 403


def test_it_answers_nothing_else(port):
    assert ask(port, path="/etc/passwd")[0] == 403
    assert ask(port, "POST", "/other", FIELDS)[0] == 403
    assert ask(port, "POST", "/view", None)[0] == 403


@pytest.mark.parametrize("length", ["x", "-1", "1.5", "9" * 40, "²"])
def test_a_wrong_length_is_refused(port, length):
    assert ask(port, "POST", "/view", None, Content_Length=length)[0] == 403


def test_it_listens_to_this_machine_only():
    with Playground() as server:
        assert server.server_address[0] == "127.0.0.1"


@pytest.mark.parametrize(
    "name", ["recursive", "sentence", "paragraph", "markdown", "token", "fixed"]
)
@pytest.mark.parametrize("unit", ["characters", "cl100k_base"])
def test_every_choice_of_the_form_works(name, unit):
    html = answer(
        {
            "text": "# A\n\nOne. Two. 三。",
            "splitter": name,
            "unit": unit,
            "size": "20",
            "overlap": "9",
        }
    )
    assert "<ol" in html


def test_wrong_settings_are_a_line_of_text():
    assert "<p>" in answer({"text": "a", "splitter": "none<script>"})
    assert "<script>" not in answer({"text": "a", "splitter": "none<script>"})
    assert "<p>" in answer({"text": "a", "size": "x"})


def test_the_text_can_do_nothing():
    html = answer(
        {"text": "</textarea><script>alert(1)</script>", "splitter": "fixed", "size": "300"}
    )
    assert "<script>alert" not in html
    assert "default-src 'none'" in page()


def test_a_port_that_is_taken_is_said(port):
    result = CliRunner().invoke(app, ["playground", "--port", str(port), "--no-open"])
    assert result.exit_code == 1
    assert f"port {port} cannot be used" in result.stderr
