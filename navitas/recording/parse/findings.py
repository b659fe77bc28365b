"""Warnings and losses that parsing collects while it reads a run, and those about data that a newer Navitas wrote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from navitas.recording.codes import LossCode, WarningCode
from navitas.recording.manifest import SCHEMA_MINOR, SCHEMA_VERSION, Manifest, SourceKind, Warning, known_words
from navitas.recording.parse.counters import Readings
from navitas.recording.store import LONGEST_NAME, Recording, Unknown

TORN = "The other readings are used."
LOST = "The time of lost events counts as untraced or unattributed."
UPDATE = "Update Navitas, or use the version that made the recording."
_THREADS_NAMED = 3
_NAMES_LISTED = 20
_NAMES_NAMED = 5


@dataclass(frozen=True, slots=True)
class ParsedLoss:
    """Data that is known to be missing: a code (`LossCode`, or a code of a newer Navitas) and an amount.

    The other fields say where it is missing, and are None where that is unknown: the run, the file (relative to the
    recording), and the thread's serial and name (serial 0 is the process). `name` is the name of an unknown item.
    """

    what: str
    count: int
    run: int | None = None
    file: str | None = None
    serial: int | None = None
    thread: str | None = None
    name: str | None = None


@dataclass(slots=True)
class Findings:
    """Warnings and losses of one run, or of the whole recording if `run` is None."""

    run: int | None = None
    warnings: list[Warning] = field(default_factory=list)
    losses: list[ParsedLoss] = field(default_factory=list)

    def warn(self, code: WarningCode, message: str, remedy: str) -> None:
        """Add a warning about this run."""
        self.warnings.append(Warning(code=code, message=message, remedy=remedy, run=self.run))

    def add_loss(self, what: LossCode, count: int, message: str, remedy: str, *, file: str | None = None) -> None:
        """Add a loss and its warning if `count` is positive.

        `{count}` in the message is filled in. `file` is relative to the run's folder.
        """
        if count > 0:
            self.losses.append(ParsedLoss(what, count, self.run, file=self._place(file)))
            self.warn(what, message.replace("{count}", str(count)), remedy)

    def add_torn(self, what: LossCode, count: int, source: str) -> None:
        """Add the loss of a source's torn readings, and its warning, if `count` is positive."""
        self.add_loss(what, count, f"{source}: {{count}} torn readings were skipped", TORN)

    def add_losses_by_name(
        self, what: LossCode, counts: Mapping[str, int], message: str, remedy: str, *, file: str | None = None
    ) -> None:
        """Add a loss for each name, and one warning for all. `{count}` and `{names}` in the message are filled in.

        Only the first names get a loss of their own; one more loss holds the sum of the rest.
        """
        if not counts:
            return
        listed = list(counts.items())
        losses = [ParsedLoss(what, count, self.run, file=self._place(file), name=name) for name, count in listed[:_NAMES_LISTED]]
        rest = sum(count for _, count in listed[_NAMES_LISTED:])
        self.losses += [*losses, *([ParsedLoss(what, rest, self.run, file=self._place(file))] if rest else [])]
        more = [f"{len(listed) - _NAMES_NAMED} more"] if len(listed) > _NAMES_NAMED else []
        names = ", ".join([*(name for name, _ in listed[:_NAMES_NAMED]), *more])
        self.warn(what, message.replace("{count}", str(sum(counts.values()))).replace("{names}", names), remedy)

    def _place(self, file: str | None) -> str | None:
        return file if file is None or self.run is None else f"runs/{self.run}/{file}"

    def add_losses_by_thread(
        self, what: LossCode, counts: Mapping[int, int], names: Mapping[int, str], message: str, remedy: str
    ) -> None:
        """Add a loss for each thread, and one warning that names the threads that lost most.

        `counts` and `names` are by the thread's serial. `{count}` in the message is filled in.
        """
        lost = sorted(((count, serial) for serial, count in counts.items() if count > 0), key=lambda one: (-one[0], one[1]))
        if not lost:
            return
        self.losses += [ParsedLoss(what, count, self.run, serial=serial, thread=names.get(serial)) for count, serial in lost]
        named = [f"{_name(serial, names)}: {count}" for count, serial in lost[:_THREADS_NAMED]]
        more = [f"{len(lost) - _THREADS_NAMED} more threads"] if len(lost) > _THREADS_NAMED else []
        total = str(sum(count for count, _ in lost))
        self.warn(what, f"{message.replace('{count}', total)} ({', '.join([*named, *more])})", remedy)


def _name(serial: int, names: Mapping[int, str]) -> str:
    return names.get(serial) or (f"thread {serial}" if serial else "process")


_UNKNOWN = "that this version of Navitas does not know ({names})"
_TEXTS: dict[LossCode, str] = {
    "unknown_fields": f"{{file}} has fields {_UNKNOWN}; they are kept and not used",
    "unknown_words": f"{{file}} has values {_UNKNOWN}; they are kept as they are",
    "unknown_sources": f"{{file}} names counters of kinds {_UNKNOWN}; they are kept and not used",
    "unknown_files": f"{{file}} names files of kinds {_UNKNOWN}; they are kept and not used",
}
_READ_BY_ID = frozenset((1, 3))
"""Sources that the runtime itself reads. The manifest need not name them."""


def report_newer(recording: Recording, findings: Findings) -> None:
    """Warn about a recording of a newer minor version, and about unknown parts of its manifest."""
    manifest = recording.manifest
    if manifest.schema_minor > SCHEMA_MINOR:
        made = f"Navitas {manifest.navitas_version}" if manifest.navitas_version else "a newer Navitas"
        message = (
            f"the recording is of version {SCHEMA_VERSION}.{manifest.schema_minor}, by {made}; "
            f"this version of Navitas knows {SCHEMA_VERSION}.{SCHEMA_MINOR}"
        )
        findings.warn("newer_recording", message, UPDATE)
    report_unknown(recording.unknown, "manifest.json", findings)


def report_unknown(unknown: Mapping[Unknown, int], file: str, findings: Findings) -> None:
    """Report the unknown parts of a JSON file, with one warning for each code."""
    for code, text in _TEXTS.items():
        counts = {part.name: count for part, count in unknown.items() if part.code == code}
        findings.add_losses_by_name(code, counts, text.replace("{file}", file), UPDATE, file=file)


def report_unknown_readings(manifest: Manifest, readings: Mapping[int, Readings], findings: Findings) -> None:
    """Report readings of counters that the manifest does not name, or whose kind is unknown."""
    kinds = {source.id: source.kind for source in manifest.sources}
    known = known_words(SourceKind)
    counts: Counter[str] = Counter()
    for source, found in sorted(readings.items()):
        kind = kinds.get(source)
        if kind is None and source not in _READ_BY_ID:
            counts[f"source {source}"] += len(found.t_ns)
        elif kind is not None and kind not in known:
            counts[kind[:LONGEST_NAME]] += len(found.t_ns)
    message = "{count} readings are of counters that this version of Navitas does not know ({names}); they are kept and not used"
    findings.add_losses_by_name("unknown_readings", counts, message, UPDATE)
