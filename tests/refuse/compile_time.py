#!/usr/bin/env python3
"""What must not compile: tests/refuse/<area>.cpp and tests/refuse/kernels/*.cpp, many errors to a file. Each file is compiled once with each compiler, and what the
compiler says about a line is compared with the comment before it.

Usage: compile_time.py [--root ROOT] [--jobs N] [--precompiled FOLDER] --precompile | FILE...

With --precompile the headers that these files include are compiled into FOLDER, once for each compiler; with --precompiled they are taken from there.

    // error[collect-packet-not-one-flit]: …      our sentence, whole, and no other for that line
    // no member named X in Y                     the typestate: Y does not offer X          (kernels only, and so are the next two)
    // static assertion: …                        a static_assert of the front end, its text
    // anything else                              some error; g++ and clang have words of their own

A line without such a comment must compile: that is how `after` is checked. scripts/refuse-expect takes over changed wording.

g++ 12 shows the sentence as the text of a template argument, clang 19 in C++20 as exactly sized pieces, clang 19 in C++26 (the editor) plainly.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

import refuse_files

# Without tracking of macros g++ names the line where a macro is used, and not where it is defined.
COMPILERS = [["g++", "-std=c++20", "-ftrack-macro-expansion=0", "-fmax-errors=0"], ["clang++-19", "-std=c++20", "-ferror-limit=0"],
             ["clang++-19", "-std=c++26", "-ferror-limit=0"]]
FLAGS = ["-fsyntax-only", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wno-unused", "-fdiagnostics-color=never", "-DTCP_AT_COMPILE_TIME=1"]
MOST_LINES = 30

LITERAL = r'"((?:[^"\\]|\\.)*)"'
GCC_TEXT = re.compile(r"REFUSED<tcp::Text\{" + LITERAL + r", \d+\}>")
CLANG_PIECE = re.compile(r"Piece<\d+>\{(?:" + LITERAL + r"|(\{[^}]*\}))\}")
CLANG_PLAIN = re.compile(r"static assertion failed[^:]*: (error\[.*)$")
ESCAPE = re.compile(r"\\(.)")

FROM_HERE = re.compile(r"^(\S+?):(\d+):\d+:\s+(?:required from here|note: in instantiation of)")
ERROR = re.compile(r"^(\S+?):(\d+):\d+: (?:fatal )?error: (.*)$")
NO_MEMBER = re.compile(r"no member named ['‘](\w+)['’]")


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


def complaint(text, errors):
    """What is wrong with the errors that a compiler shows for a line that expects `text`; None: nothing."""
    if not errors:
        return "it compiles; it must be refused"
    if text.startswith("error["):
        said = [shown(e) for e in errors]
        if not any(said):
            return "it is an error, but no refusal: " + errors[0]
        if said[0] is None:
            return "the refusal is not the first error; a reader sees this before it: " + errors[0]
        for pieces in said:
            if pieces is not None and not same(pieces, text):
                return "it says: " + " ".join(pieces)
        return None
    member = re.fullmatch(r"no member named (\w+) in (\w+)", text)
    if member:
        found = [e for e in errors if (m := NO_MEMBER.search(e)) and m.group(1) == member.group(1) and member.group(2) in e]
        return None if found else "it says: " + errors[0]
    if text.startswith("static assertion: "):
        wanted = text.removeprefix("static assertion: ")
        return None if any(wanted in e for e in errors) else "it says: " + errors[0]
    return None


def errors_by_line(output, name):
    """The errors of a compilation, each at the line of the file that asked for it."""
    by_line = {}
    here, waiting = None, []
    for line in output.splitlines():
        asked = FROM_HERE.match(line)
        if asked and pathlib.Path(asked.group(1)).name == name:
            here = int(asked.group(2))
            if "note:" in line:  # clang says after an error who asked for it
                for error in waiting:
                    by_line.setdefault(here, []).append(error)
                waiting, here = [], None
            continue
        error = ERROR.match(line)
        if not error:
            continue
        if pathlib.Path(error.group(1)).name == name:
            by_line.setdefault(int(error.group(2)), []).append(line)
        elif here is not None:
            by_line.setdefault(here, []).append(line)  # g++ says it before
        else:
            waiting.append(line)
    if waiting:
        by_line.setdefault(0, []).extend(waiting)
    return by_line


def longest_error(output):
    """The most lines that a compiler prints from one error to the next."""
    lines = output.splitlines()
    places = [0, *(i for i, line in enumerate(lines) if ERROR.match(line)), len(lines)]
    return max(b - a for a, b in zip(places, places[1:]))


def expectations(file):
    text = file.read_text("utf-8")
    return refuse_files.kernel_expectations(text) if file.parent.name == "kernels" else refuse_files.expectations(text)


def headers(root):
    """The public headers that the files include and that are no run-time headers."""
    run_time = (root / "tests/repo/run_time_headers.txt").read_text("utf-8").split()
    found = {"tcp/tcp.hpp"}
    for path in (root / "tests/refuse").glob("*.cpp"):
        if expectations(path):
            found.update(re.findall(r'^#include "(tcp/[^"]+)"', path.read_text("utf-8"), re.MULTILINE))
    return sorted(found - set(run_time))


def settings(root):
    return [*FLAGS, f'-DTCP_SOURCE_DIR="{root}"', "-I", str(root / "include"), "-I", str(root / "tests/refuse"), "-I", str(root / "tests")]


def precompiled_arguments(compiler, folder):
    """How a compiler is told to begin with the precompiled headers."""
    name = "-".join(compiler[:2]).replace("+", "p").replace("=", "")
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


def compile_with(root, compiler, file, precompiled=None):
    begin = precompiled_arguments(compiler, precompiled) if precompiled else []
    done = subprocess.run([*compiler, *settings(root), *begin, str(file)], capture_output=True, encoding="utf-8", errors="replace",
                          env={**os.environ, "LC_ALL": "C"})
    return done.stderr + done.stdout


def judge(output, wanted, name):
    """(line, complaint) for everything that a compiler says otherwise than the file expects."""
    errors = errors_by_line(output, name)
    complaints = [(e.line, c) for e in wanted if (c := complaint(e.text, [said for n in range(e.line, e.last + 1) for said in errors.get(n, [])]))]
    lines = {n for e in wanted for n in range(e.line, e.last + 1)}
    complaints += [(line, "an error that no comment announces: " + said[0]) for line, said in sorted(errors.items()) if line not in lines]
    if longest_error(output) > MOST_LINES:
        complaints.append((1, f"the compiler prints {longest_error(output)} lines for one error; a reader should get at most {MOST_LINES}"))
    return complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--precompiled", type=pathlib.Path)
    parser.add_argument("--precompile", action="store_true")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.precompile:
        return precompile(arguments.root, arguments.precompiled)
    failed = expected = 0
    jobs = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for file in (f.resolve() for f in arguments.files):
            wanted = expectations(file)
            expected += len(wanted)
            for section in refuse_files.read(file).sections:
                if not section.compile_time and not section.run_time_only_because:
                    failed += 1
                    print(f"{file}:{section.line}: nothing of {section.code} is compiled; write a kernel or REFUSED, or a line '// run time only: reason'")
            jobs += [(file, wanted, c, pool.submit(compile_with, arguments.root, c, file, arguments.precompiled)) for c in COMPILERS if wanted]
        for file, wanted, compiler, job in jobs:
            for line, text in judge(job.result(), wanted, file.name):
                failed += 1
                print(f"{file}:{line}: {' '.join(compiler[:2])}: {text}")
    print(f"{expected} errors, {len(jobs)} compilations, {failed} complaints")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
