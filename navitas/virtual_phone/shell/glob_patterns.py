"""Glob patterns of the shell: in words, `case` and `${name#pattern}`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

Runs: TypeAlias = list[tuple[str, bool]]
"""Pieces of text, each with a flag for quoting. Quoted text is literal."""

_CLASS = re.compile(r"\[[!^]?\]?[^\]]*\]")
_MAGIC = re.compile(r"[*?\[]")


def has_magic(runs: Runs) -> bool:
    """Return whether unquoted text contains a glob character."""
    return any(not quoted and _MAGIC.search(text) for text, quoted in runs)


def plain(runs: Runs) -> str:
    """Return the text without quoting."""
    return "".join(text for text, _ in runs)


def to_regex(runs: Runs, *, lazy: bool = False) -> str:
    """Return the regular expression of a pattern. `lazy` makes each `*` match as little as possible."""
    pattern = "".join(re.escape(text) if quoted else _translate(text, "*?" if lazy else "*") for text, quoted in runs)
    try:
        re.compile(pattern)
    except re.error:  # such as the reversed range [z-a]
        return re.escape(plain(runs))
    return pattern


def matches(runs: Runs, text: str) -> bool:
    """Return whether the whole text matches the pattern."""
    return re.fullmatch(to_regex(runs), text, re.DOTALL) is not None


def _translate(text: str, repeat: str) -> str:
    out = []
    at = 0
    while at < len(text):
        char = text[at]
        bracket = _CLASS.match(text, at) if char == "[" else None
        if bracket:
            inner = bracket.group()[1:-1]
            is_negated = inner[:1] in ("!", "^")
            escaped = re.sub(r"([\\\[\]&~|^])", r"\\\1", inner[is_negated:])
            out.append(f"[{'^' if is_negated else ''}{escaped}]")
            at = bracket.end()
            continue
        out.append(f".{repeat}" if char == "*" else "." if char == "?" else re.escape(char))
        at += 1
    return "".join(out)


def trimmed(value: str, op: str, pattern: Runs) -> str:
    """Return the value without the shortest (`#`, `%`) or longest (`##`, `%%`) match at its start or end."""
    if op.startswith("#"):
        match = re.match(to_regex(pattern, lazy=op == "#"), value, re.DOTALL)
        return value[match.end() :] if match else value
    starts = range(len(value), -1, -1) if op == "%" else range(len(value) + 1)
    return next((value[:start] for start in starts if matches(pattern, value[start:])), value)


def expand_glob(runs: Runs, cwd: str, listdir: Callable[[str], list[str]], is_dir: Callable[[str], bool]) -> list[str]:
    """Return the sorted matching paths, in the form of the pattern. A leading dot in a name needs one in the pattern.

    `listdir` takes an absolute path and raises `OSError` if it is not a readable folder, which a `/` in a pattern requires.
    """
    levels = _split_levels(runs)
    found = [""]
    if levels and not levels[0]:
        found, levels = ["/"], levels[1:]
    for index, level in enumerate(levels):
        last = index == len(levels) - 1
        found = [path for base in found for path in _expand_level(level, base, cwd, listdir, last=last)]
    if levels and not levels[-1]:
        found = [path for path in found if is_dir(path if path.startswith("/") else f"{cwd}/{path}")]
    return sorted(found)


def _expand_level(level: Runs, base: str, cwd: str, listdir: Callable[[str], list[str]], *, last: bool) -> list[str]:
    slash = "" if last else "/"
    if not has_magic(level):
        text = plain(level)
        if not last or not text:
            return [base + text + slash]
        names = [text]
    else:
        names = []
    try:
        entries = listdir(base if base.startswith("/") else f"{cwd}/{base}")
    except OSError:
        return []
    if names:
        return [base + name for name in names if name in entries]
    regex = re.compile(to_regex(level), re.DOTALL)
    hidden = plain(level).startswith(".")
    return [base + name + slash for name in entries if regex.fullmatch(name) and (hidden or not name.startswith("."))]


def _split_levels(runs: Runs) -> list[Runs]:
    levels: list[Runs] = [[]]
    for text, quoted in runs:
        first, *rest = text.split("/")
        if first:
            levels[-1].append((first, quoted))
        for piece in rest:
            levels.append([(piece, quoted)] if piece else [])
    return levels
