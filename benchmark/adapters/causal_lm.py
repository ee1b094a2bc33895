"""A causal language model of `transformers` as a model: each symbol is one of its tokens, keys and values are kept."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from marnn_bench.asking.protocol import Failure, ModelTask
from marnn_bench.generators.alphabet import END

SPELLINGS: Final = (" {}", "{}")
"""How a symbol may be written, the first that is a single token."""


class CausalLM:
    """Asks a causal language model for the next token: a distribution over the columns of the task.

    Every symbol has to be a single token, so that a prefix is the same tokens whatever follows; symbols that the tokenizer
    splits are refused by name and can be written otherwise by `spelling`. A prefix is the begin token (else the end
    token) and a token for each symbol; END is the end token. The probabilities of the columns' tokens are divided by their
    sum; what is left to other tokens is not counted. Strings that are asked together have the same number of symbols, so that nothing is padded.

    In a model file:

        scores = "probabilities"
        load = CausalLM.of("path/to/folder")
    """

    scores = "probabilities"

    def __init__(
        self, model: Any, tokenizer: Any, task: ModelTask, spelling: Mapping[str, str] | None = None
    ) -> None:
        self._model = model.eval()
        begin = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
        if begin is None or tokenizer.eos_token_id is None:
            raise Failure(
                "answer", "has no end token, which END and the begin of a string stand for", "tokenizer"
            )
        self._begin = begin
        self.tokens = _tokens(tokenizer, {*task.alphabet, *task.columns}, spelling or {})
        self._alphabet = torch.tensor([self.tokens[symbol] for symbol in task.alphabet])
        self._columns = torch.tensor([self.tokens[symbol] for symbol in task.columns])
        self._kept: Any = None

    @staticmethod
    def of(
        folder: str | Path, *, spelling: Mapping[str, str] | None = None, device: str = "cpu"
    ) -> "Callable[[ModelTask], CausalLM]":
        """The `load` of a model file for a local folder that `save_pretrained` wrote; nothing is fetched.

        spelling:  how a symbol is written, where it is not itself with or without a space before it
        """
        from transformers import AutoModelForCausalLM, AutoTokenizer

        path = Path(folder)
        if not path.is_dir():
            raise Failure("usage", f"There is no folder {path}: give one that `save_pretrained` wrote.")
        tokenizer = AutoTokenizer.from_pretrained(path, local_files_only=True)
        model: Any = AutoModelForCausalLM.from_pretrained(path, local_files_only=True)
        model.to(torch.device(device))

        def load(task: ModelTask) -> CausalLM:
            found = CausalLM(model, tokenizer, task, spelling)
            listed = ", ".join(f"{symbol} is token {token}" for symbol, token in found.tokens.items())
            print(f"{path.name}: {listed}.", file=sys.stderr)
            return found

        return load

    def reset(self, n: int) -> NDArray[Any]:
        """Begin n strings: the probabilities after the begin token, [n, columns]."""
        self._kept = None
        return self._feed(torch.full((n,), self._begin))

    def step(self, ids: NDArray[np.int64]) -> NDArray[Any]:
        """The probabilities after these symbols: [n, columns]."""
        return self._feed(self._alphabet[torch.from_numpy(ids)])

    def _feed(self, tokens: torch.Tensor) -> NDArray[Any]:
        """The distribution over the columns after another token of each string: [n] -> [n, columns]."""
        with torch.inference_mode():
            said = self._model(
                input_ids=tokens[:, None].to(self._model.device), past_key_values=self._kept, use_cache=True
            )
            self._kept = said.past_key_values
            logits = said.logits[:, -1, self._columns.to(said.logits.device)]  # [n, columns]
            probabilities: NDArray[Any] = logits.double().softmax(dim=-1).cpu().numpy()
        return probabilities


def _tokens(tokenizer: Any, symbols: set[str], spelling: Mapping[str, str]) -> dict[str, int]:
    """The token of each symbol. Failure if one has none of its own."""
    found = {}
    for symbol in sorted(symbols):
        found[symbol] = tokenizer.eos_token_id if symbol == END else _token(tokenizer, symbol, spelling)
    shared = {token for token in found.values() if [*found.values()].count(token) > 1}
    if same := [symbol for symbol, token in found.items() if token in shared]:
        raise Failure(
            "answer", f"has one token for `{' '.join(same)}`: write them otherwise, spelling=...", "tokenizer"
        )
    return found


def _token(tokenizer: Any, symbol: str, spelling: Mapping[str, str]) -> int:
    written = [spelling[symbol]] if symbol in spelling else [form.format(symbol) for form in SPELLINGS]
    for text in written:
        tokens = tokenizer.encode(text, add_special_tokens=False)
        if len(tokens) == 1 and tokens[0] != tokenizer.unk_token_id:
            return int(tokens[0])
    what = f"has no single token for `{symbol}`: write it otherwise, such as spelling={{{symbol!r}: ' x'}}"
    raise Failure("answer", what, "tokenizer")
