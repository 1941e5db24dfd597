"""That shell.py finds what is wrong: each test shows it a page, or a block, that breaks one of its promises."""
import subprocess
import tempfile
import unittest

import shell


class Here:
    """A folder with nothing in it."""

    def __init__(self, path):
        self.path = path

    def bash(self, line):
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", line], cwd=self.path, capture_output=True, encoding="utf-8")
        return done.returncode, done.stdout, done.stderr


class Blocks(unittest.TestCase):
    def complaints(self, block, wanted=None):
        with tempfile.TemporaryDirectory() as folder:
            return shell.run_block(Here(folder), block, wanted, ("page.md", 10))

    def test_what_ends_well_is_no_complaint(self):
        self.assertEqual(self.complaints("true\n\necho a > b\ncat b  # a comment\n"), [])

    def test_a_line_that_fails_is_named(self):
        for line in ("false", "cat no_such_file", "false | true"):
            found = self.complaints(f"true\n{line}\n")
            self.assertEqual(len(found), 1)
            self.assertTrue(found[0].startswith(f"page.md:12: '{line}' ends with exit code 1"), found)

    def test_what_is_printed_is_compared_apart_from_times(self):
        self.assertEqual(self.complaints("echo ids: 1,2; echo took 0.25 s\n", "ids: 1,2\ntook 3.50 s\n"), [])
        self.assertIn("prints other than is written", self.complaints("echo ids: 1,3\n", "ids: 1,2\n")[0])

    def test_lines_that_are_run_elsewhere_are_left_out(self):
        self.assertEqual(self.complaints(next(iter(shell.ELSEWHERE)) + "\n"), [])


class Marks(unittest.TestCase):
    def test_a_block_is_run_or_says_why_not(self):
        self.assertTrue(shell.NOT_RUN.fullmatch("sh not-run: it downloads everything"))
        for mark in ("sh not-run", "sh not-run:", "sh not-run: no", "sh later"):
            self.assertIsNone(shell.NOT_RUN.fullmatch(mark), mark)

    def test_every_page_marks_its_blocks(self):
        for page in [shell.ROOT / "README.md", *sorted((shell.ROOT / "docs").glob("*.md"))]:
            for m in shell.BLOCK.finditer(page.read_text("utf-8")):
                if m[1].split()[:1] == ["sh"]:
                    self.assertTrue(m[1] == "sh" or shell.NOT_RUN.fullmatch(m[1]), f"{page}: {m[1]}")


if __name__ == "__main__":
    unittest.main()
