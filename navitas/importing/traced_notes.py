"""What limits the figures of a kernel trace with a method trace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from navitas.counts import counted
from navitas.importing.art_trace import ArtTrace
from navitas.importing.notes import ImportNote
from navitas.importing.place_in_trace import Placed
from navitas.parse.reasons import Reason
from navitas.untrusted_text import printable_list

_SURE = 0.95
_NAMES = 5


def notes_of_trace(reasons: Sequence[Reason]) -> Iterator[ImportNote]:
    """Yield what limits a kernel trace."""
    for reason in reasons:
        yield ImportNote("trace", str(reason), "The evidence of reports says so, too.")


def traced_notes(art: ArtTrace, placed: Placed, without: Sequence[str]) -> Iterator[ImportNote]:
    """Yield what limits the figures. `without` are the names of threads without scheduling slices."""
    where = f"at {placed.start_ns / 1e9:.6f} s of the trace's clock"
    sure = f", ± {placed.uncertain_ns / 1e3:.0f} µs" if placed.uncertain_ns else ""
    yield ImportNote(
        "imported",
        f"the methods are placed by {placed.source}: they begin {where}{sure}; {placed.share:.1%} of the entries and exits are "
        "at times at which their threads run in the trace",
        "Figures of shorter calls than this are uncertain. To place them yourself: --start SECONDS"
        if placed.share >= _SURE
        else "This is a poor fit: threads do not enter methods while they do not run. To place them yourself: --start SECONDS",
    )
    yield ImportNote(
        "imported",
        "method tracing makes each call slower, and its cost is not known: its energy is included in that of methods",
        "Compare methods with many short calls with care.",
    )
    if all(one.cpu_ns is None for one in art.threads):
        yield ImportNote(
            "imported", "the method trace has no CPU times of threads", "They follow from the slices of the kernel trace."
        )
    if without:
        yield ImportNote(
            "imported",
            f"{counted(len(without), 'thread of the method trace is', 'threads of the method trace are')} not found in the "
            "kernel trace, by id or a name of their own: "
            f"{printable_list(without, _NAMES)}",
            "Their calls have no energy. Their energy, if any, is unattributed.",
        )
    if art.unlisted:
        yield ImportNote(
            "imported",
            f"{counted(art.unlisted, 'entry or exit has', 'entries and exits have')} an id that the trace does not "
            "list: they are of one method, (unknown)",
            "Trace again if they are many.",
        )
    if art.is_cut:
        yield ImportNote("events_missing", "the final summary of the method trace is missing", "Stop it with am profile stop.")
    if art.is_full:
        yield ImportNote(
            "events_missing", "the buffer of the method trace was full: later events are missing", "Trace a shorter time."
        )
    if art.cut_bytes:
        yield ImportNote(
            "events_missing",
            f"the method trace is cut off: its last {counted(art.cut_bytes, 'byte is', 'bytes are')} not used",
            "Copy it again.",
        )
