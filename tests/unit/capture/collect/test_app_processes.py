"""The start of an app in use, and its processes: what is said of one that does not start."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pytest
from fake_device import FakeDevice

from navitas.base.errors import DeviceError
from navitas.capture.collect.apps import app_processes
from navitas.capture.collect.apps.app_files import AppFolder
from navitas.capture.collect.apps.app_processes import first_process, has_no_activity, processes, start_app
from navitas.capture.device.base import DeviceInfo, ShellResult

PS = "PID UID NAME\n7 10123 a.b\n8 1010123 a.b\n9 1010123 a.b:sync\n10 1010123 a.b.c\n11 u10_a123 a.b\n"
NOTHING = ShellResult(0, b"", b"")
# The form of AOSP's PackageManagerShellCommand.
FOUND = """2 activities found:
  Activity #0:
    priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true
    a.b/.Main
  Activity #1:
    priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true
    a.b/.Other
"""


def device(texts: dict[str, str], *, user: int | None = None, kind: Literal["phone", "virtual"] = "phone") -> FakeDevice:
    made = FakeDevice(texts)
    made.info = DeviceInfo(kind, "x", "", "", 30, named_user=user)
    return made


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_processes, "_EVENTS_S", 0.0)


def test_an_app_of_a_named_user_is_started_by_its_first_activity() -> None:
    phone = device({"cmd package query-activities": FOUND, "am start": "Status: ok\n"}, user=10)
    assert not has_no_activity(start_app(phone, "a.b"))
    launcher = "-a android.intent.action.MAIN -c android.intent.category.LAUNCHER"
    assert phone.commands == [
        f"cmd package query-activities --brief --user 10 {launcher} a.b",
        "am start -W --user 10 -n a.b/.Main",
    ]


@pytest.mark.parametrize("user", [None, 10])
def test_an_app_without_an_activity_is_not_started(user: int | None) -> None:
    words = {
        "monkey": "** No activities found to run, monkey aborted.\n",
        "cmd package query-activities": "No activities found\n",
    }
    phone = device(words, user=user)
    assert has_no_activity(start_app(phone, "a.b"))
    assert len(phone.commands) == 1


def test_processes_are_those_of_the_measured_user() -> None:
    assert processes(device({"ps": PS}), "a.b") == {"7": "a.b"}
    assert processes(device({"ps": PS}, user=10), "a.b") == {"8": "a.b", "9": "a.b:sync"}


def test_without_a_folder_the_main_process_is_the_first_one() -> None:
    """Events come through the log, so no file shows that the app records."""
    assert first_process(device({"ps": PS}, user=10), "a.b", None, NOTHING) == "8"
    only_another = "PID UID NAME\n9 10123 a.b:sync\n"
    assert first_process(device({"ps": only_another}), "a.b", None, NOTHING) is None
    with pytest.raises(DeviceError, match="does not run"):
        first_process(device({"ps": "PID UID NAME\n"}), "a.b", None, NOTHING)


def test_with_a_folder_the_first_process_is_the_one_that_writes() -> None:
    phone = device({"ps": PS, "run-as a.b ls": "navitas.properties\nevents-8.nvch\n"})
    assert first_process(phone, "a.b", AppFolder(phone, "a.b"), NOTHING) == "8"
    phone = device({"ps": PS, "run-as a.b ls": "navitas.properties\n"})
    with pytest.raises(DeviceError, match="runs, but records nothing"):
        first_process(phone, "a.b", AppFolder(phone, "a.b"), NOTHING)


def test_why_an_app_did_not_start_is_in_the_error() -> None:
    started = replace(NOTHING, stdout=b"// CRASH: a.b (pid 7)\n", stderr=b"// Short Msg: java.lang.IllegalStateException\n")
    phone = device({"ps": "PID NAME\n"})
    printed = r"does not run; .*the command that starts it printed: // CRASH: a\.b \(pid 7\) // Short Msg: java"
    with pytest.raises(DeviceError, match=printed):
        first_process(phone, "a.b", AppFolder(phone, "a.b"), started)


@pytest.mark.parametrize("kind", ["phone", "virtual"])
def test_the_remedy_for_an_app_that_does_not_run_fits_the_device(kind: Literal["phone", "virtual"]) -> None:
    with pytest.raises(DeviceError) as error:
        first_process(device({"ps": "PID NAME\n"}, kind=kind), "a.b", None, NOTHING)
    assert ("start it on the phone" in error.value.remedy) == (kind == "phone")
    assert ("docs/virtual-phone.md" in error.value.remedy) == (kind == "virtual")
