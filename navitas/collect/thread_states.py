"""Threads' time_in_state in the shell's loop: read at low cost, kept only if changed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

_SHARE = 0.1
"""The largest share of the loop's time for reading threads: the loop skips blocks if a pass takes longer."""
_LOOK_UP_EVERY = 25  # blocks after which the app's process is looked up again; while there is none, after 2
_HEAD = re.compile(rb"# (/proc/\d+/task/\d+/time_in_state)$")


def reading(package: str, interval_s: float) -> str:
    """Return the loop's code for one block. It uses the variables n, w and p (initially 0, 0 and empty).

    Apart from an occasional `pidof`, it starts no process. mksh counts in 32 bits, so a time is `1`, three digits of seconds and
    six of microseconds. If the kernel has no such file, nothing is printed; if a thread ends meanwhile, only its path.
    """
    look_up = f'p=$(pidof {shlex.quote(package)}); n=2; if [ -n "$p" ]; then n={_LOOK_UP_EVERY}; fi;'
    each = 'for f in /proc/$q/task/*/time_in_state; do echo "# $f"; cat $f; done'
    files = f"for q in $p; do if [ -r /proc/$q/time_in_state ]; then {each}; fi; done"
    pass_us = round(interval_s * 1e6 * _SHARE)
    return (
        f"if [ $n -le 0 ]; then {look_up} fi; n=$((n-1)); "
        f"if [ $w -gt 0 ]; then w=$((w-1)); else {_read_clock('s')} {{ {files}; }} 2>/dev/null; {_read_clock('e')} "
        f"w=$(((e-s)/{pass_us})); fi;"
    )


def _read_clock(name: str) -> str:
    return f"x=$EPOCHREALTIME; x=${{x#???????}}; {name}=1${{x%???????}}${{x#????}};"


class Changed:
    """Drops readings that equal those of the previous pass, because most threads sleep. Stores only the previous pass."""

    def __init__(self) -> None:
        self._last: dict[bytes, tuple[bytes, ...]] = {}

    def lines_of(self, block: Sequence[bytes]) -> Iterator[bytes]:
        """Yield a block's lines, without the readings of unchanged threads."""
        path, text = b"", []
        passed: dict[bytes, tuple[bytes, ...]] = {}
        for line in [*block, b"# /"]:
            if not line.startswith(b"# /"):
                text.append(line)
                continue
            if not path or self._last.get(path) != tuple(text[1:]):
                yield from text
            if path:
                passed[path] = tuple(text[1:])
            head = _HEAD.match(line.rstrip())
            path, text = head[1] if head else b"", [line]
        if passed:  # a block may have no pass
            self._last = passed
