"""The face of every splitter: settings, overrides, errors, documents, async, configurations.

Long because it mirrors one class, `BaseSplitter`, with a test class for each part of its face.
"""

import ast
import asyncio
import copy
import inspect
import itertools
import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_text_splitters import TextSplitter

import langchain_chunkers
import langchain_chunkers.evaluation
import langchain_chunkers.retrieval
from langchain_chunkers import (
    BaseSplitter,
    ChunkerError,
    FixedSizeSplitter,
    InputError,
    MissingExtraError,
    ModelError,
    NullSplitter,
    Outline,
    OversizeError,
    ParagraphSplitter,
    PipelineSplitter,
    RecursiveSplitter,
    Region,
    SentenceSplitter,
    SettingError,
    Strength,
    TiktokenMeasure,
    TokenCountSplitter,
)
from langchain_chunkers.base import registry
from tests.cases.laws import ALL, SIZED, check, make

TEXT = (
    "# Head\n\nOne sentence here. Another one, and more of it.\n\nA paragraph. 猫は寝た。\n\n" * 3
)


def words(text):
    """Count words; at the top of a module, so that it can be pickled and named."""
    return len(text.split())


def shout(document):
    """Give a fact of the user's own."""
    return {"shout": document.page_content.upper()}


def test_all_is_exact():
    names = langchain_chunkers.__all__
    assert list(names) == sorted(set(names))
    assert dir(langchain_chunkers) == sorted([*names, "__version__"])
    for name in names:
        assert getattr(langchain_chunkers, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'Splitter'"):
        langchain_chunkers.Splitter  # noqa: B018


@pytest.mark.parametrize(
    "package", [langchain_chunkers, langchain_chunkers.evaluation, langchain_chunkers.retrieval]
)
def test_public_names_are_those_that_type_checkers_see(package):
    source = Path(package.__file__).read_text("utf-8")
    seen = source[source.index("if TYPE_CHECKING:") : source.index("_HOMES")].partition("\n__")[0]
    imported = {
        (node.module, alias.name)
        for node in ast.walk(ast.parse(seen))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    homes = {(f"{package.__name__}.{h}", n) for h, names in package._HOMES.items() for n in names}
    assert imported == homes
    assert {name for _, name in homes} == set(package.__all__)
    assert all(getattr(package, name) is not None for name in package.__all__)
    assert not [n for n in package.__all__ if type(getattr(package, n)).__name__ == "module"]


def test_registry_has_the_short_names():
    assert registry().keys() >= {*ALL, "pipeline"}
    assert all(registry()[name] is cls for name, cls in ALL.items())


class TestConstructor:
    @pytest.mark.parametrize("name", ALL)
    def test_is_langchains(self, name):
        assert isinstance(make(name), TextSplitter)
        assert isinstance(make(name), BaseDocumentTransformer)

    def test_positional_order_is_langchains(self):
        class Plain(BaseSplitter):
            pass

        splitter = Plain(40, 8, words, "end", True, False)
        given = (
            "_chunk_size",
            "_chunk_overlap",
            "_keep_separator",
            "_add_start_index",
            "_strip_whitespace",
        )
        assert [getattr(splitter, name) for name in given] == [40, 8, "end", True, False]
        assert splitter._length_function("a b c") == 3
        langchain = list(inspect.signature(TextSplitter.__init__).parameters)
        assert (
            list(inspect.signature(BaseSplitter.__init__).parameters)[: len(langchain)] == langchain
        )

    @pytest.mark.parametrize("name", SIZED)
    def test_size_and_overlap_come_first(self, name):
        if name == "token":
            splitter = TokenCountSplitter(10, 40, "o200k_base", 8)
            assert splitter.unit == "tokens (o200k_base)"
        else:
            splitter = SIZED[name](40, 8)
        assert (splitter._chunk_size, splitter._chunk_overlap) == (40, 8)

    @pytest.mark.parametrize("name", SIZED)
    def test_defaults(self, name):
        splitter = SIZED[name]()
        assert (splitter._chunk_size, splitter._chunk_overlap) == (500, 0)
        assert SIZED[name](chunk_size=20)._chunk_overlap == 0  # an error with LangChain's 200

    @pytest.mark.parametrize("name", SIZED)
    @pytest.mark.parametrize(
        "settings, message",
        [
            ({"chunk_size": 0}, "chunk_size must be a positive integer.*got 0"),
            ({"chunk_size": -5}, "chunk_size must be a positive integer.*got -5"),
            ({"chunk_size": 2.5}, "chunk_size must be a positive integer.*got 2.5"),
            ({"chunk_size": "9"}, "chunk_size must be a positive integer.*got '9'"),
            ({"chunk_size": True}, "chunk_size must be a positive integer.*got True"),
            ({"chunk_overlap": -1}, "chunk_overlap must be an integer.*got -1"),
            (
                {"chunk_size": 9, "chunk_overlap": 9},
                "chunk_overlap must be smaller than chunk_size.*9 and 9",
            ),
            (
                {"chunk_size": 128, "chunk_overlap": 200},
                "200 and 128.*Lower chunk_overlap or raise chunk_size",
            ),
            ({"min_chunk_size": -1}, "min_chunk_size"),
            ({"chunk_size": 9, "min_chunk_size": 10}, "min_chunk_size"),
            (
                {"on_oversize": "crash"},
                "on_oversize must be one of 'split', 'keep', 'raise'.*'crash'",
            ),
            ({"keep_separator": "middle"}, "keep_separator must be one of"),
            ({"add_metadata": ["page_rank"]}, "page_rank.*chunk_index.*metadata_function"),
        ],
        ids=lambda value: str(value) if isinstance(value, dict) else "",
    )
    def test_unusable_settings(self, name, settings, message):
        with pytest.raises(SettingError, match=message):
            SIZED[name](**settings)

    @pytest.mark.parametrize("name", ["sentence", "paragraph", "recursive"])
    def test_min_chunk_size(self, name):
        with pytest.raises(SettingError, match="min_chunk_size must be an integer of characters"):
            SIZED[name](min_chunk_size=-1)
        with pytest.raises(
            SettingError, match="min_chunk_size must be at most chunk_size: got 10 and 9"
        ):
            SIZED[name](9, min_chunk_size=10)

    @pytest.mark.parametrize("name", ["fixed", "token"])
    def test_those_that_fill_refuse_min_chunk_size(self, name):
        with pytest.raises(SettingError, match=r"min_chunk_size.*(min_tokens)?"):
            SIZED[name](chunk_size=90, min_chunk_size=10)

    def test_the_unit_is_in_the_message(self):
        with pytest.raises(ValueError, match=r"got 200 and 128 tokens \(cl100k_base\)"):
            RecursiveSplitter.from_tiktoken_encoder(chunk_size=128, chunk_overlap=200)

    @pytest.mark.parametrize("name", ALL)
    def test_unknown_settings_list_the_known(self, name):
        with pytest.raises(
            SettingError, match=r"(?s)'chunk_sise'.*add_start_index.*strip_whitespace"
        ):
            ALL[name](chunk_sise=100)
        for factory in (ALL[name].from_tiktoken_encoder, ALL[name].from_config):
            with pytest.raises(ValueError, match="chunk_sise"):
                factory(chunk_sise=1) if factory != ALL[name].from_config else factory(
                    {"chunk_sise": 1}
                )

    def test_unknown_settings_are_type_errors_or_value_errors(self):
        with pytest.raises((TypeError, ValueError)):
            RecursiveSplitter(100, colour="red")

    @pytest.mark.parametrize("name", ["sentence", "paragraph", "recursive"])
    def test_no_cap(self, name):
        splitter = SIZED[name](chunk_size=None)
        check(splitter, TEXT)
        assert (
            "".join(SIZED[name](chunk_size=None, strip_whitespace=False).split_text(TEXT)) == TEXT
        )

    def test_no_cap_by_structure(self):
        assert RecursiveSplitter(chunk_size=None).split_text(TEXT) == [TEXT.strip()]
        assert ParagraphSplitter(chunk_size=None).split_text("A.\n\nB.\n\nC.") == ["A.", "B.", "C."]
        sentences = SentenceSplitter(chunk_size=None)
        assert sentences.split_text("A b. C d.") == ["A b.", "C d."]
        # a heading goes with the sentence below it
        assert sentences.split_text("# One\n\nA b. C d.") == ["# One\n\nA b.", "C d."]

    def test_fixed_needs_a_size(self):
        with pytest.raises(SettingError, match="needs a size"):
            FixedSizeSplitter(chunk_size=None)

    @pytest.mark.parametrize(
        "settings", [{"chunk_size": 5}, {"chunk_overlap": 2}, {"min_chunk_size": 2}], ids=str
    )
    def test_null_takes_no_sizes(self, settings):
        with pytest.raises(SettingError, match="never divides"):
            NullSplitter(**settings)

    def test_null_keeps_the_text_as_it_is(self):
        assert NullSplitter().split_text("  a \n") == ["  a \n"]
        assert NullSplitter().split_spans("  a \n") == [(0, 5)]
        [document] = NullSplitter().create_documents(["  a \n"], [{"k": [1]}])
        assert (document.page_content, document.metadata) == ("  a \n", {"k": [1]})

    @pytest.mark.parametrize(
        "settings",
        [
            {"max_tokens": 0},
            {"max_tokens": -1},
            {"min_tokens": -1},
            {"min_tokens": 50, "max_tokens": 20},
            {"max_tokens": 10, "chunk_size": 20},
            {"normalize": "nfkc"},
        ],
        ids=str,
    )
    def test_token_settings(self, settings):
        with pytest.raises(SettingError):
            TokenCountSplitter(**settings)

    def test_only_one_unit(self, bert_tokenizer):
        for settings in (
            {"encoding_name": "cl100k_base", "length_function": words},
            {"encoding_name": "cl100k_base", "hf_tokenizer": bert_tokenizer},
            {"model_name": "gpt-4", "hf_tokenizer": bert_tokenizer},
        ):
            with pytest.raises(SettingError, match="Only one of"):
                RecursiveSplitter(**settings)

    @pytest.mark.parametrize("name", ALL)
    def test_length_function_and_an_encoder_is_a_type_error(self, name):
        with pytest.raises(TypeError, match="length_function"):
            ALL[name].from_tiktoken_encoder(length_function=len)

    @pytest.mark.parametrize("name", ALL)
    def test_factories_give_the_class_itself(self, name, bert_tokenizer):
        assert type(ALL[name].from_tiktoken_encoder("o200k_base")) is ALL[name]
        assert ALL[name].from_tiktoken_encoder(model_name="gpt-4").unit == "tokens (cl100k_base)"
        assert type(ALL[name].from_huggingface_tokenizer(bert_tokenizer)) is ALL[name]

    def test_repr_shows_what_was_given(self):
        assert repr(RecursiveSplitter(300, chunk_overlap=20)) == (
            "RecursiveSplitter(chunk_size=300, chunk_overlap=20)"
        )

    def test_a_missing_extra_is_said_when_made(self, monkeypatch):
        monkeypatch.setitem(__import__("sys").modules, "tqdm.auto", None)
        with pytest.raises(
            MissingExtraError, match=r"pip install 'langchain-chunkers\[progress\]'"
        ):
            RecursiveSplitter(show_progress=True)


class TestErrors:
    def test_the_tree(self):
        for leaf, builtin in (
            (SettingError, ValueError),
            (InputError, TypeError),
            (OversizeError, ValueError),
            (MissingExtraError, ImportError),
            (ModelError, RuntimeError),
        ):
            assert issubclass(leaf, ChunkerError)
            assert issubclass(leaf, builtin)

    @pytest.mark.parametrize("name", ALL)
    @pytest.mark.parametrize("text", [None, 3, b"bytes", ["a"], {"a": 1}], ids=str)
    def test_what_is_no_text(self, name, text):
        splitter = make(name)
        for method in (splitter.split_text, splitter.split_spans):
            with pytest.raises(InputError, match="text must be a str: got"):
                method(text)
        with pytest.raises(InputError, match="text must be a str: got"):
            splitter.create_documents([text])

    def test_a_string_subclass_is_a_text(self):
        class Text(str):
            __slots__ = ()

        assert RecursiveSplitter(5).split_text(Text("hello world")) == ["hello", "world"]

    @pytest.mark.parametrize(
        "error", [SettingError("m"), InputError("m"), OversizeError("m"), ModelError("m", [1])]
    )
    def test_pickle(self, error):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again)) == (type(error), "m")
        assert getattr(again, "answer", None) == getattr(error, "answer", None)


class TestOverrides:
    @pytest.mark.parametrize("name", SIZED)
    def test_for_one_call_only(self, name):
        splitter = make(name, 40, 4)
        before = splitter.split_text(TEXT)
        wanted = make(name, 20, 2).split_text(TEXT)
        assert splitter.split_text(TEXT, chunk_size=20, chunk_overlap=2) == wanted
        assert splitter.split_text(TEXT) == before
        assert (splitter._chunk_size, splitter._chunk_overlap) == (40, 4)

    def test_tokens_by_their_own_names(self):
        splitter = TokenCountSplitter(min_tokens=2, max_tokens=40)
        assert splitter.split_text(TEXT, max_tokens=10) == TokenCountSplitter(2, 10).split_text(
            TEXT
        )
        assert splitter.split_text(TEXT, chunk_size=10) == TokenCountSplitter(2, 10).split_text(
            TEXT
        )

    @pytest.mark.parametrize("name", SIZED)
    def test_in_every_method(self, name):
        splitter, small = make(name, 60), make(name, 20)
        documents = [Document(TEXT, metadata={"k": 1})]
        assert splitter.split_spans(TEXT, chunk_size=20) == small.split_spans(TEXT)
        for method, argument in (
            ("create_documents", [TEXT]),
            ("split_documents", documents),
            ("transform_documents", documents),
        ):
            found = getattr(splitter, method)(argument, chunk_size=20)
            assert found == getattr(small, method)(argument)
        assert list(
            splitter.lazy_split_documents(documents, chunk_size=20)
        ) == small.split_documents(documents)
        assert splitter((TEXT, {}), chunk_size=20) == small((TEXT, {}))

    @pytest.mark.parametrize("name", ALL)
    def test_unknown_ones_list_the_known(self, name):
        for method, argument in (
            ("split_text", "a"), ("split_spans", "a"), ("create_documents", ["a"]),
            ("split_documents", [Document("a")]), ("transform_documents", [Document("a")]), ("__call__", "a"),
        ):  # fmt: skip
            with pytest.raises((TypeError, ValueError), match=r"(?s)'max_tokenz'.*add_start_index"):
                getattr(make(name), method)(argument, max_tokenz=3)

    def test_are_checked_like_settings(self):
        with pytest.raises(SettingError, match="chunk_overlap must be smaller"):
            RecursiveSplitter(100, 50).split_text(TEXT, chunk_size=40)

    def test_keep_what_else_was_given(self):
        splitter = RecursiveSplitter.from_tiktoken_encoder(
            "o200k_base", chunk_size=50, add_metadata=["chunk_index"], separators=["\n"]
        )
        again = splitter._with({"chunk_size": 10})
        assert again.unit == "tokens (o200k_base)"
        assert again._separators == ["\n"]
        assert again.create_documents([TEXT])[1].metadata == {"chunk_index": 1}

    @pytest.mark.parametrize("keep", [True, False])
    def test_of_a_splitter_with_kept_separators(self, keep):
        splitter = RecursiveSplitter(9, separators=[", "], keep_separator=not keep)
        wanted = RecursiveSplitter(9, separators=[", "], keep_separator=keep)
        text = "one, two, three, four"
        assert splitter.split_text(text, keep_separator=keep) == wanted.split_text(text)


class TestDocuments:
    @pytest.mark.parametrize("name", ALL)
    def test_texts_and_metadatas(self, name):
        splitter = make(name, 30)
        wanted = splitter.split_text(TEXT)
        for metadatas in (None, [], [{}], [{}, {"too": "many"}]):
            assert [d.page_content for d in splitter.create_documents([TEXT], metadatas)] == wanted
        assert splitter.create_documents([]) == []
        assert splitter.create_documents(iter(["a", "b"])) == [Document("a"), Document("b")]

    @pytest.mark.parametrize("name", ALL)
    def test_split_documents_is_split_text_one_to_one(self, name):
        splitter = make(name, 30)
        document = Document(TEXT, metadata={"z": 1, "a": {"n": [1]}})
        for documents in ([document], iter([document]), (d for d in [document])):
            found = splitter.split_documents(documents)
            assert [d.page_content for d in found] == splitter.split_text(TEXT)
            assert all(list(d.metadata) == ["z", "a"] for d in found)
        assert splitter.split_documents([]) == []

    @pytest.mark.parametrize("name", ALL)
    def test_start_index_comes_last_and_replaces(self, name):
        splitter = make(name, 30, add_start_index=True)
        document = Document(TEXT, metadata={"start_index": 999, "source": "s"})
        for chunk in splitter.split_documents([document]):
            start, end = chunk.metadata["start_index"], chunk.metadata["end_index"]
            assert TEXT[start:end] == chunk.page_content
        assert list(splitter.create_documents([TEXT], [{"k": 1}])[0].metadata) == [
            "k",
            "start_index",
            "end_index",
        ]

    @pytest.mark.parametrize("name", ALL)
    def test_lazy_reads_one_document_at_a_time(self, name):
        seen = []

        def documents():
            for number in itertools.count():
                seen.append(number)
                yield Document(TEXT, metadata={"n": number})

        stream = make(name, 30).lazy_split_documents(documents())
        assert seen == []
        assert next(stream).metadata == {"n": 0}
        assert seen == [0]
        while next(stream).metadata == {"n": 0}:
            pass
        assert seen == [0, 1]

    def test_the_id_does_not_win_over_the_sources_key(self):
        document = Document("a", id="d1", metadata={"document_id": "own"})
        assert RecursiveSplitter().split_documents([document])[0].metadata == {"document_id": "own"}

    @pytest.mark.parametrize("name", ALL)
    def test_input_documents_are_left_alone(self, name):
        document = Document(TEXT, id="d", metadata={"a": [1]})
        kept = copy.deepcopy(document)
        make(name, 30, add_start_index=True, metadata_function=shout).split_documents([document])
        assert document == kept


class TestFacts:
    EVERY = (
        "start_index", "end_index", "chunk_index", "chunk_count", "chunk_id", "previous", "next",
        "token_count", "line_start", "line_end",
    )  # fmt: skip

    def documents(self, text=TEXT, metadata=None, **settings):
        settings = {"chunk_size": 30, "add_metadata": self.EVERY, **settings}
        return RecursiveSplitter(**settings).create_documents([text], [metadata or {}])

    def test_numbers(self, encoding):
        documents = self.documents()
        for number, document in enumerate(documents):
            facts = document.metadata
            assert facts["chunk_index"] == number
            assert facts["chunk_count"] == len(documents)
            assert TEXT[facts["start_index"] : facts["end_index"]] == document.page_content
            assert facts["token_count"] == len(encoding.encode_ordinary(document.page_content))
            assert facts["line_start"] == TEXT.count("\n", 0, facts["start_index"]) + 1
            assert facts["line_end"] == TEXT.count("\n", 0, facts["end_index"] - 1) + 1

    def test_lines_with_overlap_go_back(self):
        for document in self.documents(
            "a\nb\nc\nd\ne\nf\ng\nh\n" * 3, chunk_size=8, chunk_overlap=6
        ):
            text, facts = "a\nb\nc\nd\ne\nf\ng\nh\n" * 3, document.metadata
            assert facts["line_start"] == text.count("\n", 0, facts["start_index"]) + 1
            assert facts["line_end"] == text.count("\n", 0, facts["end_index"] - 1) + 1

    def test_neighbours(self):
        facts = [d.metadata for d in self.documents()]
        assert "previous" not in facts[0]
        assert "next" not in facts[-1]
        for before, after in itertools.pairwise(facts):
            assert before["next"] == after["chunk_id"]
            assert after["previous"] == before["chunk_id"]

    def test_ids_are_unique_and_stable(self):
        ids = [d.metadata["chunk_id"] for d in self.documents()]
        assert len(set(ids)) == len(ids)
        assert ids == [d.metadata["chunk_id"] for d in self.documents()]
        other = [d.metadata["chunk_id"] for d in self.documents(metadata={"source": "b.txt"})]
        assert not set(ids) & set(other)

    def test_ids_outlive_an_edit_elsewhere(self):
        text = "\n\n".join(f"Paragraph number {i} of them." for i in range(9))
        before = [d.metadata["chunk_id"] for d in self.documents(text)]
        after = [d.metadata["chunk_id"] for d in self.documents("A new one at the top.\n\n" + text)]
        assert after[1:] == before

    def test_token_count_is_of_the_splitters_own_tokenizer(self, bert_tokenizer):
        splitter = RecursiveSplitter.from_huggingface_tokenizer(
            bert_tokenizer, chunk_size=9, add_metadata=["token_count"]
        )
        for document in splitter.create_documents([TEXT]):
            wanted = len(bert_tokenizer.encode(document.page_content, add_special_tokens=False).ids)
            assert document.metadata == {"token_count": wanted}

    def test_a_name_alone_is_enough(self):
        [document] = RecursiveSplitter(add_metadata="chunk_count").create_documents(["a"])
        assert document.metadata == {"chunk_count": 1}

    def test_counts_are_of_each_document(self):
        documents = RecursiveSplitter(
            5, add_metadata=["chunk_index", "chunk_count"]
        ).create_documents(["hello world", "", "hello"])
        assert [(d.metadata["chunk_index"], d.metadata["chunk_count"]) for d in documents] == [
            (0, 2),
            (1, 2),
            (0, 1),
        ]

    def test_metadata_function(self):
        splitter = RecursiveSplitter(5, metadata_function=shout, add_start_index=True)
        first, second = splitter.create_documents(["hello world"], [{"k": 1}])
        assert first.metadata == {"k": 1, "start_index": 0, "end_index": 5, "shout": "HELLO"}
        assert second.metadata["shout"] == "WORLD"

    def test_metadata_function_may_add_nothing(self):
        splitter = RecursiveSplitter(5, metadata_function=lambda document: {})
        assert splitter.create_documents(["hello"])[0].metadata == {}

    def test_metadata_function_errors_are_its_own(self):
        def fails(document):
            message = "no facts"
            raise KeyError(message)

        with pytest.raises(KeyError, match="no facts"):
            RecursiveSplitter(5, metadata_function=fails).create_documents(["hello"])

    def test_facts_of_regions_and_prefixes(self):
        class Rows(BaseSplitter):
            def read(self, text):
                places = [i + 1 for i, c in enumerate(text[:-1]) if c == "\n"]
                region = Region(0, len(text), "lines", {"table": 1}, "a|b\n")
                return Outline(text, {Strength.LINE: places}, [region])

        text = "a|b\n1|2\n3|4\n5|6\n7|8\n"
        splitter = Rows(12, add_start_index=True)
        documents = splitter.create_documents([text])
        assert len(documents) > 1
        for number, document in enumerate(documents):
            facts = document.metadata
            assert facts["table"] == 1
            assert document.page_content.startswith("a|b\n")
            assert len(document.page_content) <= 12
            prefix = facts.get("prefix", "")
            assert bool(prefix) == (number > 0)
            assert document.page_content == prefix + text[facts["start_index"] : facts["end_index"]]
        spans = splitter.split_spans(text)
        assert splitter.split_text(text) == [s.prefix + text[s.start : s.end] for s in spans]


class TestProgress:
    @pytest.mark.parametrize(
        "method", ["create_documents", "split_documents", "lazy_split_documents"]
    )
    def test_shows_documents(self, method, capsys):
        splitter = RecursiveSplitter(20, show_progress=True)
        given = [TEXT] * 3 if method == "create_documents" else [Document(TEXT)] * 3
        found = list(getattr(splitter, method)(given))
        assert "3/3" in capsys.readouterr().err
        quiet = RecursiveSplitter(20)
        assert found == list(getattr(quiet, method)(given))
        assert capsys.readouterr().err == ""

    def test_can_be_asked_for_in_a_call(self, capsys):
        RecursiveSplitter(20).split_documents([Document(TEXT)], show_progress=True)
        assert "1/1" in capsys.readouterr().err

    def test_a_generator_has_no_total(self, capsys):
        list(
            RecursiveSplitter(20, show_progress=True).split_documents(
                Document(TEXT) for _ in range(2)
            )
        )
        assert "2doc" in capsys.readouterr().err


class TestCall:
    @pytest.mark.parametrize("name", ALL)
    @pytest.mark.parametrize("overlap", [0, 5])
    def test_a_string_gives_pieces_that_are_the_string(self, name, overlap):
        splitter = make(name, 20, overlap)
        pieces = splitter(TEXT)
        assert "".join(pieces) == TEXT
        assert all(isinstance(piece, str) for piece in pieces)
        assert splitter("") == []

    @pytest.mark.parametrize("name", ALL)
    def test_a_pair_keeps_its_metadata_on_every_chunk(self, name):
        meta = {"path": "a.txt", "n": [1]}
        pairs = make(name, 20)((TEXT, meta))
        assert pairs == [(chunk, meta) for chunk in make(name, 20).split_text(TEXT)]
        assert all(
            type(pair) is tuple and own is not meta
            for pair, own in zip(pairs, [p[1] for p in pairs], strict=True)
        )
        assert all(own["n"] is not meta["n"] for _, own in pairs)

    @pytest.mark.parametrize("name", ALL)
    def test_no_metadata_gives_an_empty_dictionary(self, name):
        assert make(name, 50)(("short", None)) == [("short", {})]
        assert make(name, 50)(("short", {})) == [("short", {})]

    def test_a_pair_with_facts(self):
        splitter = RecursiveSplitter(5, add_start_index=True)
        assert splitter(("hello world", None))[1] == ("world", {"start_index": 6, "end_index": 11})

    @pytest.mark.parametrize(
        "wrong", [None, 3, ("a", {}, 1), ("a",), b"ab", (3, {}), ("a", 3)], ids=str
    )
    def test_anything_else_is_an_input_error(self, wrong):
        with pytest.raises(InputError):
            RecursiveSplitter(5)(wrong)


class TestAsync:
    @pytest.mark.parametrize("name", ALL)
    async def test_twins_agree(self, name):
        splitter = make(name, 30, 5)
        documents = [Document(TEXT, metadata={"k": 1})]
        assert await splitter.asplit_text(TEXT) == splitter.split_text(TEXT)
        assert await splitter.asplit_spans(TEXT) == splitter.split_spans(TEXT)
        assert await splitter.acreate_documents([TEXT], [{"a": 1}]) == splitter.create_documents(
            [TEXT], [{"a": 1}]
        )
        assert await splitter.asplit_documents(documents) == splitter.split_documents(documents)
        assert await splitter.atransform_documents(documents) == splitter.split_documents(documents)
        streamed = [chunk async for chunk in splitter.alazy_split_documents(documents)]
        assert streamed == splitter.split_documents(documents)

    async def test_twins_take_overrides(self):
        splitter, small = RecursiveSplitter(60), RecursiveSplitter(20)
        documents = [Document(TEXT)]
        assert await splitter.asplit_text(TEXT, chunk_size=20) == small.split_text(TEXT)
        assert await splitter.asplit_documents(documents, chunk_size=20) == small.split_documents(
            documents
        )
        assert await splitter.acreate_documents([TEXT], chunk_size=20) == small.create_documents(
            [TEXT]
        )
        with pytest.raises(SettingError):
            await splitter.asplit_text(TEXT, nope=1)

    async def test_every_method_has_a_twin(self):
        for method in (
            "split_text",
            "split_spans",
            "create_documents",
            "split_documents",
            "lazy_split_documents",
            "transform_documents",
        ):
            twin = getattr(RecursiveSplitter, "a" + method)
            ours = list(inspect.signature(getattr(RecursiveSplitter, method)).parameters)
            assert list(inspect.signature(twin).parameters) == ours

    @pytest.mark.parametrize("measure", [len, TiktokenMeasure()], ids=["characters", "cl100k"])
    async def test_many_at_once(self, measure):
        splitter = RecursiveSplitter(30, 5, length_function=measure)
        sets = [[Document(f"{i} " + TEXT * (i % 3 + 1))] for i in range(24)]
        found = await asyncio.gather(*(splitter.atransform_documents(each) for each in sets))
        assert found == [splitter.transform_documents(each) for each in sets]

    async def test_streams_endless_input(self):
        stream = RecursiveSplitter(30).alazy_split_documents(
            Document(TEXT) for _ in itertools.count()
        )
        assert (await anext(stream)).page_content
        await stream.aclose()


MEASURES = {
    "characters": len,
    "words": words,
    "cl100k": TiktokenMeasure(),
    "o200k": TiktokenMeasure("o200k_base"),
}


class TestPortable:
    @pytest.mark.parametrize("measure", MEASURES)
    @pytest.mark.parametrize("name", ALL)
    def test_pickle_and_copies(self, name, measure):
        splitter = make(
            name,
            12,
            3,
            length_function=MEASURES[measure],
            metadata_function=shout,
            add_start_index=True,
        )
        for again in (
            pickle.loads(pickle.dumps(splitter)),
            copy.deepcopy(splitter),
            copy.copy(splitter),
        ):
            assert type(again) is type(splitter)
            assert again.create_documents([TEXT]) == splitter.create_documents([TEXT])
            assert again.split_text(TEXT, add_start_index=False) == splitter.split_text(TEXT)

    @pytest.mark.parametrize(
        "splitter",
        [
            RecursiveSplitter(
                20, separators=[r"\n+", " "], is_separator_regex=True, keep_separator="end"
            ),
            RecursiveSplitter.from_language("python", chunk_size=30),
            TokenCountSplitter(2, 9, normalize="NFKC"),
            ParagraphSplitter(60) | SentenceSplitter(20, 8),
        ],
        ids=["separators", "python", "normalized", "pipeline"],
    )
    def test_others(self, splitter):
        for again in (pickle.loads(pickle.dumps(splitter)), copy.deepcopy(splitter)):
            assert again.split_spans(TEXT) == splitter.split_spans(TEXT)

    def test_a_subclass_of_the_users(self):
        again = pickle.loads(pickle.dumps(Dashes(9)))
        assert again.split_text("ab--cd--ef--gh") == ["ab--", "cd--", "ef--gh"] or again.split_text(
            "ab--cd--ef--gh"
        ) == ["ab--cd--", "ef--gh"]
        assert "dashes" in registry()

    @pytest.mark.parametrize("name", SIZED)
    def test_no_state_between_calls(self, name):
        splitter = make(name, 20, 5)
        before = pickle.dumps(splitter)
        first = splitter.split_text(TEXT)
        splitter.split_text("something else. " * 30)
        assert splitter.split_text(TEXT) == first
        assert pickle.dumps(splitter) == before

    @pytest.mark.parametrize("measure", MEASURES)
    def test_threads(self, measure):
        splitter = RecursiveSplitter(12, 3, length_function=MEASURES[measure])
        texts = [f"{i} " + TEXT * (1 + i % 3) for i in range(16)]
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(splitter.split_spans, texts)) == list(
                map(splitter.split_spans, texts)
            )

    def test_generators_can_be_interleaved(self):
        splitter = RecursiveSplitter(20, 5)
        one = splitter.lazy_split_documents([Document(TEXT, metadata={"n": 1})] * 2)
        two = splitter.lazy_split_documents([Document(TEXT[::-1], metadata={"n": 2})] * 2)
        mixed = [d for pair in itertools.zip_longest(one, two) for d in pair if d]
        for n, text in ((1, TEXT), (2, TEXT[::-1])):
            assert [d.page_content for d in mixed if d.metadata["n"] == n] == splitter.split_text(
                text
            ) * 2


class Dashes(BaseSplitter):
    """A splitter of a user's own: the package's promise is that `read` is enough."""

    name = "dashes"

    def read(self, text):
        places = [i + 2 for i in range(len(text) - 2) if text[i : i + 2] == "--"]
        return Outline.of(text, [(at, Strength.BLOCK) for at in places])


def test_a_users_reader_has_every_guarantee():
    for size, overlap in ((3, 0), (9, 2), (20, 19)):
        check(Dashes(size, overlap), "ab--cd--ef--gh 猫。e\u0301--" * 5)


class TestConfig:
    @pytest.mark.parametrize(
        "splitter",
        [
            RecursiveSplitter(),
            RecursiveSplitter(300, 20, ["\n", ""], True, "end", add_metadata=["chunk_id"]),
            RecursiveSplitter(30, encoding_name="o200k_base", packing="fill", line_breaks="lines"),
            RecursiveSplitter.from_tiktoken_encoder(model_name="gpt-4o", chunk_size=30),
            RecursiveSplitter.from_language("python", chunk_size=30),
            FixedSizeSplitter(30, 3, length_function=words),
            SentenceSplitter(chunk_size=None, strip_whitespace=False),
            ParagraphSplitter(60, min_chunk_size=10, metadata_function=shout),
            TokenCountSplitter(2, 30, "o200k_base", normalize="NFKC"),
            NullSplitter(add_start_index=True),
            ParagraphSplitter(90) | SentenceSplitter(30),
            (ParagraphSplitter(90) | SentenceSplitter(50)) | FixedSizeSplitter(20),
            Dashes(12),
        ],
        ids=lambda splitter: type(splitter).__name__,
    )
    def test_round_trip_through_json(self, splitter):
        config = json.loads(json.dumps(splitter.to_config()))
        again = BaseSplitter.from_config(config)
        assert type(again) is type(splitter)
        assert again.to_config() == config
        assert again.create_documents([TEXT]) == splitter.create_documents([TEXT])
        assert again.unit == splitter.unit
        assert type(splitter).from_config(config).split_text(TEXT) == splitter.split_text(TEXT)

    def test_yaml(self):
        import yaml

        splitter = RecursiveSplitter.from_tiktoken_encoder(chunk_size=30, separators=["\n\n", "\n"])
        again = BaseSplitter.from_config(yaml.safe_load(yaml.safe_dump(splitter.to_config())))
        assert again.split_spans(TEXT) == splitter.split_spans(TEXT)

    def test_only_what_was_given(self):
        assert RecursiveSplitter(300).to_config() == {"splitter": "recursive", "chunk_size": 300}

    def test_by_hand(self):
        splitter = BaseSplitter.from_config(
            {
                "splitter": "SentenceSplitter",
                "chunk_size": 30,
                "length_function": {"tiktoken": "cl100k_base"},
            }
        )
        assert type(splitter) is SentenceSplitter
        assert splitter.unit == "tokens (cl100k_base)"
        assert SentenceSplitter.from_config({"chunk_size": 30})._chunk_size == 30

    def test_the_configuration_given_is_left_alone(self):
        config = {"splitter": "recursive", "separators": ["\n"], "chunk_size": 9}
        kept = copy.deepcopy(config)
        BaseSplitter.from_config(config)
        assert config == kept

    @pytest.mark.parametrize(
        "config, message",
        [
            ({}, "needs 'splitter'"),
            ({"chunk_size": 3}, "needs 'splitter'"),
            ({"splitter": "nope"}, r"'nope' is not known.*recursive"),
            ({"splitter": "recursive", "colour": 1}, r"'colour'.*chunk_size"),
            ({"splitter": "recursive", "chunk_size": 0}, "chunk_size must be"),
            (
                {"splitter": "recursive", "length_function": {"abacus": 1}},
                "length_function must name",
            ),
        ],
        ids=str,
    )
    def test_wrong_ones(self, config, message):
        with pytest.raises(SettingError, match=message):
            BaseSplitter.from_config(config)

    def test_of_another_class(self):
        with pytest.raises(SettingError, match="RecursiveSplitter, which is no SentenceSplitter"):
            SentenceSplitter.from_config({"splitter": "recursive"})

    @pytest.mark.parametrize(
        "settings",
        [{"length_function": lambda text: 1}, {"metadata_function": lambda document: {}}],
        ids=["length", "metadata"],
    )
    def test_what_has_no_name_is_an_error(self, settings):
        with pytest.raises(
            (SettingError, InputError), match="cannot be written into a configuration"
        ):
            RecursiveSplitter(**settings).to_config()

    def test_an_encoding_and_a_tokenizer_are_named(self, encoding, bert_tokenizer_fast):
        config = RecursiveSplitter(30, length_function=encoding).to_config()
        assert config["length_function"] == {"tiktoken": "cl100k_base"}
        unnamed = RecursiveSplitter(30, hf_tokenizer=bert_tokenizer_fast)
        with pytest.raises(SettingError, match="was not loaded by name"):
            unnamed.to_config()  # nothing could load it again


class TestPipeline:
    COARSE, FINE = ParagraphSplitter(90), SentenceSplitter(30, 10)

    def test_offsets_are_those_of_the_whole_text(self):
        splitter = self.COARSE | self.FINE
        assert type(splitter) is PipelineSplitter
        assert check(splitter, TEXT)

    @pytest.mark.parametrize("coarse", ALL)
    @pytest.mark.parametrize("fine", ALL)
    def test_every_pair_keeps_the_laws(self, coarse, fine):
        pipeline = make(coarse, 60) | make(fine, 20, 5)
        spans = pipeline.split_spans(TEXT)
        assert pipeline.split_text(TEXT) == [TEXT[a:b] for a, b in spans]
        if fine != "null":
            assert all(end - start <= 20 for start, end in spans)
        done = 0
        for span in spans:
            assert not TEXT[done : span.fresh].strip()
            done = span.end
        assert not TEXT[done:].strip()

    def test_nothing_crosses_a_chunk_of_the_first(self):
        first = self.COARSE.split_spans(TEXT)
        for start, end in (self.COARSE | SentenceSplitter(30)).split_spans(TEXT):
            assert any(a <= start < end <= b for a, b in first)

    def test_overrides_are_for_the_second(self):
        splitter = self.COARSE | self.FINE
        wanted = self.COARSE | SentenceSplitter(20, 0)
        assert splitter.split_spans(TEXT, chunk_size=20, chunk_overlap=0) == wanted.split_spans(
            TEXT
        )
        with pytest.raises(SettingError, match="nope"):
            splitter.split_text(TEXT, nope=1)

    def test_call_and_keeping_white_space(self):
        splitter = self.COARSE | self.FINE
        assert "".join(splitter(TEXT)) == TEXT
        assert "".join(splitter.split_text(TEXT, strip_whitespace=False, chunk_overlap=0)) == TEXT

    def test_metadata_of_both(self):
        coarse = ParagraphSplitter(90, add_metadata=["chunk_count"])
        splitter = coarse | SentenceSplitter(30, add_start_index=True)
        documents = splitter.create_documents([TEXT], [{"k": 1}])
        for document in documents:
            facts = document.metadata
            assert facts["k"] == 1
            assert facts["chunk_count"] == len(documents)
            assert TEXT[facts["start_index"] : facts["end_index"]] == document.page_content

    def test_the_functions_of_the_two_are_called(self):
        splitter = ParagraphSplitter(90) | SentenceSplitter(30, metadata_function=shout)
        assert all(
            d.metadata["shout"] == d.page_content.upper() for d in splitter.create_documents([TEXT])
        )

    def test_lines_where_the_first_overlaps(self):
        """The second splits what is repeated once more, so starts go back."""
        text = "".join(f"{number} is a line.\n" for number in range(30))
        splitter = PipelineSplitter(
            FixedSizeSplitter(60, 30),
            FixedSizeSplitter(9),
            add_metadata=["start_index", "end_index", "line_start", "line_end"],
        )
        documents = splitter.create_documents([text])
        starts = [document.metadata["start_index"] for document in documents]
        assert starts != sorted(starts)
        for document in documents:
            facts = document.metadata
            assert text[facts["start_index"] : facts["end_index"]] == document.page_content
            assert facts["line_start"] == text.count("\n", 0, facts["start_index"]) + 1
            assert facts["line_end"] == text.count("\n", 0, facts["end_index"] - 1) + 1

    def test_only_with_splitters_of_this_package(self):
        from langchain_text_splitters import CharacterTextSplitter

        with pytest.raises(TypeError):
            self.COARSE | CharacterTextSplitter()
        with pytest.raises(InputError, match="fine must be a splitter of this package"):
            PipelineSplitter(self.COARSE, len)

    def test_three_in_a_row(self):
        splitter = ParagraphSplitter(90) | SentenceSplitter(50) | FixedSizeSplitter(20)
        assert check(splitter, TEXT)
        assert pickle.loads(pickle.dumps(splitter)).split_spans(TEXT) == splitter.split_spans(TEXT)
