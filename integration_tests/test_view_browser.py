"""The viewer in a real browser: headless Chromium, driven by Playwright.

Debian's ``chromium`` is taken where it is installed, else the one that Playwright downloads
(``playwright install chromium``). CJK and Thai need fonts: ``fonts-noto-core fonts-noto-cjk``.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright

from langchain_chunkers import FixedSizeSplitter, MarkdownSplitter, RecursiveSplitter
from langchain_chunkers.view import View, view
from tests.test_view import XSS

pytestmark = pytest.mark.service  # a browser that is not everywhere

TEXT = (
    "# Pump\n\nThe pump is in the basement. It is old. Nobody knows how old it is.\n\n"
    "## Repair\n\nTurn it off first. Then wait. Then open the lid with the small key.\n\n"
)
SCRIPTS = (
    "水泵坏了。我们昨天修好了它，今天又坏了。\n\n"
    "المضخة معطلة. أصلحناها أمس، واليوم تعطلت مرة أخرى.\n\n"
    "המשאבה התקלקלה. תיקנו אותה אתמול.\n\nปั๊มเสียแล้ว เราซ่อมมันเมื่อวานนี้\n\n"
)


@pytest.fixture(scope="module")
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox"] if os.geteuid() == 0 else [],
        )
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium, tmp_path):
    """Open a view, and fail for anything said on the console, any dialog and any request."""
    told: list[str] = []
    contexts = []

    def open_(shown: View, **options) -> Page:
        context = chromium.new_context(viewport={"width": 1200, "height": 800}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: told.append(message.text))
        page.on("pageerror", lambda error: told.append(str(error)))
        page.on("dialog", lambda dialog: told.append(dialog.message))
        path = shown.save(tmp_path / "page.html")
        page.on(
            "request", lambda asked: told.append(asked.url) if "page.html" not in asked.url else 0
        )
        page.goto(path.as_uri())
        return page

    yield open_
    for context in contexts:
        context.close()
    assert told == []


def two(text: str) -> View:
    splitters = {
        "markdown": MarkdownSplitter(chunk_size=120),
        "fixed": FixedSizeSplitter(chunk_size=70, chunk_overlap=20),
    }
    return view(splitters, text)


def source_of(page: Page, pane: int) -> str:
    return page.evaluate(
        "n => [...document.querySelectorAll('ol')[n].querySelectorAll('.s')]"
        ".map(e => e.textContent).join('')",
        pane,
    )


def test_the_text_is_there_as_it_is(opened):
    text = "a\r\nb\rc <b>&amp;</b>\n\n" + SCRIPTS
    page = opened(two(text))
    assert source_of(page, 0) == text
    assert source_of(page, 1) == text


def test_hostile_texts_are_inert(opened):
    plain = opened(two("harmless text " * 60))
    names = set(
        plain.evaluate("[...new Set([...document.querySelectorAll('*')].map(e => e.localName))]")
    )
    text = "\n\n".join(XSS)
    page = opened(
        view({word: MarkdownSplitter(chunk_size=90) for word in XSS[:3]}, text, title=XSS[2])
    )
    page.wait_for_timeout(300)
    for key in ["Tab"] * 6 + ["j"] * 8:
        page.keyboard.press(key)
    found = set(
        page.evaluate("[...new Set([...document.querySelectorAll('*')].map(e => e.localName))]")
    )
    assert found - names <= {"b", "ins", "div", "dl", "dt", "dd"}
    assert (
        page.locator("main iframe, main img, main svg, main a, main script, main style").count()
        == 0
    )
    on = "[...document.querySelectorAll('*')].some(e => [...e.attributes].some(a => /^on|^style$/.test(a.name)))"
    assert not page.evaluate(on)


def test_keys_move_between_chunks_and_show_facts(opened):
    page = opened(two(TEXT * 3))
    first = page.locator("ol").nth(0).locator("li.c")
    first.nth(0).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.dataset.n") == "2"
    assert "3 of" in page.locator("#about").inner_text()
    assert "starts at" in page.locator("#about").inner_text()
    page.keyboard.press("k")
    assert page.evaluate("document.activeElement.dataset.n") == "1"
    page.keyboard.press("End")
    assert page.evaluate("document.activeElement.dataset.n") == str(first.count() - 1)
    page.keyboard.press("Home")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "query"
    page.keyboard.type("small key")
    page.keyboard.press("Enter")
    assert page.locator("#count").inner_text() == "1 of 6"
    page.keyboard.press("Shift+Enter")
    assert page.locator("#count").inner_text() == "6 of 6"
    page.keyboard.press("Escape")
    assert page.locator("#count").inner_text() == ""
    assert page.evaluate("document.activeElement.localName") == "li"


def test_search_takes_marks_of_patterns_as_they_are(opened):
    page = opened(two("a.b (c) [d] \\e $f ^g {h} i|j k/l m-n *o* ?p +q\n" * 2))
    for query in [
        "a.b",
        "(c)",
        "[d]",
        "\\e",
        "$f",
        "^g",
        "{h}",
        "i|j",
        "k/l",
        "m-n",
        "*o*",
        "?p",
        "+q",
    ]:
        page.locator("#query").fill(query)
        page.keyboard.press("Enter")
        assert page.locator("#count").inner_text() == "1 of 4", query


def test_hover_shows_facts_and_marks_the_overlap(opened):
    page = opened(two(TEXT))
    page.locator("ol").nth(1).locator("li.c").nth(1).hover()
    assert "overlap" in page.locator("#about").inner_text()
    assert page.locator("mark.on").count() > 0


def test_panes_scroll_together_until_told_not_to(opened):
    text = "".join(f"Sentence number {n} of a long text. \n\n" for n in range(2000))
    page = opened(two(text))
    top = """n => { const list = document.querySelectorAll('ol')[n];
        const edge = list.getBoundingClientRect().top;
        return [...list.querySelectorAll('li.c')].find(
            e => e.getBoundingClientRect().bottom > edge + 2).innerText.match(/number (\\d+)/)[1] }"""
    page.locator("ol").nth(0).hover()
    page.mouse.wheel(0, 30_000)
    page.wait_for_timeout(400)
    left, right = (int(page.evaluate(top, n)) for n in (0, 1))
    assert left > 100
    assert abs(left - right) <= 4
    page.locator("#linked").uncheck()
    page.locator("ol").nth(0).hover()
    page.mouse.wheel(0, 30_000)
    page.wait_for_timeout(400)
    assert int(page.evaluate(top, 1)) == right


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_follow_the_system_and_the_choice(opened, scheme):
    page = opened(two(TEXT), color_scheme=scheme)
    ground = "getComputedStyle(document.body).backgroundColor"
    expected = {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 22, 26)"}
    assert page.evaluate(ground) == expected[scheme]
    for choice in ("dark", "light"):
        page.locator("#theme").select_option(choice)
        assert page.evaluate(ground) == expected[choice]


def test_right_to_left_text_runs_from_the_right(opened):
    page = opened(view({"one": RecursiveSplitter(chunk_size=60)}, SCRIPTS))
    sides = page.evaluate(
        """() => [...document.querySelectorAll('li.c .t')].map(e => { const r = document.createRange();
        r.selectNodeContents(e.querySelector('.s')); const box = r.getClientRects()[0], all = e.getBoundingClientRect();
        return [e.textContent, box.left - all.left < all.right - box.right]; })"""
    )
    for text, left in sides:
        assert left == (not any("\u0590" <= c <= "\u06ff" for c in text)), text
    assert not page.locator("#linking").is_visible()


def test_a_megabyte_answers_in_two_seconds(opened):
    text = (TEXT + SCRIPTS) * 3000
    shown = view(RecursiveSplitter(chunk_size=500), text[:1_000_000])
    page = opened(shown)
    took = page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
    assert took < 2_000
    page.locator("li.c").nth(0).focus()
    page.keyboard.press("End")
    assert page.locator("li.c:focus").is_visible()


def test_the_notebook_frame_works_and_reaches_nothing(chromium, tmp_path):
    path = Path(tmp_path) / "notebook.html"
    path.write_text(f"<!DOCTYPE html><body>{two(TEXT)._repr_html_()}</body>", encoding="utf-8")
    page = chromium.new_page()
    page.goto(path.as_uri())
    frame = page.frame_locator("iframe")
    frame.locator("li.c").nth(1).click()
    assert "starts at" in frame.locator("#about").inner_text()
    page.close()
