"""Field splitting by IFS (POSIX shell, 2.6.5): drop blanks at the edges; each other separator ends a field."""

from __future__ import annotations

from navitas.virtual_phone.shell.glob_patterns import Runs

DEFAULT_SEPARATORS = " \t\n"


class Fields:
    """Fields under construction. New text goes to the last one."""

    def __init__(self, separators: str = DEFAULT_SEPARATORS) -> None:
        self._blanks = "".join(char for char in separators if char in DEFAULT_SEPARATORS)
        self._marks = "".join(char for char in separators if char not in DEFAULT_SEPARATORS)
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
        """Add text whose separators end fields."""
        at = 0
        while at < len(text):
            end = at
            while end < len(text) and text[end] not in self._blanks and text[end] not in self._marks:
                end += 1
            self.add(text[at:end], quoted=False)
            at = self._skip_separator(text, end)

    def _skip_separator(self, text: str, at: int) -> int:
        """Skip blanks and at most one other separator, which ends a field, even an empty one."""
        start = at
        while at < len(text) and text[at] in self._blanks:
            at += 1
        if at < len(text) and text[at] in self._marks:
            if not self._open:
                self._fields.append([])
            self._open = False
            at += 1
            while at < len(text) and text[at] in self._blanks:
                at += 1
        elif at > start:
            self._open = False
        return at

    def end_field(self) -> None:
        """End the field; the next text begins a new one."""
        self._open = False

    def result(self) -> list[Runs]:
        """Return the fields."""
        return self._fields


def split_line(line: str, count: int, separators: str, *, raw: bool) -> list[str]:
    """Split a line for `count` variables of `read`; the last gets the rest. Unless `raw`, a backslash quotes."""
    chars = _unescaped(line, raw=raw)
    blanks = "".join(char for char in separators if char in DEFAULT_SEPARATORS)

    def is_in(index: int, wanted: str) -> bool:
        return index < len(chars) and not chars[index][1] and chars[index][0] in wanted

    found: list[str] = []
    at = 0
    while is_in(at, blanks):
        at += 1
    while len(found) < count - 1 and at < len(chars):
        start = at
        while at < len(chars) and not is_in(at, separators):
            at += 1
        found.append("".join(char for char, _ in chars[start:at]))
        while is_in(at, blanks):
            at += 1
        if is_in(at, separators):
            at += 1
            while is_in(at, blanks):
                at += 1
    end = len(chars)
    while end > at and is_in(end - 1, blanks):
        end -= 1
    found.append("".join(char for char, _ in chars[at:end]))
    return found + [""] * (count - len(found))


def _unescaped(line: str, *, raw: bool) -> list[tuple[str, bool]]:
    """Return the characters, and whether a backslash precedes each."""
    if raw:
        return [(char, False) for char in line]
    chars = []
    at = 0
    while at < len(line):
        escaped = line[at] == "\\" and at + 1 < len(line)
        at += escaped
        chars.append((line[at], escaped))
        at += 1
    return chars
