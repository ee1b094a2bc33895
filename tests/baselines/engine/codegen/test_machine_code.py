"""What NVRTC makes of our C, for a GPU that need not be here: registers, spills, no fused multiply-adds."""

import subprocess
import sys

import pytest

from helpers.c_programs import CODEGEN
from marnn_bench.baselines.engine.compilers import CompilerError
from marnn_bench.baselines.engine.gpu import H200, OPTIONS, compile_for_gpu

core = pytest.importorskip("cuda.core", reason="needs the extra `gpu`")
nvrtc = pytest.importorskip("cuda.bindings.nvrtc", reason="needs the extra `gpu`")

MATHS = (CODEGEN / "maths.h").read_text() + (CODEGEN / "philox.h").read_text()
KERNEL = """
extern "C" __global__ void of_{name}(const {given} *x, {kind} *y, long n) {{
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) y[i] = marnn_{name}(x[i]);
}}
"""
DRAW = """
extern "C" __global__ void draw(const marnn_u64 *key, marnn_u64 *y, long n) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) marnn_philox(i, 1, 2, 3, key[i], y + i, y + n + i);
}
"""
FUNCTIONS = ("exp", "log", "tanh", "sigmoid")
KERNELS = "".join(
    [KERNEL.format(name=name, given="double", kind="double") for name in FUNCTIONS]
    + [KERNEL.format(name=name + "f", given="float", kind="float") for name in FUNCTIONS]
    + [KERNEL.format(name="gumbel", given="marnn_u64", kind="double"), DRAW]
)


def assembly(source: str, **changed: bool) -> str:
    """The text in PTX, from which machine code is made, one instruction for one or more of it."""
    options = core.ProgramOptions(arch=H200.replace("sm", "compute"), **{**OPTIONS, **changed}).as_bytes(
        "nvrtc"
    )
    _, program = nvrtc.nvrtcCreateProgram(source.encode(), b"", 0, [], [])
    assert nvrtc.nvrtcCompileProgram(program, len(options), options) == (nvrtc.nvrtcResult.NVRTC_SUCCESS,)
    _, size = nvrtc.nvrtcGetPTXSize(program)
    text = bytearray(size)
    nvrtc.nvrtcGetPTX(program, text)
    return text.decode()


def test_maths_and_noise_compile_without_spills():
    """A thread has 255 registers; one of these is a small part of a program."""
    code = compile_for_gpu(MATHS + KERNELS)
    assert len(code.kernels) == 2 * len(FUNCTIONS) + 2
    assert all(kernel.spilled == 0 for kernel in code.kernels.values())
    assert max(kernel.registers for kernel in code.kernels.values()) <= 64
    assert code.cubin.startswith(b"\x7fELF")


def test_nothing_is_fused_into_multiply_adds():
    """So that every operation rounds as it does on the CPU."""
    assert "fma.rn" not in assembly(MATHS + KERNELS)
    assert "fma.rn" in assembly(MATHS + KERNELS, fma=True)


def test_spills_are_seen():
    """200 numbers that all depend on each other do not fit into 255 registers of half their size."""
    text = """
    extern "C" __global__ void many(double *x, int n) {
        double a[200];
        #pragma unroll
        for (int i = 0; i < 200; ++i) a[i] = x[i * n];
        for (int k = 0; k < n; ++k) {
            #pragma unroll
            for (int i = 0; i < 200; ++i) a[i] = a[i] * a[(i + 7) % 200];
        }
        #pragma unroll
        for (int i = 0; i < 200; ++i) x[i * n] = a[i];
    }"""
    many = compile_for_gpu(text).kernels["many"]
    assert many.registers > 200
    assert many.spilled > 0


def test_text_that_does_not_compile_is_refused_in_one_line():
    with pytest.raises(
        CompilerError, match=r'does not compile this for sm_90: .*identifier "y" is undefined$'
    ):
        compile_for_gpu("void f(double *x) { *x = y; }")


def test_without_the_extra_the_error_says_what_to_install():
    program = """
import sys
sys.modules["cuda.core"] = None
from marnn_bench.baselines.engine.gpu import compile_for_gpu
try:
    compile_for_gpu("")
except Exception as error:
    print(type(error).__name__, error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "CompilerError There is no CUDA here: pip install 'marnn-bench[gpu]'.\n"
