"""What a message says to install brings what is missing."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
    "optional-dependencies"
]
OTHER_NAMES = {"yaml": "pyyaml", "docling": "docling-slim"}  # the module and its distribution


def asked():
    """List the calls of `need`, with the module and the extra that they name."""
    found = set()
    for path in (ROOT / "langchain_chunkers").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "need":
                module, extra = node.args[:2]
                if isinstance(module, ast.Constant) and isinstance(extra, ast.Constant):
                    found.add((module.value, extra.value))
    return sorted(found)


def brought(extra):
    """List the distributions that an extra brings, those of the extras in it included."""
    names = set()
    for line in EXTRAS[extra]:
        name, inner = re.match(r"([\w.-]+)(?:\[([\w,-]+)\])?", line).groups()
        if name == "langchain-chunkers":
            for each in inner.split(","):
                names |= brought(each)
        else:
            names.add(name.lower().replace("_", "-"))
    return names


def test_there_are_such_calls():
    assert len(asked()) > 20


@pytest.mark.parametrize("module,extra", asked())
def test_the_extra_that_is_named_brings_the_module(module, extra):
    root = module.partition(".")[0]
    assert OTHER_NAMES.get(root, root.replace("_", "-")) in brought(extra)


def test_extras_that_pages_name_are_there():
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        for names in re.findall(r"langchain-chunkers\[([\w,]+)\]", page.read_text("utf-8")):
            assert set(names.split(",")) <= EXTRAS.keys(), page
