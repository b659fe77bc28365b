"""The curves of all components in all runs, before they are attributed to call paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from navitas.attribute.analysis_settings import DEFAULT, AnalysisSettings
from navitas.attribute.calls.api_calls import api_calls
from navitas.attribute.calls.paths import Paths
from navitas.attribute.component import Component, ComponentCurves, ComponentInputs
from navitas.attribute.components import COMPONENTS
from navitas.attribute.curves import Curve, distinct
from navitas.attribute.scaling import RAILS, scaled_to_rails
from navitas.attribute.window_spans import WindowSpans
from navitas.parse.arrays import I64
from navitas.parse.parsed_recording import ParsedRecording
from navitas.parse.reasons import Reason
from navitas.parse.tables import Method, RunTables
from navitas.power.model import PowerModel
from navitas.recording.manifest import Manifest

Curves = Sequence[ComponentCurves | None]
"""A run's curves, component by component."""


@dataclass(frozen=True, slots=True)
class MeasuredRuns:
    """Computes the curves of a recording. `paths` numbers the call paths of charges, and of all calls that are added later."""

    parsed: ParsedRecording
    manifest: Manifest
    model: PowerModel
    settings: AnalysisSettings = DEFAULT
    paths: Paths = field(init=False)
    _kinds: I64 = field(init=False)
    _labels: Sequence[str] = field(init=False)

    def __post_init__(self) -> None:
        methods = self.parsed.method_table.methods
        object.__setattr__(self, "paths", Paths(len(methods)))
        object.__setattr__(self, "_kinds", np.array([method.api_kind for method in methods], np.int64))
        labels = [_label(method) for method in methods] if any(run.hooks for run in self.parsed.runs) else []
        object.__setattr__(self, "_labels", labels)

    def curves(self, components: Sequence[Component] | None) -> tuple[Sequence[Component], Sequence[Curves]]:
        """Return components, and the curves of each run.

        By default, components that nothing is known of in any run are left out, except for the first one, the CPU.
        """
        every = COMPONENTS if components is None else components
        runs = [self._of_run(run, every) for run in self.parsed.runs]
        if components is not None:
            return every, runs
        kept = [i for i in range(len(every)) if i == 0 or any(curves[i] is not None for curves in runs)]
        return [every[i] for i in kept], [[curves[i] for i in kept] for curves in runs]

    def inputs(self, run: RunTables) -> ComponentInputs:
        """The inputs of components for a run."""
        api = api_calls(run.threads, run.hooks, self._kinds, self.paths, self._labels)
        marks = WindowSpans(run.windows).marks
        return ComponentInputs(self.manifest, self.model, marks, len(self._kinds), self.settings, api)

    def _of_run(self, run: RunTables, components: Sequence[Component]) -> Curves:
        inputs = self.inputs(run)
        found = [self._marked(component.name, component.curves(run, inputs)) for component in components]
        scaled = scaled_to_rails(run, components, found, use_rails=self.settings.use_rails)
        reasons = () if run.rails is None else run.rails.reasons
        return _base_once([_with_reasons(one, reasons) for one in scaled])

    def _marked(self, component: str, curves: ComponentCurves | None) -> ComponentCurves | None:
        """Add the origin of a component's figures if they are fitted, not the power profile's."""
        fitted = self.model.fitted
        if curves is None or fitted is None or component not in self.model.filled or curves.level == RAILS:
            return curves
        reason = Reason("fitted_model", f"its figures are estimates from a fitted model: {fitted.origin(component)}")
        return replace(curves, reasons=(*curves.reasons, reason))


def _with_reasons(one: ComponentCurves | None, reasons: tuple[Reason, ...]) -> ComponentCurves | None:
    """Add how exact the rails are to a component that is scaled to them."""
    return replace(one, reasons=(*one.reasons, *reasons)) if one is not None and one.level == RAILS and reasons else one


def _base_once(curves: Curves) -> Curves:
    """Subtract from the CPU's base what other components take from it, so that the sum of all stays as it is."""
    taken = [one.taken_from_base for one in curves if one is not None and one.taken_from_base.t_ns.size]
    place = next((i for i, one in enumerate(curves) if one and one.threads and one.threads.cpu_ns is not None), None)
    if not taken or place is None:
        return curves
    cpu = curves[place]
    assert cpu is not None
    t_ns = distinct(np.concatenate([cpu.base.t_ns, *(one.t_ns for one in taken)]))
    left_j = cpu.base.at(t_ns) - sum(one.at(t_ns) for one in taken)
    return [replace(cpu, base=Curve(t_ns, np.maximum.accumulate(left_j))) if i == place else one for i, one in enumerate(curves)]


def _label(method: Method) -> str:
    place = f"{method.file}:{method.line}" if method.file and method.line else method.file or ""
    return f"{method.class_name}.{method.name}" + (f" ({place})" if place else "")
