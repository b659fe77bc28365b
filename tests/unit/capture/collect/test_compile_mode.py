"""Apps are compiled with a filter of ART before they are measured."""

from __future__ import annotations

import pytest
from fake_device import FakeDevice

from navitas.base.errors import DeviceError
from navitas.capture.collect.apps.packages import compile_apps


def test_each_app_is_compiled_once() -> None:
    device = FakeDevice(texts={"cmd package compile": "Success\n"})
    compile_apps(device, ["a.b", "a.b", "c; rm -rf /"], "speed")
    assert device.commands == ["cmd package compile -m speed -f a.b", "cmd package compile -m speed -f 'c; rm -rf /'"]


def test_a_refusal_names_the_app_and_what_the_phone_said() -> None:
    device = FakeDevice(texts={"cmd package compile": "Failure: package\nnot found\n"})
    with pytest.raises(
        DeviceError, match=r"serial-1: a\.b cannot be compiled with the filter verify: Failure: package not found"
    ):
        compile_apps(device, ["a.b"], "verify")
