#!/usr/bin/env python3
"""How many files a stage of a pass is spread over: those under src, include and tools that name its record, each of rules/stages.def.

The median tells what a new stage costs; the log of branches stands for a plain one, whose name is no other thing's.
"""
import pathlib
import re
import statistics

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("src", "include", "tools")


def main():
    records = re.findall(r"^TCP_STAGE\((\w+),", (ROOT / "include/tcp/rules/stages.def").read_text("utf-8"), re.MULTILINE)
    files = dict.fromkeys(records, 0)
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*"):
            if not path.is_file():
                continue
            for word in files.keys() & set(re.findall(r"\w+", path.read_text("utf-8", errors="replace"))):
                files[word] += 1
    print(f"figure files_per_stage {statistics.median(files.values()):g} files")
    print(f"figure files_branch_log {files['BranchLog']} files")


if __name__ == "__main__":
    main()
