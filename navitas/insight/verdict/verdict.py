"""The verdict of a recording: what uses the energy, what limits the statement, and the next command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SubjectKind = Literal["test", "method", "thread", "component", "app"]


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of the verdict.

    - `rule`: the code of the rule that made it, for scripts.
    - `text`: the sentence. Names in it are as in the recording: who shows it escapes them.
    - `kind`, `name`: what it is about. Empty if it is about the whole recording.
    - `energy_j`, `share`, `share_half_width`: its figures. None if it has none.
    """

    rule: str
    text: str
    kind: SubjectKind | Literal[""] = ""
    name: str = ""
    energy_j: float | None = None
    share: float | None = None
    share_half_width: float | None = None


@dataclass(frozen=True, slots=True)
class NextStep:
    """The one command to run next, and why. `command` has the word RECORDING in place of the recording's folder."""

    command: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to "what uses the energy?".

    - `statements`: largest energy first. Never empty: without figures, they say so.
    - `limits`: what limits the statements, the most important first.
    - `next_step`: what to run next.
    """

    statements: tuple[Statement, ...]
    limits: tuple[Statement, ...]
    next_step: NextStep
