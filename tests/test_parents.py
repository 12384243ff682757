"""Parents and children: one outline, linked ids, retrieval that merges; in LangChain's own retrievers."""

from __future__ import annotations

import asyncio
import copy
import pickle
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_classic.retrievers import MultiVectorRetriever, ParentDocumentRetriever
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_chunkers import (
    AutoSplitter,
    BaseSplitter,
    CodeSplitter,
    FixedSizeSplitter,
    HTMLSplitter,
    InputError,
    MarkdownSplitter,
    ParagraphSplitter,
    RecursiveSplitter,
    SentenceSplitter,
    SettingError,
    TiktokenMeasure,
)
from langchain_chunkers.retrieval import AutoMergingRetriever, build_parent_retriever
from langchain_chunkers.testing.fakes import LetterEmbeddings
from langchain_chunkers.wrappers.inside import InsideSplitter
from langchain_chunkers.wrappers.parents import HierarchicalSplitter, ParentChildSplitter
from tests import generators

REPORT = """# Pump house

## Failure

The pump failed at noon. Nobody noticed for an hour. The seal was worn, and the valve leaked.

The crew came at one o'clock. They replaced the seal. They tested the valve.

## Parts

| part | price | stock |
|---|---|---|
| seal | 3.50 | 12 |
| valve | 80.00 | 2 |
| gauge | 19.00 | 5 |
| hose | 7.25 | 30 |
"""


def report() -> Document:
    return Document(page_content=REPORT, metadata={"source": "report.md"})


def check_inside(splitter: HierarchicalSplitter, text: str) -> None:
    """Each chunk lies inside its parent, each parent has children, and counts are right."""
    levels = splitter.split_levels([Document(page_content=text, metadata={"source": "s"})])
    for above, below in pairwise(levels):
        parents = {parent.metadata["chunk_id"]: parent for parent in above}
        assert len(parents) == len(above)
        counts = dict.fromkeys(parents, 0)
        for child in below:
            place, parent = child.metadata, parents[child.metadata["parent_id"]].metadata
            assert parent["start_index"] <= place["start_index"]
            assert place["end_index"] <= parent["end_index"]
            assert place["sibling_count"] == parent["child_count"]
            counts[place["parent_id"]] += 1
        assert counts == {key: parent.metadata["child_count"] for key, parent in parents.items()}
        assert all(counts.values())


SPLITTERS: dict[str, Any] = {
    "sizes": lambda strips: HierarchicalSplitter(
        [RecursiveSplitter(120, strip_whitespace=strips), 50, 15]
    ),
    "overlap at both": lambda strips: HierarchicalSplitter(
        [
            RecursiveSplitter(100, 30, strip_whitespace=strips),
            RecursiveSplitter(30, 10, strip_whitespace=strips),
        ]
    ),
    "least": lambda strips: HierarchicalSplitter(
        [RecursiveSplitter(80), RecursiveSplitter(30, min_chunk_size=12, strip_whitespace=strips)]
    ),
    "two kinds": lambda strips: ParentChildSplitter(
        ParagraphSplitter(150), SentenceSplitter(40, 12, strip_whitespace=strips)
    ),
    "filled parents": lambda strips: ParentChildSplitter(
        FixedSizeSplitter(90, 20), RecursiveSplitter(25, strip_whitespace=strips)
    ),
    "markdown": lambda strips: ParentChildSplitter(
        MarkdownSplitter(200, strip_whitespace=strips), 60
    ),
    "separators left out": lambda strips: ParentChildSplitter(
        RecursiveSplitter(60, 0, ["\n\n", ". "], keep_separator=False, strip_whitespace=strips), 20
    ),
}


@pytest.mark.parametrize("name", SPLITTERS)
@given(text=generators.texts(), strips=st.booleans())
def test_children_lie_inside_parents(name: str, text: str, strips: bool) -> None:
    check_inside(SPLITTERS[name](strips), text)


@given(text=generators.texts(), overlap=st.sampled_from([0, 30]), again=st.booleans())
def test_the_children_of_all_parents_are_the_text(text: str, overlap: int, again: bool) -> None:
    """Once, though the parents overlap."""
    parent = RecursiveSplitter(90, overlap, strip_whitespace=False)
    child = SentenceSplitter(30, strip_whitespace=False)
    finer = child if again else RecursiveSplitter(30, strip_whitespace=False)
    _, children = ParentChildSplitter(parent, finer).split_families([Document(page_content=text)])
    assert "".join(chunk.page_content for chunk in children) == text


def test_one_outline_knows_what_a_parent_alone_does_not_say() -> None:
    """A child from the middle of a table still has the header, though its parent begins behind it."""
    parents, children = ParentChildSplitter(MarkdownSplitter(150), 95).split_families([report()])
    rows = [child for child in children if "hose" in child.page_content]
    assert rows
    assert rows[0].page_content.startswith("| part | price | stock |\n|---|---|---|\n")
    assert rows[0].metadata["Header 2"] == "Parts"
    assert any("hose" in parent.page_content for parent in parents)


def test_offsets_are_those_of_the_document() -> None:
    for level in HierarchicalSplitter([150, 60, 25]).split_levels([report()]):
        for chunk in level:
            start, end = chunk.metadata["start_index"], chunk.metadata["end_index"]
            assert REPORT[start:end] == chunk.page_content


def test_rendered_text_has_levels_too() -> None:
    page = "<h1>Pump</h1><p>It failed. Nobody saw it.</p><p>The crew came. It was late.</p>"
    splitter = ParentChildSplitter(HTMLSplitter(40), 25)
    parents, children = splitter.split_families([Document(page_content=page)])
    assert len(children) > len(parents) > 1
    assert "<" not in "".join(chunk.page_content for chunk in [*parents, *children])


def test_a_finer_level_that_renders_is_refused() -> None:
    splitter = ParentChildSplitter(RecursiveSplitter(100), HTMLSplitter(50))
    with pytest.raises(InputError, match="must keep the text as it is"):
        splitter.split_text("<p>One.</p>")


def test_as_a_splitter_it_gives_the_smallest_chunks() -> None:
    splitter = ParentChildSplitter(RecursiveSplitter(150), 50)
    _, children = splitter.split_families([report()])
    assert [(c.page_content, c.metadata) for c in splitter.split_documents([report()])] == [
        (child.page_content, child.metadata) for child in children
    ]
    assert splitter.split_text(REPORT) == [child.page_content for child in children]
    assert [REPORT[s:e] for s, e in splitter.split_spans(REPORT)] == splitter.split_text(REPORT)


def test_ids_of_levels_differ_though_texts_are_equal() -> None:
    parents, children = ParentChildSplitter(100, 50).split_families([Document(page_content="One.")])
    assert parents[0].page_content == children[0].page_content
    assert parents[0].id != children[0].metadata["chunk_id"]


def test_equal_pages_of_one_source_have_ids_of_their_own() -> None:
    pages = [
        Document(page_content="Confidential.", metadata={"source": "a.pdf", "page": page})
        for page in (1, 2)
    ]
    parents, children = ParentChildSplitter(100, 50).split_families(pages)
    assert len({parent.id for parent in parents}) == 2
    assert [child.metadata["parent_id"] for child in children] == [p.id for p in parents]


def test_the_id_of_a_document_is_kept() -> None:
    document = Document(page_content="One. Two.", id="d7")
    parents, children = ParentChildSplitter(100, 5).split_families([document])
    assert {chunk.metadata["document_id"] for chunk in [*parents, *children]} == {"d7"}


def test_settings() -> None:
    with pytest.raises(SettingError, match="from large to small"):
        HierarchicalSplitter([100, 200])
    with pytest.raises(SettingError, match="list of splitters or sizes"):
        HierarchicalSplitter([])
    with pytest.raises(InputError, match="must be a splitter of this package or a size"):
        HierarchicalSplitter(["100"])
    tokens = ParentChildSplitter(40, 10, length_function=TiktokenMeasure())
    assert tokens.unit == "tokens (cl100k_base)"
    assert all(tokens.length(chunk) <= 10 for chunk in tokens.split_text(REPORT))


@pytest.mark.parametrize(
    "splitter", [HierarchicalSplitter([100, 50, 20]), ParentChildSplitter(90, 30)]
)
def test_copies_and_configurations(splitter: HierarchicalSplitter) -> None:
    chunks = splitter.split_documents([report()])
    for twin in (
        pickle.loads(pickle.dumps(splitter)),
        copy.deepcopy(splitter),
        BaseSplitter.from_config(splitter.to_config()),
    ):
        assert twin.split_documents([report()]) == chunks
    smaller = splitter.split_text(REPORT, chunk_size=15)
    assert max(map(len, smaller)) <= 15


def test_what_was_asked_for_by_name_is_right_in_all_levels() -> None:
    names = ["chunk_index", "previous", "next", "line_start"]

    def told(document: Document) -> dict[str, Any]:
        return {"told": "parent_id" in document.metadata}

    splitter = HierarchicalSplitter([150, 50], add_metadata=names, metadata_function=told)
    pages = [report(), report()]  # equal pages of one source
    for depth, level in enumerate(splitter.split_levels(pages)):
        assert len({chunk.id for chunk in level}) == len(level)
        half = len(level) // 2
        for page in (level[:half], level[half:]):
            assert [chunk.metadata["chunk_index"] for chunk in page] == list(range(half))
            for one, two in pairwise(page):
                assert one.metadata["next"] == two.id
                assert two.metadata["previous"] == one.id
            assert "previous" not in page[0].metadata
            assert "next" not in page[-1].metadata
        for chunk in level:
            assert chunk.metadata["told"] is (depth > 0), "the function is called last"
            place = chunk.metadata
            assert place["line_start"] == REPORT.count("\n", 0, place["start_index"]) + 1


def test_auto_decides_by_the_whole_text() -> None:
    """The rows of a parent from the middle of a table would look like plain text alone."""
    rows = "".join(f"| row {n} | {n} |\n" for n in range(30))
    text = f"# Stock\n\nRows:\n\n| name | n |\n|---|---|\n{rows}"
    splitter = ParentChildSplitter(AutoSplitter(chunk_size=150), 60)
    _, children = splitter.split_families([Document(page_content=text)])
    assert len(children) > 5
    for child in children:
        assert child.metadata["Header 1"] == "Stock"
        assert ("| row" in child.page_content) == (
            "| name | n |\n|---|---|\n" in child.page_content
        )


def test_children_of_code_know_their_lines() -> None:
    code = "class Pump:\n" + "".join(
        f"    def part_{n}(self):\n        return {n}\n\n" for n in range(6)
    )
    splitter = ParentChildSplitter(CodeSplitter(120, language="python"), 60)
    parents, children = splitter.split_families([Document(page_content=code)])
    assert len(children) > len(parents) > 1
    for chunk in [*parents, *children]:
        place = chunk.metadata
        assert place["line_start"] == code.count("\n", 0, place["start_index"]) + 1


@given(
    text=generators.texts(),
    overlap=st.sampled_from([0, 8]),
    least=st.sampled_from([0, 6]),
    stable=st.booleans(),
)
def test_one_parent_for_all_changes_nothing(
    text: str, overlap: int, least: int, stable: bool
) -> None:
    """The children of the whole text are the chunks of their splitter alone."""
    child = RecursiveSplitter(25, overlap, min_chunk_size=least, stable=stable)
    whole = RecursiveSplitter(None)
    assert HierarchicalSplitter([whole, child]).split_text(text) == child.split_text(text)


# ------------------------------------------------------------------ LangChain's retrievers


def stores() -> tuple[InMemoryVectorStore, InMemoryStore]:
    return InMemoryVectorStore(LetterEmbeddings()), InMemoryStore()


def test_in_parent_document_retriever() -> None:
    vectorstore, docstore = stores()
    splitter = ParentChildSplitter(RecursiveSplitter(150), 50)
    retriever = ParentDocumentRetriever(
        vectorstore=vectorstore,
        docstore=docstore,
        parent_splitter=splitter.parent_splitter,
        child_splitter=splitter.child_splitter,
        search_kwargs={"k": 1},
    )
    retriever.add_documents([report()])
    (found,) = retriever.invoke("They replaced the seal. They tested the valve.")
    start, end = found.metadata["start_index"], found.metadata["end_index"]
    assert REPORT[start:end] == found.page_content
    assert "They replaced the seal." in found.page_content
    for stored in vectorstore.store.values():
        place = stored["metadata"]
        assert REPORT[place["start_index"] : place["end_index"]] == stored["text"]


def test_the_splitter_itself_as_child_splitter() -> None:
    vectorstore, docstore = stores()
    retriever = ParentDocumentRetriever(
        vectorstore=vectorstore, docstore=docstore, child_splitter=HierarchicalSplitter([150, 50])
    )
    retriever.add_documents([report()])
    assert retriever.invoke("seal")[0].page_content == REPORT


def test_in_multi_vector_retriever() -> None:
    vectorstore, docstore = stores()
    parents, children = ParentChildSplitter(RecursiveSplitter(150), 50).split_families([report()])
    docstore.mset([(str(parent.id), parent) for parent in parents])
    vectorstore.add_documents(children)
    retriever = MultiVectorRetriever(
        vectorstore=vectorstore, docstore=docstore, id_key="parent_id", search_kwargs={"k": 3}
    )
    found = retriever.invoke("The crew came at one o'clock.")
    assert "The crew came" in found[0].page_content
    assert all(document in parents for document in found)


def test_inside_splitter_counts_from_the_source() -> None:
    part = Document(
        page_content="| h |\nrow. Two.", metadata={"start_index": 100, "prefix": "| h |\n"}
    )
    chunks = InsideSplitter(SentenceSplitter(None)).split_documents([part])
    assert chunks[-1].page_content == "Two."
    assert chunks[-1].metadata["start_index"] == 105  # behind "row. ", which begins at 100
    assert (
        InsideSplitter(SentenceSplitter(None))
        .split_documents([Document(page_content="One. Two.")])[1]
        .metadata["start_index"]
        == 5
    )
    assert InsideSplitter(RecursiveSplitter(50)).split_text("One. Two.", chunk_size=5) == [
        "One.",
        "Two.",
    ]


def test_inside_splitter_knows_what_is_repeated() -> None:
    """Text repeated around a parent is none of the source, in the children either."""
    rows = "".join(f"| row {n} | {n} |\n" for n in range(30))
    text = f"Rows:\n\n| name | n |\n|---|---|\n{rows}"
    parents = MarkdownSplitter(
        120, add_start_index=True, add_metadata=["line_start"]
    ).create_documents([text])
    inner = RecursiveSplitter(30, add_metadata=["line_start", "line_end"])
    children = InsideSplitter(inner).split_documents(parents)
    assert len(children) > len(parents) > 2
    assert any(child.metadata.get("prefix") for child in children)
    for child in children:
        place = child.metadata
        slice_ = text[place["start_index"] : place["end_index"]]
        assert child.page_content == place.get("prefix", "") + slice_ + place.get("suffix", "")
        if slice_:
            assert place["line_start"] == text.count("\n", 0, place["start_index"]) + 1
            assert place["line_end"] == text.count("\n", 0, place["end_index"] - 1) + 1


def test_inside_splitter_leaves_out_lines_that_it_cannot_know() -> None:
    part = Document(page_content="One.\nTwo.", metadata={"start_index": 100})
    inner = SentenceSplitter(None, add_metadata=["line_start"])
    assert InsideSplitter(inner).split_documents([part])[1].metadata == {
        "start_index": 105,
        "end_index": 109,
    }


def test_inside_splitter_closes_a_fence_once() -> None:
    text = "```python\n" + "\n".join(f"line_{n} = {n}" for n in range(20)) + "\n```\n"
    parents = MarkdownSplitter(100, add_start_index=True).create_documents([text])
    assert any(parent.metadata.get("suffix") for parent in parents)
    for child in InsideSplitter(RecursiveSplitter(40)).split_documents(parents):
        place = child.metadata
        slice_ = text[place["start_index"] : place["end_index"]]
        assert child.page_content == place.get("prefix", "") + slice_ + place.get("suffix", "")


# ------------------------------------------------------------------ merging


def merging(ratio: float, k: int) -> AutoMergingRetriever:
    vectorstore, docstore = stores()
    retriever = AutoMergingRetriever(
        vectorstore=vectorstore,
        docstore=docstore,
        splitter=HierarchicalSplitter([90, 45, 18]),
        merge_ratio=ratio,
        search_kwargs={"k": k},
    )
    text = (
        "aaa one aaa two. aaa aaa aaa. aab aaa aaa aa. aaa aac aaa aaa.\n\n"
        "zzz zzz zzy zz. zzx zzz zzz. zzz zzw zz. zzz zzz zz.\n\n"
        "mmm mmm nnn mm. mmm mmm mmm."
    )
    retriever.add_documents([Document(page_content=text, metadata={"source": "s"})])
    return retriever


def test_most_children_found_gives_the_parent() -> None:
    retriever = merging(0.5, 4)
    found = retriever.invoke("aaa aaa aaa")
    assert found[0].page_content.startswith("aaa one")
    assert found[0].metadata["child_count"] == 2, "merged twice, up to the first level"
    assert len({document.metadata["chunk_id"] for document in found}) == len(found)


def test_few_children_found_stay_as_they_are() -> None:
    (found,) = merging(0.5, 1).invoke("aaa aaa aaa")
    assert "child_count" not in found.metadata


def test_no_ratio_gives_the_parent_for_any_hit() -> None:
    (found,) = merging(0, 1).invoke("aaa aaa aaa")
    assert found.metadata["child_count"] == 2
    assert "parent_id" not in found.metadata


def test_ratio_one_never_merges() -> None:
    found = merging(1, 50).invoke("aaa")
    assert all("child_count" not in document.metadata for document in found)


def test_a_parent_that_is_gone_leaves_its_children() -> None:
    retriever = merging(0.5, 50)
    retriever.docstore.mdelete(list(retriever.docstore.yield_keys()))
    assert all("child_count" not in document.metadata for document in retriever.invoke("aaa"))


def test_async_gives_the_same() -> None:
    retriever = merging(0.5, 4)
    assert asyncio.run(retriever.ainvoke("aaa aaa")) == retriever.invoke("aaa aaa")


async def test_async_adding_gives_the_same() -> None:
    retriever = merging(0.5, 4)
    twin = retriever.model_copy(
        update=dict(zip(("vectorstore", "docstore"), stores(), strict=True))
    )
    text = "One. Two.\n\nThree."
    document = Document(page_content=text, metadata={"source": "s"})
    assert await twin.aadd_documents([document]) == retriever.add_documents([document])
    assert await twin.ainvoke("three") == twin.invoke("three")


def test_adding_twice_stores_once() -> None:
    retriever = merging(0.5, 4)
    before = len(retriever.vectorstore.store)
    text = "aaa one aaa two."
    for _ in range(2):
        retriever.add_documents([Document(page_content=text, metadata={"source": "new"})])
    assert len(retriever.vectorstore.store) == before + 1
    assert retriever.add_documents([]) == []


def test_settings_of_the_retriever() -> None:
    vectorstore, docstore = stores()
    with pytest.raises(ValueError, match="from 0 to 1"):
        AutoMergingRetriever(vectorstore=vectorstore, docstore=docstore, merge_ratio=2)
    with pytest.raises(InputError, match="needs splitter"):
        AutoMergingRetriever(vectorstore=vectorstore, docstore=docstore).add_documents([])
    with pytest.raises(InputError, match="must be a folder or a LangChain store"):
        build_parent_retriever(vectorstore, 7)


@pytest.mark.parametrize("flatten, wanted", [(True, "a, b"), (False, ["a", "b"])])
def test_the_vector_store_has_scalars_unless_told(flatten: bool, wanted: Any) -> None:
    vectorstore, docstore = stores()
    retriever = build_parent_retriever(vectorstore, docstore, 100, 50, flatten=flatten)
    retriever.add_documents([Document(page_content="One.", metadata={"tags": ["a", "b"]})])
    assert [kept["metadata"]["tags"] for kept in vectorstore.store.values()] == [wanted]
    assert retriever.invoke("one")[0].metadata["tags"] == ["a", "b"]


def test_a_folder_keeps_the_parents(tmp_path: Path) -> None:
    vectorstore, _ = stores()
    first = build_parent_retriever(vectorstore, tmp_path, RecursiveSplitter(150), 50)
    first.add_documents([report()])
    again = build_parent_retriever(vectorstore, str(tmp_path), RecursiveSplitter(150), 50)
    found = again.invoke("They replaced the seal.")
    assert found == first.invoke("They replaced the seal.")
    start, end = found[0].metadata["start_index"], found[0].metadata["end_index"]
    assert REPORT[start:end] == found[0].page_content
