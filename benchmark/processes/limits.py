"""What a model may use."""

import sys
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Limits:
    """What a model may use.

    timeout:   seconds for a round of answers, one for each string, and for loading
    memory:    bytes, of all its processes together (Linux)
    threads:   of the libraries that it computes with
    isolated:  whether it runs without network, and sees neither data nor results (Linux)
    passed:    variables of the environment that it gets though they look like secrets
    """

    timeout: float = 60.0
    memory: int = 8 << 30
    threads: int = 1
    isolated: bool = False
    passed: tuple[str, ...] = ()

    def states(self) -> dict[str, Any]:
        """What a result says about limits: enforced, requested or none."""
        isolation = "enforced" if self.isolated else "none"
        memory = "enforced" if sys.platform == "linux" else "none"
        return {
            "timeout_seconds": {"value": self.timeout, "state": "enforced"},
            "memory_bytes": {"value": self.memory, "state": memory},
            "threads": {"value": self.threads, "state": "requested"},
            "environment": {"passed": list(self.passed), "state": "enforced"},
            "network": {"state": isolation},
            "isolation": {"state": isolation},
        }
