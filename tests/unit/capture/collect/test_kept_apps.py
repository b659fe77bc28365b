"""Apps that are on the phone before a measurement are there afterwards, as they were."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from app_phone import APP, BASE, OWN, PROFILED, TESTS, AppPhone, Warnings, refused
from support.bundle_maker import ANDROID_FILES, ANDROID_MANIFEST, FILES, make
from support.no_progress import NoProgress
from support.raising import raising

from navitas.base.errors import BuildError, DeviceError
from navitas.capture.bundle.reader import Bundle, open_bundle
from navitas.capture.collect.apps.kept_apps import kept_apps

RESTORE = "adb -s serial-1 install -r -t -d"


@pytest.fixture
def bundle(tmp_path: Path) -> Bundle:
    return open_bundle(make(tmp_path / "a.zip", ANDROID_FILES | {"bundle.json": json.dumps(ANDROID_MANIFEST)}))


@pytest.fixture
def progress() -> Warnings:
    return Warnings()


def both() -> AppPhone:
    """A phone that also has the tests."""
    return AppPhone(code={APP: OWN, TESTS: OWN}, having={None: {APP, TESTS}})


def test_an_installed_app_is_restored(bundle: Bundle, state: Path, progress: Warnings) -> None:
    device = AppPhone()
    with kept_apps(device, [bundle, bundle], progress) as warnings:
        assert device.commands.count(f"pull {BASE}") == 1 and not device.installed
        device.measure()
    assert device.installed == [(APP, None)] and device.code[APP] == OWN
    assert progress.texts == warnings == [] and not state.exists()


def test_the_copy_is_on_disk_before_anything_is_replaced(bundle: Bundle, state: Path) -> None:
    with kept_apps(AppPhone(), [bundle], NoProgress()):
        assert (state / f"{APP}.apk").read_bytes() == OWN
        entry = json.loads((state / f"{APP}.json").read_text())
        assert (entry["package"], entry["user"], entry["serial"]) == (APP, None, "serial-1") and entry["when"][:2] == "20"


def test_an_app_that_was_not_replaced_is_not_installed_again(bundle: Bundle, state: Path) -> None:
    """Its installer and its processes stay."""
    device = AppPhone()
    with pytest.raises(DeviceError, match="another signature"), kept_apps(device, [bundle], NoProgress()):
        raise refused("another signature")
    assert device.installed == [] and not state.exists()


def test_an_app_of_unknown_code_is_installed_again(bundle: Bundle) -> None:
    device = AppPhone()
    with kept_apps(device, [bundle], NoProgress()):
        device.paths = ""
    assert device.installed == [(APP, None)]


def test_without_hashes_the_code_is_read(bundle: Bundle) -> None:
    device = AppPhone(hashes=False)
    with kept_apps(device, [bundle], NoProgress()):
        pass
    assert device.installed == []


@pytest.mark.parametrize(("named", "having", "expected"), [(10, {0: {APP}, 10: set()}, 0), (10, {0: {APP}, 10: {APP}}, 10)])
def test_an_app_is_restored_for_a_user_who_has_it(
    bundle: Bundle, named: int, having: dict[int | None, set[str]], expected: int
) -> None:
    device = AppPhone(having=having).with_info(named_user=named, users=(0, 10))
    with kept_apps(device, [bundle], NoProgress()):
        device.measure()
    assert device.installed == [(APP, expected)]


def test_the_measured_user_counts_if_the_users_are_unknown(bundle: Bundle) -> None:
    device = AppPhone(having={10: {APP}}).with_info(named_user=10, users=())
    with kept_apps(device, [bundle], NoProgress()):
        device.measure()
    assert device.installed == [(APP, 10)]


def test_a_user_whose_packages_adb_cannot_list_is_named(bundle: Bundle, progress: Warnings) -> None:
    device = AppPhone(having={0: {APP}}, unlisted={150}).with_info(named_user=0, users=(0, 150))
    with kept_apps(device, [bundle], progress) as warnings:
        device.measure()
    assert device.code[APP] == OWN
    assert f"if user 150 has {TESTS}, it will keep the profiled code" in progress.texts[0] and "permission" in progress.texts[0]
    assert [warning[0] for warning in warnings] == ["cleanup"]


def test_a_list_that_cannot_be_read_is_an_error_before_anything_is_replaced(bundle: Bundle) -> None:
    device = AppPhone(unlisted={0}).with_info(named_user=0, users=(0,))
    with pytest.raises(DeviceError, match="packages cannot be listed: SecurityException"):
        kept_apps(device, [bundle], NoProgress()).__enter__()


def test_an_app_that_was_not_there_is_not_restored(bundle: Bundle, state: Path) -> None:
    device = AppPhone(having={})
    with kept_apps(device, [bundle], NoProgress()):
        assert sorted(path.name for path in state.iterdir()) == [f"{APP}.added", f"{TESTS}.added"]
    assert device.installed == device.removed == [] and not state.exists()
    assert set(device.commands) == {"pm list packages", "pm list packages -u"}


def test_code_that_is_no_app_has_nothing_to_keep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("navitas.capture.collect.state.saved_apps.state_folder", lambda: pytest.fail("not needed"))
    device = AppPhone()
    with kept_apps(device, [open_bundle(make(tmp_path / "java.zip", FILES))], NoProgress()):
        pass
    assert device.commands == []


def unreadable(device: AppPhone, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "pull", raising(refused("Permission denied")))


def split(device: AppPhone, monkeypatch: pytest.MonkeyPatch) -> None:
    device.paths = f"package:{BASE}\npackage:/data/app/split.apk\n"


def nowhere(device: AppPhone, monkeypatch: pytest.MonkeyPatch) -> None:
    device.paths = ""


def full(device: AppPhone, monkeypatch: pytest.MonkeyPatch) -> None:
    full = raising(OSError(28, "No space left on device"))
    monkeypatch.setattr("navitas.capture.collect.state.saved_apps.write_new", full)


def read_only(device: AppPhone, monkeypatch: pytest.MonkeyPatch) -> None:
    def make_folder(path: Path) -> None:
        raise OSError(30, "Read-only file system", str(path))

    monkeypatch.setattr("navitas.capture.collect.state.saved_apps.make_folder", make_folder)


@pytest.mark.parametrize(
    ("hinder", "why"),
    [
        *((unreadable, "Permission denied"), (split, "it consists of 2 APKs"), (nowhere, "does not say where the APK of")),
    ],
)
def test_an_app_that_cannot_be_saved_is_a_warning_with_the_cause(
    bundle: Bundle,
    state: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    hinder: Callable[[AppPhone, pytest.MonkeyPatch], None],
    why: str,
) -> None:
    device, progress = AppPhone(), Warnings()
    hinder(device, monkeypatch)
    with kept_apps(device, [bundle], progress) as warnings:
        device.measure()
    (text,) = progress.texts
    assert text.startswith(f"{APP} is installed and cannot be saved: it will keep the profiled code: ") and why in text
    assert warnings[0][0] == "cleanup" and warnings[0][1] in text
    assert device.installed == [] and not list(state.glob("*"))


@pytest.mark.parametrize(("hinder", "why"), [(full, "No space left on device"), (read_only, "Read-only file system")])
@pytest.mark.parametrize("having", [{None: {APP}}, {}])
def test_a_state_folder_without_space_or_access_is_an_error_before_anything_is_replaced(
    bundle: Bundle,
    state: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    hinder: Callable[[AppPhone, pytest.MonkeyPatch], None],
    why: str,
    having: dict[int | None, set[str]],
) -> None:
    """The user can fix it, and would otherwise lose the only copy of a build."""
    device = AppPhone(having=having)
    hinder(device, monkeypatch)
    with pytest.raises(DeviceError, match=f"{state.parent}.*: {why}: installed apps cannot be saved") as caught:
        kept_apps(device, [bundle], NoProgress()).__enter__()
    assert "XDG_STATE_HOME" in caught.value.remedy and not list(state.glob("*"))


def test_a_lost_phone_gets_no_commands(bundle: Bundle, progress: Warnings) -> None:
    device = both()
    with pytest.raises(DeviceError, match="unplugged"), kept_apps(device, [bundle], progress):
        device.answers = False
        device.commands.clear()
        raise refused("unplugged")
    assert device.commands == [] and len(progress.texts) == 2 and "does not answer" in progress.texts[0]


@pytest.mark.parametrize("named", [0, 10])
def test_a_package_that_the_measured_user_did_not_have_is_removed(bundle: Bundle, state: Path, named: int) -> None:
    """Nothing else has removed it. Users who had it keep it."""
    device = AppPhone(having={0: set(), 10: set()}).with_info(named_user=named, users=(0, 10))
    with kept_apps(device, [bundle], NoProgress()):
        device.measure()
        device.having[named].add(APP)
    assert device.removed == [(APP, named, False)] and not state.exists()


def test_a_phone_that_does_not_list_its_users(bundle: Bundle, progress: Warnings) -> None:
    device = AppPhone(having={0: {APP}}).with_info(named_user=0, users=(0,))
    with kept_apps(device, [bundle], progress):
        pass
    assert progress.texts == [
        f"if another user has {TESTS}, it will keep the profiled code: device serial-1 does not list its users "
        "[afterwards, install your own build again]"
    ]


def test_a_newer_version_must_be_removed_for_all_users(bundle: Bundle, state: Path) -> None:
    """While one of them has its code, the phone still compares the versions."""
    device = AppPhone(
        having={0: {APP}, 10: {APP}, 11: set()}, refusal={APP: refused("INSTALL_FAILED_VERSION_DOWNGRADE")}
    ).with_info(named_user=10, users=(0, 10, 11))
    with pytest.raises(DeviceError) as caught, kept_apps(device, [bundle], NoProgress()):
        device.measure()
    adb = "adb -s serial-1"
    install = f"{RESTORE} --user 10 {state}/{APP}.apk"
    again = f"{adb} shell pm install-existing --user 0 {APP}"
    assert caught.value.remedy == f"{adb} shell pm uninstall -k {APP} && {install} && {again}"


def test_what_cannot_be_restored_stays_in_a_file_that_the_error_names(bundle: Bundle, state: Path) -> None:
    device = AppPhone(refusal={APP: refused("no space")})
    why = "was installed before, and cannot be restored: device serial-1: no space"
    with pytest.raises(DeviceError, match=why) as caught, kept_apps(device, [bundle], NoProgress()):
        device.measure()
    file = state / f"{APP}.apk"
    assert caught.value.remedy == f"{RESTORE} {file} (or: navitas doctor --device serial-1 --restore)"
    assert file.read_bytes() == OWN


def test_the_command_names_the_user(bundle: Bundle, state: Path) -> None:
    device = AppPhone(having={0: {APP}}, refusal={APP: refused("no space")}).with_info(named_user=10, users=(0, 10))
    with pytest.raises(DeviceError) as caught, kept_apps(device, [bundle], NoProgress()):
        device.measure()
    assert caught.value.remedy.startswith(f"{RESTORE} --user 0 {state}/{APP}.apk ")


def test_a_newer_version_must_be_removed_first(bundle: Bundle, state: Path) -> None:
    """If it is not debuggable, the phone refuses the older one, with `-d` too."""
    device = AppPhone(having={10: {APP}}, refusal={APP: refused("Failure [INSTALL_FAILED_VERSION_DOWNGRADE]")}).with_info(
        named_user=10, users=(0, 10)
    )
    with pytest.raises(DeviceError) as caught, kept_apps(device, [bundle], NoProgress()):
        device.measure()
    remove = f"adb -s serial-1 shell pm uninstall -k --user 10 {APP}"
    assert caught.value.remedy == f"{remove} && {RESTORE} --user 10 {state}/{APP}.apk"


@pytest.mark.parametrize("why", [refused("no space"), OSError(5, "Input/output error")])
def test_an_app_that_cannot_be_restored_does_not_prevent_the_others(bundle: Bundle, state: Path, why: Exception) -> None:
    device = both()
    device.refusal = {TESTS: why}
    with (
        pytest.raises(DeviceError, match=rf"^{TESTS} was installed .*(no space|Input/output)"),
        kept_apps(device, [bundle], NoProgress()),
    ):
        device.measure()
        device.code[TESTS] = PROFILED
    assert device.installed == [(APP, None)] and sorted(path.name for path in state.iterdir()) == [
        f"{TESTS}.apk",
        f"{TESTS}.json",
    ]


def test_the_error_names_all_apps(bundle: Bundle) -> None:
    device = both()
    device.refusal = {TESTS: refused("no space"), APP: refused("no space")}
    with pytest.raises(DeviceError) as caught, kept_apps(device, [bundle], NoProgress()):
        device.code = dict.fromkeys(device.code, PROFILED)
    assert caught.value.message.count("was installed before") == caught.value.remedy.count(RESTORE) == 2


@pytest.mark.parametrize("error", [DeviceError("a test hangs", "look"), KeyboardInterrupt(), OSError(28, "full"), RuntimeError()])
def test_the_error_of_the_measurement_counts_more(bundle: Bundle, state: Path, progress: Warnings, error: BaseException) -> None:
    device = AppPhone(refusal={APP: refused("lost")})
    with pytest.raises(type(error)) as caught, kept_apps(device, [bundle], progress):
        device.measure()
        raise error
    assert caught.value is error
    (text,) = progress.texts
    assert f"{APP} was installed before, and cannot be restored: device serial-1: lost" in text and f"{RESTORE} {state}" in text


def test_the_app_is_restored_whatever_ends_the_measurement(bundle: Bundle) -> None:
    device = AppPhone()
    with pytest.raises(KeyboardInterrupt), kept_apps(device, [bundle], NoProgress()):
        device.measure()
        raise KeyboardInterrupt
    assert device.code[APP] == OWN


@pytest.mark.parametrize("first", [None, DeviceError("a test hangs", "")])
def test_an_interruption_while_apps_are_restored(
    bundle: Bundle, state: Path, progress: Warnings, first: DeviceError | None
) -> None:
    """The copies stay, and the commands for this app and the others are shown."""
    device = both()
    device.refusal = {TESTS: KeyboardInterrupt()}  # type: ignore[dict-item]
    with pytest.raises(KeyboardInterrupt), kept_apps(device, [bundle], progress):
        device.code = {APP: PROFILED, TESTS: b"PK test"}
        if first:
            raise first
    assert device.installed == []
    assert [re.sub(r"\.apk.*", "", text) for text in progress.texts] == [
        f"{package} was installed before, and cannot be restored: interrupted [{RESTORE} {state}/{package}"
        for package in (TESTS, APP)
    ]
    device.refusal = {}
    with kept_apps(device, [bundle], progress):
        assert device.code == {APP: OWN, TESTS: OWN}, "the next start restores them"
    assert not state.exists()


def test_an_interruption_while_apps_are_saved_leaves_nothing(
    bundle: Bundle, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    device, pulled = both(), []

    def pull(remote: str, local: Path) -> None:
        pulled.append(local)
        local.write_bytes(OWN)
        if len(pulled) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(device, "pull", pull)
    with pytest.raises(KeyboardInterrupt):
        kept_apps(device, [bundle], NoProgress()).__enter__()
    assert len(pulled) == 2 and not state.exists()


def test_a_damaged_bundle_leaves_nothing(bundle: Bundle, state: Path) -> None:
    bundle.path.write_bytes(b"")
    with pytest.raises(BuildError, match="cannot be read"):
        kept_apps(AppPhone(), [bundle], NoProgress()).__enter__()
    assert not state.exists()
