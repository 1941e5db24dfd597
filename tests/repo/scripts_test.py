"""Do the scripts behind `make test` and `make nightly` run every test, and say how far they are and what came of it?"""
import importlib.machinery
import importlib.util
import io
import json
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"


def script(name):
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), str(SCRIPTS / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


run_tests = script("run-tests")
run_nightly = script("run-nightly")
run_mutants = script("run-mutants")


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


class Terminal(io.StringIO):
    def isatty(self):
        return True


def lines_of_a_run(out, what, steps):
    """What is written by a run with these steps: (seconds since the start, done, total)."""
    clock = Clock()
    progress = run_tests.Progress(what, out, clock)
    for clock.now, done, total in steps:
        progress.at(done, total)
    progress.clear()
    return out.getvalue()


class ProgressTest(unittest.TestCase):
    def test_a_file_gets_a_line_every_thirty_seconds(self):
        steps = [(second, second, 1000) for second in range(1, 100)]
        self.assertEqual(lines_of_a_run(io.StringIO(), "", steps).splitlines(), [
            "[ 30/1000 ] 3 %  30 s so far, about 16 min to go",
            "[ 60/1000 ] 6 %  60 s so far, about 16 min to go",
            "[ 90/1000 ] 9 %  2 min so far, about 15 min to go",
        ])

    def test_tests_are_called_tests(self):
        self.assertEqual(lines_of_a_run(io.StringIO(), " tests", [(60, 812, 3010)]), "[ 812/3010 tests ] 26 %  60 s so far, about 3 min to go\n")

    def test_a_terminal_gets_one_line_that_is_written_again_and_taken_away(self):
        text = lines_of_a_run(Terminal(), "", [(1, 1, 4), (1.1, 2, 4), (2, 3, 4)])
        self.assertNotIn("\n", text)
        self.assertEqual(text.split("\r\033[K"), ["", "[ 1/4 ] 25 %  1 s so far", "[ 3/4 ] 75 %  2 s so far", ""])


class StreamTest(unittest.TestCase):
    def shown(self, text, step, uneventful=None):
        out = io.StringIO()
        command = [sys.executable, "-c", f"print({text!r}, end='')"]
        self.assertEqual(run_tests.stream(command, run_tests.Progress("", out), step, uneventful), 0)
        return out.getvalue()

    def test_steps_of_a_build_are_not_shown_and_its_errors_are(self):
        self.assertEqual(self.shown("[1/9] Building CXX object a.o\nFAILED: b.o\nb.cpp:1: error: no\n", run_tests.BUILT), "FAILED: b.o\nb.cpp:1: error: no\n")

    def test_tests_that_passed_are_not_shown_and_others_are(self):
        text = ("Test project /tree\n      Start  1: unit: a\n 1/4 Test  #1: unit: a ........   Passed    0.01 sec\n"
                " 2/4 Test  #2: unit: Passed on .....***Failed    0.02 sec\n"
                " 3/4 Test  #3: unit: c ..............Subprocess aborted***Exception:   0.03 sec\n"
                " 4/4 Test  #4: unit: d .....***Failed  Error regular expression found. Regex=[x] 0.03 sec\n")
        shown = self.shown(text, run_tests.TESTED, run_tests.UNEVENTFUL)
        self.assertEqual(re.findall(r"#(\d)", shown), ["2", "3", "4"])


def kinds_of(preset):
    """The kinds of tests that a preset runs."""
    presets = {p["name"]: p for p in json.loads((ROOT / "CMakePresets.json").read_text("utf-8"))["configurePresets"]}
    while preset:
        kinds = presets[preset].get("cacheVariables", {}).get("TCP_TEST_KINDS")
        if kinds is not None:
            return set(kinds.split(";"))
        preset = presets[preset].get("inherits")
    return every_kind()


def every_kind():
    return set(re.search(r'TCP_TEST_KINDS "([^"]*)"', (ROOT / "CMakeLists.txt").read_text("utf-8")).group(1).split(";"))


class KindsTest(unittest.TestCase):
    def test_make_test_runs_every_kind(self):
        presets = re.search(r"^test:\n.*\n\t@scripts/run-tests (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.M).group(1).split()
        self.assertEqual(set.union(*map(kinds_of, presets)), every_kind() | {"fuzz"})

    def test_make_nightly_runs_every_kind_with_each_compiler(self):
        for preset in ("gcc", "clang"):
            self.assertEqual(run_nightly.PARTS[preset][1], ["scripts/run-tests", preset])
            self.assertEqual(kinds_of(preset), every_kind())


class NightlyTest(unittest.TestCase):
    def test_a_part_replaces_its_line_and_lines_are_sorted(self):
        text = ""
        for part, result in [("tsan", "failed"), ("clang", "passed"), ("tsan", "passed")]:
            text = run_nightly.recorded(text, part, f"{part} {result}")
        self.assertEqual(text.splitlines(), [run_nightly.HEADING, "clang passed", "tsan passed"])

    def test_a_part_that_is_no_more_loses_its_line(self):
        self.assertNotIn("gone", run_nightly.recorded("gone abc passed\n", "tidy", "tidy abc passed"))

    def test_figures_of_a_part_are_kept_for_the_bench(self):
        self.assertEqual(run_nightly.figures_of("mutants  abc  2026-01-01   1.0 min  passed  mutants=220  mutants_caught_percent=96.4\n"),
                         ["figure mutants 220", "figure mutants_caught_percent 96.4"])

    def test_mutants_are_where_the_list_says(self):
        gone = run_mutants.check(run_mutants.listed())
        there = [site for site in run_mutants.listed() if site.same is None and str(site) not in gone]
        self.assertGreaterEqual(len(there), 200, "add some: scripts/run-mutants --find 50 --seed 8")

    def test_mistakes_are_what_their_kind_says(self):
        for kind, before, after in [("negate", "if (a < b) return;", "if (tcp_mutant(7) != static_cast<bool>(a < b)) return;"),
                                    ("drop", "if (a && f(b && c)) {", "if ((tcp_mutant(7) || (a)) && f(b && c)) {"),
                                    ("more", "for (int i = 0; i < n; ++i) {", "for (int i = 0; i < tcp_one(7) + n; ++i) {"),
                                    ("plus", "last = n - 1;", "last = n - 1 + tcp_one(7);"),
                                    ("skip", "total += n;", "if (!tcp_mutant(7)) total += n;")]:
            self.assertEqual(run_mutants.mutated(kind, before, 7), after)
        for kind, text in [("negate", "if (auto x = f(); x) {"), ("drop", "if (a || b) {"), ("skip", "int total = n;"), ("negate", "if (!x) return x.refusal();")]:
            self.assertIsNone(run_mutants.mutated(kind, text, 7), text)

    def test_what_a_part_calls_is_there(self):
        for part, (_, command) in run_nightly.PARTS.items():
            self.assertTrue((ROOT / command[0]).is_file(), part)


if __name__ == "__main__":
    unittest.main()
