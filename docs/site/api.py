"""The reference of the API: what a header declares, read from its text.

A header is cut into statements: whatever ends with a semicolon, or with the brace that closes its body. Bodies of functions and what is private are left out; the
rest is shown as it stands, so that nothing is kept twice. Statements without a blank line between them belong together, under the `///` comment of the first.
The sources are laid out by clang-format (a test sees to it), which is what makes this simple reading safe.
"""
import dataclasses
import re

SKIPPED = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?:.|\n)*?\)"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)\'', re.S)
ACCESS = re.compile(r"(public|protected|private):")
NAMESPACE = re.compile(r"(?:inline\s+)?namespace\b\s*([\w:]*)")
CLASS = re.compile(r"(?:template\s*<.*>\s*)?(?:requires\b.*\s)?(class|struct|union)\s+(?:\[\[\w+\]\]\s+)?(?:TCP_\w+\s+)?([\w:]+(?:<.*>)?)\s*(?:final\s*)?(?::[^:].*)?$", re.S)


@dataclasses.dataclass
class Statement:
    comment: list      # the lines in front of it, as they stand
    head: str          # all of it, or what stands in front of its body
    body: str = None   # between braces
    gap: bool = False  # a blank line stands in front of it
    tail: str = ""     # a comment on its last line
    indent: int = 0    # of its first line


@dataclasses.dataclass
class Entry:
    """What the page shows together: a comment, and declarations as code."""
    doc: list
    code: str
    names: list
    internal: bool


def matching(text, at):
    """The place after the brace that closes the one at `at`."""
    depth = 0
    while at < len(text):
        m = SKIPPED.match(text, at)
        if m:
            at = m.end()
            continue
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
        if depth == 0:
            break
    return at


def statements(text):
    """The statements of a scope, in order."""
    at, comment, gap = 0, [], False
    while at < len(text):
        blank = re.compile(r"[ \t]*\n").match(text, at)
        if blank:
            if comment:  # it belongs to nothing that follows
                yield Statement(comment, "", None, gap)
            at, comment, gap = blank.end(), [], True
            continue
        if text[at] in " \t":
            at += 1
            continue
        note = re.compile(r"//[^\n]*\n?").match(text, at)
        if note:
            comment.append(note[0].strip())
            at = note.end()
            continue
        macro = re.compile(r"#(?:[^\n\\]|\\.|\\\n)*\n?").match(text, at)
        if macro:
            if re.match(r"#\s*define\s", macro[0]):
                yield Statement(comment, macro[0].split("\\\n")[0].rstrip(" \\\n"), None, gap)
            at, comment, gap = macro.end(), [], False
            continue
        call = re.compile(r"(TCP_\w+\([^\n]*\))\n").match(text, at)
        if call:  # of a macro that is declarations: no semicolon ends it
            yield Statement(comment, call[1], None, gap, "", at - text.rfind("\n", 0, at) - 1)
            at, comment, gap = call.end(), [], False
            continue
        label = ACCESS.match(text, at)
        if label:
            yield Statement([], label[0])
            at, comment, gap = label.end(), [], False
            continue
        indent = at - text.rfind("\n", 0, at) - 1
        head, at, body = read_statement(text, at)
        tail = re.compile(r"[ \t]*(//[^\n]*)").match(text, at)
        if tail:
            at = tail.end()
        at += text.startswith("\n", at)
        yield Statement(comment, head, body, gap, tail[1] if tail else "", indent)
        comment, gap = [], False


def is_initialised(head):
    """Whether a value follows, not the body of a function or a class."""
    flat = without_template(head)
    while "(" in flat and re.search(r"\([^()]*\)", flat):
        flat = re.sub(r"\([^()]*\)", "", flat)
    return re.search(r"(?<!operator)(?<![=!<>+\-*/|&^])=(?![=>])", flat) is not None


def read_statement(text, at):
    start, depth = at, 0
    while at < len(text):
        m = SKIPPED.match(text, at)
        if m:
            at = m.end()
            continue
        c = text[at]
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(c, 0)
        if c == ";" and depth == 0:
            return text[start:at + 1], at + 1, None
        if c == "{" and depth == 0:
            end = matching(text, at)
            head, body = text[start:at], text[at + 1:end - 1]
            if head == head.rstrip() or is_initialised(head):  # a value: clang-format leaves no blank in front of such a brace, and the statement goes on
                at = end
                continue
            closing = re.compile(r"[^;{}()\n]*;").match(text, end) if not NAMESPACE.match(head) else None  # of a class
            end = closing.end() if closing else end
            return head, end, body
        at += 1
    return text[start:], at, None


def indented(text, by):
    return "\n".join(" " * by + line if line.strip() else line for line in text.split("\n"))


def dedented(text, by):
    return re.sub(rf"\n {{1,{by}}}", "\n", text) if by else text


def without_initialisers_of_members(head):
    return re.sub(r"\)(\s*(?:noexcept|const)?)\s*:\s*\w.*$", r")\1", head, flags=re.S)


def declaration(s):
    """The code of a statement, without bodies of functions."""
    tail = f"  {s.tail}" if s.tail else ""
    head = dedented(s.head.strip(), s.indent)
    if s.body is None:
        return (head if head.count("\n") < 12 else re.sub(r"\{.*\}", "{ ... }", head, flags=re.S)) + tail
    kind = CLASS.match(re.sub(r"\s+", " ", head))
    if kind:
        inside = members(s.body, kind[1] != "class")
        return f"{head} {{\n{inside}\n}};{tail}" if inside else f"{head} {{}};{tail}"
    if head.startswith("enum"):
        return f"{head} {{{dedented(s.body, s.indent)}}};{tail}"
    return without_initialisers_of_members(head).rstrip() + ";" + tail


def members(body, public):
    lines, show = [], public
    for s in statements(body):
        label = ACCESS.fullmatch(s.head)
        if label:
            show = label[1] == "public"
        elif show and not (s.head.startswith("friend ") and not s.comment) and not s.head.startswith("static_assert"):
            if s.gap and lines:
                lines.append("")
            lines += [*s.comment, *([declaration(s)] if s.head else [])]
    return indented("\n".join(lines), 2)


NAMES = [re.compile(p, re.S) for p in (
    r"#\s*define\s+(\w+)",
    r"(?:template\s*<.*?>\s*)?(?:class|struct|union|enum class|enum)\s+(?:\[\[\w+\]\]\s+)?(?:TCP_\w+\s+)?(\w+)",
    r"(?:template\s*<.*>\s*)?(?:using|concept)\s+(\w+)\s*=",
    r"[^()=]*?\b(operator\s*[^\s(\w]+|\w+)\s*\(",
    r"[^=({]*?\b(\w+)(?:\[[^\]]*\])?\s*(?:=|\{|;|$)")]
TEMPLATE = re.compile(r"template\s*<")


def without_template(head):
    """The declaration after `template <...> requires ...`."""
    while TEMPLATE.match(head):
        depth, at = 0, head.index("<")
        while at < len(head):
            depth += {"<": 1, ">": -1}.get(head[at], 0)
            at += 1
            if depth == 0:
                break
        head = head[at:].lstrip()
    return re.sub(r"^requires\s*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\S+(?:\s*(?:&&|\|\|)\s*\S+)*?)\s+(?=\w)", "", head)


def name_of(head):
    plain = without_template(re.sub(r"\[\[\w+\]\]\s*", "", head.strip()))
    if plain.startswith("static_assert"):
        return None
    for pattern in NAMES:
        m = pattern.match(plain)
        if m:
            return m[1]
    return None


def entries(text, internal=False):
    """What a header declares in its namespaces."""
    out, here = [], None
    for s in statements(text):
        space = s.body is not None and NAMESPACE.match(s.head.strip())
        if space:
            inner = internal or "detail" in space[1] or not space[1]
            out += entries(s.body, inner)
            here = None
            continue
        if s.head.startswith(("static_assert", "using namespace")) or ACCESS.fullmatch(s.head):
            continue
        doc = [line for line in s.comment if line.startswith("///")]
        if here is None or s.gap or doc or not s.head:
            here = Entry([line[3:].removeprefix(" ") for line in doc], "", [], internal)
            out.append(here)
        plain = [line for line in s.comment if not line.startswith("///")]
        here.code += "\n".join([*plain, *([declaration(s)] if s.head else [])]) + "\n"
        name = name_of(s.head) if s.head else None
        if name and name not in here.names:
            here.names.append(name)
    return [e for e in out if e.code.strip()]


def essay(text):
    """The comment that a header opens with."""
    lines = []
    for line in text.split("\n"):
        if not line.startswith("//"):
            break
        lines.append(line[2:].removeprefix(" "))
    return lines


def header(text):
    """(the essay's lines, entries)."""
    opening = essay(text)
    return opening, entries("\n".join(text.split("\n")[len(opening):]))
