#!/usr/bin/env python3
"""Makes docs/findings, a page for each rule of a report, from tests/kernels/findings/rules; or says where a page is not what it makes.

Usage: finding_pages.py --tcp PATH_OF_TCP [--write]

A rule's folder has the prose, page.md, whose first line may name a timing model, and the kernel before and after: before.tcp and after.tcp. What the report says, and the cycles
of both, come from `tcp report`.
"""
import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
RULES = ROOT / "tests/kernels/findings/rules"
PAGES = ROOT / "docs/findings"
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


def page(tcp, folder):
    """The rule's sentence, and its page."""
    prose = (folder / "page.md").read_text("utf-8").strip("\n")
    model = "book"
    if prose.startswith("model: "):
        first, prose = prose.split("\n", 1)
        model = first.removeprefix("model: ")
    rule = folder.name
    before, text = report(tcp, folder / "before.tcp", model)
    after, _ = report(tcp, folder / "after.tcp", model)
    promised = next(f["gain"] for f in before["findings"] if f["rule"] == rule)
    measured = before["makespan"] - after["makespan"]

    def kernel(name):
        return f"```text\n{(folder / name).read_text('utf-8').strip(chr(10))}\n```\n"

    parts = [f"# {rule}\n", prose + "\n",
             f"Before, {before['makespan']:,} cycles by the model `{model}`:\n", kernel("before.tcp"),
             "The report says:\n", f"```text\n{finding_text(text, rule)}\n```\n",
             f"After, {after['makespan']:,} cycles; {promised:,} fewer were promised, {measured:,} fewer it takes:\n", kernel("after.tcp"),
             ORIGIN.format(folder.relative_to(ROOT))]
    return sentence_of(prose), "\n".join(parts)


def pages(tcp):
    """file name -> text, of every page."""
    made, rows = {}, []
    for folder in sorted(f for f in RULES.iterdir() if f.is_dir()):
        sentence, made[f"{folder.name}.md"] = page(tcp, folder)
        rows.append(f"| [{folder.name}]({folder.name}.md) | {sentence} |")
    made["README.md"] = "\n".join(["# Findings\n",
                                   "What the rules of [`tcp report`](../report.md) look for, with a kernel before and after for each: what a finding promises is what following it gave. `tcp explain RULE` prints a page.\n",
                                   "| rule | what it means |", "|---|---|", *rows, "", ORIGIN.format(RULES.relative_to(ROOT))])
    return made


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tcp", required=True, type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    want = pages(options.tcp.resolve())
    have = {p.name: p.read_text("utf-8") for p in PAGES.glob("*")}
    if options.write:
        PAGES.mkdir(exist_ok=True)
        for name in have.keys() - want.keys():
            (PAGES / name).unlink()
        for name, text in want.items():
            (PAGES / name).write_text(text, "utf-8")
        print(f"docs/findings: {len(want)} pages")
        return 0
    wrong = sorted(name for name in want.keys() | have.keys() if want.get(name) != have.get(name))
    for name in wrong:
        print(f"docs/findings/{name}:1: the page is not what its rule says now; run scripts/golden-outputs")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
