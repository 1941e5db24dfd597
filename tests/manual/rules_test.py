"""Shows each rule of the manual a small tree that breaks it, and one that does not; and the readers of headers and pages what they must not get wrong."""
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "docs" / "site")]
import api  # noqa: E402
from rules import (all_in_contents, api_complete, broken_links, code_is_compiled, departures_complete, links_lead_somewhere,  # noqa: E402
                   readme_compiles, readme_figures_current)


class Tree:
    def __init__(self, files):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        for name, text in {"docs/README.md": "# The manual\n", "examples/README.md": "# Lessons\n", "docs/departures.md": "", **files}.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")


def complaints(rule, files):
    tree = Tree(files)
    with tree.folder:
        return rule(tree.root)


class Rules(unittest.TestCase):
    def expect(self, rule, files, word):
        found = complaints(rule, files)
        self.assertTrue(any(word in c for c in found), f"{rule.__name__} does not say '{word}': {found}")

    def test_code_is_compiled(self):
        source = "int main() {\n  int x = 1;\n  return x;\n}\n"
        good = {"docs/a.md": "```cpp a.cpp\n  int x = 1;\n  return x;\n```\n", "docs/code/a.cpp": source}
        self.assertEqual(complaints(code_is_compiled, good), [])
        self.assertEqual(complaints(code_is_compiled, {**good, "docs/a.md": "```cpp a.cpp\nint x = 1;\nreturn x;\n```\n"}), [], "less indented")
        self.expect(code_is_compiled, {**good, "docs/a.md": good["docs/a.md"] + "```cpp\nint y\n```\n"}, "does not compile")
        self.assertEqual(complaints(code_is_compiled, {**good, "docs/b.md": "```cpp\nint y;\n```\n"}), [], "a whole file")
        self.expect(code_is_compiled, {**good, "docs/b.md": "```cpp a.cpp\nint x = 2;\n```\n"}, "do not stand so")
        self.expect(code_is_compiled, {**good, "docs/b.md": "```cpp a.cpp\nint x = 1;\nint z;\n```\n"}, "do not stand so")
        self.expect(code_is_compiled, {**good, "docs/b.md": "```cpp c.cpp\nint x = 1;\n```\n"}, "there is no docs/code/c.cpp")
        self.expect(code_is_compiled, {**good, "docs/b.md": "```perl\n1\n```\n"}, "neither run nor compiled")
        self.expect(code_is_compiled, {**good, "docs/code/b.cpp": source}, "no page shows")

    def test_readme_compiles(self):
        self.assertEqual(complaints(readme_compiles, {"README.md": "```cpp\nint x;\n```\n"}), [])
        self.expect(readme_compiles, {"README.md": "```cpp\nint x\n```\n"}, "does not compile")
        self.expect(readme_compiles, {"README.md": "```cpp\nint x;  // error[mapping-size]: ...\n```\n"}, "does not refuse")

        program = {"docs/code/a.cpp": "int main() {\n  return 0;\n}\n"}
        self.assertEqual(complaints(readme_compiles, {**program, "README.md": "```cpp a.cpp\nreturn 0;\n```\n"}), [])
        self.expect(readme_compiles, {**program, "README.md": "```cpp a.cpp\nreturn 1;\n```\n"}, "do not stand so")

    def test_readme_figures_current(self):
        page = {"docs/accuracy.md": "| a | 1 % |\n"}
        self.assertEqual(complaints(readme_figures_current, {**page, "README.md": "## How accurate it is\n\n| a | 1 % |\n\n## Then\n| b |\n"}), [])
        self.expect(readme_figures_current, {**page, "README.md": "## How accurate it is\n\n| a | 2 % |\n"}, "README.md:3: docs/accuracy.md has no such row")
        self.expect(readme_figures_current, {**page, "README.md": "# t\n"}, "no table")

    def test_departures_complete(self):
        page = "| <a id=\"E-01\"></a>E-01 | it | we |\n| <a id=\"E-02\"></a>E-02 | it | we |\n"
        self.assertEqual(complaints(departures_complete, {"docs/departures.md": page, "src/a.cpp": "// E-02\n"}), [])
        self.expect(departures_complete, {"docs/departures.md": page, "src/a.cpp": "// as E-03 says\n"}, "src/a.cpp:1: E-03 is not")
        self.expect(departures_complete, {"docs/departures.md": page, "tests/a.cpp": "TEST(Book, F_07_values)\n"}, "F-07 is not")
        self.expect(departures_complete, {"docs/departures.md": page + "| <a id=\"E-04\"></a>E-04 | it | we |\n"}, "gaps")
        self.expect(departures_complete, {"docs/departures.md": page + "| <a id=\"E-02\"></a>E-02 | it | we |\n"}, "2 times")

    def test_all_in_contents(self):
        contents = {"docs/README.md": "[a](a.md) [d](departures.md)\n", "docs/a.md": "# A\n", "examples/README.md": "[x](01_x)\n", "examples/01_x/main.cpp": ""}
        self.assertEqual(complaints(all_in_contents, contents), [])
        self.expect(all_in_contents, {**contents, "docs/b.md": "# B\n"}, "docs/b.md")
        self.expect(all_in_contents, {**contents, "examples/02_y/main.cpp": ""}, "examples/02_y")

    def test_links_lead_somewhere(self):
        good = {"docs/README.md": "# M\n\n## Part\n\n- [a](a.md#the-end)\n", "docs/a.md": "# A\n\n## The end!\n", "cmake/folders.txt": "a:\n"}
        self.assertEqual(complaints(links_lead_somewhere, good), [])
        self.expect(links_lead_somewhere, {**good, "docs/a.md": "# A\n"}, "no anchor")
        self.expect(links_lead_somewhere, {**good, "README.md": "[b](docs/b.md)\n"}, "docs/b.md leads to no file")
        self.expect(links_lead_somewhere, {**good, "docs/a.md": "# A\n\n## The end\n\n![p](img/p.svg)\n"}, "img/p.svg leads to no file")

    def test_broken_links_sees_what_the_builder_made_wrong(self):
        tree = Tree({"a.html": '<p id="x"></p><p id="x"></p><a href="b.html">b</a><a href="#y">y</a><img src="a.html">'})
        with tree.folder:
            found = " ".join(broken_links(tree.root))
        for word in ("two anchors", "b.html leads to no file", "#y leads to no anchor", "no text in its place"):
            self.assertIn(word, found)

    def test_api_complete(self):
        self.assertEqual(complaints(api_complete, {"include/tcp/a.hpp": "// A.\n#pragma once\nnamespace tcp {\n/// One.\nint f();\n}\n"}), [])
        whole, api.header = api.header, lambda text: ([], [])
        try:
            self.expect(api_complete, {"include/tcp/a.hpp": "// A.\n#pragma once\nnamespace tcp {\n/// One.\nint f();\n}\n"}, "is lost")
        finally:
            api.header = whole


HEADER = """// What it is.
//
// More of it.
#pragma once

#include <cstdint>

/// A macro.
#define TCP_THING(x) \\
  do_it(x)

namespace tcp {

/// Adds.
/// Law: it is commutative.
constexpr int add(int a, int b = {}) {
  if (a > 0) { return b; }
  return a;  // "}" in a comment
}
constexpr int sub(int a, int b) { return a - b; }

namespace detail {
template <class T>
struct Hidden {};
}  // namespace detail

enum class Kind : std::uint8_t {
  one,  // the first
  two,
};

/// A class.
template <class T>
class Thing : public detail::Hidden<T> {
 public:
  explicit Thing(int n) : n_(n) {}
  Thing() : n_{}, more_(1) {}
  /// Counts.
  int count() const { return n_; }
  bool operator==(const Thing&) const = default;

 private:
  /// Nobody's business.
  int secret() const;
  int n_;
};

inline constexpr int table[] = {1, 2};

TCP_OTHER(more)
TCP_OTHER(most)
#undef TCP_OTHER
class After {
  using N = int;

 public:
  int shown() const;
};

struct Record {
  int a{}, b = 3;  // two
  Kind kind{Kind::one};
};

}  // namespace tcp
"""


class Reader(unittest.TestCase):
    def setUp(self):
        self.essay, self.entries = api.header(HEADER)
        self.named = {name: e for e in self.entries for name in e.names}

    def test_essay(self):
        self.assertEqual(self.essay, ["What it is.", "", "More of it."])

    def test_functions_lose_their_bodies(self):
        e = self.named["add"]
        self.assertEqual(e.doc, ["Adds.", "Law: it is commutative."])
        self.assertEqual(e.code, "constexpr int add(int a, int b = {});\nconstexpr int sub(int a, int b);\n")
        self.assertIn("sub", e.names)

    def test_classes_lose_what_is_private(self):
        code = self.named["Thing"].code
        self.assertIn("template <class T>\nclass Thing : public detail::Hidden<T> {\n  explicit Thing(int n);\n  Thing();\n  /// Counts.\n  int count() const;\n", code)
        self.assertIn("operator==", code)
        self.assertNotIn("secret", code)

    def test_the_rest(self):
        self.assertIn("one,  // the first", self.named["Kind"].code)
        self.assertEqual(self.named["table"].code, "inline constexpr int table[] = {1, 2};\n")
        self.assertEqual(self.named["TCP_THING"].code, "#define TCP_THING(x)\n")
        self.assertEqual(self.named["Record"].code, "struct Record {\n  int a{}, b = 3;  // two\n  Kind kind{Kind::one};\n};\n")
        self.assertIn("TCP_OTHER(more)\nTCP_OTHER(most)\nclass After {\n  int shown() const;\n};\n", [e.code for e in self.entries])
        self.assertTrue(self.named["Hidden"].internal)
        self.assertFalse(self.named["Kind"].internal)


if __name__ == "__main__":
    unittest.main()
