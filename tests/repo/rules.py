"""The rules that this repository keeps, one function per rule. Each takes the tree (and the build directory) and returns its complaints.

A complaint reads `file:line: what is wrong; what to do`. rules_test.py shows each rule a small tree that breaks it.
"""
import concurrent.futures
import fnmatch
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "refuse"))
import diagnostics_pages  # noqa: E402
import refuse_files  # noqa: E402

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SOURCE_SUFFIXES = {".hpp", ".cpp"}


class Tree:
    """The files of a checkout. `files` are those that git knows or would add; outside git, all of them."""

    def __init__(self, root, build=None):
        self.root = pathlib.Path(root).resolve()
        self.build = pathlib.Path(build) if build else None
        listed = self.git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        if listed is None:
            found = [p.relative_to(self.root) for p in self.root.rglob("*") if p.is_file()]
            names = [str(p) for p in found if p.parts[0] not in (".git", "build") and "__pycache__" not in p.parts]
        else:
            names = listed.split("\0")
        self.files = sorted(pathlib.Path(n) for n in names if n and (self.root / n).is_file())

    def git(self, *arguments):
        if not (self.root / ".git").exists():
            return None
        done = subprocess.run(["git", "-c", f"safe.directory={self.root}", "-C", str(self.root), *arguments], capture_output=True, text=True)
        return done.stdout if done.returncode == 0 else None

    def below(self, *folders, suffixes=SOURCE_SUFFIXES):
        """Files of these folders, as paths relative to the root."""
        return [f for f in self.files if f.suffix in suffixes and any(f.is_relative_to(folder) for folder in folders)]

    def public_headers(self):
        return self.below("include/tcp", suffixes={".hpp"})

    def text(self, file):
        return (self.root / file).read_text("utf-8", errors="replace")

    def includes(self, file):
        """(line number, "<" or '"', name) of each #include."""
        for number, line in enumerate(self.text(file).splitlines(), 1):
            m = INCLUDE.match(line)
            if m:
                yield number, m.group(1), m.group(2)

    def folder_table(self):
        """folder -> folders it may include, itself and all that those may."""
        table = {}
        for line in self.text("cmake/folders.txt").splitlines():
            if not line.strip() or line.startswith("#"):
                continue
            folder, _, edges = line.partition(":")
            table[folder] = {folder}.union(*({e} | table[e] for e in edges.split()))
        return table

    def list_file(self, file):
        """Lines of a small list in the tree, without comments; empty where there is none."""
        if not (self.root / file).exists():
            return []
        return [line.split("#")[0].strip() for line in self.text(file).splitlines() if line.split("#")[0].strip()]


def code_of(text):
    """The text without comments, and, so that words in messages are not taken for code, without the insides of string literals. Lines stay."""
    def blank(m):
        token = m.group(0)
        if token.startswith("/"):
            return "\n" * token.count("\n")
        return token[0] + token[-1] if len(token) > 1 else token
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'', blank, text, flags=re.S)


def without_comments(text):
    def blank(m):
        return "\n" * m.group(0).count("\n") if m.group(0).startswith("/") else m.group(0)
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', blank, text, flags=re.S)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def library_of(file, table):
    """The library that a file of include/tcp or src belongs to; None for the prelude."""
    parts = file.parts[2:-1] if file.parts[0] == "include" else file.parts[1:-1]
    for length in (2, 1):
        if "/".join(parts[:length]) in table and len(parts) >= length:
            return "/".join(parts[:length])
    return None


def include_edges(tree):
    """Includes point down the folder table, and public headers include nothing but the standard library and each other."""
    complaints = []
    table = tree.folder_table()
    for file in tree.below("include", "src"):
        own = library_of(file, table)
        prelude = file.parent == pathlib.Path("include/tcp")
        if own is None and not prelude:
            complaints.append(f"{file}:1: its folder is no library of cmake/folders.txt; move the file, or add the folder with the folders it may include")
            continue
        for line, kind, name in tree.includes(file):
            at = f"{file}:{line}"
            if name.startswith("tcp/"):
                if not (tree.root / "include" / name).exists():
                    complaints.append(f"{at}: there is no include/{name}; name a header that exists")
                    continue
                other = library_of(pathlib.Path("include") / name, table)
                if other is None and not prelude:
                    complaints.append(f"{at}: {own} includes the prelude {name}; include the headers it needs instead")
                elif other is not None and not prelude and other not in table[own]:
                    complaints.append(f"{at}: {own} may not include {other} (cmake/folders.txt); move the code down, or pass what it needs as a value")
            elif file.parts[0] == "include" and (kind == '"' or "/" in name or "." in name):
                complaints.append(f'{at}: a public header may include the standard library and "tcp/..." only; move the use of {name} into a .cpp')
            elif kind == '"' and (".." in name or not (tree.root / "src" / name).exists()):
                complaints.append(f'{at}: there is no src/{name}; write "tcp/..." for a public header, and the path from src for a private one')
            elif kind == '"' and library_of(pathlib.Path("src") / name, table) != own:
                complaints.append(f'{at}: src/{name} is private to another library than {own}; include a public header, or move the code')
    return complaints


GCC, CLANG = ["g++", "-std=c++20"], ["clang++-19", "-std=c++20"]
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]


def headers_alone(tree):
    """Every public header compiles on its own, without a warning, with clang; with g++, which has the same standard library and takes as long again, all of them in
    one file, in either order."""
    def compile_only(job):
        compiler, files = job
        includes = [word for file in files for word in ("-include", str(file))]
        command = [*compiler, *WARNINGS, "-fsyntax-only", "-fdiagnostics-color=never", "-I", "include", *includes, "-x", "c++", "/dev/null"]
        done = subprocess.run(command, cwd=tree.root, capture_output=True, encoding="utf-8", errors="replace")
        if done.returncode == 0:
            return None
        first = next((line for line in done.stderr.splitlines() if "error:" in line), done.stderr)
        what = f"{files[0]}:1: {' '.join(compiler)} does not accept it alone" if len(files) == 1 else f"include:1: {' '.join(compiler)} does not accept all headers in one file"
        return f"{what}: {first}; include what it uses"

    headers = tree.public_headers()
    jobs = [(GCC, headers), (GCC, headers[::-1]), *((CLANG, [file]) for file in headers)] if headers else []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return [c for c in pool.map(compile_only, jobs) if c]


LOUD = re.compile(r"\b(?:cout|cerr|clog|printf|fprintf|vprintf|puts|fputs|putchar|perror)\b|\b(?:exit|_Exit|quick_exit|abort|terminate|getenv|secure_getenv|assert)\s*\(")


# The design's exceptions: the defaults of Context::acquire(), and the line that TCP_PROGRESS asks for.
ALLOWED_LOUD = {pathlib.Path("src/runtime/environment.cpp"), pathlib.Path("src/runtime/progress.cpp")}


def libraries_silent(tree):
    """Libraries report; they never print, exit, abort or read the environment."""
    complaints = []
    for file in tree.below("include", "src", "kernels"):
        if file in ALLOWED_LOUD:
            continue
        text = code_of(tree.text(file))
        for m in LOUD.finditer(text):
            word = m.group(0).rstrip("( ")
            instead = "TCP_BUG_UNLESS, or refuse" if word == "assert" else "return a Refusal, or raise a Bug"
            complaints.append(f"{file}:{line_of(text, m.start())}: a library must not call {word}; {instead}")
    return complaints


REFUSE_CALL = re.compile(r'(?<![\w.])refuse\s*\(\s*("([^"]*)")?')


def codes_in_use(tree):
    """code -> first place that refuses with it; and complaints about calls whose code cannot be read."""
    codes, complaints = {}, []
    for file in tree.below("include", "src", "kernels", "tools"):
        text = without_comments(tree.text(file))
        for m in REFUSE_CALL.finditer(text):
            at = f"{file}:{line_of(text, m.start())}"
            if m.group(1):
                codes.setdefault(m.group(2), at)
            elif file != pathlib.Path("include/tcp/support/refusal.hpp"):  # which defines it
                complaints.append(f'{at}: refuse() is called without a literal code; write refuse("area-slug", ...) where the code is chosen, and pass the Refusal on')
    return codes, complaints


def codes_covered(tree):
    """Every refusal code has the right form, one section below tests/refuse with prose and a sentence; and no section is without its code."""
    codes, complaints = codes_in_use(tree)
    tests = {}
    for area in refuse_files.read_all(tree.root):
        place = area.path.relative_to(tree.root)
        if not area.opening:
            complaints.append(f"{place}:1: it does not open with a comment; write there what the page is about")
        for section in area.sections:
            at = f"{place}:{section.line}"
            if section.code in tests:
                complaints.append(f"{at}: the code {section.code} is tested at {tests[section.code]} too; a code has one section")
            tests[section.code] = at
            if not section.prose:
                complaints.append(f"{at}: no comment follows the heading; write there what the page shall say")
            if not section.all_expected:
                complaints.append(f"{at}: nothing expects a sentence; write // error[{section.code}] before the wrong line, and run scripts/refuse-expect")
            for sentence in section.all_expected:
                if not sentence.startswith(f"error[{section.code}]: "):
                    complaints.append(f"{at}: a sentence does not start with 'error[{section.code}]: '; name the section after its code")
            if not section.compile_time and not section.run_time:
                complaints.append(f"{at}: nothing is refused; write a kernel, REFUSED or REFUSED_AT_RUN_TIME")
            if bool(diagnostics_pages.part(section.body, "before")) != bool(diagnostics_pages.part(section.body, "after")):
                complaints.append(f"{at}: it has a kernel before or after, and not both; the page shows the mistake and its correction")
            shown = diagnostics_pages.before_and_after(section) or diagnostics_pages.command_line(section)
            if not shown and not (section.no_kernel_because or area.no_kernels_because):
                complaints.append(f"{at}: its page shows no kernel; write one before and after, or say '// no kernel: why none can cause it'")
            if diagnostics_pages.before_and_after(section) and section.no_kernel_because:
                complaints.append(f"{at}: it has a kernel, and says that none can cause it; remove the line '// no kernel: ...'")
            if section.code not in codes:
                complaints.append(f"{at}: nothing in include/, src/, kernels/ or tools/ refuses with the code {section.code}; remove the section, or mend the code")
    for code, at in codes.items():
        if not refuse_files.CODE_FORM.fullmatch(code):
            complaints.append(f"{at}: the code '{code}' is no lower-case slug with its area first; write it like 'switch-packet-too-wide'")
        elif code not in tests:
            complaints.append(f"{at}: the code {code} has no test; write a section '// # {code}' in tests/refuse/<area>.cpp")
    return complaints


def pages_current(tree):
    """docs/diagnostics is what scripts/diagnostics-pages makes of tests/refuse now."""
    complaints = []
    want = diagnostics_pages.pages(tree.root)
    folder = pathlib.Path("docs/diagnostics")
    have = {p.name for p in (tree.root / folder).glob("*")}
    for name, text in want.items():
        if name not in have:
            complaints.append(f"{folder / name}:1: the page is missing; run scripts/diagnostics-pages")
        elif tree.text(folder / name) != text:
            complaints.append(f"{folder / name}:1: the page is not what its test says now; run scripts/diagnostics-pages")
    complaints += [f"{folder / name}:1: no test makes this page; run scripts/diagnostics-pages" for name in sorted(have - want.keys())]
    return complaints


BAD_NAME_WORD = re.compile(r"(?:^|[_\-./])(fast|optimized|new|old|util|utils|manager|misc)(?=$|[_\-./])")
SNAKE_CASE = re.compile(r"[a-z0-9_]+\.(hpp|cpp)")


def file_names(tree):
    """Names say what a thing does; sources are snake_case."""
    complaints = []
    for file in tree.files:
        m = BAD_NAME_WORD.search(str(file))
        if m:
            complaints.append(f"{file}:1: '{m.group(1)}' says nothing about what it does; rename the file")
        if file.suffix in (".hpp", ".cpp") and not SNAKE_CASE.fullmatch(file.name):
            complaints.append(f"{file}:1: the name is not snake_case; rename the file")
    return complaints


COSTLY = {"string", "vector", "memory", "iostream", "functional", "ranges", "algorithm"}
RUN_TIME_HEADERS = "tests/repo/run_time_headers.txt"


def kernel_headers_light(tree):
    """What a kernel includes stays quick to compile: no costly standard header is reached, directly or through another."""
    complaints = []
    run_time = set(tree.list_file(RUN_TIME_HEADERS))
    for name in sorted(run_time):
        if not (tree.root / "include" / name).exists():
            complaints.append(f"{RUN_TIME_HEADERS}:1: include/{name} does not exist; remove the line")
    kernel = [f for f in tree.public_headers() if str(f.relative_to("include")) not in run_time]
    for file in kernel:
        for line, _, name in tree.includes(file):
            if name in run_time:
                complaints.append(f"{file}:{line}: a header that kernels include must not include {name}, which is for run time only; pass a plain value, or list this header too")
        text = code_of(tree.text(file))
        complaints += [f"{file}:{line_of(text, m.start())}: consteval cannot run at run time, and clang evaluates it too early in templates; write constexpr"
                       for m in re.finditer(r"\bconsteval\b", text)]
    if complaints or not kernel:
        return complaints
    for file in kernel:  # each on its own, to name the one that is to blame
        done = subprocess.run(["g++", "-std=c++20", "-M", "-I", "include", "-x", "c++", str(file)], cwd=tree.root, capture_output=True, text=True)
        if done.returncode:
            return [f"{file}:1: g++ -M failed: {done.stderr.splitlines()[0]}"]
        reached = {pathlib.PurePath(p).name for p in done.stdout.split() if "/c++/" in p}
        for name in sorted(reached & COSTLY):
            complaints.append(f"{file}:1: <{name}> is reached from here, which costs every kernel's compilation; use what support offers, or list the header in {RUN_TIME_HEADERS}")
    return complaints


def macros_prefixed(tree):
    """The only macros that users get from our headers are named TCP_."""
    complaints = []
    for file in tree.public_headers():
        for number, line in enumerate(tree.text(file).splitlines(), 1):
            m = re.match(r"\s*#\s*define\s+(\w+)", line)
            if m and not m.group(1).startswith("TCP_"):
                complaints.append(f"{file}:{number}: the macro {m.group(1)} leaks into users' files; write a function, or name it TCP_...")
    return complaints


TEXT_SUFFIXES = {".hpp", ".cpp", ".py", ".txt", ".cmake", ".in", ".md", ".json", ".expect", ".yml", ".svg", ""}
MARKS = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X)\b")
SLEEPING = re.compile(r"\b(?:GTEST" r"_SKIP|DISABLED" r"_\w+)|EXPECT_TRUE\(true\)")


def text_tidy(tree):
    """No tabs, no trailing blanks, one newline at the end; nothing marked as unfinished, no test that sleeps."""
    complaints = []
    for file in tree.files:
        if file.suffix not in TEXT_SUFFIXES or file.is_relative_to("tests/fuzz/corpus") or file.name == "LICENSE":
            continue
        text = tree.text(file)
        for number, line in enumerate(text.splitlines(), 1):
            at = f"{file}:{number}"
            if "\t" in line and file.name != "Makefile":
                complaints.append(f"{at}: a tab; write blanks (make format)")
            if line != line.rstrip():
                complaints.append(f"{at}: blanks at the end of the line; remove them (make format)")
            if MARKS.search(line):
                complaints.append(f"{at}: marked as unfinished; finish it, or refuse the case with a code")
            if file.is_relative_to("tests") and SLEEPING.search(line):
                complaints.append(f"{at}: a test that does not run or cannot fail; mend or remove it")
        if text and (not text.endswith("\n") or text.endswith("\n\n")):
            complaints.append(f"{file}:{text.count(chr(10)) + 1}: a file ends with one newline")
    return complaints


def laid_out(tree):
    """clang-format has nothing to change."""
    sources = [str(f) for f in tree.files if f.suffix in SOURCE_SUFFIXES]
    if not sources:
        return []
    done = subprocess.run(["clang-format-19", "--dry-run", "--Werror", "--ferror-limit=1", *sources], cwd=tree.root, capture_output=True, text=True)
    wrong = re.findall(r"^(\S+:\d+):\d+: error:", done.stderr, flags=re.M)
    if done.returncode and not wrong:
        return [f".clang-format:1: clang-format-19 failed: {done.stderr.strip()}"]
    return [f"{at}: clang-format lays this out otherwise; run make format" for at in wrong]


def tests_built(tree):
    """Every test file is part of the build: none is forgotten because its folder has no library or no entry."""
    if tree.build is None:
        raise ValueError("this rule needs the build directory")
    built = set()
    for entry in json.loads((tree.build / "compile_commands.json").read_text("utf-8")):
        file = pathlib.Path(entry["file"])
        built.add(file)
        if file.parent.name == "Unity" and file.exists():  # sources that CMake joins
            built |= {pathlib.Path(name) for name in re.findall(r'^#include "([^"]+)"', file.read_text("utf-8"), re.M)}
    complaints = []
    for file in tree.below("tests", suffixes={".cpp"}):
        if any(file.is_relative_to(f) for f in ("tests/package", "tests/fuzz", "tests/refuse/kernels")):  # built by their own compiler, or refused by it
            continue
        if tree.root / file not in built:
            complaints.append(f"{file}:1: no target builds it; a C++ test lives in tests/<unit, law or book>/<library>/, or its folder has a CMakeLists.txt")
    for folder in sorted({tree.root / "tests" / f.parts[1] for f in tree.below("tests") if len(f.parts) > 2}):
        kind = folder.name
        if not (folder / "CMakeLists.txt").exists() and f";{kind};" not in f";{kinds_listed(tree)};":
            complaints.append(f"tests/{kind}:1: TCP_TEST_KINDS in CMakeLists.txt does not name this folder; add it")
    return complaints


def kinds_listed(tree):
    m = re.search(r'TCP_TEST_KINDS "([^"]*)"', tree.text("CMakeLists.txt"))
    return m.group(1) if m else ""


def nothing_hidden(tree):
    """No file that the tree needs is hidden from git by .gitignore, so that a clone has all of it."""
    ignored = tree.git("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--", "include", "src", "kernels", "tests", "tools", "cmake", "scripts", "data", "docs", "bench")
    if ignored is None:
        return []
    return [f"{name}:1: .gitignore hides it; rename it, or mend .gitignore" for name in ignored.split("\0") if name and "__pycache__" not in name]


CLAIM_ID = re.compile(r"(?<![\w-])([A-Z]{3,5})[-_](\d{2,3})(?!\d)")
CLAIM_ROW = re.compile(r'^\| <a id="([A-Z]{3,5}-\d{2,3})"></a>\1 \|', re.M)
NO_CLAIMS = {"AVX", "CRC", "ISO", "LLAMA", "SHA", "UTF"}  # AVX-512, CRC-32, TCP_LLAMA_..., and the like


def claims_resolve(tree):
    """Every id of a claim that a file cites is a row of docs/claims, once, with an anchor, in the part of its letters."""
    complaints, rows = [], set()
    for file in tree.below("docs/claims", suffixes={".md"}):
        text = tree.text(file)
        for m in CLAIM_ROW.finditer(text):
            at = f"{file}:{line_of(text, m.start())}"
            part = (re.findall(r"^#+ ([A-Z]+): ", text[:m.start()], re.M) or ["no part"])[-1]
            if part != m[1].split("-")[0]:
                complaints.append(f"{at}: the row {m[1]} is in the part {part}; move it below the heading '{m[1].split('-')[0]}: ...'")
            if m[1] in rows:
                complaints.append(f"{at}: the row {m[1]} is there twice; keep one")
            rows.add(m[1])
    for file in tree.files:
        if file.suffix not in TEXT_SUFFIXES or file.is_relative_to("tests/fuzz/corpus") or file.is_relative_to("tests/repo"):
            continue
        text = tree.text(file)
        for m in CLAIM_ID.finditer(text):
            if m[1] not in NO_CLAIMS and f"{m[1]}-{m[2]}" not in rows:
                complaints.append(f"{file}:{line_of(text, m.start())}: {m[1]}-{m[2]} is no row of docs/claims; mend the id, or add the row")
    return complaints


def files_introduced(tree):
    """Every source opens with a comment: what the file is for."""
    complaints = []
    for file in tree.below("include", "src", "kernels", "tools", "bench", suffixes={".hpp", ".cpp", ".def"}):
        first = next((line for line in tree.text(file).splitlines() if line.strip() and line.strip() != "#pragma once"), "")
        if not re.match(r"///? \S", first):
            complaints.append(f"{file}:1: it does not open with a comment; say in a few lines what the file is for")
    return complaints


SCOPE_OR_TYPE = re.compile(r"\bnamespace\b[^{;=]*\{|\b(?:class|struct|union|enum(?:\s+class|\s+struct)?)\s+(\w+)(?:\s+final)?\s*(?::[^;{}()]*)?\{|\{|\}")
# Names that several libraries share on purpose: they mean one thing, in the form that each library has of it.
SHARED_TYPES = {
    **dict.fromkeys(["Fetch", "Contraction", "Cast", "Transpose", "Commit"], "a stage: its limits in device, its record in ir, its configuration in program"),
    **dict.fromkeys(["Command", "Pass", "Tensor", "Region", "Axis", "Range", "Memory"], "what a kernel is made of: recorded in ir, encoded in program, shown in trace"),
    "Stream": "a tensor on its way through the engines",
    "Options": "what the main function of a library takes; always written with its namespace",
    "Walk": "the loops over a memory, and the private classes that follow them",
}


def types_of(text):
    """Names of the types that a source defines in namespaces; not those inside of classes and functions, which are read with their outer name."""
    inside = []
    for m in SCOPE_OR_TYPE.finditer(text):
        if m[0] == "}":
            del inside[-1:]
        else:
            if m[1] and all(inside):
                yield m[1], m.start()
            inside.append(m[0].startswith("namespace"))


def one_meaning(tree):
    """No type name is defined by three libraries: one word, one meaning (docs/words.md)."""
    libraries, first = {}, {}
    for file in tree.below("include", "src", "kernels", "tools"):
        folder = file.parent.relative_to("include/tcp" if file.is_relative_to("include/tcp") else file.parts[0])
        library = next((name for name in sorted(tree.folder_table(), reverse=True) if folder.is_relative_to(name)), file.parts[0])
        text = re.sub(r"^[ ]*#(?:.*\\\n)*.*", lambda m: "\n" * m[0].count("\n"), code_of(tree.text(file)), flags=re.M)
        for name, at in types_of(text):
            libraries.setdefault(name, set()).add(library)
            first.setdefault(name, f"{file}:{line_of(text, at)}")
    return [f"{first[name]}: {name} is a type in {', '.join(sorted(where))}; give each a name of its own, by docs/words.md"
            for name, where in sorted(libraries.items()) if len(where) > 2 and name not in SHARED_TYPES]


COMMENT = re.compile(r"\s*///?<?(?: |$)")
COMMENT_COLUMNS = 120


def comments_readable(tree):
    """Comments start with their subject, and have at most 120 columns; drawings, which are indented, may be as wide as code."""
    complaints = []
    for file in tree.below("include", "src", "kernels", "tools", "bench", suffixes={".hpp", ".cpp", ".def"}):
        before = ""
        for number, line in enumerate(tree.text(file).splitlines(), 1):
            if COMMENT.match(line):
                if len(line) > COMMENT_COLUMNS and not re.match(r"\s*///? {2,}(?!- )\S", line):
                    complaints.append(f"{file}:{number}: the comment has {len(line)} columns; break it after {COMMENT_COLUMNS}")
                start = re.match(r"\s*///? (Of|The same)\b", line)
                if start and not COMMENT.match(before):
                    complaints.append(f"{file}:{number}: the comment begins with '{start[1]}'; begin with its subject: what the thing is or does")
            before = line
    return complaints


PLAIN_STAGE = "BranchLog"  # its name is no other thing's
FILES_OF_A_STAGE, FILES_OF_THE_PLAIN_STAGE = 16, 12  # the median over all stages, and the plain one's


def stages_in_few_files(tree):
    """CONTRIBUTING.md lists where a stage of a pass is written, and no stage needs more places than that."""
    table = pathlib.Path("include/tcp/rules/stages.def")
    if table not in tree.files:
        return []
    records = re.findall(r"^TCP_STAGE\((\w+),", tree.text(table), re.M)
    named = {record: [] for record in records}
    for file in tree.below("include", "src", "tools", suffixes=SOURCE_SUFFIXES | {".def"}):
        for word in named.keys() & set(re.findall(r"\w+", tree.text(file))):
            named[word].append(file)
    counts = sorted(len(files) for files in named.values())
    median = (counts[(len(counts) - 1) // 2] + counts[len(counts) // 2]) / 2
    complaints = []
    if median > FILES_OF_A_STAGE:
        complaints.append(f"{table}:1: half of the stages are named in {median:g} files or more; {FILES_OF_A_STAGE} are enough, let the others ask the table")
    if len(named.get(PLAIN_STAGE, [])) > FILES_OF_THE_PLAIN_STAGE:
        complaints.append(f"{table}:1: {PLAIN_STAGE} is named in {len(named[PLAIN_STAGE])} files; {FILES_OF_THE_PLAIN_STAGE} are enough")
    guide = re.search(r"^## How to add a stage\n(.*?)(?=^## |\Z)", tree.text("CONTRIBUTING.md"), re.M | re.S)
    listed = [re.sub(r"<\w+>", "*", name) for name in re.findall(r"`([\w/.<>]+\.(?:cpp|hpp|def))`", guide[1])] if guide else []
    for file in named.get(PLAIN_STAGE, []):
        if not any(fnmatch.fnmatch(str(file), pattern) for pattern in listed):
            complaints.append(f"{file}:1: it names {PLAIN_STAGE}, and 'How to add a stage' in CONTRIBUTING.md does not list it")
    return complaints


RULES = [include_edges, headers_alone, libraries_silent, codes_covered, pages_current, file_names, kernel_headers_light, macros_prefixed, text_tidy,
         laid_out, tests_built, nothing_hidden, claims_resolve, files_introduced,
         one_meaning, comments_readable, stages_in_few_files]


def main():
    import argparse
    parser = argparse.ArgumentParser(description="Checks one rule of this repository, or all.")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--build", type=pathlib.Path, default=None)
    parser.add_argument("rule", nargs="*", help="; ".join(f"{r.__name__}: {r.__doc__}" for r in RULES))
    args = parser.parse_args()
    tree = Tree(args.root, args.build)
    complaints = []
    for rule in RULES:
        if rule.__name__ in args.rule or (not args.rule and (tree.build or rule is not tests_built)):
            complaints += rule(tree)
    print("\n".join(complaints))
    print(f"{len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
