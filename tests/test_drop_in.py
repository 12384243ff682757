"""The real consumers of a LangChain text splitter, with ours in the place of theirs.

Long because there are many consumers: a class for each.
"""

import asyncio
import inspect
import itertools

import pytest
from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.indexing import InMemoryRecordManager, aindex, index
from langchain_core.messages import AIMessage, HumanMessage, trim_messages
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter, TextSplitter

from langchain_chunkers import (
    RecursiveSplitter,
    SentenceSplitter,
    TiktokenMeasure,
    TokenCountSplitter,
)
from tests.cases.laws import ALL, SIZED, check, make

TEXT = "".join(
    f"# Part {i}\n\nThe pump of part {i} failed at noon. The crew replaced the seal within an hour.\n\n"
    f"Water flow resumed by two. 猫は寝た。The log of part {i} was signed.\n\n"
    for i in range(6)
)
SAME = "ok\n" * 30


def embedding():
    return DeterministicFakeEmbedding(size=8)


def documents():
    return [
        Document(TEXT, metadata={"source": "a.txt", "tags": ["x"]}),
        Document(TEXT.replace("pump", "valve"), metadata={"source": "b.txt", "tags": ["y"]}),
    ]


class TestContract:
    """The list at the end of section 3 of the contract, and its section 1."""

    @pytest.mark.parametrize("name", ALL)
    def test_types(self, name):
        splitter = make(name)
        assert isinstance(splitter, TextSplitter)
        assert isinstance(splitter, BaseDocumentTransformer)

    @pytest.mark.parametrize("name", ["fixed", "sentence", "paragraph", "recursive"])
    def test_private_names_are_langchains(self, name):
        splitter = SIZED[name](
            40, 8, length_function=len, add_start_index=True, strip_whitespace=False
        )
        assert vars(splitter).keys() >= {
            "_chunk_size", "_chunk_overlap", "_length_function", "_keep_separator",
            "_add_start_index", "_strip_whitespace",
        }  # fmt: skip
        assert splitter._length_function("abc") == 3

    def test_positional_arguments_are_those_of_the_class_replaced(self):
        """`RecursiveCharacterTextSplitter(separators, keep_separator, ...)` is called by keywords."""
        theirs = {
            "separators": ["\n\n", "\n", " ", ""],
            "keep_separator": True,
            "is_separator_regex": False,
        }
        settings = {
            **theirs,
            "chunk_size": 60,
            "chunk_overlap": 10,
            "length_function": len,
            "add_start_index": True,
        }
        assert RecursiveCharacterTextSplitter(**settings).create_documents([TEXT])
        check(RecursiveSplitter(**settings), TEXT)

    def test_every_keyword_of_langchains_is_taken(self):
        for cls in (TextSplitter, RecursiveCharacterTextSplitter):
            known = set(inspect.signature(cls.__init__).parameters) - {"self", "kwargs"}
            assert known <= langchain_chunkers_settings(RecursiveSplitter)
        for method in ("from_tiktoken_encoder", "from_huggingface_tokenizer", "from_language"):
            theirs = inspect.signature(getattr(RecursiveCharacterTextSplitter, method)).parameters
            ours = inspect.signature(getattr(RecursiveSplitter, method)).parameters
            assert list(theirs) == [name for name in ours if name in theirs]

    @pytest.mark.parametrize("name", ALL)
    def test_methods_take_langchains_arguments(self, name):
        for method in ("split_text", "create_documents", "split_documents", "transform_documents"):
            theirs = list(inspect.signature(getattr(TextSplitter, method)).parameters)
            ours = list(inspect.signature(getattr(ALL[name], method)).parameters)
            named = [n for n in theirs if n not in ("kwargs", "_kwargs")]
            assert ours[: len(named)] == named

    @pytest.mark.parametrize("size, overlap", [(0, 0), (-1, 0), (5, -1), (5, 6)])
    def test_sizes_that_are_value_errors(self, size, overlap):
        with pytest.raises(ValueError, match="chunk"):
            RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=overlap)
        for name in SIZED:
            with pytest.raises(ValueError, match="chunk_"):
                make(name, size, overlap)

    @pytest.mark.parametrize("name", ALL)
    def test_empty_texts(self, name):
        splitter = make(name)
        assert splitter.split_text("") == splitter.split_text(" \n\t ") == []
        assert type(splitter.split_text("a")) is list
        assert type(splitter.split_text("a")[0]) is str

    @pytest.mark.parametrize("name", ALL)
    def test_create_documents(self, name):
        splitter = make(name, 60)
        given = {"b": 1, "a": {"n": [1]}}
        plain = splitter.create_documents([TEXT], None)
        assert splitter.create_documents([TEXT], metadatas=[]) == plain
        found = splitter.create_documents([TEXT], metadatas=[given])
        assert (
            [d.page_content for d in found]
            == [d.page_content for d in plain]
            == splitter.split_text(TEXT)
        )
        assert all(list(d.metadata) == ["b", "a"] for d in found)
        assert all(d.metadata["a"]["n"] is not given["a"]["n"] for d in found)
        with pytest.raises(ValueError, match="metadatas"):
            splitter.create_documents([TEXT, TEXT], metadatas=[given])

    @pytest.mark.parametrize("measure", [len, TiktokenMeasure()], ids=["characters", "tokens"])
    @pytest.mark.parametrize("name", SIZED)
    @pytest.mark.parametrize(
        "text",
        [TEXT, SAME, TEXT.replace("\n", "\r\n"), "  👍🏽 e\u0301 \u00a0 " * 20],
        ids=["", "same", "CRLF", "emoji"],
    )
    def test_start_index_is_exact_and_covers(self, text, name, measure):
        check(make(name, 20, 7, length_function=measure), text)

    @pytest.mark.parametrize("name", SIZED)
    def test_from_tiktoken_encoder(self, name, encoding):
        cls = SIZED[name]
        for settings in (
            {"encoding_name": "cl100k_base"},
            {"model_name": "gpt-4"},
            {"encoding_name": "o200k_base", "model_name": "gpt-4"},
            {"encoding_name": "cl100k_base", "allowed_special": set(), "disallowed_special": ()},
        ):
            splitter = cls.from_tiktoken_encoder(chunk_size=20, chunk_overlap=5, **settings)
            assert type(splitter) is cls
            for chunk in check(splitter, TEXT + "<|endoftext|>"):
                assert len(encoding.encode(chunk, disallowed_special=())) <= 20

    @pytest.mark.parametrize("name", SIZED)
    def test_from_huggingface_tokenizer(self, name, bert_tokenizer, bert_tokenizer_fast):
        cls = SIZED[name]
        for tokenizer in (bert_tokenizer, bert_tokenizer_fast):
            splitter = cls.from_huggingface_tokenizer(tokenizer, chunk_size=20, chunk_overlap=5)
            assert type(splitter) is cls
            for chunk in check(splitter, TEXT):
                assert len(bert_tokenizer_fast.tokenize(chunk)) <= 20
        with pytest.raises(ValueError, match="tokenizer must be"):
            cls.from_huggingface_tokenizer("bert-base-uncased")

    @pytest.mark.parametrize("name", ALL)
    def test_a_subclass_that_only_splits_text_still_presents(self, name):
        """LangChain's own documents come from `split_text`; ours do not need it."""
        splitter = make(name, 40)
        assert [
            d.page_content for d in splitter.split_documents([Document(TEXT)])
        ] == splitter.split_text(TEXT)


def langchain_chunkers_settings(cls):
    from langchain_chunkers.settings import setting_names

    return setting_names(cls)


class TestParentDocumentRetriever:
    """It writes `doc_id` into children, and calls the child splitter with one document at a time."""

    def retriever(self, child, parent=None, **settings):
        from langchain_classic.retrievers import ParentDocumentRetriever

        return ParentDocumentRetriever(
            vectorstore=InMemoryVectorStore(embedding()),
            docstore=InMemoryStore(),
            child_splitter=child,
            parent_splitter=parent,
            **settings,
        )

    @pytest.mark.parametrize("name", ALL)
    def test_as_child(self, name):
        child = make(name, 60)
        retriever = self.retriever(child)
        given = documents()
        retriever.add_documents(given, ids=["a", "b"])
        stored = list(retriever.vectorstore.store.values())
        wanted = [
            (d.page_content, i)
            for d, i in zip(given, "ab", strict=True)
            for d in child.split_documents([d])
        ]
        assert sorted((s["text"], s["metadata"]["doc_id"]) for s in stored) == sorted(wanted)
        [found, *_] = retriever.invoke(wanted[0][0])
        assert found in given
        assert found.metadata.keys() == {"source", "tags"}  # the parents are as they were

    @pytest.mark.parametrize("name", ALL)
    def test_as_parent(self, name):
        parent = make(name, 120)
        retriever = self.retriever(RecursiveSplitter(30), parent)
        given = documents()
        retriever.add_documents(given)
        stored = [retriever.docstore.store[key] for key in retriever.docstore.yield_keys()]
        assert stored == parent.split_documents(given)
        for child in retriever.vectorstore.store.values():
            of = retriever.docstore.store[child["metadata"]["doc_id"]]
            assert child["text"] in of.page_content
            assert child["metadata"]["source"] == of.metadata["source"]

    def test_ids_are_those_of_the_parents_after_splitting(self):
        parent = RecursiveSplitter(120)
        count = len(parent.split_documents(documents()))
        retriever = self.retriever(RecursiveSplitter(30), parent)
        retriever.add_documents(documents(), ids=[str(number) for number in range(count)])
        assert len(list(retriever.docstore.yield_keys())) == count
        with pytest.raises(ValueError, match="ids"):
            retriever.add_documents(documents(), ids=["a", "b"])

    @pytest.mark.parametrize("name", ALL)
    def test_child_metadata_fields(self, name):
        child = (
            make(name, add_start_index=True)
            if name == "null"
            else make(name, 60, add_start_index=True)
        )
        retriever = self.retriever(child, child_metadata_fields=["source", "start_index"])
        retriever.add_documents(documents())
        for stored in retriever.vectorstore.store.values():
            assert stored["metadata"].keys() == {"source", "start_index", "doc_id"}

    async def test_async(self):
        retriever = self.retriever(SentenceSplitter(60), RecursiveSplitter(200))
        await retriever.aadd_documents(documents())
        found = await retriever.ainvoke("The log of part 3 was signed.")
        assert found
        assert all(isinstance(document, Document) for document in found)


class Loader(BaseLoader):
    def lazy_load(self):
        yield from documents()


class TestOtherConsumers:
    @pytest.mark.parametrize("name", ALL)
    def test_load_and_split(self, name):
        splitter = make(name, 60)
        found = Loader().load_and_split(text_splitter=splitter)
        assert found == splitter.split_documents(documents())

    @pytest.mark.parametrize("name", ALL)
    async def test_document_compressor_pipeline(self, name):
        from langchain_classic.retrievers.document_compressors import DocumentCompressorPipeline

        splitter = make(name, 60)
        pipeline = DocumentCompressorPipeline(transformers=[splitter])
        wanted = splitter.split_documents(documents())
        assert list(pipeline.compress_documents(documents(), "query")) == wanted
        assert list(await pipeline.acompress_documents(documents(), "query")) == wanted

    async def test_pipeline_of_two_splitters(self):
        from langchain_classic.retrievers.document_compressors import DocumentCompressorPipeline

        pipeline = DocumentCompressorPipeline(
            transformers=[RecursiveSplitter(200), SentenceSplitter(60)]
        )
        found = pipeline.compress_documents(documents(), "query")
        assert "".join("".join(d.page_content for d in found).split()) == "".join(
            "".join(d.page_content for d in documents()).split()
        )

    def test_vectorstore_index_creator(self):
        from langchain_classic.indexes.vectorstore import VectorstoreIndexCreator

        creator = VectorstoreIndexCreator(
            vectorstore_cls=InMemoryVectorStore,
            embedding=embedding(),
            text_splitter=RecursiveSplitter(60),
        )
        wrapper = creator.from_documents(documents())
        stored = [entry["text"] for entry in wrapper.vectorstore.store.values()]
        assert stored == [
            d.page_content for d in RecursiveSplitter(60).split_documents(documents())
        ]
        assert creator.from_loaders([Loader()]).vectorstore.store

    async def test_vectorstore_takes_what_comes_out(self):
        store = InMemoryVectorStore(embedding())
        chunks = RecursiveSplitter(60, add_metadata=["chunk_id", "start_index"]).split_documents(
            documents()
        )
        store.add_documents(chunks, ids=[chunk.metadata["chunk_id"] for chunk in chunks])
        assert len(store.store) == len(chunks)
        [best] = await store.asimilarity_search(chunks[3].page_content, k=1)
        assert best.metadata["chunk_id"] == chunks[3].metadata["chunk_id"]


class TestTrimMessages:
    """It cuts the text of a message with `text_splitter(text)` and joins the first pieces again."""

    LINES = "first line here\nsecond line here\nthird line here\nfourth line here"

    @staticmethod
    def count(messages):
        return sum(len(message.content) for message in messages)

    def trim(self, splitter, text, **settings):
        settings = {
            "strategy": "first",
            "token_counter": self.count,
            "allow_partial": True,
            **settings,
        }
        return trim_messages([HumanMessage(text)], text_splitter=splitter, **settings)

    @pytest.mark.parametrize("overlap", [0, 10])
    @pytest.mark.parametrize("name", SIZED)
    def test_what_is_kept_is_the_beginning_of_the_text_los_13(self, name, overlap):
        for kept in range(20, len(self.LINES), 7):
            [message] = self.trim(make(name, 20, overlap), self.LINES, max_tokens=kept)
            assert self.LINES.startswith(message.content)
            assert 0 < len(message.content) <= kept

    @pytest.mark.parametrize("name", SIZED)
    def test_the_last_part_too(self, name):
        [message] = self.trim(make(name, 20, 5), self.LINES, strategy="last", max_tokens=40)
        assert self.LINES.endswith(message.content)
        assert 0 < len(message.content) <= 40

    def test_of_a_conversation(self):
        messages = [HumanMessage(self.LINES), AIMessage("yes"), HumanMessage(self.LINES)]
        splitter = RecursiveSplitter(20, 5, separators=["\n"], keep_separator=False)
        found = trim_messages(
            messages,
            strategy="last",
            max_tokens=110,
            token_counter=self.count,
            allow_partial=True,
            text_splitter=splitter,
        )
        assert self.count(found) <= 110
        assert found[-1].content == self.LINES
        assert self.LINES.endswith(found[0].content)

    @pytest.mark.parametrize("name", ALL)
    def test_pieces_are_a_partition(self, name):
        for text in (self.LINES, TEXT, "  leading and trailing  ", "\n\n\n", ""):
            assert "".join(make(name, 20, 7)(text)) == text


class TestIndex:
    """Twice the same: nothing is added, nothing deleted. Metadata must be JSON and stable."""

    def chunks(self, name, **settings):
        facts = ["start_index", "chunk_id", "previous", "next", "token_count"]
        sizes = () if name == "null" else (60, 10)
        return make(name, *sizes, add_metadata=facts, **settings).split_documents(documents())

    @pytest.mark.parametrize("name", ALL)
    def test_twice(self, name):
        records = InMemoryRecordManager("n")
        records.create_schema()
        store = InMemoryVectorStore(embedding())
        settings = {"cleanup": "full", "source_id_key": "source", "key_encoder": "sha256"}
        first = index(self.chunks(name), records, store, **settings)
        assert first["num_added"] == len(self.chunks(name)) == len(store.store)
        second = index(self.chunks(name), records, store, **settings)
        assert (second["num_added"], second["num_updated"], second["num_deleted"]) == (0, 0, 0)
        assert second["num_skipped"] == first["num_added"]

    async def test_twice_async(self):
        records = InMemoryRecordManager("n")
        await records.acreate_schema()
        store = InMemoryVectorStore(embedding())
        settings = {"cleanup": "incremental", "source_id_key": "source", "key_encoder": "sha256"}
        chunks = await RecursiveSplitter(60).atransform_documents(documents())
        first = await aindex(chunks, records, store, **settings)
        second = await aindex(
            await RecursiveSplitter(60).atransform_documents(documents()),
            records,
            store,
            **settings,
        )
        assert first["num_added"] == len(store.store) > 10
        assert (second["num_added"], second["num_deleted"]) == (0, 0)

    def test_an_edit_at_the_top_adds_one_where_no_offsets_are_told(self):
        records = InMemoryRecordManager("n")
        records.create_schema()
        store = InMemoryVectorStore(embedding())
        settings = {"cleanup": "full", "source_id_key": "source", "key_encoder": "sha256"}
        splitter = RecursiveSplitter(200, add_metadata=["chunk_id"])
        index(splitter.split_documents(documents()), records, store, **settings)
        edited = documents()
        edited[0].page_content = (
            "# New\n\nA new part stands at the very top of this text.\n\n" + edited[0].page_content
        )
        result = index(splitter.split_documents(edited), records, store, **settings)
        assert result["num_added"] <= 2
        assert result["num_deleted"] <= 1


class TestConcurrency:
    @pytest.mark.parametrize("name", ALL)
    async def test_gather_is_as_one_after_another(self, name):
        splitter = make(name, 40)
        sets = [[Document(f"{i} {TEXT}")] for i in range(12)]
        found = await asyncio.gather(*(splitter.atransform_documents(each) for each in sets))
        assert found == [splitter.transform_documents(each) for each in sets]


class TestPathway:
    """What Pathway checks of its own splitters, in our words."""

    PARAGRAPH = "the quick brown fox jumps over the lazy dog and the dog does not mind at all so they go home now"

    def five(self, count):
        """Five paragraphs of 26 tokens each."""
        words = self.PARAGRAPH.split()
        for extra in itertools.product(["the", "dog"], repeat=9):
            paragraph = " ".join([*words, *extra])
            while count(paragraph) > 26 and " " in paragraph:
                paragraph = paragraph.rpartition(" ")[0]
            if count(paragraph) == 26:
                return [paragraph] * 5
        raise AssertionError

    @pytest.mark.parametrize(
        "way", ["encoding_name", "model_name", "hf_tokenizer", "hf_tokenizer (fast)"]
    )
    def test_five_paragraphs_are_five_chunks(self, way, request):
        settings = {
            "encoding_name": lambda: {"encoding_name": "cl100k_base"},
            "model_name": lambda: {"model_name": "gpt-4"},
            "hf_tokenizer": lambda: {"hf_tokenizer": request.getfixturevalue("bert_tokenizer")},
            "hf_tokenizer (fast)": lambda: {
                "hf_tokenizer": request.getfixturevalue("bert_tokenizer_fast")
            },
        }[way]()
        splitter = RecursiveSplitter(chunk_size=30, **settings)
        paragraphs = self.five(splitter.length)
        text = "\n\n".join(paragraphs)
        assert check(splitter, text) == paragraphs
        assert splitter((text, {"k": 1})) == [(paragraph, {"k": 1}) for paragraph in paragraphs]

    @pytest.mark.parametrize(
        "splitter", [TokenCountSplitter(), RecursiveSplitter(30, encoding_name="cl100k_base")]
    )
    def test_a_short_sentence_stays_whole(self, splitter):
        text = "Zażółć gęślą jaźń, powiedział 🦊 do 👩\u200d🚀!"
        assert check(splitter, text) == [text]
        assert splitter((text, None)) == [(text, {})]

    @pytest.mark.parametrize("name", ALL)
    def test_a_pair_keeps_its_metadata(self, name):
        splitter = make(name, 30)
        for meta, wanted in (
            ({"path": "a", "page": 3}, {"path": "a", "page": 3}),
            ({}, {}),
            (None, {}),
        ):
            pairs = splitter((TEXT, meta))
            assert [own for _, own in pairs] == [wanted] * len(pairs)
            assert [text for text, _ in pairs] == splitter.split_text(TEXT)

    def test_min_tokens_is_a_floor(self, encoding):
        splitter = TokenCountSplitter(min_tokens=10, max_tokens=30)
        chunks = check(splitter, TEXT)
        lengths = [len(encoding.encode_ordinary(chunk)) for chunk in chunks]
        assert len(chunks) > 3
        assert all(10 <= length <= 30 for length in lengths), lengths

    @pytest.mark.parametrize("text", ["", "Short.", "a, b, c", "3.14 is pi."])
    def test_what_fits_is_not_cut(self, text):
        assert TokenCountSplitter(min_tokens=2, max_tokens=20).split_text(text) == (
            [text] if text else []
        )
