"""Hostile models: whatever one does, the evaluator ends it in time, with all that it started, and others answer as before."""

from pathlib import Path
from textwrap import indent

import pytest

from helpers.containment import assert_contained
from helpers.model_files import write_model
from marnn_bench.asking.process import ModelProcess

SLEEPER = 'subprocess.Popen(["sleep", "60"], start_new_session={apart})'

ACTS = {
    # -- processes
    "forks": "os.fork() or time.sleep(60)",
    "forks twice, into another session": "if not os.fork():\n    os.setsid()\n    os.fork() or time.sleep(60)\n    os._exit(0)",
    "leaves a program": SLEEPER.format(apart=False),
    "leaves a program in another session": SLEEPER.format(apart=True),
    "leaves a program without an environment": 'subprocess.Popen(["sleep", "60"], start_new_session=True, env={})',
    "leaves a program that ignores signals": 'subprocess.Popen(["sh", "-c", "trap \'\' TERM HUP INT; sleep 60; sleep 60"])',
    "leaves a program that holds everything open": 'subprocess.Popen(["sleep", "60"], close_fds=False, start_new_session=True)',
    "leaves twenty programs": 'for _ in range(20): subprocess.Popen(["sleep", "60"], start_new_session=True)',
    "is ended with a program left": SLEEPER.format(apart=True) + "\nos._exit(7)",
    "kills itself with a program left": SLEEPER.format(apart=True) + "\nos.kill(os.getpid(), 9)",
    "stops itself": "os.kill(os.getpid(), signal.SIGSTOP)",
    "kills its parent": "os.kill(PARENT, 9)",
    "kills its parent with a program left": SLEEPER.format(apart=True) + "\nos.kill(PARENT, 9)\ntime.sleep(60)",
    "kills the group of its parent": "os.getpgid(PARENT) == PARENT and os.killpg(PARENT, 9)",
    "asks its parent to end": "os.kill(PARENT, 15)\ntime.sleep(60)",
    "stops its parent": SLEEPER.format(apart=True) + "\nos.kill(PARENT, signal.SIGSTOP)\ntime.sleep(60)",
    "kills its own group": "os.killpg(0, 9)",
    "becomes another program": 'os.execv("/bin/sleep", ["sleep", "60"])',
    "becomes a program that prints": 'os.execv("/bin/sh", ["sh", "-c", "echo hello; echo hello >&3; exit 0"])',
    # -- its end
    "exits": "sys.exit(0)",
    "exits with a text": "sys.exit('enough \\x1b[31m')",
    "exits at once": "os._exit(0)",
    "exits with a status that is no byte": "os._exit(1000)",
    "exits as if lost": "os._exit(74)",
    "exits as if ended by a signal that is none": "os._exit(250)",
    "is interrupted": "raise KeyboardInterrupt",
    "raises GeneratorExit": "raise GeneratorExit",
    "raises a bare BaseException": "raise BaseException",
    "aborts": "os.abort()",
    "ends by a signal without a name": "os.kill(os.getpid(), 40)",
    "overflows the stack of C": "ctypes.string_at(1)",
    "recurs": "sys.setrecursionlimit(10**6)\ndef deeper(): deeper()\ndeeper()",
    "ends in a thread": "threading.Thread(target=os._exit, args=(3,)).start()\ntime.sleep(60)",
    # -- descriptors
    "closes every descriptor": "os.closerange(0, 256)",
    "closes those that it was not given": "os.closerange(3, 256)",
    "puts nothing over every descriptor": 'n = os.open("/dev/null", 2)\nfor fd in range(64): fd == n or os.dup2(n, fd)',
    "puts a full device over every descriptor": 'n = os.open("/dev/full", 2)\nfor fd in range(64): fd == n or os.dup2(n, fd)',
    "writes a line to every descriptor": "everywhere(b'hello\\n' * 3)",
    "writes zeros to every descriptor": "everywhere(bytes(64))",
    "writes much to every descriptor": "everywhere(bytes(range(256)) * 4096)",
    "opens all files it may": 'opened = [open("/dev/null") for _ in range(100)]',
    # -- time and signals
    "never ends": "while True: pass",
    "sleeps": "time.sleep(60)",
    "ignores signals": "for s in set(signal.valid_signals()) - {9, 19}: signal.signal(s, signal.SIG_IGN)\ntime.sleep(60)",
    "blocks signals": "signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())\ntime.sleep(60)",
    "waits for a lock": "lock = threading.Lock()\nlock.acquire()\nlock.acquire()",
    "leaves threads": "for _ in range(20): threading.Thread(target=time.sleep, args=(60,)).start()",
    "leaves a thread that works": "def work():\n    while True: pass\nthreading.Thread(target=work).start()",
    "never ends when it ends": "atexit.register(time.sleep, 60)\nsys.exit(0)",
    # -- its surroundings
    "leaves its folder": 'os.chdir("/")',
    "removes its file": "os.remove(__file__)",
    "removes its folder": 'shutil.rmtree(os.path.dirname(__file__))\nos.chdir("/")',
    "removes its scratch folder": 'shutil.rmtree(os.environ["TMPDIR"])',
    "locks its scratch folder": 'os.chmod(os.environ["TMPDIR"], 0)',
    "links its scratch folder elsewhere": 'os.symlink("/", os.environ["TMPDIR"] + "/root")',
    "empties its path and modules": "sys.path.clear()\nsys.modules.clear()",
    "replaces standard output": "sys.stdout = sys.stderr = None",
    "replaces os.write": "os.write = os.read = os.dup = lambda *a: 1 / 0",
    "replaces functions of numpy": "numpy.array = numpy.zeros = numpy.where = numpy.frombuffer = lambda *a, **k: None",
    "replaces json": "import json\njson.dumps = json.loads = lambda *a, **k: 'x'",
    "replaces builtins": "import builtins\nbuiltins.len = builtins.isinstance = lambda *a: 1 / 0",
    "replaces the protocol": "import marnn_bench.asking.protocol as p\np.pack = lambda *a: b'x' * 9\np.HEADER = None",
    "collects nothing and tracks everything": "gc.disable()\nsys.settrace(lambda *a: 1 / 0)",
    # -- size
    "takes all memory": "hold = []\nwhile True: hold.append(bytearray(1 << 26))",
    "takes memory for all": "hold = mmap.mmap(-1, 3 << 29)\nnumpy.frombuffer(hold, 'u1')[:] = 1\ntime.sleep(60)",
    "prints much": 'for _ in range(200): print("x" * 100_000)',
    "prints without end": 'while True: print("x" * 1000)',
    "prints escapes": 'print("\\x1b[2J\\x1b]0;title\\x07")',
    "prints what is no text": 'os.write(2, bytes(range(256)))',
    "raises a text of megabytes": 'raise ValueError("x" * (1 << 24))',
    "raises what cannot be shown": "class Mute(Exception):\n    def __str__(self): raise SystemExit\nraise Mute",
    "raises what never ends": "class Endless(Exception):\n    def __str__(self):\n        while True: pass\nraise Endless",
    "raises a ring of causes": "try:\n    raise ValueError\nexcept ValueError as e:\n    e.__cause__ = e\n    raise",
    "raises half a pair": 'raise ValueError("\\ud800 \\x00 \\x1b[31m")',
}  # fmt: skip
"""What it does -> by these statements."""

WHERE = {
    "import": "{act}\ndef predict(prefix): return {{'('}}",
    "load": "def load(task):\n{indented}\ndef predict(prefix): return {{'('}}",
    "predict": "def predict(prefix):\n{indented}\n    return {{'('}}",
}

SETUP = """
import atexit, ctypes, gc, mmap, numpy, os, shutil, signal, subprocess, sys, threading, time
PARENT = os.getppid()
def everywhere(content):
    for fd in range(64):
        try:
            os.set_blocking(fd, False)
            os.write(fd, content)
        except OSError:
            pass
"""


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("act", ACTS)
def test_whatever_a_model_does_it_is_contained(
    act: str, where: str, tmp_path: Path, sound: ModelProcess
) -> None:
    source = SETUP + WHERE[where].format(act=ACTS[act], indented=indent(ACTS[act], "    "))
    assert_contained(write_model(tmp_path / "model", source), sound)
