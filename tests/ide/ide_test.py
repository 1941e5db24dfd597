#!/usr/bin/env python3
"""A project from `tcp new`, in an editor: what clangd shows, offers and changes in its kernel.

Usage: ide_test.py --clangd PROGRAM --cmake PROGRAM --build FOLDER --compiler PROGRAM --work FOLDER [TEST...]

The package is installed from the build folder, the project made by its program. One clangd answers all tests.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import language_server

args = None
project = None  # the folder that tcp new made
installed = None  # the prefix
main = None  # its source
source = ""  # and what stands in it
clangd = None


def run(*command, **more):
    done = subprocess.run([str(c) for c in command], capture_output=True, encoding="utf-8", **more)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def setUpModule():
    global project, installed, main, source, clangd
    shutil.rmtree(args.work, ignore_errors=True)
    installed, project = args.work / "prefix", args.work / "hello"
    run(args.cmake, "--install", args.build, "--prefix", installed)
    run(installed / "bin/tcp", "new", project)
    main = project / "main.cpp"
    source = main.read_text("utf-8")
    clangd = language_server.Clangd(args.clangd, project)


def tearDownModule():
    clangd.close()


def configure():
    """What `make` does before it compiles: the commands of the compiler are there."""
    run(args.cmake, "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={installed}", f"-DCMAKE_CXX_COMPILER={args.compiler}")


def place_of(text, words, offset=0):
    """(line, column) of the first character of these words, or of one behind it."""
    at = text.index(words) + offset
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def sentence_of_compiler(text):
    """The first refusal that g++ prints for this text; it prints the whole sentence at once."""
    file = project / "wrong.cpp"
    file.write_text(text, "utf-8")
    done = subprocess.run(["g++", "-std=c++20", "-fsyntax-only", "-fdiagnostics-color=never", f"-I{installed}/include", file], capture_output=True, encoding="utf-8")
    file.unlink()
    found = re.search(r'(error\[[a-z-]+\]: .*)", [0-9]+\}', done.stderr)
    return found[1] if found else f"no refusal: {done.stderr[:2000]}"


class Editor(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        configure()

    def test_a_fresh_project_has_nothing_to_complain_about(self):
        self.assertEqual(clangd.open(main, source), [])

    def test_it_does_so_before_the_first_build(self):
        fresh = args.work / "fresh"
        run(installed / "bin/tcp", "new", fresh)
        self.assertFalse((fresh / "build").exists())
        other = language_server.Clangd(args.clangd, fresh)
        try:
            self.assertEqual(other.open(fresh / "main.cpp", source), [])
        finally:
            other.close()

    def test_a_refusal_stands_at_the_line_of_the_kernel_that_breaks_the_rule(self):
        mistakes = [
            ("(A / 8).pad(256)", "(A / 7).pad(256)", "using Slice", "mapping-stride-not-divisor"),
            (".collect<m<1>, m<A % 8>>()", ".collect<m<1>, m<A % 4>>()", ".collect<", "collect-packet-not-one-flit"),
            (".vector_fxp(FxpBinaryOp::AddFxp, 1)", ".vector_fxp(FxpBinaryOp::AddFxp, 1).vector_fxp(FxpBinaryOp::AddFxp, 1)", ".vector_fxp", "vector-alu-in-use"),
            ("using Cluster = m<one.pad(2)>", "using Cluster = m<one.pad(3)>", "auto x = in.to_dm", "memory-cluster-size"),
        ]
        for right, wrong, where, code in mistakes:
            with self.subTest(wrong):
                self.assertIn(right, source)
                text = source.replace(right, wrong)
                wanted = sentence_of_compiler(text)
                self.assertTrue(wanted.startswith(f"error[{code}]: "), wanted)
                line, message = self.errors(text)[0]
                self.assertEqual(line, place_of(text, where)[0])
                self.assertIn(wanted, message, "the editor says what the compiler says, in one piece")

    def errors(self, text):
        """(line, message) of each."""
        return [(d["range"]["start"]["line"] + 1, d["message"]) for d in clangd.open(main, text) if d["severity"] == 1]

    def test_completion_offers_what_may_follow_a_stage_and_nothing_else(self):
        """Stages of the Tensor Unit are types of their own. Inside the Vector Engine the order is a matter of refusals, which say more than a missing name does."""
        commits = {"commit", "commit_view", "commit_packed"}
        phases = [
            (".begin(x.view())", {"fetch", "fetch_with_table", "fetch_with_zero_point", "fetch_with_zero_points"}),
            (".fetch<i32, m<1>, m<A % 8>>()", commits | {"collect", "switch_to"}),
            (".collect<m<1>, m<A % 8>>()", commits | {"vector_init", "align", "to_trf", "to_vrf", "cast", "transpose"}),
            (".vector_final()", commits | {"cast", "transpose"}),
        ]
        for stage, wanted in phases:
            with self.subTest(stage):
                self.assertEqual(self.offered_behind(stage), wanted)
        for stage in (".vector_init()", ".vector_fxp(FxpBinaryOp::AddFxp, 1)"):
            with self.subTest(stage):
                offered = self.offered_behind(stage) - {"levels"}
                self.assertIn("vector_fxp", offered)
                self.assertEqual({name for name in offered if not name.startswith("vector_")}, set())

    def offered_behind(self, stage):
        """What is offered where a point was typed behind a stage of the kernel, and the rest of the statement is still missing."""
        end = source.index(stage) + len(stage)
        text = source[:end] + ".;\n  return y;\n}" + source[source.index("\n}\n") + 2:]
        clangd.open(main, text)
        line, column = place_of(text, stage, len(stage) + 1)
        return set(clangd.completions(main, line, column))

    def test_an_axis_is_offered_inside_a_mapping_and_operations_behind_it(self):
        for typed, wanted in (("m<A", {"A"}), ("m<A.", {"pad", "resize", "at"})):
            text = source.replace("using Chip = m<1>;", f"using Chip = {typed}>;")
            clangd.open(main, text)
            offered = set(clangd.completions(main, *place_of(text, f"using Chip = {typed}", len(f"using Chip = {typed}"))))
            self.assertLessEqual(wanted, offered)

    def test_go_to_definition(self):
        clangd.open(main, source)
        axis = place_of(source, "TCP_AXES(A", len("TCP_AXES("))
        self.assertEqual(clangd.definition(main, *place_of(source, "m<A % 8>>(ctx", 2)), [(main, *axis)])
        self.assertEqual(clangd.definition(main, *place_of(source, "Slice, m<A")), [(main, *place_of(source, "Slice = "))])
        for method in ("fetch<", "vector_final", "to_dm<"):
            (path, line, _), = clangd.definition(main, *place_of(source, method))
            self.assertTrue(path.is_relative_to(installed / "include/tcp/dsl"), path)
            self.assertIn(method.rstrip("<"), path.read_text("utf-8").split("\n")[line - 1])

    def test_rename_of_an_axis(self):
        clangd.open(main, source)
        renamed = clangd.renamed(main, *place_of(source, "TCP_AXES(A", len("TCP_AXES(")), "Rows", source)
        # By hand: every A that is a word of its own, not in a comment, not in a string.
        pieces = re.split(r'(//[^\n]*|"(?:[^"\\]|\\.)*")', source)
        wanted = "".join(re.sub(r"\bA\b", "Rows", piece) if i % 2 == 0 else piece for i, piece in enumerate(pieces))
        self.assertGreater(wanted.count("Rows"), 8)
        self.assertEqual(renamed, wanted)
        self.assertEqual(clangd.open(main, renamed), [])

    def test_hover_on_a_mapping_shows_its_notation_and_its_size(self):
        text = source + "\nstatic_assert(Slice::size == 256);\nusing Padded = m<A / 8, (A % 8).pad(10)>;\nstatic_assert(Padded::size == 2560);\n"
        self.assertEqual(clangd.open(main, text), [])
        for alias, notation, size in (("Slice", "A / 8", 256), ("Padded", "A / 8, A % 8 # 10", 2560), ("Cluster", "1 # 2", 2)):
            with self.subTest(alias):
                shown = clangd.hover(main, *place_of(text, f"using {alias} =", len("using ")))
                self.assertIn(f'{{"{notation}"}}', shown)
                self.assertIn(f", {size}>", shown)
                if f"{alias}::size" in text:
                    self.assertIn(f"Value = {size} ", clangd.hover(main, *place_of(text, f"{alias}::size", len(alias) + 2)))
        self.assertIn('"A = 2048"', clangd.hover(main, *place_of(text, "using Slice", len("using "))), "axes stand with their sizes")
        self.assertIn('{"A % 8"}', clangd.hover(main, *place_of(text, "auto x", len("auto "))), "a tensor shows how it lies")

    def test_formatting_is_that_of_the_project(self):
        untidy = source.replace("  auto x = in.to_dm", "      auto   x=in.to_dm").replace("i32 expected(i32 x) { return", "i32 expected(i32 x)\n{\nreturn")
        clangd.open(main, untidy)
        edits = clangd.request("textDocument/formatting", {"textDocument": {"uri": main.as_uri()}, "options": {"tabSize": 4, "insertSpaces": False}})
        self.assertEqual(language_server.edited(untidy, edits), source)


class Tools(unittest.TestCase):
    """INTRO-08: a compiler, an interpreter, a language server and a schedule viewer; CPU and device run the same program."""

    def test_INTRO_08_all_of_them_work_on_the_project_as_it_is(self):
        run("make", "-C", project, "run", env={**os.environ, "CXX": args.compiler})
        program, tcp = project / "build/kernel", installed / "bin/tcp"
        trace, page = args.work / "trace.json", args.work / "page.html"
        says = {backend: run(program, env={**os.environ, "TCP_BACKEND": backend}) for backend in ("reference", "vector")}
        says["device"] = run(program, env={**os.environ, "TCP_BACKEND": "device", "TCP_TRACE": str(trace)})
        self.assertEqual(set(says.values()), {"0 of 2048 elements are wrong\n"})

        configurations = run(tcp, "compile", program)
        for engine in ("fetch", "collect", "vector", "commit"):
            self.assertIn(engine, configurations.lower())
        self.assertEqual(clangd.open(main, source), [])
        wrong = clangd.open(main, source.replace("(A / 8).pad(256)", "(A / 8).pad(128)"))
        self.assertIn("error[mapping-pad-below-size]", wrong[0]["message"])
        run(tcp, "view", trace, "-o", page)
        self.assertIn("<html", page.read_text("utf-8")[:2000])
        # What the viewer shows is what that program did: each command at its line.
        for line in run(tcp, "lens", trace, "--file", main).splitlines()[1:]:
            if line.startswith(str(main)):
                number = int(line.split(":")[1])
                self.assertRegex(source.split("\n")[number - 1], r"to_dm|begin|to_hbm")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("clangd", "cmake", "compiler"):
        parser.add_argument(f"--{name}", required=True)
    for name in ("build", "work"):
        parser.add_argument(f"--{name}", type=lambda path: pathlib.Path(path).resolve(), required=True)
    parser.add_argument("tests", nargs="*")
    args = parser.parse_args()
    unittest.main(argv=[sys.argv[0], *args.tests], verbosity=2)
