"""Parse `shell.txt`: files that the device's shell printed repeatedly, as time series by path."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

_BLOCK = re.compile(r"@ (\d{1,10})[.,](\d{1,9})$")
# About twenty hours of a phone's readings. Each line adds an overhead, because a short string takes more memory than its text.
_MAX_CHARS = 1 << 29
_LINE_OVERHEAD = 100


@dataclass(slots=True)
class Series:
    """One file's texts. The block that contains `texts[i]` began at `realtime_ns[i]`."""

    realtime_ns: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)


def parse_shell(lines: Iterable[str]) -> tuple[dict[str, Series], int]:
    """Return series by path, and the number of lines at the end that were left out because the file is too large.

    A block is `@ <EPOCHREALTIME>`, then `# <path>` and its text. Other content is ignored, whatever its bytes.
    The decimal separator follows the device's locale. Texts are unchanged, and the last one may be cut.
    """
    series: dict[str, Series] = {}
    now: int | None = None
    path = ""
    text: list[str] = []
    room, left_out = _MAX_CHARS, 0

    def close() -> None:
        if now is not None and path:
            entry = series.setdefault(path, Series())
            entry.realtime_ns.append(now)
            entry.texts.append("".join(text))
        text.clear()

    for line in lines:
        room -= len(line) + _LINE_OVERHEAD
        if room < 0:
            left_out += 1
            continue
        if line.startswith("@ ") and (match := _BLOCK.match(line.rstrip())):
            close()
            path = ""
            now = int(match[1]) * 1_000_000_000 + int(match[2].ljust(9, "0"))
        elif line.startswith("# /"):
            close()
            path = line[2:].rstrip()
        else:
            text.append(line)
    close()
    return series, left_out
