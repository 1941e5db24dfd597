#!/usr/bin/env python3
"""Makes docs/findings/README.md, a part for each rule of a report, from tests/kernels/findings/rules.txt; or says where the page is not what it makes.

Usage: finding_pages.py --tcp PATH_OF_TCP [--write]

A rule has its prose, whose first line may name a timing model, and the kernel before and after. What the report says, and the cycles of both, come from `tcp report`.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
RULES = ROOT / "tests/kernels/findings/rules.txt"
PAGE = ROOT / "docs/findings/README.md"
ORIGIN = "<!-- Made by scripts/golden-outputs from {}; change that. -->\n"


def report(tcp, kernel, model):
    command = [tcp, "report", kernel.name, "--model", model]
    as_json = json.loads(subprocess.run([*command, "--json"], cwd=kernel.parent, check=True, capture_output=True, text=True).stdout)
    return as_json, subprocess.run(command, cwd=kernel.parent, check=True, capture_output=True, text=True).stdout


def finding_text(text, rule):
    """The lines of a rule's finding as the report has them."""
    lines = text.splitlines()
    begin = next(i for i, line in enumerate(lines) if line.strip()[:1].isdigit() and f". {rule}, " in line)
    end = next(i for i in range(begin + 1, len(lines)) if not lines[i].startswith("     "))
    return "\n".join(line[2:] for line in lines[begin:end])


def sentence_of(prose):
    return prose.split("\n", 1)[0]


def part(tcp, rule, text, folder):
    """The rule's sentence, and its part of the page. The kernels are written to a folder, for `tcp report` to read."""
    prose, rest = text.split("\n---- before\n", 1)
    kernels = dict(zip(("before", "after"), rest.split("\n---- after\n", 1)))
    prose = prose.strip("\n")
    model = "book"
    if prose.startswith("model: "):
        first, prose = prose.split("\n", 1)
        model = first.removeprefix("model: ")
    for name, kernel in kernels.items():
        (folder / f"{name}.tcp").write_text(kernel.strip("\n") + "\n", "utf-8")
    before, said = report(tcp, folder / "before.tcp", model)
    after, _ = report(tcp, folder / "after.tcp", model)
    promised = next(f["gain"] for f in before["findings"] if f["rule"] == rule)
    measured = before["makespan"] - after["makespan"]

    def kernel(name):
        return f"```text\n{kernels[name].strip(chr(10))}\n```\n"

    parts = [f"## {rule}\n", prose + "\n",
             f"Before, {before['makespan']:,} cycles by the model `{model}`:\n", kernel("before"),
             "The report says:\n", f"```text\n{finding_text(said, rule)}\n```\n",
             f"After, {after['makespan']:,} cycles; {promised:,} fewer were promised, {measured:,} fewer it takes:\n", kernel("after")]
    return sentence_of(prose), "\n".join(parts)


def page(tcp):
    rows, parts = [], []
    rules = [text.split("\n", 1) for text in RULES.read_text("utf-8").split("\n==== ")[1:]]
    with tempfile.TemporaryDirectory() as folder:
        for rule, text in sorted(rules):
            sentence, made = part(tcp, rule, text, pathlib.Path(folder))
            rows.append(f"| [{rule}](#{rule}) | {sentence} |")
            parts.append(made)
    return "\n".join(["# Findings\n",
                      "What the rules of [`tcp report`](../report.md) look for, with a kernel before and after for each: what a finding promises is what following it gave. `tcp explain RULE` prints its part of this page.\n",
                      "| rule | what it means |", "|---|---|", *rows, "", *parts, ORIGIN.format(RULES.relative_to(ROOT))])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tcp", required=True, type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    want = page(options.tcp.resolve())
    if options.write:
        PAGE.write_text(want, "utf-8")
        print("docs/findings/README.md")
        return 0
    if want != PAGE.read_text("utf-8"):
        print("docs/findings/README.md:1: the page is not what its rules say now; run scripts/golden-outputs")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
