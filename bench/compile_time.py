#!/usr/bin/env python3
"""How long a kernel author waits: g++ -O0 on a file that includes the prelude and declares ten mappings. The median of five, without a cache."""
import pathlib
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
REPEATS = 5

with tempfile.TemporaryDirectory() as work:
    command = ["g++", "-std=c++20", "-O0", "-I", str(ROOT / "include"), "-c", str(ROOT / "bench/kernel_header.cpp"), "-o", f"{work}/kernel_header.o"]
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        subprocess.run(command, check=True)
        seconds.append(time.perf_counter() - start)
print(f"figure compile_one_kernel_header {statistics.median(seconds):.3f} s")
