"""Real clients (langchain-openai) against a server that speaks OpenAI's protocol, and its failures."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest
from langchain_openai import ChatOpenAI, OpenAIEmbeddings

from integration_tests import openai_server as answers
from langchain_chunkers import (
    LLMSplitter,
    ModelError,
    PropositionSplitter,
    SemanticSplitter,
    WordLlamaEmbeddings,
    with_context,
)
from langchain_chunkers.strategies.recursive import RecursiveSplitter

pytestmark = pytest.mark.enable_socket  # the server is of this process

TEXT = (
    "Kilns are hot. Glaze melts in them at a thousand degrees. The potter waits a day. "
    "Taxes rose in May. Few paid them on time. The clerk sent letters to all."
)
TOPICS = '{"topics": [{"start": 1}, {"start": 4}]}'
PARTED = [
    "Kilns are hot. Glaze melts in them at a thousand degrees. The potter waits a day.",
    "Taxes rose in May. Few paid them on time. The clerk sent letters to all.",
]


@pytest.fixture
def server() -> Iterator[answers.Server]:
    model = WordLlamaEmbeddings()
    with answers.serving(answers.says(TOPICS), model.embed_documents) as running:
        yield running


def chat(server: answers.Server, **options: object) -> ChatOpenAI:
    settings = {"timeout": 10, "max_retries": 0, **options}
    return ChatOpenAI(model="any", base_url=server.url, api_key="none", **settings)  # type: ignore[arg-type]


def splitter(server: answers.Server, **options: object) -> LLMSplitter:
    return LLMSplitter(chat(server), retry_wait=0, **options)  # type: ignore[arg-type]


# ------------------------------------------------------------------ embeddings


async def test_semantic_with_embeddings_of_a_server(server: answers.Server) -> None:
    remote = OpenAIEmbeddings(
        model="any", base_url=server.url, api_key="none", check_embedding_ctx_length=False
    )
    here = SemanticSplitter(WordLlamaEmbeddings(), method="percentile")
    there = SemanticSplitter(remote, method="percentile")
    assert there.split_spans(TEXT * 4) == here.split_spans(TEXT * 4)
    assert await there.asplit_spans(TEXT * 4) == here.split_spans(TEXT * 4)
    assert server.embedded, "the server was asked"


def test_an_embedding_server_that_is_gone_is_an_error() -> None:
    with answers.serving(answers.says(""), lambda texts: [[1.0]] * len(texts)) as running:
        url = running.url
    remote = OpenAIEmbeddings(
        model="any", base_url=url, api_key="none", check_embedding_ctx_length=False, max_retries=0
    )
    with pytest.raises(Exception, match=r"(?i)connect"):
        SemanticSplitter(remote).split_text(TEXT * 10)


def test_a_server_that_gives_too_few_vectors_is_a_model_error() -> None:
    with answers.serving(answers.says(""), lambda texts: [[1.0, 0.0]] * (len(texts) - 1)) as few:
        remote = OpenAIEmbeddings(
            model="any", base_url=few.url, api_key="none", check_embedding_ctx_length=False
        )
        with pytest.raises(ModelError):
            SemanticSplitter(remote).split_text(TEXT * 10)


# ------------------------------------------------------------------ chat: what goes well


async def test_the_model_chooses_boundaries(server: answers.Server) -> None:
    assert splitter(server).split_text(TEXT) == PARTED
    assert await splitter(server).asplit_text(TEXT) == PARTED
    assert "response_format" in server.requests[0], "structured output was asked for"


def test_windows_are_asked_at_the_same_time(server: answers.Server) -> None:
    long = "\n\n".join(f"{TEXT} Part {number} ends." for number in range(20))
    chunks = splitter(server, window_size=800, window_overlap=2, max_concurrency=4).split_text(long)
    assert len(server.requests) > 4
    assert "".join("".join(chunks).split()) == "".join(long.split())


def test_contexts_are_written(server: answers.Server) -> None:
    server.otherwise = answers.says("About pottery and taxes.")
    documents = with_context(RecursiveSplitter(90), llm=chat(server)).create_documents([TEXT])
    assert len(documents) > 1
    assert all("About pottery and taxes." in d.page_content for d in documents)


def test_propositions_point_to_their_sentences(server: answers.Server) -> None:
    server.otherwise = answers.says(
        '{"propositions": [{"sentences": [4], "statement": "Taxes rose in May."}]}'
    )
    documents = PropositionSplitter(chat(server)).create_documents([TEXT], add_start_index=True)
    found = next(d for d in documents if "Taxes rose in May." in str(d.metadata) + d.page_content)
    span = TEXT[found.metadata["start_index"] : found.metadata["end_index"]]
    assert "Taxes rose in May." in span


# ------------------------------------------------------------------ chat: what goes wrong

RECOVERED = {
    "too many requests": [answers.fails(429, "rate_limit_exceeded")],
    "server error": [answers.fails(500), answers.fails(503)],
    "no JSON": [answers.says("I would rather talk about the weather.")],
    "JSON cut off": [answers.says('{"topics": [{"start": 1}, {"sta')],
    "numbers out of range": [answers.says('{"topics": [{"start": 99}]}')],
    "a refusal": [answers.says("", refusal="I cannot help with that.", content=None)],
    "half an answer": [answers.breaks_off],
}


@pytest.mark.parametrize("name", RECOVERED)
def test_asked_again_after(server: answers.Server, name: str) -> None:
    server.script = list(RECOVERED[name])
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)  # no fallback: the next try is good
        assert splitter(server).split_text(TEXT) == PARTED
    assert len(server.requests) == len(RECOVERED[name]) + 1


@pytest.mark.parametrize(
    "answer",
    [answers.fails(429), answers.says("no"), answers.breaks_off, answers.sleeps(1.0)],
    ids=["429", "no JSON", "broken off", "timeout"],
)
async def test_given_up_after(server: answers.Server, answer: answers.Answer) -> None:
    """Boundaries come from the structure, and the chunks say why."""
    server.otherwise = answer
    model = chat(server, timeout=0.3)
    careful = LLMSplitter(model, 100, retry_wait=0, max_retries=1)
    with pytest.warns(UserWarning, match="gave no boundaries for 1 of 1 windows"):
        documents = careful.create_documents([TEXT], add_start_index=True)
    assert "".join(d.page_content.replace(" ", "") for d in documents) == TEXT.replace(" ", "")
    assert all(d.metadata["llm_fallback"] for d in documents)
    with pytest.warns(UserWarning, match="gave no boundaries"):
        assert await careful.asplit_text(TEXT) == [d.page_content for d in documents]
    with pytest.raises(ModelError):
        LLMSplitter(model, retry_wait=0, max_retries=0, on_failure="raise").split_text(TEXT)


def test_half_a_stream(server: answers.Server) -> None:
    server.script = [answers.half_a_stream, answers.half_a_stream, answers.half_a_stream]
    streaming = LLMSplitter(chat(server, streaming=True), retry_wait=0, max_retries=2)
    with pytest.warns(UserWarning, match="gave no boundaries"):
        chunks = streaming.split_text(TEXT)
    assert "".join(chunks).replace(" ", "") == TEXT.replace(" ", "")
