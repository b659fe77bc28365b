"""logcat, log."""

from __future__ import annotations

import calendar
import re
import shlex
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial

from navitas.virtual_phone.identity import FIRST_APP_UID, user_name
from navitas.virtual_phone.logd import BUFFERS, MAX_BYTES, MIN_BYTES, Entry
from navitas.virtual_phone.shell.commands.command_options import Options, options, whole_number
from navitas.virtual_phone.shell.context import Context, command
from navitas.virtual_phone.shell.state import CommandError
from navitas.virtual_phone.shell.streams import PIECE_BYTES, decode, encode

STYLES = ("brief", "long", "raw", "tag", "threadtime", "time")
MODIFIERS = ("color", "colour", "epoch", "uid", "usec", "UTC", "year", "zone")

PRIORITIES = "..VDIWEFS"
"""The letter of each priority."""
_COLORS = {"D": 34, "I": 32, "W": 33, "E": 31, "F": 31}
_DEFAULT_COLOR = 39
_MAX_FRAME_BYTES = 127
_DEFAULT_BUFFERS = ("main", "system", "crash", "kernel")
_SILENT = 8
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@dataclass(frozen=True, slots=True)
class LogFormat:
    """A style and its modifiers."""

    style: str = "threadtime"
    modifiers: frozenset[str] = frozenset()

    def render(self, entry: Entry) -> str:
        """Format an entry: one line for each line of its message, each with the prefix (`long` has one header)."""
        prefix, suffix = (_cut(text) for text in self._frame(entry))
        if "color" in self.modifiers:
            prefix = f"\x1b[{_COLORS.get(PRIORITIES[entry.priority], _DEFAULT_COLOR)}m{prefix}"
            suffix = f"\x1b[0m{suffix}"
        lines = [entry.message] if self.style == "long" else entry.message.removesuffix("\n").split("\n")
        return "".join(f"{prefix}{line}{suffix}" for line in lines)

    def _frame(self, entry: Entry) -> tuple[str, str]:
        level = PRIORITIES[entry.priority]
        tag = f"{entry.tag:<8}"
        uid = self._uid(entry.uid)
        when = self._time(entry.realtime_ns)
        frames = {
            "tag": (f"{level}/{tag}: ", "\n"),
            "raw": ("", "\n"),
            "time": (f"{when} {level}/{tag}({uid}{entry.pid:5d}): ", "\n"),
            "threadtime": (f"{when} {uid.replace(':', ' ')}{entry.pid:5d} {entry.tid:5d} {level} {tag}: ", "\n"),
            "long": (f"[ {when} {uid}{entry.pid:5d}:{entry.tid:5d} {level}/{tag} ]\n", "\n\n"),
            "brief": (f"{level}/{tag}({uid}{entry.pid:5d}): ", "\n"),
        }
        return frames[self.style]

    def _uid(self, uid: int) -> str:
        if "uid" not in self.modifiers:
            return ""
        name = user_name(uid)
        return f"{name if uid < FIRST_APP_UID and len(name) <= 5 else uid:>5}:"

    def _time(self, realtime_ns: int) -> str:
        seconds, nanoseconds = divmod(max(0, realtime_ns), 1_000_000_000)
        fraction = f"{nanoseconds // 1000:06d}" if "usec" in self.modifiers else f"{nanoseconds // 1_000_000:03d}"
        if "epoch" in self.modifiers:
            return f"{seconds:19d}.{fraction}"
        day = time.strftime("%Y-%m-%d %H:%M:%S" if "year" in self.modifiers else "%m-%d %H:%M:%S", time.gmtime(seconds))
        return f"{day}.{fraction}" + (" +0000" if {"zone", "UTC"} & self.modifiers else "")


def _cut(text: str) -> str:
    """Cut a prefix or suffix to 127 bytes, the size of liblog's buffers."""
    data = text.encode("utf-8", "replace")
    if len(data) <= _MAX_FRAME_BYTES:
        return text
    end = "\n" if text.endswith("\n") else ""
    return data[: _MAX_FRAME_BYTES - len(end)].decode("utf-8", "ignore") + end


@dataclass(slots=True)
class _Filter:
    """The conditions for entries: the minimum priority by tag, and others."""

    default: int = 2
    tags: dict[str, int] = field(default_factory=dict)
    pid: int | None = None
    regex: re.Pattern[str] | None = None
    since_ns: int = 0

    def is_sent(self, entry: Entry) -> bool:
        """Return whether the log daemon sends the entry to logcat."""
        return (self.pid is None or entry.pid == self.pid) and entry.realtime_ns >= self.since_ns

    def shows(self, entry: Entry) -> bool:
        """Return whether tag, priority and message match."""
        is_loud = entry.priority >= self.tags.get(entry.tag, self.default)
        return is_loud and (self.regex is None or self.regex.search(entry.message) is not None)


@command("logcat")
async def logcat(context: Context) -> None:
    """Print and follow the log, with messages of Android 14's logcat.cpp. It writes no files, and nothing binary."""
    found = _options(context)
    log = context.phone.logd
    log.drain()
    buffers = _buffers(found.values.get("b", []))
    if "c" in found:
        log.clear(buffers)
        return
    if "G" in found:
        log.resize(buffers, _size(found.get("G"), buffers))
        return
    chosen = _filter(context, found)
    printer = _Printer(context, _format(found), chosen, limit=_count(found))
    start = found.get("t") or found.get("T")
    # The log daemon counts the newest lines before logcat filters them.
    sent: Iterable[Entry] = filter(chosen.is_sent, log.entries(buffers))
    last = log.last_sequence
    if (count := whole_number(start)) is not None:
        sent = deque(sent, maxlen=max(1, count))
    if await printer.print_all(sent) or "d" in found or "t" in found:
        return
    async for new in log.follow(buffers, last):
        if await printer.print_all(filter(chosen.is_sent, new)):
            break


def _options(context: Context) -> Options:
    """Return the options. Raises `CommandError` as logcat does."""
    try:
        found = options(context, "cdt:T:G:sv:b:m:e:", ("pid=",))
    except CommandError as error:
        name = error.message.partition("'")[2].partition("'")[0]
        wrong = f"Unknown option '-{'' if len(name) == 1 else '-'}{name}'." if name else error.message
        raise CommandError(wrong) from None
    if "m" in found and "t" in found:
        raise CommandError("Cannot use -m (--max-count) and -t together.")
    return found


def _count(found: Options) -> int:
    """Return the positive number of -m, or -1 without it."""
    if "m" not in found:
        return -1
    count = whole_number(found.get("m"))
    if not count:
        raise CommandError(f"-m '{found.get('m')}' isn't an integer greater than zero.")
    return count


class _Printer:
    """Prints entries that pass a filter, and a divider before the first entry of a buffer."""

    def __init__(self, context: Context, form: LogFormat, chosen: _Filter, *, limit: int) -> None:
        self._context = context
        self._form = form
        self._chosen = chosen
        self._left = limit
        self._begun: set[str] = set()

    async def print_all(self, entries: Iterable[Entry]) -> bool:
        """Print entries. Returns True when the limit of matches is reached."""
        pieces: list[bytes] = []
        size = 0
        for entry in entries:
            if not self._chosen.shows(entry):
                continue
            pieces.append(encode(self._divider(entry.buffer) + self._form.render(entry)))
            size += len(pieces[-1])
            self._left -= 1
            if self._left == 0:
                break
            if size >= PIECE_BYTES:
                await self._context.out(b"".join(pieces))
                pieces, size = [], 0
        await self._context.out(b"".join(pieces))
        return self._left == 0

    def _divider(self, buffer: str) -> str:
        if buffer in self._begun:
            return ""
        self._begun.add(buffer)
        return f"--------- beginning of {buffer}\n"


def _buffers(names: list[str]) -> tuple[str, ...]:
    if not names:
        return _DEFAULT_BUFFERS
    chosen: dict[str, None] = {}
    for name in filter(None, re.split(r"[,:; \t\n\r\f]", ",".join(names))):
        if name in ("default", "all"):
            chosen.update(dict.fromkeys(_DEFAULT_BUFFERS[:3] if name == "default" else BUFFERS))
        elif name in BUFFERS:
            chosen[name] = None
        else:
            raise CommandError(f"Unknown -b buffer '{name}'.")
    return tuple(chosen)


def _size(text: str, buffers: tuple[str, ...]) -> int:
    match = re.fullmatch(r"(\d{1,12})([KMG]?)", text.upper())
    size = int(match.group(1)) * _UNITS[match.group(2)] if match else 0
    if not size:
        raise CommandError("-G must be specified as <num><multiplier>.")
    if not MIN_BYTES <= size <= MAX_BYTES:
        plural = "s" if len(buffers) > 1 else ""
        raise CommandError(f"failed to set the '{','.join(buffers)}' log size{plural}.")
    return size


def _format(found: Options) -> LogFormat:
    style = "threadtime"
    modifiers: set[str] = set()
    for word in filter(None, re.split(r"[,:; \t\n\r\f]", ",".join(found.values.get("v", [])))):
        if word in STYLES:
            style = word
        elif word in MODIFIERS:
            modifiers.add({"UTC": "zone", "colour": "color"}.get(word, word))
        else:
            raise CommandError(f"Invalid -v '{word}'.")
    return LogFormat(style, frozenset(modifiers))


def _filter(context: Context, found: Options) -> _Filter:
    chosen = _Filter(default=_SILENT if "s" in found else 2)
    specifications = found.rest or shlex.split(context.shell.get("ANDROID_LOG_TAGS") or "")
    for specification in ",".join(specifications).replace(" ", ",").split(","):
        tag, colon, letter = specification.partition(":")
        if not specification:
            continue
        priority = _priority(letter) if colon else 3 if tag == "*" else 2
        if not tag or priority is None:
            where = "" if found.rest else " in ANDROID_LOG_TAGS"
            raise CommandError(f"Invalid filter expression '{specification}'{where}.")
        if tag == "*":
            chosen.default = priority
        else:
            chosen.tags[tag] = priority
    if "pid" in found:
        chosen.pid = whole_number(found.get("pid"))
        if not chosen.pid:
            raise CommandError(f"pid '{found.get('pid')}' out of range.")
    if "e" in found:
        try:
            chosen.regex = re.compile(found.get("e"))
        except re.error as error:
            raise CommandError(f"bad regex: {error}") from None
    option = "t" if "t" in found else "T"
    start = found.get(option)
    if start and whole_number(start) is None:
        chosen.since_ns = _instant_ns(option, start)
    return chosen


def _priority(letter: str) -> int | None:
    """Return the priority for a filter's first letter or digit; `*` means the global default."""
    first = letter[:1].upper()
    if (level := whole_number(first)) is not None:
        return 2 if level >= _SILENT else max(2, level)
    if first == "*":
        return 2
    number = PRIORITIES.find(first) if first else -1
    return number if number >= 2 else None


def _instant_ns(option: str, text: str) -> int:
    """Parse `MM-DD hh:mm:ss.mmm`, `YYYY-MM-DD hh:mm:ss.mmm` or `sssss.mmm` to nanoseconds since 1970."""
    day, _, fraction = text.partition(".")
    wrong = CommandError(f"-{option} '{text}' not in time format.")
    nanoseconds = whole_number(fraction.ljust(9, "0")) if len(fraction) <= 9 else None
    if nanoseconds is None:
        raise wrong
    if (seconds := whole_number(day)) is not None and len(day) <= 11:
        return seconds * 1_000_000_000 + nanoseconds
    full = day if re.match(r"\d{4}-", day) else f"{time.gmtime().tm_year}-{day}"
    try:
        return calendar.timegm(time.strptime(full, "%Y-%m-%d %H:%M:%S")) * 1_000_000_000 + nanoseconds
    except ValueError:
        raise wrong from None


@command("log")
async def log_message(context: Context) -> None:
    """Write an entry, `log [-p PRIORITY] [-t TAG] [MESSAGE…]`; without a message, one for each line of standard input."""
    found = options(context, "p:t:", mixed=False)
    letter = found.get("p", "i")
    priority = PRIORITIES.find(letter.upper()) if len(letter) == 1 else -1
    if priority < 2:
        raise CommandError(f"bad -p '{letter}'")
    write = partial(context.phone.logd.write, priority, found.get("t", "log"), pid=context.shell.pid)
    if found.rest:
        write(" ".join(found.rest))
    else:
        async for line in context.stdin.lines():
            write(decode(line.rstrip(b"\n")))
