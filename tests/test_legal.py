"""Numbered documents: parts, clauses, and what looks like one and is none."""

from __future__ import annotations

import pytest
from hypothesis import given

from langchain_chunkers.readers.legal import read_legal
from langchain_chunkers.readers.legal_markers import find_marker, numeral
from langchain_chunkers.strategies.legal import LegalSplitter
from tests.generators_documents import legal
from tests.golden_documents import check_golden, prove, text_of

GOLDEN = {
    "MPL-2.0.txt": 900,
    "services_agreement.txt": 120,
    "law.zh.txt": 40,
    "loan_agreement.txt": 120,
}


@pytest.mark.parametrize("document", GOLDEN)
def test_golden_documents(document: str) -> None:
    text = text_of("legal", document)
    prove(lambda **params: LegalSplitter(GOLDEN[document], **params), text[:5_000])
    check_golden("legal", document, LegalSplitter(GOLDEN[document]))


def clauses(text: str, size: int = 30, **params: object) -> list[tuple[str, str]]:
    documents = LegalSplitter(size, **params).create_documents([text])  # type: ignore[arg-type]
    return [(d.metadata.get("clause", ""), d.page_content) for d in documents]


def headings(text: str) -> list[str]:
    """List the titles of all sections."""
    outline = read_legal(text)
    found = []
    for region in outline.regions:
        names = [value for name, value in region.metadata.items() if name.startswith("Header")]
        if region.kind != "heading" and names and names[-1] not in found:
            found.append(names[-1])
    return found


@pytest.mark.parametrize(
    "line, number",
    [
        ("1.1 Scope", "1.1"), ("1. Scope", "1"), ("(a) first", "a"), ("(iv) fourth", "iv"), ("Article 5", "5"), ("ARTICLE XII", "XII"),
        ("Section 2.1(b) Terms", "2.1"), ("§ 3 Geltung", "§ 3"), ("§ 3a", "§ 3a"), ("第三条 为了", "第三条"), ("第十二章 总则", "第十二章"),
        ("제3조(목적)", "제3조"), ("（一）单元", "一"), ("Schedule 2", "2"), ("Annex A", "A"), ("Artikel 7 Zweck", "7"), ("Статья 5", "5"),
        ("## 2. Term", "2"), ("**3.1** Price", "3.1"), ("Section One Terms", "One"), ("a) first", "a"), ("B. Background", "B"),
    ],
)  # fmt: skip
def test_markers(line: str, number: str) -> None:
    found = find_marker(line)
    assert found is not None
    assert found.number == number


@pytest.mark.parametrize(
    "line",
    [
        "Article 5 of the Treaty", "Section 5.2 shall apply", "第三条规定的责任", "Sectional doors", "3.50 euros"[4:], "Articles 5 and 6",
        "section 2 and the others", "Title insurance", "Partly 5", "2008", "1.5%", "(see above)", "(2008) it was", "第三条、第四条",
    ],
)  # fmt: skip
def test_what_is_no_marker(line: str) -> None:
    assert find_marker(line) is None


@pytest.mark.parametrize(
    "number, value",
    [
        ("IX", 9),
        ("xiv", 14),
        ("二十一", 21),
        ("十", 10),
        ("一百零三", 103),
        ("5.12", 12),
        ("aa", 27),
        ("m", 13),
    ],
)
def test_numerals(number: str, value: int) -> None:
    assert numeral(number) == value


def test_clauses_nest_by_numbering() -> None:
    text = "1. The parties:\n\n1.1 agree:\n(a) that;\n(b) or:\n(i) this;\n(ii) these;\n(c) all.\n\n1.2 Or not.\n\n2. End of it.\n"
    assert clauses(text, 12) == [
        ("1", "1. The"), ("1", "parties:"), ("1.1", "1.1 agree:"), ("1.1(a)", "(a) that;"), ("1.1(b)", "(b) or:"), ("1.1(b)(i)", "(i) this;"),
        ("1.1(b)(ii)", "(ii) these;"), ("1.1(c)", "(c) all."), ("1.2", "1.2 Or not."), ("2", "2. End of"), ("2", "it."),
    ]  # fmt: skip


def test_the_letter_i_follows_h_and_begins_roman_numbers_elsewhere() -> None:
    letters = "".join(f"({letter}) word {letter};\n" for letter in "abcdefghij")
    assert [clause for clause, _ in clauses(f"1. So:\n{letters}", 11)][1:] == [
        f"1({letter})" for letter in "abcdefghij"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "1. Term\n\nIt ends as said in Section\n5.2 shall apply to it. See Article\n7 of the Act.\n",
        "1. Term\n\nThe sum of\n2. euros is due, and\n3.50 more.\n",
        "CONTENTS\n\n1. Term ........ 2\n2. Law ......... 3\n\n1. Term\n\nText of it.\n",
        "1. Term\n2. Law\n3. Notices\n\n1. Term\n\nText.\n\n2. Law\n\nText.\n\n3. Notices\n\nText.\n",
        "1. Term\n\nText.\n\nPage 3 of 10\n\n- 4 -\n\n5\n\nText.\n",
        "1. Term\n\nOn\n\n12 May 2020 it began.\n\n1999 was before.\n",
    ],
)  # fmt: skip
def test_references_contents_and_page_numbers_are_no_parts(text: str) -> None:
    assert set(headings(text)) <= {"1. Term", "2. Law", "3. Notices", "CONTENTS"}
    numbers = [
        region.metadata["clause"]
        for region in read_legal(text).regions
        if "clause" in region.metadata
    ]
    assert numbers == sorted(set(numbers))


def test_articles_in_chapters_and_titles_below() -> None:
    text = "CHAPTER I\nGeneral provisions\n\nArticle 1\nScope\n\nIt is so.\n\nArticle 2\nTerms\n\nThese.\n\nCHAPTER II\nThe rest\n\nArticle 3\nEnd\n\nDone.\n"
    documents = LegalSplitter(200).create_documents([text])
    assert [d.metadata for d in documents] == [
        {"Header 1": "CHAPTER I General provisions", "Header 2": "Article 1 Scope"},
        {"Header 1": "CHAPTER I General provisions", "Header 2": "Article 2 Terms", "clause": "2"},
        {"Header 1": "CHAPTER II The rest", "Header 2": "Article 3 End"},
    ]  # fmt: skip
    assert (
        documents[0].page_content
        == "CHAPTER I\nGeneral provisions\n\nArticle 1\nScope\n\nIt is so."
    )


def test_sections_in_articles_and_titles_in_front() -> None:
    text = text_of("legal", "loan_agreement.txt")
    found = [
        (d.metadata["Header 1"], d.metadata.get("Header 2"), d.metadata["clause"])
        for d in LegalSplitter(120).create_documents([text])
    ]
    assert found[-1] == ("ARTICLE II THE LOAN", "Section 2.2 Interest", "2.2")
    assert found[-2] == ("ARTICLE II THE LOAN", "Section 2.1 The Loan", "2.1(a)")


def test_a_schedule_begins_anew() -> None:
    text = text_of("legal", "services_agreement.txt")
    last = LegalSplitter(120).create_documents([text])[-1]
    assert last.metadata == {"Header 1": "SCHEDULE 1 Prices", "Header 2": "2. Seals", "clause": "2"}


def test_definitions_are_whole() -> None:
    text = (
        '1. Terms\n\n"Buyer" means the one who buys\nall of it.\n"Seller" means the other\none.\n'
    )
    assert [chunk for _, chunk in clauses(text, 60)] == [
        '1. Terms\n\n"Buyer" means the one who buys\nall of it.', '"Seller" means the other\none.',
    ]  # fmt: skip


def test_headings_divide_or_not() -> None:
    text = "1. Term\n\nA year.\n\n2. Law\n\nOurs.\n"
    assert len(LegalSplitter(100).split_text(text)) == 2
    assert LegalSplitter(100, split_on_headings=False).split_text(text) == [text.strip()]
    assert LegalSplitter(100, min_chunk_size=30).split_text(text) == [text.strip()]


@given(legal())
def test_reading_is_pure(text: str) -> None:
    assert read_legal(text) == read_legal(text)
