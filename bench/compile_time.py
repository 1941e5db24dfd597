#!/usr/bin/env python3
"""How long a kernel author waits for g++, without a cache: the seconds beyond those of an empty main, and the memory at its peak.

The prelude with ten mappings; one matrix product at -O0 and at -O2; a file of a hundred of them, each of another size.
"""
import pathlib
import resource
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
KERNELS = 100


def seconds(work, source, *flags):
    command = ["g++", "-std=c++20", *flags, "-I", str(ROOT / "include"), "-c", str(source), "-o", f"{work}/out.o"]
    start = time.perf_counter()
    subprocess.run(command, check=True)
    return time.perf_counter() - start


def median(repeats, *arguments):
    return statistics.median(seconds(*arguments) for _ in range(repeats))


def peak_megabytes():
    """Of the largest compilation so far."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def main():
    with tempfile.TemporaryDirectory() as work:
        empty = pathlib.Path(work, "empty.cpp")
        empty.write_text("int main() {}\n", "utf-8")
        gemm = ROOT / "bench/kernel_gemm.cpp"
        without = {level: median(3, work, empty, level) for level in ("-O0", "-O2")}

        print(f"figure compile_one_kernel_header {median(5, work, ROOT / 'bench/kernel_header.cpp', '-O0'):.3f} s")
        print(f"figure compile_one_gemm_O0 {median(3, work, gemm, '-O0') - without['-O0']:.3f} s")
        print(f"figure compile_one_gemm_O2 {median(3, work, gemm, '-O2') - without['-O2']:.3f} s")
        print(f"figure compile_one_gemm_memory {peak_megabytes():.0f} MB")
        shapes = " ".join(f"S({rows}, {512 * 512 // rows}, {32 * n})" for rows in (256, 512, 1024, 2048) for n in range(1, KERNELS // 4 + 1))
        print(f"figure compile_{KERNELS}_gemms_O0 {seconds(work, gemm, '-O0', f'-DSHAPES={shapes}') - without['-O0']:.1f} s")
        print(f"figure compile_{KERNELS}_gemms_memory {peak_megabytes():.0f} MB")


if __name__ == "__main__":
    main()
