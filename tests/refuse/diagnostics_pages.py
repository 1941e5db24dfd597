"""Makes the pages docs/diagnostics/<code>.md, and their index, from tests/refuse. The same tests give the same pages, byte for byte."""
import pathlib
import re

import refuse_files

ORIGIN = "<!-- Made by scripts/diagnostics-pages from {}; change that file. -->\n"


def program_of(file):
    """What the page shows: the code that is refused, without the test's own scaffolding."""
    body = file.compile_time or re.sub(r"^REFUSED_AT_RUN_TIME\s*\{\s*|\s*\}\s*$", "", file.run_time)
    shared = [line for line in file.shared.splitlines() if '"refuse_test.hpp"' not in line]
    return re.sub(r"\n{3,}", "\n\n", "\n".join([*shared, "", body]).strip("\n"))


def page(file, root):
    _, advice = refuse_files.split_sentence(file.expected or "")
    parts = [f"# {file.code}\n", as_text(file.expected or ""), file.prose + "\n"]
    parts.append("## What is refused\n")
    if file.run_time_only_because:
        parts.append(f"At run time only: {file.run_time_only_because}\n")
    parts.append(f"```cpp\n{program_of(file)}\n```\n")
    if advice:
        parts += ["## What to write\n", as_text(advice)]
    parts.append(ORIGIN.format(file.path.relative_to(root)))
    return "\n".join(parts)


def as_text(text):
    """A block in which `*`, `_` and `<` of an expression stay what they are."""
    return f"```text\n{text}\n```\n"


def index(files):
    lines = ["# Diagnostics\n",
             "Every refusal has a code; `tcp explain CODE` prints its page. A page shows the sentence, the reason, a program that is refused, and what to write.\n"]
    for area in sorted({f.area for f in files}):
        lines += [f"## {area}\n", "| code | sentence |", "|---|---|"]
        for file in files:
            if file.area == area:
                headline, _ = refuse_files.split_sentence(file.expected or "")
                lines.append(f"| [{file.code}]({file.code}.md) | `{headline.replace('|', chr(92) + '|')}` |")
        lines.append("")
    return "\n".join([*lines, ORIGIN.format("tests/refuse")])


def pages(root):
    """file name -> text, of every page."""
    root = pathlib.Path(root).resolve()
    files = refuse_files.read_all(root)
    made = {f"{file.code}.md": page(file, root) for file in files}
    made["README.md"] = index(files)
    return made
