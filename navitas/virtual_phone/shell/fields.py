"""Field splitting by IFS (POSIX shell, 2.6.5): drop blanks at the edges; each other separator ends a field."""

from __future__ import annotations

import re

from navitas.virtual_phone.shell.glob_patterns import Runs

DEFAULT_SEPARATORS = " \t\n"


class Fields:
    """Fields under construction. New text goes to the last one."""

    def __init__(self, separators: str = DEFAULT_SEPARATORS) -> None:
        self._gap = _gap(separators)
        self._fields: list[Runs] = []
        self._open = False

    def add(self, text: str, *, quoted: bool) -> None:
        """Add text without splitting it. Quoted text begins a field even if it is empty."""
        if not text and not quoted:
            return
        if not self._open:
            self._fields.append([])
            self._open = True
        self._fields[-1].append((text, quoted))

    def add_split(self, text: str) -> None:
        """Add text whose separators end fields. A separator that is no blank ends one even if it is empty."""
        at = 0
        for gap in self._gap.finditer(text):
            self.add(text[at : gap.start()], quoted=False)
            if gap.group(1) and not self._open:
                self._fields.append([])
            self._open = False
            at = gap.end()
        self.add(text[at:], quoted=False)

    def end_field(self) -> None:
        """End the field; the next text begins a new one."""
        self._open = False

    def result(self) -> list[Runs]:
        """Return the fields."""
        return self._fields


def split_line(line: str, count: int, separators: str, *, raw: bool) -> list[str]:
    """Split a line for `count` variables of `read`; the last gets the rest. Unless `raw`, a backslash quotes."""
    text = line if raw else re.sub(r"\\(.)", r"\1", line, flags=re.DOTALL)
    # The same text without quoted separators, so that positions in both agree.
    marked = line if raw else re.sub(r"\\.", "\0", line, flags=re.DOTALL)
    blanks = "".join(char for char in separators if char in DEFAULT_SEPARATORS)
    at = len(marked) - len(marked.lstrip(blanks))
    fields: list[str] = []
    for gap in _gap(separators).finditer(marked, at):
        if len(fields) >= count - 1:
            break
        fields.append(text[at : gap.start()])
        at = gap.end()
    fields.append(text[at : len(marked.rstrip(blanks))])
    return fields + [""] * (count - len(fields))


def _gap(separators: str) -> re.Pattern[str]:
    """Return the pattern of what separates fields: blanks, with at most one other separator (its group)."""
    sets = ("".join(char for char in separators if (char in DEFAULT_SEPARATORS) == is_blank) for is_blank in (True, False))
    blank, mark = (f"[{re.escape(chars)}]" if chars else "(?:(?!))" for chars in sets)
    return re.compile(f"{blank}*({mark}){blank}*|{blank}+")
