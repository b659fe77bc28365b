"""Split what is sent to a device into simple commands, and read the commands that docs/device-commands.md lists."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from navitas.capture.device.adb import AdbDevice
from navitas.capture.device.adb_transport import Transport

PAGE = Path(__file__).parents[2] / "docs/device-commands.md"
_CELL = re.compile(r"^\| ((?:`[^`]+`(?:, )?)+) \|", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\b[A-Z][A-Z_]+\b|…")
_REDIRECTION = re.compile(r"\s*(2>&1|>&2|<\s*/dev/null|[12]?>\s*(/dev/null|\S+\.log))")
SHELL_WORDS = {"echo", ":", "{", "}", "done", "while", "sleep", "true", "for", "if", "fi", "["}
"""Words of the shell itself, and programs that only make it wait: the page does not list them."""
_PREFIXES = ("do ", "then ", "else ", "{ ")
_ASSIGNMENT = re.compile(r"\w+=(?:\$\((?P<command>[^(].*)\)$)?")
# Constants of commands, which a placeholder must not match.
_CONSTANTS = ("LAUNCHER", "PID", "NAME")


class ServiceRecorder(AdbDevice):
    """A device that records the requested services by their adb names."""

    def __init__(self, device: AdbDevice) -> None:
        super().__init__(device.client, device.serial)
        self.services: list[str] = []

    @contextmanager
    def _open(self, service: str, timeout_s: float | None, action: str) -> Iterator[Transport]:
        self.services.append(f"{service}{action}" if service == "sync:" else service)
        with super()._open(service, timeout_s, action) as transport:
            yield transport


def documented() -> dict[str, re.Pattern[str]]:
    """Return the page's commands as patterns. Words in capitals and … match anything."""
    return {command: _pattern(command) for cell in _CELL.findall(PAGE.read_text()) for command in re.findall(r"`([^`]+)`", cell)}


def _pattern(command: str) -> re.Pattern[str]:
    parts, at = [], 0
    for found in _PLACEHOLDER.finditer(command):
        if found[0] not in _CONSTANTS:
            parts += [re.escape(command[at : found.start()]), ".+"]
            at = found.end()
    return re.compile("".join([*parts, re.escape(command[at:])]), re.DOTALL)


def simple_commands(services: list[str]) -> set[str]:
    """Return the simple commands in adb services, without shell keywords, redirections and quotes."""
    found: set[str] = set()
    for service in services:
        if service.startswith("sync:"):
            found.add(service.removeprefix("sync:").replace(" of ", " ").replace(" to ", " "))
            continue
        line = re.sub(r"^(shell,v2,raw|exec):", "", service)
        for part in _parts(_REDIRECTION.sub("", line)):
            command = part.strip()
            while command.startswith(_PREFIXES):
                command = command.partition(" ")[2].strip()
            if assigned := _ASSIGNMENT.match(command):
                command = assigned["command"] or ""
            if command and command.split()[0] not in SHELL_WORDS:
                found.add(command)
    return found


def unlisted(commands: set[str]) -> list[str]:
    """Return the commands that the page does not list."""
    patterns = documented().values()
    return sorted(command for command in commands if not any(pattern.fullmatch(command) for pattern in patterns))


def _parts(line: str) -> Iterator[str]:
    lexer = shlex.shlex(line, posix=False, punctuation_chars=";&|\n")
    lexer.whitespace_split = True
    lexer.whitespace = " \t"
    lexer.commenters = ""
    words: list[str] = []
    for token in lexer:
        if set(token) <= set(";&|\n"):
            yield " ".join(words)
            words = []
        else:
            words.append(token)
    yield " ".join(words)
