"""What parsing had to leave out: warnings and losses, gathered while a run is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from navitas.recording.manifest import Warning

TORN = "The readings beside them are used."
LOST = "What was lost counts as untraced or unattributed."
_THREADS_NAMED = 3


@dataclass(frozen=True, slots=True)
class ParsedLoss:
    """Data that is known to be missing: what, and how much of it.

    Also of which run, of which file (relative to the recording's folder) and of which thread (the runtime's serial and its name;
    serial 0 is the process), each None where that is not known.
    """

    what: str
    count: int
    run: int | None = None
    file: str | None = None
    serial: int | None = None
    thread: str | None = None


@dataclass(slots=True)
class Findings:
    """Warnings and losses of one run (or, with `run` None, of the whole recording)."""

    run: int | None = None
    warnings: list[Warning] = field(default_factory=list)
    losses: list[ParsedLoss] = field(default_factory=list)

    def warn(self, code: str, message: str, remedy: str) -> None:
        """Keep a warning; messages name the run's folder."""
        place = "" if self.run is None else f"runs/{self.run}: "
        self.warnings.append(Warning(code=code, message=place + message, remedy=remedy))

    def lose(self, what: str, count: int, message: str, remedy: str, *, file: str | None = None) -> None:
        """Keep a loss, if there is one, and warn of it; the message's `{count}` is filled in. `file` is of the run's folder."""
        if count > 0:
            place = file if file is None or self.run is None else f"runs/{self.run}/{file}"
            self.losses.append(ParsedLoss(what, count, self.run, file=place))
            self.warn(what, message.replace("{count}", str(count)), remedy)

    def lose_of_threads(self, what: str, counts: Mapping[int, int], names: Mapping[int, str], message: str, remedy: str) -> None:
        """As `lose`, with a loss for each thread; `counts` and `names` are by serial. The warning names those that lost most."""
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
