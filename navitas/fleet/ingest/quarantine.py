"""Refused rows, counted by reason and kept for inspection."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import IO

from navitas.line_blocks import Refusal

KEPT = 100_000
"""Further rows of a source are only counted."""
_LONGEST = 500
_CLIENT = re.compile(r'("client"\s*:\s*)("(?:[^"\\]|\\.)*"?|[^\s,}\]]+)')
_HIDDEN = "…"


class Quarantine:
    """A file of refused rows, created with the first one."""

    def __init__(self, file: Path, source: str) -> None:
        self._file = file
        self._source = source
        self._out: IO[str] | None = None
        self.refused: Counter[str] = Counter()
        self.client_column = -1
        """The index of the client's cell in a CSV line."""

    def add(self, refusal: Refusal) -> None:
        """Count a row, and keep the beginning of its text, without its client."""
        self.refused[refusal.reason] += 1
        if self.refused.total() > KEPT:
            return
        if self._out is None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._out = self._file.open("w", encoding="utf-8")
        text = self._hidden(refusal.text[: 4 * _LONGEST].decode("utf-8", "replace"))[:_LONGEST]
        row = {"source": self._source, "row": refusal.row, "reason": refusal.reason, "text": text}
        self._out.write(json.dumps(row) + "\n")

    def close(self) -> None:
        """Close the file."""
        if self._out is not None:
            self._out.close()

    def remove(self) -> None:
        """Delete the file."""
        self.close()
        self._file.unlink(missing_ok=True)

    def _hidden(self, text: str) -> str:
        if self.client_column >= 0:
            cells = text.split(",")
            cells[self.client_column : self.client_column + 1] = [_HIDDEN]
            return ",".join(cells)
        return _CLIENT.sub(rf'\1"{_HIDDEN}"', text)
