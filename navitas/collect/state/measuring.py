"""The phone's state over a whole profiling: checked before, set meanwhile, cooled down between repeats, given back after."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from navitas.collect.options import ProfileOptions
from navitas.collect.progress import Progress
from navitas.collect.state.condition import PhoneCondition
from navitas.collect.state.fitness import CoolDown, check
from navitas.collect.state.guard import Warn, prepared
from navitas.collect.state.settings import BATTERY
from navitas.device.base import Device


def condition_at_start(device: Device, options: ProfileOptions) -> PhoneCondition | None:
    """The phone's condition; None where its state does not matter: the virtual phone's, unless something is to be set on it.

    Raises `DeviceError` when the phone is hot or nearly empty, and measuring was not forced.
    """
    matters = options.prepare if options.prepare is not None else device.info.kind == "phone" or options.radios_off
    return check(device, force=options.force) if matters else None


@contextmanager
def measured(
    device: Device, start: PhoneCondition | None, options: ProfileOptions, warn: Warn, progress: Progress
) -> Iterator[Callable[[int], None]]:
    """Set the phone while the context is open. Yields what is called before each run with the number of its repeat."""
    if start is None:
        yield lambda _: None
        return
    progress.stage("setting the phone for the measurement")
    with prepared(device, warn, radios_off=options.radios_off) as changed:
        cooling = CoolDown(device, start, warn, progress, unplugged=BATTERY in changed)
        reached = 0

        def cool_down(repeat: int) -> None:
            nonlocal reached
            if repeat > reached:
                cooling.wait()
            reached = repeat

        yield cool_down
