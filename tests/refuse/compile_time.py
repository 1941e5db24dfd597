#!/usr/bin/env python3
"""Compiles the compile-time halves of tests/refuse/<area> and compares the sentence each compiler shows with the .expect file.

Usage: compile_time.py [--root ROOT] [--jobs N] [--precompiled FOLDER] --precompile | AREA...

With --precompile the headers that these files include are compiled into FOLDER, once for each compiler; with --precompiled they are taken from there.

g++ 12 shows the sentence as the text of a template argument, clang 19 in C++20 as exactly sized pieces, clang 19 in C++26 (the editor) plainly.
"""
import argparse
import concurrent.futures
import difflib
import os
import pathlib
import re
import subprocess
import sys

import refuse_files

COMPILERS = [["g++", "-std=c++20"], ["clang++-19", "-std=c++20"], ["clang++-19", "-std=c++26"]]
FLAGS = ["-fsyntax-only", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-fdiagnostics-color=never", "-DTCP_AT_COMPILE_TIME=1"]
MOST_LINES = 30

LITERAL = r'"((?:[^"\\]|\\.)*)"'
GCC_TEXT = re.compile(r"REFUSED<tcp::Text\{" + LITERAL + r", \d+\}>")
CLANG_PIECE = re.compile(r"Piece<\d+>\{(?:" + LITERAL + r"|(\{[^}]*\}))\}")
CLANG_PLAIN = re.compile(r"static assertion failed[^:]*: (error\[.*)$")
ESCAPE = re.compile(r"\\(.)")


def unescape(text):
    return ESCAPE.sub(lambda m: {"n": "\n", "t": "\t"}.get(m.group(1), m.group(1)), text)


def shown(error_line):
    """What a compiler's `error:` line says: None if it is no refusal, else a list of pieces (one, where the compiler shows the text whole)."""
    m = GCC_TEXT.search(error_line)
    if m:
        return [unescape(m.group(1))]
    m = CLANG_PLAIN.search(error_line)
    if m:
        return [m.group(1)]
    if "REFUSED<" in error_line and "Piece<" in error_line:
        return [unescape(p.group(1)) if p.group(1) is not None else p.group(2) for p in CLANG_PIECE.finditer(error_line)]
    return None


def same(pieces, sentence):
    """Whether the pieces are the sentence, cut at (and without) blanks."""
    at = 0
    for piece in pieces:
        while at < len(sentence) and sentence[at] == " " and not piece.startswith(" "):
            at += 1
        if not sentence.startswith(piece, at):
            return False
        at += len(piece)
    return at == len(sentence)


def judge(returncode, output, expected):
    """The complaints about one compilation; none if it refused with exactly the expected sentence."""
    if returncode == 0:
        return ["it compiles; it must be refused"]
    errors = [line for line in output.splitlines() if re.search(r"\b(fatal )?error:", line)]
    texts = [(line, shown(line)) for line in errors]
    said = [pieces for _, pieces in texts if pieces is not None]
    if not said:
        return ["it is an error, but no refusal:", *errors[:5]]
    complaints = []
    if texts[0][1] is None:
        complaints += ["the refusal is not the first error; a reader sees this before it:", errors[0]]
    sentence = " ".join(said[0])
    if any(" ".join(other) != sentence for other in said):
        complaints += ["it is refused with more than one sentence:", *sorted({" ".join(s) for s in said})]
    if expected is None:
        complaints += ["there is no .expect file; if the sentence is right, run scripts/refuse-expect, or paste:", sentence]
    elif not same(said[0], expected):
        complaints += ["the sentence differs (- expected, + shown):", *difflib.ndiff([expected], [sentence])]
    lines = output.count("\n")
    if lines > MOST_LINES:
        complaints += [f"the compiler prints {lines} lines; a reader should get at most {MOST_LINES}:", *errors]
    return complaints


def headers(root):
    """The public headers that the files include and that are no run-time headers."""
    run_time = (root / "tests/repo/run_time_headers.txt").read_text("utf-8").split()
    found = set()
    for path in (root / "tests/refuse").glob("*/*_bad.cpp"):
        found.update(re.findall(r'^#include "(tcp/[^"]+)"', path.read_text("utf-8"), re.MULTILINE))
    return sorted(found - set(run_time))


def settings(root):
    return [*FLAGS, "-I", str(root / "include"), "-I", str(root / "tests/refuse")]


def precompiled_arguments(compiler, folder):
    """How a compiler is told to begin with the precompiled headers."""
    name = "-".join(compiler).replace("+", "p").replace("=", "")
    if compiler[0] == "g++":
        return ["-include", str(folder / f"{name}.hpp")]
    return ["-include-pch", str(folder / f"{name}.pch")]


def precompile(root, folder):
    folder.mkdir(parents=True, exist_ok=True)
    includes = "".join(f'#include "{h}"\n' for h in ["refuse_test.hpp", *headers(root)])
    failed = 0
    for compiler in COMPILERS:
        target = pathlib.Path(precompiled_arguments(compiler, folder)[1])
        source = target.with_suffix(".hpp")
        source.write_text(includes, "utf-8")
        output = source.with_suffix(".hpp.gch") if compiler[0] == "g++" else target
        flags = [f for f in settings(root) if f != "-fsyntax-only"]
        done = subprocess.run([*compiler, *flags, "-x", "c++-header", str(source), "-o", str(output)], capture_output=True, text=True)
        if done.returncode:
            failed += 1
            print(f"{' '.join(compiler)}: the headers do not compile:\n{done.stderr}")
    return 1 if failed else 0


def compile_with(compiler, path, root, precompiled=None):
    begin = precompiled_arguments(compiler, precompiled) if precompiled else []
    done = subprocess.run([*compiler, *settings(root), *begin, str(path)], capture_output=True, encoding="utf-8", errors="replace",
                          env={**os.environ, "LC_ALL": "C"})
    return done.returncode, done.stderr + done.stdout


def check(job):
    compiler, file, root, precompiled = job
    returncode, output = compile_with(compiler, file.path, root, precompiled)
    return compiler, file, [line.rstrip("\n") for line in judge(returncode, output, file.expected)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--precompiled", type=pathlib.Path)
    parser.add_argument("--precompile", action="store_true")
    parser.add_argument("area", nargs="*")
    args = parser.parse_args()
    if args.precompile:
        return precompile(args.root, args.precompiled)

    files = [f for f in refuse_files.read_all(args.root) if f.area in args.area]
    jobs = [(c, f, args.root, args.precompiled) for f in files if f.compile_time for c in COMPILERS]
    failed = 0
    for file in files:
        if not file.compile_time and not file.run_time_only_because:
            failed += 1
            print(f"{file.path}:1: it has no '#if TCP_AT_COMPILE_TIME' half; write one, or a line '// run time only: reason'")
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for compiler, file, complaints in pool.map(check, jobs):
            if complaints:
                failed += 1
                print(f"{file.path}:1: {' '.join(compiler)}: " + "\n  ".join(complaints))
    print(f"{' '.join(args.area)}: {len(jobs)} compilations of {len(files)} files, {failed} failed")
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main())
