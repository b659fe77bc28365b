"""Hot and empty phones are refused; repeats wait until the phone has cooled down."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from fake_device import FakeDevice
from support.no_progress import NoProgress

from navitas.base.errors import DeviceError
from navitas.capture.collect.state import measuring
from navitas.capture.collect.state.condition import BatteryState, PhoneCondition, Thermal
from navitas.capture.collect.state.measuring import CoolDown, check, unfit


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (PhoneCondition(BatteryState(level_percent=80), Thermal(2)), "thermal status 2 (moderate)"),
        (PhoneCondition(BatteryState(temperature_c=46.0), Thermal()), "46.0 °C"),
        (PhoneCondition(BatteryState(level_percent=14.0), Thermal(0)), "nearly empty (14 %)"),
        (PhoneCondition(BatteryState(level_percent=15.0, temperature_c=44.0), Thermal(1)), None),
        (PhoneCondition(BatteryState(level_percent=50.0, temperature_c=50.0), Thermal(0)), None),
        (PhoneCondition(), None),
    ],
)
def test_what_makes_a_phone_unfit(condition: PhoneCondition, words: str | None) -> None:
    why = unfit(condition)
    assert (why is None) == (words is None)
    if why is not None and words is not None:
        assert words in why[0] and "--force" in why[1]


def test_an_unfit_phone_is_measured_only_by_force() -> None:
    device = FakeDevice({"dumpsys battery": "Current Battery Service state:\n  level: 3\n  scale: 100\n\n@thermal\n"})
    with pytest.raises(DeviceError, match=r"serial-1.*nearly empty") as error:
        check(device, force=False)
    assert "charge it" in error.value.remedy
    assert check(device, force=True).battery.level_percent == 3


@dataclass
class StageRecorder(NoProgress):
    details: list[str] = field(default_factory=list)

    def detail(self, text: str) -> None:
        self.details.append(text)


def cool(
    monkeypatch: pytest.MonkeyPatch, start: PhoneCondition, later: list[PhoneCondition]
) -> tuple[list[str], list[str], float]:
    """Wait while the phone's condition goes through `later`, the last of which stays; details, warnings, seconds."""
    now = 0.0
    left = list(later)
    warned: list[str] = []
    progress = StageRecorder()

    def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds

    monkeypatch.setattr(measuring, "read_condition", lambda *_, **__: left.pop(0) if len(left) > 1 else left[0])
    warn = lambda _code, message, _remedy: warned.append(message)  # noqa: E731
    CoolDown(FakeDevice(), start, warn, progress, unplugged=False, clock=lambda: now, sleep=sleep).wait()
    return progress.details, warned, now


COOL = PhoneCondition(BatteryState(temperature_c=30.0), Thermal(0, 32.0))


def test_a_cool_phone_waits_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert cool(monkeypatch, COOL, [PhoneCondition(BatteryState(temperature_c=40.0), Thermal(0, 33.0))]) == ([], [], 0.0), (
        "the skin counts"
    )


def test_a_warm_phone_cools_down(monkeypatch: pytest.MonkeyPatch) -> None:
    later = [PhoneCondition(thermal=Thermal(1, 39.0)), PhoneCondition(thermal=Thermal(0, 36.0)), COOL]
    details, warned, seconds = cool(monkeypatch, COOL, later)
    assert details == ["thermal status 1 (light), 0 at the start", "skin 36.0 °C, 32.0 °C at the start"]
    assert (warned, seconds) == ([], 10.0)


def test_before_android_10_the_battery_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    start = PhoneCondition(BatteryState(temperature_c=30.0))
    details, _, _ = cool(
        monkeypatch, start, [PhoneCondition(BatteryState(temperature_c=35.0)), PhoneCondition(BatteryState(temperature_c=31.0))]
    )
    assert details == ["battery 35.0 °C, 30.0 °C at the start"]


def test_the_wait_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    _, warned, seconds = cool(monkeypatch, COOL, [PhoneCondition(thermal=Thermal(0, 60.0))])
    assert "did not cool down in 5 minutes" in warned[0] and seconds == 300.0


def test_a_phone_that_reports_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert cool(monkeypatch, PhoneCondition(), [COOL]) == ([], [], 0.0)


@pytest.mark.parametrize("unplugged", [True, False])
def test_only_who_unplugged_the_battery_thaws_it(unplugged: bool) -> None:
    """Otherwise no one would end what the reading begins."""
    device = FakeDevice()
    CoolDown(device, PhoneCondition(BatteryState(temperature_c=30.0)), lambda *_: None, NoProgress(), unplugged=unplugged).wait()
    assert any("unplug" in command for command in device.commands) is unplugged
