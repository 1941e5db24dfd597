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


def errors(text):
    """(line, message) of each that the editor shows for this text."""
    return [(d["range"]["start"]["line"] + 1, d["message"]) for d in clangd.open(main, text) if d["severity"] == 1]


def sentence_of_compiler(text):
    """The first refusal that g++ prints for this text; it prints the whole sentence at once."""
    file = project / "wrong.cpp"
    file.write_text(text, "utf-8")
    done = subprocess.run(["g++", "-std=c++20", "-fsyntax-only", "-fdiagnostics-color=never", f"-I{installed}/include", file], capture_output=True, encoding="utf-8")
    file.unlink()
    found = re.search(r'(error\[[a-z0-9-]+\]: .*)", [0-9]+\}', done.stderr)
    return found[1] if found else f"no refusal: {done.stderr[:2000]}"


# Completion, state by state. The names stand in groups as the Virtual ISA has them; each expression is a stream or a tensor, and behind it is what may follow.
PROBE_HEAD = """#include <tcp/tcp.hpp>
using namespace tcp;
TCP_AXES(A = 2048, R = 32, X = 2, K = 64);
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<A / 8>;
using Eight = m<A % 8>;
template <Scalar D, MapType Element = Eight>
using Dm = DmTensor<D, Chip, Cluster, Slice, Element>;
template <Scalar D>
using Vrf = VrfTensor<D, Chip, Cluster, Slice, Eight>;
template <MapType Row>
using Trf = TrfTensor<bf16, Chip, Cluster, Slice, Row, m<K>>;
"""


def kernel(number, statement):
    return (f"void kernel_{number}(Context& ctx, HbmTensor<i32, Chip, m<A>>& hbm, Dm<i32>& ints, Dm<f32>& floats, Dm<i8, m<K>>& bytes, Dm<bf16, m<K>>& halves, "
            f"Dm<f32, m<R, A % 8>>& rows, Vrf<i32>& vrf, Trf<m<1>>& row, Trf<m<X>>& two_rows) {{\n  {statement};\n}}\n")


def probes(expressions):
    """A file with a point typed behind each expression, and where the points end."""
    text, places = PROBE_HEAD, []
    for number, expression in enumerate(expressions):
        start = text.count("\n") + 2  # the statement stands alone in its line
        text += kernel(number, expression + ".")
        places.append((start, 2 + len(expression) + 2))
    return text, places


def modes(*names):
    return " ".join(f"{name} {name}_with_mode" for name in names)


COMMITS = "commit commit_view"
WIDE_COMMITS = COMMITS + " commit_cast commit_cast_relu"  # of what a cast takes
BITS = "vector_reinterpret "
INTS = "ctx.main.begin(ints.view()).fetch<i32, m<1>, Eight>().collect<m<1>, Eight>()"
FLOATS = "ctx.main.begin(floats.view()).fetch<f32, m<1>, Eight>().collect<m<1>, Eight>()"
ROWS = "ctx.main.begin(rows.view()).fetch<f32, m<R>, Eight>().collect<m<R>, Eight>()"
HALVES = "ctx.main.begin(halves.view()).fetch<bf16, m<1>, m<K>>().collect<m<K / 16>, m<K % 16>>()"
BOTH_INTS = "ctx.main.begin_interleaved<X>(ints.view(), ints.view()).fetch<i32, m<X>, Eight>().collect<m<X>, Eight>()"
BOTH_FLOATS = "ctx.main.begin_interleaved<X>(floats.view(), floats.view()).fetch<f32, m<X>, Eight>().collect<m<X>, Eight>()"
BRANCH = ".vector_init().vector_intra_slice_branch(BranchMode::Unconditional)"
CHOICE = ".vector_init().vector_intra_slice_branch(BranchMode::Comparison{InputCmp::Less(3)})"
PAIR = ".vector_init().vector_intra_slice_unzip<X, m<one.pad(2)>, m<1>>()"
SPLIT = ".vector_split<m<A % 8 / 4>, m<A % 4>>()"
CONCAT = ".vector_concat<m<1>, Eight>()"
REDUCE = ".vector_split<m<R, A % 8 / 4>, m<A % 4>>().vector_intra_slice_reduce<R, m<A % 8 / 4>, m<A % 4>>(IntraSliceReduceOpF32::Max)"
OVER_SLICES = ".vector_inter_slice_reduce<m<A / 32, one.pad(4)>, m<1>>(InterSliceReduceOpI32::AddSat)"
ALL_LOGIC = "".join(f".vector_logic(LogicBinaryOpI32::{op}, 1)" for op in ("BitAnd", "BitOr", "BitXor", "LeftShift", "LogicRightShift"))
NARROW = "vector_split vector_trim_way4 "
WIDEN = "vector_concat vector_pad_way8 "
FLOAT = modes("vector_fp_unary", "vector_fp_binary", "vector_fp_ternary") + " "
OUT = "vector_inter_slice_reduce vector_final "
KEEP = "vector_stash vector_write_operand "
LIFTS = "fetch_slice_lift fetch_cluster_lift fetch_chip_lift "
IN_BYTES = "gather_to_dm gather_to_hbm reinterpret relabel reshape scatter slice tile to_dm to_hbm to_spm "
WHOLE = IN_BYTES + "from_addr named view view_mut "

OFFERED = [
    ("ctx.main", "begin begin_interleaved dual"),
    ("ctx.sub", "begin begin_interleaved memset"),
    ("hbm", WHOLE + "to_host"),
    ("ints", WHOLE + "chip_shuffle chip_slice cluster_shuffle"),
    ("ints.view()", IN_BYTES),
    ("ints.view_mut()", "reinterpret relabel reshape slice tile"),
    ("vrf", ""),
    ("row", ""),
    ("ctx.main.begin(ints.view())", LIFTS + "fetch"),
    ("ctx.main.begin(bytes.view())", LIFTS + "fetch fetch_with_table fetch_with_zero_point"),
    ("ctx.main.begin_interleaved<X>(bytes.view(), bytes.view())", LIFTS + "fetch fetch_with_table fetch_with_zero_point fetch_with_zero_points"),
    ("ctx.sub.begin(bytes.view())", LIFTS + "fetch fetch_with_zero_point"),
    ("ctx.main.begin(ints.view()).fetch<i32, m<1>, Eight>()", "collect switch_to"),
    ("ctx.main.begin(ints.view()).fetch<i32, m<1>, Eight>().switch_to<SwitchConfig::Forwarding{}, Slice, m<1>>()", "collect"),
    ("ctx.sub.begin(ints.view()).fetch<i32, m<1>, Eight>()", "collect switch_to " + COMMITS),
    (INTS, "cast to_vrf transpose vector_init " + WIDE_COMMITS),
    (HALVES, "align to_trf transpose " + COMMITS),
    ("ctx.sub.begin(halves.view()).fetch<bf16, m<1>, m<K>>().collect<m<K / 16>, m<K % 16>>()", "to_trf transpose " + COMMITS),
    (HALVES + ".align<m<K / 32>, m<K % 32>>(row)", "contract contract_max"),
    (HALVES + ".align<m<K / 32>, m<K % 32>>(two_rows)", "contract"),
    (HALVES + ".align<m<K / 32>, m<K % 32>>(row).contract<m<1>>()", "accumulate"),
    (HALVES + ".align<m<K / 32>, m<K % 32>>(row).contract<m<1>>().accumulate<m<1>, m<one.pad(8)>>(AccumulationKind::Interleaved)",
     "cast transpose vector_init " + WIDE_COMMITS),
    (INTS + BRANCH + ".vector_final()", "cast to_vrf transpose " + WIDE_COMMITS),
    (INTS + BRANCH + ".vector_final().cast<i8, m<(A % 8).pad(32)>>()", "transpose " + COMMITS),
    (INTS + BRANCH + ".vector_final().cast<i8, m<(A % 8).pad(32)>>().transpose<Eight, m<one.pad(32)>>()", COMMITS),
    # The Vector Engine: the doors of its two blocks.
    (INTS + ".vector_init()", "vector_inter_slice_reduce vector_intra_slice_branch vector_intra_slice_unzip"),
    (INTS + ".vector_init()" + OVER_SLICES, "vector_intra_slice_branch vector_final"),
    (INTS + ".vector_init()" + OVER_SLICES + ".vector_intra_slice_branch(BranchMode::Unconditional)",
     BITS + modes("vector_logic", "vector_fxp", "vector_clip") + " vector_fxp_to_fp vector_branch_log vector_final " + NARROW + KEEP),
    (INTS + BRANCH + OVER_SLICES, "vector_final"),
    # Integers, eight lanes wide.
    (INTS + BRANCH, BITS + modes("vector_logic", "vector_fxp", "vector_clip") + " vector_fxp_to_fp vector_branch_log " + NARROW + KEEP + OUT),
    (INTS + CHOICE, BITS + modes("vector_logic", "vector_fxp", "vector_clip") + " vector_fxp_to_fp vector_branch_log vector_filter " + NARROW + KEEP + OUT),
    (INTS + BRANCH + ".vector_logic(LogicBinaryOpI32::BitAnd, 1)",
     BITS + modes("vector_logic", "vector_fxp", "vector_clip") + " vector_fxp_to_fp " + NARROW + KEEP + OUT),
    (INTS + BRANCH + ALL_LOGIC, BITS + modes("vector_fxp", "vector_clip") + " vector_fxp_to_fp " + NARROW + KEEP + OUT),
    (INTS + BRANCH + ".vector_fxp(FxpBinaryOp::AddFxp, 1)", BITS + modes("vector_fxp", "vector_clip") + " vector_fxp_to_fp " + NARROW + KEEP + OUT),
    (INTS + BRANCH + ".vector_stash()", BITS + modes("vector_logic", "vector_fxp", "vector_clip") + " vector_fxp_to_fp vector_branch_log vector_write_operand " + NARROW + OUT),
    (INTS + BRANCH + ".vector_write_operand(vrf)", BITS + modes("vector_logic", "vector_fxp", "vector_clip") + " vector_fxp_to_fp vector_branch_log vector_stash " + NARROW + OUT),
    (INTS + BRANCH + ".vector_fxp_to_fp(31)", BITS + modes("vector_clip") + " vector_fp_to_fxp " + NARROW + OUT),
    (INTS + BRANCH + ".vector_clip(ClipBinaryOpI32::Max, 0)", BITS + modes("vector_clip") + " " + KEEP + OUT),
    (INTS + CHOICE + ".vector_filter<m<1>, Eight>(OperandGuard::id(1))", BITS + "vector_final"),
    (INTS + BRANCH + SPLIT, BITS + "vector_intra_slice_reduce " + WIDEN + KEEP),
    # Floating point, through the narrow part and out of it.
    (FLOATS + BRANCH, BITS + modes("vector_logic", "vector_clip") + " vector_fp_to_fxp vector_branch_log " + NARROW + KEEP + OUT),
    (FLOATS + BRANCH + SPLIT, BITS + FLOAT + modes("vector_fp_div") + " vector_intra_slice_reduce " + WIDEN + KEEP),
    (FLOATS + BRANCH + SPLIT + ".vector_fp_unary(FpUnaryOp::Exp)", BITS + FLOAT + modes("vector_fp_div") + " vector_intra_slice_reduce " + WIDEN + KEEP),
    (FLOATS + BRANCH + SPLIT + ".vector_fp_unary(FpUnaryOp::Exp).vector_fp_unary(FpUnaryOp::Sqrt)",
     BITS + modes("vector_fp_binary", "vector_fp_ternary", "vector_fp_div") + " vector_intra_slice_reduce " + WIDEN + KEEP),
    (FLOATS + BRANCH + SPLIT + ".vector_fp_div(FpDivBinaryOp::DivF, 4.0f)", BITS + WIDEN + KEEP),
    (ROWS + BRANCH + REDUCE, BITS + modes("vector_fp_div") + " " + WIDEN),
    (ROWS + BRANCH + REDUCE + ".vector_fp_div(FpDivBinaryOp::DivF, 4.0f)", BITS + "vector_write_operand " + WIDEN),
    (ROWS + BRANCH + REDUCE + CONCAT, BITS + modes("vector_clip") + " vector_fp_to_fxp " + OUT),
    (FLOATS + BRANCH + ".vector_fp_to_fxp(31)", BITS + modes("vector_clip") + " " + OUT),
    # Two groups, and one of them again.
    (BOTH_INTS + PAIR, BITS + modes("vector_logic", "vector_fxp", "vector_clip", "vector_logic_zip", "vector_fxp_zip", "vector_clip_zip") + " vector_fxp_to_fp vector_split"),
    (BOTH_FLOATS + PAIR + SPLIT, BITS + "vector_fp_unary vector_concat " + modes("vector_fp_binary", "vector_fp_ternary", "vector_fp_div", "vector_fp_zip")),
    (BOTH_INTS + PAIR + ".vector_fxp_zip(FxpBinaryOp::AddFxp)", BITS + modes("vector_fxp", "vector_clip") + " vector_fxp_to_fp " + NARROW + OUT),
]

# What is not in its list, called by hand.
REFUSED = [
    (INTS + BRANCH + ".vector_fp_unary(FpUnaryOp::Exp)", "vector-needs-way4"),
    (INTS + BRANCH + ".vector_fxp(FxpBinaryOp::AddFxp, 1).vector_logic(LogicBinaryOpI32::BitAnd, 1)", "vector-stage-order"),
    (FLOATS + BRANCH + SPLIT + ".vector_final()", "vector-needs-way8"),
    (BOTH_INTS + PAIR + ".vector_stash()", "vector-two-group-method"),
    ("ctx.main.begin(ints.view()).fetch<i32, m<1>, Eight>().commit<Eight>(0)", "stage-missing"),
    (HALVES + ".vector_init()", "vector-type"),
]


class Completion(unittest.TestCase):
    """Behind a point stands what is legal there; the rest is refused, and says why."""

    @classmethod
    def setUpClass(cls):
        configure()

    def test_what_may_follow_is_offered_and_nothing_else(self):
        text, places = probes([expression for expression, _ in OFFERED])
        clangd.open(main, text)
        for (expression, wanted), place in zip(OFFERED, places):
            with self.subTest(expression):
                self.assertEqual(set(clangd.completions(main, *place)), set(wanted.split()))

    def test_what_is_not_offered_is_refused_in_our_words_at_its_line(self):
        for expression, code in REFUSED:
            with self.subTest(expression):
                text = PROBE_HEAD + kernel(0, f"static_cast<void>({expression})")
                wanted = sentence_of_compiler(text)
                self.assertTrue(wanted.startswith(f"error[{code}]: "), wanted)
                (line, message), *more = errors(text)
                self.assertEqual(line, place_of(text, "static_cast<void>(")[0])
                self.assertIn(wanted, message)
                self.assertEqual(more, [], "one mistake, one message")


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
                line, message = errors(text)[0]
                self.assertEqual(line, place_of(text, where)[0])
                self.assertIn(wanted, message, "the editor says what the compiler says, in one piece")

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


class Short(unittest.TestCase):
    """`tcp lsp --clangd`: what clangd shows, in two lines; plain errors; fixes."""

    @classmethod
    def setUpClass(cls):
        configure()
        cls.server = language_server.ShortClangd(installed / "bin/tcp", args.clangd, project)

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def hover(self, text, words, offset=0):
        shown = self.server.hover(main, *place_of(text, words, offset))
        self.assertLessEqual(shown.count("\n"), 1, shown)
        return shown.split("\n")

    def test_hover_is_two_lines_with_documentation_shape_bytes_and_cycles(self):
        self.assertEqual(self.server.open(main, source), [])
        stream = "i32 Cluster[1 # 2] Slice[A / 8] Time[1] Packet[A % 8] (A = 2048): 32 B per packet, 32 B per slice, at least 1 cycle"
        for words, sentence, shape in (
                ("fetch<", "fetch: Fetch Engine: reads DM as a stream of packets, one per step of Time.", stream),
                ("collect<", "collect: Collect Engine: makes flits of 32 bytes.", stream),
                ("vector_fxp(", "vector_fxp: Vector Engine: integer and fixed-point arithmetic.", stream),
                ("commit<", "commit: Commit Engine: writes the stream to DM.", "DM: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] (A = 2048): 32 B per slice"),
                ("to_hbm<m<A>>", "to_hbm: DMA into HBM, the memory of the chip.", "HBM: i32 Element[A] (A = 2048): 8.0 KiB")):
            with self.subTest(words):
                self.assertEqual(self.hover(source, words), [sentence, shape])
        self.assertEqual(self.hover(source, "auto x", 5), ["x: a tensor in DM", "i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] (A = 2048): 32 B per slice"])
        self.assertEqual(self.hover(source, "using Slice", 6), ["Slice: m![A / 8], where A = 2048", "256 positions"])
        self.assertIn("for (std::size_t", source)
        self.assertIn("Type: int", self.server.hover(main, *place_of(source, "wrong = 0")), "what is not ours stays")

    def test_hover_follows_the_type_and_the_shape_through_a_contraction(self):
        text = PROBE_HEAD + kernel(0, "static_cast<void>(" + HALVES + ".align<m<K / 32>, m<K % 32>>(row).contract<m<1>>()"
                                   ".accumulate<m<1>, m<one.pad(8)>>(AccumulationKind::Interleaved))")
        self.assertEqual(self.server.open(main, text), [])
        self.assertEqual(self.hover(text, "align<")[1], "bf16 Cluster[1 # 2] Slice[A / 8] Time[K / 32] Packet[K % 32] (A = 2048, K = 64): 64 B per packet, 128 B per slice, at least 2 cycles")
        self.assertEqual(self.hover(text, "accumulate<")[1], "f32 Cluster[1 # 2] Slice[A / 8] Time[1] Packet[1 # 8] (A = 2048): 32 B per packet, 32 B per slice, at least 1 cycle")

    def test_hover_has_the_cycles_of_a_trace(self):
        run("make", "-C", project, "trace", env={**os.environ, "CXX": args.compiler, "TCP": str(installed)})
        self.server.open(main, source)
        try:
            self.assertRegex(self.hover(source, "collect<")[1], r"at least 1 cycle; its command took [0-9,]+ cycles in build/trace.json$")
            self.assertRegex(self.hover(source, "begin(")[1], r"^its command took [0-9,]+ cycles in build/trace.json$")
        finally:
            (project / "build/trace.json").unlink()

    def test_an_error_is_plain_and_its_help_is_a_fix(self):
        text = source.replace(".collect<m<1>, m<A % 8>>()", ".collect<m<1>, m<A % 4>>()")
        found, = self.server.open(main, text)
        self.assertEqual(found["message"], "error[collect-packet-not-one-flit]: Packet m<A % 4> of i32 is 16 bytes; collect makes flits of 32 bytes\n"
                         "help: write Packet = m<A % 8>, Time = m<1>")
        self.assertEqual((found["code"], found["source"], found.get("relatedInformation")), ("collect-packet-not-one-flit", "tcp", None))
        fixes = self.server.fixes(main, *place_of(text, "collect<"))
        self.assertEqual(list(fixes), ["write Packet = m<A % 8>, Time = m<1>"])
        mended = language_server.edited(text, fixes["write Packet = m<A % 8>, Time = m<1>"])
        self.assertEqual(mended, source)
        self.assertEqual(self.server.open(main, mended), [])
        self.assertEqual(self.server.fixes(main, *place_of(mended, "collect<")), {})

    def test_a_stage_that_is_missing_is_put_in(self):
        for stage in ("               .vector_init()\n", "               .vector_final()\n"):
            with self.subTest(stage):
                text = source.replace(stage, "")
                found, = self.server.open(main, text)
                self.assertEqual(found["code"], "stage-missing")
                (title, edits), = self.server.fixes(main, found["range"]["start"]["line"] + 1, found["range"]["start"]["character"] + 1).items()
                self.assertEqual(title, f"write {stage.strip()} before it")
                self.assertEqual(language_server.edited(text, edits), source)

    def test_a_mapping_that_cannot_be_is_one_error(self):
        found = self.server.open(main, source.replace("(A / 8).pad(256)", "(A / 7).pad(256)"))
        self.assertEqual([d["code"] for d in found if d["severity"] == 1], ["mapping-stride-not-divisor"])

    def test_the_rest_is_clangds(self):
        self.server.open(main, source)
        axis = place_of(source, "TCP_AXES(A", len("TCP_AXES("))
        self.assertEqual(self.server.definition(main, *place_of(source, "m<A % 8>>(ctx", 2)), [(main, *axis)])


# A layer out of the library's kernels, with a step of its own between them: mappings are values here, and refusals come when it runs.
LAYER = """#include <tcp/kernels/gemm/gemm.hpp>
#include <tcp/tcp.hpp>

using namespace tcp;

dyn::Tensor doubled(Context& ctx, const dyn::Tensor& x, const Mapping& rows) {
  Mapping const packet = rows % 8;
  auto const dm = x.to_dm(ctx.tdma, dyn::one.pad(2), rows / 8, packet);
  auto const y = dyn::main(ctx)
                     .begin(dm)
                     .fetch(ScalarType::i32, dyn::one, packet)
                     .collect(dyn::one, packet)
                     .vector_init()
                     .vector_intra_slice_branch(BranchMode::Unconditional)
                     .vector_fxp(FxpBinaryOp::MulInt, 2)
                     .vector_final()
                     .commit(packet);
  return y.to_hbm(ctx.tdma, rows);
}

dyn::Tensor layer(Context& ctx, const kernels::Gemm& product, const dyn::Tensor& a, const dyn::Tensor& b) {
  dyn::Tensor const c = product(ctx, a, b);
  return c.reshape(product.c_layout());
}

int main() {
  Context ctx = Context::acquire();
  Mapping const all = dyn::axis("A", 2048);
  dyn::HostTensor const ints(ScalarType::i32, all);
  auto const twice = launch(doubled, ctx, ints.to_hbm(ctx.pdma, dyn::one, all), all).get();
  kernels::Gemm const product(rngd, ScalarType::i8, 64, 64, 64);
  return twice && product.m().size == 64 ? 0 : 1;
}
"""


class Library(unittest.TestCase):
    """Kernels with sizes of run time, and those of the library: before a build, and with the commands of one."""

    @classmethod
    def setUpClass(cls):
        cls.folder = args.work / "layer"
        run(installed / "bin/tcp", "new", cls.folder)
        cls.main = cls.folder / "main.cpp"
        cls.main.write_text(LAYER, "utf-8")
        lists = cls.folder / "CMakeLists.txt"
        lists.write_text(lists.read_text("utf-8").replace("COMPONENTS runtime", "COMPONENTS kernels").replace("tcp::runtime", "tcp::kernels"), "utf-8")
        cls.clangd = language_server.Clangd(args.clangd, cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.clangd.close()

    def test_1_nothing_to_complain_about_before_the_first_build(self):
        self.assertEqual(self.clangd.open(self.main, LAYER), [])

    def test_2_nothing_to_complain_about_with_the_commands_of_the_compiler(self):
        run(args.cmake, "-S", self.folder, "-B", self.folder / "build", f"-DCMAKE_PREFIX_PATH={installed}", f"-DCMAKE_CXX_COMPILER={args.compiler}")
        other = language_server.Clangd(args.clangd, self.folder)
        try:
            self.assertEqual(other.open(self.main, LAYER), [])
        finally:
            other.close()

    def test_3_a_mistake_stands_at_its_line(self):
        wrong = LAYER.replace("product(ctx, a, b)", "product(ctx, a)")
        found = [d for d in self.clangd.open(self.main, wrong) if d["severity"] == 1]
        self.assertEqual({d["range"]["start"]["line"] + 1 for d in found}, {place_of(wrong, "product(ctx, a)")[0]})

    def test_4_definitions_are_those_of_the_installation(self):
        self.clangd.open(self.main, LAYER)
        for words, offset, header in (("kernels::Gemm", len("kernels::"), "tcp/kernels/gemm/gemm.hpp"), ("c_layout", 0, "tcp/kernels/gemm/gemm.hpp"),
                                      (".vector_fxp", 1, "tcp/dsl/dynamic.hpp"), ("to_hbm", 0, "tcp/dsl/dynamic.hpp")):
            with self.subTest(words):
                (path, line, _), = self.clangd.definition(self.main, *place_of(LAYER, words, offset))
                self.assertEqual(path, installed / "include" / header)
                self.assertIn(words[offset:], path.read_text("utf-8").split("\n")[line - 1])

    def test_5_hover_says_what_a_thing_is(self):
        self.clangd.open(self.main, LAYER)
        self.assertIn("Mapping", self.clangd.hover(self.main, *place_of(LAYER, "packet = rows")))
        self.assertIn("dyn::Tensor", self.clangd.hover(self.main, *place_of(LAYER, "c = product")))
        self.assertIn("Gemm", self.clangd.hover(self.main, *place_of(LAYER, "product(rngd")))

    def test_6_rename_of_a_mapping(self):
        self.clangd.open(self.main, LAYER)
        renamed = self.clangd.renamed(self.main, *place_of(LAYER, "packet = rows"), "eight", LAYER)
        self.assertEqual(renamed, re.sub(r"\bpacket\b", "eight", LAYER))
        self.assertEqual(self.clangd.open(self.main, renamed), [])

    def test_7_completion_offers_what_a_kernel_has(self):
        text = LAYER.replace("c.reshape(product.c_layout())", "c.reshape(product.)")
        self.clangd.open(self.main, text)
        offered = set(self.clangd.completions(self.main, *place_of(text, "product.)", len("product."))))
        self.assertLessEqual({"a_layout", "b_layout", "c_layout", "work"}, offered)


class Tools(unittest.TestCase):
    """INTRO-08: a compiler, an interpreter, a language server and a schedule viewer; CPU and device run the same program."""

    def test_INTRO_08_all_of_them_work_on_the_project_as_it_is(self):
        run("make", "-C", project, "run", env={**os.environ, "CXX": args.compiler})
        program, tcp = project / "build/kernel", installed / "bin/tcp"
        trace, page = args.work / "trace.json", args.work / "page.html"
        says = {backend: run(program, env={**os.environ, "TCP_BACKEND": backend}) for backend in ("reference", "vector")}
        says["device"] = run(program, env={**os.environ, "TCP_BACKEND": "device", "TCP_TRACE": str(trace)})
        self.assertEqual(set(says.values()), {"OK: 2048 elements match\n"})

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
