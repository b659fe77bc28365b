"""Intents of the shell, broadcasts of the phone, keys, alarms and jobs: what reaches a running app's process."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import struct
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from phone_harness import Output, on_phone, run

from navitas.virtual_phone.apps import AppEnded
from navitas.virtual_phone.identity import SHELL
from navitas.virtual_phone.package import Package
from navitas.virtual_phone.phone import Phone
from navitas.virtual_phone.shell.commands.intent_arguments import parse_intent
from navitas.virtual_phone.shell.state import CommandError

APP, UID = "org.example.app", 10_100
OFF, ON = "ACTION_POWER_DISCONNECTED", "ACTION_POWER_CONNECTED"
BATTERY = "BATTERY_CHANGED"


class FakeApp:
    """An app's process: notes its requests, and answers with `answer`; has ended if that is None."""

    pid = 4000

    def __init__(self, answer: list[str] | None) -> None:
        self.answer = answer
        self.requests: list[str] = []

    async def send(self, request: str) -> AsyncIterator[str]:
        for line in await self.ask(request):
            yield line

    async def ask(self, request: str) -> list[str]:
        self.requests.append(request)
        if self.answer is None:
            raise AppEnded
        return self.answer


class HungApp(FakeApp):
    """An app that never answers."""

    async def ask(self, request: str) -> list[str]:
        self.requests.append(request)
        await asyncio.Event().wait()
        return []


def installed(phone: Phone, root: Path, app: FakeApp) -> None:
    """Make a fake app the running one in front."""
    manifest = SimpleNamespace(package=APP)
    package = Package(cast(Any, SimpleNamespace(manifest=manifest)), UID, root, root)
    cast(Any, phone.apps)._running[UID] = app
    cast(Any, phone.packages)._packages[APP] = package
    cast(Any, phone.packages)._users_of[APP] = {0}
    phone.apps.shown(package)


def requested(tmp_path: Path, script: str, answer: list[str] | None = None) -> tuple[list[str], Output]:
    """The requests that a running app in front gets from a script, and the script's output."""
    app = FakeApp(answer)

    async def act(phone: Phone) -> Output:
        installed(phone, tmp_path, app)
        return await run(phone, script)

    return app.requests, on_phone(tmp_path, act)


@pytest.mark.parametrize(
    ("arguments", "printed", "uri"),
    [
        ("-n p.q/.A", "cmp=p.q/.A", "intent:#Intent;component=p.q/p.q.A;end"),
        ("p.q/r.A", "cmp=p.q/r.A", "intent:#Intent;component=p.q/r.A;end"),
        ("p.q", "pkg=p.q", "intent:#Intent;package=p.q;end"),
        ("-a x.GO -c one -c two -p p.q", "act=x.GO cat=[one,two] pkg=p.q",
         "intent:#Intent;action=x.GO;category=one;category=two;package=p.q;end"),
        ("-d https://a.b/c?d=1 -t text/plain", "dat=https://a.b/c?d=1 typ=text/plain",
         "intent://a.b/c?d=1#Intent;scheme=https;type=text/plain;end"),
        ("-a x -f 0x20 --activity-single-top", "act=x flg=0x20000020", "intent:#Intent;action=x;launchFlags=0x20000020;end"),
    ],
)  # fmt: skip
def test_intents_are_parsed_as_on_a_phone(arguments: str, printed: str, uri: str) -> None:
    intent = parse_intent(arguments.split())
    assert (str(intent), intent.uri()) == (f"Intent {{ {printed} }}", uri)


def test_extras_keep_their_types_and_need_no_spaces() -> None:
    intent = parse_intent(["-a", "x", "--es", "a key", "b; c=d", "--ei", "n", "3", "--ez", "on", "true", "-e", "t", "é"])
    assert intent.uri() == "intent:#Intent;action=x;S.a%20key=b%3B%20c%3Dd;i.n=3;B.on=true;S.t=%C3%A9;end"
    assert str(intent) == "Intent { act=x (has extras) }"


@pytest.mark.parametrize("arguments", [["-a"], ["--es", "key"], ["-f", "many"]])
def test_wrong_intents_are_errors(arguments: list[str]) -> None:
    with pytest.raises(CommandError, match="Error: "):
        parse_intent(arguments)


@pytest.mark.parametrize("intent", ["-a x.GO", f"-n {APP}/.R", f"-a x.GO -p {APP}"])
def test_am_broadcast_reaches_running_apps(tmp_path: Path, intent: str) -> None:
    requests, output = requested(tmp_path, f"am broadcast {intent}", [])
    assert [request.partition(":")[0] for request in requests] == ["broadcast intent"]
    assert "launchFlags=0x400000;" in requests[0]
    assert output.stdout.endswith(b"flg=0x400000 }\nBroadcast completed: result=0\n") or b"flg=0x400000" in output.stdout


@pytest.mark.parametrize("intent", ["-n other.app/.R", "-a x.GO -p other.app"])
def test_am_broadcast_to_an_app_that_does_not_run_reaches_no_one(tmp_path: Path, intent: str) -> None:
    requests, output = requested(tmp_path, f"am broadcast {intent}", [])
    assert (requests, output.status) == ([], 0)


@pytest.mark.parametrize(
    ("script", "actions"),
    [
        ("dumpsys battery unplug", [OFF, BATTERY, "DISCHARGING"]),
        ("dumpsys battery; dumpsys battery reset; settings put system screen_brightness 102; svc wifi enable", []),
        ("dumpsys battery unplug; cmd battery set level 15", [OFF, BATTERY, "DISCHARGING", "BATTERY_LOW", BATTERY]),
        ("dumpsys battery set level 10", [BATTERY]),
        ("dumpsys battery set level 10; dumpsys battery unplug", [BATTERY, OFF, "BATTERY_LOW", BATTERY, "DISCHARGING"]),
        ("dumpsys battery unplug; dumpsys battery set level 9; dumpsys battery set level 8; dumpsys battery reset",
         [OFF, BATTERY, "DISCHARGING", "BATTERY_LOW", BATTERY, BATTERY, ON, "BATTERY_OKAY", BATTERY, "CHARGING"]),
        ("svc wifi disable; svc data disable; svc bluetooth disable",
         ["WIFI_STATE_CHANGED", "CONNECTIVITY_CHANGE", "CONNECTIVITY_CHANGE", "STATE_CHANGED"]),
        ("svc data disable; cmd wifi set-wifi-enabled disabled", ["WIFI_STATE_CHANGED", "CONNECTIVITY_CHANGE"]),
        ("dumpsys battery unplug; cmd power set-mode 1; dumpsys battery reset",
         [OFF, BATTERY, "DISCHARGING", "POWER_SAVE_MODE_CHANGED", ON, BATTERY, "CHARGING", "POWER_SAVE_MODE_CHANGED"]),
        ("input keyevent 223; input keyevent 223; input keyevent 224", ["SCREEN_OFF", "SCREEN_ON"]),
        ("cmd connectivity airplane-mode enable; svc wifi enable; cmd connectivity airplane-mode disable",
         ["AIRPLANE_MODE", "WIFI_STATE_CHANGED", "STATE_CHANGED", "CONNECTIVITY_CHANGE", "WIFI_STATE_CHANGED",
          "CONNECTIVITY_CHANGE", "AIRPLANE_MODE", "STATE_CHANGED"]),
    ],
)  # fmt: skip
def test_the_phone_broadcasts_its_changes(tmp_path: Path, script: str, actions: list[str]) -> None:
    requests, _ = requested(tmp_path, script, [])
    heard = [request for request in requests if not request.startswith("key ")]
    assert [action for request in heard for action in re.findall(r"action=[\w.]*?(\w+);", request)] == actions
    # Before the broadcasts of each change, the app's callbacks hear of it.
    assert heard[:1] == (["changed"] if actions else [])


def test_broadcasts_have_the_extras_of_a_phone(tmp_path: Path) -> None:
    requests, _ = requested(tmp_path, "dumpsys battery set level 5; svc wifi disable", [])
    battery = next(request for request in requests if BATTERY in request)
    for extra in ("i.level=5", "i.scale=100", "i.status=2", "i.plugged=2", "B.present=true", "B.battery_low=false",
                  "S.technology=Li-ion", "i.charge_counter=3000000", "launchFlags=0x40000000"):  # fmt: skip
        assert f";{extra};" in battery, battery
    assert any(";i.wifi_state=1;i.previous_wifi_state=3;" in request for request in requests)
    assert any(";i.networkType=0;B.noConnectivity=false;" in request for request in requests)


def test_keys_touches_and_text_reach_the_app_in_front(tmp_path: Path) -> None:
    script = "input keyevent KEYCODE_1 67; input tap 1 2.5; input swipe 1 2 3 4; input swipe 1 2 3 4 50; input text 'a%sb&c'"
    requests, _ = requested(tmp_path, script, [])
    assert requests == [
        *("key KEYCODE_1", "key 67"),
        *("swipe 1 2.5 1 2.5 0", "swipe 1 2 3 4 300", "swipe 1 2 3 4 50"),
        "text a%20b%26c",
    ]


def test_bytes_that_are_no_text_reach_the_app(tmp_path: Path) -> None:
    requests, output = requested(tmp_path, r'input text "$(printf "a\377")"; am broadcast -a x --es k "$(printf "\377")"', [])
    assert requests[0] == "text a%FF" and ";S.k=%FF;" in requests[1] and output.status == 0


@pytest.mark.parametrize("event", ["tap 1", "tap x y", "swipe 1 2 3", "swipe 1 2 3 4 -5", "swipe 1 2 3 4 x", "text", "tap 1 1e9"])
def test_wrong_touches_are_refused(tmp_path: Path, event: str) -> None:
    requests, output = requested(tmp_path, f"input {event}", [])
    assert requests == [] and output.status != 0 and output.stderr


def test_an_app_that_ends_meanwhile_is_no_error(tmp_path: Path) -> None:
    requests, output = requested(tmp_path, "am broadcast -a x; input keyevent 8; cmd alarm advance 1 && dumpsys battery unplug")
    assert len(requests) == 7 and output.status == 0 and not output.stderr


def test_an_app_that_does_not_answer_delays_only_the_command_that_it_should_hear_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def act(phone: Phone) -> None:
        installed(phone, tmp_path, HungApp([]))
        monkeypatch.setattr("navitas.virtual_phone.apps._ANNOUNCED_S", 0.01)
        await run(phone, "svc wifi disable")
        monkeypatch.setattr("navitas.virtual_phone.apps._ANNOUNCED_S", None)  # without limit
        await run(phone, "dumpsys battery; svc wifi disable")

    on_phone(tmp_path, act)


def test_no_command_waits_for_what_others_announce(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither for the change of another shell, nor for that of an app, whose report may arrive while it reads the log."""
    monkeypatch.setattr("navitas.virtual_phone.apps._ANNOUNCED_S", None)  # without limit

    async def act(phone: Phone) -> bool:
        app = HungApp([])
        installed(phone, tmp_path, app)
        phone.processes.add_host(os.getpid(), "app", ("app",), SHELL, lambda number: None)
        other = asyncio.create_task(run(phone, "svc wifi disable"))
        while not app.requests:
            await asyncio.sleep(0)
        await run(phone, "cat /proc/uptime; dumpsys battery | cat")
        report = struct.pack("<BIIqB", 2, os.getpid(), 1, 0, 255) + b"radio\x001 bluetooth 0"
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(phone.logd.token + report, ("127.0.0.1", phone.logd.port))
        await run(phone, "logcat -d")
        phone.processes.remove(os.getpid())
        return not other.done() and other.cancel() and not phone.state.switches.bluetooth_on

    assert on_phone(tmp_path, act)


def test_alarms_are_advanced(tmp_path: Path) -> None:
    requests, output = requested(tmp_path, "cmd alarm advance 60.5", ["3"])
    assert (requests, output.stdout) == (["advance 60500"], b"Advanced by 60.5 s: 3 alarms and jobs\n")


@pytest.mark.parametrize("words", ["", "advance", "advance -1", "advance 1e3", "set-time 4", "advance 1 2"])
def test_wrong_times_are_refused(tmp_path: Path, words: str) -> None:
    requests, output = requested(tmp_path, f"cmd alarm {words}", ["0"])
    assert requests == [] and output.status == 255 and b"advance SECONDS" in output.stderr


@pytest.mark.parametrize(
    ("words", "answer", "status", "text"),
    [
        (f"run {APP} 7", ["true"], 0, "Running job\n"),
        (f"run -f {APP} 7", ["true"], 0, "Running job [FORCED]\n"),
        (f"run {APP} 8", ["false"], 23, f"Could not find job 8 in package {APP} / user 0\n"),
        (f"run {APP} 8", None, 23, f"Could not find job 8 in package {APP} / user 0\n"),
        ("run no.app 8", ["true"], 24, "Package not found: no.app / user 0\n"),
        (f"run {APP} x", ["true"], 255, ""),
    ],
)
def test_jobs_run_on_request(tmp_path: Path, words: str, answer: list[str] | None, status: int, text: str) -> None:
    _, output = requested(tmp_path, f"cmd jobscheduler {words}", answer)
    assert (output.status, output.stdout.decode()) == (status, text)
