"""Apps that a killed measurement left replaced get their own code at the next start, or by `navitas doctor --restore`."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from app_phone import APP, BASE, OWN, PROFILED, PROFILED_TESTS, TESTS, AppPhone, Warnings, refused
from support.bundle_maker import ANDROID_FILES, ANDROID_MANIFEST, make
from support.capture import Capture
from support.no_progress import NoProgress

from navitas.base.errors import DeviceError
from navitas.capture.bundle.reader import Bundle, open_bundle
from navitas.capture.collect.apps.kept_apps import kept_apps
from navitas.capture.collect.doctor import Examination
from navitas.capture.collect.options import ProfileOptions
from navitas.capture.collect.state import left_state
from navitas.capture.collect.state.measuring import measured
from navitas.capture.collect.state.saved_apps import SavedApps
from navitas.cli.device import doctor
from navitas.cli.main import run

NEWER, OTHER = b"the user's next build", b"PK another build with probes"
TOO_LARGE = b" " * (1 << 17)


@pytest.fixture
def bundle(tmp_path: Path) -> Bundle:
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


def test_without_hashes_what_is_left_is_restored(killed: AppPhone, bundle: Bundle) -> None:
    killed.hashes = False
    with kept_apps(killed, [bundle], NoProgress()):
        assert killed.code[APP] == OWN


def test_a_build_of_unknown_code_stays(killed: AppPhone, bundle: Bundle, state: Path) -> None:
    """It may be what the user installed since then. Neither it nor the copy is lost."""
    killed.code[APP], killed.paths = NEWER, ""
    with kept_apps(killed, [bundle], progress := Warnings()):
        pass
    assert killed.code[APP] == NEWER and (state / f"{APP}.apk").read_bytes() == OWN
    assert f"{APP} was installed before, and cannot be restored: " in progress.texts[0]
    assert f"adb -s serial-1 install -r -t -d {state}/{APP}.apk" in progress.texts[0]
    killed.code[APP], killed.paths = PROFILED, None
    start(killed, bundle)
    assert killed.code[APP] == OWN


def test_an_app_of_which_only_the_data_are_left_gets_its_code(killed: AppPhone, bundle: Bundle) -> None:
    """As after the first one of the commands that remove a newer version."""
    killed.having, killed.keeping = {None: set()}, {None: {APP}}
    with kept_apps(killed, [bundle], NoProgress()):
        assert killed.installed == [(APP, None)] and killed.code[APP] == OWN
    assert killed.removed == []


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
    device = AppPhone(having={0: {APP}, 10: {APP}}).with_info(named_user=10, users=(0, 10))
    kill(device, bundle, state)
    device.having = {None: {APP}}
    device.info = replace(device.info, named_user=None, users=(0,))
    with kept_apps(device, [bundle], NoProgress()):
        assert device.installed == [(APP, None)]


def test_packages_that_the_user_did_not_have_are_uninstalled(bundle: Bundle, state: Path) -> None:
    """Otherwise, they would count as the user's own from then on."""
    device = AppPhone(code={APP: OWN, TESTS: PROFILED_TESTS})
    kill(device, bundle, state)
    device.having[None].add(TESTS)
    texts = start(device, bundle)
    assert device.removed == [(TESTS, None, False)] and device.code[APP] == OWN and not state.exists()
    assert f"{TESTS}, left installed by an earlier measurement, was uninstalled []" in texts


@pytest.mark.parametrize("code", [NEWER, OWN])
def test_a_package_that_the_user_installed_since_stays(bundle: Bundle, state: Path, code: bytes) -> None:
    device = AppPhone(having={None: set()})
    kill(device, bundle, state, code)
    device.having[None].add(APP)
    start(device, bundle)
    assert device.removed == [] and device.code[APP] == code and not state.exists()


@pytest.mark.parametrize("now", [0, 10])
def test_a_package_is_uninstalled_for_the_user_who_did_not_have_it(bundle: Bundle, state: Path, now: int) -> None:
    device = AppPhone(having={0: {APP}, 10: set()}).with_info(named_user=10, users=(0, 10))
    kill(device, bundle, state)
    device.having[10].add(APP)
    device.info = replace(device.info, named_user=now)
    with kept_apps(device, [bundle], NoProgress()):
        assert device.removed == [(APP, 10, False)] and device.installed == [(APP, 0)] and device.code[APP] == OWN


def test_a_package_that_cannot_be_uninstalled_is_never_taken_for_the_users(bundle: Bundle, state: Path) -> None:
    device = AppPhone(having={None: set()})
    kill(device, bundle, state)
    device.having[None].add(APP)
    device.paths = ""
    with (
        pytest.raises(DeviceError, match=f"{APP}, installed by a measurement, cannot be uninstalled") as caught,
        kept_apps(device, [bundle], NoProgress()),
    ):
        assert not (state / f"{APP}.apk").exists()
    assert caught.value.remedy == f"adb -s serial-1 shell pm uninstall {APP}"
    device.paths = None
    start(device, bundle)
    assert device.removed == [(APP, None, False)] and not state.exists()


def test_data_that_were_there_without_their_app_stay(bundle: Bundle, state: Path) -> None:
    device = AppPhone(having={None: set()}, keeping={None: {APP}})
    kill(device, bundle, state)
    device.having, device.keeping = {None: {APP}}, {}
    start(device, bundle)
    assert device.removed == [(APP, None, True)]


@pytest.mark.parametrize(
    "content", [b"", b"[]", TOO_LARGE, b'{"package": 1}', b'{"package": "a.b", "user": "0", "profiled": []}']
)
def test_a_damaged_entry_of_a_package_is_named(bundle: Bundle, state: Path, content: bytes) -> None:
    device = AppPhone()
    kill(device, bundle, state)
    entry = state / f"{TESTS}.added"
    entry.write_bytes(content)
    with pytest.raises(DeviceError, match="that a measurement installed is damaged") as caught:
        kept_apps(device, [bundle], NoProgress()).__enter__()
    assert f"rm {entry}" in caught.value.remedy


def test_copies_of_virtual_phones_that_are_gone_are_removed(bundle: Bundle, state: Path) -> None:
    folders = [state.with_name(f"localfilesystem_tmp_{name}") for name in ("old", "new", "foreign")]
    for folder, kind in zip(folders, ("virtual", "virtual", "phone"), strict=True):
        folder.mkdir(parents=True)
        (folder / f"{APP}.json").write_text(json.dumps({"kind": kind}))
        (folder / f"{APP}.apk").write_bytes(OWN)
        os.utime(folder, (0, 0) if folder != folders[1] else None)
    with kept_apps(AppPhone(), [bundle], NoProgress()):
        pass
    assert [folder.exists() for folder in folders] == [False, True, True]


def test_a_copy_that_is_not_complete_leaves_nothing(bundle: Bundle, state: Path) -> None:
    """As after a kill while it is copied."""

    def pull(path: Path) -> None:
        path.write_bytes(OWN)
        names = [path.name for path in state.iterdir()]
        assert len(names) == 1 and names[0].endswith(".part")
        shutil.copytree(state, state.with_name("left"))

    apps = SavedApps(AppPhone().info)
    with apps.held():
        apps.forget(apps.save(APP, [None], (), pull))
    shutil.copytree(state.with_name("left"), state)
    with apps.held():
        assert list(state.iterdir()) == []


def test_a_phone_that_does_not_list_its_users_now(bundle: Bundle, state: Path) -> None:
    device = AppPhone(having={0: set(), 10: {APP}}).with_info(named_user=0, users=(0, 10))
    kill(device, bundle, state)
    device.info = replace(device.info, users=(0,))
    with kept_apps(device, [bundle], progress := Warnings()):
        pass
    assert "cannot be restored: device serial-1 does not list its users" in progress.texts[0]
    assert sorted(path.name for path in state.iterdir()) == [f"{APP}.apk", f"{APP}.json"]


def test_a_user_whose_apps_are_unknown_now(bundle: Bundle, state: Path) -> None:
    """The app may be there, so its copy waits."""
    device = AppPhone(having={0: set(), 10: {APP}}).with_info(named_user=0, users=(0, 10))
    kill(device, bundle, state)
    device.unlisted = {10}
    with kept_apps(device, [bundle], progress := Warnings()):
        pass
    assert "cannot be restored: device serial-1: its packages cannot be listed" in progress.texts[0]
    assert len(list(state.iterdir())) == 2


@pytest.mark.parametrize("having", [{None: {APP}}, {None: set()}])
def test_two_measurements_of_one_phone(bundle: Bundle, having: dict[int | None, set[str]]) -> None:
    """The second one would take an app that the first one has installed for the user's."""
    device = AppPhone(having=having)
    with kept_apps(device, [bundle], NoProgress()):
        commands = list(device.commands)
        with pytest.raises(DeviceError, match="another profiling has replaced installed apps"):
            kept_apps(device, [bundle], NoProgress()).__enter__()
        assert device.commands == commands, "packages are listed under the lock"


def test_a_build_that_could_not_be_compared_is_saved(bundle: Bundle, state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first copy is older than it, and set aside."""
    device = AppPhone()
    kill(device, bundle, state)
    device.code[APP], read = NEWER, []

    def fails_once(path: Path) -> str:
        read.append(path)
        if len(read) == 1:
            raise OSError(5, "Input/output error", str(path))
        return hashlib.sha256(path.read_bytes()).hexdigest()

    monkeypatch.setattr("navitas.capture.collect.apps.restored_apps.sha256_of", fails_once)
    with kept_apps(device, [bundle], NoProgress()):
        assert (state / f"{APP}1.apk").read_bytes() == NEWER
        device.measure()
    assert device.code[APP] == NEWER and (state / f"{APP}.apk").read_bytes() == OWN


def test_code_that_is_unknown_at_a_start_is_known_to_be_profiled_at_the_next_one(
    killed: AppPhone, bundle: Bundle, state: Path, tmp_path: Path
) -> None:
    killed.paths = ""
    with kept_apps(killed, [made(tmp_path / "b.zip", OTHER)], NoProgress()):
        killed.code[APP] = OTHER
    killed.paths = None
    start(killed, bundle)
    assert killed.code[APP] == OWN and not state.exists()


def test_a_copy_that_still_counts_is_of_a_user_who_has_the_app(bundle: Bundle, state: Path) -> None:
    device = AppPhone(having={0: {APP}, 10: set()}).with_info(named_user=0, users=(0, 10))
    kill(device, bundle, state)
    device.having = {0: set(), 10: {APP}}
    device.refusal = {APP: refused("no space")}
    with kept_apps(device, [bundle], NoProgress()):
        device.refusal = {}
    assert device.installed == [(APP, 10)]


def test_hashes_are_kept_once(killed: AppPhone, bundle: Bundle, state: Path) -> None:
    killed.refusal = {APP: refused("no space")}
    for _ in range(3):
        with pytest.raises(DeviceError, match="no space"), kept_apps(killed, [bundle], NoProgress()):
            killed.measure()
    assert len(json.loads((state / f"{APP}.json").read_bytes())["profiled"]) == 1


TOO_LARGE = b" " * (1 << 17)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{",
        b"\xff",
        b"[" * 9999,
        TOO_LARGE,
        b'{"package": 1}',
        b'{"package": "../a", "user": null}',
        "../x",
        "gone.apk",
    ],
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
    assert SavedApps(at).folder != SavedApps(replace(at, fingerprint="another build")).folder


def test_a_phone_has_the_same_copies_at_each_of_its_addresses(state: Path) -> None:
    by_cable = replace(AppPhone().info, identity="9A1B")
    folders = {SavedApps(replace(by_cable, serial=serial)).folder for serial in ("9A1B", "192.168.0.7:5555", "192.168.0.9:5555")}
    assert folders == {state.with_name("9A1B")}


def test_virtual_phones_of_one_identity_have_their_own_copies() -> None:
    info = replace(AppPhone().info, kind="virtual", identity="navitas-google_pixel_6")
    assert SavedApps(info).folder != SavedApps(replace(info, serial="localfilesystem:/tmp/x")).folder


@pytest.fixture
def examined(killed: AppPhone, monkeypatch: pytest.MonkeyPatch) -> AppPhone:
    """The phone of `navitas doctor`."""
    monkeypatch.setattr(doctor, "device_of", lambda _, user: nullcontext(killed))
    monkeypatch.setattr(doctor, "examine", lambda *_: Examination("serial-1", "A phone", (), "sched", "sched"))
    monkeypatch.setattr(left_state, "remove_traces", lambda _: None)
    return killed


def restored(capsys: Capture, code: int) -> list[tuple[str, str]]:
    """Restore, and return the status and finding of each check."""
    assert run(["doctor", "--device", "virtual", "--restore", "--json", "-"]) == code
    return [(check["status"], check["found"]) for check in json.loads(capsys.readouterr().out)["checks"]]


def test_a_copy_that_is_not_needed_is_no_problem(examined: AppPhone, capsys: Capture) -> None:
    examined.code[APP] = NEWER
    (ok, note) = restored(capsys, 0)
    assert ok == ("ok", "nothing to restore") and note[0] == "note" and "replaced since" in note[1]


def test_the_doctor_uninstalls_what_a_measurement_installed(
    bundle: Bundle, state: Path, examined: AppPhone, capsys: Capture
) -> None:
    examined.code[TESTS] = PROFILED_TESTS
    examined.having[None].add(TESTS)
    assert restored(capsys, 0) == [("ok", f"{TESTS} (uninstalled), {APP}")]
    assert examined.removed == [(TESTS, None, False)] and not state.exists()


def test_the_doctor_names_what_it_restored_before_an_error(
    examined: AppPhone, bundle: Bundle, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(left_state, "restore_left", lambda *_: ["brightness"])
    with SavedApps(examined.info).held():
        (ok, problem) = restored(capsys, 4)
    assert ok == ("ok", "brightness") and problem[0] == "problem" and "another profiling" in problem[1]


def test_the_doctor_removes_nothing_of_a_running_measurement(examined: AppPhone, capsys: Capture) -> None:
    """Not even of one that changes no setting and installs no app."""
    with measured(examined, None, ProfileOptions(prepare=False), lambda *_: None, NoProgress()):
        examined.commands.clear()
        *_, problem = restored(capsys, 4)
        assert problem == ("problem", "device serial-1: another profiling is measuring on it") and examined.commands == []
    restored(capsys, 0)
    assert any(command.startswith("rm -rf /data/local/tmp/navitas") for command in examined.commands)


def test_the_doctor_restores_apps(examined: AppPhone, state: Path, capsys: Capture) -> None:
    arguments = ["doctor", "--device", "virtual", "--json", "-"]
    assert run(arguments) == 0 and examined.code[APP] == PROFILED
    capsys.readouterr()
    assert run([*arguments, "--restore"]) == 0
    (check,) = json.loads(capsys.readouterr().out)["checks"]
    assert (check["status"], check["found"]) == ("ok", APP) and examined.code[APP] == OWN and not state.exists()
    assert run([*arguments, "--restore"]) == 0
    assert "nothing to restore" in capsys.readouterr().out


def test_the_doctor_names_what_it_cannot_restore(examined: AppPhone, state: Path, capsys: Capture) -> None:
    examined.refusal = {APP: refused("no space")}
    assert run(["doctor", "--device", "virtual", "--restore", "--json", "-"]) == 4
    (_, problem) = json.loads(capsys.readouterr().out)["checks"]
    assert problem["status"] == "problem" and f"{state / APP}.apk" in problem["remedy"]
