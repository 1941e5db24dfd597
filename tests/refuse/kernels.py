#!/usr/bin/env python3
"""Kernels that must not compile: tests/refuse/kernels/*.cpp, many to a file, each compiler's word against the comment in front of the line that is wrong.

Usage: kernels.py [--root ROOT] [--jobs N] [--write] [FILE...]

    // error[collect-packet-not-one-flit]: …      our sentence, whole, and no other for that line
    // no member named X in Y                     the typestate: Y does not offer X
    // static assertion: …                        a static_assert of the front end, its text
    // anything else                              some error; g++ and clang have words of their own

--write puts the sentence that g++ shows in the place of `// error[…` comments.
"""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys

from compile_time import COMPILERS, FLAGS, same, shown

FROM_HERE = re.compile(r"^(\S+?):(\d+):\d+:\s+(?:required from here|note: in instantiation of)")
ERROR = re.compile(r"^(\S+?):(\d+):\d+: (?:fatal )?error: (.*)$")
NO_MEMBER = re.compile(r"no member named ['‘](\w+)['’]")


class Expectation:
    def __init__(self, line, text):
        self.line, self.text = line, text

    def complaint(self, errors):
        """What is wrong with the errors that a compiler shows for the line; None: nothing."""
        if not errors:
            return "it compiles; it must be refused"
        if self.text.startswith("error["):
            said = [s for s in map(shown, errors) if s is not None]
            if not said:
                return "it is an error, but no refusal: " + errors[0]
            for pieces in said:
                if not same(pieces, self.text):
                    return "it says: " + " ".join(pieces)
            return None
        member = re.fullmatch(r"no member named (\w+) in (\w+)", self.text)
        if member:
            found = [e for e in errors if (m := NO_MEMBER.search(e)) and m.group(1) == member.group(1) and member.group(2) in e]
            return None if found else "it says: " + errors[0]
        if self.text.startswith("static assertion: "):
            wanted = self.text.removeprefix("static assertion: ")
            return None if any(wanted in e for e in errors) else "it says: " + errors[0]
        return None


def expectations(text):
    """Comments that stand in front of code, each with the line behind it."""
    found = []
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        comment = re.fullmatch(r"\s+// (.*)", line)
        if comment and number < len(lines) and not lines[number].strip().startswith("//"):
            found.append(Expectation(number + 1, comment.group(1)))
    return found


def errors_by_line(output, file):
    """The errors of a compilation, each at the line of the file that asked for it."""
    by_line = {}
    here, waiting = None, []
    for line in output.splitlines():
        asked = FROM_HERE.match(line)
        if asked and pathlib.Path(asked.group(1)).name == file.name:
            here = int(asked.group(2))
            if "note:" in line:  # clang says behind an error who asked for it
                for error in waiting:
                    by_line.setdefault(here, []).append(error)
                waiting, here = [], None
            continue
        error = ERROR.match(line)
        if not error:
            continue
        if pathlib.Path(error.group(1)).name == file.name:
            by_line.setdefault(int(error.group(2)), []).append(line)
        elif here is not None:
            by_line.setdefault(here, []).append(line)  # g++ says it in front
        else:
            waiting.append(line)
    if waiting:
        by_line.setdefault(0, []).extend(waiting)
    return by_line


def compile_one(root, compiler, file):
    limit = ["-fmax-errors=0"] if compiler[0] == "g++" else ["-ferror-limit=0"]
    done = subprocess.run([*compiler, *FLAGS, *limit, "-Wno-unused", "-I", str(root / "include"), str(file)], capture_output=True, text=True)
    return errors_by_line(done.stderr, file)


def judge(root, compiler, file):
    errors = compile_one(root, compiler, file)
    wanted = expectations(file.read_text("utf-8"))
    name = " ".join(compiler)
    complaints = [f"{file}:{e.line}: {name}: {c}" for e in wanted if (c := e.complaint(errors.get(e.line, [])))]
    lines = {e.line for e in wanted}
    complaints += [f"{file}:{line}: {name}: an error that no comment announces: {said[0]}" for line, said in sorted(errors.items()) if line not in lines]
    return complaints, len(wanted)


def write(root, file):
    errors = compile_one(root, COMPILERS[0], file)
    lines = file.read_text("utf-8").splitlines()
    for e in expectations("\n".join(lines)):
        if not e.text.startswith("error["):
            continue
        said = [s for s in map(shown, errors.get(e.line, [])) if s is not None]
        if said:
            comment = lines[e.line - 2]
            lines[e.line - 2] = comment[: comment.index("//")] + "// " + " ".join(said[0])
    file.write_text("\n".join(lines) + "\n", "utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    files = [f.resolve() for f in arguments.files] or sorted((arguments.root / "tests/refuse/kernels").glob("*.cpp"))
    if arguments.write:
        for file in files:
            write(arguments.root, file)
        return 0
    failed = kernels = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        runs = [(f, c, pool.submit(judge, arguments.root, c, f)) for f in files for c in COMPILERS]
        for file, compiler, run in runs:
            complaints, count = run.result()
            kernels += count if compiler is COMPILERS[0] else 0
            failed += len(complaints)
            for complaint in complaints:
                print(complaint)
    print(f"{kernels} kernels, {len(COMPILERS)} compilers, {failed} complaints")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
