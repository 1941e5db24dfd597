#!/usr/bin/env python3
"""Compares what commands print with what is written down, or writes it down again.

Usage: golden.py --tcp PATH_OF_TCP [--programs FOLDER] [--write] FILE...

A .console file is a session: lines `$ tcp ...`, each followed by what the command printed, standard output first, and by `[exit N]` if it ended with
another code than 0. `$ ./NAME` is a program of the book, docs/code/NAME.cpp, built into FOLDER; `$ VARIABLE=VALUE ...` sets its environment,
`... | head -N` leaves out what follows the first N lines, `... | grep [-E] [-A N] PATTERN` leaves out the lines without it, and `... | sed -n SCRIPT` prints what the script says.
`$ g++ ... 2>&1 | tcp errors` compiles with the headers of this tree. In a Markdown page the sessions are the blocks marked `console`, and a block marked `tcp NAME`, `rust NAME` or `cpp NAME` is a file of that name, there for the
sessions that follow, unless it is a part of a program of the book. What lies in the folder `files` beside this program is there for all of them, and so are the sources of the book's programs. A picture that a command writes is compared with the one of
that name in the folder `img` beside the session.
"""
import argparse
import difflib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

PROMPT = "$ "
FENCE = "```"
HEAD = re.compile(r"(.*) \| head -(\d+)")
GREP = re.compile(r"""(.*) \| grep (?:-E )?(?:-A ?(\d+) )?(?:"([^"]*)"|'([^']*)'|(\S+))""")
SED = re.compile(r"(.*) \| sed -n '([^']*)'")
COMPILED = re.compile(r"(g\+\+|clang\+\+-19) (.*) 2>&1 \| tcp errors")
SETTING = re.compile(r"[A-Z_]+=.*")
FILES = pathlib.Path(__file__).resolve().parent / "files"
ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "docs" / "code"


class Commands:
    """What sessions can call, and the folder in which they do."""

    def __init__(self, tcp, programs, folder):
        self.tcp, self.programs, self.folder = tcp.resolve(), programs and programs.resolve(), folder

    def found(self, word):
        if word == "tcp":
            return self.tcp
        if word.startswith("./") and self.programs:
            return self.programs / word[2:]
        raise ValueError(f"'{word}' is not a command that sessions know")

    def run(self, line):
        """What the command prints, as a session shows it."""
        if compiled := COMPILED.fullmatch(line):
            said = subprocess.run([compiled[1], "-I", ROOT / "include", *shlex.split(compiled[2])], cwd=self.folder, capture_output=True, encoding="utf-8", timeout=60).stderr
            return subprocess.run([self.tcp, "errors"], input=said, cwd=self.folder, capture_output=True, encoding="utf-8", timeout=60).stdout
        if edited := SED.fullmatch(line):
            return subprocess.run(["sed", "-n", edited[2]], input=self.run(edited[1]), capture_output=True, encoding="utf-8", timeout=60).stdout
        shortened = HEAD.fullmatch(line)
        filtered = GREP.fullmatch(line)
        words = shlex.split((shortened or filtered)[1] if shortened or filtered else line)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("TCP_")}
        while SETTING.fullmatch(words[0]):
            name, _, value = words.pop(0).partition("=")
            environment[name] = value
        command = [self.found(words[0]), *words[1:]]
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, encoding="utf-8", timeout=60)
        printed = done.stdout + done.stderr
        if shortened:
            return "".join(printed.splitlines(keepends=True)[:int(shortened[2])])
        if filtered:
            return matching(printed.splitlines(keepends=True), filtered[3] or filtered[4] or filtered[5], int(filtered[2] or 0))
        if done.returncode:
            printed += f"[exit {done.returncode}]\n"
        return printed


def matching(lines, pattern, after):
    """The lines that have the pattern, each with so many that follow it; none at all is a mistake of the session."""
    found = [i for i, line in enumerate(lines) if re.search(pattern, line)]
    if not found:
        raise ValueError(f"no line has '{pattern}'")
    return "".join(lines[i] for i in sorted({k for i in found for k in range(i, min(i + after + 1, len(lines)))}))


def session(lines, commands):
    """The commands of these lines with what they print now."""
    out = []
    for line in lines:
        if line.startswith(PROMPT):
            if out:
                out.append("")
            out += [line, *commands.run(line[len(PROMPT):]).rstrip("\n").split("\n")]
    return out


def refreshed(path, commands):
    """The text of the file as it should be."""
    lines = path.read_text("utf-8").split("\n")
    if path.suffix != ".md":
        return "\n".join([*session(lines, commands), ""])
    out, at = [], 0
    while at < len(lines):
        out.append(lines[at])
        if lines[at].startswith((FENCE + "tcp ", FENCE + "rust ", FENCE + "cpp ")) and not (SOURCES / lines[at].split()[1]).exists():
            end = lines.index(FENCE, at)
            (pathlib.Path(commands.folder) / lines[at].split()[1]).write_text("\n".join([*lines[at + 1:end], ""]), "utf-8")
        if lines[at] == FENCE + "console":
            end = lines.index(FENCE, at)
            out += session(lines[at + 1:end], commands)
            at = end
        else:
            at += 1
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tcp", type=pathlib.Path, required=True)
    parser.add_argument("--programs", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("file", nargs="+", type=pathlib.Path)
    args = parser.parse_args()

    differing = commands = 0
    for path in args.file:
        with tempfile.TemporaryDirectory() as folder:
            for there in (FILES, SOURCES):
                shutil.copytree(there, folder, dirs_exist_ok=True)
            pairs = [(path, refreshed(path, Commands(args.tcp, args.programs, folder)))]
            pairs += [(path.parent / "img" / made.name, made.read_text("utf-8")) for made in sorted(pathlib.Path(folder).glob("*.svg"))]
        commands += sum(line.startswith(PROMPT) for line in pairs[0][1].split("\n"))
        for kept, now in pairs:
            before = kept.read_text("utf-8") if kept.exists() else ""
            if before == now:
                continue
            differing += 1
            if args.write:
                kept.parent.mkdir(exist_ok=True)
                kept.write_text(now, "utf-8")
                print(f"{kept}: written")
            else:
                print(f"{kept}:1: this is not what the command gives now (- written down, + now); if it is right, run scripts/golden-outputs")
                difference = difflib.unified_diff(before.splitlines(), now.splitlines(), lineterm="", n=1)
                print("\n".join(line[:200] for line in list(difference)[2:60]))
    print(f"{commands} commands, {differing} files differ")
    return 1 if commands == 0 or (differing and not args.write) else 0


if __name__ == "__main__":
    sys.exit(main())
