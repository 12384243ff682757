"""HTML for the tests: whole documents, valid and broken, and fragments that hurt parsers."""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st

from tests import generators

WORDS = (
    "The pump failed at noon.", "Nobody noticed!", "今天天气很好，我们去公园散步。", "क्षि", "👨‍👩‍👧‍👦", "3.50 euros",
    "x", "a | b", "e\u0301", "see  it\n  now", "AT&amp;T", "&copy 2020", "&lt;b&gt;", "&nbsp;", "&#x1F600;",
    "&#1234567890;", "5 < 6", "[link](u)", "\ud800", "# no heading", "- no item",
)  # fmt: skip
INLINE = (
    "<b>{}</b>", "<a href='u'>{}</a>", '<a href="javascript:x()">{}</a>', "<span hidden>{}</span>", "{}<br>{}",
    "<img src=u alt='{}'>", "<!-- {} -->", "<script>{}</script>", "<i>{}", "{}</i>", "<sup>{}</sup>", "<q>{}<q>",
    "<code>{}</code>", "<button>{}</button>", "<![CDATA[{}]]>", "<span style='display: none'>{}</span>",
    "<math><semantics><mi>{}</mi><annotation encoding='application/x-tex'>{}</annotation></semantics></math>",
    "<svg><title>{}</title><text>{}</text></svg>", "<textarea>{}</textarea>",
)  # fmt: skip
BLOCK = (
    "<p>{}</p>", "<p>{}", "<div>{}</div>", "<div>{}", "</div>{}", "<h1>{}</h1>", "<h2 id=two>{}</h2>", "<h3>{}",
    "<h4><div>{}</div></h4>", "<div role=heading aria-level=3>{}</div>", "<ul><li>{}<li>{}</ul>",
    "<ol start=3 type=a><li>{}</li><li>{}<ul><li>{}</ul></ol>", "<li>{}</li>", "<pre>\n  {}\n\n  {}</pre>",
    '<pre><code class="language-py">{}\n    {}\n</code></pre>', "<blockquote>{}<p>{}</blockquote>",
    "<dl><dt>{}<dd>{}<dd>{}</dl>", "<details><summary>{}</summary>{}</details>", "<hr>", "<nav>{}</nav>",
    "<section><h2>{}</h2>{}</section>", "<article><header><h1>{}</h1></header><p>{}</article>",
    "<figure><img src=x alt=y><figcaption>{}</figcaption></figure>", "<form>{}<input value=x>{}</form>",
    "<table><caption>{}</caption><tr><th>{}<th>{}<tr><td>{}<td>{}<tr><td>{}<td>{}</table>",
    "<table><thead><tr><th colspan=2>{}</tr><tr><th>{}<th>{}</tr></thead><tr><td rowspan=2>{}<td>{}<tr><td>{}</table>",
    "<table><tr><td>{}<td>{}</tr>{}<tr><td>{}", "<table><tr><td><h2>{}</h2><p>{}<td>{}</table>", "<td>{}<tr>{}",
    "<table><tr><td>{}<table><tr><td>{}<td>{}</table></table>", "<template>{}</template>", "<style>{}</style>",
    "<div hidden>{}</div>", "<dialog>{}</dialog>", "<xmp>{}</xmp>", "<title>{}</title>", "<h2></h2>{}",
)  # fmt: skip
FRAGMENTS = (
    "<", "</", "<a", "<a b=\"", "<p", ">", "\"", "'", "<!--", "-->", "<![CDATA[", "]]>", "<?xml ?>", "<!doctype html>",
    "<title>", "<script>", "</script", "<style>", "<textarea>", "<plaintext>", "<pre>", "</pre>", "<table>", "</table>",
    "<tr>", "<td>", "<th>", "</tr>", "<li>", "<ul>", "</ul>", "<h1>", "</h1>", "<h2>", "</h3>", "<p>", "</p>", "<br>",
    "<div hidden>", "</div>", "<svg>", "<math>", "</svg>", "<title/>", "&", "&#", "&amp", "&#x;", "<b>", "</b>", "<dt>",
    "<dd>", "<summary>", "<a href=u>", "</a>", "<select><option>", "<template>", "<noscript>", "<body>", "</html>",
    " ", "\n", "word ", "text. ", "中文", "\u0301", "|", "<td rowspan=9>", "<td colspan=999>", "<caption>", "<xmp>",
)  # fmt: skip


@cache
def words() -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)


@cache
def inlines() -> st.SearchStrategy[str]:
    return st.lists(filled(INLINE, words()) | words(), min_size=1, max_size=4).map("".join)


def filled(forms: tuple[str, ...], content: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Give forms with their gaps filled."""

    @st.composite
    def draw_form(draw: st.DrawFn) -> str:
        parts = draw(st.sampled_from(forms)).split("{}")
        text = parts[0]
        for part in parts[1:]:
            text += draw(content) + part
        return text

    return draw_form()


@cache
def blocks() -> st.SearchStrategy[str]:
    return filled(BLOCK, inlines())


@cache
def documents() -> st.SearchStrategy[str]:
    """Give documents of blocks, some of them nested."""
    nested = filled(BLOCK, st.lists(blocks() | inlines(), max_size=2).map("".join))
    return st.lists(blocks() | nested, max_size=7).map("\n".join)


@cache
def broken() -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(FRAGMENTS), max_size=25).map("".join)


@cache
def texts() -> st.SearchStrategy[str]:
    """Give all kinds: documents, cut documents, fragments, and text that is no HTML."""
    cut = st.tuples(documents(), st.integers(0, 300)).map(lambda pair: pair[0][: pair[1]])
    return st.one_of(documents(), documents(), cut, broken(), generators.texts())
