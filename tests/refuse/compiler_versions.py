#!/usr/bin/env python3
"""A compiler that is too old is told so in one sentence, and nothing else.

Usage: compiler_versions.py SOURCE_DIR. Without a clang 14, clang 19 is made to say that it is one.
"""
import pathlib
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(sys.argv[1])
PRELUDE = '#include "tcp/tcp.hpp"\n'


def errors(command):
    done = subprocess.run([*command, f"-I{SOURCE / 'include'}", "-fsyntax-only", "-x", "c++", "-"], input=PRELUDE, capture_output=True, text=True)
    return [line for line in done.stderr.splitlines() if "error:" in line]


old = ["clang++-14"] if shutil.which("clang++-14") else ["clang++-19", "-Wno-builtin-macro-redefined", "-U__clang_major__", "-D__clang_major__=14"]
for command, sentence in ((old + ["-std=c++20"], "tcp needs clang 16 or newer"), (["clang++-19", "-std=c++20"], None)):
    found = errors(command)
    if (sentence is None and found) or (sentence and (len(found) != 1 or sentence not in found[0])):
        sys.exit(f"{' '.join(command)} says\n" + "\n".join(found))
if "tcp needs C++20" not in errors(["g++", "-std=c++17"])[0]:
    sys.exit("g++ -std=c++17 does not begin with the sentence about C++20")
