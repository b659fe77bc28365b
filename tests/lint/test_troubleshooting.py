"""The troubleshooting page quotes messages of the code."""

from __future__ import annotations

import re

import pytest
from source_tree import DOCS, PACKAGE, ROOT, files, place, text

PAGE = text(DOCS / "troubleshooting.md")
JAVA = [path for name in ("instrumenter", "gradle-plugin") for path in files(ROOT / name, ".java") if "/src/main/" in place(path)]
CODE = re.sub(r"\s+", " ", "\n".join(map(text, (*files(PACKAGE, ".py", ".gradle"), *JAVA))))
# Messages of adb, Linux and Android.
FOREIGN = (
    "is offline",
    "is unauthorized",
    "no permissions",
    "No space left on device",
    "INSTALL_FAILED_INSUFFICIENT_STORAGE",
    "File name too long",
)
ROWS = [line for line in PAGE.splitlines() if line.startswith("| `")]


@pytest.mark.parametrize("row", ROWS)
def test_the_code_contains_each_message_of_the_page(row: str) -> None:
    symptom = row.split("|")[1]
    for message in re.findall(r"`([^`]+)`", symptom):
        for part in (piece.strip(" ,:()") for piece in re.split(r"…|<|>|'", message)):
            assert part in CODE or part in FOREIGN or not part, f"no source says {part!r}"
