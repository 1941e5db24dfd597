#!/usr/bin/env python3
"""docs/limits.md lists exactly the codes of lowering, each with a part of a page of its own.

Usage: limits_test.py PROJECT_ROOT
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
listed = set(re.findall(r"^\| `([a-z0-9-]+)` \|", (root / "docs/limits.md").read_text(), re.M))
refused = set()
for file in (root / "src/lower").rglob("*.[ch]pp"):
    refused |= set(re.findall(r'refuse\(\s*"([a-z0-9-]+)"', file.read_text()))
pages = {code for page in (root / "docs/diagnostics").glob("*.md") for code in re.findall(r"^## ([a-z0-9-]+)$", page.read_text(), re.M)}

wrong = [f"src/lower refuses {code}, which docs/limits.md does not list" for code in sorted(refused - listed)]
wrong += [f"docs/limits.md lists {code}, which src/lower never says" for code in sorted(listed - refused) if code.startswith("lower-")]
wrong += [f"docs/limits.md lists {code}, which no page in docs/diagnostics has" for code in sorted(listed - pages)]
wrong += [f"docs/limits.md does not list {code}" for code in sorted(pages - listed) if code.startswith(("lower-", "valid-count-"))]
print("\n".join(wrong) or f"{len(listed)} codes")
sys.exit(1 if wrong else 0)
