"""The phone's own power profile: from its services, from its framework's overlays; kept by build; replaced by the app's."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from fake_device import FakeDevice

from navitas.base.errors import PowerProfileError
from navitas.capture.collect import power
from navitas.capture.collect.options import ProfileOptions
from navitas.capture.collect.phone_profile import FRAMEWORK, cached
from navitas.power.power_profile import read_power_profile
from navitas.recording.manifest import Policy

COMPILED = Path(__file__).parents[3] / "fixtures/compiled"
POLICIES = [Policy(id=0, cpus=[0, 1, 2, 3])]
DUMP = """\
cpu.clusters.cores=[4.0]\x20
cpu.core_speeds.cluster0=[300000.0]\x20
cpu.core_power.cluster0=[{ma}]\x20
cpu.idle=1.0\x20
Modem values:
"""
VENDOR, PRODUCT = "/vendor/overlay/framework-res__auto_generated_rro_vendor.apk", "/product/overlay/product.apk"
OVERLAYS = (
    "android\n[x] android.auto_generated_rro_vendor__\n[ ] com.android.internal.display.cutout.emulation.corner\n"
    "--- com.vendor.theme\n[x] android.auto_generated_rro_product__\n\n"
)


def profile_xml(ma: float) -> bytes:
    return (
        '<device><item name="cpu.idle">1</item><array name="cpu.clusters.cores"><value>4</value></array>'
        '<array name="cpu.core_speeds.cluster0"><value>300000</value></array>'
        f'<array name="cpu.core_power.cluster0"><value>{ma}</value></array></device>'
    ).encode()


@dataclass
class ProfilePhone(FakeDevice):
    """`apks`: power_profile.xml by the APK that holds it; with `unzips` false the phone has no unzip."""

    apks: dict[str, bytes] = field(default_factory=dict)
    unzips: bool = True

    def exec_out(self, command: str, *, timeout_s: float = 60.0) -> Iterator[bytes]:
        self.commands.append(command)
        if not self.unzips:
            yield b"/system/bin/sh: unzip: inaccessible or not found\n"
            return
        apk = command.split()[2]
        data = self.apks.get(apk)
        yield from (data[:9], data[9:]) if data else (b"unzip: caution: filename not matched\n",)

    def pull(self, remote: str, local: Path) -> None:
        self.commands.append(f"pull {remote}")
        memory = io.BytesIO()
        with zipfile.ZipFile(memory, "w") as archive:
            archive.writestr("resources.arsc", b"x")
            if remote in self.apks:
                archive.writestr("res/xml/power_profile.xml", self.apks[remote])
        local.write_bytes(memory.getvalue())


def core_ma(supply: power.Supply) -> float:
    return read_power_profile(supply.profile_xml, name="x").arrays["cpu.core_power.cluster0"][0]


def choose(device: FakeDevice, **options: object) -> power.Supply:
    return power.choose(device, ProfileOptions(**options), POLICIES)[0]  # type: ignore[arg-type]


def overlaid(**apks: bytes) -> ProfilePhone:
    texts = {
        "cmd overlay list android": OVERLAYS,
        "for p in android.auto_generated_rro_product__ android": f"package:{PRODUCT}\npackage:{VENDOR}\n",
        "stat -c %s": "1000\n",
    }
    return ProfilePhone(texts, apks=apks)


def test_the_battery_service_comes_first(user_folder: Path) -> None:
    device = ProfilePhone({"dumpsys batterystats --power-profile": DUMP.format(ma=12.5)})
    supply = choose(device)
    assert (core_ma(supply), supply.profile_source) == (12.5, "A phone: dumpsys batterystats --power-profile")
    assert supply.replaceable
    (about,) = (user_folder / "power").glob("*.json")
    assert json.loads(about.read_text())["fingerprint"] == "f"


def test_a_build_is_queried_once() -> None:
    device = ProfilePhone({"dumpsys batterystats --power-profile": DUMP.format(ma=12.5)})
    first, sent = choose(device), len(device.commands)
    assert choose(device).profile_xml == first.profile_xml
    assert not [command for command in device.commands[sent:] if "power-profile" in command]
    updated = replace(device, info=replace(device.info, fingerprint="another build"))
    updated.texts = {"dumpsys batterystats --power-profile": DUMP.format(ma=99)}
    assert core_ma(choose(updated)) == 99


@pytest.mark.parametrize("damage", ["xml", "json"])
def test_a_damaged_cache_is_queried_again(user_folder: Path, damage: str) -> None:
    device = ProfilePhone({"dumpsys batterystats --power-profile": DUMP.format(ma=12.5)})
    choose(device)
    (file,) = (user_folder / "power").glob(f"*.{damage}")
    file.write_bytes(file.read_bytes()[:-9])
    assert cached("f") is None
    assert core_ma(choose(device)) == 12.5


def test_a_cache_that_cannot_be_written_is_done_without(user_folder: Path) -> None:
    user_folder.parent.mkdir(exist_ok=True)
    user_folder.write_text("a file in the way")
    assert core_ma(choose(ProfilePhone({"dumpsys batterystats --power-profile": DUMP.format(ma=12.5)}))) == 12.5


@pytest.mark.parametrize("unzips", [True, False])
def test_the_overlay_of_highest_priority_wins(unzips: bool) -> None:
    device = overlaid(**{VENDOR: profile_xml(30), PRODUCT: profile_xml(40), FRAMEWORK: profile_xml(0.1)})
    device.unzips = unzips
    supply = choose(device)
    assert core_ma(supply) == 40 and PRODUCT in supply.profile_source
    del device.apks[PRODUCT]
    assert core_ma(choose(replace(device, info=replace(device.info, fingerprint="g")))) == 30


def test_an_apk_with_damaged_lzma_has_no_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    def pull(_self: ProfilePhone, _remote: str, local: Path) -> None:
        with zipfile.ZipFile(local, "w", zipfile.ZIP_LZMA) as archive:
            archive.writestr("res/xml/power_profile.xml", profile_xml(1) * 9)
        data = bytearray(local.read_bytes())
        data[100] ^= 255
        local.write_bytes(data)

    monkeypatch.setattr(ProfilePhone, "pull", pull)
    with pytest.raises(PowerProfileError, match="no usable power profile"):
        choose(replace(overlaid(), unzips=False))


@pytest.mark.parametrize("name", ["aapt.xml.bin", "aapt2.xml.bin"])
def test_without_overlays_the_framework_s_own(name: str) -> None:
    device = ProfilePhone(apks={FRAMEWORK: (COMPILED / name).read_bytes()})
    supply = choose(device)
    assert core_ma(supply) == 12 and FRAMEWORK in supply.profile_source


def test_a_placeholder_is_passed_over() -> None:
    device = ProfilePhone({"dumpsys batterystats --power-profile": DUMP.format(ma=0.1)}, apks={FRAMEWORK: profile_xml(7)})
    assert core_ma(choose(device)) == 7


@pytest.mark.parametrize("model", ["Pixel 6 Pro", "Pixel 6"])
def test_nothing_usable_names_every_place_and_a_remedy(model: str) -> None:
    device = ProfilePhone(
        {"dumpsys batterystats --power-profile": "Unknown option\n"}, apks={FRAMEWORK: profile_xml(0.1)}
    ).with_info(model=model)
    with pytest.raises(PowerProfileError) as error:
        choose(device)
    assert "`dumpsys batterystats --power-profile`: not found" in error.value.message
    assert "AOSP's placeholder" in error.value.message
    assert error.value.remedy.endswith("--power-profile google-pixel-6")


def test_profiles_of_other_phones_and_damaged_ones_are_not_taken() -> None:
    two = profile_xml(9).replace(b"<value>4</value>", b"<value>4</value><value>4</value>")
    for data in (two, b"<html/>", (COMPILED / "aapt.xml.bin").read_bytes()[:700]):
        with pytest.raises(PowerProfileError, match="no usable power profile"):
            choose(ProfilePhone(apks={FRAMEWORK: data}))


def test_the_option_outranks_the_phone() -> None:
    device = ProfilePhone({"dumpsys batterystats --power-profile": DUMP.format(ma=12.5), "getprop": "oneplus-3\n"})
    supply, _ = power.choose(device, ProfileOptions(power_profile="oneplus-3"), [])
    assert (supply.profile_source, supply.replaceable) == ("oneplus-3", False)


def test_what_the_app_reads_outranks_what_is_seen_from_outside() -> None:
    device = ProfilePhone({"dumpsys batterystats --power-profile": DUMP.format(ma=12.5)})
    supply = choose(device)
    said: list[str] = []
    same = power.adopt(device, supply, profile_xml(12.5), POLICIES, said.append)
    assert same is supply and said == []
    better = power.adopt(device, supply, profile_xml(13), POLICIES, said.append)
    assert core_ma(better) == 13 and better.profile_source == "A phone: read inside the app"
    assert "differs" in said[0]
    again = choose(device)
    assert core_ma(again) == 13 and "read inside the app" in again.profile_source, "kept for the next time"


def test_a_dump_that_names_the_same_figures_otherwise_is_the_same() -> None:
    """Android adds numbered displays to those of older profiles, and the modem's figures as `Modem values`."""
    entries = (
        b'<item name="screen.on">50</item><item name="modem.controller.rx">80</item>'
        b'<array name="modem.controller.tx"><value>90</value></array></device>'
    )
    modem = "  drain:SLEEP,RAT:DEFAULT=0.0\n  drain:RX,RAT:DEFAULT=80.0\n"
    dump = "screen.on=50.0\nscreen.on.display0=50.0\nmodem.controller.rx=80.0\nmodem.controller.tx=[90.0]\n" + DUMP.format(
        ma=12.5
    )
    supply = choose(ProfilePhone({"dumpsys batterystats --power-profile": dump + modem}))
    said: list[str] = []
    xml = profile_xml(12.5).replace(b"</device>", entries)
    assert power.adopt(ProfilePhone(), supply, xml, POLICIES, said.append) is supply and said == []
    power.adopt(ProfilePhone(), supply, xml.replace(b">80<", b">81<"), POLICIES, said.append)
    assert "differs" in said[0]


@pytest.mark.parametrize("xml", [profile_xml(0.1), b"", b"<device>", b"\x03\x00\x08\x00"])
def test_an_app_s_unusable_one_is_named_and_left(xml: bytes) -> None:
    device = ProfilePhone({"dumpsys batterystats --power-profile": DUMP.format(ma=12.5)})
    supply = choose(device)
    said: list[str] = []
    assert power.adopt(device, supply, xml, POLICIES, said.append) is supply
    assert "is not used" in said[0]


@pytest.mark.parametrize(("text", "expected"), [("voltage: 3912", (3.912, "battery")), ("voltage: 4", (3.85, "default"))])
def test_the_voltage(text: str, expected: tuple[float, str]) -> None:
    battery = f"Current Battery Service state:\n  level: 5\n  {text}\n"
    device = ProfilePhone({"dumpsys batterystats --power-profile": DUMP.format(ma=1), "dumpsys battery": battery})
    device.texts = dict(sorted(device.texts.items(), key=lambda pair: -len(pair[0])))
    supply = choose(device)
    assert (supply.voltage_v, supply.voltage_source) == expected


def test_profiles_by_operating_point_take_the_phone_s_speeds() -> None:
    """As Android 14 allows: currents without speeds, which are the kernel's."""
    dump = "cpu.scaling_step_power.policy0=[5.0, 9.0] \ncpu.scaling_policy_power.policy0=1.0 \ncpu.idle=1.0 \nModem values:\n"
    states = "cat /sys/devices/system/cpu/cpufreq/policy0/stats/time_in_state"
    device = ProfilePhone({"dumpsys batterystats --power-profile": dump, states: "300000 7\n1800000 0\n"})
    assert choose(device).profile_source.endswith("--power-profile")
    available = "cat /sys/devices/system/cpu/cpufreq/policy0/scaling_available_frequencies"
    device = replace(device, info=replace(device.info, fingerprint="g"))
    device.texts = {"dumpsys batterystats --power-profile": dump, available: "300000 1800000 \n"}
    assert choose(device).replaceable
    device = replace(device, info=replace(device.info, fingerprint="h"))
    del device.texts[available]
    with pytest.raises(PowerProfileError, match="frequencies are not known"):
        choose(device)
