"""grep."""

from __future__ import annotations

import re
from collections import deque
from pathlib import PurePosixPath

from navitas.virtual_phone.shell.commands.command_options import Options, options
from navitas.virtual_phone.shell.context import Context, command
from navitas.virtual_phone.shell.flow import CommandError
from navitas.virtual_phone.shell.streams import Input, encode

_NOTHING, _TROUBLE = 1, 2


def _basic_to_python(pattern: str) -> str:
    """Convert a basic regular expression to Python's syntax: + ? | ( ) { } are literal unless escaped."""
    return re.sub(r"\\([+?|(){}])|([+?|(){}])", lambda found: found.group(1) or "\\" + found.group(2), pattern)


@command("grep", "egrep", "fgrep")
async def grep(context: Context) -> int:
    """Print matching lines; -E -F -i -v -c -n -q -l -o -w -x -e -m -h -H -s -r, and -A -B -C N lines around them."""
    found = options(context, "EFivcnqlowxe:m:hHsarA:B:C:")
    names = list(found.rest)
    patterns = found.values.get("e", [])
    if not patterns:
        if not names:
            raise CommandError('no REGEX (see "grep --help")', _TROUBLE)
        patterns = [names.pop(0)]
    recursive = "r" in found
    search = _Search(context, found, _regex(context, "\n".join(patterns).split("\n"), set(found.values)))
    search.titled = ("H" in found or recursive or len(names) > 1) and "h" not in found
    status = _NOTHING
    trouble = False
    for name in _files_below(context, names or ["."]) if recursive else names or ["-"]:
        try:
            source = context.open_input(name)
            matched = await search.file(name, source)
        except OSError as error:
            trouble = True
            if "s" not in found:
                await context.err(f"{context.name}: {name}: {error.strerror}\n")
            continue
        status = 0 if matched else status
        if matched and "q" in found:
            return 0
        if source is not context.stdin:
            source.close()
    return _TROUBLE if trouble else status


def _files_below(context: Context, names: list[str]) -> list[str]:
    found = []
    files, who = context.phone.files, context.shell.who
    for name in names:
        if files.stat(context.path(name), who).is_dir:
            below = [str(PurePosixPath(name) / entry) for entry in files.listdir(context.path(name), who)]
            found += _files_below(context, below)
        else:
            found.append(name)
    return found


class _Search:
    """Searches files one after another and prints matches."""

    def __init__(self, context: Context, found: Options, regex: re.Pattern[bytes]) -> None:
        self.titled = False
        self._context = context
        self._found = found
        self._regex = regex
        around = found.number("C", 0)
        self._before, self._after = found.number("B", around), found.number("A", around)

    async def file(self, name: str, source: Input) -> bool:
        """Search one file. Returns whether a line matched."""
        found = self._found
        prefix = encode(name) if self.titled else b""
        limit = found.number("m", -1)
        waiting: deque[tuple[int, bytes]] = deque(maxlen=self._before)
        count = number = to_follow = 0
        async for line in source.lines():
            number += 1
            content = line.rstrip(b"\n")
            if bool(self._regex.search(content)) == ("v" in found):
                if to_follow:
                    to_follow -= 1
                    await self._print(prefix, number, [content], b"-")
                else:
                    waiting.append((number, content))
                continue
            count += 1
            if "q" in found:
                return True
            if "c" not in found and "l" not in found:
                for place, earlier in waiting:
                    await self._print(prefix, place, [earlier], b"-")
                waiting.clear()
                only = "o" in found and "v" not in found
                await self._print(prefix, number, self._parts(content) if only else [content], b":")
                to_follow = self._after
            if count == limit:
                break
        if "c" in found:
            await self._context.out((prefix + b":" if prefix else b"") + b"%d\n" % count)
        if "l" in found and count:
            await self._context.out(f"{name}\n")
        return count > 0

    def _parts(self, content: bytes) -> list[bytes]:
        return [part.group() for part in self._regex.finditer(content) if part.group()]

    async def _print(self, prefix: bytes, number: int, parts: list[bytes], mark: bytes) -> None:
        place = (prefix + mark if prefix else b"") + (b"%d" % number + mark if "n" in self._found else b"")
        await self._context.out(b"".join(place + part + b"\n" for part in parts))


def _regex(context: Context, patterns: list[str], flags: set[str]) -> re.Pattern[bytes]:
    fixed = "F" in flags or context.name == "fgrep"
    extended = "E" in flags or context.name == "egrep"
    sources = [re.escape(text) if fixed else text if extended else _basic_to_python(text) for text in patterns]
    source = "|".join(f"(?:{text})" for text in sources)
    source = rf"(?<!\w)(?:{source})(?!\w)" if "w" in flags else rf"^(?:{source})$" if "x" in flags else source
    try:
        return re.compile(encode(source), re.IGNORECASE if "i" in flags else 0)
    except re.error:
        raise CommandError(f"bad regex '{patterns[0]}': Invalid regular expression", _TROUBLE) from None
