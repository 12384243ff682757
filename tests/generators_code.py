"""Source code for tests: programs of several languages, valid and broken."""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st

from langchain_chunkers.testing.texts import runs_of

PYTHON = (
    "import os\nimport sys\n\nfrom a.b import (\n    c,\n    d,\n)\n\n", "@cache\n@retry(times=3)\n# why\n",
    "def load(x, *, y: int = 3) -> str:\n    '''Load x.\n\n    More of it. And more.\n    '''\n    z = x\n\n    return z\n\n\n",
    "class Cache(Base):\n    \"\"\"A cache — größer.\"\"\"\n\n    size = 3\n\n    # evicts one\n    @property\n    def evict(self):\n        if self.a:\n            for b in self.a:\n                print(b)\n        else:\n            del b\n        return 1\n\n    async def get(self, k): return k\n\n",
    "X = {\n    'a': [1, 2, 3],\n    'b': \"\"\"\ndef fake(y):\n    pass\n\"\"\",\n}\n", "# ---- 节 ----\n\n", "if x:\n    pass\nelif y:\n    z()\n",
    "class A:\n    def f(self):\n        class B:\n            def g(self):\n                return lambda: 0\n        return B\n",
)  # fmt: skip
SCRIPT = (
    "import a, { b } from 'c';\n", "/**\n * Évicts.\n * @param {int} n\n */\n",
    "export class Cache extends Map {\n  #n = 1;\n\n  // one\n  get(k) { return super.get(k); }\n\n  put = (k) => {\n    this.k = k;\n  };\n}\n\n",
    "const f = async (x) => {\n  const y = await g(x);\n  return `${y} 👍🏽`;\n};\n", "export default function h() { if (a) { b(); } else { c(); } }\n",
    "module.exports.i = function () {\n  return [\n    1,\n    { a: 2 },\n  ];\n};\n", "var a=1;function b(){return a}var c=b()+b()+b()+b();\n",
    "<div className=\"x\">\n  <B />\n</div>;\n",
)  # fmt: skip
RUST = (
    "use std::fmt;\nuse a::{b, c};\n\n", "/// Docs.\n/// More docs.\n#[derive(Debug)]\npub struct S {\n    a: u8,\n}\n\n",
    "impl<T: Clone> fmt::Display for S<T> {\n    fn fmt(&self) -> R {\n        match self.a {\n            0 => Ok(()),\n            _ => {\n                self.b();\n                Err(1)\n            }\n        }\n    }\n}\n",
    "mod m {\n    pub fn g<'a>(x: &'a str) -> &'a str { x }\n}\n", "macro_rules! x {\n    ($e:expr) => { $e };\n}\n",
)  # fmt: skip
DATA = (
    '{"a": [1, 2, {"b": null}],\n "c": "' + "long " * 12 + '"}\n', "a:\n  - b: 1\n    c: [1, 2]\n  - d\n\ne: |\n  text\n",
    "[table]\nkey = 'value'\n\n[[list]]\nx = 1\n", "<ul>\n  <li>a</li>\n  <li>b <b>c</b></li>\n</ul>\n", ".a, b > c {\n  color: red;\n}\n\n@media print {\n  d { e: f }\n}\n",
    "CREATE TABLE t (\n  a INT, -- c\n  b TEXT\n);\n\nSELECT a, b\nFROM t\nWHERE a = 1;\n", "f() {\n  if [ -n \"$1\" ]; then\n    cat <<EOF\nx\nEOF\n  fi\n}\n",
    "to square :n\n  repeat 4 [fd :n rt 90]\nend\n\nto x\n  y\nend\n",
)  # fmt: skip
TROUBLE = (
    "}", "{", "(", "\"", "'''", "/*", "<<<<<<< HEAD\n", "=======\n", "def ", "class X {\n", "\t", "  ", "\n\n\n", "\r\n", "\r", "\x00", "\ud800", "#if A\n",
    "🇵🇹", "e\u0301", "\u2028", "\f", "x" * 60 + " ", "`${", "?>", "<?php function z() { return 1; }\n",
)  # fmt: skip
LANGUAGES = (
    "python",
    "javascript",
    "rust",
    "tsx",
    "json",
    "yaml",
    "sql",
    "bash",
    "css",
    "toml",
    "html",
    "php",
    "c",
    "ruby",
    "logo",
)


def programs(parts: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Whole parts of one language, one after the other."""
    return runs_of(parts, 1, 7)


def broken(parts: tuple[str, ...]) -> st.SearchStrategy[str]:
    """The same with trouble between the parts."""
    return runs_of((*parts, *TROUBLE), 1, 14)


def cut_off(parts: tuple[str, ...]) -> st.SearchStrategy[str]:
    """A piece out of the middle of a program."""
    return st.builds(
        lambda text, start, end: text[start : len(text) - end],
        programs(parts), st.integers(0, 40), st.integers(0, 40),
    )  # fmt: skip


@cache
def code(*parts: str) -> st.SearchStrategy[str]:
    """Programs valid, broken, cut off, and with other newlines."""
    kinds = st.one_of(programs(parts), programs(parts), broken(parts), cut_off(parts))
    return st.builds(
        lambda text, newline: text.replace("\n", newline),
        kinds,
        st.sampled_from(("\n", "\n", "\n", "\r\n")),
    )
