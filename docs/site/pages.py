"""From Markdown to pages: headings get anchors, links go to the pages that their files become, code is coloured.

Pages keep the paths of their files: docs/hello.md becomes docs/hello.html, a README.md the index.html of its folder, any other file X that a page links to X.html. So a
link that is right in the repository is right in the manual. Whatever leads nowhere is a complaint.
"""
import html
import os
import pathlib
import re
import subprocess

HEADING = re.compile(r"<h([1-6])>(.*?)</h\1>", re.S)
CODE = re.compile(r'<pre><code(?: class="language-([\w+-]+)")?(?: data-meta="([^"]*)")?>(.*?)</code></pre>', re.S)
LINK = re.compile(r'(<(?:a|img)\b[^>]*?\b(?:href|src)=")([^"]*)(")')
LEDGER_CELL = re.compile(r"<td>([EF]-\d\d|[A-Z]{3,5}-\d{2,3})</td>")
LEDGER_ID = re.compile(r"\b(?:[EF]-\d\d|[A-Z]{3,5}-\d{2,3})\b")
LEDGER_ROW = re.compile(r'^\| <a id="([A-Z]+-\d+)"></a>', re.M)
DEPARTURES = pathlib.PurePosixPath("docs/departures.md")
CLAIMS = pathlib.PurePosixPath("docs/claims")
FINDINGS = pathlib.PurePosixPath("docs/findings/README.md")  # each section becomes a page of its own
WORDS = {
    "cpp": r"alignas|auto|bool|break|case|catch|char|class|concept|const|constexpr|continue|default|do|double|else|enum|explicit|false|final|float|for|friend|if|inline"
           r"|int|long|mutable|namespace|new|noexcept|nullptr|operator|private|public|requires|return|short|sizeof|static|static_assert|struct|switch|template|this|throw"
           r"|true|try|typename|union|unsigned|using|virtual|void|volatile|while",
    "tcp": r"module|axes|argument|result|hbm|dm|trf|vrf|spm|host|using|at|move|gather|scatter|memset|where|table|region|in|results|arguments",
    "rust": r"as|async|await|break|const|continue|crate|else|enum|extern|false|fn|for|if|impl|in|let|loop|macro_rules|match|mod|move|mut|pub|ref|return|self|static|struct|super"
            r"|trait|true|type|unsafe|use|where|while",
    "cmake": r"find_package|target_link_libraries|add_executable|add_subdirectory|REQUIRED|PRIVATE|project|cmake_minimum_required",
    "json": r"true|false|null",
}
TOKEN = {lang: re.compile(r'(?P<comment>//[^\n]*|/\*.*?\*/' + ("|#[^\n]*" if lang == "cmake" else "") + r')|(?P<text>"(?:[^"\\\n]|\\.)*")|(?P<word>\b(?:' + words + r')\b)', re.S)
         for lang, words in WORDS.items()}


def slug(heading):
    """The anchor that GitHub gives a heading."""
    text = html.unescape(re.sub(r"<[^>]*>", "", heading)).lower()
    return re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-")


def plain(fragment):
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", fragment))).strip()


def coloured(code, lang):
    """Of escaped code, quotes excepted."""
    if lang in ("console", "sh"):
        return re.sub(r"(?m)^\$ .*$", r"<b>\g<0></b>", code) if lang == "console" else re.sub(r"(?m)(^|\s)#.*$", r'<span class="comment">\g<0></span>', code)
    if lang not in TOKEN:
        return code
    text = html.unescape(code)
    out, at = [], 0
    for m in TOKEN[lang].finditer(text):
        out += [html.escape(text[at:m.start()], quote=False), f'<span class="{m.lastgroup}">', html.escape(m[0], quote=False), "</span>"]
        at = m.end()
    return "".join([*out, html.escape(text[at:], quote=False)])


def with_anchors(body):
    seen = {}

    def anchored(m):
        name = slug(m[2])
        seen[name] = seen.get(name, -1) + 1
        name += f"-{seen[name]}" if seen[name] else ""
        return f'<h{m[1]} id="{name}">{m[2]}<a class="anchor" href="#{name}" aria-label="link to this section">#</a></h{m[1]}>'
    return HEADING.sub(anchored, body)


def code_blocks(body, of_file):
    def block(m):
        lang, meta, code = m[1] or "", m[2] or "", m[3]
        caption = f'<figcaption>{of_file(lang, meta)}</figcaption>' if meta and lang != "sh" else ""  # of a shell's block it is for the tests
        return f'<figure class="code {lang}">{caption}<pre><code>{coloured(code, lang)}</code></pre></figure>'
    return CODE.sub(block, body)


def with_scrolling_tables(body):
    return body.replace("<table>", '<div class="table"><table>').replace("</table>", "</table></div>")


class Site:
    """The pages of a tree, as they are made."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.complaints = []
        self.wanted = []       # files that a page links to and that are to become pages
        self.pictures = set()
        self.findings = []     # the pages of findings
        self.ledger = self.rows()

    def page_of(self, file):
        """Where the page of a file of the tree goes."""
        if file.name == "README.md":
            return file.parent / "index.html"
        return file.with_suffix(".html") if file.suffix == ".md" else file.parent / (file.name + ".html")

    def resolved(self, file, target):
        """The file of the tree that a link names, as a path from the root; None if there is none."""
        path = pathlib.PurePosixPath(os.path.normpath(file.parent / target))
        if path.parts[:1] == ("..",):
            return None
        there = self.root / path
        if there.is_dir():
            if path == pathlib.PurePosixPath("include/tcp"):
                return path / "README.md"  # made of the headers
            there, path = there / "README.md", path / "README.md"
        return path if there.is_file() else None

    def link(self, file, href):
        """A link of a page made from `file`, as the page has it."""
        href = html.unescape(href)
        if re.match(r"[a-z]+:", href) or href.startswith("#") and file != FINDINGS:
            return html.escape(href)
        target, _, anchor = href.partition("#")
        path = self.resolved(file, target) if target else file
        if path is None:
            self.complaints.append(f"{file}: the link {href} leads to no file of the tree; correct it")
            return html.escape(href)
        if path.suffix in (".svg", ".png"):
            self.pictures.add(path)
            goal = path
        else:
            self.wanted.append(path)
            if path == FINDINGS and anchor:
                path, anchor = path.parent / (anchor + ".md"), ""
            goal = self.page_of(path)
        relative = os.path.relpath(goal, self.page_of(file).parent)
        return html.escape(relative + (f"#{anchor}" if anchor else ""))

    def rows(self):
        """The page of each id: claims of the vendor's book, and departures from it."""
        pages = [p for p in [self.root / DEPARTURES, *sorted((self.root / CLAIMS).glob("*.md"))] if p.exists()]
        return {row: pathlib.PurePosixPath(p.relative_to(self.root).as_posix()) for p in pages for row in LEDGER_ROW.findall(p.read_text("utf-8"))}

    def ledger_links(self, file, text):
        """Ids of claims and departures as links to their rows."""
        def linked(m):
            if m[0] not in self.ledger:
                return m[0]
            to = os.path.relpath(self.page_of(self.ledger[m[0]]), self.page_of(file).parent)
            return f'<a href="{to}#{m[0]}">{m[0]}</a>'
        return LEDGER_ID.sub(linked, text)

    def body(self, file, markdown):
        """The body of a page."""
        command = ["cmark-gfm", "-e", "table", "-e", "autolink", "--full-info-string", "-t", "html"]
        made = subprocess.run(command, input=markdown, capture_output=True, encoding="utf-8", check=True).stdout.replace("<!-- raw HTML omitted -->", "")

        def of_file(lang, meta):
            source = pathlib.PurePosixPath("docs/code") / meta
            if lang == "cpp" and file.parent == pathlib.PurePosixPath("docs") and (self.root / source).exists():
                return f'<a href="{self.link(file, f"code/{meta}")}">{meta}</a>'
            return html.escape(meta)
        made = LINK.sub(lambda m: m[1] + self.link(file, m[2]) + m[3], made)
        made = code_blocks(with_anchors(made), of_file)
        if file == DEPARTURES or file.parent == CLAIMS:
            made = LEDGER_CELL.sub(r'<td id="\1">\1</td>', made)
        return with_scrolling_tables(made)


def sections(body):
    """(anchor, heading, text) of each section, the first without an anchor."""
    parts = re.split(r'<h[1-3] id="([^"]*)">(.*?)<a class="anchor".*?</h[1-3]>', body, flags=re.S)
    out = []
    for at in range(1, len(parts), 3):
        out.append((parts[at], plain(parts[at + 1]), plain(parts[at + 2])))
    return out
