"""The phone's state during a profiling: checked before, set during it, cooled down between repeats, restored after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress

from navitas.collect.options import ProfileOptions
from navitas.collect.progress import Progress
from navitas.collect.state.condition import PhoneCondition
from navitas.collect.state.fitness import CoolDown, check
from navitas.collect.state.guard import Warn, prepared
from navitas.collect.state.journal import Journal
from navitas.collect.state.settings import BATTERY, PhoneSetting
from navitas.device.base import Device
from navitas.errors import UsageError


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
