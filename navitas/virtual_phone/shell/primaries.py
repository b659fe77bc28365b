"""Tests of files, texts and numbers, as `test`, `[` and `[[` know them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePosixPath

from navitas.virtual_phone.file_tree import Stat
from navitas.virtual_phone.shell.flow import CommandError
from navitas.virtual_phone.shell.state import ShellState

WRONG_USE = 2
NUMBERS: dict[str, Callable[[int, int], bool]] = {
    "-eq": lambda a, b: a == b,
    "-ne": lambda a, b: a != b,
    "-lt": lambda a, b: a < b,
    "-le": lambda a, b: a <= b,
    "-gt": lambda a, b: a > b,
    "-ge": lambda a, b: a >= b,
}
FILE_PAIRS: dict[str, Callable[[Stat | None, Stat | None], bool]] = {
    "-nt": lambda a, b: a is not None and (b is None or a.mtime > b.mtime),
    "-ot": lambda a, b: b is not None and (a is None or a.mtime < b.mtime),
    "-ef": lambda a, b: a is not None and b is not None and (a.device, a.inode) == (b.device, b.inode),
}
_FILES: dict[str, Callable[[Stat], bool]] = {
    "-a": lambda info: True,
    "-e": lambda info: True,
    "-f": lambda info: info.is_regular,
    "-d": lambda info: info.is_dir,
    "-s": lambda info: info.size > 0,
    "-r": lambda info: bool(info.mode & 0o444),
    "-w": lambda info: bool(info.mode & 0o222),
    "-x": lambda info: bool(info.mode & 0o111),
}


def file_test(shell: ShellState, operator: str, operand: str, other: str = "") -> bool:
    """Test one operand, or (`-nt`, `-ot`, `-ef`) two files. Raises `CommandError` for an unknown operator."""
    if operator in ("-n", "-z"):
        return bool(operand) == (operator == "-n")
    if operator == "-t":
        return False
    if operator in FILE_PAIRS:
        return FILE_PAIRS[operator](_stat(shell, operand), _stat(shell, other))
    is_link_test = operator in ("-L", "-h")
    if operator not in _FILES and not is_link_test:
        raise CommandError(f"{operator}: unexpected operator/operand", WRONG_USE)
    info = _stat(shell, operand, follow=not is_link_test)
    return info is not None and (info.is_link if is_link_test else _FILES[operator](info))


def is_unary(operator: str) -> bool:
    """Return whether the operator takes one operand."""
    return operator in _FILES or operator in ("-n", "-z", "-t", "-L", "-h")


def _stat(shell: ShellState, path: str, *, follow: bool = True) -> Stat | None:
    try:
        return shell.phone.files.stat(str(PurePosixPath(shell.cwd) / path), shell.who, follow=follow) if path else None
    except OSError:
        return None


def integer(text: str) -> int:
    """Return a number, or 0 for a variable's name. Raises `CommandError` for other text."""
    if re.fullmatch(r"\s*[A-Za-z_]\w*\s*", text):
        return 0
    if not re.fullmatch(r"\s*[-+]?\d{1,19}\s*", text):
        raise CommandError(f"{text}: bad number", WRONG_USE)
    return int(text)
