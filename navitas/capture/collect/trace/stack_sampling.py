"""How the stacks of an app can be sampled on a phone: by Perfetto in the trace, or by simpleperf in a file; or why not."""

from __future__ import annotations

import shlex

from navitas.android.perfetto.sampling import FIRST_SDK
from navitas.base.errors import DeviceError
from navitas.capture.collect.trace import perfetto
from navitas.capture.collect.trace.tracer import Tracing
from navitas.capture.device.base import Device

PROFILEABLE = '<profileable android:shell="true"/>'
NOT_PROFILEABLE = "it is neither debuggable nor profileable by the shell, so nothing may sample its stacks"
PROFILEABLE_REMEDY = f"add {PROFILEABLE} to <application> in its AndroidManifest.xml (Android 10 and later), or use a debug build"


def flags_command(package: str) -> str:
    """Return the command that prints the lines with an app's flags."""
    return f"dumpsys package {shlex.quote(package)} | grep -e DEBUGGABLE -e PROFILEABLE_BY_SHELL"


def is_profileable(flags: str) -> bool:
    """Whether the lines of `flags_command` say that the shell may sample an app."""
    return "DEBUGGABLE" in flags or "PROFILEABLE_BY_SHELL" in flags


def perfetto_problem(sdk: int, unavailable: str) -> str:
    """Return why Perfetto cannot sample stacks; empty if it can. `unavailable` is why it cannot trace."""
    return unavailable or ("" if sdk >= FIRST_SDK else "samples stacks from Android 13 on")


def check_sampling(device: Device, package: str, tracing: Tracing) -> None:
    """Check that the stacks of an installed app can be sampled on a phone. Raises `DeviceError`."""
    where = f"device {device.info.serial}"
    if not is_profileable(device.shell(flags_command(package)).text):
        raise DeviceError(f"{where}: --mode sample: {package}: {NOT_PROFILEABLE}", PROFILEABLE_REMEDY)
    off = "" if tracing in ("auto", "perfetto") else f"switched off by --trace {tracing}"
    problem = off or perfetto_problem(device.info.sdk, perfetto.unavailable(device))
    if problem and not device.shell("which simpleperf").text.strip():
        raise DeviceError(
            f"{where}: --mode sample: nothing samples stacks here (perfetto: {problem}; simpleperf: not on this phone)",
            "use --mode tick, which costs the least, or a virtual phone",
        )
