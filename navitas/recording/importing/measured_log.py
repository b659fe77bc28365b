"""What an import reads from one log: events with their readings, and counts of what is not used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from navitas.base.errors import RecordingError
from navitas.base.untrusted_text import printable
from navitas.recording.importing.probe_event import MAX_EVENTS, ProbeEvent

MAX_BYTES = 1 << 30
NOT_MEASURED = "Give a log or JSON file of Navitas-Framework (docs/importing.md)."


@dataclass(slots=True)
class LogPart:
    """The events of one test, in the order of the log. `name` is that of the test.

    `starts` are the indices of events before which another dump of the log buffer begins.
    """

    name: str
    events: list[ProbeEvent] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)

    def take_dumps(self) -> list[list[ProbeEvent]]:
        """Return the events of each dump that has some, and remove them from the part."""
        dumps = [self.events[start:end] for start, end in pairwise([0, *self.starts, len(self.events)])]
        self.events, self.starts = [], []
        return list(filter(None, dumps))


@dataclass(slots=True)
class MeasuredLog:
    """A log. `shown` is its name in messages, and `format` that of its lines.

    `damaged` counts lines that are not usable, by reason, with the `first` place of each. `repeated` counts the events that an
    earlier dump of the log buffer has, too, by test. `estimates` counts Android's own
    estimates (Wi-Fi, Bluetooth), which are not used. `year` is None if the log has years. `first_defect` is the place of the
    first event without a usable reading, and why.
    """

    shown: str
    format: str
    parts: Sequence[LogPart]
    damaged: Counter[str] = field(default_factory=Counter)
    first: dict[str, int] = field(default_factory=dict)
    repeated: Counter[str] = field(default_factory=Counter)
    estimates: int = 0
    year: int | None = None
    year_source: str = ""
    year_turns: int = 0
    first_defect: tuple[int, str] | None = None

    @property
    def unit(self) -> str:
        """What a place in the log counts."""
        return "measurement" if self.format.startswith("json") else "line"

    def nothing_usable(self, otherwise: str) -> RecordingError:
        """Return the error for a log without events. `otherwise` is its message if the log has no damage either."""
        text = otherwise
        if self.damaged:
            reason, place = min(self.first.items(), key=lambda one: one[1])
            text = f"no usable measurement ({printable(reason)} in {self.unit} {place:,}, {self.damaged.total():,} in all)"
        return RecordingError(f"{self.shown}: {text}", NOT_MEASURED)

    def note_damage(self, reason: str, place: int) -> None:
        """Count a line that is not usable."""
        self.damaged[reason] += 1
        self.first.setdefault(reason, place)


def check_count(shown: str, events: int) -> None:
    """Raise `RecordingError` if a log has more events than an import reads."""
    if events > MAX_EVENTS:
        raise RecordingError(
            f"{shown}: more than {MAX_EVENTS:,} entries and exits", "Cut the log into parts, and import each of them."
        )
