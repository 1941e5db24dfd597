"""Makes the pages docs/diagnostics/<area>.md, and their index, from tests/refuse. The same tests give the same pages, byte for byte."""
import pathlib
import re

import refuse_files

ORIGIN = "<!-- Made by scripts/diagnostics-pages from {}; change that file. -->\n"
KERNEL_HEADER = "tests/refuse/helpers/kernels.hpp"
SCAFFOLDING = re.compile(r"#\s*(if|else|endif|include)\b.*|using namespace .*|namespace \{|\}  // namespace")
SHORT_ERROR = re.compile(r"^(\s*// error\[[^\]]*\]).*")


def part(lines, name):
    """The lines of the function, alias or text `name`, and where they begin and end; None if there is none."""
    for at, line in enumerate(lines):
        if re.match(rf"(?:inline |static |constexpr )*(?:auto|void|[A-Z]\w*(?:<.*>)?|tcp::\w+) {name}\(", line):
            end = next(i for i in range(at, len(lines)) if lines[i] == "}" or (i == at and line.endswith("}")))
            return at, end + 1
        if re.match(rf"using {name} =", line):
            end = next(i for i in range(at, len(lines)) if lines[i].endswith(";"))
            if at and refuse_files.EXPECTED.fullmatch(lines[at - 1]):
                at -= 1
            return at, end + 1
        if re.match(rf'(?:inline |static )?constexpr (?:const char\* {name}|char {name}\[\]) = R"\(', line) or line == f'constexpr const char* {name} =':
            end = next(i for i in range(at, len(lines)) if lines[i].endswith(')";'))
            return at, end + 1
    return None


def as_shown(lines):
    """Lines of a kernel as the page shows them: the sentence stands above already, so that its code is enough."""
    kept = [SHORT_ERROR.sub(r"\1", line) for line in lines if not SCAFFOLDING.fullmatch(line)]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept).strip("\n"))


def block(lines):
    """A fenced block: C++, or the text between the brackets of a raw string."""
    text = "\n".join(lines)
    raw = re.fullmatch(r'.*?R"\(\n?(.*?)\n?\)";', text, re.S)
    if raw:
        return f"```text\n{raw.group(1)}\n```\n"
    return f"```cpp\n{as_shown(lines)}\n```\n"


def before_and_after(section):
    """The blocks of a section with a kernel; None where there is no kernel."""
    before, after = part(section.body, "before"), part(section.body, "after")
    if not before:
        return None
    is_text = any('R"(' in line for line in section.body[before[0] : before[1]])
    begin = before[0] if is_text else 0
    logical = any(re.search(r"\(before, logical\)", line) for line in section.body)
    parts = ["Before, for the chip `logical`:\n" if logical else "Before:\n", block(section.body[begin : before[1]])]
    if after:
        parts += ["After:\n", block(section.body[after[0] : after[1]])]
    return parts


def command_line(section):
    """`tcp …`, where the section is one call of refused_command; None otherwise."""
    call = re.findall(r"refused_command\(\{(.*?)\}\)", " ".join(section.body))
    if len(call) != 1 or any(line.startswith(("static ", "inline ")) for line in section.body):
        return None
    words = re.findall(r'TCP_SOURCE_DIR "([^"]*)"|"((?:[^"\\]|\\.)*)"|(\w+)', call[0])
    shown = [(path.rpartition("/")[2] or text or f"{name}.tcp") for path, text, name in words]
    return "tcp " + " ".join(f"'{w}'" if re.search(r"[\s;]", w) else w for w in shown)


def program_of(section):
    """The whole section, without the test's own scaffolding."""
    text = as_shown(line for line in section.body if not refuse_files.EXPECTED.fullmatch(line))
    text = re.sub(r"^REFUSED\((.*?)\);$", r"\1;", text, flags=re.S | re.M)
    text = re.sub(r"^REFUSED_AT_RUN_TIME \{ (?:return )?(.*?) \}$", r"\1", text, flags=re.M)
    text = re.sub(r"^REFUSED_AT_RUN_TIME \{\n(.*?)^\}$", lambda m: re.sub(r"^  ", "", m.group(1), flags=re.M).rstrip("\n"), text, flags=re.S | re.M)
    text = re.sub(r"^(?:return )?outcome\(\[\] \{\s*(.*?)\s*\}\)\s*\.refusal\(\);$", r"\1", text, flags=re.S | re.M)
    return re.sub(r"\s*\.refusal\(\);$", ";", text, flags=re.M)


def entry(section):
    parts = [f"## {section.code}\n", as_text(section.expected or ""), section.prose + "\n"]
    if section.run_time_only_because:
        parts.append(f"At run time only: {section.run_time_only_because}\n")
    kernels = before_and_after(section)
    if not kernels:
        command = command_line(section)
        if section.no_kernel_because and not command:
            parts.append(f"No kernel causes it: {section.no_kernel_because}.\n")
        kernels = ["What causes it:\n", f"```sh\n{command}\n```\n" if command else f"```cpp\n{program_of(section)}\n```\n"]
    return "\n".join(parts + kernels)


def shared_declarations(area, root):
    """What the kernels of a page use without saying it."""
    lines = []
    if f'#include "{KERNEL_HEADER.removeprefix("tests/refuse/")}"' in area.shared:
        lines += [line.replace("tcp::", "") for line in (root / KERNEL_HEADER).read_text("utf-8").splitlines() if line.startswith("using ") and "namespace" not in line]
    shown = False
    for line in area.shared:
        if line == "// For the kernels of this page:":
            shown = True
        elif line.startswith("// For the rules"):
            shown = False
        elif shown:
            lines.append(line)
    return as_shown(lines)


def page(area, root):
    parts = [f"# {area.name}\n", area.opening + "\n"]
    if area.no_kernels_because:
        parts.append(f"No kernel causes these errors: {area.no_kernels_because}.\n")
    shared = shared_declarations(area, root)
    if shared:
        parts += ["The kernels of this page use these names:\n", f"```cpp\n{shared}\n```\n"]
    parts += [entry(section) for section in area.sections]
    parts.append(ORIGIN.format(area.path.relative_to(root)))
    return "\n".join(parts)


def as_text(text):
    """A block in which `*`, `_` and `<` of an expression stay what they are."""
    return f"```text\n{text}\n```\n"


def index(areas):
    lines = ["# Error codes\n",
             "Every error has a code; `tcp explain CODE` prints its part of these pages: the sentence, the reason, and what to write instead. `tcp explain AREA` lists the codes of a page.\n"]
    for area in areas:
        lines += [f"## [{area.name}]({area.name}.md)\n", area.opening + "\n", "| code | sentence |", "|---|---|"]
        for section in area.sections:
            headline, _ = refuse_files.split_sentence(section.expected or "")
            lines.append(f"| [{section.code}]({area.name}.md#{section.code}) | `{headline.replace('|', chr(92) + '|')}` |")
        lines.append("")
    return "\n".join([*lines, ORIGIN.format("tests/refuse")])


def pages(root):
    """file name -> text, of every page."""
    root = pathlib.Path(root).resolve()
    areas = refuse_files.read_all(root)
    made = {f"{area.name}.md": page(area, root) for area in areas}
    made["README.md"] = index(areas)
    return made
