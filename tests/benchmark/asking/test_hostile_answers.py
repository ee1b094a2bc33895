"""Answers that lie about what they are: each fails in one line, or means something; none harms the evaluator."""

from pathlib import Path

import pytest

from helpers.containment import assert_contained
from helpers.model_files import write_model
from marnn_bench.asking.process import ModelProcess

ANSWERS = {
    "itself": "[]; a.append(a)",
    "a map of itself": "{}; a['('] = a",
    "a longer length": "type('L', (list,), {'__len__': lambda s: 4})()",
    "a negative length": "type('L', (list,), {'__len__': lambda s: -1})()",
    "a length that is no number": "type('L', (list,), {'__len__': lambda s: 'x'})()",
    "a length that exits": "type('L', (list,), {'__len__': lambda s: os._exit(0)})()",
    "a list without end": "type('L', (list,), {'__iter__': lambda s: itertools.repeat(1.0), '__len__': lambda s: 4})()",
    "a set without end": "type('S', (set,), {'__iter__': lambda s: itertools.repeat('(')})()",
    "a map whose values exit": "type('D', (dict,), {'values': lambda s: sys.exit(0)})({'(': 1})",
    "an iterator that exits": "type('L', (list,), {'__iter__': lambda s: sys.exit(0)})()",
    "symbols that equal all": "{type('E', (), {'__eq__': lambda s, o: True, '__hash__': lambda s: hash('(')})()}",
    "symbols that equal with an error": "{type('E', (), {'__eq__': lambda s, o: 1 / 0, '__hash__': lambda s: hash('(')})()}",
    "symbols that cannot be hashed": "[[], [], [], []]",
    "symbols that cannot be shown": "{type('R', (), {'__repr__': lambda s: sys.exit(0)})()}",
    "symbols with escapes": "{'\\x1b[31m\\n'}",
    "symbols of megabytes": "{'x' * (1 << 24)}",
    "scores that compare as they like": "[type('C', (), {'__ge__': lambda s, o: 'yes', '__lt__': lambda s, o: 1 / 0})()] * 4",
    "scores that are never less nor more": "[type('C', (), {'__ge__': lambda s, o: False, '__lt__': lambda s, o: False})()] * 4",
    "scores that end the process": "[type('C', (), {'__ge__': lambda s, o: os._exit(0)})()] * 4",
    "tolist of garbage": "type('T', (), {'tolist': lambda s: [object()] * 4, 'ndim': 2})()",
    "tolist of itself": "type('T', (), {'tolist': lambda s: s})()",
    "tolist that exits": "type('T', (), {'tolist': lambda s: sys.exit(0)})()",
    "an array of itself": "type('A', (), {'__array__': lambda s, *a, **k: s, 'ndim': 2})()",
    "an array that exits": "type('A', (), {'__array__': lambda s, *a, **k: sys.exit(0), 'ndim': 2})()",
    "a shape that lies": "type('A', (numpy.ndarray,), {'shape': (2, 4)})((1,))",
    "negative sizes": "type('A', (numpy.ndarray,), {'ndim': 2, 'shape': (-2, -4)})((1,))",
    "a tensor that is none": "type('T', (), {'detach': lambda s: s, 'cpu': lambda s: 'x', 'ndim': 2})()",
    "a tensor that detaches for ever": "type('T', (), {'detach': lambda s: s.detach(), 'ndim': 2})()",
    "numbers that are none": "numpy.full((2, 4), numpy.nan)",
    "objects": "numpy.full((2, 4), object())",
    "a large array that takes no memory": "numpy.broadcast_to(1.0, (1 << 40, 4))",
    "no dimensions": "numpy.array(1.0)",
    "complex numbers": "numpy.ones((2, 4), complex)",
    "texts": "numpy.full((2, 4), 'x')",
    "records": "numpy.zeros((2, 4), 'i4,i4')",
    "infinite numbers": "[10 ** 400] * 4",
    "everything in builtins": "vars(__builtins__) if not isinstance(__builtins__, dict) else __builtins__",
    "a module": "sys",
    "its frame": "sys._getframe()",
    "a class of attributes": "type('G', (), {'__getattr__': lambda s, name: s, '__call__': lambda s, *a: s})()",
    "an instance that says it is a list": "type('F', (), {'__class__': list})()",
    "an instance that says it is a set": "type('F', (), {'__class__': set})()",
    "a generator without end": "itertools.repeat({'('})",
    "a coroutine": "coroutine()",
}  # fmt: skip
"""What is answered -> an expression for it, which may go on with statements about `a`."""

SETUP = """
import itertools, numpy, os, sys
async def coroutine(): pass
def answer():
    a = {answer}
    return a
"""

ASKED = {
    "step": "def reset(n): pass\ndef step(ids): return answer()",
    "predict_batch": "def predict_batch(prefixes): return answer()",
    "a list of predict_batch": "def predict_batch(prefixes): return [answer() for _ in prefixes]",
    "predict": "def predict(prefix): return answer()",
}


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("answer", ANSWERS)
def test_no_answer_does_harm(answer: str, asked: str, tmp_path: Path, sound: ModelProcess) -> None:
    source = SETUP.format(answer=ANSWERS[answer]) + ASKED[asked]
    assert_contained(write_model(tmp_path / "model", source), sound)
