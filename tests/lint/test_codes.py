"""The codes of warnings, losses and reasons are the same in the docs, in the definitions and in the code."""

from __future__ import annotations

import ast
import re
from typing import Any, get_args

from source_tree import DOCS, PACKAGE, files, nodes, text

from navitas.recording.codes import LossCode, WarningCode


def words(of: Any) -> list[str]:
    """Return the values of a `Literal`, or of a union of them."""
    return [word for part in get_args(of) for word in ([part] if isinstance(part, str) else words(part))]


def documented(heading: str) -> list[str]:
    """Return the first column of the table below a heading in docs/json-report.md, section Codes."""
    chapter = text(DOCS / "json-report.md").partition("\n## Codes\n")[2].partition("\n## ")[0]
    table = chapter.partition(f"| {heading} |")[2].partition("\n\n")[0]
    return re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)


def test_documented_codes_are_the_defined_codes() -> None:
    assert documented("`what`") == sorted(words(LossCode))
    assert documented("`code`") == sorted(set(words(WarningCode)) - set(words(LossCode)))


def test_documented_reasons_are_the_defined_reasons() -> None:
    calls = [
        node
        for path in files(PACKAGE, ".py")
        for node in nodes(path)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Reason"
    ]
    codes = {code.value if isinstance(code := call.args[0], ast.Constant) else ast.unparse(code) for call in calls}
    assert documented("reason") == sorted(codes - {"why.code"}), (
        "codes are constants, except in reasons that are made from other reasons"
    )


def test_every_code_is_used() -> None:
    """Mypy checks that no other code is used."""
    code = "\n".join(text(path) for path in files(PACKAGE, ".py") if path.name != "codes.py")
    assert not [word for word in words(WarningCode) if f'"{word}"' not in code]
