"""Apps that a killed measurement left replaced get their own code at the next start, or by `navitas doctor --restore`."""

from __future__ import annotations

import json
import shutil
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from app_phone import APP, BASE, OWN, PROFILED, AppPhone, Warnings, refused
from support.bundle_maker import ANDROID_FILES, ANDROID_MANIFEST, make
from support.no_progress import NoProgress

from navitas.bundle.reader import Bundle, open_bundle
from navitas.cli import doctor
from navitas.cli.main import run
from navitas.collect.doctor import Examination
from navitas.collect.kept_apps import kept_apps
from navitas.collect.state.saved_apps import SavedApps
from navitas.errors import DeviceError

NEWER, OTHER = b"the user's next build", b"PK another build with probes"


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the copies."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state/navitas/apps/serial-1"


@pytest.fixture
def bundle(state: Path, tmp_path: Path) -> Bundle:
    return made(tmp_path / "a.zip")


def made(path: Path, app: bytes = PROFILED) -> Bundle:
    return open_bundle(make(path, ANDROID_FILES | {"bundle.json": json.dumps(ANDROID_MANIFEST), "app.apk": app}))


@pytest.fixture
def killed(bundle: Bundle, state: Path) -> AppPhone:
    """A phone after a measurement that was killed."""
    device = AppPhone()
    kill(device, bundle, state)
    return device


def kill(device: AppPhone, bundle: Bundle, state: Path, code: bytes = PROFILED) -> None:
    """Measure, and undo what the end of the measurement does."""
    left = state.with_name("left")
    refusal, device.refusal = device.refusal, {}
    with kept_apps(device, [bundle], NoProgress()):
        shutil.copytree(state, left)
        device.code[APP] = code
    if state.exists():
        shutil.rmtree(state)
    left.rename(state)
    device.code[APP], device.refusal = code, refusal
    device.installed.clear()


def start(device: AppPhone, bundle: Bundle) -> list[str]:
    """Measure again, and return the warnings."""
    progress = Warnings()
    with kept_apps(device, [bundle], progress) as warnings:
        assert [f"{message} [{remedy}]" for _, message, remedy in warnings] == progress.texts
        device.measure()
    return progress.texts


def test_the_next_start_restores_the_app(killed: AppPhone, bundle: Bundle, state: Path) -> None:
    progress = Warnings()
    with kept_apps(killed, [bundle], progress):
        assert killed.code[APP] == OWN and (state / f"{APP}.apk").read_bytes() == OWN, "it is saved again"
        killed.measure()
    assert killed.code[APP] == OWN and not state.exists()
    assert progress.texts == [f"{APP}, left replaced by an earlier measurement, was restored []"]


def test_a_start_with_another_app_restores_it_too(killed: AppPhone, state: Path, tmp_path: Path) -> None:
    other = ANDROID_MANIFEST | {"package": "org.example.other", "test_package": "org.example.other.test"}
    with kept_apps(
        killed, [open_bundle(make(tmp_path / "b.zip", ANDROID_FILES | {"bundle.json": json.dumps(other)}))], NoProgress()
    ):
        assert killed.code[APP] == OWN
    assert not state.exists()


def test_a_build_that_the_user_installed_since_stays(killed: AppPhone, bundle: Bundle, state: Path) -> None:
    killed.code[APP] = NEWER
    (text,) = start(killed, bundle)
    assert killed.code[APP] == NEWER
    assert text.startswith(f"{APP} does not get its code of 20") and f"replaced since [the copy stays: {state / APP}.apk]" in text
    assert [path.name for path in state.iterdir()] == [f"{APP}.apk"] and (state / f"{APP}.apk").read_bytes() == OWN
    assert start(killed, bundle) == [] and killed.code[APP] == NEWER


def test_a_build_of_several_apks_that_the_user_installed_since_stays(killed: AppPhone, bundle: Bundle) -> None:
    killed.paths = f"package:{BASE}\npackage:/data/app/split.apk\n"
    assert "replaced since" in start(killed, bundle)[0] and killed.installed == []


def test_without_hashes_what_is_left_is_restored(killed: AppPhone, bundle: Bundle, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("navitas.collect.restored_apps.sha256_on", lambda *_: "")
    with kept_apps(killed, [bundle], NoProgress()):
        assert killed.code[APP] == OWN


def test_an_app_that_the_user_uninstalled_since_stays_away(killed: AppPhone, bundle: Bundle, state: Path) -> None:
    killed.having = {}
    (text,) = start(killed, bundle)
    assert "uninstalled since [the copy stays: " in text and killed.installed == []
    assert (state / f"{APP}.apk").read_bytes() == OWN


def test_an_app_that_the_user_restored_needs_no_copy(killed: AppPhone, bundle: Bundle, state: Path) -> None:
    killed.code[APP] = OWN
    with kept_apps(killed, [bundle], progress := Warnings()):
        pass
    assert progress.texts == [] and killed.installed == [] and not state.exists()


def test_the_first_copy_counts_until_it_is_restored(killed: AppPhone, bundle: Bundle, state: Path, tmp_path: Path) -> None:
    """The phone refuses it repeatedly. After a second kill, it is still known which builds have probes."""
    killed.refusal = {APP: refused("no space")}
    progress = Warnings()
    with pytest.raises(DeviceError, match="no space"), kept_apps(killed, [bundle], progress):
        assert (state / f"{APP}.apk").read_bytes() == OWN
    assert "cannot be restored: device serial-1: no space [adb -s serial-1 install" in progress.texts[0]
    other = made(tmp_path / "b.zip", OTHER)
    with pytest.raises(DeviceError, match="no space"), kept_apps(killed, [other], NoProgress()):
        killed.code[APP] = OTHER
    killed.refusal = {}
    assert len(start(killed, bundle)) == 1 and killed.code[APP] == OWN and not state.exists()


def test_a_user_who_is_gone(bundle: Bundle, state: Path) -> None:
    device = AppPhone(having={0: set(), 10: {APP}})
    device.info = replace(device.info, named_user=0, users=(0, 10))
    kill(device, bundle, state)
    device.having = {0: {APP}}
    device.info = replace(device.info, users=(0,))
    with kept_apps(device, [bundle], NoProgress()):
        assert device.installed == [(APP, 0)]


def test_a_user_whose_apps_are_unknown_now(bundle: Bundle, state: Path) -> None:
    """The app may be there, so its copy waits."""
    device = AppPhone(having={0: set(), 10: {APP}})
    device.info = replace(device.info, named_user=0, users=(0, 10))
    kill(device, bundle, state)
    device.unlisted = {10}
    with kept_apps(device, [bundle], progress := Warnings()):
        pass
    assert "cannot be restored: device serial-1: its packages cannot be listed" in progress.texts[-1]
    assert len(list(state.iterdir())) == 2


def test_two_measurements_of_one_phone(bundle: Bundle) -> None:
    device = AppPhone()
    with kept_apps(device, [bundle], NoProgress()):
        device.measure()
        with pytest.raises(DeviceError, match="another profiling has replaced installed apps"):
            kept_apps(device, [bundle], NoProgress()).__enter__()
    assert device.code[APP] == OWN


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{", b"\xff", b"[" * 9999, b'{"package": 1}', b'{"package": "../a", "user": null}', "../x", "gone.apk"],
)
def test_a_damaged_entry_is_named(killed: AppPhone, bundle: Bundle, state: Path, content: bytes | str) -> None:
    entry = state / f"{APP}.json"
    entry.write_bytes(
        content if isinstance(content, bytes) else json.dumps(json.loads(entry.read_bytes()) | {"file": content}).encode()
    )
    with pytest.raises(DeviceError, match=r"\.json: the entry of an app of serial-1 .* is damaged") as caught:
        kept_apps(killed, [bundle], NoProgress()).__enter__()
    assert f"rm {entry}" in caught.value.remedy and killed.installed == []


def test_another_phone_at_an_address_has_other_copies(state: Path) -> None:
    at = replace(AppPhone().info, serial="192.168.0.7:5555")
    assert SavedApps(at).folder != SavedApps(replace(at, model="Another")).folder
    assert SavedApps(at).folder.parent == state.parent


@pytest.fixture
def examined(killed: AppPhone, monkeypatch: pytest.MonkeyPatch) -> AppPhone:
    """The phone of `navitas doctor`."""
    monkeypatch.setattr(doctor, "device_of", lambda _, user: nullcontext(killed))
    monkeypatch.setattr(doctor, "examine", lambda *_: Examination("serial-1", "A phone", (), "sched", "sched"))
    monkeypatch.setattr(doctor, "remove_traces", lambda _: None)
    return killed


def test_the_doctor_restores_apps(examined: AppPhone, state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["doctor", "--device", "virtual", "--json", "-"]
    assert run(arguments) == 0 and examined.code[APP] == PROFILED
    capsys.readouterr()
    assert run([*arguments, "--restore"]) == 0
    (check,) = json.loads(capsys.readouterr().out)["checks"]
    assert (check["status"], check["found"]) == ("ok", APP) and examined.code[APP] == OWN and not state.exists()
    assert run([*arguments, "--restore"]) == 0
    assert "nothing to restore" in capsys.readouterr().out


def test_the_doctor_names_what_it_cannot_restore(examined: AppPhone, state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    examined.refusal = {APP: refused("no space")}
    assert run(["doctor", "--device", "virtual", "--restore", "--json", "-"]) == 4
    (_, problem) = json.loads(capsys.readouterr().out)["checks"]
    assert problem["status"] == "problem" and f"{state / APP}.apk" in problem["remedy"]
