"""The settings of an analysis: what it uses besides the recording, and what it computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:  # Options of commands import this module, and must not import pydantic.
    from navitas.power.fitted_model import FittedModel

FEW_EVENTS = 500_000
"""An analysis computes the energy over time of this many call events in little time."""
EvidenceChoice = Literal["rails", "model"]
"""`rails`: components with a power rail have the energy that it measured. `model`: rails do not count."""


@dataclass(frozen=True, slots=True)
class AnalysisSettings:
    """What an analysis uses besides the recording, and what it computes.

    - `alternative`: a second power model (`paper1`), in addition to the default one.
    - `evidence`: whether power rails may count as evidence.
    - `fitted`: a model of `navitas power fit`. It gives the figures that the power profile lacks.
    - `call_steps`: whether the ledger has the energy of calls over time, whatever time and memory that takes. Without it, only
      ledgers of up to `FEW_EVENTS` call events have it.
    - `recorded`: whether the profile keeps the tables of the runs.
    """

    alternative: str | None = None
    evidence: EvidenceChoice = "rails"
    fitted: FittedModel | None = None
    call_steps: bool = False
    recorded: bool = False

    @property
    def use_rails(self) -> bool:
        """Whether power rails count."""
        return self.evidence == "rails"


DEFAULT = AnalysisSettings()
MODEL_ONLY = AnalysisSettings(evidence="model")
