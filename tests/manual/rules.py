"""The rules of the manual, one function per rule, each returns its complaints: `file:line: what is wrong; what to do`.

rules_test.py shows each a small tree that breaks it.
"""
import argparse
import html.parser
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.M | re.S)
ID = re.compile(r"(?<![A-Za-z0-9_])([EF])[-_](\d\d)(?!\d)")
DEPARTURE = re.compile(r'^\| <a id="([EF]-\d\d)"></a>\1 \|', re.M)
# What a block of a page may be. `console` and `tcp NAME` are run (tests/golden), `sh` is run (shell.py), `cpp NAME` is compiled, `python` is run (tests/python); `tcp` alone stands in text-form.md, which has a test of its own
# (tests/unit/ir). The others are no code of ours, or are read by no machine.
KINDS = {"console", "tcp", "rust", "cpp", "python", "text", "sh", "cmake", "json", "ini", "yaml", ""}
REFUSED = re.compile(r"// error\[([\w-]+)\]")


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def book(root):
    return sorted([*(root / "docs").glob("*.md"), *(root / "docs" / "engines").glob("*.md")])


def indented_as(lines, code):
    """Whether these lines stand in the code, one behind the other, all as much further to the right."""
    first = next((line for line in lines if line.strip()), None)
    if first is None:
        return True
    skipped = lines.index(first)
    for start, line in enumerate(code):
        if line.strip() != first.strip() or start < skipped:
            continue
        shift = (len(line) - len(line.lstrip())) - (len(first) - len(first.lstrip()))
        here = code[start - skipped:start - skipped + len(lines)]
        if shift >= 0 and [" " * shift + one if one.strip() else "" for one in lines] == [one.rstrip() for one in here]:
            return True
    return False


def code_is_compiled(root):
    """Every block of C++ in docs is a part of a program of docs/code, line by line, or compiles by itself; and every program is shown somewhere."""
    complaints, shown = [], set()
    for page in book(root):
        text, place = page.read_text("utf-8"), page.relative_to(root)
        for m in BLOCK.finditer(text):
            at, words = f"{place}:{line_of(text, m.start())}", m[1].split()
            kind = words[0] if words else ""
            if kind not in KINDS:
                complaints.append(f"{at}: blocks of '{kind}' are neither run nor compiled; use one of {', '.join(sorted(k for k in KINDS if k))}")
            if kind != "cpp":
                continue
            if len(words) != 2:
                fault = compiler_says(m[2])
                complaints += [f"{at}: {fault}; or put it into docs/code/NAME.cpp, and mark the block 'cpp NAME.cpp'"] if fault else []
                continue
            source = root / "docs" / "code" / words[1]
            if not source.is_file():
                complaints.append(f"{at}: there is no docs/code/{words[1]}; name the program that the block is a part of")
                continue
            shown.add(source.name)
            if not indented_as(m[2].rstrip("\n").split("\n"), source.read_text("utf-8").split("\n")):
                complaints.append(f"{at}: these lines do not stand so in docs/code/{words[1]}; copy them from there")
    complaints += [f"docs/code/{f.name}:1: no page shows a part of it; show it, or remove it"
                   for f in sorted((root / "docs" / "code").glob("*.cpp")) if f.name not in shown]
    return complaints


def compiler_says(code):
    """What is wrong with a block that is a whole file: it compiles, or, where it has a comment `// error[CODE]`, it is refused so."""
    command = ["g++", "-std=c++20", "-fsyntax-only", "-fdiagnostics-color=never", "-I", ROOT / "include", "-x", "c++", "-"]
    done = subprocess.run(command, input=code, capture_output=True, encoding="utf-8")
    wanted = REFUSED.search(code)
    if wanted:
        return None if f"error[{wanted[1]}]" in done.stderr else f"the compiler does not refuse this with {wanted[1]}; mend the comment or the code"
    first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr)
    return f"this does not compile: {first}; mend it" if done.returncode else None


def readme_compiles(root):
    """Each block of C++ in README.md is a file that compiles, or is refused as it says, or a part of a program of docs/code."""
    text, complaints = (root / "README.md").read_text("utf-8"), []
    for m in BLOCK.finditer(text):
        words = m[1].split()
        if words[:1] != ["cpp"]:
            continue
        source = root / "docs" / "code" / words[-1]
        if len(words) == 2 and source.is_file():
            part = indented_as(m[2].rstrip("\n").split("\n"), source.read_text("utf-8").split("\n"))
            fault = None if part else f"these lines do not stand so in docs/code/{words[1]}; copy them from there"
        else:
            fault = compiler_says(m[2])
        complaints += [f"README.md:{line_of(text, m.start())}: {fault}"] if fault else []
    return complaints


def readme_figures_current(root):
    """Each row of README.md below 'How accurate it is' is a row of docs/accuracy.md, which a run writes."""
    text, page = (root / "README.md").read_text("utf-8"), (root / "docs" / "accuracy.md").read_text("utf-8").splitlines()
    part = text.partition("## How accurate it is\n")[2].partition("\n## ")[0]
    rows = [line for line in part.splitlines() if line.startswith("|")]
    line_at = {line: number for number, line in enumerate(text.splitlines(), 1)}
    complaints = [f"README.md:{line_at[row]}: docs/accuracy.md has no such row; copy it from there" for row in rows if row not in page]
    return complaints if rows else ["README.md:1: there is no table below 'How accurate it is'; add it"]


def departures_complete(root):
    """Every E- and F- number that a source, a test or a chip file names is on the page of departures, once, and the page has no gaps."""
    page = (root / "docs" / "departures.md").read_text("utf-8")
    have = DEPARTURE.findall(page)
    complaints = [f"docs/departures.md:1: {i} stands there {have.count(i)} times; keep one" for i in sorted(set(have)) if have.count(i) > 1]
    for letter in "EF":
        numbers = sorted(int(i[2:]) for i in have if i[0] == letter)
        if numbers and numbers != list(range(1, len(numbers) + 1)):
            complaints.append(f"docs/departures.md:1: the numbers of {letter} have gaps; add what is missing between 1 and {numbers[-1]}")
    for folder in ("include", "src", "tests", "data", "kernels", "tools", "examples", "docs"):
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in (".hpp", ".cpp", ".json", ".md", ".py") or "node_modules" in file.parts or file.is_relative_to(root / "tests" / "manual"):
                continue
            text = file.read_text("utf-8", errors="replace")
            complaints += [f"{file.relative_to(root)}:{line_of(text, m.start())}: {m[1]}-{m[2]} is not on docs/departures.md; add it, with what we do and why"
                           for m in ID.finditer(text) if f"{m[1]}-{m[2]}" not in have]
    return complaints


def all_in_contents(root):
    """Every page of docs, and every lesson, is reached from its table of contents."""
    contents = (root / "docs" / "README.md").read_text("utf-8")
    complaints = [f"{page.relative_to(root)}:1: docs/README.md does not link to it; add a line there" for page in book(root)
                  if page != root / "docs" / "README.md" and f"({page.relative_to(root / 'docs').as_posix()})" not in contents]
    lessons = (root / "examples" / "README.md").read_text("utf-8")
    complaints += [f"{lesson.relative_to(root)}:1: examples/README.md does not link to it; add a line there" for lesson in sorted((root / "examples").glob("[0-9][0-9]_*"))
                   if lesson.is_dir() and f"({lesson.name})" not in lessons]
    return complaints


class Page(html.parser.HTMLParser):
    """The anchors and links of a page."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.images_without_text = [], [], 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if "id" in given:
            self.ids.append(given["id"])
        self.links += [given[key] for key in ("href", "src") if given.get(key)]
        self.images_without_text += tag == "img" and not given.get("alt")


def links_lead_somewhere(root):
    """The manual can be built, and each link of each page, also in README, CONTRIBUTING and the lessons, leads to a page and an anchor that are there."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "manual"
        made = subprocess.run([sys.executable, "-B", ROOT / "scripts" / "manual", "--root", root, "-o", out], capture_output=True, encoding="utf-8")
        if made.returncode:
            return [line for line in (made.stdout + made.stderr).splitlines() if "complaints; open" not in line]
        return broken_links(out)


def broken_links(out):
    pages = {p.resolve(): Page(p.read_text("utf-8")) for p in out.rglob("*.html")}
    complaints = []
    for path, page in pages.items():
        place = path.relative_to(out.resolve())
        complaints += [f"{place}: two anchors are named {i}; rename a heading" for i in sorted({i for i in page.ids if page.ids.count(i) > 1})]
        if page.images_without_text:
            complaints.append(f"{place}: a picture has no text in its place; write ![what it shows](...)")
        for link in page.links:
            if re.match(r"[a-z]+:", link):
                continue
            target, _, anchor = link.partition("#")
            there = (path.parent / target).resolve() if target else path
            if not there.is_file():
                complaints.append(f"{place}: the link {link} leads to no file")
            elif anchor and there in pages and anchor not in pages[there].ids:
                complaints.append(f"{place}: the link {link} leads to no anchor of that page")
    return complaints


def api_complete(root):
    """Every comment `///` of a public header is on its page, unless what it describes is private."""
    sys.path.insert(0, str(ROOT / "docs" / "site"))
    import api
    complaints = []
    for header in sorted([*(root / "include").rglob("*.hpp"), *(root / "kernels").rglob("*.hpp")]):
        text = header.read_text("utf-8")
        _, entries = api.header(text)
        shown = {line.strip() for e in entries for line in [*(f"///{' ' if d else ''}{d}" for d in e.doc), *e.code.split("\n")]}
        hidden = private_lines(text)
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip().startswith("///") and line.strip() not in shown and number not in hidden:
                complaints.append(f"{header.relative_to(root)}:{number}: this comment is lost on the page of the API; mend docs/site/api.py")
    return complaints


def private_lines(text):
    """Numbers of lines that no user is meant to see: behind `private:` up to the end of the class, in front of a namespace, and in bodies of functions."""
    hidden, depth_of_private, depth = set(), None, 0
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        code = re.sub(r'//.*|"(?:[^"\\]|\\.)*"', "", line)
        if re.match(r"\s*(private|protected):", code):
            depth_of_private = depth
        elif re.match(r"\s*public:", code):
            depth_of_private = None
        depth += code.count("{") - code.count("}")
        if depth_of_private is not None and depth < depth_of_private:
            depth_of_private = None
        follows = next((other for other in lines[number:] if not other.strip().startswith("//")), "")
        if depth_of_private is not None or re.match(r"\s*(inline )?namespace\b", follows):
            hidden.add(number)
    return hidden


RULES = [code_is_compiled, readme_compiles, readme_figures_current, departures_complete, all_in_contents, links_lead_somewhere, api_complete]


def main():
    parser = argparse.ArgumentParser(description="Checks one rule of the manual, or all.")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("rule", nargs="*", help="; ".join(f"{r.__name__}: {r.__doc__}" for r in RULES))
    args = parser.parse_args()
    complaints = [c for rule in RULES if rule.__name__ in args.rule or not args.rule for c in rule(args.root.resolve())]
    print("\n".join([*complaints, f"{len(complaints)} complaints"]))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
