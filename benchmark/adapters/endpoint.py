r"""A model behind an OpenAI-compatible endpoint (`POST URL/chat/completions`), asked by a prompt with solved examples.

Transduction and recognition: a call for each string, whose answer is read from the text. Next-symbol and language modelling: a
call for each prefix, whose answer is read from the log-probabilities of the next token, if the endpoint gives one for every
symbol that can come.
"""

import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import exp
from pathlib import Path
from typing import Any, Final

from marnn_bench.adapters.answer_cache import AnswerCache
from marnn_bench.adapters.prompts import Message, Prompt
from marnn_bench.asking.protocol import Failure, ModelTask
from marnn_bench.generators.kernels.cache import cache_folder

RETRIED: Final = (408, 409, 425, 429, 500, 502, 503, 504)
"""Statuses after which the same call may succeed."""

MOST_LOGPROBS: Final = 20
"""What such endpoints give at most for a token."""

Prefix = tuple[str, ...]
Answer = dict[str, Any]


@dataclass(frozen=True)
class Endpoint:
    """Where a model is, and how it is asked.

    url:      such as http://localhost:8000/v1
    model:    its name there
    key:      the environment variable with the secret that is sent, if any; `eval --pass-env KEY` lets the model have it
    shots:    how many solved examples of the train split a prompt has
    at_once:  how many calls are on their way
    retries:  how often a call is repeated, after 1/2, 1, 2, ... seconds or what the endpoint says
    timeout:  seconds that a call may take
    least:    a symbol is in the set of what can come if its probability is as large (next-symbol and synchronous; ours)
    cache:    the folder that keeps every answer, so that no call is paid twice; by default the user's cache

    In a model file:

        load = Endpoint("http://localhost:8000/v1", "my-model", shots=8).load
    """

    url: str
    model: str
    key: str = ""
    shots: int = 8
    at_once: int = 8
    retries: int = 6
    timeout: float = 60.0
    least: float = 0.01
    cache: str | Path | None = None

    def load(self, task: ModelTask) -> "EndpointModel":
        """The model for a task. Failure for a view that cannot be asked for."""
        return EndpointModel(self, Prompt.of(task, self.shots))

    def call(self, messages: Sequence[Message], **options: Any) -> Answer:
        """The first choice that the endpoint answers with. Failure if it does not answer as it should."""
        body = {"model": self.model, "messages": list(messages), "temperature": 0, **options}
        request = urllib.request.Request(
            f"{self.url.rstrip('/')}/chat/completions",
            json.dumps(body).encode(),
            self._headers(),
            method="POST",
        )
        problem = ""
        for wait in (*(2.0**attempt / 2 for attempt in range(self.retries)), 0.0):
            try:
                with urllib.request.urlopen(request, timeout=self.timeout) as reply:
                    return _choice(self._without_secret(_decoded(reply.read())))
            except urllib.error.HTTPError as error:
                problem = f"answered status {error.code}: {_shortened(_decoded(error.read()))}"
                if error.code not in RETRIED:
                    break
                time.sleep(_seconds(error.headers.get("Retry-After"), wait))
            except (OSError, ValueError) as error:  # not reached, cut off, too slow, or no HTTP
                problem = f"did not answer ({_reason(error)})"
                time.sleep(wait)
        raise Failure("answer", self._without_secret(problem), self.url)

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json"}
        if self.key:
            if self.key not in os.environ:
                hint = f"set it, and let the model have it: marnn-bench eval ... --pass-env {self.key}"
                raise Failure("usage", f"There is no environment variable {self.key}: {hint}.")
            headers["Authorization"] = f"Bearer {os.environ[self.key]}"
        return headers

    def _without_secret(self, text: str) -> str:
        """What an endpoint says may repeat what it was sent."""
        secret = os.environ.get(self.key, "") if self.key else ""
        return text.replace(secret, "...") if secret else text


class EndpointModel:
    """A model that is asked by a prompt: every prefix that differs once."""

    def __init__(self, endpoint: Endpoint, prompt: Prompt) -> None:
        self._endpoint, self._prompt = endpoint, prompt
        folder = Path(endpoint.cache) if endpoint.cache else cache_folder() / "endpoints"
        self._cache = AnswerCache.of(folder, endpoint.url, endpoint.model)

    def predict_batch(self, prefixes: Sequence[Prefix]) -> list[Any]:
        """What is answered about these prefixes; of a transduction the next symbol of the output that its source gave."""
        asked = [self._prompt.asked(prefix) for prefix in prefixes]
        with ThreadPoolExecutor(self._endpoint.at_once) as pool:
            distinct = list(dict.fromkeys(asked))
            found = dict(zip(distinct, pool.map(self._answer, distinct), strict=True))
        return [self._read(prefix, found[of]) for prefix, of in zip(prefixes, asked, strict=True)]

    def preview(self, prefixes: Sequence[Prefix]) -> str:
        """The prompt of the first call, how many calls there are, and how large they are; nothing is asked."""
        calls = list(dict.fromkeys(map(self._prompt.asked, prefixes)))
        new = [call for call in calls if self._cache.get(self._request(call)) is None]
        sizes = [sum(len(message["content"]) for message in self._prompt.messages(call)) for call in calls]
        words = [
            sum(len(message["content"].split()) for message in self._prompt.messages(call)) for call in calls
        ]
        shown = "\n".join(f"[{it['role']}] {it['content']}" for it in self._prompt.messages(calls[0]))
        return (
            f"{shown}\n\n{len(calls):,} calls, of which {len(calls) - len(new):,} are answered already: "
            f"{sum(sizes):,} characters, {sum(words):,} words; a symbol is a word, and a token or more."
        )

    def _request(self, asked: Prefix) -> str:
        return json.dumps([self._prompt.messages(asked), self._options()], sort_keys=True)

    def _options(self) -> dict[str, Any]:
        if self._prompt.reads_text:
            return {"max_tokens": self._prompt.longest_answer}
        return {"max_tokens": 1, "logprobs": True, "top_logprobs": MOST_LOGPROBS}

    def _answer(self, asked: Prefix) -> Answer:
        key = self._request(asked)
        if (kept := self._cache.get(key)) is not None:
            return dict(kept)
        answer = self._endpoint.call(self._prompt.messages(asked), **self._options())
        self._cache.put(key, answer)
        return answer

    def _read(self, prefix: Prefix, answer: Answer) -> Any:
        if self._prompt.reads_text:
            return self._prompt.read(prefix, _text(answer))
        return self._prompt.chosen(_probabilities(answer, self._prompt.task.columns), self._endpoint.least)


def _decoded(body: bytes) -> str:
    return body.decode(errors="replace")


def _choice(body: str) -> Answer:
    """The only choice of an answer. Failure if there is none, or several."""
    try:
        choices = json.loads(body)["choices"]
        if not isinstance(choices, list) or not all(isinstance(choice, dict) for choice in choices):
            raise TypeError(type(choices).__name__)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Failure("answer", f"answered no choices: {_shortened(body)}", "endpoint") from None
    if len(choices) != 1:
        raise Failure("answer", f"answered {len(choices)} choices, not one", "endpoint")
    choice: Answer = choices[0]
    return choice


def _text(answer: Answer) -> str:
    message = answer.get("message")
    text = message.get("content") if isinstance(message, dict) else None
    if not isinstance(text, str):
        raise Failure("answer", f"answered a choice without a text: {json.dumps(answer):.60}", "endpoint")
    return text


def _probabilities(answer: Answer, columns: Sequence[str]) -> dict[str, float]:
    """The probability of each column. Failure if the endpoint does not give one for each."""
    try:
        listed = answer["logprobs"]["content"][0]["top_logprobs"]
        found: dict[str, float] = {}
        for it in listed:
            symbol = str(it["token"]).strip()
            found[symbol] = found.get(symbol, 0.0) + exp(float(it["logprob"]))
    except (KeyError, IndexError, TypeError, ValueError, OverflowError):
        raise Failure(
            "answer", "answered without log-probabilities, which this task needs", "endpoint"
        ) from None
    if missing := [symbol for symbol in columns if symbol not in found]:
        what = f"gives no log-probability for `{' '.join(missing)}`, so that it cannot be asked for all that may come"
        raise Failure("answer", what, "endpoint")
    return {symbol: found[symbol] for symbol in columns}


def _seconds(said: str | None, otherwise: float) -> float:
    """What a Retry-After header asks for, at most a minute."""
    try:
        return otherwise if said is None else min(max(float(said), 0.0), 60.0)
    except ValueError:
        return otherwise


def _reason(error: Exception) -> str:
    return str(getattr(error, "reason", error)) or type(error).__name__


def _shortened(body: str) -> str:
    text = " ".join(body.split())
    return text if len(text) <= 200 else f"{text[:200]}…"
