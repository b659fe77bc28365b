"""The permission for fine power monitors: granted to apps that request it, and revoked after the measurement."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

import pytest
from state_phone import StatePhone
from support.no_progress import NoProgress

from navitas.capture.collect.options import ProfileOptions
from navitas.capture.collect.readings import topology
from navitas.capture.collect.state.guard import prepared, restore_left
from navitas.capture.collect.state.journal import Journal
from navitas.capture.collect.state.measuring import measured
from navitas.capture.collect.state.settings import FINE_MONITORS, fine_monitors, is_granted, permission_setting
from navitas.virtual_phone.rail_monitor import dump_power_statistics


@dataclass
class AppPhone(StatePhone):
    """A phone with two apps; `granted` are those that have the permission. If `is_silent`, `dumpsys package` prints nothing."""

    installed: tuple[str, ...] = ("org.asks", "org.plain")
    is_silent: bool = False
    requested: tuple[str, ...] = ("org.asks",)
    granted: set[str] = field(default_factory=set)

    def _run(self, command: str) -> str:
        command = command.partition("}")[0].strip()
        if of_app := re.match(r"dumpsys package (\S+) \| grep -e ACCESS_FINE_POWER_MONITORS ", command):
            if self.is_silent:
                return ""
            if of_app[1] not in self.installed:
                return f"Unable to find package: {of_app[1]}\n"
            text = f"      {FINE_MONITORS}\n" if of_app[1] in self.requested else ""
            return f"{text}    User 0: ceDataInode=0\n" + (
                f"      {FINE_MONITORS}: granted=true\n" if of_app[1] in self.granted else ""
            )
        if change := re.fullmatch(rf"pm (grant|revoke) (\S+) {FINE_MONITORS}", command):
            self.done.append(command)
            if change[2] in self.requested:
                (self.granted.add if change[1] == "grant" else self.granted.discard)(change[2])
            return ""
        return super()._run(command)


def phone(sdk: int = 37, **fields: object) -> AppPhone:
    made = AppPhone(**fields)  # type: ignore[arg-type]
    made.info = replace(made.info, sdk=sdk)
    return made


def test_only_apps_that_request_it_get_it_and_lose_it_again() -> None:
    device = phone()
    permissions = fine_monitors(device, ["org.asks", "org.plain", "org.asks"])
    assert [setting.key for setting in permissions] == ["fine_monitors/org.asks"]
    said: list[str] = []
    with prepared(device, lambda *text: said.append(str(text)), common=False, permissions=permissions) as changed:
        assert device.granted == {"org.asks"} and changed == {"fine_monitors/org.asks"}
        assert device.awake == "Asleep", "nothing else is set"
    assert not device.granted and not said
    assert [command for command in device.done if command.startswith("pm ")] == [
        f"pm grant org.asks {FINE_MONITORS}",
        f"pm revoke org.asks {FINE_MONITORS}",
    ]


def test_a_line_of_a_user_counts_more_than_that_of_all() -> None:
    """The form of AOSP's Settings.dumpInstallPermissionsLPr: other users are listed if they differ."""
    text = f"  {FINE_MONITORS}: granted=true\n  {FINE_MONITORS}: granted=false, userId=10\n    User 0: x\n    User 10: x\n"
    assert [is_granted(text, user) for user in (0, 10, 11)] == [True, False, True]
    text = text.replace("true", "no").replace("false", "true")
    assert [is_granted(text, user) for user in (0, 10, 11)] == [False, True, False]


def test_what_was_granted_before_stays_granted() -> None:
    device = phone(granted={"org.asks"})
    with prepared(device, lambda *_: None, common=False, permissions=fine_monitors(device, ["org.asks"])):
        pass
    assert device.granted == {"org.asks"} and not any(command.startswith("pm ") for command in device.done)


def test_older_releases_and_odd_names_get_nothing() -> None:
    device = phone(36)
    assert fine_monitors(device, ["org.asks"]) == [] and device.calls == 0
    assert fine_monitors(phone(requested=("a;reboot",)), ["a;reboot"]) == []


def test_it_is_revoked_after_a_killed_measurement() -> None:
    device = phone()
    killed = prepared(device, lambda *_: None, common=False, permissions=fine_monitors(device, ["org.asks"]))
    killed.__enter__()
    assert device.granted
    journal = Journal(device.info)
    assert journal.read() == {"fine_monitors/org.asks": "revoked"}
    names = restore_left(device, journal, lambda *_: None)
    assert names == [f"permission {FINE_MONITORS} of org.asks"] and not device.granted and journal.read() is None


def test_an_uninstalled_app_has_nothing_to_revoke() -> None:
    device = phone()
    said: list[object] = []
    with prepared(device, lambda *text: said.append(text), common=False, permissions=fine_monitors(device, ["org.asks"])):
        device.installed, device.granted = (), set()
    assert not said and Journal(device.info).read() is None


def test_an_unknown_permission_is_not_changed() -> None:
    device = phone(granted={"org.asks"})
    permissions = fine_monitors(device, ["org.asks"])
    device.is_silent = True
    said: list[str] = []
    with prepared(device, lambda code, message, remedy: said.append(message), common=False, permissions=permissions) as changed:
        device.is_silent = False
        assert not changed
    assert said == [f"the phone does not report its permission {FINE_MONITORS} of org.asks: left as it is"]
    assert device.granted == {"org.asks"} and not any(command.startswith("pm ") for command in device.done)


def test_an_unknown_permission_stays_in_the_journal_and_is_revoked_later() -> None:
    device = phone()
    said: list[str] = []
    permissions = fine_monitors(device, ["org.asks"])
    with prepared(device, lambda code, message, remedy: said.append(message), common=False, permissions=permissions):
        device.is_silent = True
    assert said == [f"the phone's permission {FINE_MONITORS} of org.asks could not be restored to revoked"]
    journal = Journal(device.info)
    assert journal.read() == {"fine_monitors/org.asks": "revoked"}
    device.is_silent = False
    restore_left(device, journal, lambda *_: None)
    assert not device.granted and journal.read() is None


GRANTED = f"        {FINE_MONITORS}: granted=true, flags=[ USER_SET ]\n"
REQUESTED = f"      {FINE_MONITORS}\n"


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("", None),
        ("Can't find service: package\n", None),
        ("Unable to find package: org.app\n", "revoked"),
        ("    User 0: ceDataInode=1\n", "revoked"),
        (REQUESTED, "revoked"),
        (REQUESTED + GRANTED, "granted"),
        (REQUESTED + "    User 0: ceDataInode=1\n" + GRANTED + "    User 10: ceDataInode=2\n", "granted"),
        (REQUESTED + "    User 0: ceDataInode=1\n    User 10: ceDataInode=2\n" + GRANTED, "revoked"),
        (f"{REQUESTED}      {FINE_MONITORS}: granted=true, userId=10\n    User 0: ceDataInode=1\n", "revoked"),
        (GRANTED.replace("true", "false"), "revoked"),
    ],
)
def test_only_what_the_first_user_granted_counts(text: str, state: str | None) -> None:
    setting = permission_setting("fine_monitors/org.app")
    assert setting is not None and setting.parse(text) == state


def test_no_permission_is_granted_if_changes_are_forbidden() -> None:
    device = phone()
    permissions = fine_monitors(device, ["org.asks"])
    options = ProfileOptions(prepare=False)
    with measured(device, None, options, lambda *_: None, NoProgress(), permissions=permissions) as cool_down:
        cool_down(1)
        assert not device.granted and Journal(device.info).read() is None
    assert not any(command.startswith("pm ") for command in device.done)


def test_virtual_phones_get_only_the_permission() -> None:
    device = phone()
    permissions = fine_monitors(device, ["org.asks"])
    with measured(device, None, ProfileOptions(), lambda *_: None, NoProgress(), permissions=permissions) as cool_down:
        cool_down(1)
        assert device.granted == {"org.asks"} and not device.unplugged
    assert not device.granted


@pytest.mark.parametrize(("sdk", "has_rails", "read"), [(34, False, 0), (35, False, 1), (37, False, 1), (37, True, 0)])
def test_the_app_reads_monitors_where_the_shell_reads_no_rails(sdk: int, has_rails: bool, read: int) -> None:
    assert [source.kind for source in topology.monitor_sources(phone(sdk), has_rails=has_rails)] == ["power_monitors"] * read


@pytest.mark.parametrize(
    ("files", "by_perfetto", "read"), [([], False, True), ([topology.RAILS], False, False), ([], True, False)]
)
def test_the_text_of_power_statistics_is_read_without_a_better_source(
    monkeypatch: pytest.MonkeyPatch, files: list[str], by_perfetto: bool, read: bool
) -> None:
    device = phone()
    text = dump_power_statistics({"VSYS_PWR_MODEM": 1e6}, [])
    monkeypatch.setattr(device, "_run", lambda command: text if command.startswith("dumpsys android.hardware.power") else "")
    assert topology.reads_statistics(device, files, by_perfetto=by_perfetto) == read
    assert device.calls == read, "no command is sent for nothing"
