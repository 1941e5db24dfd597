"""Reads tests/refuse/<area>.cpp and tests/refuse/kernels/*.cpp: the one place that knows the form of these files (refuse_test.hpp shows it)."""
import dataclasses
import pathlib
import re

HEADING = re.compile(r"// # ([a-z0-9-]+)")
RUN_TIME_ONLY = re.compile(r"//\s*run time only:\s*(.+)")
NO_KERNEL = re.compile(r"//\s*no kernels?:\s*(.+)")
EXPECTED = re.compile(r"\s*// (error\[[^\]]*\].*)")
COMMENT = re.compile(r"\s+// (.*)")
CODE_FORM = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)+")
AT_COMPILE_TIME = "TCP_AT_COMPILE_TIME"
SEPARATOR = "; help: "


@dataclasses.dataclass
class Section:
    """One code: from its heading to the next one."""

    path: pathlib.Path
    line: int  # of the heading
    code: str
    prose: str  # Markdown
    run_time_only_because: str
    no_kernel_because: str  # why no kernel can cause it, where the area says nothing
    body: list  # the lines inside of the namespace

    @property
    def area(self):
        return self.path.stem

    @property
    def expected(self):
        """The first sentence of the section, which the page shows; None where there is none yet."""
        found = [m.group(1) for m in map(EXPECTED.fullmatch, self.body) if m]
        return found[0] if found else None

    @property
    def all_expected(self):
        return [m.group(1) for m in map(EXPECTED.fullmatch, self.body) if m]

    @property
    def compile_time(self):
        """Whether a compiler is to refuse something here."""
        return any(AT_COMPILE_TIME in line or line.startswith("REFUSED(") for line in self.body)

    @property
    def run_time(self):
        return any(line.startswith(("REFUSED(", "REFUSED_AT_RUN_TIME")) for line in self.body)


@dataclasses.dataclass
class Area:
    path: pathlib.Path
    opening: str  # the first paragraph, Markdown
    no_kernels_because: str  # why no kernel can cause any of its errors; empty where some can
    shared: list  # the lines between it and the first section
    sections: list

    @property
    def name(self):
        return self.path.stem


@dataclasses.dataclass
class Expectation:
    """What the compilers have to say about a line."""

    line: int
    last: int  # a statement may go on over several lines
    text: str
    comment: int  # the line of the text


def split_sentence(sentence):
    """`error[code]: headline; help: advice` -> (headline, advice)."""
    body = re.sub(r"^error\[[^\]]*\]: ", "", sentence)
    headline, _, advice = body.partition(SEPARATOR)
    return headline, advice


def comment_block(lines, at):
    """The lines of the comment that begins at `at`, without their slashes; and where it ends."""
    block = []
    while at < len(lines) and lines[at].startswith("//") and not HEADING.fullmatch(lines[at]):
        block.append(lines[at][2:].removeprefix(" "))
        at += 1
    return block, at


def read(path):
    lines = path.read_text("utf-8").splitlines()
    opening, at = comment_block(lines, 0)
    in_area = next((m.group(1) for m in (NO_KERNEL.fullmatch("// " + c) for c in opening) if m), "")
    opening = [c for c in opening if not NO_KERNEL.fullmatch("// " + c)]
    heads = [i for i in range(at, len(lines)) if HEADING.fullmatch(lines[i])]
    sections = []
    for head, end in zip(heads, [*heads[1:], len(lines)]):
        comment, begin = comment_block(lines, head + 1)
        because = next((m.group(1) for m in (RUN_TIME_ONLY.fullmatch("// " + c) for c in comment) if m), "")
        no_kernel = next((m.group(1) for m in (NO_KERNEL.fullmatch("// " + c) for c in comment) if m), "")
        prose = "\n".join(c for c in comment if not RUN_TIME_ONLY.fullmatch("// " + c) and not NO_KERNEL.fullmatch("// " + c)).strip("\n")
        body = "\n".join(lines[begin:end]).strip("\n").splitlines()
        if body and body[0].startswith("namespace ") and body[-1].startswith("}  // namespace"):
            body = body[1:-1]
        sections.append(Section(path, head + 1, HEADING.fullmatch(lines[head]).group(1), prose, because, no_kernel, body))
    shared = lines[at : heads[0] if heads else len(lines)]
    return Area(path, "\n".join(opening).strip("\n"), in_area, shared, sections)


def read_all(root):
    """Every area, in the order of names."""
    return [read(p) for p in sorted((pathlib.Path(root) / "tests/refuse").glob("*.cpp")) if p.stem != "run_time"]


def sections(root):
    """Every code, in the order of areas."""
    return [s for area in read_all(root) for s in area.sections]


def last_line(lines, number):
    """Where a statement that begins in line `number` ends, as far as commas and open brackets tell."""
    while number < len(lines) and lines[number - 1].rstrip().endswith((",", "(", "=", "<")):
        number += 1
    return number


def expectations(text):
    """What a file expects at compile time: of a line after a comment, and of each REFUSED."""
    lines = text.splitlines()
    found, last, at_compile_time = [], None, False
    for number, line in enumerate(lines, 1):
        if re.match(r"#\s*if " + AT_COMPILE_TIME, line):
            at_compile_time = True
        elif at_compile_time and re.match(r"#\s*endif", line):
            at_compile_time = False
        sentence = EXPECTED.fullmatch(line)
        if sentence:
            last = (number, sentence.group(1))
        if line.startswith("REFUSED(") and last:
            found.append(Expectation(number, last_line(lines, number), last[1], last[0]))
        elif sentence and at_compile_time and number < len(lines):
            found.append(Expectation(number + 1, last_line(lines, number + 1), sentence.group(1), number))
    return found


def kernel_expectations(text):
    """The same of tests/refuse/kernels: any indented comment with code after it."""
    found = []
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        comment = COMMENT.fullmatch(line)
        if comment and number < len(lines) and not lines[number].strip().startswith("//"):
            found.append(Expectation(number + 1, number + 1, comment.group(1), number))
    return found
