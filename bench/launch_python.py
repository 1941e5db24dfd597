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


def median_us(call, rounds=400):
    took = []
    for _ in range(rounds):
        begin = time.perf_counter()
        call()
        took.append(time.perf_counter() - begin)
    return sorted(took)[rounds // 2] * 1e6


def main():
    said = subprocess.run([sys.argv[1]], capture_output=True, text=True, check=True).stdout
    cpp = float(re.search(r"launch_from_cpp ([\d.]+) us", said)[1])
    with tv.Context("vector", threads=1) as ctx:
        x = ctx.tensor(np.zeros(2048, np.int32), "A")
        ready = add_one.prepare(x)
        python, prepared = median_us(lambda: add_one(x)), median_us(lambda: ready(x))
    print(f"figure launch_from_python {python:.1f} us")
    print(f"figure launch_from_python_prepared {prepared:.1f} us")
    print(f"figure launch_python_more_than_cpp {python - cpp:.1f} us")


if __name__ == "__main__":
    main()
