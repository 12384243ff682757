"""Every code block of the documentation runs, and every relative link leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from sybil import Document
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

ROOT = Path(__file__).parent.parent
DATA = ROOT / "docs" / "demo_data"  # other people's documents: material for the demo, not our pages
PAGES = [
    page
    for page in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
    if DATA not in page.parents
]
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]

FENCED = re.compile(r"^( *)(`{3,}|~{3,}).*?^ *\2[`~]* *$", re.MULTILINE | re.DOTALL)
INLINE_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
TARGET = re.compile(
    r"\]\(\s*<?([^)\s>]+)[^)]*\)"  # [text](target "title")
    r"|^ *\[[^\]]+\]:\s*(\S+)"  # [name]: target
    r"|(?:src|href)=\"([^\"]+)\"",
    re.MULTILINE,
)
HEADING = re.compile(r"^#{1,6} +(.+?)(?: +#+)? *$", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_code_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of a page run in order and share their names; files go to a scratch folder."""
    monkeypatch.chdir(tmp_path)
    document = Document.parse(str(page), PythonCodeBlockParser(), SkipParser())
    for example in document.examples():
        example.evaluate()


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_relative_links_resolve(page: Path) -> None:
    links = relative_links(page.read_text("utf-8"))
    broken = [target for target in links if not leads(page, target)]
    assert not broken, f"{page.relative_to(ROOT)} links to what is not there: {broken}"


def test_the_link_check_sees_a_broken_link(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    text = "# A title: two\n\n[a](#a-title-two) [b](gone.md) ![c](page.md#gone) `[d](e)`\n"
    page.write_text(text, "utf-8")
    found = relative_links(text)
    assert [target for target in found if not leads(page, target)] == ["gone.md", "page.md#gone"]


def relative_links(text: str) -> list[str]:
    """Find the targets of links and images outside code, those with a scheme left out."""
    prose = INLINE_CODE.sub("", FENCED.sub("", text))
    targets = [next(filter(None, match.groups())) for match in TARGET.finditer(prose)]
    return [target for target in targets if not re.match(r"[a-z][a-z0-9+.-]*:", target)]


def leads(page: Path, target: str) -> bool:
    """Say whether the file is there, and in it the heading, as GitHub names it."""
    name, _, anchor = unquote(target).partition("#")
    path = (page.parent / name).resolve() if name else page
    if not path.exists():
        return False
    return not anchor or path.suffix != ".md" or anchor in anchors(path.read_text("utf-8"))


def anchors(text: str) -> set[str]:
    """Name the headings as GitHub does: lower case, hyphens for spaces, no punctuation."""
    headings = HEADING.findall(FENCED.sub("", text))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
