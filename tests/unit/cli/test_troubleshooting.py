"""The troubleshooting page quotes messages of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/troubleshooting.md").read_text("utf-8")
SOURCES = [
    *(ROOT / "navitas").rglob("*.py"),
    *(ROOT / "navitas").rglob("*.gradle"),
    *(ROOT / "instrumenter").glob("*/src/main/java/**/*.java"),
    *(ROOT / "gradle-plugin").glob("*/src/main/java/**/*.java"),
]
CODE = re.sub(r"\s+", " ", "\n".join(path.read_text("utf-8") for path in SOURCES))
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
