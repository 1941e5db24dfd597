"""The page of a chip: every number of its file, with the source of each."""
import html
import json
import re

# The rows of our ledger of the vendor's book are named by its chapters.
CHAPTERS = {
    "HEL": "Hello", "MAP": "Mapping expressions", "STM": "Memory and stream", "TFN": "Tensor functions", "MOV": "Moving, overview", "SEQ": "Sequencer",
    "FET": "Fetch Engine", "COM": "Commit Engine", "DMA": "DMA Engine", "MEM": "Memory performance", "API": "operations", "PIP": "Computing, overview",
    "SWI": "Switch Engine", "COL": "Collect Engine", "CTR": "Contraction Engine", "VEC": "Vector Engine", "RED": "Intra-slice reduce", "VCG": "Valid Count Generator",
    "INT": "Inter-slice block", "CAS": "Cast Engine", "TRA": "Transpose Engine", "SCH": "Scheduling", "KER": "Kernel examples", "SUP": "what the vendor published beside the book",
}


def kind_of(source):
    if source.startswith("assumption"):
        return "assumption"
    if source.startswith("choice"):
        return "choice"
    return "calibration" if "public figures" in source else "book"


def shown(entry):
    value, unit = entry["value"], entry.get("unit", "")
    if isinstance(value, list):
        return ", ".join(map(str, value)) + f" {unit}".rstrip()
    return (json.dumps(value) if isinstance(value, bool) else f"{value:,}") + f" {unit}".rstrip()


def body(name, text, linked):
    """`linked` turns ids of claims and departures into links."""
    chip = json.loads(text)
    parts = {section: entries for section, entries in chip.items() if isinstance(entries, dict)}
    sources = [entry["source"] for entries in parts.values() for entry in entries.values()]
    kinds = [kind_of(source) for source in sources]
    chapters = sorted({c for source in sources for c in re.findall(r"\b([A-Z]{3})-\d", source)})
    out = [f"<h1>Chip data: {html.escape(chip['chip'])}</h1>",
           f"<p>Made from <code>data/chips/{name}</code>. {len(kinds)} values: {kinds.count('book')} from the vendor's book, {kinds.count('calibration')} from public figures of plans "
           f"and chips, {kinds.count('assumption')} that are not published and marked as assumptions, {kinds.count('choice')} switches of ours. To change one, copy the "
           'file: <a href="index.html">how</a>.</p>',
           "<p>A source such as <code>MEM-02</code> is a row of <a href=\"../../docs/claims/index.html\">Claims</a>, what the vendor's book says; the letters stand for its chapter: "
           + ", ".join(f"{c} {CHAPTERS[c]}" for c in chapters) + ".</p>"]
    for section, entries in parts.items():
        out.append(f"<h2>{html.escape(section)}</h2>\n<table><thead><tr><th>key</th><th>value</th><th>source</th><th>note</th></tr></thead><tbody>")
        for key, entry in entries.items():
            out.append(f'<tr class="{kind_of(entry["source"])}"><td><code>{html.escape(key)}</code></td><td class="number">{html.escape(shown(entry))}</td>'
                       f"<td>{linked(html.escape(entry['source']))}</td><td>{html.escape(entry.get('note', ''))}</td></tr>")
        out.append("</tbody></table>")
    return "\n".join(out)
