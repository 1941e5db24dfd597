#!/usr/bin/env python3
"""Compares what commands print with what is written down, or writes it down again.

Usage: golden.py --tcp PATH_OF_TCP [--write] FILE...

A .console file is a session: lines `$ tcp ...`, each followed by what the command printed, standard output first, and by `[exit N]` if it ended with
another code than 0. In a Markdown page the sessions are the blocks marked `console`, and a block marked `tcp NAME` is a file of that name, there for the
sessions that follow. What lies in the folder `files` beside this program is there for all of them. A picture that a command writes is compared with the one of
that name in the folder `img` beside the session.
"""
import argparse
import difflib
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

PROMPT = "$ "
FENCE = "```"
FILES = pathlib.Path(__file__).resolve().parent / "files"


def run(line, tcp, folder):
    """What the command prints, as a session shows it."""
    words = shlex.split(line)
    if words[0] != "tcp":
        raise ValueError(f"'{words[0]}' is not a command that sessions know")
    done = subprocess.run([tcp, *words[1:]], cwd=folder, capture_output=True, encoding="utf-8", timeout=60)
    printed = done.stdout + done.stderr
    if done.returncode:
        printed += f"[exit {done.returncode}]\n"
    return printed


def session(lines, tcp, folder):
    """The commands of these lines with what they print now."""
    out = []
    for line in lines:
        if line.startswith(PROMPT):
            if out:
                out.append("")
            out += [line, *run(line[len(PROMPT):], tcp, folder).rstrip("\n").split("\n")]
    return out


def refreshed(path, tcp, folder):
    """The text of the file as it should be."""
    lines = path.read_text("utf-8").split("\n")
    if path.suffix != ".md":
        return "\n".join([*session(lines, tcp, folder), ""])
    out, at = [], 0
    while at < len(lines):
        out.append(lines[at])
        if lines[at].startswith(FENCE + "tcp "):
            end = lines.index(FENCE, at)
            (pathlib.Path(folder) / lines[at].split()[1]).write_text("\n".join([*lines[at + 1:end], ""]), "utf-8")
        if lines[at] == FENCE + "console":
            end = lines.index(FENCE, at)
            out += session(lines[at + 1:end], tcp, folder)
            at = end
        else:
            at += 1
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tcp", type=pathlib.Path, required=True)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("file", nargs="+", type=pathlib.Path)
    args = parser.parse_args()

    differing = commands = 0
    for path in args.file:
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(FILES, folder, dirs_exist_ok=True)
            pairs = [(path, refreshed(path, args.tcp.resolve(), folder))]
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
