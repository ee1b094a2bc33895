"""Compiling and caching in processes of their own: with compilers that fail or are missing, and caches that are damaged."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.c_programs import compilers

TEXT = "int answer(void) { return 42; }"
PROGRAM = f"""
import sys
from marnn_bench.baselines.engine.build import compile_library
from marnn_bench.baselines.engine.compilers import CompilerError
try:
    print(compile_library(sys.argv[1] if len(sys.argv) > 1 else {TEXT!r}).answer())
except CompilerError as error:
    print(error)
"""
TRUE, FALSE = str(shutil.which("true")), str(shutil.which("false"))


def start(cache: Path, text: str = TEXT, **environment: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, text],
        env={**os.environ, "MARNN_CACHE": str(cache), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def compile_in(cache: Path, text: str = TEXT, **environment: str) -> str:
    """What a process printed: the answer, or the one line of the error."""
    out, errors = start(cache, text, **environment).communicate()
    assert errors == "", errors
    assert out.count("\n") == 1
    return out.strip()


def libraries(cache: Path) -> list[Path]:
    return sorted((cache / "engine").glob("*.so"))


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """The library of TEXT in the cache `tmp_path`."""
    assert compile_in(tmp_path) == "42"
    (found,) = libraries(tmp_path)
    return found


def recording(folder: Path) -> str:
    """A compiler that writes a line into `folder`/calls for each library that it makes."""
    script = folder / "recording-cc"
    script.write_text(
        f'#!/bin/sh\ncase "$*" in *-shared*) echo called >> {folder}/calls;; esac\nexec cc "$@"\n'
    )
    script.chmod(0o755)
    return str(script)


def test_a_library_is_compiled_once(tmp_path):
    environment = {"CC": recording(tmp_path)}
    assert [compile_in(tmp_path, **environment) for _ in range(3)] == ["42"] * 3
    assert compile_in(tmp_path, TEXT.replace("42", "43"), **environment) == "43"
    assert (tmp_path / "calls").read_text() == "called\n" * 2


@pytest.mark.parametrize("name", compilers())
def test_every_compiler_serves(name, tmp_path):
    assert compile_in(tmp_path, CC=" ".join(compilers()[name])) == "42"


def test_without_cc_and_gcc_the_package_ziglang_serves(tmp_path):
    pytest.importorskip("ziglang", reason="needs the extra `compiler`")
    assert compile_in(tmp_path, CC="", PATH="") == "42"


def test_compilers_flags_and_cpus_do_not_share_libraries(tmp_path):
    """A wrapper that takes a feature from the CPU stands for another machine with the same cache."""
    script = tmp_path / "cc"
    script.write_text('#!/bin/sh\nexec cc "$@" $OTHER_CPU\n')
    script.chmod(0o755)
    assert compile_in(tmp_path, CC=str(script)) == "42"
    assert compile_in(tmp_path, CC=str(script), OTHER_CPU="-D__OTHER_FEATURE__=1") == "42"
    assert len(libraries(tmp_path)) == 2


def test_only_the_user_can_write_to_what_is_loaded(library):
    for path in (library, library.parent):
        found = path.stat()
        assert found.st_uid == os.geteuid()
        assert stat.S_IMODE(found.st_mode) == 0o700


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o1777])
def test_a_folder_that_others_can_write_to_is_refused(library, mode):
    library.parent.chmod(mode)
    assert f"Others can write to {library.parent}" in compile_in(library.parents[1])


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to make files of another user")
def test_a_folder_of_another_user_is_refused(library):
    os.chown(library.parent, 12345, -1)
    assert f"Others can write to {library.parent}" in compile_in(library.parents[1])


def make_foreign(library: Path) -> None:
    """A library that somebody else could have put there."""
    library.chmod(0o777)


def make_link(library: Path) -> None:
    elsewhere = library.parents[1] / "elsewhere.so"
    library.rename(elsewhere)
    library.symlink_to(elsewhere)


def truncate(library: Path) -> None:
    library.write_bytes(library.read_bytes()[:1000])


def change_a_bit(library: Path) -> None:
    content = bytearray(library.read_bytes())
    content[len(content) // 2] ^= 1
    library.write_bytes(content)


@pytest.mark.parametrize("damage", [make_foreign, make_link, truncate, change_a_bit])
def test_a_library_that_is_damaged_or_foreign_is_made_again(library, damage):
    content = library.read_bytes()
    damage(library)
    assert compile_in(library.parents[1]) == "42"
    assert library.read_bytes() == content
    assert not library.is_symlink()
    assert stat.S_IMODE(library.stat().st_mode) == 0o700


def test_processes_that_compile_at_once_do_not_disturb_each_other(tmp_path):
    """Each of them finds nothing, and then a library that is cut short."""
    for _ in range(2):
        processes = [start(tmp_path) for _ in range(6)]
        assert [process.communicate() for process in processes] == [("42\n", "")] * 6
        (library,) = (tmp_path / "engine").iterdir()
        truncate(library)


@pytest.mark.parametrize(
    ("compiler", "text", "said"),
    [
        (FALSE, TEXT, f"The C compiler {FALSE} fails (exit status 1)"),
        ("cc", "no C", "error: unknown type name"),
        ("cc --no-such-flag", TEXT, "no-such-flag"),
        ("no-such-compiler", TEXT, "CC names a C compiler, no-such-compiler, that is not there"),
        (TRUE, TEXT, "makes no library"),
    ],
)
def test_a_compiler_that_fails_is_named_in_one_line(tmp_path, compiler, text, said):
    assert said in compile_in(tmp_path, text, CC=compiler)
    assert libraries(tmp_path) == []


def test_without_a_compiler_the_error_says_what_to_install(tmp_path):
    """In an environment that is sure to have no ziglang."""
    hidden = PROGRAM.replace("import sys\n", "import sys\nsys.modules['ziglang'] = None\n", 1)
    done = subprocess.run(
        [sys.executable, "-c", hidden],
        env={**os.environ, "MARNN_CACHE": str(tmp_path), "PATH": "", "CC": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == (
        "There is no C compiler here: no cc, gcc, clang, no ziglang. Install gcc or clang, or pip install "
        "'marnn-bench[compiler]', or take --engine reference.\n"
    )


def test_a_cache_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").touch()
    said = compile_in(tmp_path / "file")
    assert said.startswith(
        f"Compiled code cannot be kept in {tmp_path / 'file' / 'engine'} (Not a directory)"
    )
    assert said.endswith("set MARNN_CACHE to a folder of your own.")


def test_what_is_no_library_is_not_loaded(tmp_path):
    """Of a compiler for another machine, say."""
    script = tmp_path / "cc"
    script.write_text('#!/bin/sh\nwhile [ $# -gt 1 ]; do [ "$1" = -o ] && echo foreign > "$2"; shift; done\n')
    script.chmod(0o755)
    assert "cannot be loaded" in compile_in(tmp_path, CC=str(script))
