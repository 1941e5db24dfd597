#!/usr/bin/env python3
"""Files that hold many small ones: a line `// # NAME` or `# # NAME` begins each. What stands before the first is for readers.

Usage: sections.py FILE FOLDER [SUFFIX]     writes every section to FOLDER/NAME SUFFIX
"""
import pathlib
import re
import sys

HEADLINE = re.compile(r"^(?://|#) # (\S+)$", re.MULTILINE)


def sections_of(text):
    parts = HEADLINE.split(text)
    return {name: body.strip("\n") + "\n" for name, body in zip(parts[1::2], parts[2::2])}


def main(words):
    if len(words) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    file, folder, suffix = pathlib.Path(words[0]), pathlib.Path(words[1]), words[2] if len(words) == 3 else ""
    sections = sections_of(file.read_text("utf-8"))
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in sections.items():
        target = folder / (name + suffix)
        if not target.exists() or target.read_text("utf-8") != text:
            target.write_text(text, "utf-8")
    for old in folder.iterdir():
        if old.name.removesuffix(suffix) not in sections:
            old.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
