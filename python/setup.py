"""Builds the module with the tree's CMake, for the Python that runs this, and puts the chips, the pages of the manual and the viewer into the package."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parent


def version():
    text = (TREE / "include" / "tcp" / "support" / "version.hpp").read_text("utf-8")
    return ".".join(re.findall(r"^#define TCP_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", text, re.M))


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        # TCP_BUILD_FOLDER: a build folder that is there already, of the same Python.
        folder = pathlib.Path(os.environ.get("TCP_BUILD_FOLDER", pathlib.Path(self.build_temp).resolve() / "cmake"))
        if not (folder / "CMakeCache.txt").exists():
            subprocess.run(["cmake", "-G", "Ninja", "-S", str(TREE), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release", "-DTCP_PYTHON=ON", "-DTCP_TESTS=OFF", "-DTCP_TOOLS=OFF",
                            f"-DPython_EXECUTABLE={sys.executable}"], check=True)
        subprocess.run(["cmake", "--build", str(folder), "--target", "tcp_python"], check=True)
        package = pathlib.Path(self.get_ext_fullpath(ext.name)).resolve().parent
        package.mkdir(parents=True, exist_ok=True)
        made = next((folder / "python" / "tcp_visa").glob("_tcp.*.so"))
        shutil.copy2(made, package / made.name)
        share = package / "share"
        shutil.rmtree(share, ignore_errors=True)
        for name, source in {"chips": TREE / "data/chips", "diagnostics": TREE / "docs/diagnostics", "findings": TREE / "docs/findings"}.items():
            shutil.copytree(source, share / name, ignore=lambda d, names: [n for n in names if not n.endswith((".md", ".json")) and not (pathlib.Path(d) / n).is_dir()])
        (share / "viewer").mkdir()
        subprocess.run([sys.executable, "-B", str(TREE / "viewer" / "bundle.py"), str(share / "viewer" / "page.html")], check=True)


setup(version=version(), ext_modules=[Extension("tcp_visa._tcp", sources=[])], cmdclass={"build_ext": CMakeBuild})
