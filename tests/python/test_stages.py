"""The stages of Python are those of the stage table, and the stubs that editors read are those of the module."""
import importlib.util
import inspect
import os
import pathlib
import re
import subprocess
import sys

import pytest
import tcp_visa as tv

SOURCE = pathlib.Path(os.environ["TCP_SOURCE"])
STAGES = (SOURCE / "include/tcp/rules/stages.def").read_text("utf-8")
METHODS = (SOURCE / "include/tcp/dsl/methods.def").read_text("utf-8")
HEADER = (SOURCE / "include/tcp/dsl/dynamic.hpp").read_text("utf-8")
ROWS = [[c.strip() for c in m.group(1).split(",")] for m in re.finditer(r"^TCP_STAGE\(([^)]*)\)", STAGES, re.M)]


def loaded(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def offered():
    return set(dir(tv.Stream)) | set(dir(tv.Begin))


def test_every_stage_of_the_table_is_there():
    assert len(ROWS) >= 24
    missing = [row[2] for row in ROWS if row[2] not in offered() and row[0] != "VectorOperation"]
    assert missing == []
    assert [m for m in re.findall(r"^TCP_(?:VECTOR_)?METHOD\((\w+),", METHODS, re.M) if m not in offered()] == []


def test_every_method_of_the_header_is_there():
    make = loaded(SOURCE / "python" / "make_stages.py")
    for owner in ("Stream", "Begin"):
        names = {name for _, _, name, _ in make.DECLARATION.findall(make.without_macros(make.body_of(HEADER, owner)))}
        assert len(names) >= 5 and names <= offered(), names - offered()


def test_docstrings_say_what_the_table_says():
    assert "Stage Collect, in main after Fetch, Switch" in tv.Stream.collect.__doc__ and "time: MapLike" in tv.Stream.collect.__doc__
    silent = [name for name in tv.__all__ if inspect.isroutine(getattr(tv, name)) and not inspect.getdoc(getattr(tv, name))]
    for owner in (getattr(tv, name) for name in tv.__all__ if inspect.isclass(getattr(tv, name)) and getattr(tv, name).__module__.startswith("tcp_visa.")):
        members = {name: inspect.getattr_static(owner, name) for name in dir(owner) if not name.startswith("_")}
        silent += [f"{owner.__name__}.{name}" for name, m in members.items()
                   if (callable(m) or isinstance(m, (property, staticmethod))) and not inspect.getdoc(m if isinstance(m, property) else getattr(owner, name))]
    assert silent == []


def test_a_new_stage_turns_up_without_binding_code():
    make = loaded(SOURCE / "python" / "make_stages.py")
    header = HEADER.replace("  Stream contract(const Mapping& packet,", "  /// Sorts a packet.\n  Stream sort(const Mapping& packet, Address address = {}, "
                            "Where at = std::source_location::current()) &&;\n  Stream contract(const Mapping& packet,", 1)
    stages = STAGES.replace("TCP_STAGE(Contract,", "TCP_STAGE(Sort, sort, sort, Sort, packet, Collect, nowhere)\nTCP_STAGE(Contract,", 1)
    made = make.made(header, stages, METHODS)
    assert '.def("sort", [](const dyn::Stream& self, const MapArg& packet, std::optional<std::int64_t> address)' in made
    assert "Sorts a packet. Stage Sort, in main after Collect." in made
    with pytest.raises(SystemExit, match="the stage Sort of stages.def has no method"):
        make.made(HEADER, stages, METHODS)
    with pytest.raises(SystemExit, match="how does Python give an argument of the type `Strange`"):
        make.made(HEADER.replace("Stream contract(const Mapping& packet", "Stream contract(Strange packet", 1), STAGES, METHODS)


def test_the_stubs_are_those_of_the_module():
    """scripts: PYTHONPATH=build/dev/python python3 python/make_stubs.py --write"""
    done = subprocess.run([sys.executable, "-B", SOURCE / "python" / "make_stubs.py"], capture_output=True, text=True, env=os.environ)
    assert done.returncode == 0, done.stdout + done.stderr


WELL_TYPED = """import numpy as np
import tcp_visa as tv

A, B = tv.axes(A=2048, B=8)

@tv.kernel
def add_one(ctx: tv.Context, x: tv.Tensor) -> tv.Tensor:
    dm = x.to_dm(cluster="1 # 2", slice=(A // 8).pad(256), element=A % 8)
    y = (ctx.main.begin(dm).fetch("i32", time=1, packet="A % 8").collect(time=1, packet=A % 8).vector_init().vector_intra_slice_branch("Unconditional")
         .vector_fxp(tv.FxpBinaryOp.AddFxp, 1).vector_final().commit("A % 8"))
    return y.to_hbm("A")

@tv.kernel(chips=2)
def two(ctx: tv.Context, x: tv.Tensor) -> tv.Tensor:
    with ctx.region("all"):
        return x

def used(ctx: tv.Context, trace: tv.Trace, m: tv.Mapping) -> None:
    t = ctx.tensor(np.zeros(2048, np.int32), "A")
    z: np.ndarray = t.numpy()
    shape: tuple[int, ...] = t.shape
    print(t.size, t.nbytes, t[0], len(t), t.tolist(), m.size, m.coordinates(), m[3], trace.svg(), trace.commands[0]["start"], trace.report().dict["program"])
    cycles: int = add_one.record(t).cycles("book")
    print(cycles, shape, z, two.prepare(t), tv.kernels.gemm(z, z), tv.kernels.Gemm(ctx.chip, "bf16", 8, 8, 8), tv.when(t, tv.OperandGuard.bit(1)))
"""


def test_a_program_with_types_is_checked_by_the_stubs(tmp_path):
    """What editors say of a program: nothing of a right one, and each mistake of a wrong one."""
    pytest.importorskip("mypy", reason="scripts/setup installs mypy")
    wrong = WELL_TYPED + """    bad: str = add_one.record(t).cycles("book")
    ctx.main.colect(1)
    tv.FxpBinaryOp.AddFixed
"""
    for name, text in (("right.py", WELL_TYPED), ("wrong.py", wrong)):
        (tmp_path / name).write_text(text, "utf-8")
    done = subprocess.run([sys.executable, "-m", "mypy", "--follow-imports=silent", "--cache-dir", tmp_path / "cache", "right.py", "wrong.py", pathlib.Path(tv.__file__).parent / "_tcp.pyi"],
                          capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "MYPYPATH": str(pathlib.Path(tv.__file__).parent.parent)})
    lines = WELL_TYPED.count("\n")
    said = [(int(m[1]), m[2]) for m in re.finditer(r"^wrong\.py:(\d+): error: .*\[(.*)\]$", done.stdout, re.M)]
    assert "right.py" not in done.stdout and "_tcp.pyi" not in done.stdout, done.stdout + done.stderr
    assert said == [(lines + 1, "assignment"), (lines + 2, "attr-defined"), (lines + 3, "attr-defined")], done.stdout + done.stderr


def test_all_is_all():
    assert sorted(tv.__all__) == sorted(set(tv.__all__)) and all(hasattr(tv, name) for name in tv.__all__)
    assert tv.FxpBinaryOp.AddFxp == "AddFxp" and tv.FpBinaryOp.MulF0 == "MulF0" and tv.FpBinaryOp.MaskMulFma.value == "MaskMulFma"
    assert (pathlib.Path(tv.__file__).parent / "py.typed").exists()
    assert re.fullmatch(r"\d+\.\d+\.\d+", tv.__version__)
