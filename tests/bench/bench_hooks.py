"""The cost of a hooked call of an API, and of a small read of a file with and without hooks (JMH; needs Maven)."""

from __future__ import annotations

import sys

from bench_probe import build, results
from common import Figures, arguments

MAX_NS = 1000.0
_BYTES_OF_NO_OBJECT = 4.0
"""An object has 16 bytes or more. The buffers of the writer are counted, too."""


def main(argv: list[str]) -> int:
    """Report the medians over the iterations."""
    options = arguments(__doc__ or "", argv)
    build()
    figures = Figures("Hooks")
    for found in results("HookBenchmark", iterations=5 if options.quick else 20):
        mode, plain_ns, hooked_ns = found.params["mode"], found.median_ns("plainNs"), found.median_ns("hookedNs")
        figures.add(f"{mode}: a hooked call of nothing", found.median_ns("hookNs"), "ns", at_most=MAX_NS)
        note = f"{hooked_ns:.0f} ns; without hooks {plain_ns:.0f} ns"
        figures.add(f"{mode}: a read of one byte: ratio", hooked_ns / plain_ns, "×", note=note)
        figures.add(f"{mode}: what hooks add to it", hooked_ns - plain_ns, "ns", at_most=MAX_NS)
        figures.add(f"{mode}: allocated a call", found.allocated_bytes, "B", at_most=_BYTES_OF_NO_OBJECT)
    return figures.close(options.check)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
