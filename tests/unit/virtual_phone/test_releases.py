"""What each Android release keeps from apps and from adb's shell."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from phone_harness import run
from support.null_kernel import NullKernel

from navitas.virtual_phone.identity import Identity
from navitas.virtual_phone.phone import Phone
from navitas.virtual_phone.releases import DEFAULT_SDK, VERSIONS, User, denied

APP = Identity(10100, "u0_a100", "com.app")


@pytest.mark.parametrize(
    ("path", "user", "readable_on"),
    [
        ("/proc/stat", "app", []),
        ("/proc/stat", "shell", list(VERSIONS)),
        ("/proc/uptime", "app", []),
        ("/proc/net/dev", "app", [26, 27, 28]),
        ("/proc/net/dev", "shell", list(VERSIONS)),
        ("/sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq", "app", list(VERSIONS)),
        ("/sys/devices/system/cpu/cpufreq/policy0/stats/time_in_state", "app", list(VERSIONS)),
        ("/sys/devices/system/cpu/cpufreq/policy0/cpuinfo_cur_freq", "shell", []),
        ("/sys/bus/iio/devices/iio:device0/energy_value", "app", []),
    ],
)
def test_who_may_read_what(path: str, user: User, readable_on: list[int]) -> None:
    assert [sdk for sdk in VERSIONS if not denied(path, user, sdk)] == readable_on


@pytest.mark.parametrize("sdk", [28, DEFAULT_SDK])
def test_a_phone_of_each_release(tmp_path: Path, sdk: int) -> None:
    async def action() -> None:
        phone = Phone(tmp_path, NullKernel(), sdk=sdk)
        phone.files.add_node("/proc/net/dev", lambda: b"Inter-|")
        assert (await run(phone, "getprop ro.build.version.sdk")).stdout == b"%d\n" % sdk
        assert (await run(phone, "cat /proc/stat", who=APP)).stderr == b"cat: /proc/stat: Permission denied\n"
        assert (await run(phone, "cat /proc/net/dev", who=APP)).status == int(sdk > 28)
        assert (await run(phone, "cat /proc/net/dev")).status == 0
        await phone.stop()

    asyncio.run(action())
