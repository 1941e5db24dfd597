"""Every lesson in Python gives the bits that it gives in C++: both kernels run on the same values.

The C++ programs, built by tests/package, write the text form of what they launch (TCP_DUMP); the kernel that Python records is its own. Of lesson 30, a whole model, every
launch is compared, and the tokens; of lessons 21, 28 and 31, which are about time, the cycles as well.
"""
import functools
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
import tcp_visa as tv

EXAMPLES = pathlib.Path(os.environ["TCP_SOURCE"]) / "examples"
PROGRAMS = pathlib.Path(os.environ.get("TCP_LESSONS", "no such folder"))
sys.path.insert(0, str(EXAMPLES / "python"))
import lessons  # noqa: E402

TIMED = {"21_overlap", "28_collectives_over_chips", "31_gemm_taken_apart"}
TABLES = {"17_embedding": 1000}  # whose whole numbers are rows of a table of so many
COUNTING = {"29_mixture_of_experts"}  # whose whole numbers are 0, 1, 2, ...


def recorded(name):
    """What each launch records."""
    with tv.Context("plan") as ctx:
        return [kernel.record(ctx, *(ctx.declared(*t) for t in tensors)) for kernel, tensors in lessons.LESSONS[name]()]


def dumped(name, folder, backend="plan"):
    program = PROGRAMS / name.split("_", 1)[1]
    assert program.exists(), f"{program} is not there: run `ctest -R 'package: the lessons'` first, which builds the lessons"
    file = folder / "kernels.tcp"
    done = subprocess.run([program], env={**os.environ, "TCP_DUMP": str(file), "TCP_BACKEND": backend}, capture_output=True, text=True)
    assert file.exists(), done.stdout + done.stderr
    return modules_of(file)


def modules_of(file):
    return [tv.Module(m) for m in tv._tcp._parse_all(file.read_text("utf-8"), str(file), tv.Chip("rngd"))]


def values(name, module, seed=1):
    arrays = []
    for i, (type, axes) in enumerate(module.arguments.values()):
        shape = tuple(axes.values())
        count = int(np.prod(shape, dtype=np.int64))
        if name in COUNTING and type == "i32":
            arrays.append(np.arange(count, dtype=np.int32).reshape(shape))
        elif name in TABLES and type == "i32":
            arrays.append(np.random.default_rng(seed).permutation(TABLES[name])[:count].astype(np.int32).reshape(shape))
        else:
            arrays.append(tv.from_bits(tv.Random(seed + i)._bits(type, count).reshape(shape), type))
    if name == "16_branches_and_filter":
        # As in the lesson: small numbers, and not more than 32 negative ones in 64.
        arrays = [np.where(np.arange(a.size) % 2 == 0, np.abs(np.fmod(a, 200)), np.fmod(a, 200)).astype(np.int32) for a in arrays]
    return arrays


@pytest.mark.parametrize("name", lessons.LESSONS)
def test_the_bits_are_those_of_cpp(name, tmp_path):
    ours, theirs = recorded(name), dumped(name, tmp_path)
    assert len(ours) == len(theirs)
    for mine, cpp in zip(ours, theirs):
        python = tv.parse(mine.text)
        assert [(t, list(a.values())) for t, a in python.arguments.values()] == [(t, list(a.values())) for t, a in cpp.arguments.values()]
        assert [(t, list(a.values())) for t, a in python.results.values()] == [(t, list(a.values())) for t, a in cpp.results.values()]
        arrays = values(name, cpp)
        found, wanted = (m(*arrays, check=False) for m in (python, cpp))
        as_list = (lambda r: list(r.values()) if isinstance(r, dict) else [r])
        for got, want in zip(as_list(found), as_list(wanted)):
            type = tv._types.type_name(want.dtype)
            assert np.array_equal(tv.bits_of(got, type), tv.bits_of(want, type))
            assert tv.bits_of(want, type).any(), "a result of nothing but zeros shows nothing"


@functools.lru_cache
def page(name):
    return (EXAMPLES / name / "README.md").read_text("utf-8")


@pytest.mark.parametrize("name", sorted(TIMED))
def test_the_cycles_are_those_of_the_page(name):
    shown = set(re.findall(r"\d+", page(name).replace(",", "")))
    cycles = [r.cycles() for r in recorded(name)]
    assert cycles and all(str(c) in shown for c in cycles), cycles


def test_the_model_launches_what_it_does_in_cpp(tmp_path):
    cpp, shown = dumped("30_llama", tmp_path, "vector"), page("30_llama")
    said, logits = lessons.llama(tmp_path, backend="vector", dump=tmp_path / "python.tcp")
    for line in said:
        assert line in shown.splitlines(), line
    assert logits.shape == (96,) and logits.dtype == np.float32 and np.isfinite(logits).all()
    python = modules_of(tmp_path / "python.tcp")
    # The C++ model prepares kernels that take the length with the launch; here each length is a program of its own.
    def kinds(modules):
        return {repr(m).split("(")[0] for m in modules}
    assert len(python) > 20 and len(cpp) > 20
    assert kinds(python) == kinds(cpp)
    heads = [[m for m in modules if repr(m).startswith("<module LlamaHead")] for modules in (python, cpp)]
    assert heads[0][0].same_program(heads[1][0], names=False)


def test_every_lesson_is_here():
    folders = {p.name for p in EXAMPLES.iterdir() if re.match(r"\d\d_", p.name)}
    assert folders == {*lessons.LESSONS, "30_llama"}
