"""Time and memory to read histories of batterystats, 100 MB in each form, and of reading their lines without parsing."""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from common import Figures, arguments, compared_with, printed_s, run_measured

_READ = """\
import sys, time
from pathlib import Path
from navitas.android.batterystats.reader import BatteryStatsReader, line_blocks
begin, reader = time.process_time(), BatteryStatsReader()
for block in line_blocks(Path(sys.argv[1])):
    reader.read(block)
reader.end()
assert reader.lines.listed == 0, reader.lines.examples
print(time.process_time() - begin)
"""
_LINES = """\
import sys, time
begin, count = time.process_time(), 0
with open(sys.argv[1], "rb") as stream:
    for line in stream:
        count += 1
print(time.process_time() - begin)
"""
"""The least work of a reader of lines: no parsing."""
_APPS = 400
_BATCH = 20_000
_FIRST_S = 1_767_225_600
_Line = tuple[int, str]


def main(argv: list[str]) -> int:
    """Write histories, and read each in a separate process."""
    options = arguments(__doc__ or "", argv)
    figures = Figures("Histories of batterystats (CPU time)")
    size = 100_000_000 // (10 if options.quick else 1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "history.txt"
        for name, begin, changes, shown in (
            ("checkin", _checkin_begin(), _checkin_changes, _delta),
            (
                "text",
                "Battery History (1% used):\n" + "0 (9) RESET:TIME: 2026-01-01-00-00-00\n".rjust(60),
                _text_changes,
                _offset,
            ),
            ("text with dates", "Battery History [Format: 2] (1% used):\n", _text_changes, _date),
        ):
            lines = _write(path, begin, changes(random.Random(1)), shown, size)
            own, floor = printed_s(_READ, path), printed_s(_LINES, path)
            note = f"{lines / own / 1e6:.2f} M lines/s; {compared_with(own, floor, 'reading lines')}"
            figures.add(f"a million lines of {name}", own / lines * 1e6, "s", at_most=2.0, note=note)
            peak = run_measured([sys.executable, "-c", _READ, path]).peak_mib
            figures.add(f"{size / 1e6:.0f} MB of {name}, peak memory", peak, "MiB", at_most=256)
    return figures.close(options.check)


def _checkin_begin() -> str:
    names = "".join(f'9,hsp,{i},{10000 + i},"com.example.app{i}/.sync.Service{i}"\n' for i in range(_APPS))
    return f"9,0,i,vers,36,214,A,B\n{names}9,h,0:RESET:TIME:{_FIRST_S}000\n"


def _checkin_changes(draw: random.Random) -> Iterator[_Line]:
    """Jobs and wake locks of many apps, radios, and a battery whose voltage and charge differ in each line."""
    while True:
        kind, app = draw.random(), draw.randrange(_APPS)
        if kind < 0.6:
            text = f",{draw.choice('+-')}{draw.choice(('Ewl', 'Ejb'))}={app}"
        elif kind < 0.7:
            text = f",+r,wr={draw.randrange(50)},+w={app}"
        elif kind < 0.8:
            text = ",-r,-w"
        elif kind < 0.9:
            text = f",Bv={draw.randrange(3600, 4400)},Bcc={draw.randrange(4000)}"
        else:
            text = f",{draw.choice('+-')}{draw.choice(('Wr', 'Pr', 'g', 's', 'ca', 'a', 'S'))},Pss={draw.randrange(5)}"
        yield draw.randrange(1, 2000), text


def _text_changes(draw: random.Random) -> Iterator[_Line]:
    """The same in readable form. The level falls by 1 % every thousand lines."""
    number = 0
    while True:
        number += 1
        kind, app = draw.random(), draw.randrange(_APPS)
        if kind < 0.6:
            text = f'{draw.choice("+-")}wake_lock_in=u0a{app}:"*job*/com.example.app{app}/.sync.Service{app}"'
        elif kind < 0.7:
            text = f'+running +wake_lock=1000:"*alarm*:TIME_TICK" wake_reason=0:"{draw.randrange(50)} rtc_alarm"'
        elif kind < 0.8:
            text = "-running -wake_lock"
        elif kind < 0.9:
            text = f"volt={draw.randrange(3600, 4400)} charge={draw.randrange(4000)}"
        else:
            state = draw.choice(("wifi_radio", "mobile_radio", "gps", "camera", "screen", "audio"))
            text = f"{draw.choice('+-')}{state} phone_signal_strength={draw.choice(('poor', 'good', 'great'))}"
        yield draw.randrange(1, 900), f"{99 - number // 1000 % 99:03} {text}"


def _delta(delta_ms: int, _: int, text: str) -> str:
    return f"9,h,{delta_ms}{text}\n"


def _offset(_: int, at_ms: int, text: str) -> str:
    seconds, ms = divmod(at_ms, 1000)
    fields = [seconds // 86400, seconds // 3600 % 24, seconds // 60 % 60, seconds % 60]
    shown = [(number, unit) for number, unit in zip(fields, "dhms", strict=True)]
    while len(shown) > 1 and not shown[0][0]:
        shown.pop(0)
    time_text = f"{shown[0][0]}{shown[0][1]}" + "".join(f"{number:02}{unit}" for number, unit in shown[1:])
    return f"{f'+{time_text}{ms:03}ms':>21} (2) {text}\n"


def _date(_: int, at_ms: int, text: str) -> str:
    return f"  {time.strftime('%m-%d %H:%M:%S', time.gmtime(_FIRST_S + at_ms // 1000))}.{at_ms % 1000:03} {text}\n"


def _write(path: Path, begin: str, lines: Iterator[_Line], shown: Callable[[int, int, str], str], size: int) -> int:
    """Write at least `size` bytes; return the number of lines."""
    written, count, at_ms = 0, begin.count("\n"), 0
    with path.open("w") as out:
        out.write(begin)
        while written < size:
            for _ in range(_BATCH):
                delta_ms, text = next(lines)
                at_ms += delta_ms
                written += out.write(shown(delta_ms, at_ms, text))
            count += _BATCH
    return count


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
