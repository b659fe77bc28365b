"""logcat, log."""

from __future__ import annotations

import calendar
import re
import shlex
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from navitas.device.virtual.logd import BUFFERS, MAX_BYTES, MAX_PAYLOAD, MIN_BYTES, Entry
from navitas.device.virtual.logformat import MODIFIERS, PRIORITIES, STYLES, LogFormat
from navitas.device.virtual.shell.commands.options import Options, options, to_int
from navitas.device.virtual.shell.context import CommandError, Context, command
from navitas.device.virtual.shell.streams import PIECE_BYTES

_DEFAULT_BUFFERS = ("main", "system", "crash")
_SILENT = 8
_MAX_ENTRY = 5 * 1024
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@dataclass(slots=True)
class _Filter:
    """Which entries are shown: the priority from which a tag's are, and other conditions."""

    default: int = 2
    tags: dict[str, int] = field(default_factory=dict)
    pid: int | None = None
    uids: frozenset[int] = frozenset()
    regex: re.Pattern[str] | None = None
    since_ns: int = 0

    def shows(self, entry: Entry) -> bool:
        return (
            entry.priority >= self.tags.get(entry.tag, self.default)
            and (self.pid is None or entry.pid == self.pid)
            and (not self.uids or entry.uid in self.uids)
            and (self.regex is None or bool(self.regex.search(entry.message)))
            and entry.realtime_ns >= self.since_ns
        )


@command("logcat")
async def logcat(context: Context) -> int:
    """Print the log and follow it; -d -c -g -G -v -b -s -t -T -e -m -D --pid --uid and filter specifications."""
    long = ("pid=", "uid=", "regex=", "max-count=", "print", "dividers", "clear", "format=", "buffer=", "dump", "wrap")
    found = options(context, "dcgG:v:b:st:T:e:m:DLSp:P:", long)
    log = context.phone.logd
    log.drain()
    buffers = _buffers([*found.values.get("b", []), *found.values.get("buffer", [])])
    if "c" in found or "clear" in found:
        log.clear(buffers)
        return 0
    if "G" in found:
        log.resize(buffers, _size(found.get("G")))
        return 0
    if "g" in found:
        await context.out("".join(_usage(name, *log.usage(name)) for name in buffers))
        return 0
    chosen = _filter(context, found)
    printer = _Printer(context, _format(context, found), limit=to_int(found.get("m") or found.get("max-count", "-1")))
    printer.switches = "D" in found or "dividers" in found
    entries: Iterable[Entry] = filter(chosen.shows, log.entries(buffers))
    last = log.last_sequence
    start = found.get("t") or found.get("T")
    if start.isdecimal():
        entries = deque(entries, maxlen=max(1, int(start)))
    if await printer.print_all(entries) or "d" in found or "t" in found or "dump" in found:
        return 0
    async for new in log.follow(buffers, last):
        if await printer.print_all(filter(chosen.shows, new)):
            return 0
    return 0


class _Printer:
    """Prints entries, and a divider before a buffer's first one."""

    def __init__(self, context: Context, form: LogFormat, *, limit: int) -> None:
        self.switches = False
        self._context = context
        self._form = form
        self._left = limit
        self._begun: set[str] = set()
        self._last = ""

    async def print_all(self, entries: Iterable[Entry]) -> bool:
        """Print entries; true when as many as wanted have been printed."""
        text: list[str] = []
        size = 0
        for entry in entries:
            text += [self._divider(entry.buffer), self._form.render(entry)]
            size += len(text[-1])
            self._left -= 1
            if self._left == 0:
                break
            if size >= PIECE_BYTES:
                await self._context.out("".join(text))
                text, size = [], 0
        await self._context.out("".join(text))
        return self._left == 0

    def _divider(self, buffer: str) -> str:
        before, self._last = self._last, buffer
        if buffer not in self._begun:
            self._begun.add(buffer)
            return f"--------- beginning of {buffer}\n"
        return f"--------- switch to {buffer}\n" if self.switches and before != buffer else ""


def _buffers(names: list[str]) -> tuple[str, ...]:
    if not names:
        return _DEFAULT_BUFFERS
    chosen: dict[str, None] = {}
    for name in ",".join(names).split(","):
        if name in ("default", "all"):
            chosen.update(dict.fromkeys(_DEFAULT_BUFFERS if name == "default" else BUFFERS))
        elif name in BUFFERS:
            chosen[name] = None
        else:
            raise CommandError(f"Unknown buffer '{name}'")
    return tuple(chosen)


def _size(text: str) -> int:
    match = re.fullmatch(r"(\d{1,12})([KMG]?)", text)
    size = int(match.group(1)) * _UNITS[match.group(2)] if match else 0
    if not MIN_BYTES <= size <= MAX_BYTES:
        raise CommandError(f'Invalid argument "{text}" to -G')
    return size


def _usage(name: str, size: int, used: int) -> str:
    return (
        f"{name}: ring buffer is {size // 1024} KiB ({used // 1024} KiB consumed, {used // 1024} KiB readable), "
        f"max entry is {_MAX_ENTRY} B, max payload is {MAX_PAYLOAD} B\n"
    )


def _format(context: Context, found: Options) -> LogFormat:
    words = ",".join(
        [*found.values.get("v", []), *found.values.get("format", [])] or [context.shell.get("ANDROID_PRINTF_LOG") or ""]
    )
    style = "threadtime"
    modifiers = set()
    for word in words.replace(" ", ",").split(","):
        if word in STYLES:
            style = word
        elif word in MODIFIERS:
            modifiers.add(word)
        elif word:
            raise CommandError(f'Invalid parameter "{word}" to -v')
    boot_ns = time.time_ns() - time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    return LogFormat(style, frozenset(modifiers), boot_ns)


def _filter(context: Context, found: Options) -> _Filter:
    chosen = _Filter(default=_SILENT if "s" in found else 2)
    specifications = found.rest or shlex.split(context.shell.get("ANDROID_LOG_TAGS") or "")
    for specification in ",".join(specifications).replace(" ", ",").split(","):
        tag, colon, letter = specification.partition(":")
        if not tag:
            continue
        priority = PRIORITIES.find((letter or "V").upper()) if letter != "*" else 2
        if priority < 2 or len(letter) > 1:
            raise CommandError(f"Invalid filter expression '{specification}'")
        if tag == "*":
            chosen.default = priority if colon else 3
        else:
            chosen.tags[tag] = priority
    if "pid" in found:
        chosen.pid = to_int(found.get("pid"))
    chosen.uids = frozenset(to_int(uid) for uid in found.get("uid").split(",") if uid)
    pattern = found.get("e") or found.get("regex")
    if pattern:
        try:
            chosen.regex = re.compile(pattern)
        except re.error as error:
            raise CommandError(f"bad regex: {error}") from None
    start = found.get("t") or found.get("T")
    if start and not start.isdecimal():
        chosen.since_ns = _instant_ns(start)
    return chosen


def _instant_ns(text: str) -> int:
    """`MM-DD hh:mm:ss.mmm`, `YYYY-MM-DD hh:mm:ss.mmm` or `sssss.mmm` in nanoseconds since 1970."""
    day, _, fraction = text.partition(".")
    if not re.fullmatch(r"\d{0,9}", fraction):
        raise CommandError(f'-t "{text}" not in time format')
    nanoseconds = int(fraction.ljust(9, "0"))
    if day.isdecimal() and len(day) <= 11:
        return int(day) * 1_000_000_000 + nanoseconds
    full = day if re.match(r"\d{4}-", day) else f"{time.gmtime().tm_year}-{day}"
    try:
        return calendar.timegm(time.strptime(full, "%Y-%m-%d %H:%M:%S")) * 1_000_000_000 + nanoseconds
    except ValueError:
        raise CommandError(f'-t "{text}" not in time format') from None


@command("log")
async def log_message(context: Context) -> int:
    """Write an entry: `log [-p PRIORITY] [-t TAG] MESSAGE…`."""
    found = options(context, "p:t:", mixed=False)
    priority = PRIORITIES.find(found.get("p", "i").upper())
    if not found.rest or priority < 2:
        raise CommandError("usage: log [-p PRIORITY] [-t TAG] MESSAGE...")
    context.phone.logd.write(priority, found.get("t", "log"), " ".join(found.rest), pid=context.shell.pid)
    return 0
