"""The C compiler that is there: `$CC`, cc, gcc, clang, or the one that the package ziglang brings."""

import os
import platform
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from marnn_bench.errors import DetailedError

NAMES: Final = ("cc", "gcc", "clang")
THIS_CPU: Final = {"arm64": "-mcpu=native", "aarch64": "-mcpu=native"}
"""How a compiler is told to use all that this CPU has, by machine; else -march=native."""

FLAGS: Final = (
    "-std=c99",
    "-O3",
    THIS_CPU.get(platform.machine(), "-march=native"),
    "-ffp-contract=off",  # bits depend on the text, not on what a compiler fuses; maths.h says more
    "-fno-math-errno",  # these two change no value: without them loops with a square root or a comparison are no vectors
    "-fno-trapping-math",
    "-fopenmp-simd",  # loops over lanes say of themselves that they can be vectors
    "-fPIC",
)
ADVICE: Final = "Install gcc or clang, or pip install 'marnn-bench[compiler]', or take --engine reference."


class CompilerError(DetailedError):
    """There is no compiler, or no GPU, it fails, or what it makes cannot be kept or loaded; `details` has its own words."""

    exit_code = 2


@dataclass(frozen=True)
class Compiler:
    """A C compiler, as a command takes it."""

    command: tuple[str, ...]

    @property
    def name(self) -> str:
        return shlex.join(self.command)

    def describe(self) -> str:
        """What it says of itself, of the flags and of this CPU: the macros that it predefines."""
        return self._run(*FLAGS, "-dM", "-E", "-x", "c", os.devnull)

    def compile(self, source: Path, library: Path) -> None:
        """Make a shared library of a file of C."""
        self._run(*FLAGS, "-shared", str(source), "-o", str(library))
        if not library.exists():
            raise CompilerError(f"The C compiler {self.name} makes no library. {ADVICE}")

    def _run(self, *arguments: str) -> str:
        try:
            done = subprocess.run(
                [*self.command, *arguments],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
            )
        except OSError as error:
            raise CompilerError(
                f"The C compiler {self.name} does not start ({error.strerror}). {ADVICE}"
            ) from error
        if done.returncode:
            lines = done.stderr.splitlines() or [f"exit status {done.returncode}"]
            told = next((line for line in lines if "error" in line), lines[0])
            raise CompilerError(f"The C compiler {self.name} fails ({told}). {ADVICE}", details=done.stderr)
        return done.stdout


def find_compiler() -> Compiler:
    """The first of them that is there. CompilerError if none is, or if `$CC` names one that is not."""
    try:
        chosen = shlex.split(os.environ.get("CC", ""))
    except ValueError as error:
        raise CompilerError(f"CC is no command ({error}). Unset it, or name a C compiler.") from None
    if chosen:
        if not shutil.which(chosen[0]):
            raise CompilerError(
                f"CC names a C compiler, {chosen[0]}, that is not there. Unset it, or name another."
            )
        return Compiler(tuple(chosen))
    for compiler in _found():
        return compiler
    raise CompilerError(f"There is no C compiler here: no {', '.join(NAMES)}, no ziglang. {ADVICE}")


def _found() -> Iterator[Compiler]:
    for name in NAMES:
        if path := shutil.which(name):
            yield Compiler((path,))
    if (zig := find_spec("ziglang")) and zig.origin:
        yield Compiler((str(Path(zig.origin).with_name("zig")), "cc"))
