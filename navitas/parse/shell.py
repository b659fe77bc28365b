"""`shell.txt`: files that the device's shell printed in turn, as time series by path."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_BLOCK = re.compile(r"@ (\d{1,10})[.,](\d{1,9})$")


@dataclass(slots=True)
class Series:
    """One file's texts; `realtime_ns[i]` is when the block of `texts[i]` began."""

    realtime_ns: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)


def parse_shell(text: str) -> dict[str, Series]:
    """Series by path from blocks `@ <EPOCHREALTIME>`, `# <path>`, text. Anything else is passed over, in any bytes.

    The decimal sign follows the device's locale. Texts are as they came, the last one perhaps cut.
    """
    series: dict[str, Series] = {}
    now: int | None = None
    path = ""
    lines: list[str] = []

    def close() -> None:
        if now is not None and path:
            entry = series.setdefault(path, Series())
            entry.realtime_ns.append(now)
            entry.texts.append("".join(lines))
        lines.clear()

    for line in text.splitlines(keepends=True):
        if line.startswith("@ ") and (match := _BLOCK.match(line.rstrip())):
            close()
            path = ""
            now = int(match[1]) * 1_000_000_000 + int(match[2].ljust(9, "0"))
        elif line.startswith("# /"):
            close()
            path = line[2:].rstrip()
        else:
            lines.append(line)
    close()
    return series
