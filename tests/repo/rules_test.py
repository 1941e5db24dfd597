#!/usr/bin/env python3
"""Shows each rule a small tree that keeps it and small trees that break it: a rule that cannot fail is no rule."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import rules

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "refuse"))
import compile_time  # noqa: E402
import diagnostics_pages  # noqa: E402
import refuse_files  # noqa: E402

REFUSING = '#pragma once\ninline int f() { return refuse("low-too-deep", at); }\n'
SENTENCE = "error[low-too-deep]: it is 9 deep; help: write 8"
TEST_OF_IT = f"""// What the low area is about.
#include "refuse_test.hpp"
using namespace tcp;

// # low-too-deep
// The rule, in prose.
namespace low_too_deep {{
TCP_AXES(A = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx) {{
  return ctx
      // {SENTENCE}
      .f(9);
}}
auto after(Context& ctx) {{ return ctx.f(8); }}
#endif
REFUSED(check_f(9));
}}  // namespace low_too_deep
"""


class RuleTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = pathlib.Path(holder.name).resolve()
        self.write("cmake/folders.txt", "# comment\nlow:\nmiddle: low\nside: low\nhigh/part: middle\n")
        self.write("include/tcp/low/low.hpp", "#pragma once\n#include <cstdint>\n")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def accepts(self, rule, build=None):
        self.assertEqual(rule(rules.Tree(self.root, build)), [])

    def refuses(self, rule, *words, build=None):
        complaints = rule(rules.Tree(self.root, build))
        self.assertEqual(len(complaints), 1, complaints)
        for word in words:
            self.assertIn(word, complaints[0])
        self.assertRegex(complaints[0], r"^\S+:\d+: ")

    def git(self, *arguments):
        subprocess.run(["git", "-C", str(self.root), *arguments], check=True, capture_output=True)


class IncludeEdges(RuleTest):
    def test_down_the_table_is_fine_over_several_steps(self):
        self.write("include/tcp/high/part/top.hpp", '#include "tcp/low/low.hpp"\n')
        self.write("src/middle/a.cpp", '#include "tcp/low/low.hpp"\n#include <fmt/core.h>\n#include "middle/part/beside.hpp"\n')
        self.write("src/middle/part/beside.hpp", "#pragma once\n")
        self.write("include/tcp/all.hpp", '#include "tcp/high/part/top.hpp"\n')
        self.accepts(rules.include_edges)

    def test_up_the_table(self):
        self.write("include/tcp/middle/middle.hpp", "#pragma once\n")
        self.write("src/low/a.cpp", '\n#include "tcp/middle/middle.hpp"\n')
        self.refuses(rules.include_edges, "src/low/a.cpp:2:", "low may not include middle")

    def test_across_the_table(self):
        self.write("include/tcp/side/side.hpp", "#pragma once\n")
        self.write("include/tcp/middle/middle.hpp", '#include <tcp/side/side.hpp>\n')
        self.refuses(rules.include_edges, "middle may not include side")

    def test_the_prelude_from_within(self):
        self.write("include/tcp/all.hpp", "#pragma once\n")
        self.write("include/tcp/middle/middle.hpp", '#include "tcp/all.hpp"\n')
        self.refuses(rules.include_edges, "prelude")

    def test_a_folder_outside_the_table(self):
        self.write("src/stray/a.cpp", "\n")
        self.refuses(rules.include_edges, "src/stray/a.cpp:1:", "cmake/folders.txt")

    def test_a_third_party_in_a_public_header(self):
        self.write("include/tcp/middle/middle.hpp", "#include <nlohmann/json.hpp>\n")
        self.refuses(rules.include_edges, "nlohmann/json.hpp", "move the use")

    def test_a_header_that_is_not_there(self):
        self.write("include/tcp/middle/middle.hpp", '#include "tcp/low/gone.hpp"\n')
        self.refuses(rules.include_edges, "no include/tcp/low/gone.hpp")

    def test_a_private_header_of_another_library(self):
        self.write("src/low/private.hpp", "\n")
        self.write("src/middle/a.cpp", '#include "low/private.hpp"\n')
        self.refuses(rules.include_edges, "src/middle/a.cpp:1:", "private to another library than middle")

    def test_a_private_header_by_another_path(self):
        self.write("src/middle/private.hpp", "\n")
        for name in ("private.hpp", "../middle/private.hpp", "low/../middle/private.hpp"):
            self.write("src/middle/a.cpp", f'#include "{name}"\n')
            self.refuses(rules.include_edges, "src/middle/a.cpp:1:", "the path from src")


class HeadersAlone(RuleTest):
    def test_whole(self):
        self.accepts(rules.headers_alone)

    def test_one_that_leans_on_its_includer(self):
        self.write("include/tcp/low/a.hpp", "#pragma once\n#include <cstddef>\n")
        self.write("include/tcp/low/z.hpp", "#pragma once\ninline std::size_t f() { return 0; }\n")
        complaints = rules.headers_alone(rules.Tree(self.root))
        self.assertEqual(len(complaints), 2, complaints)
        self.assertRegex(complaints[0], r"^include:1: g\+\+ .* all headers in one file: ")  # z before a
        self.assertRegex(complaints[1], r"^include/tcp/low/z\.hpp:1: clang\+\+-19 .* alone: ")

    def test_one_with_a_warning(self):
        self.write("include/tcp/low/low.hpp", "#pragma once\ninline int f(long x) { return x; }\n")
        complaints = rules.headers_alone(rules.Tree(self.root))
        self.assertEqual(len(complaints), 3, complaints)
        self.assertTrue(all("-Werror" in complaint or "[-W" in complaint for complaint in complaints), complaints)


class LibrariesSilent(RuleTest):
    def test_words_in_comments_messages_and_longer_names(self):
        self.write("src/low/a.cpp", '// never abort() here\n/* exit(1)\n */\nconst char* s = "printf(x); exit(1)";\nint y = my_exit(2) + static_assert_(1);\nstatic_assert(true);\n')
        self.accepts(rules.libraries_silent)

    def test_each_way_to_be_loud(self):
        for call in ("std::cout << 1;", "std::cerr << 1;", "printf(\"\");", "std::puts(\"\");", "exit (1);", "std::abort();", "getenv(\"A\");", "assert(x);"):
            with self.subTest(call):
                self.write("src/low/a.cpp", f"\n\n{call}\n")
                self.refuses(rules.libraries_silent, "src/low/a.cpp:3:")


class CodesCovered(RuleTest):
    def setUp(self):
        super().setUp()
        self.write("include/tcp/low/low.hpp", REFUSING)
        self.write("tests/refuse/low.cpp", TEST_OF_IT)

    def test_covered(self):
        self.accepts(rules.codes_covered)

    def test_a_code_in_a_comment_is_none(self):
        self.write("src/low/a.cpp", '// return refuse("low-example", at)\n')
        self.accepts(rules.codes_covered)

    def test_a_code_without_a_test(self):
        self.write("src/low/a.cpp", '\nauto r = refuse(\n    "low-other", at);\n')
        self.refuses(rules.codes_covered, "src/low/a.cpp:2:", "low-other has no test")

    def test_a_code_of_bad_form(self):
        self.write("src/low/a.cpp", 'auto r = refuse("Low_Other", at);\n')
        self.refuses(rules.codes_covered, "slug")

    def test_a_code_that_cannot_be_read(self):
        self.write("src/low/a.cpp", "auto r = refuse(code, at);\n")
        self.refuses(rules.codes_covered, "without a literal code")

    def test_a_test_without_its_code(self):
        self.write("include/tcp/low/low.hpp", "#pragma once\n")
        self.refuses(rules.codes_covered, "nothing in include/, src/, kernels/ or tools/", "low-too-deep")

    def test_a_code_tested_twice(self):
        self.write("tests/refuse/side.cpp", TEST_OF_IT)
        self.refuses(rules.codes_covered, "side.cpp:5:", "a code has one section")

    def test_no_expectation(self):
        self.write("tests/refuse/low.cpp", TEST_OF_IT.replace("// " + SENTENCE, ""))
        self.refuses(rules.codes_covered, "low.cpp:5:", "scripts/refuse-expect")

    def test_an_expectation_of_another_code(self):
        self.write("tests/refuse/low.cpp", TEST_OF_IT.replace("error[low-too-deep]", "error[low-too-wide]"))
        self.refuses(rules.codes_covered, "name the section after its code")

    def test_no_prose(self):
        self.write("tests/refuse/low.cpp", TEST_OF_IT.replace("// The rule, in prose.\n", ""))
        self.refuses(rules.codes_covered, "no comment follows the heading")

    def test_no_opening(self):
        self.write("tests/refuse/low.cpp", TEST_OF_IT.partition("\n")[2])
        self.refuses(rules.codes_covered, "does not open with a comment")

    def test_a_kernel_that_is_not_corrected(self):
        self.write("tests/refuse/low.cpp", TEST_OF_IT.replace("auto after(Context& ctx) { return ctx.f(8); }\n", ""))
        self.refuses(rules.codes_covered, "low.cpp:5:", "and not both")

    def test_nothing_is_refused(self):
        text = TEST_OF_IT.replace("REFUSED(check_f(9));\n", "").replace("#if TCP_AT_COMPILE_TIME\n", "").replace("#endif\n", "")
        self.write("tests/refuse/low.cpp", text)
        self.refuses(rules.codes_covered, "nothing is refused")


class PagesCurrent(RuleTest):
    def setUp(self):
        super().setUp()
        self.write("tests/refuse/low.cpp", TEST_OF_IT)
        for name, text in diagnostics_pages.pages(self.root).items():
            self.write(f"docs/diagnostics/{name}", text)

    def test_current(self):
        self.accepts(rules.pages_current)

    def test_a_changed_test(self):
        self.write("tests/refuse/low.cpp", TEST_OF_IT.replace("in prose", "in other words"))
        (self.root / "docs/diagnostics/README.md").write_text(diagnostics_pages.pages(self.root)["README.md"])
        self.refuses(rules.pages_current, "low.md:1:", "scripts/diagnostics-pages")

    def test_a_missing_page(self):
        (self.root / "docs/diagnostics/low.md").unlink()
        self.refuses(rules.pages_current, "missing")

    def test_a_page_without_a_test(self):
        self.write("docs/diagnostics/gone.md", "# gone\n")
        self.refuses(rules.pages_current, "gone.md:1:", "no test makes this page")

    def test_what_a_page_says(self):
        page = diagnostics_pages.pages(self.root)["low.md"]
        for part in ("# low\n\nWhat the low area is about.\n", "\n## low-too-deep\n", SENTENCE, "The rule, in prose.",
                     "Before:\n\n```cpp\nTCP_AXES(A = 8);\nauto before(Context& ctx) {\n  return ctx\n      // error[low-too-deep]\n      .f(9);\n}\n```\n",
                     "After:\n\n```cpp\nauto after(Context& ctx) { return ctx.f(8); }\n```\n"):
            self.assertIn(part, page)
        for scaffolding in ("refuse_test.hpp", "TCP_AT_COMPILE_TIME", "REFUSED", "check_f"):
            self.assertNotIn(scaffolding, page)
        self.assertIn("| [low-too-deep](low.md#low-too-deep) | `it is 9 deep` |", diagnostics_pages.pages(self.root)["README.md"])

    def test_a_kernel_in_text_form(self):
        self.write("tests/refuse/low.cpp", '// Low.\n// # low-too-deep\n// Prose.\n// run time only: text is read at run time\nnamespace low_too_deep {\n'
                   f'constexpr const char* before = R"(\nmove a -> b\n)";\nconstexpr const char* after = R"(\nmove a -> c\n)";\n// {SENTENCE}\n'
                   'REFUSED_AT_RUN_TIME { return refused(before); }\nACCEPTED_AT_RUN_TIME { return accepted(after); }\n}  // namespace low_too_deep\n')
        page = diagnostics_pages.pages(self.root)["low.md"]
        self.assertIn("At run time only: text is read at run time\n", page)
        self.assertIn("Before:\n\n```text\nmove a -> b\n```\n\nAfter:\n\n```text\nmove a -> c\n```\n", page)
        self.assertNotIn("refused(", page)

    def test_a_section_without_a_kernel(self):
        self.write("tests/refuse/low.cpp", '// Low.\n// # low-too-deep\n// Prose.\n// run time only: files are read at run time\nnamespace low_too_deep {\n'
                   f'// {SENTENCE}\nREFUSED_AT_RUN_TIME {{ return load("x"); }}\n}}  // namespace low_too_deep\n')
        self.assertIn('What causes it:\n\n```cpp\nload("x");\n```\n', diagnostics_pages.pages(self.root)["low.md"])

    def test_why_a_page_shows_no_kernel(self):
        self.write("src/low/a.cpp", 'auto r = refuse("low-too-deep", at);\n')

        def written(area, section):
            self.write("tests/refuse/low.cpp", f'// Low.\n{area}// # low-too-deep\n// Prose.\n{section}namespace low_too_deep {{\n'
                       f'// {SENTENCE}\nREFUSED(check_f(9));\n}}  // namespace low_too_deep\n')
        written("", "")
        self.refuses(rules.codes_covered, "tests/refuse/low.cpp:2:", "shows no kernel")
        written("", "// no kernel: f is called by others\n")
        self.accepts(rules.codes_covered)
        self.assertIn("No kernel causes it: f is called by others.\n", diagnostics_pages.pages(self.root)["low.md"])
        written("// no kernels: all of them are files\n", "")
        self.accepts(rules.codes_covered)
        page = diagnostics_pages.pages(self.root)["low.md"]
        self.assertIn("Low.\n\nNo kernel causes these errors: all of them are files.\n", page)
        self.assertNotIn("No kernel causes it", page)


class FileNames(RuleTest):
    def test_words_within_words_are_fine(self):
        self.write("src/low/fold_breakfast_renewal.cpp", "\n")
        self.accepts(rules.file_names)

    def test_words_that_say_nothing(self):
        for name in ("src/low/fast_path.cpp", "src/util/a.cpp", "docs/old-notes.md", "src/low/route_new.cpp", "misc.txt"):
            with self.subTest(name):
                self.write(name, "\n")
                self.refuses(rules.file_names, name)
                (self.root / name).unlink()

    def test_camel_case(self):
        self.write("src/low/FoldAxis.cpp", "\n")
        self.refuses(rules.file_names, "snake_case")


class KernelHeadersLight(RuleTest):
    def test_light(self):
        self.accepts(rules.kernel_headers_light)

    def test_costly_itself(self):
        self.write("include/tcp/low/low.hpp", "#pragma once\n#include <vector>\n")
        self.refuses(rules.kernel_headers_light, "low.hpp:1:", "<vector>")

    def test_costly_through_the_standard_library(self):
        self.write("include/tcp/low/low.hpp", "#pragma once\n#include <stdexcept>\n")
        self.refuses(rules.kernel_headers_light, "<string>")

    def test_listed_as_run_time_only(self):
        self.write("include/tcp/low/low.hpp", "#pragma once\n#include <vector>\n")
        self.write(rules.RUN_TIME_HEADERS, "# why\ntcp/low/low.hpp\n")
        self.accepts(rules.kernel_headers_light)

    def test_a_run_time_header_in_a_kernel_header(self):
        self.write(rules.RUN_TIME_HEADERS, "tcp/low/low.hpp\n")
        self.write("include/tcp/middle/middle.hpp", '#pragma once\n#include "tcp/low/low.hpp"\n')
        self.refuses(rules.kernel_headers_light, "middle.hpp:2:", "for run time only")

    def test_a_list_that_names_nothing(self):
        self.write(rules.RUN_TIME_HEADERS, "tcp/low/gone.hpp\n")
        self.refuses(rules.kernel_headers_light, "tcp/low/gone.hpp does not exist")

    def test_consteval(self):
        self.write("include/tcp/low/low.hpp", "#pragma once\nconsteval int f() { return 0; }\n")
        self.refuses(rules.kernel_headers_light, "low.hpp:2:", "constexpr")


class MacrosPrefixed(RuleTest):
    def test_ours(self):
        self.write("include/tcp/low/low.hpp", "#pragma once\n#define TCP_AXES(...)\n")
        self.accepts(rules.macros_prefixed)

    def test_a_plain_name(self):
        self.write("include/tcp/low/low.hpp", "#pragma once\n#  define AXES(...)\n")
        self.refuses(rules.macros_prefixed, "low.hpp:2:", "AXES")


class TextTidy(RuleTest):
    def test_tidy(self):
        self.write("Makefile", "all:\n\techo\n")
        self.accepts(rules.text_tidy)

    def test_each_untidiness(self):
        for text, line in (("a\n\tb\n", 2), ("a \n", 1), ("a", 1), ("a\n\n", 3), ("// TO" "DO: b\n", 1)):
            with self.subTest(text):
                self.write("src/low/a.cpp", text)
                self.refuses(rules.text_tidy, f"src/low/a.cpp:{line}:")

    def test_a_sleeping_test(self):
        self.write("tests/unit/low/a_test.cpp", "TEST(A, DISABLED" "_b) {}\n")
        self.refuses(rules.text_tidy, "does not run")


class LaidOut(RuleTest):
    def setUp(self):
        super().setUp()
        self.write(".clang-format", "BasedOnStyle: Google\n")

    def test_laid_out(self):
        self.accepts(rules.laid_out)

    def test_not(self):
        self.write("src/low/a.cpp", "int  f( ){return 1;}\n")
        self.refuses(rules.laid_out, "src/low/a.cpp:1:", "make format")


class TestsBuilt(RuleTest):
    def setUp(self):
        super().setUp()
        self.write("CMakeLists.txt", 'set(TCP_TEST_KINDS "unit;law" CACHE STRING "")\n')
        self.write("tests/unit/low/a_test.cpp", "\n")
        self.write("build/compile_commands.json", json.dumps([{"file": str(self.root / "tests/unit/low/a_test.cpp")}]))

    def test_built(self):
        self.accepts(rules.tests_built, build=self.root / "build")

    def test_a_folder_without_a_library(self):
        self.write("tests/law/nowhere/b_test.cpp", "\n")
        self.refuses(rules.tests_built, "tests/law/nowhere/b_test.cpp:1:", "no target builds it", build=self.root / "build")

    def test_a_kind_that_nobody_lists(self):
        self.write("tests/package/x/c_test.cpp", "\n")
        self.refuses(rules.tests_built, "tests/package:1:", "TCP_TEST_KINDS", build=self.root / "build")


class NothingHidden(RuleTest):
    def test_hidden(self):
        self.git("init", "-q")
        self.write(".gitignore", "low*\n/build/\n__pycache__/\n")
        self.write("tests/__pycache__/a.pyc", "")
        self.refuses(rules.nothing_hidden, "include/tcp/low", ".gitignore hides it")

    def test_nothing_hidden(self):
        self.git("init", "-q")
        self.write(".gitignore", "/build/\n")
        self.write("build/a.hpp", "\n")
        self.accepts(rules.nothing_hidden)
        self.assertNotIn(pathlib.Path("build/a.hpp"), rules.Tree(self.root).files)


class CompileTimeDriver(unittest.TestCase):
    """The judge of tests/refuse/compile_time.py, on what compilers really printed."""

    sentence = "error[low-too-deep]: it's \"nine\" deep m![A / 8 # 256] and some more; help: write 8"
    gcc = "a.cpp:1:2: error: ‘tcp::REFUSED<tcp::Text{\"error[low-too-deep]: it\\'s \\\"nine\\\" deep m![A / 8 # 256] and some more; help: write 8\", 82}> see_sentence’ has incomplete type\n"
    clang20 = ("a.cpp:1:2: error: static assertion failed due to requirement '::tcp::detail::accepted<tcp::REFUSED<tcp::detail::Piece<31>{\"error[low-too-deep]: it\\'s\"}, "
               "tcp::detail::Piece<37>{\"\\\"nine\\\" deep\"}, tcp::detail::Piece<3>{\"m![A / 8 # 256] and some more; he\"}, tcp::detail::Piece<3>{\"lp: write 8\"}>>'\n")
    clang26 = "a.cpp:1:2: error: static assertion failed due to requirement 'tcp_sentence.n == 0': error[low-too-deep]: it's \"nine\" deep m![A / 8 # 256] and some more; help: write 8\n"

    def complaints(self, output, sentence):
        return [text for _, text in compile_time.judge(output, [refuse_files.Expectation(1, 1, sentence, 1)], "a.cpp")]

    def test_the_sentence_as_each_compiler_shows_it(self):
        for output in (self.gcc, self.clang20, self.clang26):
            with self.subTest(output):
                self.assertEqual(self.complaints(output, self.sentence), [])

    def test_another_sentence(self):
        for output in (self.gcc, self.clang20, self.clang26):
            for other in (self.sentence.replace("some", "no"), self.sentence + " more", self.sentence[:-1]):
                with self.subTest(output + other):
                    self.assertIn("it says: ", self.complaints(output, other)[0])

    def test_what_is_no_refusal(self):
        self.assertIn("it compiles", self.complaints("", self.sentence)[0])
        self.assertIn("no refusal", self.complaints("a.cpp:1:2: error: expected ';'\n", self.sentence)[0])

    def test_a_refusal_after_another_error(self):
        self.assertIn("not the first error", self.complaints("a.cpp:1:2: error: expected ';'\n" + self.clang26, self.sentence)[0])

    def test_two_sentences(self):
        self.assertIn("it says: ", self.complaints(self.gcc + self.gcc.replace("8", "7"), self.sentence)[0])

    def test_an_error_in_another_line(self):
        self.assertEqual(len(self.complaints(self.gcc + self.gcc.replace("a.cpp:1:", "a.cpp:2:"), self.sentence)), 1)
        self.assertIn("no comment announces", self.complaints(self.gcc + self.gcc.replace("a.cpp:1:", "a.cpp:2:"), self.sentence)[0])

    def test_errors_of_headers_count_where_they_are_asked_for(self):
        inside = self.clang26.replace("a.cpp:1:2", "b.hpp:7:2")
        self.assertEqual(self.complaints(inside + "a.cpp:1:5: note: in instantiation of function template f\n", self.sentence), [])
        self.assertEqual(self.complaints("a.cpp:1:5:   required from here\n" + self.gcc.replace("a.cpp:1:2", "b.hpp:7:2"), self.sentence), [])

    def test_numbers_instead_of_text(self):
        numbers = self.clang20.replace('{"\\"nine\\" deep"}', "{{34, 113, ...}}")
        self.assertTrue(self.complaints(numbers, self.sentence))

    def test_too_many_lines(self):
        self.assertIn("at most", self.complaints(self.gcc + "note\n" * 40, self.sentence)[0])

    def test_kernels_may_expect_other_errors(self):
        self.assertIsNone(compile_time.complaint("no member named f in T", ["a.cpp:1:2: error: no member named 'f' in 'tcp::T<int>'"]))
        self.assertIn("it says", compile_time.complaint("no member named f in T", ["a.cpp:1:2: error: no member named 'g' in 'tcp::T<int>'"]))
        self.assertIsNone(compile_time.complaint("static assertion: begins in DM", ["a.cpp:1:2: error: static assertion failed: a pass begins in DM"]))


class ClaimsResolve(RuleTest):
    def setUp(self):
        super().setUp()
        self.write("docs/claims/seq.md", '# Moving\n\n## SEQ: loops\n\n| <a id="SEQ-07"></a>SEQ-07 | a loop | 8 steps |\n')

    def test_cited_rows_that_are_there(self):
        self.write("tests/book/low/a_test.cpp", "// SEQ-07, with AVX-512\nTEST(Sequence, SEQ_07_steps) {}\n")
        self.write("src/low/a.cpp", "constexpr int kSEQ_99 = 1, BSEQ_9999 = 2;\n")
        self.accepts(rules.claims_resolve)

    def test_an_id_without_a_row(self):
        self.write("src/low/a.cpp", "// as SEQ-08 says\n")
        self.refuses(rules.claims_resolve, "src/low/a.cpp:1", "SEQ-08 is no row")

    def test_a_test_named_by_no_row(self):
        self.write("tests/book/low/a_test.cpp", "TEST(Fetch, FET_01_sizes) {}\n")
        self.refuses(rules.claims_resolve, "FET-01 is no row")

    def test_rows_have_one_page_and_their_own_anchor(self):
        self.write("docs/claims/fet.md", '# FET: fetch\n| <a id="SEQ-08"></a>SEQ-08 | a | b |\n')
        self.refuses(rules.claims_resolve, "docs/claims/fet.md:2", "is in the part FET")
        self.write("docs/claims/fet.md", "| FET-01 | a row without an anchor | b |\n")
        self.refuses(rules.claims_resolve, "docs/claims/fet.md:1", "FET-01 is no row")

    def test_a_row_that_is_there_twice(self):
        self.write("docs/claims/seq.md", '# SEQ: loops\n' + '| <a id="SEQ-07"></a>SEQ-07 | a | b |\n' * 2)
        self.refuses(rules.claims_resolve, "docs/claims/seq.md:3", "twice")


class FilesIntroduced(RuleTest):
    def setUp(self):
        super().setUp()
        self.write("include/tcp/low/low.hpp", "// Things that are low.\n#pragma once\n")

    def test_a_comment_first(self):
        self.write("src/low/a.cpp", "// Makes them lower.\n#include <cstdint>\n")
        self.write("tests/unit/low/a_test.cpp", "#include <cstdint>\n")
        self.accepts(rules.files_introduced)

    def test_code_first(self):
        self.write("src/low/a.cpp", "#include <cstdint>\n// Makes them lower.\n")
        self.refuses(rules.files_introduced, "src/low/a.cpp:1", "does not open with a comment")

    def test_an_empty_comment(self):
        self.write("bench/a.cpp", "//\nint a;\n")
        self.refuses(rules.files_introduced, "bench/a.cpp:1")


class OneMeaning(RuleTest):
    def setUp(self):
        super().setUp()
        self.write("src/low/a.cpp", "namespace tcp::low {\nnamespace {\nstruct Piece {};\n}\n}\n")
        self.write("include/tcp/middle/a.hpp", "namespace tcp::middle {\nclass Piece final : public Base<int> {};\n}\n")

    def test_two_libraries_may_share_a_name(self):
        self.write("src/middle/b.cpp", "struct Piece { int a; };\n")
        self.accepts(rules.one_meaning)

    def test_three_may_not(self):
        self.write("src/high/part/a.cpp", "namespace tcp::high {\nenum class Piece : int { one };\n}\n")
        self.refuses(rules.one_meaning, "include/tcp/middle/a.hpp:2", "high/part, low, middle", "docs/words.md")

    def test_types_inside_of_others_are_their_own(self):
        self.write("src/side/a.cpp", "class Whole {\n  struct Piece {};\n};\nvoid f() { struct Piece {}; }\nstruct Piece;  // struct Piece {\n")
        self.accepts(rules.one_meaning)

    def test_records_of_one_thing(self):
        for folder in ("low", "middle", "side"):
            self.write(f"src/{folder}/c.cpp", "struct Commit {};\n")
        self.accepts(rules.one_meaning)


class CommentsReadable(RuleTest):
    def test_comments_as_they_should_be(self):
        self.write("src/low/a.cpp", "/// The sum " + "x" * 105 + ".\n/// Of the rest, nothing.\nint a = " + "1" * 125 + ";  // The same again\n")
        self.write("src/low/b.cpp", "// A drawing:\n//   " + "x" * 125 + "\n")
        self.accepts(rules.comments_readable)

    def test_a_wide_comment(self):
        self.write("src/low/a.cpp", "// First.\n  /// " + "x" * 120 + "\n")
        self.refuses(rules.comments_readable, "src/low/a.cpp:2", "126 columns")

    def test_a_wide_entry_of_a_list(self):
        self.write("src/low/a.cpp", "//   - " + "x" * 120 + "\n")
        self.refuses(rules.comments_readable, "src/low/a.cpp:1", "127 columns")

    def test_a_comment_without_its_subject(self):
        self.write("src/low/a.cpp", "int a;\n/// Of a command.\nint b;\n")
        self.refuses(rules.comments_readable, "src/low/a.cpp:2", "'Of'")
        self.write("src/low/a.cpp", "int a;\n// The same for b.\nint b;\n")
        self.refuses(rules.comments_readable, "src/low/a.cpp:2", "'The same'")


class Stages(RuleTest):
    def setUp(self):
        super().setUp()
        self.write("include/tcp/rules/stages.def", "TCP_STAGE(BranchLog, a, b)\n")
        self.write("CONTRIBUTING.md", "## How to add a stage\n\n`include/tcp/rules/stages.def`, `src/sim/<engine>.cpp`\n\n## Rules\n`src/other.cpp`\n")

    def test_files_that_are_listed(self):
        self.write("src/sim/vector.cpp", "// BranchLog\n")
        self.accepts(rules.stages_in_few_files)

    def test_a_file_that_is_not_listed(self):
        self.write("src/other.cpp", "// BranchLog\n")
        self.refuses(rules.stages_in_few_files, "src/other.cpp", "does not list it")

    def test_too_many_files(self):
        for i in range(13):
            self.write(f"src/sim/engine{i}.cpp", "// BranchLog\n")
        self.refuses(rules.stages_in_few_files, "14 files")


class RefuseFiles(RuleTest):
    def test_the_parts_of_a_file(self):
        self.write("tests/refuse/low.cpp", TEST_OF_IT)
        [area] = refuse_files.read_all(self.root)
        self.assertEqual((area.name, area.opening), ("low", "What the low area is about."))
        [section] = area.sections
        self.assertEqual((section.area, section.code, section.prose, section.line), ("low", "low-too-deep", "The rule, in prose.", 5))
        self.assertTrue(section.compile_time and section.run_time)
        self.assertEqual(refuse_files.split_sentence(section.expected), ("it is 9 deep", "write 8"))

    def test_what_the_compilers_are_to_say(self):
        found = refuse_files.expectations(TEST_OF_IT)
        self.assertEqual([(e.line, e.text) for e in found], [(13, SENTENCE), (17, SENTENCE)])

    def test_a_statement_of_several_lines(self):
        [e] = refuse_files.expectations("// error[a-b]: c\nREFUSED(f(1,\n          2));\n")
        self.assertEqual((e.line, e.last), (2, 3))

    def test_what_is_refused_at_run_time_only(self):
        self.assertEqual(refuse_files.expectations("// error[a-b]: c\nREFUSED_AT_RUN_TIME { return f(); }\n"), [])


if __name__ == "__main__":
    unittest.main()
