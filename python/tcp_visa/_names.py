"""The variable that a line of Python sets: what reports and the text form call a tensor."""
from __future__ import annotations

import ast
import functools
import linecache


@functools.lru_cache(maxsize=None)
def _variables(file: str) -> dict[int, str]:
    """For each line of a file the variable of the innermost assignment around it."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return {}
    found: dict[int, str] = {}
    spans = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
        elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)):
            target = node.target
        elif isinstance(node, ast.Return):
            target = ast.Name("result")
        else:
            continue
        if isinstance(target, ast.Name):
            spans.append((node.end_lineno - node.lineno, node.lineno, node.end_lineno, target.id))
    for _, first, last, name in sorted(spans, reverse=True):
        for line in range(first, last + 1):
            found[line] = name
    return found


def variable_at(file: str, line: int) -> str:
    """Empty: there is none."""
    return _variables(file).get(line, "")
