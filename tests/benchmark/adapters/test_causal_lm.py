"""A causal language model made on the spot: one step at a time with kept keys it says what it says of whole strings."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

from marnn_bench.adapters.causal_lm import CausalLM
from marnn_bench.asking.protocol import Failure, ModelTask
from marnn_bench.generators.strings import Strings
from marnn_bench.library.evaluate import evaluate
from marnn_bench.tasks.registry import find_task

LM = find_task("dyck2--lm")
VOCABULARY = {"<end>": 0, "<unk>": 1, "(": 2, ")": 3, "[": 4, "]": 5, "x": 6}


def tokenizer(vocabulary: dict[str, int] = VOCABULARY) -> Any:
    words = Tokenizer(WordLevel(vocabulary, unk_token="<unk>"))
    words.pre_tokenizer = Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=words, eos_token="<end>", unk_token="<unk>")


@pytest.fixture(scope="module")
def gpt2() -> Any:
    torch.manual_seed(3)
    sizes = GPT2Config(
        vocab_size=len(VOCABULARY), n_positions=128, n_embd=16, n_layer=2, n_head=2, eos_token_id=0
    )
    return GPT2LMHeadModel(sizes).eval()


def whole_string(gpt2: Any, ids: list[int]) -> np.ndarray:
    """The distributions over `( ) [ ] END` after nothing and each symbol of one string, without a cache: [t + 1, 5]."""
    tokens = torch.tensor([[0, *(2 + i for i in ids)]])
    with torch.no_grad():
        logits = gpt2(tokens, use_cache=False).logits[0][:, [2, 3, 4, 5, 0]]
    return logits.double().softmax(-1).numpy()


def test_steps_of_a_batch_are_single_whole_strings(gpt2: Any) -> None:
    model = CausalLM(gpt2, tokenizer(), ModelTask.of(LM))
    ids = np.random.default_rng(0).integers(4, size=(7, 20))
    answers = np.stack([model.reset(7), *(model.step(ids[:, t]) for t in range(20))], axis=1)  # [7, 21, 5]
    for string in range(7):
        assert answers[string] == pytest.approx(whole_string(gpt2, ids[string].tolist()), abs=1e-6)


def test_its_cross_entropy_is_that_of_its_own_probabilities(gpt2: Any) -> None:
    model = CausalLM(gpt2, tokenizer(), ModelTask.of(LM))
    result = evaluate(model, LM, rows=12)
    strings: Strings = result.examples.strings
    nats = 0.0
    for ids in strings:
        after = whole_string(gpt2, ids.tolist())
        nats -= np.log(after[np.arange(len(ids) + 1), [*ids, 4]]).sum()
    assert result.metric("cross_entropy") == pytest.approx(nats / (len(strings.ids) + 12), abs=1e-6)


def test_a_folder_is_a_model_file_away(gpt2: Any, tmp_path: Path, write: Callable[[str], Path]) -> None:
    gpt2.save_pretrained(tmp_path / "folder")
    tokenizer().save_pretrained(tmp_path / "folder")
    file = write(
        f"""
        from marnn_bench.adapters.causal_lm import CausalLM
        load = CausalLM.of({str(tmp_path / "folder")!r})
        """
    )
    inside = evaluate(CausalLM(gpt2, tokenizer(), ModelTask.of(LM)), LM, rows=5)
    assert evaluate(file, LM, rows=5).accuracy == pytest.approx(inside.accuracy, abs=1e-9)


def test_a_symbol_of_several_tokens_is_refused_by_name(gpt2: Any) -> None:
    without = {word: place for word, place in VOCABULARY.items() if word != "]"}
    with pytest.raises(Failure, match=r"has no single token for `\]`"):
        CausalLM(gpt2, tokenizer(without), ModelTask.of(LM))
    written = CausalLM(gpt2, tokenizer(without), ModelTask.of(LM), {"]": "x"})
    assert written.tokens["]"] == VOCABULARY["x"]


def test_two_symbols_of_one_token_are_refused(gpt2: Any) -> None:
    with pytest.raises(Failure, match="has one token for"):
        CausalLM(gpt2, tokenizer(), ModelTask.of(LM), {"]": ")"})


def test_a_folder_that_is_not_there_is_not_fetched(tmp_path: Path) -> None:
    with pytest.raises(Failure, match="There is no folder"):
        CausalLM.of(tmp_path / "gpt2")
