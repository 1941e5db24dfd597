#!/usr/bin/env python3
"""`tcp lsp`, asked as an editor asks it, about programs in text form and kernels in Rust.

Usage: lsp_test.py --tcp PROGRAM --work FOLDER [TEST...]
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import unittest

import language_server

args = None

TEXT = """module add_one
axes A = 2048
using Slice = [A / 8 # 256]

argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[{ Slice }] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[{ Slice }] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 268435456

move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
"""

MANIFEST = """[package]
name = "kernels"
version = "0.1.0"
"""
SHAPES = """use vendor_std::prelude::*;
axes![A = 2048];
pub type Chip = m![1];
pub type Cluster = m![1 # 2];
pub type Slice = m![A / 8];
"""
KERNELS = """use vendor_std::prelude::*;
mod shapes;
use shapes::*;

fn load(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![A]>) -> DmTensor<i32, Chip, Cluster, Slice, m![A % 8]> {
    x.to_dm(&mut ctx.tdma)
}

#[device(chip = 1)]
fn add_one(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![A]>) -> HbmTensor<i32, Chip, m![A]> {
    let held = load(ctx, x);
    let y: DmTensor<i32, Chip, Cluster, Slice, m![A % 8]> = ctx.main
        .begin(held.view())
        .fetch::<m![1], m![A % 8]>()
        .collect::<m![1], m![A % 8]>()
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_fxp(FxpBinaryOp::AddFxp, 1)
        .vector_final()
        .commit();
    y.to_hbm(&mut ctx.tdma)
}
"""


def place_of(text, words, offset=0):
    at = text.index(words) + offset
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


class Case(unittest.TestCase):
    language = "tcp"

    def setUp(self):
        self.folder = args.work / self.id().split(".")[-1]
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.server = language_server.LanguageServer([args.tcp, "lsp"], self.folder, self.language)

    def tearDown(self):
        if self.server.process.poll() is None:
            self.server.request("shutdown", {})
            self.server.notify("exit", {})
            self.assertEqual(self.server.process.wait(timeout=20), 0)
        self.server.close()

    def fixed(self, file, text, diagnostic):
        """The text after the only fix that is offered for a diagnostic."""
        actions = self.server.request("textDocument/codeAction", {"textDocument": {"uri": file.as_uri()}, "range": diagnostic["range"], "context": {"diagnostics": [diagnostic]}})
        self.assertEqual(len(actions), 1, actions)
        return language_server.edited(text, actions[0]["edit"]["changes"][file.as_uri()])

    def lenses(self, file):
        return {lens["range"]["start"]["line"] + 1: lens["command"]["title"] for lens in self.server.request("textDocument/codeLens", {"textDocument": {"uri": file.as_uri()}})}


class TextForm(Case):
    def file(self):
        return self.folder / "add_one.tcp"

    def test_a_right_program_has_no_error_and_cycles_above_its_lines(self):
        self.assertEqual(self.server.open(self.file(), TEXT), [])
        lenses = self.lenses(self.file())
        first, begin = place_of(TEXT, "move in")[0], place_of(TEXT, "main.begin")[0]
        self.assertRegex(lenses[first], r"^add_one: [0-9,]+ cycles by the model book; ")
        self.assertRegex(lenses[begin], r"^[0-9,]+ cycles, [0-9.]+ %")

    def test_an_error_stands_at_its_stage_and_goes_with_the_mistake(self):
        wrong = TEXT.replace(".collect\n", ".collect Packet[A % 4]\n")
        errors = self.server.open(self.file(), wrong)
        self.assertEqual([e["code"] for e in errors], ["collect-packet-not-one-flit"])
        self.assertEqual(errors[0]["range"]["start"]["line"] + 1, place_of(wrong, ".collect")[0])
        self.assertIn("\nhelp: write Packet = m![A % 8]", errors[0]["message"])
        self.assertEqual(self.server.open(self.file(), TEXT), [])

    def test_fixes_mend_what_they_are_offered_for(self):
        for right, mistake in ((".collect\n", ".collect Packet[A % 4]\n"), (".collect\n", ".colect\n"), ("y -> out", "y -> outt"), ("at 4096", "at 4102")):
            wrong = TEXT.replace(right, mistake)
            errors = self.server.open(self.file(), wrong)
            self.assertEqual(len(errors), 1, mistake)
            with self.subTest(mistake=mistake, help=errors[0]["message"]):
                self.assertEqual(self.server.open(self.file(), self.fixed(self.file(), wrong, errors[0])), [])

    def test_advice_is_no_fix(self):
        errors = self.server.open(self.file(), TEXT.replace("y -> out", "yyyy -> out"))
        self.assertIn("help: declare it above this line", errors[0]["message"])
        actions = self.server.request("textDocument/codeAction", {"textDocument": {"uri": self.file().as_uri()}, "range": errors[0]["range"], "context": {"diagnostics": errors}})
        self.assertEqual(actions, [])

    def test_hovers_have_shape_bytes_and_cycles(self):
        self.server.open(self.file(), TEXT)
        fetch = self.server.hover(self.file(), *place_of(TEXT, ".fetch", 2))
        self.assertIn("Packet[A % 8]", fetch)
        self.assertRegex(fetch, r"Fetch: [0-9,]+ of the pass's [0-9,]+ cycles")
        tensor = self.server.hover(self.file(), *place_of(TEXT, "commit(y)", 7))
        self.assertIn("32 bytes in each of", tensor)
        move = self.server.hover(self.file(), *place_of(TEXT, "move in"))
        self.assertRegex(move, r"8,192 bytes in runs of [0-9,]+")

    def test_definitions_of_axes_aliases_and_tensors(self):
        self.server.open(self.file(), TEXT)
        for use, name, defined in (("Packet[A % 8]", "A", "A = 2048"), ("Slice[{ Slice", "Slice }", "Slice = [A"), ("commit(y)", "y", "y: i32")):
            at = TEXT.index(use)
            at = TEXT.index(name, at)
            line, column = place_of(TEXT, TEXT[at:])
            self.assertEqual(self.server.definition(self.file(), line, column), [(self.file(), *place_of(TEXT, defined))])

    def test_formatting_keeps_comments(self):
        untidy = TEXT.replace("move in -> x", "// loads\nmove    in -> x").replace("using Slice = [A / 8 # 256]\n", "").replace("{ Slice }", "A / 8 # 256")
        self.server.open(self.file(), untidy)
        edits = self.server.request("textDocument/formatting", {"textDocument": {"uri": self.file().as_uri()}, "options": {"tabSize": 2, "insertSpaces": True}})
        laid_out = language_server.edited(untidy, edits)
        self.assertIn("// loads\nmove in -> x", laid_out)

    def test_an_empty_text_and_half_a_text_are_no_end(self):
        for text in ("", "module", TEXT[:300], "\0\n[[[[", TEXT):
            self.server.open(self.file(), text)
        self.assertEqual(self.server.open(self.file(), TEXT), [])


class Rust(Case):
    language = "rust"

    def setUp(self):
        super().setUp()
        (self.folder / "src").mkdir()
        (self.folder / "Cargo.toml").write_text(MANIFEST)
        self.main, self.shapes = self.folder / "src/lib.rs", self.folder / "src/shapes.rs"
        self.main.write_text(KERNELS)
        self.shapes.write_text(SHAPES)

    def test_a_crate_is_checked_and_timed(self):
        self.assertEqual(self.server.open(self.main, KERNELS), [])
        lenses = self.lenses(self.main)
        self.assertRegex(lenses[place_of(KERNELS, "fn add_one")[0]], r"^add_one: [0-9,]+ cycles")
        self.assertIn(place_of(KERNELS, "x.to_dm")[0], lenses)

    def test_an_error_underlines_the_call_and_its_fix_mends_it(self):
        wrong = KERNELS.replace(".collect::<m![1], m![A % 8]>()", ".collect::<m![1], m![A % 4]>()")
        errors = self.server.open(self.main, wrong)
        self.assertEqual([e["code"] for e in errors], ["collect-packet-not-one-flit"])
        self.assertEqual(errors[0]["range"]["start"], {"line": place_of(wrong, "collect::")[0] - 1, "character": place_of(wrong, "collect::")[1] - 1})
        self.assertEqual(self.server.open(self.main, self.fixed(self.main, wrong, errors[0])), [])

    def test_columns_are_counted_in_the_units_of_the_protocol(self):
        before = ".collect::<m![1], m![A % 8]>()"
        wrong = KERNELS.replace(before, "/* \U0001d400\u00e4 */ .collect::<m![1], m![A % 4]>()")
        start = self.server.open(self.main, wrong)[0]["range"]["start"]
        line = wrong.split("\n")[start["line"]]
        self.assertEqual(start["character"], len(line[:line.index("collect::")].encode("utf-16-le")) // 2)

    def test_a_misspelt_name_is_fixed(self):
        wrong = KERNELS.replace(".vector_final()", ".vector_finl()")
        errors = self.server.open(self.main, wrong)
        self.assertEqual(self.server.open(self.main, self.fixed(self.main, wrong, errors[0])), [])

    def test_what_another_module_declares_is_brought_in(self):
        wrong = KERNELS.replace("use shapes::*;", "use shapes::{Chip, Cluster, A};")
        errors = self.server.open(self.main, wrong)
        self.assertEqual({e["code"] for e in errors}, {"rust-unknown-name"})
        mended = self.fixed(self.main, wrong, errors[0])
        self.assertTrue(mended.startswith("use crate::shapes::Slice;\nuse vendor_std"), mended)
        self.assertEqual(self.server.open(self.main, mended), [])
        inside = "//! Kernels.\nmod shapes;\nmod inner {\n    // {\n" + wrong.replace("mod shapes;\nuse shapes::", "use crate::shapes::") + "}\n"
        errors = self.server.open(self.main, inside)
        mended = self.fixed(self.main, inside, errors[0])
        self.assertIn("mod inner {\n    use crate::shapes::Slice;\n    // {\n", mended)
        self.assertEqual(self.server.open(self.main, mended), [])

    def test_a_semicolon_that_takes_the_result_away_goes(self):
        wrong = KERNELS.replace("    y.to_hbm(&mut ctx.tdma)\n", "    y.to_hbm(&mut ctx.tdma) ;\n")
        errors = self.server.open(self.main, wrong)
        self.assertIn("`;` takes the value away", errors[0]["message"])
        self.assertEqual(self.server.open(self.main, self.fixed(self.main, wrong, errors[0])), [])

    def test_a_text_that_is_not_saved_counts_in_other_files(self):
        self.assertEqual(self.server.open(self.main, KERNELS), [])
        self.server.open(self.shapes, SHAPES.replace("A / 8", "A / 16"))
        self.server.texts.clear()
        self.assertNotEqual(self.server.open(self.main, KERNELS + "\n"), [])
        self.server.open(self.shapes, SHAPES)
        self.assertEqual(self.server.open(self.main, KERNELS), [])

    def test_definitions_cross_files(self):
        self.server.open(self.main, KERNELS)
        line, column = place_of(KERNELS, "m![A % 8]>()", 3)
        self.assertEqual(self.server.definition(self.main, line, column), [(self.shapes, *place_of(SHAPES, "A = 2048"))])
        line, column = place_of(KERNELS, "Slice, m![A % 8]> {")
        self.assertEqual(self.server.definition(self.main, line, column), [(self.shapes, *place_of(SHAPES, "Slice = "))])
        line, column = place_of(KERNELS, "load(ctx, x)")
        self.assertEqual(self.server.definition(self.main, line, column), [(self.main, *place_of(KERNELS, "load(ctx: "))])
        line, column = place_of(KERNELS, "held.view")
        self.assertEqual(self.server.definition(self.main, line, column), [(self.main, *place_of(KERNELS, "held = "))])
        line, column = place_of(KERNELS, "load(ctx, x)", 10)
        self.assertEqual(self.server.definition(self.main, line, column), [(self.main, *place_of(KERNELS, "x: &HbmTensor<i32, Chip, m![A]>) -> HbmTensor"))])

    def test_hovers(self):
        self.server.open(self.main, KERNELS)
        collect = self.server.hover(self.main, *place_of(KERNELS, "collect::", 2))
        self.assertRegex(collect, r"Collect: [0-9,]+ of the pass's [0-9,]+ cycles")
        self.assertIn("bytes in runs of", self.server.hover(self.main, *place_of(KERNELS, "to_dm", 2)))
        self.assertIn("pub type Slice = m![A / 8];", self.server.hover(self.main, *place_of(KERNELS, "Slice, m!")))


class Protocol(unittest.TestCase):
    def talk(self, data):
        return subprocess.run([args.tcp, "lsp"], input=data, capture_output=True, timeout=60)

    def framed(self, message):
        body = json.dumps(message).encode()
        return b"Content-Length: %d\r\n\r\n" % len(body) + body

    def test_an_unknown_request_is_answered(self):
        done = self.talk(self.framed({"jsonrpc": "2.0", "id": 1, "method": "textDocument/rename", "params": {}}) +
                         self.framed({"jsonrpc": "2.0", "id": 2, "method": "textDocument/hover", "params": {"textDocument": 3}}) +
                         self.framed([1, 2]) + self.framed({"jsonrpc": "2.0", "id": 3, "method": "shutdown"}) + self.framed({"jsonrpc": "2.0", "method": "exit"}))
        self.assertEqual(done.returncode, 0, done.stderr)
        for code in (b"-32601", b"-32602", b"-32700"):
            self.assertIn(code, done.stdout)

    def test_another_language_is_refused(self):
        done = self.talk(b"hello\r\n\r\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"error[tool-lsp-message]", done.stderr)

    def test_an_editor_that_is_gone_is_said(self):
        done = self.talk(b"")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"error[tool-lsp-ended]", done.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--tcp", type=lambda p: pathlib.Path(p).resolve(), required=True)
    parser.add_argument("--work", type=lambda p: pathlib.Path(p).resolve(), required=True)
    args, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
