"""Comparison: questions, retrievers, the table and its files."""

from __future__ import annotations

import csv
import io
import json

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter

from langchain_chunkers import (
    FixedSizeSplitter,
    InputError,
    MarkdownSplitter,
    ModelError,
    RecursiveSplitter,
    SentenceSplitter,
    SettingError,
    with_context,
)
from langchain_chunkers.evaluation import (
    Question,
    acompare,
    compare,
    generate_questions,
    locate,
    locate_all,
    read_chroma,
    read_questions,
    read_set,
    read_squad,
    recommend,
)
from langchain_chunkers.evaluation.chunking import blocks_of, chunk, heading_only
from langchain_chunkers.evaluation.scoring import Ways, depth_for, score
from langchain_chunkers.evaluation.search import NUMBER, Remembering, indexes, terms
from langchain_chunkers.testing.fakes import LetterEmbeddings, ScriptedChatModel

PUMP = (
    "# Pumps\n\nThe pump moves water from the tank to the mill. A worn seal made it fail in May. "
    "The crew replaced the seal in June.\n\n# Kilns\n\nA kiln is fired for two days. "
    "Glaze melts at a thousand degrees. The potter waits until it is cold."
)
WATER = "# 水泵\n\n水泵把水从水箱送到磨坊。五月里密封圈磨损，水泵坏了。六月里工人换了密封圈。"
DOCUMENTS = {"pumps": PUMP, "zh": WATER}
QUESTIONS = [
    Question("What made the pump fail in May?", "pumps", answers=("A worn seal",), id="seal"),
    Question("At how many degrees does glaze melt?", "pumps", answers=("a thousand degrees",)),
    Question("水泵为什么坏了？", "zh", answers=("密封圈磨损",)),
]
SPLITTERS = {
    "fixed": FixedSizeSplitter(60),
    "recursive": RecursiveSplitter(90),
    "sentence": SentenceSplitter(90),
}


def test_a_comparison_from_end_to_end():
    found = compare(SPLITTERS, DOCUMENTS, QUESTIONS, k=2, budgets=(60, 200), length_function=len)
    assert [row.splitter for row in found.rows] == list(SPLITTERS)
    assert found.baseline == "fixed"
    assert not found.notes
    rows = {row.splitter: row for row in found.rows}
    assert rows["sentence"].scores["hit@2"].mean == 1
    assert rows["sentence"].scores["recall in 200"].mean == 1
    assert found.facts["sentence"].intact == 1
    assert rows["fixed"].differences == {}
    assert set(rows["sentence"].differences) == set(found.measures)
    for row in found.rows:
        for measure in found.measures:
            assert 0 <= row.scores[measure].low <= row.scores[measure].mean
            assert row.scores[measure].mean <= row.scores[measure].high <= 1
    assert found.missed("sentence") == []


def test_without_questions_only_the_chunks_are_judged():
    found = compare(SPLITTERS, DOCUMENTS, length_function=len)
    assert found.rows == []
    assert "nothing is said of retrieval" in found.to_markdown()
    assert found.facts["fixed"].intact is None
    assert len(found.table()) == 3
    assert len(next(csv.reader(io.StringIO(found.to_csv())))) > 8
    assert json.loads(found.to_json())["rows"] == []


def test_sizes_are_counted_in_the_unit_asked_for():
    found = compare({"one": SentenceSplitter(90)}, {"a": "One two. Three."}, length_function=len)
    facts = found.facts["one"]
    assert (facts.chunks, facts.total, facts.sizes.most) == (1, 15, 15)
    assert found.unit == "characters"
    assert compare({"one": SentenceSplitter(90)}, {"a": "One."}).unit == "tokens (cl100k_base)"


def test_a_price_gives_a_cost():
    found = compare(SPLITTERS, DOCUMENTS, length_function=len, price_per_million=2.0)
    facts = found.facts["fixed"]
    assert facts.cost == pytest.approx(facts.total * 2 / 1_000_000)
    assert found.header()[-1] == "cost"


def test_headings_alone_and_blocks_cut_are_counted():
    text = "# Title\n\n" + "Word and word. " * 12 + "\n\n```\na = 1\n\nb = 2\n```\n"
    found = compare(
        {
            "langchain": RecursiveCharacterTextSplitter(
                chunk_size=180, chunk_overlap=0, add_start_index=True
            ),
            "ours": MarkdownSplitter(200),
            "fixed": FixedSizeSplitter(100),
        },
        {"a": text},
        length_function=len,
    )
    assert found.facts["langchain"].heading_only == 1
    assert found.facts["ours"].heading_only == 0
    assert found.facts["ours"].blocks_cut == 0
    assert found.facts["fixed"].blocks_cut >= 1
    assert [text[a:b][:3] for a, b in blocks_of(text)] == ["# T", "Wor", "```"]
    assert not heading_only("# a\ntext")
    assert heading_only("Title\n=====\n")


def test_chunks_of_others_are_placed_too():
    texts = {"a": Document(page_content="one two\n\none two\n\nthree")}
    plain = RecursiveCharacterTextSplitter(chunk_size=8, chunk_overlap=0)
    assert chunk("x", plain, texts, len).spans == [(0, 7), (9, 16), (18, 23)]
    contextual = with_context(RecursiveSplitter(300), content="context")
    made = chunk("x", contextual, {"a": Document(page_content=PUMP)}, len)
    assert all(span is not None for span in made.spans)
    assert [
        PUMP[a:b] in d.page_content for d, (a, b) in zip(made.documents, made.spans, strict=True)
    ]


def test_rewritten_text_has_no_place_and_answers_nothing():
    class Shouting(RecursiveCharacterTextSplitter):
        def split_text(self, text):
            return [part.upper() for part in super().split_text(text)]

    loud = Shouting(chunk_size=60, chunk_overlap=0)
    found = compare({"loud": loud}, {"pumps": PUMP}, QUESTIONS[:2], length_function=len)
    assert found.facts["loud"].unplaced > 0
    assert found.rows[0].scores["hit@5"].mean == 0


# ---------------------------------------------------------------------- relevance


def test_long_answers_count_where_half_of_a_chunk_is_theirs():
    long = Question("?", "a", ((0, 300),))
    assert not long.answered_by(0, 40, "whole")
    assert long.answered_by(0, 40)
    assert long.answered_by(270, 320, "half")
    assert not long.answered_by(290, 400)
    short = Question("?", "a", ((0, 30),), alternatives=((50, 55),))
    assert not short.answered_by(0, 29)
    assert short.answered_by(0, 30)
    assert short.answered_by(49, 60)


def test_budgets_cut_the_last_chunk():
    made = chunk("x", FixedSizeSplitter(10), {"a": Document(page_content="x" * 40)}, len)
    question = Question("?", "a", ((0, 40),))
    ways = Ways(5, (5, 10, 25, 100), "half")
    found = score(question, [0, 1, 2, 3], made, ways)
    recalls = [found.values[f"recall in {budget}"] for budget in ways.budgets]
    assert recalls == [0.125, 0.25, 0.625, 1]
    assert depth_for(made, ways) == 4


def test_noise_has_its_floor_beside_it():
    made = chunk("x", FixedSizeSplitter(10), {"a": Document(page_content="x" * 40)}, len)
    found = score(Question("?", "a", ((2, 5),)), [0, 1, 2], made, Ways(5, (), "whole"))
    assert found.values["noise@3"] == pytest.approx(2 / 3)
    assert found.values["noise floor@3"] == pytest.approx(2 / 3)


# ---------------------------------------------------------------------- retrievers


def test_terms_of_scripts_without_spaces_are_pairs():
    assert terms("NFL冠军 2015") == ["nfl", "冠军", "2015"]
    assert terms("ที่นี่")[0] == "ที่นี่"[:2]
    assert terms("") == []
    assert terms("snake_case Über") == ["snake", "case", "über"]


def test_bm25_finds_nothing_where_no_term_is_known():
    build = indexes(["bm25"], 8)["bm25"]
    index = build([Document(page_content="one two"), Document(page_content="three")])
    assert index.search(["three one", "four", ""], 2) == [[1, 0], [], []]
    assert build([Document(page_content="...")]).search(["a"], 3) == [[]]
    assert build([]).search(["a"], 3) == [[]]


def test_embeddings_stores_and_functions_are_retrievers():
    model = LetterEmbeddings()

    def store(chunks):
        kept = InMemoryVectorStore.from_documents(chunks, model)
        return kept.as_retriever(search_kwargs={"k": 3})

    found = compare(
        {"sentence": SentenceSplitter(90)},
        DOCUMENTS,
        QUESTIONS,
        retrievers={"letters": model, "store": store},
        k=3,
        length_function=len,
    )
    letters, stored = found.rows
    assert (letters.retriever, stored.retriever) == ("letters", "store")
    assert [f.chunks[:3] for f in letters.found] == [f.chunks[:3] for f in stored.found]
    assert "retriever" in found.header()


def test_each_text_is_embedded_once():
    class Counting(Embeddings):
        def __init__(self):
            self.seen = []

        def embed_documents(self, texts):
            self.seen += texts
            return [[1.0, float(len(text))] for text in texts]

        def embed_query(self, text):
            return [1.0, 0.0]

    model = Counting()
    compare(
        {"a": SentenceSplitter(90), "b": SentenceSplitter(90)},
        DOCUMENTS,
        QUESTIONS,
        retrievers=[model],
    )
    assert len(model.seen) == len(set(model.seen))


def test_faults_of_models_are_said():
    class Short(LetterEmbeddings):
        def embed_documents(self, texts):
            return super().embed_documents(texts)[:-1]

    with pytest.raises(ModelError, match=r"gave \d+ vectors for \d+ texts"):
        compare(SPLITTERS, DOCUMENTS, QUESTIONS, retrievers=[Short()])

    class Broken(LetterEmbeddings):
        def embed_documents(self, texts):
            return [[float("nan")] * 3 for _ in texts]

    with pytest.raises(ModelError, match="NaN"):
        compare(SPLITTERS, DOCUMENTS, QUESTIONS, retrievers=[Broken()])

    def forgetful(chunks):
        bare = [Document(page_content=one.page_content) for one in chunks]
        return InMemoryVectorStore.from_documents(bare, LetterEmbeddings()).as_retriever()

    with pytest.raises(ModelError, match=NUMBER):
        compare(SPLITTERS, DOCUMENTS, QUESTIONS, retrievers=[forgetful])


def test_remembering_gives_vectors_in_order():
    remembering = Remembering(LetterEmbeddings())
    assert remembering.embed_documents(["b", "a", "b"]) == LetterEmbeddings().embed_documents(
        ["b", "a", "b"]
    )
    assert remembering.embed_query("a") == LetterEmbeddings().embed_query("a")


@pytest.mark.parametrize(
    "options,error,words",
    [
        ({"baseline": "none"}, SettingError, "baseline must be one of 'fixed'"),
        ({"k": 0}, SettingError, "k must be at least 1"),
        ({"relevance": "some"}, SettingError, "relevance"),
        ({"retrievers": ["google"]}, SettingError, "A retriever is 'bm25'"),
        ({"retrievers": ["bm25", "bm25"]}, SettingError, "Two retrievers"),
    ],
)
def test_settings_that_cannot_be_used(options, error, words):
    with pytest.raises(error, match=words):
        compare(SPLITTERS, DOCUMENTS, QUESTIONS, **options)


def test_inputs_that_cannot_be_used():
    with pytest.raises(SettingError, match="No splitter"):
        compare({}, DOCUMENTS)
    with pytest.raises(InputError, match="No documents"):
        compare(SPLITTERS, [])
    with pytest.raises(InputError, match="Two documents are named 'a'"):
        compare(SPLITTERS, [Document(page_content="x", metadata={"source": "a"})] * 2)
    with pytest.raises(InputError, match="Documents are wanted"):
        compare(SPLITTERS, ["text"])
    ready = InMemoryVectorStore(LetterEmbeddings()).as_retriever()
    with pytest.raises(InputError, match="A retriever has chunks already"):
        compare(SPLITTERS, DOCUMENTS, QUESTIONS, retrievers=[ready])


async def test_async_gives_the_same():
    one = compare(SPLITTERS, DOCUMENTS, QUESTIONS, length_function=len)
    two = await acompare(SPLITTERS, DOCUMENTS, QUESTIONS, length_function=len)
    assert [row.scores for row in one.rows] == [row.scores for row in two.rows]


def test_a_recommendation_names_its_ties():
    found = recommend(
        DOCUMENTS,
        QUESTIONS,
        budget=90,
        sizes=(60, 90),
        strategies={"sentence": SentenceSplitter, "fixed": FixedSizeSplitter},
        length_function=len,
    )
    assert len(found.ranked) == 4
    assert found.ties[0] == found.ranked[0][0]
    assert found.ranked[0][1] >= found.ranked[-1][1]
    assert "Best for prompts of 90 characters" in str(found)
    with pytest.raises(SettingError, match="No question is left"):
        recommend(DOCUMENTS, [Question("?", "pumps", answers=("nowhere to be found in it",))])
    with pytest.raises(SettingError, match="Nothing to try"):
        recommend(DOCUMENTS, QUESTIONS, sizes=())


# ---------------------------------------------------------------------- questions


def test_answers_are_located_and_what_is_odd_is_said():
    questions = [
        Question("a", "pumps", answers=("the  SEAL\nin june",)),
        Question("b", "", answers=("密封圈磨损",)),
        Question("c", "pumps", answers=("A worn seal had made it fail in May",)),
        Question("d", "pumps", answers=("seal",)),
        Question("e", "pumps", answers=("no such words at all",)),
        Question("f", "nowhere", answers=("seal",)),
        Question("g", "nowhere", ((0, 1),)),
    ]
    found, notes = locate_all(questions, DOCUMENTS)
    assert [q.text for q in found] == ["a", "b", "c", "d"]
    assert [q.source for q in found] == ["pumps", "zh", "pumps", "pumps"]
    assert [q.fuzzy for q in found] == [False, False, True, False]
    assert PUMP[slice(*found[0].spans[0])] == "the seal in June"
    assert [note.split(": ")[1][:28] for note in notes] == [
        "its answer was found by like",
        "its answer stands in several",
        "its answer is in no document",
        "no document is named 'nowher",
        "no document is named 'nowher",
    ]
    assert locate("", "x") is None
    assert locate("it opened in 1912", "We read that it opened in 1913.") is None


def test_questions_are_read_from_files(tmp_path):
    rows = [
        {"question": "a", "source": "pumps", "answer": "worn seal", "id": "1"},
        {"question": "b", "doc_id": "zh", "spans": [[8, 12]], "alt_spans": [[1, 3]]},
    ]
    lines = tmp_path / "q.jsonl"
    lines.write_text("\n".join(map(json.dumps, rows)) + "\n", "utf-8")
    listed = tmp_path / "q.json"
    listed.write_text(json.dumps(rows), "utf-8")
    table = tmp_path / "q.csv"
    table.write_text(
        "\ufeffquestion,source,answer,spans,id,alternatives\na,pumps,worn seal,,1,\n"
        'b,zh,,"[[8, 12]]",,"[[1, 3]]"\n',
        "utf-8",
    )
    one, two, three = map(read_questions, (lines, listed, table))
    assert one == two == three
    assert one[1] == Question("b", "zh", ((8, 12),), ((1, 3),))


@pytest.mark.parametrize(
    "line,words",
    [
        ('{"answer": "x"}', "an object with 'question'"),
        ("[1]", "an object with 'question'"),
        ('{"question": "a"}', "neither 'answer'"),
        ('{"question": "a", "spans": [[3, 2]]}', "pairs"),
        ('{"question": "a", "spans": [[3]]}', "pairs"),
    ],
)
def test_rows_that_are_no_questions(tmp_path, line, words):
    path = tmp_path / "q.jsonl"
    path.write_text('{"question": "a", "answer": "b"}\n' + line, "utf-8")
    with pytest.raises(InputError, match=rf"(q\.jsonl, question 2|question 1).*{words}"):
        read_questions(path)


def test_public_formats(tmp_path):
    squad = {
        "data": [
            {
                "title": "Pumps",
                "paragraphs": [
                    {
                        "context": "The seal leaks. It is old.",
                        "qas": [
                            {
                                "id": "1",
                                "question": "What leaks?",
                                "answers": [
                                    {"text": "seal", "answer_start": 4},
                                    {"text": "The seal", "answer_start": 1},
                                ],
                            },
                            {"id": "2", "question": "Why?", "answers": []},
                        ],
                    },
                    {"context": "End.", "qas": []},
                ],
            }
        ]
    }
    path = tmp_path / "squad.json"
    path.write_text(json.dumps(squad), "utf-8")
    documents, questions = read_squad(path)
    text = documents[0].page_content
    assert text == "# Pumps\n\nThe seal leaks. It is old.\n\nEnd."
    assert [text[a:b] for a, b in (*questions[0].spans, *questions[0].alternatives)] == [
        "seal",
        "The seal",
    ]
    assert len(questions) == 1

    folder = tmp_path / "chroma"
    (folder / "corpora").mkdir(parents=True)
    (folder / "corpora" / "a.md").write_text("The seal leaks.", "utf-8")
    (folder / "questions_df.csv").write_text(
        'question,references,corpus_id\nWhat?,"[{""content"": ""seal"", ""start_index"": 4, ""end_index"": 8}]",a\n',
        "utf-8",
    )
    documents, questions = read_chroma(folder)
    assert documents[0].page_content[slice(*questions[0].spans[0])] == "seal"

    (folder / "corpora.jsonl").write_text('{"doc_id": "a", "text": "x\\u2028y"}\n', "utf-8")
    (folder / "questions.jsonl").write_text(
        '{"question": "?", "doc_id": "a", "spans": [[0, 1]]}\n', "utf-8"
    )
    documents, questions = read_set(folder)
    assert (documents[0].page_content, questions[0].source) == ("x\u2028y", "a")
    with pytest.raises(InputError, match=r"has no corpora\.jsonl"):
        read_set(tmp_path)


def test_generated_questions_must_quote_the_text():
    answer = {
        "questions": [
            {"question": "Why did it fail?", "quote": "A worn  seal made it fail in May."},
            {"question": "Invented?", "quote": "The pump was struck by lightning."},
        ]
    }
    model = ScriptedChatModel(answers=[json.dumps(answer)])
    found, notes = generate_questions({"pumps": PUMP}, model)
    assert [PUMP[slice(*q.spans[0])] for q in found] == ["A worn seal made it fail in May."]
    assert notes == ["pumps: left out, since its quotation is not there: Invented?"]
    found, notes = generate_questions({"pumps": PUMP}, ScriptedChatModel(answers=["no JSON"] * 9))
    assert found == []
    assert notes[0].startswith("pumps, from character 0: no questions")


# ---------------------------------------------------------------------- files


@pytest.fixture(scope="module")
def comparison():
    return compare(SPLITTERS, DOCUMENTS, QUESTIONS, k=1, budgets=(60, 200), length_function=len)


def test_files(comparison, tmp_path):
    for suffix in ("html", "md", "csv", "json"):
        assert comparison.save(tmp_path / f"found.{suffix}").stat().st_size > 300
    with pytest.raises(ValueError, match=r"\.html, \.md"):
        comparison.save(tmp_path / "found.pdf")
    rows = list(csv.DictReader(io.StringIO(comparison.to_csv())))
    assert [row["splitter"] for row in rows] == list(SPLITTERS)
    assert float(rows[1]["hit@1"]) == comparison.rows[1].scores["hit@1"].mean
    data = json.loads(comparison.to_json())
    assert len(data["rows"][0]["questions"]) == 3
    assert data["rows"][1]["differences"]["hit@1"]["verdict"] in {
        "better",
        "worse",
        "no difference",
    }


def test_the_report_lets_no_text_do_anything():
    evil = (
        "# <script>alert(1)</script>\n\nA </style><img src=x onerror=alert(2)> b. "
        "</iframe><svg onload=alert(3)> And \"'> c. \u202egpj.exe It ends here."
    )
    name = '"><script>alert(4)</script>'
    asked = [
        Question("</summary><script>alert(5)</script>?", name, ((3, 20),)),
        Question("zzzz", name, ((70, 75),)),
    ]
    page = compare(
        {name: FixedSizeSplitter(40), "b": SentenceSplitter(80)},
        {name: evil},
        asked,
        length_function=len,
    )
    html = __import__("langchain_chunkers.evaluation", fromlist=["report"]).report(page)
    outside = html.split("srcdoc=")[0]
    for tag in ("<script", "<img", "onerror=alert(2)>", "</iframe><svg onload"):
        assert tag not in outside
    assert "\u202e" not in html
    assert 'srcdoc="&lt;!doctype' in html.lower()
    assert html.count("<iframe") == 1
    assert "default-src 'none'" in html


def test_the_report_without_questions_says_so():
    from langchain_chunkers.evaluation import report

    html = report(compare(SPLITTERS, DOCUMENTS, length_function=len))
    assert "nothing is said of retrieval" in html
    assert "Questions that were missed" not in html


# ---------------------------------------------------------------------- doubts


def test_an_answer_that_stands_there_beats_one_that_is_alike():
    texts = {"a": "The pump has a worn seal in it.", "b": "The pump had a worn seal in it."}
    question = Question("?", "", answers=("pump had a worn seal in it",))
    found, notes = locate_all([question], texts)
    assert (found[0].source, found[0].fuzzy, notes) == ("b", False, [])
    found, notes = locate_all([question], {"a": texts["a"]})
    assert (found[0].source, found[0].fuzzy) == ("a", True)
    assert "likeness" in notes[0]


def test_spans_behind_the_end_are_left_out_and_said():
    for spans in ({"spans": ((500, 520),)}, {"spans": ((0, 4),), "evidence": ((0, 500),)}):
        found, notes = locate_all([Question("?", "a", **spans)], {"a": "Short."})
        assert found == []
        assert notes == ["question 1: its answer lies behind the end of 'a'"]


def test_answers_that_are_little_alike_are_not_found():
    assert locate("the mill was rebuilt by hand", "The kiln was fired by hands.") is None


def test_generated_quotations_are_not_taken_by_likeness():
    quote = "A worn seal made it fall in May."  # one letter is wrong
    assert locate(quote, PUMP)[1]
    answer = json.dumps({"questions": [{"question": "Why?", "quote": quote}]})
    found, notes = generate_questions({"pumps": PUMP}, ScriptedChatModel(answers=[answer]))
    assert found == []
    assert "left out" in notes[0]


def test_a_chunk_of_another_document_never_answers():
    twins = {"a": "Zebra zinc is rare.", "b": "Zebra zinc is rare."}
    chunked = chunk(
        "x", SentenceSplitter(90), {n: Document(page_content=t) for n, t in twins.items()}, len
    )
    question = Question("?", "b", spans=((0, 10),))
    ways = Ways(2, (100,), "auto")
    wrong, right = score(question, [0], chunked, ways), score(question, [1], chunked, ways)
    assert (wrong.rank, wrong.values["hit@2"], wrong.values["recall@2"]) == (0, 0.0, 0.0)
    assert wrong.values["recall in 100"] == 0.0
    assert (right.rank, right.values["recall@2"]) == (1, 1.0)


def test_noise_is_never_under_its_floor():
    text = "Zebra zinc. " + "The kiln burned. " * 9
    chunked = chunk("x", FixedSizeSplitter(40), {"a": Document(page_content=text)}, len)
    question = Question("?", "a", spans=((0, 10),))
    ways = Ways(3, (), "auto")
    values = {n: score(question, range(n), chunked, ways).values for n in (0, 1, 2, 3)}
    assert [v["noise floor@3"] for v in values.values()] == pytest.approx([0, 0, 1 / 3, 2 / 3])
    assert all(v["noise@3"] >= v["noise floor@3"] for v in values.values())
    several = Question("?", "a", spans=((0, 10),), alternatives=((45, 50),))
    assert score(several, [0, 1, 2], chunked, ways).values["noise floor@3"] == pytest.approx(1 / 3)


def test_enough_chunks_are_asked_for_to_spend_the_budget():
    text = "The kiln burned for a day. " * 60
    found = compare(
        {"s": SentenceSplitter(30)},
        {"a": text},
        [Question("kiln burned", "a", spans=((0, 10),))],
        k=1,
        budgets=(300,),
        length_function=len,
    )
    row = found.rows[0]
    assert sum(found.chunked["s"].sizes[n] for n in row.found[0].chunks) >= 300


def test_doubts_are_said():
    def four(chunks):
        return InMemoryVectorStore.from_documents(chunks, LetterEmbeddings()).as_retriever()

    def notes(size):
        splitters = {"fixed": FixedSizeSplitter(size)}
        return compare(splitters, {"pumps": PUMP}, QUESTIONS[:2], retrievers={"store": four}).notes

    assert notes(1000) == []  # there is no fifth chunk
    (note,) = notes(20)
    assert "the retriever gave 4 chunks to each question, though k is 5" in note

    class Shouting(RecursiveCharacterTextSplitter):
        def split_text(self, text):
            return [one.upper() for one in super().split_text(text)]

    found = compare({"loud": Shouting(chunk_size=60, chunk_overlap=0)}, {"pumps": PUMP})
    assert "chunks stand nowhere in their document" in found.notes[0]


def test_blocks_that_fit_no_chunk_are_not_counted():
    text = "A short one.\n\n" + "word " * 100
    fact = compare({"fixed": FixedSizeSplitter(40)}, {"a": text}, length_function=len).facts[
        "fixed"
    ]
    assert (fact.blocks, fact.blocks_cut) == (1, 0)


def test_less_noise_is_marked_as_better():
    padding = "The zinc kiln burned. " * 4
    text = f"{padding}\n\nZebra zinc kiln answer.\n\n{padding}"
    at = text.index("Zebra")
    asked = [Question("zebra zinc kiln", "a", spans=((at, at + 10),))] * 20
    splitters = {"small": SentenceSplitter(25), "whole": FixedSizeSplitter(1000)}
    found = compare(splitters, {"a": text}, asked, length_function=len)
    row = next(row for row in found.rows if row.splitter == "whole")
    assert row.differences["noise@3"].verdict == "worse"
    place = found.header().index("noise@3")
    assert found.table()[1][place].endswith(" +")


def test_fences_that_are_not_closed_take_no_longer():
    assert (
        len(blocks_of("```x\n" * 100_000)) == 1
    )  # a pattern that looks for each end takes minutes
    text = "````\n```\na\n\nb\n```\n````\n\nText.\n\n~~~ py\nx\n~~~\n"
    assert [text[a:b].split("\n", maxsplit=1)[0] for a, b in blocks_of(text)] == [
        "````",
        "Text.",
        "~~~ py",
    ]
