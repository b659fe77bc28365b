"""Converts other text forms of kernel traces to the kernel's own, in pieces of any size.

Forms: `perf script`, the kernel's latency format (kernel: trace_output.c, `trace_print_lat_context`), the packed text of
`atrace -z`, the JSON of trace viewers with the kernel's text in `systemTraceEvents`, and UTF-16.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from navitas.base.errors import RecordingError
from navitas.base.line_blocks import LINE_LIMIT, utf8_of
from navitas.base.packed_files import inflate
from navitas.base.regular_files import UTF16_MARKS
from navitas.recording.importing.other_forms import OtherForm, is_perfetto

Converter = Callable[[Iterable[bytes], str], Iterator[bytes]]
"""Pieces of a file, and its name in messages → pieces of the kernel's text."""
_SECONDS = rb"\d{1,9}\.\d{6}(?:\d{3})?"
_ATRACE = re.compile(rb"\A[\t\r\n -~]{0,2000}?TRACE:\r?\n(?=\x78[\x01\x5e\x9c\xda])")
_JSON = re.compile(rb"\A\s{0,1000}\{")
_KERNEL = re.compile(rb"^[^\n]{0,80}-\d{1,7} [^\n]{0,40}\[\d{1,4}\] [^\n]{0,30}" + _SECONDS + rb": \w+: ", re.MULTILINE)
_PERF = re.compile(
    rb"^[ \t]*+([^\s].{0,40}?)[ \t]++(?:(\d{1,7})/)?(\d{1,7})[ \t]++\[(\d{1,4})\][ \t]++(" + _SECONDS + rb"):[ \t]++"
    rb"(?:\d++[ \t]++)?[\w-]++:([\w-]++):[ \t]*+",
    re.MULTILINE,
)
_PERF_FRAME = re.compile(rb"^[ \t]++[0-9a-f]{4,16}[ \t].*$", re.MULTILINE)
_LATENCY = re.compile(
    rb"^[ \t]*+([^\s].{0,40}?)-(\d{1,7})[ \t]++(\d{1,4})([^\s\d:\[\]][^\s:\[\]]{1,7})[ \t]++"
    rb"(?:(\d{1,15})us[ $@*#!+]?|(" + _SECONDS + rb") ?):[ \t]++",
    re.MULTILINE,
)
_US = 5
_LATENCY_ENTRIES = re.compile(rb"^# latency: .{0,80}?#(\d{1,18})/(\d{1,18}),.*$", re.MULTILINE)
_LATENCY_CLOCK = re.compile(rb"^# *(?:trace[_ ])?clock:.*$", re.MULTILINE)
_KEY = re.compile(rb'"systemTraceEvents"\s{0,100}:\s{0,100}"')
_STRING = re.compile(rb'[^"\\]*+(?:\\(?:u[0-9a-fA-F]{4}|[^u])[^"\\]*+)*+')
_ESCAPE = re.compile(rb"\\(?:u(.{4})|(.))", re.DOTALL)
_ESCAPED = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"b": b"\b", b"f": b"\f"}
_LONGEST_ESCAPE, _LONGEST_KEY = 6, 300
_NO_KERNEL_TEXT = OtherForm(
    "the JSON of a trace viewer without the kernel's text (systemTraceEvents)", "Give the trace that it was converted from."
)


def converter_of(head: bytes) -> Converter | None:
    """Return what converts a trace that begins like this; None if nothing does, or nothing has to."""
    if head.startswith(UTF16_MARKS):
        inner = converter_of(head.decode("utf-16", "replace").encode())
        return lambda pieces, shown: inner(_utf8(pieces), shown) if inner else _utf8(pieces)
    if _ATRACE.match(head):
        return _of_atrace
    if _JSON.match(head):
        return _of_json
    return None if is_perfetto(head) or _KERNEL.search(head) else _by_line(head)


def _by_line(head: bytes) -> Converter | None:
    if _PERF.search(head):
        return lambda pieces, _: map(_of_perf, _whole_lines(pieces))
    if (line := _LATENCY.search(head)) is not None:
        clock = line[_US] is None
        return lambda pieces, _: (_of_latency(lines, clock=clock) for lines in _whole_lines(pieces))
    return None


def _utf8(pieces: Iterable[bytes]) -> Iterator[bytes]:
    utf8 = None
    for data in pieces:
        utf8 = utf8 or utf8_of(data)
        yield utf8(data)


def _of_atrace(pieces: Iterable[bytes], shown: str) -> Iterator[bytes]:
    del shown
    first = next(iterator := iter(pieces))
    begin = _ATRACE.match(first)
    return inflate(chain([first[begin.end() if begin else 0 :]], iterator))


def _of_json(pieces: Iterable[bytes], shown: str) -> Iterator[bytes]:
    """Yield the text of the first key `systemTraceEvents`. Quotes in strings are escaped, so no string looks like the key."""
    text, is_within = b"", False
    for data in pieces:
        text += data
        if not is_within:
            if (key := _KEY.search(text)) is None:
                text = text[-_LONGEST_KEY:]
                continue
            text, is_within = text[key.end() :], True
        end = _string_end(text)
        yield _ESCAPE.sub(_character, text[:end])
        text = text[end:]
        if text.startswith(b'"'):
            return
        if len(text) >= _LONGEST_ESCAPE:
            break
    raise RecordingError(f"{shown}: its JSON is damaged", "Save the trace again.") if is_within else _NO_KERNEL_TEXT.error(shown)


def _string_end(text: bytes) -> int:
    """Return where the complete characters of a JSON string end: at its quote, or before a cut escape."""
    characters = _STRING.match(text)
    return characters.end() if characters else 0


def _character(escape: re.Match[bytes]) -> bytes:
    code, letter = escape.groups()
    return _ESCAPED.get(letter, letter) if code is None else chr(int(code, 16)).encode("utf-8", "replace")


def _whole_lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield pieces that end with lines. Longer lines than 1 MiB, which no trace has, are cut."""
    rest = b""
    for data in pieces:
        whole, newline, rest = (rest + data).rpartition(b"\n")
        yield whole + newline
        if len(rest) > LINE_LIMIT:
            yield rest
            rest = b""
    yield rest


def _of_perf(lines: bytes) -> bytes:
    # Converted lines begin without blanks, so a thread with a name such as `cafe` is no frame of a call stack.
    return _PERF_FRAME.sub(b"", _PERF.sub(_perf_head, lines))


def _perf_head(line: re.Match[bytes]) -> bytes:
    comm, pid, tid, cpu, seconds, event = line.groups()
    tgid = b"(%s) " % pid if pid else b""
    return b"%s-%s %s[%s] .... %s: %s: " % (comm, tid, tgid, cpu.zfill(3), seconds, event)


def _of_latency(lines: bytes, *, clock: bool) -> bytes:
    """Convert lines. Without a `clock`, times count from the last reset of the trace."""
    lines = _LATENCY_ENTRIES.sub(rb"# entries-in-buffer/entries-written: \1/\2", lines)
    return _LATENCY.sub(_latency_head, lines if clock else _LATENCY_CLOCK.sub(b"#", lines))


def _latency_head(line: re.Match[bytes]) -> bytes:
    comm, pid, cpu, flags, us, seconds = line.groups()
    time = seconds or b"%d.%06d" % divmod(int(us), 1_000_000)
    return b"%s-%s [%s] %s %s: " % (comm, pid, cpu.zfill(3), flags, time)
