"""The part of `navitas power calibrate` that measures a phone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from navitas.attribute.component import RailUse
from navitas.attribute.components import COMPONENTS
from navitas.calibrate.component_steps import ComponentCurrents, radio_currents, screen_currents
from navitas.calibrate.cpu_coefficients import CpuCoefficients
from navitas.calibrate.fit_rows import IntervalSource
from navitas.calibrate.special_steps import StepUse, cpu_intervals, rail_names, read_steps
from navitas.cli.messages import warning
from navitas.cli.progress import ConsoleProgress
from navitas.collect import power, topology
from navitas.collect.special_runs import meter_of, rails_text, special_runs
from navitas.errors import DeviceError
from navitas.power import catalog
from navitas.power.measured_step import Meter
from navitas.power.model import PowerModel
from navitas.power.power_profile import PowerProfile, read_power_profile, read_profile_bytes
from navitas.untrusted_text import printable
from navitas.workflows.devices import device_of

_RADIOS = {"wifi": "wifi.on", "bluetooth": "bluetooth.on"}


@dataclass(frozen=True, slots=True)
class StartProfile:
    """A profile and the XML that it was read from."""

    xml: bytes
    profile: PowerProfile


def read_given(name: str) -> StartProfile:
    """Read a profile by name or path. Raises `PowerProfileError`."""
    path = catalog.find(name)
    xml = read_profile_bytes(path)
    return StartProfile(xml, read_power_profile(xml, name=path.stem))


@dataclass(frozen=True, slots=True)
class MeasuredPhone:
    """A phone's steps, what measured them, and its profile: the given one, or its own. `voltage_v` is that of the currents."""

    name: str
    start: StartProfile
    model: PowerModel
    voltage_v: float
    meter: Meter
    uses: Sequence[StepUse]

    def intervals(self, coefficients: CpuCoefficients) -> IntervalSource:
        """The steps of the CPU, with the power of its rails without their base, or of the whole phone."""
        rails = [rail for rail in self.uses[0].power_mw if rail == "gauge" or _is_active("cpu", rail)]
        if not rails:
            raise _not_measured(self.name)
        return cpu_intervals(self.uses, coefficients, rails, self.name)

    def components(self, voltage_v: float) -> list[ComponentCurrents]:
        """The currents of the screen and of radios, as far as something measures them."""
        found = []
        if self._measures("screen"):
            found.append(screen_currents(self.uses, partial(_is_active, "screen"), voltage_v))
        for name, entry in _RADIOS.items():
            if self._measures(name):
                found.append(radio_currents(self.uses, name, entry, partial(_is_active, name), voltage_v))
        return [each for each in found if each is not None]

    def _measures(self, component: str) -> bool:
        return self.meter == "gauge" or any(_is_active(component, rail) for rail in self.uses[0].power_mw)


def measure(
    serial: str, given: StartProfile | None, step_s: float, voltage_v: float | None, check: Callable[[PowerModel], None]
) -> MeasuredPhone:
    """Run the special test runs on a device. Without a given profile, the phone's own is the start.

    The default voltage is the battery's. `check` gets the start before the runs, and can raise `UsageError`.
    Raises `DeviceError` if nothing measures the phone, and `PowerProfileError` if the profile is another phone's.
    """
    with device_of(serial) as device, ConsoleProgress() as progress:
        policies = topology.read_policies(device)
        if given is None:
            found = power.profile_of_phone(device, policies)
            given = StartProfile(found.xml, read_power_profile(found.xml, name=found.source))
        model = power.model_on(device, given.profile, policies)
        volts, _ = power.voltage_of(device, voltage_v)
        check(model)
        meter = meter_of(device)
        if meter != "gauge" and not any(_is_active("cpu", rail) for rail in rail_names(meter, rails_text(device, meter))):
            raise _not_measured(device.info.model)

        def warn(_code: str, text: str, remedy: str) -> None:
            warning(printable(f"{text} ({remedy})" if remedy else text, 1000))

        steps = special_runs(device, policies, meter, warn, step_s=step_s, stage=progress.stage)
        return MeasuredPhone(device.info.model, given, model, volts, meter, read_steps(steps, meter))


def _not_measured(name: str) -> DeviceError:
    return DeviceError(f"{name}: none of its rails measures the CPU", "Use a power meter: --recording and --meter.")


def _is_active(component: str, rail: str) -> bool:
    found = next(each for each in COMPONENTS if each.name == component)
    return found.rail_use(rail) in (RailUse.ACTIVE, RailUse.TOTAL)
