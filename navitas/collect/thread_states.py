"""Threads' own time_in_state in the shell's loop: read cheaply, kept where it has changed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

_SHARE = 0.1
"""How much of the loop's time reading threads may take: passes that take longer are made less often."""
_LOOK_AGAIN = 25  # blocks after which the app's process is looked up again; while there is none, after 2
_HEAD = re.compile(rb"# (/proc/\d+/task/\d+/time_in_state)$")


def reading(package: str, interval_s: float) -> str:
    """The loop's part, which has the variables n, w and p (0, 0 and empty at first).

    It starts no process but `pidof`, now and then. mksh counts in 32 bits: a moment is `1`, three digits of seconds, six of
    microseconds. Where the kernel keeps no such file, nothing is printed; of a thread that ends meanwhile, its path alone.
    """
    look_up = f'p=$(pidof {shlex.quote(package)}); n=2; if [ -n "$p" ]; then n={_LOOK_AGAIN}; fi;'
    each = 'for f in /proc/$q/task/*/time_in_state; do echo "# $f"; cat $f; done'
    files = f"for q in $p; do if [ -r /proc/$q/time_in_state ]; then {each}; fi; done"
    pass_us = round(interval_s * 1e6 * _SHARE)
    return (
        f"if [ $n -le 0 ]; then {look_up} fi; n=$((n-1)); "
        f"if [ $w -gt 0 ]; then w=$((w-1)); else {_moment('s')} {{ {files}; }} 2>/dev/null; {_moment('e')} "
        f"w=$(((e-s)/{pass_us})); fi;"
    )


def _moment(name: str) -> str:
    return f"x=$EPOCHREALTIME; x=${{x#???????}}; {name}=1${{x%???????}}${{x#????}};"


class Changed:
    """Leaves readings of threads out that are as they were last time: most threads sleep. Remembers the last pass alone."""

    def __init__(self) -> None:
        self._last: dict[bytes, tuple[bytes, ...]] = {}

    def of(self, block: Sequence[bytes]) -> Iterator[bytes]:
        """A block's lines without them."""
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
        if passed:  # not each block has a pass
            self._last = passed
