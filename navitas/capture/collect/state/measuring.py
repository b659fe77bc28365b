"""The phone's state during a profiling: fit to be measured, set during it, cooled down between repeats, restored after it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import KW_ONLY, dataclass

from navitas.base.errors import DeviceError, UsageError
from navitas.capture.collect.options import ProfileOptions
from navitas.capture.collect.progress import Progress
from navitas.capture.collect.state.condition import MODERATE, THERMAL_NAMES, PhoneCondition, read_condition
from navitas.capture.collect.state.guard import Warn, prepared
from navitas.capture.collect.state.journal import Journal
from navitas.capture.collect.state.settings import BATTERY, PhoneSetting
from navitas.capture.device.base import Device

LEAST_LEVEL_PERCENT = 15.0
# The temperature at which phones begin to throttle charging. Before Android 10 there is no thermal status.
HOT_BATTERY_C = 45.0
_SLACK_C = 1.5
_LOOK_S = 5.0
_LONGEST_S = 300.0
_FORCE = "or measure anyway with --force"


def unfit(condition: PhoneCondition) -> tuple[str, str] | None:
    """Return the reason why the phone should not be measured now, and a remedy; None if it is fit."""
    status, battery = condition.thermal.status, condition.battery
    if status is not None and status >= MODERATE:
        return (
            f"it is hot: thermal status {status} ({THERMAL_NAMES[status]}), so its CPU may be slowed down",
            f"let it cool down, {_FORCE}",
        )
    if status is None and battery.temperature_c is not None and battery.temperature_c >= HOT_BATTERY_C:
        return f"it is hot: its battery is at {battery.temperature_c:.1f} °C", f"let it cool down, {_FORCE}"
    if battery.level_percent is not None and battery.level_percent < LEAST_LEVEL_PERCENT:
        return (
            f"its battery is nearly empty ({battery.level_percent:.0f} %): phones save power then",
            f"charge it to {LEAST_LEVEL_PERCENT:.0f} % at least, {_FORCE}",
        )
    return None


def check(device: Device, *, force: bool) -> PhoneCondition:
    """Return the phone's condition before the first run. Raises `DeviceError` if it is unfit, unless `force`."""
    condition = read_condition(device)
    if not force and (problem := unfit(condition)) is not None:
        raise DeviceError(
            f"device {device.info.serial} ({device.info.model}) is not fit to be measured: {problem[0]}", problem[1]
        )
    return condition


@dataclass(frozen=True, slots=True)
class CoolDown:
    """Waits between repeats until the phone is about as cool as at the start, at most five minutes each time.

    `unplugged`: `dumpsys battery unplug` is in effect during the measurement.
    """

    device: Device
    start: PhoneCondition
    warn: Warn
    progress: Progress
    _: KW_ONLY
    unplugged: bool
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def wait(self) -> None:
        """Return when the phone has cooled down, or with a warning if it does not. Raises `DeviceError` if it is lost."""
        begin = self.clock()
        announced = False
        thaw = self.start.thermal.skin_c is None and self.unplugged  # the battery's temperature is used only without another
        while (warmer := self._warmer(read_condition(self.device, frozen=thaw))) is not None:
            if self.clock() - begin >= _LONGEST_S:
                self.warn(
                    "hot",
                    f"the phone did not cool down in {_LONGEST_S / 60:.0f} minutes: {warmer}",
                    "let it rest in a cooler place",
                )
                return
            if not announced:
                self.progress.stage("cooling down")
                announced = True
            self.progress.detail(warmer)
            self.sleep(_LOOK_S)

    def _warmer(self, now: PhoneCondition) -> str | None:
        status, before = now.thermal.status, self.start.thermal.status
        if status is not None and before is not None and status > before:
            return f"thermal status {status} ({THERMAL_NAMES[status]}), {before} at the start"
        pairs = (
            ("skin", now.thermal.skin_c, self.start.thermal.skin_c),
            ("battery", now.battery.temperature_c, self.start.battery.temperature_c),
        )
        for name, celsius, start in pairs:
            if celsius is not None and start is not None:  # use the first available sensor
                return f"{name} {celsius:.1f} °C, {start:.1f} °C at the start" if celsius > start + _SLACK_C else None
        return None


def condition_at_start(device: Device, options: ProfileOptions) -> PhoneCondition | None:
    """Return the phone's condition; None if it does not matter: on the virtual phone, unless a setting is to be changed.

    Raises `DeviceError` if the phone is hot or nearly empty, unless `options.force`.
    """
    matters = options.prepare if options.prepare is not None else device.info.kind == "phone" or options.radios_off
    return check(device, force=options.force) if matters else None


@contextmanager
def measured(
    device: Device,
    start: PhoneCondition | None,
    options: ProfileOptions,
    warn: Warn,
    progress: Progress,
    *,
    permissions: Sequence[PhoneSetting] = (),
) -> Iterator[Callable[[int], None]]:
    """Set the phone while the context is open, and apps' `permissions`, unless `options` forbid changes. Lock it in any case.

    Yields a function to call before each run, with its repeat. Raises `DeviceError` if another measurement uses the phone.
    """
    if options.prepare is False:
        permissions = ()
    if start is None:
        with prepared(device, warn, common=False, permissions=permissions) if permissions else _held(device):
            yield lambda _: None
        return
    progress.stage("setting the phone for the measurement")
    with prepared(device, warn, radios_off=options.radios_off, permissions=permissions) as changed:
        cooling = CoolDown(device, start, warn, progress, unplugged=BATTERY in changed)
        reached = 0

        def cool_down(repeat: int) -> None:
            nonlocal reached
            if repeat > reached:
                cooling.wait()
            reached = repeat

        yield cool_down


@contextmanager
def _held(device: Device) -> Iterator[None]:
    """Lock a phone whose settings stay. Without a usable folder for the lock, `doctor --restore` removes nothing either."""
    with ExitStack() as stack:
        with suppress(OSError, UsageError):
            stack.enter_context(Journal(device.info).held())
        yield
