#!/usr/bin/env python3
"""Does `tcp errors` say each mistake once, in the user's file, in at most 12 lines? Kernels with one mistake are compiled by g++ and clang, and what these print is filtered.

Usage: errors_test.py PATH_OF_TCP [CASE...]
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TCP = pathlib.Path(sys.argv.pop(1)).resolve()
COMPILERS = ["g++", "clang++-19"]
KERNEL = """#include <tcp/tcp.hpp>
using namespace tcp;

TCP_AXES(A = 2048);
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<A / 8>;

auto kernel(Context& ctx, const HbmTensor<i32, Chip, m<A>>& in) -> HbmTensor<i32, Chip, m<A>> {
  auto dm = in.to_dm<Cluster, Slice, m<A % 8>>(ctx.tdma, 0);
  auto out = ctx.main.begin(dm.view())
                 .fetch<i32, m<1>, m<A % 8>>()
                 .collect<m<1>, m<A % 8>>()
                 .vector_init()
                 .vector_intra_slice_branch(BranchMode::Unconditional)
                 .vector_fxp(FxpBinaryOp::AddFxp, 1)
                 .vector_final()
                 .commit<m<A % 8>>(1 << 12);
  return out.to_hbm<m<A>>(ctx.tdma, 1 << 28);
}
"""


def filtered(text):
    done = subprocess.run([TCP, "errors"], input=text, capture_output=True, encoding="utf-8")
    return done.returncode, done.stdout.splitlines(), done.stderr


def compiled(compiler, source):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "main.cpp").write_text(source, "utf-8")
        command = [compiler, "-std=c++20", "-fsyntax-only", "-fdiagnostics-color=always", "-I", ROOT / "include", "main.cpp"]
        done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8")
        code, lines, err = subprocess_in(folder, done.stderr)
        return done.stderr, code, lines, err


def subprocess_in(folder, text):
    done = subprocess.run([TCP, "errors"], input=text, cwd=folder, capture_output=True, encoding="utf-8")
    return done.returncode, done.stdout.splitlines(), done.stderr


class Errors(unittest.TestCase):
    def expect(self, source, line, code, help_words):
        """One error of ours, first line first, at the line that has the mistake."""
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                said, code_of_tcp, lines, err = compiled(compiler, source)
                self.assertIn(f"error[{code}]", re.sub(r'"\}, (tcp::detail::)?Piece<\d+>\{"', " ", said))
                self.assertEqual((code_of_tcp, err), (0, ""))
                self.assertLessEqual(len(lines), 12, lines)
                self.assertRegex(lines[0], rf"^main\.cpp:{line}:\d+: error\[{code}\]: ")
                self.assertEqual(sum("error[" in each for each in lines), 1, lines)
                self.assertTrue(any(each.startswith("  note: ") for each in lines), lines)
                self.assertIn(f"  help: {help_words}", lines)
                self.assertNotIn("detail::", "".join(lines))

    def test_a_wrong_packet(self):
        self.expect(KERNEL.replace(".fetch<i32, m<1>, m<A % 8>>()", ".fetch<i32, m<1>, m<A % 4>>()"), 13, "collect-wrong-packet", "write Packet = m<(A % 4).pad_zero(8)>")

    def test_a_stage_that_is_missing(self):
        self.expect(KERNEL.replace("                 .vector_final()\n", ""), 17, "stage-missing", "write .vector_final() before it")
        self.expect(KERNEL.replace("                 .vector_init()\n", ""), 14, "stage-missing", "write .vector_init() before it")

    def test_without_the_filter_it_is_one_error_as_well(self):
        mistakes = [(".fetch<i32, m<1>, m<A % 8>>()", ".fetch<i32, m<1>, m<A % 4>>()"), ("                 .vector_final()\n", ""), ("                 .vector_init()\n", "")]
        for right, wrong in mistakes:
            for compiler, most in zip(COMPILERS, [12, 15]):
                with self.subTest(compiler=compiler, wrong=wrong):
                    said = re.sub(r"\x1b\[[0-9;]*[mK]", "", compiled(compiler, KERNEL.replace(right, wrong))[0])
                    self.assertEqual(said.count(" error: "), 1, said)
                    self.assertNotIn("warning: ", said)
                    self.assertLessEqual(len(said.splitlines()), most, said)

    def test_a_mapping_that_cannot_be_is_one_error(self):
        self.expect(KERNEL.replace("m<A / 8>;", "m<A / 7>;"), 7, "mapping-stride-not-divisor", "pad to whole blocks first: m<A.pad(2051) / 7>")

    def test_two_mistakes_are_two_errors(self):
        source = KERNEL + KERNEL[KERNEL.index("auto kernel"):].replace("kernel", "other", 1).replace("m<A % 8>>(1 << 12)", "m<A % 8>>(1 << 12)").replace(".vector_final()\n", "\n")
        source = source.replace(".fetch<i32, m<1>, m<A % 8>>()", ".fetch<i32, m<1>, m<A % 4>>()", 1)
        for compiler in COMPILERS:
            _, _, lines, _ = compiled(compiler, source)
            self.assertEqual([re.search(r"error\[([\w-]+)\]", each)[1] for each in lines if "error[" in each], ["collect-wrong-packet", "stage-missing"], compiler)
            self.assertLessEqual(len(lines), 12)

    def expect_slip(self, wrong, line, words, help_words, source=KERNEL):
        """One error of C++ itself, in plain words, with what to write."""
        right, instead = wrong
        self.assertIn(right, source)
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler, instead=instead):
                _, code, lines, err = compiled(compiler, source.replace(right, instead, 1))
                self.assertEqual((code, err), (0, ""))
                self.assertLessEqual(len(lines), 12, lines)
                self.assertRegex(lines[0], rf"^main\.cpp:{line}:\d+: error(\[[\w-]+\])?: {words}")
                self.assertEqual(sum(": error" in each for each in lines), 1, lines)
                self.assertTrue(any(each.startswith(f"  help: {help_words}") for each in lines), lines)
                self.assertNotIn("PassState", "".join(lines))

    def test_slips_of_cpp_are_said_in_our_words(self):
        self.expect_slip((".vector_final()", ".vector_finish()"), 17, "a stream has no method vector_finish", r"did you mean .vector_final?")
        self.expect_slip((".vector_fxp(FxpBinaryOp::AddFxp, 1)", ".vector_fp(FpBinaryOp::AddF, 1.0f)"), 16, "a stream has no method vector_fp", "did you mean .vector_fp_")
        self.expect_slip(("FxpBinaryOp::AddFxp", "FxpBinaryOp::Add"), 16, "FxpBinaryOp has no operation Add", "did you mean FxpBinaryOp::AddFxp?")
        self.expect_slip(("m<A % 8>>(ctx.tdma, 0)", "m<A % 8>>(ctx.pdma, 0)"), 10, "ctx.pdma is given where ctx.tdma is meant", "write ctx.tdma")
        self.expect_slip((".fetch<i32, m<1>, m<A % 8>>()", ".fetch<i32>()"), 12, "no such call of fetch", "write .fetch<Type, Time, Packet>()")
        self.expect_slip(("in.to_dm<Cluster, Slice, m<A % 8>>", "in.to_dm<Cluster, Slice, 8>"), 10, "no such call of to_dm", "write .to_dm<Cluster, Slice, Element>(ctx.tdma, address)")
        self.expect_slip(("return out.to_hbm<m<A>>(ctx.tdma, 1 << 28);", "return out;"), 19, ".*(convert|conversion)", "move it there: .to_hbm<Element>(ctx.tdma, address)")
        self.expect_slip(("-> HbmTensor<i32,", "-> HbmTensor<f32,"), 19, "the tensor here is no HbmTensor<f32, ?.*, which is declared", "declare what is made here")
        self.expect_slip(("TCP_AXES(A = 2048);", "TCP_AXES(A = 2048, A = 4);"), 4, "axis A is declared twice", "give each axis one size")
        self.expect_slip(("  auto out = ctx.main.begin(dm.view())\n                 .fetch<i32, m<1>, m<A % 8>>()\n", "  auto s = ctx.main.begin(dm.view()).fetch<i32, m<1>, m<A % 8>>();\n  auto out = s\n"),
                         "1[123]", ".* takes a stream away from its variable", "write std::move(stream).")

    def test_a_missing_semicolon_is_one_error(self):
        self.expect_slip(("(ctx.tdma, 0);", "(ctx.tdma, 0)"), "1[01]", "expected .*';'", "end the statement before with a semicolon")

    def test_headers_that_are_not_found(self):
        for said in ["half.cpp:1:10: fatal error: tcp/tcp.hpp: No such file or directory", "half.cpp:1:10: fatal error: 'tcp/tcp.hpp' file not found"]:
            _, lines, _ = filtered(said + "\n    1 | #include <tcp/tcp.hpp>\n      |          ^~~~~~~~~~~~~\n")
            self.assertTrue(lines[-1].startswith("  help: add $(pkg-config --cflags --libs tcp-visa)"), lines)

    def test_an_axis_that_is_not_declared(self):
        self.expect_slip((".commit<m<A % 8>>", ".commit<m<B % 8>>"), 18, ".*'B'", "if B is an axis, declare it with its size: TCP_AXES(B = 8)")

    def test_what_follows_from_a_mistake_is_left_out(self):
        for compiler in COMPILERS:
            for right, wrong, first in [("m<A / 8>;", "m<A / 16>;", "memory-slice-size"), (".commit<m<A % 8>>", ".commit<m<A % 4>>", "commit-drops-data"),
                                        ("ctx.main.begin(dm.view())", "ctx.main.begin(in.view())", "a pass begins with a tensor in DM"), ("m<A % 8>>(ctx.tdma, 0)", "m<B % 8>>(ctx.tdma, 0)", "'B'")]:
                with self.subTest(compiler=compiler, wrong=wrong):
                    _, _, lines, _ = compiled(compiler, KERNEL.replace(right, wrong))
                    self.assertEqual(sum(": error" in each for each in lines), 1, lines)
                    self.assertIn(first, lines[0])

    def test_a_mistake_in_another_function_is_another_error(self):
        source = KERNEL + KERNEL[KERNEL.index("auto kernel"):].replace("kernel", "other", 1)
        for compiler in COMPILERS:
            _, _, lines, _ = compiled(compiler, source.replace("FxpBinaryOp::AddFxp", "FxpBinaryOp::Add"))
            self.assertEqual(sum(": error" in each for each in lines), 2, lines)

    def test_help_with_a_mapping_is_cpp(self):
        self.expect(KERNEL.replace("m<one.pad(2)>", "m<1>"), 10, "memory-cluster-size", "pad it: m<one.pad(2)>")

    def test_other_errors_stay(self):
        for compiler in COMPILERS:
            _, _, lines, _ = compiled(compiler, KERNEL.replace("1 << 28)", "oops)"))
            self.assertRegex(lines[0], r"^main\.cpp:19:\d+: error: .*oops", compiler)
            self.assertIn("oops", lines[1])
            self.assertLessEqual(len(lines), 12)

    def test_text_without_errors_stays(self):
        text = "[1/2] Building CXX object main.cpp.o\nmain.cpp:3:1: warning: unused\n[2/2] Linking\n"
        self.assertEqual(filtered(text), (0, text.splitlines(), ""))
        self.assertEqual(filtered(""), (0, [], ""))
        self.assertEqual(filtered("/usr/bin/ld: main.o: undefined reference to `f()'\ncollect2: error: ld returned 1 exit status\n")[1][0], "/usr/bin/ld: main.o: undefined reference to `f()'")


if __name__ == "__main__":
    unittest.main()
