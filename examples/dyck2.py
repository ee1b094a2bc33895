"""A model of dyck2 in Python, for `marnn-bench eval --command "python3 dyck2.py"`: it keeps a stack for each string.

Symbols are 0 `(`, 1 `)`, 2 `[`, 3 `]`; an answer is a mask in which bit k is set if symbol k can come next.
"""

import json
import sys


def step(stack: list[int], symbol: int) -> int:
    """The mask after another symbol."""
    if symbol % 2 == 0:
        stack.append(symbol)
    elif stack:
        stack.pop()
    return 0b0101 | (1 << (stack[-1] + 1) if stack else 0)


def main() -> None:
    """Answer a line of JSON for each line."""
    stacks: list[list[int]] = []
    answer: object
    for line in sys.stdin:
        question = json.loads(line)
        if "load" in question:
            answer = {"answers": "masks"}
        elif "reset" in question:
            stacks = [[] for _ in range(question["reset"])]
            answer = None  # dyck2 does not ask about the empty prefix
        else:
            answer = [step(stack, symbol) for stack, symbol in zip(stacks, question["step"], strict=True)]
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
