"""What parsing had to leave out: warnings and losses, gathered while a run is read."""

from __future__ import annotations

from dataclasses import dataclass, field

from navitas.recording.manifest import Loss, Warning

TORN = "The readings beside them are used."
LOST = "What was lost counts as untraced or unattributed."


@dataclass(slots=True)
class Findings:
    """Warnings and losses of one run (or, with `run` None, of the whole recording)."""

    run: int | None = None
    warnings: list[Warning] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)

    def warn(self, code: str, message: str, remedy: str) -> None:
        """Keep a warning; messages name the run's folder."""
        place = "" if self.run is None else f"runs/{self.run}: "
        self.warnings.append(Warning(code=code, message=place + message, remedy=remedy))

    def lose(self, what: str, count: int, message: str, remedy: str) -> None:
        """Keep a loss, if there is one, and warn of it; the message's `{count}` is filled in."""
        if count > 0:
            self.losses.append(Loss(what=what, count=count, run=self.run))
            self.warn(what, message.replace("{count}", str(count)), remedy)
