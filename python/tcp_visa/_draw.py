"""What notebooks show: mappings, tensors, schedules and reports as pictures, the viewer's page, and tables of searches."""
from __future__ import annotations

import html
import itertools
import json
import pathlib
from typing import Any, Callable, Iterable

from . import _tcp
from ._errors import Error, share

_COLOURS = ["#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#edc948", "#b07aa1", "#9c755f"]


def _pre(text: str) -> str:
    return f'<pre style="line-height:1.25">{html.escape(text)}</pre>'


def _mapping_html(self: Any) -> str:
    return f"<div>{_inline(self.svg())}</div>"  # which has the text and the summary in it


def _inline(svg: str) -> str:
    return svg[svg.index("<svg"):]


def _levels_html(self: _tcp.Levels) -> str:
    return f"<div><code>{html.escape(repr(self))}</code><br>{_inline(self.svg())}</div>"


def _tensor_html(self: _tcp.Tensor) -> str:
    if repr(self) == "Tensor()":  # of nothing yet
        return "<code>Tensor()</code>"
    return f"<div><code>{html.escape(repr(self))}</code><br>{_inline(self.levels.svg())}</div>"


def _trace_svg(self: _tcp.Trace, width: int = 900) -> str:
    """The schedule as a picture: a row for each resource, a bar for each command; the critical path has a dark edge."""
    rows = self._rows
    lanes = list(dict.fromkeys(resource for _, resource, *_ in rows))
    total = max(self.cycles, 1)
    left, height = 110, 22
    colours = {name: _COLOURS[i % len(_COLOURS)] for i, name in enumerate(dict.fromkeys(f"{file}:{line}" for *_, file, line, _ in rows))}
    scale = (width - left - 10) / total
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height * len(lanes) + 30}" font-family="sans-serif" font-size="11">']
    for i, lane in enumerate(lanes):
        out.append(f'<text x="{left - 6}" y="{i * height + 15}" text-anchor="end">{html.escape(lane)}</text>')
        out.append(f'<line x1="{left}" x2="{width - 10}" y1="{(i + 1) * height - 1}" y2="{(i + 1) * height - 1}" stroke="#ddd"/>')
    for name, resource, start, end, critical, slack, file, line, text in rows:
        said = f"{name}, cycles {start} to {end}" + (", critical" if critical else f", slack {slack}") + (f"\n{pathlib.Path(file).name}:{line}  {text}" if file else "")
        edge = ' stroke="#222" stroke-width="1.2"' if critical else ""
        out.append(f'<rect x="{left + start * scale:.2f}" y="{lanes.index(resource) * height + 3}" width="{max((end - start) * scale, 1):.2f}" height="{height - 7}" '
                   f'fill="{colours[f"{file}:{line}"]}"{edge}><title>{html.escape(said)}</title></rect>')
    bottom = height * len(lanes) + 16
    for k in range(5):
        x = left + (width - left - 10) * k / 4
        anchor = "end" if k == 4 else "middle"  # the last one stays inside of the picture
        out.append(f'<text x="{x:.0f}" y="{bottom}" text-anchor="{anchor}" fill="#666">{total * k // 4:,}</text>')
    return "".join(out) + "</svg>"


def _trace_html(self: _tcp.Trace) -> str:
    return f"<div><b>{html.escape(self.program)}</b>: {self.cycles:,} cycles ({html.escape(self.model)}, {html.escape(self.chip)}), {len(self)} commands<br>{_trace_svg(self)}</div>"


class Page:
    """The viewer's page with one or two traces in it; a notebook shows it in a frame."""

    def __init__(self, page: str, height: int) -> None:
        self.html, self.height = page, height

    def save(self, path: Any) -> None:
        pathlib.Path(path).write_text(self.html, "utf-8")

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{html.escape(self.html, quote=True)}" style="width:100%;height:{self.height}px;border:1px solid #ccc"></iframe>'


def _view(self: _tcp.Trace, before: _tcp.Trace | None = None, height: int = 600) -> Page:
    """The viewer, as `tcp view` shows it; `before`: a trace to compare with."""
    template = (share() / "viewer" / "page.html").read_text("utf-8")
    return Page(_tcp._viewer_page(template, [before, self] if before is not None else [self]).decode("utf-8"), height)


def _commands(self: _tcp.Trace) -> list[dict[str, Any]]:
    keys = ("name", "resource", "start", "end", "critical", "slack", "file", "line", "text")
    return [dict(zip(keys, row)) for row in self._rows]


def _save(self: _tcp.Trace, path: Any) -> None:
    """Into a file, which tcp report, tcp diff and tcp view read."""
    pathlib.Path(path).write_text(self.json, "utf-8")


_tcp.Mapping._repr_html_ = _mapping_html
_tcp.Mapping._repr_svg_ = lambda self: _inline(self.svg())
_tcp.Levels._repr_html_ = _levels_html
_tcp.Tensor._repr_html_ = _tensor_html
_tcp.Trace.svg = _trace_svg
_tcp.Trace._repr_html_ = _trace_html
_tcp.Trace.view = _view
_tcp.Trace.save = _save
_tcp.Trace.commands = property(_commands, doc="A dict for each command: name, resource, start, end, critical, slack, file, line, text.")
_tcp.Trace.dict = property(lambda self: json.loads(self.json), doc="All of it, as docs/trace.md describes the file.")
_tcp.Trace.__repr__ = lambda self: f"<trace of {self.program}: {self.cycles} cycles, {len(self)} commands, {self.model} on {self.chip}>"
_tcp.Report.dict = property(lambda self: json.loads(self.json), doc="The report as records.")
_tcp.Report._repr_html_ = lambda self: _pre(str(self))
_tcp.Report.__repr__ = lambda self: str(self)
_tcp.Diff.dict = property(lambda self: json.loads(self.json), doc="The comparison as records.")
_tcp.Diff._repr_html_ = lambda self: _pre(str(self))
_tcp.Diff.__repr__ = lambda self: str(self)
_tcp._Recording.report = lambda self, model="book": self.trace(model).report()
_tcp._Recording.__repr__ = lambda self: f"<recording of {self.text.split(chr(10), 1)[0].removeprefix('module ')}: {self.cycles('book')} cycles by the book>"
_tcp.Stream.__repr__ = lambda self: f"<stream of {self.type} {self.levels}>"
_tcp._Recording._repr_html_ = lambda self: _pre(self.text)
_tcp.Chip.data = property(lambda self: json.loads(self.text), doc="All of its numbers, each with its source.")
_tcp.Chip.__repr__ = lambda self: f"<chip {self.name}>"


class Table:
    """Rows of a search, each a dict: what was tried, and what came of it."""

    def __init__(self, rows: Iterable[dict[str, Any]]) -> None:
        self.rows = list(rows)
        self.columns = list(dict.fromkeys(k for row in self.rows for k in row))

    def __getitem__(self, key: Any) -> Any:
        """A column by its name, a row by its number."""
        return [row.get(key) for row in self.rows] if isinstance(key, str) else self.rows[key]

    def __len__(self) -> int:
        return len(self.rows)

    def best(self, column: str = "cycles") -> dict[str, Any]:
        """The row with the smallest number there."""
        counted = [row for row in self.rows if row.get(column) is not None]
        if not counted:
            raise KeyError(f"no row has a number in {column}; columns are {', '.join(self.columns)}")
        return min(counted, key=lambda row: row[column])

    def sorted(self, column: str = "cycles") -> "Table":
        """The rows by a column, the least first; those without it last."""
        return Table(sorted(self.rows, key=lambda row: (row.get(column) is None, row.get(column))))

    def to_pandas(self) -> Any:
        """As a DataFrame, where pandas is installed."""
        import pandas
        return pandas.DataFrame(self.rows, columns=self.columns)

    def plot(self, x: str, y: str = "cycles", ax: Any = None, **how: Any) -> Any:
        """With matplotlib: a point for each row that has both."""
        import matplotlib.pyplot as plt
        ax = ax or plt.gca()
        points = sorted((row[x], row[y]) for row in self.rows if row.get(x) is not None and row.get(y) is not None)
        ax.plot([a for a, _ in points], [b for _, b in points], **{"marker": "o", **how})
        ax.set_xlabel(x)
        ax.set_ylabel(y)
        return ax

    def _cells(self) -> list[list[str]]:
        def shown(v: Any) -> str:
            return "" if v is None else f"{v:,}" if isinstance(v, int) and not isinstance(v, bool) else f"{v:.4g}" if isinstance(v, float) else str(v)
        return [self.columns, *([shown(row.get(c)) for c in self.columns] for row in self.rows)]

    def __repr__(self) -> str:
        cells = self._cells()
        widths = [min(max(len(r[i]) for r in cells), 60) for i in range(len(self.columns))]
        return "\n".join("  ".join(c[:60].rjust(w) for c, w in zip(r, widths)) for r in cells)

    def _repr_html_(self) -> str:
        head, *rows = self._cells()
        body = "".join("<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in r) + "</tr>" for r in rows)
        return "<table><tr>" + "".join(f"<th>{html.escape(c)}</th>" for c in head) + f"</tr>{body}</table>"


def sweep(function: Callable[..., Any], **grid: Iterable[Any]) -> Table:
    """Calls a function with every combination of what is given for its parameters: `tv.sweep(cycles_of, tile=[16, 32, 64], model=["book"])`.

    A number that it returns is the column "cycles", a trace gives its cycles, a dict is columns of its own. An error of the toolchain is an answer, too: its code and
    what it says are the columns "error" and "why".
    """
    rows = []
    one = (str, bytes, int, float, type(None))  # stands for itself
    for values in itertools.product(*([v] if isinstance(v, one) else v for v in grid.values())):
        row: dict[str, Any] = dict(zip(grid, values))
        try:
            found = function(**row)
        except Error as e:
            row.update(cycles=None, error=e.code, why=e.what)
        else:
            row.update(found if isinstance(found, dict) else {"cycles": found.cycles if isinstance(found, _tcp.Trace) else found})
        rows.append(row)
    return Table(rows)
