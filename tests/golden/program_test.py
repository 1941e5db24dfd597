"""The tcp program from outside: exit codes, streams, and pictures that every XML reader accepts. Usage: program_test.py PATH_OF_TCP"""
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as xml

GEMM = pathlib.Path(__file__).resolve().parent / "files" / "gemm.tcp"
TCP = str(pathlib.Path(sys.argv.pop()).resolve())
SVG = "{http://www.w3.org/2000/svg}"


def tcp(*arguments, **more):
    more.setdefault("stdout", subprocess.PIPE)
    return subprocess.run([TCP, *arguments], stderr=subprocess.PIPE, encoding="utf-8", timeout=60, **more)


def layout(axes, *arguments, **more):
    return tcp("layout", "--axes", axes, *arguments, **more)


class Streams(unittest.TestCase):
    def test_answers_go_to_standard_output_and_refusals_to_standard_error(self):
        good = layout("A=8", "A")
        self.assertEqual((good.returncode, good.stderr), (0, ""))
        bad = layout("A=8", "A / 3")
        self.assertEqual((bad.returncode, bad.stdout), (1, ""))
        self.assertTrue(bad.stderr.startswith("error[mapping-stride-not-divisor]: "))
        wrong = layout("A=8", "A", "--from", "x")
        self.assertEqual((wrong.returncode, wrong.stdout), (2, ""))
        self.assertTrue(wrong.stderr.startswith("error[tool-usage]: "))

    def test_a_full_disk_is_noticed(self):
        with open("/dev/full", "w") as full:
            done = layout("A=8", "A", stdout=full)
        self.assertEqual(done.returncode, 1)
        self.assertIn("error[tool-file-not-written]: standard output cannot be written", done.stderr)

    def test_what_cannot_be_written_whole_is_not_there_in_part(self):
        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))

        with tempfile.TemporaryDirectory() as folder:
            program = LongRuns.HEAD + LongRuns.PASS + LongRuns.TAIL
            (pathlib.Path(folder) / "a.tcp").write_text(program)
            for arguments in (["new", "project"], ["compile", "a.tcp", "-o", "a.txt"], ["run", "a.tcp", "--random", "1", "--out", "out=y.npy"],
                              ["run", "a.tcp", "--random", "1", "--backend", "device", "--trace", "t.json"], ["layout", "--axes", "A=512", "A", "--svg", "a.svg"]):
                done = tcp(*arguments, cwd=folder, preexec_fn=small_files)
                self.assertEqual((done.returncode, done.stdout), (1, ""), arguments)
                self.assertRegex(done.stderr, r"^error\[(tool|io)-file-not-written\]: .*File too large\n")
                self.assertEqual(os.listdir(folder), ["a.tcp"], arguments)

    def test_nobody_waits_for_a_pipe(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkfifo(pathlib.Path(folder) / "pipe")
            (pathlib.Path(folder) / "a.tcp").write_text(LongRuns.HEAD + LongRuns.PASS + LongRuns.TAIL)
            for arguments in (["run", "pipe"], ["compile", "pipe"], ["fmt", "pipe"], ["report", "pipe"], ["diff", "pipe", "pipe"], ["lens", "pipe"],
                              ["view", "pipe", "-o", "x.html"], ["run", "a.tcp", "--in", "in=pipe"], ["run", "a.tcp", "--chip", "./pipe"]):
                done = tcp(*arguments, cwd=folder)
                self.assertEqual((done.returncode, done.stdout), (1, ""), arguments)
                self.assertRegex(done.stderr, r"^error\[(io|device)-file-unreadable\]: ")

    def test_a_number_of_the_chip_without_effect_is_said_to_have_none(self):
        product = ["map", "C[m,n] = sum[k] A[m,k] * B[n,k]{any}", "m=512", "n=512", "k=512", "--no-reasons"]
        for command in (["check", GEMM], ["compile", GEMM], ["run", GEMM, "--random", "1"], ["run", GEMM, "--random", "1", "--backend", "device"], ["plan", GEMM], ["lens", GEMM], ["diff", GEMM, GEMM], product):
            done = tcp(*command, "--set", "hbm.nominal_gb_per_s=3000")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("note: hbm.nominal_gb_per_s=3000 has no effect here: ", done.stderr, command)
        for command in (["plan", GEMM], ["lens", GEMM], product):
            self.assertEqual(tcp(*command, "--set", "hbm.clock=1500").stderr, "", command)
        for command in (["check", GEMM], ["compile", GEMM], ["run", GEMM, "--random", "1"]):
            self.assertEqual(tcp(*command, "--chip", "rngd").stderr, "", command)

    def test_no_colours_in_a_pipe(self):
        self.assertNotIn("\x1b", layout("A=8", "A # 9").stdout)

    def test_colours_on_a_terminal_unless_they_are_not_wanted(self):
        for environment, wanted in (({"TERM": "xterm"}, True), ({"TERM": "xterm", "NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)):
            ours, theirs = os.openpty()
            subprocess.run([TCP, "layout", "--axes", "A=8", "A # 9"], stdout=theirs, env=environment, timeout=60, check=True)
            os.close(theirs)
            printed = os.read(ours, 65536).decode()
            os.close(ours)
            self.assertEqual("\x1b" in printed, wanted, environment)

    def test_names_that_are_no_text_do_not_break_json(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "long_run.tcp").write_text(LongRuns.HEAD + LongRuns.PASS + LongRuns.TAIL)
            name = os.fsdecode(b"trace\xff.json")
            done = tcp("run", "long_run.tcp", "--random", "1", "--backend", "device", "--trace", name, "--json", cwd=folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(json.loads(done.stdout)["device"]["trace"], "trace\ufffd.json")
            self.assertIn(name, os.listdir(folder))

    def test_an_answer_is_given_as_a_whole_or_not_at_all(self):
        for picture in ("/dev/full", "/no/such/folder/x.svg"):
            for question in (["A"], ["--levels", "Slice: A"]):
                done = layout("A=8", *question, "--svg", picture)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertIn("error[tool-file-not-written]", done.stderr)

    def test_json_is_json(self):
        for arguments in (["A=8", "A # 9"], ["A=8", "--levels", "Slice: A"], ["A=8", "--move", "A", "A"], ["A=8", "A / 3"]):
            self.assertIsInstance(json.loads(layout(*arguments, "--json").stdout), dict)


class Explain(unittest.TestCase):
    def test_pages_are_found_beside_the_program(self):
        listed = tcp("explain").stdout
        codes = [line.split()[0] for line in listed.splitlines() if line.startswith("  ")]
        self.assertGreater(len(codes), 20)
        for code in codes:
            page = tcp("explain", code)
            self.assertEqual((page.returncode, page.stdout.splitlines()[0]), (0, f"# {code}"))


class LongRuns(unittest.TestCase):
    PASS = """main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
"""
    HEAD = """module long_run
axes A = 2048
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 268435456
move in -> x
"""
    TAIL = "move y -> out\n"
    PROGRAM = HEAD + PASS * 10000 + TAIL

    def test_what_is_read_is_never_overwritten(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "a.tcp"
            program.write_text(self.HEAD + self.PASS + self.TAIL)
            (pathlib.Path(folder) / "same.tcp").symlink_to(program)
            for arguments in (["compile", "a.tcp", "-o", "./a.tcp"], ["compile", "a.tcp", "-o", "same.tcp"],
                              ["run", "a.tcp", "--random", "1", "--backend", "device", "--trace", "same.tcp"]):
                done = tcp(*arguments, cwd=folder)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn("would overwrite what the command reads", done.stderr)
            self.assertEqual(program.read_text(), self.HEAD + self.PASS + self.TAIL)
            self.assertEqual(tcp("run", "a.tcp", "--random", "1", "--out", "out=x.npy", cwd=folder).returncode, 0)
            array = (pathlib.Path(folder) / "x.npy").read_bytes()
            (pathlib.Path(folder) / "y.npy").symlink_to(pathlib.Path(folder) / "x.npy")
            for out in ("x.npy", "y.npy"):
                done = tcp("run", "a.tcp", "--in", "in=x.npy", "--out", f"out={out}", cwd=folder)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn("would overwrite what the command reads", done.stderr)
            self.assertEqual((pathlib.Path(folder) / "x.npy").read_bytes(), array)

    def test_two_outputs_are_never_one_file(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "a.tcp"
            program.write_text(self.HEAD + self.PASS + self.TAIL + "result hbm other: i32 Element[A] at 65536\nmove y -> other\n")
            (pathlib.Path(folder) / "later.npy").symlink_to("x.npy")
            (pathlib.Path(folder) / "later.json").symlink_to("t.json")
            (pathlib.Path(folder) / "later.safetensors").symlink_to("x.safetensors")
            run = ["run", "a.tcp", "--random", "1", "--backend", "device"]
            for arguments in ([*run, "--out", "out=x.npy", "--out", "other=./x.npy"], [*run, "--out", "out=x.npy", "--out", "other=later.npy"],
                              [*run, "--out", "out=x.safetensors", "--out", "other=later.safetensors"], [*run, "--out", "out=x.npy", "--trace", "later.npy"],
                              ["plan", "a.tcp", "--trace", "t.json", "--page", "later.json"], ["sweep", "a.tcp", "--csv", "t.json", "--svg", "./t.json"],
                              ["map", "y[m,f] = sum[k] x[m,k] * w[f,k] where m = 8, f = 8, k = 8", "--trace", "t.json", "--text", "later.json"]):
                done = tcp(*arguments, cwd=folder)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertRegex(done.stderr, "both write|writes two results into")
                self.assertFalse(list(pathlib.Path(folder).glob("[xt].*")))
            self.assertEqual(tcp(*run, "--out", "out=x.safetensors", "--out", "other=x.safetensors", cwd=folder).returncode, 0)

    def test_a_dump_of_several_kernels_is_listed_checked_and_chosen_from(self):
        one = self.HEAD + self.PASS + self.TAIL
        two = one.replace("long_run", "other").replace("AddFxp, 1", "AddFxp, 2")
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("one", one), ("two", two), ("both", one + "\n" + two), ("twice", one + "\n" + one),
                               ("wrong", one + "\n" + two.replace("AddFxp, 2", "AddFxp, ?"))):
                (pathlib.Path(folder) / f"{name}.tcp").write_text(text)
            run = ["--random", "3"]
            for file, kernel in (("one", "long_run"), ("two", "other")):
                alone = tcp("run", f"{file}.tcp", *run, cwd=folder)
                self.assertEqual((alone.returncode, tcp("run", "both.tcp", "--kernel", kernel, *run, cwd=folder).stdout), (0, alone.stdout))
            self.assertNotEqual(tcp("run", "one.tcp", *run, cwd=folder).stdout, tcp("run", "two.tcp", *run, cwd=folder).stdout)
            self.assertEqual(tcp("run", "both.tcp", "--list", cwd=folder).stdout, "long_run  both.tcp#1\nother  both.tcp#2\n")
            for arguments in (["both.tcp"], ["both.tcp", "--kernel", "none"], ["twice.tcp", "--kernel", "long_run"]):
                done = tcp("run", *arguments, *run, cwd=folder)
                self.assertEqual((done.returncode, done.stdout), (1, ""), arguments)
                self.assertIn("error[tool-several-modules]", done.stderr)
            self.assertEqual(tcp("check", "both.tcp", cwd=folder).stdout, "2 kernels checked\n")
            wrong = tcp("check", "wrong.tcp", cwd=folder)
            self.assertEqual((wrong.returncode, "vector-operand-unknown" in wrong.stdout), (1, True), wrong.stdout)
            self.assertIn("1 of 2 kernels is wrong", wrong.stderr)

    def test_a_text_is_never_executed(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "evil.tcp"
            program.write_text("#!/bin/sh\ntouch ran\n")
            program.chmod(0o755)
            for command in ("compile", "run", "check"):
                self.assertNotEqual(tcp(command, "./evil.tcp", cwd=folder).returncode, 0)
            self.assertFalse((pathlib.Path(folder) / "ran").exists())

    def test_an_executable_that_is_interrupted_leaves_nothing_behind(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "waits"
            program.write_text("#!/bin/sh\necho begun >&2\nexec sleep 60\n")
            program.chmod(0o755)
            before = set(os.listdir(tempfile.gettempdir()))
            with subprocess.Popen([TCP, "compile", "./waits"], cwd=folder, stderr=subprocess.PIPE, start_new_session=True) as process:
                self.assertEqual(process.stderr.readline(), b"begun\n")
                os.killpg(process.pid, signal.SIGINT)
                self.assertEqual(process.wait(20), -signal.SIGINT)
            self.assertEqual([n for n in set(os.listdir(tempfile.gettempdir())) - before if "tcp_compile" in n], [])

    def test_progress_is_shown_and_an_interrupt_ends_the_run_without_results(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "long_run.tcp").write_text(self.PROGRAM)
            ours, theirs = os.openpty()
            arguments = ["run", "long_run.tcp", "--random", "1", "--backend", "reference", "--out", "out=y.npy"]
            with subprocess.Popen([TCP, *arguments], stdout=subprocess.PIPE, stderr=theirs, cwd=folder) as process:
                os.close(theirs)
                shown = b""
                while b"commands, " not in shown:
                    shown += os.read(ours, 4096)
                process.send_signal(signal.SIGINT)
                sent = time.monotonic()
                self.assertEqual(process.wait(60), 130)
                self.assertLess(time.monotonic() - sent, 2)
                self.assertEqual(process.stdout.read(), b"")
            os.close(ours)
            self.assertRegex(shown.decode(), r"long_run: \d+ of 10002 commands, \d+ s")
            self.assertEqual(os.listdir(folder), ["long_run.tcp"])


class Pictures(unittest.TestCase):
    CASES = [
        ("A=8", ["A"]),
        ("A=8", ["1"]),
        ("A=8", ["3 # 5"]),
        ("A=5,B=3", ["A #z 6, B #! 4, 2 # 3"]),
        ("A=12", ["A #< 2 #z 16"]),
        ("A=3,B=5,C=2", ["[A, B, C] # 32"]),
        ("W=4,Fw=3", ["$(W:2, Fw) # 12"]),
        ("H=9,W=9,Fh=3,Fw=3", ["$(H, Fh), $(W, Fw)"]),
        ("A=8,B=8", ["A, skew(B, A)"]),
        ("A=8,B=512", ["A, B % 64, B / 64"]),
        ("A=100,B=200", ["A, B"]),
        ("A=4096,B=4000", ["A, B # 4096"]),
        ("A=9223372036854775807", ["A"]),
        ("A=2,B=2,C=2,D=2,E=2,F=2,G=2,H=2", ["A, B, C, D, E, F, G, H"]),
        ("A=8,B=512", ["A, B", "--from", "700", "--limit", "100"]),
        ("I=512,J=512,K=64", ["--levels", "Slice: I / 32, J / 32; Row: J % 8; Element: J / 8 % 4, K"]),
        ("I=8,J=8", ["--levels", "Chip: 1; Cluster: 1 # 2; Slice: I / 4, J / 4 # 6; Element: I % 4, J % 4"]),
        ("A=4611686018427387904,B=4611686018427387904", ["--levels", "Slice: A; Element: B"]),
    ]

    def test_pictures_are_xml_with_a_text_for_every_square(self):
        for axes, arguments in self.CASES:
            with self.subTest(axes=axes, arguments=arguments), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "picture.svg"
                done = layout(axes, *arguments, "--svg", str(path))
                self.assertEqual(done.returncode, 0, done.stderr)
                root = xml.parse(path).getroot()
                self.assertEqual(root.tag, SVG + "svg")
                width, height = float(root.get("width")), float(root.get("height"))
                self.assertTrue(0 < width <= 2000 and 0 < height <= 4000, (width, height))
                squares = [g for g in root.iter(SVG + "g") if g.find(SVG + "title") is not None]
                self.assertTrue(1 <= len(squares) <= 60_000, len(squares))
                for g in squares:
                    self.assertRegex(g.find(SVG + "title").text, r"^(position|Chip|Cluster|Slice|Row|Element|Time|Packet) \d")
                    self.assertIsNotNone(g.find(SVG + "path"))
                self.assertEqual(os.listdir(folder), ["picture.svg"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
