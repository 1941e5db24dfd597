"""Compares the stub of the compiled module, tcp_visa/_tcp.pyi, with what the module says of itself, or writes it.

Usage: PYTHONPATH=build/dev/python python3 python/make_stubs.py [--write]

pybind11 puts the signature of each function into its docstring; the stub has these, so that editors complete stages with their arguments and say what they do.
"""
import argparse
import difflib
import importlib
import inspect
import pathlib
import re
import sys
import textwrap

STUB = pathlib.Path(__file__).resolve().parent / "tcp_visa" / "_tcp.pyi"
HEAD = '''"""Made by python/make_stubs.py from the compiled module, and from what the package adds to its classes. Do not edit."""
# ruff: noqa
import enum
import typing
from typing import Any, Union

import numpy

MapLike = Union[Mapping, str, int, typing.Tuple[Any, ...], typing.List[Any]]
AxisLike = Union[Mapping, str]
TypeLike = Union[str, "numpy.dtype[Any]", type]
OperandLike = Union[int, float, Tensor, StashOperand, Skip, When, None]
'''
FROM_TEXT = ("BranchMode", "SwitchConfig")  # a text is taken for one of these
SIGNATURE = re.compile(r"^(?:\d+\. )?(\w+)\((.*)\) -> (.+)$")


def spelled(type_text):
    """A type as Python writes it."""
    text = re.sub(r"(?:tcp_visa\.)?_tcp\.(?:kernels\.)?", "", type_text).replace("std::", "")
    text = re.sub(r"numpy\.ndarray\[[^\]]*\]", "numpy.ndarray", text)
    text = re.sub(r"numpy\.ndarray(?!\[)", "numpy.ndarray[Any, Any]", text)
    text = re.sub(r"\b(List|Dict|Tuple|Optional|Callable)\[", r"typing.\1[", text)
    text = re.sub(r"^(dict|list|tuple)$", lambda m: {"dict": "typing.Dict[Any, Any]", "list": "typing.List[Any]", "tuple": "typing.Tuple[Any, ...]"}[m[1]], text)
    if text == "buffer" or not re.fullmatch(r"[\w\[\], .]*", text):
        return "Any"
    return re.sub(r"(?<![\w.])(\w+)", lambda m: f"kernels.{m[1]}" if m[1] in of_library else m[1], text)


def added(name, value):
    """The lines of what the package adds to a class of the module: its parameters are those of Python."""
    if isinstance(value, property):
        kinds = {"shape": "typing.Tuple[int, ...]", "ndim": "int", "size": "int", "nbytes": "int", "dtype": "numpy.dtype[Any]", "dict": "typing.Dict[str, Any]",
                 "data": "typing.Dict[str, Any]", "commands": "typing.List[typing.Dict[str, Any]]"}
        return ["    @property", f"    def {name}(self) -> {kinds.get(name, 'Any')}:", f'        """{value.__doc__}"""' if value.__doc__ else "        ..."]
    kinds = {"numpy": "numpy.ndarray[Any, Any]", "__array__": "numpy.ndarray[Any, Any]", "__len__": "int", "__bool__": "bool", "report": "Report", "save": "None",
             "__repr__": "str", "svg": "str", "_repr_html_": "str", "_repr_svg_": "str", "tolist": "typing.List[Any]", "fetch_with_table": "Stream", "__iter__": "typing.Iterator[Any]",
             "__dlpack_device__": "typing.Tuple[int, int]"}
    parts = []
    for p in inspect.signature(value).parameters.values():
        star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        if p.kind == p.KEYWORD_ONLY and not any(x.startswith("*") for x in parts):
            parts.append("*")
        known = "self" if p.name == "self" else f"{star}{p.name}: Any" + ("" if p.default is p.empty else " = ...")
        parts.append(known)
    words = " ".join((value.__doc__ or "").split()).replace("\\", "\\\\")
    return [f"    def {name}({', '.join(parts)}) -> {kinds.get(name, 'Any')}:", f'        """{words}"""' if words else "        ..."]


of_library = set()  # classes of the kernel library, which are in a namespace


def arguments(text):
    out = []
    for part in re.split(r", (?=\**\w+(?::|$|,))", text):
        name, _, rest = part.partition(": ")
        kind, _, default = rest.partition(" = ")
        if name == "self":
            out.append("self")
        elif name.startswith("*"):
            out.append(f"{name}: Any")
        elif name:
            said = spelled(kind)
            out.append(f"{name}: {f'Union[{said}, str]' if said in FROM_TEXT else said}" + (" = ..." if default else ""))
    return ", ".join(out)


def functions(name, value, indent):
    """The lines of a function or method: one for each overload."""
    doc = value.__doc__ or ""
    found = []
    if "Overloaded function." in doc:
        for block in re.split(r"\n(?=\d+\. \w+\()", doc)[1:]:
            found.append(block)
    else:
        found.append(doc)
    lines = []
    for block in found:
        first, _, rest = block.partition("\n")
        m = SIGNATURE.match(first.strip())
        if not m:
            return []
        words = " ".join(rest.split()).replace("\\", "\\\\").replace('"""', "'''")
        if len(found) > 1:
            lines.append(f"{indent}@typing.overload")
        static = "" if m[2].startswith("self") or not indent else f"{indent}@staticmethod\n"
        lines.append(f"{static}{indent}def {name}({arguments(m[2])}) -> {spelled(m[3])}:")
        lines.append(f'{indent}    """{words}"""' if words else f"{indent}    ...")
    return lines


def classes(name, value, members=None):
    base = next((b.__name__ for b in value.__bases__ if b.__module__.startswith("tcp_visa")), "")
    lines = [f"class {name}{f'({base})' if base else ''}:"]
    if value.__doc__:
        lines.append(f'    """{" ".join(value.__doc__.split())}"""')
    count = len(lines)
    for member in sorted(vars(value) if members is None else members):
        found = vars(value)[member]
        if isinstance(found, property):
            said = found.fget.__doc__ or ""
            m = re.search(r"-> (.+)", said.splitlines()[0]) if said else None
            words = " ".join((found.__doc__ or "").split())
            lines += ["    @property", f"    def {member}(self) -> {spelled(m[1]) if m else 'Any'}:", f'        """{words}"""' if words else "        ..."]
        elif member.startswith("__") and member not in ("__init__", "__call__", "__getitem__", "__len__", "__floordiv__", "__truediv__", "__mod__", "__or__", "__and__",
                                                        "__contains__", "__enter__", "__exit__"):
            continue
        elif callable(vars(value)[member]) or isinstance(found, staticmethod):
            target = found.__func__ if isinstance(found, staticmethod) else found
            lines += functions(member, target, "    ")
    if len(lines) == count:
        lines.append("    ...")
    return lines


def made(module, package_adds, own):
    out = [HEAD]
    of_library.update(n for n, v in vars(module.kernels).items() if inspect.isclass(v))
    for family, names in module.names.items():
        out += ["", f"class {family}(str, enum.Enum):", *(f"    {n} = {n!r}" for n in names if n.isidentifier())]
    for name in sorted(vars(module)):
        value = vars(module)[name]
        if name.startswith("__"):
            continue
        if inspect.isclass(value):
            lines = classes(name, value, own[name])
            if name in package_adds:
                lines = [line for line in lines if line != "    ..."] + [line for n, v in sorted(package_adds[name].items()) for line in added(n, v)]
            out += ["", *lines]
        elif inspect.isroutine(value):
            out += ["", *functions(name, value, "")]
        elif inspect.ismodule(value):
            inner = []
            for part in sorted(vars(value)):
                found = vars(value)[part]
                if part.startswith("__"):
                    continue
                inner += ["", *(classes(part, found) if inspect.isclass(found) else [f"    {line}" for line in functions(part, found, "")])]
                if inspect.isclass(found):
                    inner[-len(classes(part, found)):] = [f"    {line}" for line in classes(part, found)]
            inner = [line.replace("    def ", "    @staticmethod\n    def ", 1) if line.startswith("    def ") else line for line in inner]
            out += ["", f"class {name}:", *[textwrap.indent("", "    ") + line for line in inner]]
        else:
            out += ["", f"{name}: {type(value).__name__ if type(value).__module__ in ('builtins', module.__name__) else 'Any'}"]
    out += ["", "__version__: str"]
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    # Before the package adds to the classes what is Python.
    sys.modules.setdefault("tcp_visa", type(sys)("tcp_visa"))
    folder = next(pathlib.Path(p) / "tcp_visa" for p in sys.path if any((pathlib.Path(p) / "tcp_visa").glob("_tcp.*.so")))
    sys.modules["tcp_visa"].__path__ = [str(folder)]
    module = importlib.import_module("tcp_visa._tcp")
    own = {n: set(vars(v)) for n, v in vars(module).items() if inspect.isclass(v)}
    del sys.modules["tcp_visa"]
    importlib.import_module("tcp_visa")
    package_adds = {n: {m: v for m, v in vars(vars(module)[n]).items() if m not in before and m not in ("__doc__", "__reduce__")} for n, before in own.items()}
    text = made(module, {n: a for n, a in package_adds.items() if a}, own)
    compile(text, str(STUB), "exec")
    if args.write:
        STUB.write_text(text, "utf-8")
        return 0
    kept = STUB.read_text("utf-8") if STUB.exists() else ""
    for line in difflib.unified_diff(kept.splitlines(), text.splitlines(), str(STUB), "the module", lineterm="", n=1):
        print(line)
    if kept != text:
        print("the stub is not that of the module: write it again with python/make_stubs.py --write")
    return int(kept != text)


if __name__ == "__main__":
    sys.exit(main())
