#!/usr/bin/env python3
"""Runs the lessons, and compares what they print with what their pages show, or writes it there.

Usage: lessons.py --bin FOLDER [--write] LESSON_FOLDER...

FOLDER is the build folder of examples/: the program of examples/06_gemm is FOLDER/gemm. Its page, README.md, has one block marked `console`, with the
line `$ build/gemm` and then exactly what the program prints, with every backend. Every `N wrong of M` must have N = 0, there must be one, and the program must
end with 0.
"""
import argparse
import concurrent.futures
import difflib
import os
import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"^```console\n(\$ build/\S+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
CHECK = re.compile(r"(\d+) wrong of (\d+)")


BACKENDS = ["vector", "reference", "device"]


def printed(program, backend):
    """What the program prints, and what is wrong with the way it ends."""
    done = subprocess.run([program], env={**os.environ, "TCP_BACKEND": backend}, capture_output=True, encoding="utf-8", timeout=300)
    if done.returncode or done.stderr:
        return done.stdout, f"ends with {done.returncode}: {done.stdout}{done.stderr}"
    checks = CHECK.findall(done.stdout)
    if not checks:
        return done.stdout, "checks nothing"
    if any(wrong != "0" or of == "0" for wrong, of in checks):
        return done.stdout, f"has a check that fails or checks nothing: {done.stdout}"
    return done.stdout, None


def complaint_about(lesson, programs, write):
    name = lesson.name.split("_", 1)[1]
    page = lesson / "README.md"
    text = page.read_text("utf-8")
    blocks = list(BLOCK.finditer(text))
    if len(blocks) != 1 or blocks[0][1] != f"$ build/{name}":
        return f"{page}: has not just one console block, with the line '$ build/{name}'"
    shown = blocks[0]
    outputs = []
    for backend in BACKENDS:
        output, wrong = printed(programs / name, backend)
        if wrong:
            return f"{lesson.name}, backend {backend}: {wrong}"
        outputs.append(output)
    output = outputs[0]
    if any(other != output for other in outputs):
        return "\n".join([f"{lesson.name}: the backends differ", *outputs])
    if output == shown[2]:
        return None
    if write:
        page.write_text(text[:shown.start(2)] + output + text[shown.end(2):], "utf-8")
        return None
    difference = difflib.unified_diff(shown[2].splitlines(), output.splitlines(), str(page), "what it prints", lineterm="")
    return "\n".join([*difference, "scripts/lesson-outputs writes it again"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("lesson", nargs="+", type=pathlib.Path)
    args = parser.parse_args()

    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as side_by_side:
        answers = side_by_side.map(lambda lesson: complaint_about(lesson.resolve(), args.bin.resolve(), args.write), args.lesson)
    complaints = [answer for answer in answers if answer]
    print("\n".join([*complaints, f"{len(args.lesson)} lessons, {len(complaints)} complaints"]))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
