"""Reads tests/refuse/<area>/<code>_bad.cpp: the one place that knows the form of these files (refuse_test.hpp shows it)."""
import dataclasses
import pathlib
import re

RUN_TIME_ONLY = re.compile(r"^//\s*run time only:\s*(.+)$")
CODE_FORM = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)+")
SEPARATOR = "; help: "


@dataclasses.dataclass
class RefuseFile:
    path: pathlib.Path
    prose: str  # Markdown
    shared: str  # code before the two halves
    compile_time: str  # empty: run time only
    run_time: str  # empty: compile time only
    run_time_only_because: str

    @property
    def area(self):
        return self.path.parent.name

    @property
    def code(self):
        return self.path.stem.removesuffix("_bad").replace("_", "-")

    @property
    def expect_path(self):
        return self.path.with_suffix(".expect")

    @property
    def expected(self):
        """The sentence, or None where nobody has written it down yet."""
        return self.expect_path.read_text("utf-8").removesuffix("\n") if self.expect_path.exists() else None


def split_sentence(sentence):
    """`error[code]: headline; help: advice` -> (headline, advice)."""
    body = re.sub(r"^error\[[^\]]*\]: ", "", sentence)
    headline, _, advice = body.partition(SEPARATOR)
    return headline, advice


def read(path):
    lines = path.read_text("utf-8").splitlines()
    prose, because = [], ""
    at = 0
    while at < len(lines) and lines[at].startswith("//"):
        only = RUN_TIME_ONLY.match(lines[at])
        if only:
            because = only.group(1)
        else:
            prose.append(lines[at][2:].removeprefix(" "))
        at += 1
    parts = {"shared": [], "compile": [], "run": []}
    part, depth = "shared", 0
    for line in lines[at:]:
        only = RUN_TIME_ONLY.match(line)
        if only:
            because = only.group(1)
        elif depth == 0 and re.match(r"#\s*if\s+TCP_AT_COMPILE_TIME\b", line):
            part, depth = "compile", 1
        elif depth == 0 and re.match(r"#\s*if\s+!\s*TCP_AT_COMPILE_TIME\b", line):
            part, depth = "run", 1
        elif depth == 1 and re.match(r"#\s*else\b", line):
            part = "run" if part == "compile" else "compile"
        elif depth == 1 and re.match(r"#\s*endif\b", line):
            part, depth = "shared", 0
        else:
            if depth and re.match(r"#\s*if", line):
                depth += 1
            elif depth and re.match(r"#\s*endif", line):
                depth -= 1
            parts[part].append(line)
    text = {name: "\n".join(body).strip("\n") for name, body in parts.items()}
    if because and "REFUSED_AT_RUN_TIME" in text["shared"]:  # no halves: the whole file is the run-time one
        start = next(i for i, line in enumerate(parts["shared"]) if "REFUSED_AT_RUN_TIME" in line)
        text["run"] = "\n".join(parts["shared"][start:]).strip("\n")
        text["shared"] = "\n".join(parts["shared"][:start]).strip("\n")
    return RefuseFile(path, "\n".join(prose).strip("\n"), text["shared"], text["compile"], text["run"], because)


def read_all(root):
    """Every file below `root`/tests/refuse, in the order of area and code."""
    return [read(p) for p in sorted((pathlib.Path(root) / "tests/refuse").glob("*/*_bad.cpp"))]
