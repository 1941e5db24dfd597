"""The chapter of the manual and the notebook are run, block by block and cell by cell, each in a namespace of its own."""
import json
import os
import pathlib
import re
import subprocess
import sys
import zipfile

import pytest
import tcp_visa as tv

SOURCE = pathlib.Path(os.environ["TCP_SOURCE"])
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)


def run(pieces, file):
    """Runs pieces of code one after the other; gives what the last expression of each is."""
    names, values = {"__name__": "__main__"}, []
    for line, code in pieces:
        lines = code.rstrip("\n").split("\n")
        source = "\n" * (line - 1) + code
        *head, last = split(lines)
        exec(compile("\n" * (line - 1) + "\n".join(head), str(file), "exec"), names)
        try:
            values.append(eval(compile("\n" * (line + len(head) - 1) + last, str(file), "eval"), names))
        except SyntaxError:
            exec(compile("\n" * (line + len("\n".join(head).split("\n")) - 1 if head else line - 1) + last, str(file), "exec"), names)
            values.append(None)
        assert source
    return names, values


def split(lines):
    """All but the last statement, and the last statement."""
    import ast
    tree = ast.parse("\n".join(lines))
    start = tree.body[-1].lineno - 1
    if isinstance(tree.body[-1], (ast.FunctionDef, ast.ClassDef)) and tree.body[-1].decorator_list:
        start = tree.body[-1].decorator_list[0].lineno - 1
    return [*lines[:start], "\n".join(lines[start:])]


def test_the_chapter():
    page = SOURCE / "docs" / "python.md"
    text = page.read_text("utf-8")
    blocks = [(text.count("\n", 0, m.start(1)) + 1, m[1]) for m in BLOCK.finditer(text)]
    assert len(blocks) >= 10
    run(blocks, page)


def test_the_notebook():
    pytest.importorskip("matplotlib").use("agg")
    file = SOURCE / "examples" / "python" / "gemm.ipynb"
    cells = json.loads(file.read_text("utf-8"))["cells"]
    code = ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]
    assert all(not c.get("outputs") for c in cells), "outputs are not kept in the tree"
    names, values = run([(1, c) for c in code], file)
    cycles = [names[n].cycles for n in ("best_known", "after", "before")]
    assert cycles == sorted(cycles) and cycles[1] < cycles[2] / 5, cycles
    assert [round(p.get_width()) for p in names["ax"].patches] == cycles[::-1]
    assert len(names["ax"].patches) == 3 and any(isinstance(v, tv._draw.Page) for v in values)
    for value in values:
        if value is not None and hasattr(value, "_repr_html_"):
            assert value._repr_html_().strip().startswith("<")


def test_a_wheel_from_source(tmp_path):
    """pyproject.toml, with Debian's setuptools, on the build folder that is there; and a Python that has nothing but the wheel and NumPy."""
    build = pathlib.Path(tv.__file__).parent.parent.parent
    if not (build / "CMakeCache.txt").exists():
        pytest.fail(f"{build} is no build folder: run this with PYTHONPATH=build/dev/python")
    tree = tmp_path / "python"
    subprocess.run(["cp", "-r", SOURCE / "python", tree], check=True)
    for name in ("include", "data", "docs", "viewer"):
        (tmp_path / name).symlink_to(SOURCE / name)
    done = subprocess.run([sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "-q", "-w", tmp_path / "wheels", tree],
                          env={**os.environ, "TCP_BUILD_FOLDER": str(build), "PYTHONPATH": ""}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    wheel, = (tmp_path / "wheels").glob("tcp_visa-*.whl")
    with zipfile.ZipFile(wheel) as z:
        assert {"tcp_visa/__init__.py", "tcp_visa/_tcp.pyi", "tcp_visa/py.typed", "tcp_visa/share/viewer/page.html", "tcp_visa/share/chips/rngd.json"} <= set(z.namelist())
        z.extractall(tmp_path / "site")
    said = subprocess.run([sys.executable, "-B", "-c", "import numpy, tcp_visa as tv; print(tv.__file__, tv.kernels.gemm(numpy.eye(2, dtype=numpy.int8), numpy.eye(2, dtype=numpy.int8)).sum(), "
                           "tv.explain('device-impossible')[:3])"], env={**os.environ, "PYTHONPATH": str(tmp_path / "site")}, capture_output=True, text=True)
    assert said.stdout.startswith(str(tmp_path)) and " 2 # d" in said.stdout, said.stdout + said.stderr
