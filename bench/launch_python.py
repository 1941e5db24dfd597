"""How much longer a launch takes from Python than from C++: the kernel of launch_bench.cpp, recorded again at each launch, and prepared once.
At most 100 us more are wanted, in a release build on a machine that does nothing else.

Usage: PYTHONPATH=build/release/python python3 bench/launch_python.py build/release/bin/launch_bench
"""
import re
import subprocess
import sys
import time

import numpy as np
import tcp_visa as tv

A = tv.axes(A=2048)


@tv.kernel
def add_one(ctx, x):
    dm = x.to_dm(tv.one.pad(2), (A // 8).pad(256), A % 8)
    y = (ctx.main.begin(dm).fetch("i32", 1, A % 8).collect(1, A % 8).vector_init().vector_intra_slice_branch("Unconditional")
         .vector_fxp("AddFxp", 1).vector_final().commit(A % 8))
    return y.to_hbm(A)


def median_us(call, rounds=200):
    """The median of the wall, and the mean of this process's processor time, which other programs do not lengthen."""
    took, before = [], time.process_time()
    for _ in range(rounds):
        begin = time.perf_counter()
        call()
        took.append(time.perf_counter() - begin)
    return sorted(took)[rounds // 2] * 1e6, (time.process_time() - before) / rounds * 1e6


def median(all):
    return sorted(all)[len(all) // 2]


def cpp_us(bench):
    said = subprocess.run([bench], capture_output=True, text=True, check=True).stdout
    return [float(re.search(rf"{name} ([\d.]+) us", said)[1]) for name in ("launch_from_cpp", "launch_from_cpp_cpu")]


def main():
    """In turn, so that a machine that is busy for a while is so for both."""
    cpp, python, prepared = [], [], []
    with tv.Context("vector", threads=1) as ctx:
        x = ctx.tensor(np.zeros(2048, np.int32), "A")
        ready = add_one.prepare(x)
        for _ in range(7):
            cpp.append(cpp_us(sys.argv[1]))
            python.append(median_us(lambda: add_one(x)))
            prepared.append(median_us(lambda: ready(x)))
    wall, cpu = ([median([each[i] for each in all]) for all in (cpp, python, prepared)] for i in (0, 1))
    print(f"figure launch_from_python {wall[1]:.1f} us")
    print(f"figure launch_from_python_prepared {wall[2]:.1f} us")
    print(f"figure launch_python_more_than_cpp {wall[1] - wall[0]:.1f} us")
    print(f"figure launch_python_more_than_cpp_cpu {cpu[1] - cpu[0]:.1f} us")


if __name__ == "__main__":
    main()
