"""Joins the viewer's modules, its style and its page into one HTML file. Usage: bundle.py OUT

A browser loads no module from file://, so the page must carry all of them. They become one module: each after those it imports, without their import lines and
export words. That asks for one rule, which is checked: no two modules declare the same name at their outermost level.
"""
import pathlib
import re
import sys

SOURCES = pathlib.Path(__file__).resolve().parent / "src"
IMPORT = re.compile(r"^import\s*\{[^}]*\}\s*from\s*'\./([\w.]+)';\n", re.MULTILINE)
DECLARED = re.compile(r"^(?:export )?(?:async )?(?:const|let|class|function\*?) +([A-Za-z_$][\w$]*)", re.MULTILINE)


def in_order(entry):
    """The modules that the entry needs, each after what it imports."""
    done, under_way, ordered = set(), [], []

    def visit(name):
        if name in done:
            return
        if name in under_way:
            sys.exit(f"bundle: {name} imports itself by way of {' and '.join(under_way)}")
        under_way.append(name)
        text = (SOURCES / name).read_text(encoding="utf-8")
        for needed in IMPORT.findall(text):
            visit(needed)
        under_way.pop()
        done.add(name)
        ordered.append((name, text))

    visit(entry)
    return ordered


def joined(entry):
    owner, parts = {}, []
    for name, text in in_order(entry):
        for declared in DECLARED.findall(text):
            if owner.setdefault(declared, name) != name:
                sys.exit(f"bundle: {name} and {owner[declared]} both declare {declared}")
        plain = re.sub(r"^export ", "", IMPORT.sub("", text), flags=re.MULTILINE)
        if re.search(r"^(import|export)\b", plain, re.MULTILINE):
            sys.exit(f"bundle: {name} has an import or export of another form than import {{ a }} from './b.js' and export in front of a declaration")
        parts.append(plain)
    return "\n".join(parts)


def shortened(script):
    """Without comments that have a line to themselves, and without indents: a page carries what runs. No text of ours goes over several lines."""
    if any(line.count("`") % 2 for line in script.split("\n")):
        sys.exit("bundle: a text in back quotes goes over several lines; its indent would be lost")
    lines = (line.strip() for line in script.split("\n"))
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def main():
    page = (SOURCES / "page.html").read_text(encoding="utf-8")
    for mark, text in (("/*style*/", (SOURCES / "page.css").read_text(encoding="utf-8")), ("/*script*/", shortened(joined("main.js")))):
        if page.count(mark) != 1:
            sys.exit(f"bundle: page.html needs {mark} once")
        page = page.replace(mark, text)
    out = pathlib.Path(sys.argv[1])
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
