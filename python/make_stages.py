"""Writes the bindings of every method of a stream, from the header that declares it and the stage table.

Usage: make_stages.py dynamic.hpp stages.def methods.def -o stages.inc

A method of dyn::Stream or dyn::Begin becomes one of Python's Stream or Begin: its arguments have the names and defaults of the header, its docstring is the header's
comment, and what stages.def says of its stage. So a stage that is added to the table, with its method in dynamic.hpp, is there in Python without a line of binding
code. A type of argument that is not in the table below ends the build: add a line here.
"""
import argparse
import pathlib
import re
import sys

# The type in the header: how Python gives it, and how it is handed on. {} is the argument.
ARGUMENTS = {
    "const Mapping&": ("const MapArg&", "{}.over(self.levels())"),
    "ScalarType": ("const TypeArg&", "{}.type"),
    "Address": ("std::optional<std::int64_t>", "address_of({})"),
    "TrfAddress": ("const Named<TrfAddress>&", "{}.value"),
    "AccumulationKind": ("const Named<AccumulationKind>&", "{}.value"),
    "ReduceOp": ("const Named<ReduceOp>&", "{}.value"),
    "Groups": ("const Named<Groups>&", "{}.value"),
    "const SwitchConfig&": ("const SwitchConfig&", "{}"),
    "const BranchMode&": ("const BranchMode&", "{}"),
    "OperandGuard": ("const OperandGuard&", "{}"),
    "const SliceMask&": ("const SliceMask&", "{}"),
    "const Tensor&": ("const dyn::Tensor&", "{}"),
    "std::string_view": ("const AxisArg&", "{}.name"),
    "int": ("int", "{}"),
    "std::int64_t": ("std::int64_t", "{}"),
    "const std::vector<std::int64_t>&": ("const std::vector<std::int64_t>&", "{}"),
    "FpUnaryOp": ("const Named<FpUnaryOp>&", "{}.value"),
    "UnaryArgMode": ("const Named<UnaryArgMode>&", "{}.value"),
}
# Defaults of the header, as Python shows them.
DEFAULTS = {("Address", "{}"): "py::none()", ("Groups", "Groups::both"): '"both"', ("OperandGuard", "{}"): "OperandGuard::always()"}
# What Python's object is, the front end's in it, and the levels whose axes a text may name.
SELF = {"Stream": ("dyn::Stream", "self", "self.levels()"), "Begin": ("Begun", "self.begin", "self.levels")}
HAND_WRITTEN = {"fetch_with_table"}  # a template in the header

DECLARATION = re.compile(r"((?:[ \t]*///[^\n]*\n)*)[ \t]*(?:\[\[nodiscard\]\] )?(Stream|Tensor|Begin|void) (\w+)\(([^;{}]*(?:\{\}[^;{}]*)*)\)\s*&&\s*[;{]")
STAGE = re.compile(r"^TCP_STAGE\(([^)]*)\)", re.M)
METHOD = re.compile(r"^TCP_(?:VECTOR_)?METHOD\((\w+), (\w+)\)", re.M)


def body_of(text, name):
    start = re.search(rf"class \[\[nodiscard\]\] {name} \{{.*?public:", text, re.S).end()
    return text[start:text.index(" private:", start)]


def without_macros(body):
    return re.sub(r"^#define(?:.*\\\n)*.*\n|^#undef.*\n", "", body, flags=re.M)


def parameters(text):
    """(type, name, default or None) of each, without the place of the call."""
    found = []
    for part in re.split(r",\s*(?![^<]*>)", " ".join(text.split())):
        if not part or part.startswith("Where "):
            continue
        declared, _, default = part.partition(" = ")
        kind, _, name = declared.rpartition(" ")
        if kind.endswith("&") or "&" not in name:
            found.append((kind, name, default or None))
    return found


def comment(lines):
    return " ".join(line.strip().removeprefix("///").strip() for line in lines.splitlines())


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Table:
    """stages.def, and which methods belong to which stage."""

    def __init__(self, stages, methods):
        rows = [[cell.strip() for cell in m.group(1).split(",")] for m in STAGE.finditer(stages)]
        self.rows = {row[0]: row for row in rows if len(row) == 7}
        self.stage_of = {row[2]: row for row in self.rows.values()}
        for name, stage in METHOD.findall(methods):
            self.stage_of.setdefault(name, self.rows.get(stage, self.rows["VectorOperation"]))

    def words(self, method):
        row = self.stage_of.get(method)
        if row is None:
            base = next((known for known in sorted(self.stage_of, key=len, reverse=True) if method.startswith(known)), None)
            row = self.stage_of.get(base)
        if row is None:
            return ""
        record, _, _, after, _, main, sub = row
        follows = f"in main after {main.replace(' | ', ', ')}" if main != "nowhere" else ""
        if sub != "nowhere":
            follows += ("; " if follows else "") + f"in sub after {sub.replace(' | ', ', ')}"
        return f"Stage {record}, {follows}."


def binding(owner, result, name, params, doc):
    """One .def: the stream is copied, so that after an error the caller still has it; one that was used is refused by the recording."""
    given, handed, shown, outs = [f"const {SELF[owner][0]}& self"], [], [], []
    for kind, parameter, default in params:
        if kind == "Tensor&":  # made by the stage: Python gets it beside the stream
            outs.append(parameter)
            handed.append(parameter)
            continue
        if kind not in ARGUMENTS:
            sys.exit(f"make_stages.py: {name}: how does Python give an argument of the type `{kind}`? Add it to ARGUMENTS.")
        python, use = ARGUMENTS[kind]
        given.append(f"{python} {parameter}")
        handed.append(use.format(parameter).replace("self.levels()", SELF[owner][2]))
        if default is None:
            shown.append(f'py::arg("{parameter}")')
        elif (kind, default) in DEFAULTS:
            shown.append(f'py::arg("{parameter}") = {DEFAULTS[kind, default]}')
        else:
            sys.exit(f"make_stages.py: {name}: what does Python show for the default `{default}` of `{kind}`? Add it to DEFAULTS.")
    call = f"dyn::{owner}({SELF[owner][1]}).{name}({', '.join([*handed, 'here()'])})"
    if result == "Begin":
        call = f"Begun{{{call}, self.levels}}"
    lines = "".join(f"dyn::Tensor {o}; " for o in outs)
    if outs:
        kept = ", ".join(f"std::move({o})" for o in outs)
        body = f"{lines}auto made = {call}; return std::make_tuple(std::move(made), {kept});"
    else:
        body = f"return {call};" if result != "void" else f"{call};"
    return f'    .def("{name}", []({", ".join(given)}) {{ {body} }}, {", ".join([*shown, quoted(doc)])})\n'


def operation(method, ops, mode, zipped, doc):
    """An operation, and the same with a mode. Where integers and floats have operations of their own, the stream says which."""
    out = ""
    for with_mode in (False, True):
        name = method + ("_with_mode" if with_mode else "")
        given = ["const dyn::Stream& self", "const std::string& op"] + ([f"const Named<{mode}>& mode"] if with_mode else [])
        shown = ['py::arg("op")'] + (['py::arg("mode")'] if with_mode else [])
        handed = ["mode.value"] if with_mode else []
        if not zipped:
            given += [f"const OperandArg& {x}" for x in "abcd"]
            shown += [f'py::arg("{x}")' + ("" if x == "a" and not with_mode else " = py::none()") for x in "abcd"]
            handed += [f"{x}.operand" for x in "abcd"]

        def call(op):
            return f"return dyn::Stream(self).{name}({', '.join([f'value_named<{op}>(op, {quoted(op)})', *handed, 'here()'])});"
        if len(ops) == 1:
            body = call(ops[0])
        else:
            floats = next(op for op in ops if op.endswith("F32"))
            body = f"if (self.type() == ScalarType::f32) {call(floats)} {call(next(op for op in ops if op != floats))}"
        out += f'    .def("{name}", []({", ".join(given)}) -> dyn::Stream {{ {body} }}, {", ".join([*shown, quoted(doc)])})\n'
    return out


def made(header, stages, methods):
    table = Table(stages, methods)
    out = "// Made by python/make_stages.py from tcp/dsl/dynamic.hpp and tcp/rules/stages.def.\n"
    names = {}
    for owner in ("Begin", "Stream"):
        body = body_of(header, owner)
        out += f"void bind_{owner.lower()}_methods(py::class_<{SELF[owner][0]}>& c) {{\n  c\n"
        bound = names.setdefault(owner, [])
        for lines, result, name, params in DECLARATION.findall(without_macros(body)):
            if name in HAND_WRITTEN:
                continue
            doc = f"{comment(lines)} {table.words(name)}".strip()
            out += binding(owner, result, name, parameters(params), doc)
            bound.append(name)
        if owner == "Stream":
            rows = {}
            for kind, method, op, mode in re.findall(r"^  TCP_DETAIL_(OPERATION|ZIP)\((\w+), (\w+)(?:, (\w+))?\)", body, re.M):
                rows.setdefault(method, (kind, mode or "BinaryArgMode", []))[2].append(op)
            for method, (kind, mode, ops) in rows.items():
                doc = f"`op` is one of {' or '.join(ops)}. {table.words(method)}"
                out += operation(method, ops, mode, kind == "ZIP", doc)
                bound += [method, method + "_with_mode"]
        out += "  ;\n}\n"
    for record, row in table.rows.items():
        of_stage = {row[2]} | {m for m, r in table.stage_of.items() if r[0] == record}
        if not of_stage & {n for all_names in names.values() for n in all_names}:
            sys.exit(f"make_stages.py: the stage {record} of stages.def has no method in dynamic.hpp that could be bound")
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs=3, type=pathlib.Path)
    parser.add_argument("-o", dest="out", type=pathlib.Path, required=True)
    args = parser.parse_args()
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(made(*(s.read_text("utf-8") for s in args.sources)), "utf-8")


if __name__ == "__main__":
    main()
