"""One sentence of a verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SubjectKind = Literal["", "test", "method", "thread", "component", "app"]


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
    kind: SubjectKind = ""
    name: str = ""
    energy_j: float | None = None
    share: float | None = None
    share_half_width: float | None = None
