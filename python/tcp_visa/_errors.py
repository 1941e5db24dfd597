"""Errors as exceptions, and what the manual says about each."""
from __future__ import annotations

import difflib
import inspect
import os
import pathlib
import re
from typing import Any

HERE = pathlib.Path(os.path.abspath(__file__)).parent  # as frames name it: links are not followed


#: What the C++ interface calls otherwise.
_IN_PYTHON = {"ContextOptions::wait": "wait=True", "ContextOptions::dump, or TCP_DUMP,": "dump=...", ", or ContextOptions::stop,": "", "with to_host": "with .numpy()",
              "ctx.empty<...>()": "ctx.hbm(...) or ctx.dm(...)", "put it into a function and launch it: launch(kernel, ctx, tensors...)": "put it into a kernel, and call that: @tv.kernel def f(ctx, x): ..."}


def _in_python(text: str) -> str:
    for cpp, python in _IN_PYTHON.items():
        text = text.replace(cpp, python)
    return text


def _help_in_python(help: str) -> str:
    """What to write, as it is written here: packet="A % 8" for Packet = m![A % 8], "Unconditional" for BranchMode::Unconditional."""
    out, at = "", 0
    for m in re.finditer(r"(?:\b(Chip|Cluster|Slice|Row|Element|Time|Packet) = )?m!\[", help):
        if m.start() < at:
            continue
        depth, end = 1, m.end()
        while end < len(help) and depth:
            depth += {"[": 1, "]": -1}.get(help[end], 0)
            end += 1
        out += help[at:m.start()] + (f"{m[1].lower()}=" if m[1] else "") + f'"{help[m.end():end - 1]}"'
        at = end
    return re.sub(r"\b[A-Z]\w+::([A-Z]\w*)", r'"\1"', _in_python(out + help[at:]))


class Error(ValueError):
    """A mistake in a kernel or in what it is given: what is wrong, why, and what to write instead.

    `str(error)` is all of it, as the tcp command prints it. `code` names a page of the manual, which `tv.explain(error)` shows; `what`, `note` and `help` are its parts;
    `file` and `line` are the place in the Python source.
    """

    def __init__(self, text: str, code: str = "", what: str = "", note: str = "", help: str = "",
                 file: str | None = None, line: int | None = None) -> None:
        said = _help_in_python(help)
        super().__init__(_in_python(text).replace(_in_python(help), said) if help else _in_python(text))
        self.code, self.what, self.note, self.help = code, what, _in_python(note), said
        self.file, self.line = file, line

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.code, self.what, self.note, self.help, self.file, self.line)


def mistake(what: str, help: str, code: str = "python-argument") -> Error:
    """An error at the line of Python that called the package."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_code.co_filename.startswith(str(HERE)):
        frame = frame.f_back
    place = (frame.f_code.co_filename, frame.f_lineno) if frame else (None, None)
    at = f"{place[0]}:{place[1]}: " if frame else ""
    return Error(f"{at}error[{code}]: {what}\n  help: {help}", code, what, "", help, *place)


def _behind_first(given: str) -> str:
    """Arguments in words, without the first one."""
    depth = 0
    for i, c in enumerate(given):
        depth += {"(": 1, "[": 1, "{": 1, "<": 1, ")": -1, "]": -1, "}": -1, ">": -1}.get(c, 0)
        if depth == 0 and c in ",;":
            return given[i + 1:].strip().removeprefix("kwargs: ")
    return ""


def of_arguments(error: TypeError) -> Error | None:
    """What a call of the compiled module says of arguments that it does not take, as an error at the line that made the call; None: another TypeError."""
    m = re.match(r"(\w+)\(\): incompatible (?:function|constructor) arguments.*?\n(.*?)\n+Invoked with: (.*)", str(error), re.S)
    if not m:
        return None
    name, forms, given = m[1], re.findall(r"^ *\d+\. (.*)$", m[2], re.M), re.sub(r" at 0x[0-9a-f]+", "", m[3].strip().replace("tcp_visa._tcp.", ""))
    takes = [re.sub(r"^[^(]*\((?:self: [\w.]+(?:, )?)?(.*)\)(?: -> .*)?$", r"\1", form.strip()).replace("tcp_visa._tcp.", "") for form in forms]
    if name == "__init__":
        name = re.sub(r"^.*\.", "", forms[0].split("(")[0])
    place, trace = (None, None), error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not file.startswith(str(HERE)):
            place = (file, trace.tb_lineno)
        trace = trace.tb_next
    if any("self: " in f for f in forms):
        given = _behind_first(given)
    what, help = f"{name} does not take these arguments: {given or 'none'}", f"it takes {' or '.join(f'({t})' for t in takes)}"
    at = f"{place[0]}:{place[1]}: " if place[0] else ""
    return Error(f"{at}error[python-argument]: {what}\n  help: {help}", "python-argument", what, "", help, *place)


class Bug(RuntimeError):
    """A mistake of ours: please send us what it says."""


def share() -> pathlib.Path:
    """The folder of chips, pages of the manual and the viewer's page: in the package, or below the prefix that it is installed in."""
    for folder in [HERE / "share", *(p / "share" / "tcp" for p in HERE.parents)]:
        if (folder / "diagnostics").is_dir():
            return folder
    raise FileNotFoundError(f"no folder share/tcp was found above {HERE}: install the package tcp-visa, which has the chips and the pages of the manual")


class Page(str):
    """A page of the manual, as Markdown; notebooks show it."""

    def _repr_markdown_(self) -> str:
        return str(self)


#: Mistakes that only Python's users can make; the other codes have pages in docs/diagnostics.
_OF_PYTHON = {
    "python-argument": "An array, a name or a number of arguments that does not fit the kernel. The error says what was given, and what to give.",
    "python-operand-range": "A whole number as an operand is an i32, from -2147483648 to 2147483647. Write 2.0 for a number of f32.",
    "python-type": "A type that the chip, or DLPack, has not. The types in memory are i4, i8, i16, i32, f4e2m1, f8e4m3, f8e5m2, f16, bf16 and f32.",
    "python-unknown-name": "Operations, modes and kinds have the names of the book, as texts: \"AddFxp\", or tv.FxpBinaryOp.AddFxp. The error lists those that fit.",
}


def _pages() -> dict[str, str]:
    pages = {code: f"# {code}\n\n{text}\n" for code, text in _OF_PYTHON.items()}
    for file in sorted((share() / "diagnostics").glob("*.md")):
        text = file.read_text("utf-8").rsplit("\n<!--", 1)[0]
        code, in_block = None, False
        for line in text.splitlines():
            if line.startswith("```"):
                in_block = not in_block
            if not in_block and line.startswith("## "):
                code = line[3:]
                pages[code] = ""
            if code is not None:
                pages[code] += line.removeprefix("#" if pages[code] == "" else "") + "\n"
    for file in sorted((share() / "findings").glob("*.md")):
        if file.stem != "README":
            pages[file.stem] = file.read_text("utf-8").rsplit("\n<!--", 1)[0]
    return pages


def explain(code: str | Error) -> Page:
    """What the manual says about the code of an error, or about a finding of a report."""
    wanted = code.code if isinstance(code, Error) else re.sub(r"^error\[(.*)\].*", r"\1", code)
    pages = _pages()
    if wanted not in pages:
        near = difflib.get_close_matches(wanted, pages, 3)
        raise KeyError(f"no page explains '{wanted}'" + (f"; did you mean {', '.join(near)}?" if near else ""))
    return Page(pages[wanted].strip() + "\n")
