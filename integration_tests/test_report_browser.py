"""The report of a comparison in a real browser; see `test_view_browser.py` for what is needed."""

from __future__ import annotations

import os
import shutil

import pytest
from playwright.sync_api import sync_playwright

from langchain_chunkers import FixedSizeSplitter, SentenceSplitter
from langchain_chunkers.evaluation import Question, compare
from tests.test_view import XSS

pytestmark = pytest.mark.service  # a browser that is not everywhere


@pytest.fixture(scope="module")
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox"] if os.geteuid() == 0 else [],
        )
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def comparison():
    text = "# Pumps\n\nThe pump failed. 水泵坏了。 المضخة معطلة. It was old. " + " ".join(XSS)
    evil = "<script>alert(1)</script>\"'>"
    questions = [
        Question(f"What failed? {evil}", evil, answers=("The pump failed.",)),
        Question("zzz", evil, answers=("It was old.",)),
    ]
    splitters = {evil: FixedSizeSplitter(40), "sentence": SentenceSplitter(60)}
    return compare(splitters, {evil: text}, questions, k=1, length_function=len)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_runs_loads_or_complains(chromium, comparison, tmp_path, scheme):
    told = []
    page = chromium.new_context(
        color_scheme=scheme, viewport={"width": 1200, "height": 900}
    ).new_page()
    page.on("console", lambda message: told.append(message.text))
    page.on("pageerror", lambda error: told.append(str(error)))
    page.on("dialog", lambda dialog: told.append(dialog.message))
    page.on(
        "request", lambda asked: told.append(asked.url) if "report.html" not in asked.url else 0
    )
    page.goto(comparison.save(tmp_path / "report.html").as_uri())
    for summary in page.locator("summary").all():
        summary.evaluate("element => element.parentElement.open = true")
    frame = page.frame_locator("iframe")
    assert frame.locator("ol").count() == 2
    assert page.locator("table tbody tr").count() == 2
    assert page.locator("svg").count() >= 4
    # nothing is wider than the window but what scrolls in its own box
    assert page.evaluate("document.documentElement.scrollWidth") <= 1200
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (scheme == "light")
    assert told == []


def test_the_keyboard_reaches_what_can_be_opened(chromium, comparison, tmp_path):
    page = chromium.new_page()
    page.goto(comparison.save(tmp_path / "report.html").as_uri())
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.tagName"))
    assert {"SUMMARY", "IFRAME", "DIV"} <= reached
    page.locator("summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("details[open]").count() == 1
