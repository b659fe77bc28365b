"""The curves of all components in all runs, before they are attributed to call paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from navitas.energy.attribute.analysis_settings import DEFAULT, FEW_EVENTS, AnalysisSettings
from navitas.energy.attribute.calls.paths import Paths
from navitas.energy.attribute.calls.run_calls import ApiMethods, RunCalls
from navitas.energy.attribute.component import Component, ComponentCurves, ComponentInputs, MeasuredComponent
from navitas.energy.attribute.component_registry import COMPONENTS
from navitas.energy.attribute.curves import Curve, distinct
from navitas.energy.attribute.scaling import RAILS, scaled_to_rails
from navitas.power.model import PowerModel
from navitas.recording.manifest import Manifest
from navitas.recording.parse.parsed_recording import ParsedRecording
from navitas.recording.parse.reasons import Reason
from navitas.recording.parse.tables import Method, RunTables


@dataclass(frozen=True, slots=True)
class RunComponents:
    """The components of a run, and its calls."""

    components: Sequence[MeasuredComponent]
    calls: RunCalls

    @property
    def tables(self) -> RunTables:
        return self.calls.run

    @property
    def curves(self) -> Sequence[ComponentCurves | None]:
        """The curves, component by component."""
        return [measured.curves for measured in self.components]


class MeasuredRuns:
    """Computes the curves of a recording. `paths` numbers the call paths of charges, and of all calls that are added later.

    `has_steps`: whether the energy of calls over time is wanted, or takes little time.
    """

    def __init__(
        self, parsed: ParsedRecording, manifest: Manifest, model: PowerModel, settings: AnalysisSettings = DEFAULT
    ) -> None:
        self.parsed, self.manifest, self.model, self.settings = parsed, manifest, model, settings
        methods = parsed.method_table.methods
        self.paths = Paths(len(methods))
        kinds = np.array([method.api_kind for method in methods], np.int64)
        labels = [_label(method) for method in methods] if any(run.calls.hooks for run in parsed.runs) else []
        self._methods = ApiMethods(kinds, labels)
        events = sum(len(thread.calls) for run in parsed.runs for thread in run.threads)
        events += sum(len(run.calls.samples) for run in parsed.runs if run.calls.samples is not None)
        self.has_steps = settings.call_steps or events <= FEW_EVENTS

    def runs(self, components: Sequence[Component] | None) -> tuple[Sequence[Component], list[RunComponents]]:
        """Return the components, and those of each run with their curves.

        By default, components that nothing is known of in any run are left out, except for the first one, the CPU.
        """
        runs = [self._of_run(run, COMPONENTS if components is None else components) for run in self.parsed.runs]
        if components is not None:
            return components, runs
        kept = [place for place in range(len(COMPONENTS)) if place == 0 or any(run.curves[place] is not None for run in runs)]
        return [COMPONENTS[i] for i in kept], [RunComponents([run.components[i] for i in kept], run.calls) for run in runs]

    def inputs(self, run: RunTables) -> ComponentInputs:
        return self._inputs(self._calls(run))

    def _calls(self, run: RunTables) -> RunCalls:
        return RunCalls(run, self.paths, self._methods, with_steps=self.has_steps)

    def _inputs(self, calls: RunCalls) -> ComponentInputs:
        methods = len(self._methods.kinds)
        return ComponentInputs(self.manifest, self.model, calls.spans.marks, methods, self.settings, lambda: calls.api)

    def _of_run(self, run: RunTables, components: Sequence[Component]) -> RunComponents:
        calls = self._calls(run)
        inputs = self._inputs(calls)
        for component in components:
            calls.components.append(self._marked(component.name, component.curves(run, inputs)))
        measured = [MeasuredComponent(*pair) for pair in zip(components, calls.components, strict=True)]
        measured = scaled_to_rails(run, measured, use_rails=self.settings.use_rails)
        reasons = () if run.devices.rails is None else run.devices.rails.reasons
        return RunComponents(_base_once([_with_reasons(one, reasons) for one in measured]), calls)

    def _marked(self, component: str, curves: ComponentCurves | None) -> ComponentCurves | None:
        """Add the origin of a component's figures if they are fitted, not the power profile's."""
        fitted = self.model.fitted
        if curves is None or fitted is None or component not in self.model.filled or curves.level == RAILS:
            return curves
        reason = Reason("fitted_model", f"its figures are estimates from a fitted model: {fitted.origin(component)}")
        return replace(curves, reasons=(*curves.reasons, reason))


def _with_reasons(measured: MeasuredComponent, reasons: tuple[Reason, ...]) -> MeasuredComponent:
    """Add how exact the rails are to a component that is scaled to them."""
    curves = measured.curves
    if curves is None or curves.level != RAILS or not reasons:
        return measured
    return replace(measured, curves=replace(curves, reasons=(*curves.reasons, *reasons)))


def _base_once(components: Sequence[MeasuredComponent]) -> Sequence[MeasuredComponent]:
    """Subtract from the CPU's base what other components take from it, so that the sum of all stays as it is."""
    known = [(place, one.curves) for place, one in enumerate(components) if one.curves is not None]
    taken = [curves.taken_from_base for _, curves in known if curves.taken_from_base.t_ns.size]
    cpu = next(((place, curves) for place, curves in known if curves.threads and curves.threads.cpu_ns is not None), None)
    if not taken or cpu is None:
        return components
    place, curves = cpu
    t_ns = distinct(np.concatenate([curves.base.t_ns, *(one.t_ns for one in taken)]))
    left_j = curves.base.at(t_ns) - sum(one.at(t_ns) for one in taken)
    rest = replace(curves, base=Curve(t_ns, np.maximum.accumulate(left_j)))
    return [replace(one, curves=rest) if one is components[place] else one for one in components]


def _label(method: Method) -> str:
    place = f"{method.file}:{method.line}" if method.file and method.line else method.file or ""
    return f"{method.class_name}.{method.name}" + (f" ({place})" if place else "")
