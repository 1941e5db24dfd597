#!/usr/bin/env python3
"""Types at real shells, presses the tabulator, and looks at what they then run.

Usage: completion.py --prefix FOLDER --work FOLDER

The shells read the scripts that the package installed. In front of the real program stands one of the same name that prints its arguments; asked for the list of codes
it hands on to the real one, because completions ask it, too.
"""
import argparse
import os
import pathlib
import pty
import re
import select
import signal
import sys
import time

# What is typed before the tabulator, and what then runs. Words of each kind: commands, options, their values, files, codes.
CASES = [
    ("tcp lay", "layout"),
    ("tcp run x --backe", "run x --backend"),
    ("tcp run x --backend de", "run x --backend device"),
    ("tcp compile x --emit pro", "compile x --emit program"),
    ("tcp compile x --print-after contr", "compile x --print-after contraction"),
    ("tcp layout --chip rngd_", "layout --chip rngd_s"),
    ("tcp report a_tr", "report a_trace.json"),
    ("tcp explain mapping-stride-n", "explain mapping-stride-not-divisor"),
    ("tcp completion fi", "completion fish"),
    ("tcp doctor --js", "doctor --json"),
]
OF_ONE = {"bash": [("tcp run x --in a=a_tr", "run x --in a=a_trace.json"), ("tcp run x --backend=ref", "run x --backend=reference")]}

START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "bind 'set bell-style none'; bind 'set enable-bracketed-paste off'; source '{prefix}/share/bash-completion/completions/tcp'"),
    "zsh": (["zsh", "-f", "-i"], "unsetopt beep prompt_cr zle_bracketed_paste; fpath=('{prefix}/share/zsh/vendor-completions' '{prefix}/share/zsh/site-functions' $fpath); "
            "autoload -Uz compinit; compinit -u -D"),
    "fish": (["fish", "--no-config", "-i"], "source '{prefix}/share/fish/vendor_completions.d/tcp.fish'"),
}
SECONDS = 30


class Shell:
    """A shell that believes to sit at a terminal."""

    def __init__(self, name, prefix, work):
        command, setup = START[name]
        environment = {"PATH": f"{work}/bin:{os.environ['PATH']}", "HOME": str(work), "TERM": "xterm", "LC_ALL": "C.UTF-8", "PS1": "$ "}
        self.child, self.terminal = pty.fork()  # it is the child's controlling terminal, too
        if self.child == 0:
            os.chdir(work)
            os.execvpe(command[0], command, environment)
        self.seen = ""
        self.type(setup.format(prefix=prefix) + "\n")
        self.type("tcp ready now\n")
        self.what_runs()

    def type(self, text):
        os.write(self.terminal, text.encode())

    def what_runs(self):
        """The arguments with which the program is run next."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            found = re.search(r"<<<(.*?)>>>", self.seen)
            if found:
                self.seen = self.seen[found.end():]
                return found[1].strip()
            if select.select([self.terminal], [], [], 0.2)[0]:
                try:
                    self.seen += os.read(self.terminal, 65536).decode(errors="replace")
                except OSError:
                    break
        return f"nothing within {SECONDS} s; the terminal shows {self.seen[-400:]!r}"

    def end(self):
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        os.close(self.terminal)


def make_program(prefix, work):
    (work / "bin").mkdir(parents=True, exist_ok=True)
    program = work / "bin/tcp"
    program.write_text(f'#!/bin/sh\nif [ "$*" = explain ]; then exec "{prefix}/bin/tcp" explain; fi\necho "<""<<$*>>"">"\n')
    program.chmod(0o755)
    (work / "a_trace.json").write_text("{}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prefix", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    args = parser.parse_args()
    prefix, work = args.prefix.resolve(), args.work.resolve()
    make_program(prefix, work)
    complaints = []
    for name in START:
        shell = Shell(name, prefix, work)
        try:
            for typed, wanted in CASES + OF_ONE.get(name, []):
                shell.type(typed + "\t")
                time.sleep(0.2)  # what comes behind the tabulator at once is taken for pasted text by some
                shell.type("\n")
                run = shell.what_runs()
                if run != wanted:
                    complaints.append(f"{name}: after '{typed}' and the tabulator runs '{run}', not '{wanted}'")
        finally:
            shell.end()
    print("\n".join([*complaints, f"{len(complaints)} complaints"]))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
