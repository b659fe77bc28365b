"""A billion probed calls in one run: the cost for the app, the size of the recording, and no lost data (needs Maven)."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from bench_probe import JAR, build
from common import Figures, arguments, compared_with, run_measured

from navitas.recording.parse.chunks import CALLS, FOLDED, read_chunks
from navitas.recording.parse.folded import decode_folded
from navitas.recording.parse.methodmap import Span
from navitas.recording.parse.tables import ENTER

_METHODS = 5
_KIND_BITS = 62


@dataclass(frozen=True, slots=True)
class Recorded:
    """The contents of an event file: calls, lost records, and the relative difference between self times and the folded time."""

    calls: int
    lost: int
    missed_time: float


def main(argv: list[str]) -> int:
    """Run the same calls with and without probes, each in a separate JVM. The runtime starts folding by itself."""
    options = arguments(__doc__ or "", argv)
    calls = 100_000_000 if options.quick else 1_000_000_000
    build()
    figures = Figures(f"{calls:,} calls")
    with tempfile.TemporaryDirectory() as folder:
        main_class = "org.navitas.bench.ManyCalls"
        plain_s, _, plain_mib = run_measured(["java", "-cp", JAR, main_class, str(calls), "plain"])
        probed_s, _, probed_mib = run_measured(["java", f"-Dnavitas.out={folder}", "-cp", JAR, main_class, str(calls)])
        (path,) = Path(folder).iterdir()
        recording_mib = path.stat().st_size / (1 << 20)
        recorded = read(path)
    figures.add(
        "memory in addition to the plain app's", probed_mib - plain_mib, "MiB", at_most=64, note=f"plain {plain_mib:.0f} MiB"
    )
    figures.add("recording", recording_mib, "MiB", at_most=200)
    figures.add("calls missing", abs(calls + 1 - recorded.calls), at_most=4, note="the last round of four may be cut short")
    figures.add("records lost", recorded.lost, at_most=0)
    figures.add("share of time missing in folded calls", recorded.missed_time, at_most=1e-6)
    figures.add(
        "time",
        probed_s,
        "s",
        note=f"{compared_with(probed_s, plain_s, 'plain')}; {1e9 * (probed_s - plain_s) / calls:.0f} ns a call",
    )
    return figures.close(options.check)


def read(path: Path) -> Recorded:
    """Count the contents of an event file in which one thread has calls."""
    chunks = read_chunks(path).chunks
    words = [np.frombuffer(chunk.payload, "<u8") for chunk in chunks if chunk.type == CALLS]
    entered = sum(int(np.count_nonzero(part >> np.uint64(_KIND_BITS) == ENTER)) for part in words)
    folds = [chunk for chunk in chunks if chunk.type == FOLDED]
    folded, _ = decode_folded(folds, {chunk.map_id: Span(0, _METHODS) for chunk in folds})
    span_ns = int(folded.epoch_end_ns.max() - folded.epoch_start_ns.min())
    return Recorded(
        calls=entered + int(folded.calls.sum()),
        lost=sum(chunk.lost_before for chunk in chunks),
        missed_time=abs(1 - int(folded.self_ns.sum()) / span_ns),
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
