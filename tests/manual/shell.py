#!/usr/bin/env python3
"""Runs the blocks marked `sh` in README.md and in the pages of docs, so that no command in them rots.

Usage: shell.py --tcp PATH_OF_TCP --programs FOLDER [PAGE...]

Each block is run by bash, line by line, and every line must end well. It finds a folder with what the pages talk of: the programs in text form that some page shows,
arrays, traces, a chip, executables that launch kernels, kernels in Rust; see Folder. The blocks of one page share a folder, those of docs/commands.md, which is a reference, have one each.
A block `text` right behind a block `sh` is what it prints, apart from times.

What cannot be run here is marked: a block by `sh not-run: REASON`; lines of docs/commands.md, which the program prints, in ELSEWHERE below.
"""
import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```([^\n`]*)\n(.*?)^```$(\n+```text\n(.*?)^```$)?", re.M | re.S)
NOT_RUN = re.compile(r"sh not-run: \S.{9,}")
SERVES = re.compile(r"tcp view [\w.]+( [\w.]+)?")
TIMES = re.compile(r"\d+\.\d+")
ELSEWHERE = {
    "tcp new hello && cd hello && make run": "tests/package does it with the installed package",
    "tcp doctor": "asks for the installed package, which tests/package has",
    "CXX=clang++-19 tcp doctor": "the same",
    "tcp doctor --json": "the same",
    "make 2>&1 | tcp errors": "needs a project; tests/golden compiles kernels with mistakes",
    "tcp errors build.log": "the same",
    "tcp lsp": "waits for an editor; tests/ide is one",
    "tcp lsp --chip rngd_s --model calibrated": "the same",
    "tcp lsp --clangd clangd-19": "the same",
    "tcp manual | man -l -": "needs a pager and man-db; tests/package reads the page with mandoc",
}


class Folder:
    """What a reader of the pages has in front of him."""

    def __init__(self, path, tcp, programs):
        self.path = path
        self.environment = {**{n: v for n, v in os.environ.items() if not n.startswith("TCP_")},
                            "HOME": str(path / "home"), "PATH": f"{path / 'bin'}:{os.environ['PATH']}"}
        for folder in ("bin", "home", "docs", "build"):
            (path / folder).mkdir()
        (path / "bin" / "tcp").symlink_to(tcp)
        (path / "scripts").symlink_to(ROOT / "scripts")
        for page in sorted((ROOT / "docs").glob("*.md")):
            for m in re.finditer(r"^```(?:tcp|rust) ([\w.]+\.(?:tcp|rs))\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S):
                (path / m[1]).write_text(m[2], "utf-8")
        shutil.copytree(ROOT / "tests/rust/corpus/crate_of_layers", path / "my_crate")
        chip = (ROOT / "data/chips/rngd.json").read_text("utf-8")
        (path / "my_chip.json").write_text(chip.replace('"rngd"', '"my_chip"', 1), "utf-8")
        self.make_traces()
        for name, program in (("gemm", "tuning rows"), ("my_program", "hello")):
            (path / name).write_text(f"#!/bin/sh\nexec {programs}/{program}\n", "utf-8")
            (path / name).chmod(0o755)
        self.make_arrays()

    def make_traces(self):
        """Of a kernel in C++: its lines are those of main.cpp."""
        for name in ("gemm", "gemm_tiled"):
            text = (ROOT / "tests/golden/files" / f"{name}.json").read_text("utf-8").replace("gemm.tcp", "main.cpp")
            for copy in {"gemm": ["gemm", "before", "main", "build/trace"], "gemm_tiled": ["after", "branch"]}[name]:
                (self.path / f"{copy}.json").write_text(text, "utf-8")
        for name in ("relu.rs", "relu.schedule.json", "relu.spans.txt", "loads.tcp", "loads.schedule.json", "loads.spans.txt"):
            shutil.copy(ROOT / "tests/golden/files" / name, self.path)

    def make_arrays(self):
        """What add_one takes, and two matrices for gemm, copied out of random numbers."""
        copy = "module copy axes I = 512, K = 64\nargument hbm x: bf16 Element[I, K]\nresult hbm y: bf16 Element[I, K]\n" \
               "dm d: bf16 Cluster[1 # 2] Slice[I / 2] Element[I % 2, K]\nmove x -> d\nmove d -> y\n"
        (self.path / "copy.tcp").write_text(copy, "utf-8")
        self.bash("tcp run add_one.tcp --random 1 --out out=x.npy && tcp run copy.tcp --random 1 --out y=a.npy && tcp run copy.tcp --random 2 --out y=model.safetensors:layer.0.weight")

    def bash(self, text):
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=self.path, env=self.environment, capture_output=True, encoding="utf-8", timeout=120)
        return done.returncode, done.stdout, done.stderr

    def serve(self, line):
        """A page is there until Ctrl-C."""
        command = [self.path / "bin" / "tcp", *line.split()[1:]]
        with subprocess.Popen(command, cwd=self.path, env=self.environment, stdout=subprocess.PIPE, encoding="utf-8") as server:
            try:
                address = server.stdout.readline().split()[0]
                with urllib.request.urlopen(address, timeout=60) as answer:
                    page = answer.read()
            finally:
                server.send_signal(signal.SIGINT)
        return (0 if page.startswith(b"<!doctype html>") else 1), "", f"{address} is no page"


def without_times(text):
    return TIMES.sub("#", text)


def run_block(folder, block, wanted, at):
    """Complaints about a block of these lines."""
    printed = ""
    for number, line in enumerate(block.splitlines(), 1):
        if not line.strip() or line in ELSEWHERE:
            continue
        code, out, err = folder.serve(line) if SERVES.fullmatch(line) else folder.bash(line)
        printed += out
        if code:
            return [f"{at[0]}:{at[1] + number}: '{line}' ends with exit code {code}: {err.strip()[:300]}; mend the page or the command"]
    if wanted is not None and without_times(printed) != without_times(wanted):
        return [f"{at[0]}:{at[1]}: the block prints other than is written behind it: {printed.strip()[:300]}; copy that"]
    return []


def run_page(page, tcp, programs):
    """How many blocks were run, and the complaints."""
    text, place = page.read_text("utf-8"), page.relative_to(ROOT)
    folders, complaints = {}, []
    with tempfile.TemporaryDirectory() as scratch:
        for ran, m in enumerate(m for m in BLOCK.finditer(text) if m[1].split()[:1] == ["sh"]):
            at = (place, text.count("\n", 0, m.start()) + 1)
            if m[1] != "sh":
                complaints += [] if NOT_RUN.fullmatch(m[1]) else [f"{at[0]}:{at[1]}: '{m[1]}' says nothing; write 'sh', or 'sh not-run: ' and why not"]
                continue
            name = f"block{ran}" if page.name == "commands.md" else "page"
            if name not in folders:
                path = pathlib.Path(scratch) / name
                path.mkdir()
                folders[name] = Folder(path, tcp, programs)
            complaints += run_block(folders[name], m[2], m[4], at)
    return text.count("```sh\n"), complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tcp", type=pathlib.Path, required=True)
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("page", nargs="*", type=pathlib.Path)
    args = parser.parse_args()
    pages = [p.resolve() for p in args.page] or [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs/engines").glob("*.md")), ROOT / "examples/README.md", ROOT / "CONTRIBUTING.md"]
    ran, complaints = 0, []
    for page in pages:
        blocks, found = run_page(page, args.tcp.resolve(), args.programs.resolve())
        ran += blocks
        complaints += found
    text = "".join(p.read_text("utf-8") for p in pages)
    complaints += [f"tests/manual/shell.py:1: '{line}' stands on no page any more; remove it" for line in ELSEWHERE if not args.page and line not in text]
    print("\n".join([*complaints, f"{ran} blocks, {len(complaints)} complaints"]))
    return 1 if complaints or ran == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
