"""An OpenAI-compatible endpoint on this machine that answers by a function of what it is asked, and misbehaves as wanted."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any

Body = dict[str, Any]


def text(answer: str) -> Body:
    """An answer of one text."""
    return {"choices": [{"message": {"role": "assistant", "content": answer}}]}


def log_probs(listed: dict[str, float]) -> Body:
    """An answer with the log-probability of some tokens."""
    tokens = [{"token": token, "logprob": value} for token, value in listed.items()]
    return {"choices": [{"message": {"content": ""}, "logprobs": {"content": [{"top_logprobs": tokens}]}}]}


@dataclass
class ChatServer:
    """Calls that came, and what is answered.

    answer:   the last message -> a body, or a status with its headers, or bytes as they are
    """

    answer: Callable[[str], Body | tuple[int, dict[str, str]] | bytes]
    url: str = ""
    calls: list[Body] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    lock: Lock = field(default_factory=Lock)


@contextmanager
def chat_server(answer: Callable[[str], Any]) -> Iterator[ChatServer]:
    """The server, while the block runs."""
    state = ChatServer(answer)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 1 << 16  # head and content in one packet

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with state.lock:
                state.calls.append(body)
                state.keys.add(self.headers.get("Authorization", ""))
            said = state.answer(body["messages"][-1]["content"])
            status, headers = said if isinstance(said, tuple) else (200, {})
            content = said if isinstance(said, bytes) else json.dumps(said).encode()
            if status == 0:  # hang up
                time.sleep(0.01)
                self.close_connection = True
                return
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *arguments: object) -> None:
            """Nothing is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
