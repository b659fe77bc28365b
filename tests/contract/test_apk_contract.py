"""Installation of APKs as on a phone: manifests, signatures, AOSP's error codes, and the package manager's reports.

From AOSP's PackageManagerShellCommand, InstallPackageHelper, ApkSignatureVerifier, Settings.dumpPackageLPr and run-as.cpp.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import bundle_maker
from support.apk_maker import Signer, Tag, activity, instrumentation, manifest, write
from support.no_progress import NoProgress

from navitas.base.errors import DeviceError
from navitas.capture.build.java import JARS
from navitas.capture.bundle.reader import open_bundle
from navitas.capture.collect.apps.kept_apps import kept_apps
from navitas.capture.collect.state.saved_apps import SavedApps
from navitas.capture.device.adb import AdbDevice

APP, TESTS = "org.navitas.contract.app", "org.navitas.contract.app.test"
RUNNER = f"{TESTS}/androidx.test.runner.AndroidJUnitRunner"


@pytest.fixture(scope="module")
def apks(jvm: str, virtual: AdbDevice, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
    """APKs by name; all are uninstalled afterwards."""
    jar = JARS / "navitas-phone-install.jar"
    if shutil.which("keytool") is None or not jar.is_file():
        pytest.skip("no JDK, or the jars are not built: make jars")
    folder = tmp_path_factory.mktemp("apks")
    signer = Signer(folder, jar)
    main = activity(".Main", launcher=True)
    tests = (instrumentation(APP),)

    def make(name: str, root: Tag, *, key: str = "a", schemes: str = "12", entries: dict[str, bytes] | None = None) -> None:
        signer.add(write(folder / f"{name}.raw", root, entries), folder / f"{name}.apk", key=key, schemes=schemes)

    make("app", manifest(APP, main, version=2))
    make("app-v1", manifest(APP, main, version=2, target_sdk=29), schemes="1")
    make("app-v3", manifest(APP, main, version=3), schemes="23")
    make("older", manifest(APP, main, version=1))
    make("other-key", manifest(APP, main, version=2), key="b")
    make("tests", manifest(TESTS, outside=tests))
    make("tests-other-key", manifest(TESTS, outside=tests), key="b")
    make("release", manifest(APP, main, version=2, application={"debuggable": False}))
    make("test-only", manifest(APP, main, application={"testOnly": True}))
    make("newer-sdk", manifest(APP, main, min_sdk=99))
    make("low-target", manifest(APP, main, target_sdk=22))
    make("arm", manifest(APP, main), entries={"lib/arm64-v8a/libx.so": b"x", "lib/armeabi-v7a/libx.so": b"x"})
    make("v1-only", manifest(APP, main), schemes="1")
    signer.run()
    write(folder / "unsigned.apk", manifest(APP, main))
    damaged = bytearray((folder / "app.apk").read_bytes())
    at = damaged.index(b"AndroidManifest.xml") + 200
    damaged[at] ^= 0xFF
    (folder / "damaged.apk").write_bytes(damaged)
    yield {path.stem: path for path in folder.glob("*.apk")}
    for package in (APP, TESTS):
        virtual.uninstall(package)


@pytest.fixture(autouse=True)
def nothing_installed(virtual: AdbDevice) -> None:
    for package in (APP, TESTS):
        virtual.uninstall(package)


def install(device: AdbDevice, apk: Path, options: str = "-r") -> str:
    """The output of `pm install`."""
    device.push(apk, "/data/local/tmp/x.apk")
    found = device.shell(f"pm install {options} /data/local/tmp/x.apk; echo $?; rm /data/local/tmp/x.apk", timeout_s=120)
    text, status = found.text.rsplit("\n", 2)[:2]
    assert (status == "0") == (text == "Success"), found
    return text


@pytest.mark.parametrize(
    ("name", "refusal"),
    [
        ("unsigned", "INSTALL_PARSE_FAILED_NO_CERTIFICATES: "),
        ("damaged", "INSTALL_PARSE_FAILED_"),
        (
            "v1-only",
            "INSTALL_PARSE_FAILED_NO_CERTIFICATES: Scanning Failed.: No signature found in package of version 2 or newer",
        ),
        ("test-only", "INSTALL_FAILED_TEST_ONLY: Failed to install test-only apk. Did you forget to add -t?"),
        ("newer-sdk", "INSTALL_FAILED_OLDER_SDK: "),
        ("low-target", "INSTALL_FAILED_DEPRECATED_SDK_VERSION: App package must target at least SDK version 23, but found 22"),
        ("arm", "INSTALL_FAILED_NO_MATCHING_ABIS: Failed to extract native libraries, res=-113"),
    ],
)
def test_the_package_manager_rejects_invalid_apks(virtual: AdbDevice, apks: dict[str, Path], name: str, refusal: str) -> None:
    assert install(virtual, apks[name]).startswith(f"Failure [{refusal}")
    assert virtual.shell(f"pm path {APP}").exit_code == 1


def test_install_options(virtual: AdbDevice, apks: dict[str, Path]) -> None:
    assert install(virtual, apks["test-only"], "-t") == "Success"
    assert install(virtual, apks["low-target"], "--bypass-low-target-sdk-block") == "Success"
    with pytest.raises(DeviceError, match="INSTALL_FAILED_NO_MATCHING_ABIS") as caught:
        virtual.install([apks["arm"]])
    assert caught.value.remedy


def test_updates_keep_data_and_require_the_same_key(virtual: AdbDevice, apks: dict[str, Path]) -> None:
    assert install(virtual, apks["app"]) == "Success"
    virtual.shell(f"run-as {APP} sh -c 'echo kept > files/state'")
    for name, options, refusal in (
        ("other-key", "-r", "INSTALL_FAILED_UPDATE_INCOMPATIBLE: Existing package org.navitas.contract.app signatures do not"),
        ("older", "-r", "INSTALL_FAILED_VERSION_DOWNGRADE: Downgrade detected: Update version code 1 is older than current 2"),
        ("app", "-R", "INSTALL_FAILED_ALREADY_EXISTS: Attempt to re-install org.navitas.contract.app without first "),
    ):
        assert install(virtual, apks[name], options).startswith(f"Failure [{refusal}")
    uid = virtual.shell(f"run-as {APP} id -u").text
    assert install(virtual, apks["app-v3"]) == "Success"
    assert install(virtual, apks["older"], "-r -d") == "Success"
    assert virtual.shell(f"run-as {APP} sh -c 'cat files/state; id -u'").text == f"kept\n{uid}"


def test_reports_of_the_package_manager(virtual: AdbDevice, apks: dict[str, Path]) -> None:
    virtual.install([apks["app"], apks["tests"]])
    assert f"package:{APP} versionCode:2\n" in virtual.shell("pm list packages --show-versioncode").text
    assert virtual.shell(f"pm list instrumentation {APP}").text == f"instrumentation:{RUNNER} (target={APP})\n"
    path = virtual.shell(f"pm path {APP}").text
    assert re.fullmatch(r"package:/data/app/.*/base\.apk\n", path)
    dump = virtual.shell(f"dumpsys package {APP}").text
    for line in ("versionName=1.2", "versionCode=2 minSdk=21 targetSdk=33", "apkSigningVersion=2"):
        assert f"    {line}\n" in dump
    uid = virtual.shell(f"run-as {APP} id -u").text.strip()
    assert f"    userId={uid}\n" in dump and re.search(r"flags=\[ DEBUGGABLE ", dump)
    assert "Unable to find package: org.navitas.none" in virtual.shell("dumpsys package org.navitas.none").text
    assert virtual.shell(f"run-as {TESTS} id -u").text.strip() != uid


def test_v1_and_v3_signatures_are_accepted_where_valid(virtual: AdbDevice, apks: dict[str, Path]) -> None:
    assert install(virtual, apks["app-v1"]) == "Success"
    assert "apkSigningVersion=1" in virtual.shell(f"dumpsys package {APP}").text
    assert install(virtual, apks["app-v3"]) == "Success"
    assert "apkSigningVersion=3" in virtual.shell(f"dumpsys package {APP}").text


def test_run_as_rejects_a_release_build(virtual: AdbDevice, apks: dict[str, Path]) -> None:
    virtual.install([apks["release"]])
    found = virtual.shell(f"run-as {APP} ls")
    assert (found.exit_code, found.stderr) == (1, f"run-as: package not debuggable: {APP}\n".encode())


def test_an_app_gets_its_own_code_back_after_a_measurement(
    virtual: AdbDevice, apks: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    names = {"package": APP, "test_package": TESTS}
    files = bundle_maker.ANDROID_FILES | {"bundle.json": json.dumps(bundle_maker.ANDROID_MANIFEST | names)}
    files["app.apk"] = apks["app-v3"].read_bytes()
    bundle = open_bundle(bundle_maker.make(tmp_path / "a.zip", files))
    copies, left = SavedApps(virtual.info).folder, tmp_path / "left"
    virtual.install([apks["app"]])
    virtual.shell(f"run-as {APP} sh -c 'echo kept > files/state'")
    with kept_apps(virtual, [bundle], NoProgress()):
        virtual.install([apks["app-v3"]])
        assert "versionCode=3 " in virtual.shell(f"dumpsys package {APP}").text
        shutil.copytree(copies, left)
    assert "versionCode=2 " in virtual.shell(f"dumpsys package {APP}").text and not copies.exists()
    virtual.install([apks["app-v3"]])
    left.rename(copies)  # a measurement was killed
    with kept_apps(virtual, [bundle], NoProgress()) as warnings:
        assert "versionCode=2 " in virtual.shell(f"dumpsys package {APP}").text
    assert [message for _, message, _ in warnings] == [f"{APP}, left replaced by an earlier measurement, was restored"]
    assert virtual.shell(f"run-as {APP} cat files/state; pm path {TESTS}").text == "kept\n" and not copies.exists()


def test_users_have_their_own_uids_and_data(virtual: AdbDevice, apks: dict[str, Path]) -> None:
    assert virtual.shell("am get-current-user; am get-started-user-state 0").text == "0\nRUNNING_UNLOCKED\n"
    virtual.install([apks["app"]])
    created = virtual.shell("pm create-user --profileOf 0 --managed 'Work profile'").text
    user = int(created.removeprefix("Success: created user id "))
    try:
        listed = virtual.shell("pm list users").text
        assert listed.startswith("Users:\n\tUserInfo{0:Owner:c13} running\n")
        assert f"\tUserInfo{{{user}:Work profile:1030}}\n" in listed
        assert virtual.shell(f"am get-started-user-state {user}").text == f"User is not started: {user}\n"
        assert virtual.shell(f"am start-user {user}").text == "Success: user started\n"
        assert virtual.shell(f"am get-started-user-state {user}").text == "RUNNING_UNLOCKED\n"
        assert virtual.shell(f"pm list packages --user {user}").text == "", "a new user has none of the first one's apps"
        assert virtual.shell(f"pm path --user {user} {APP}").exit_code == 1
        assert install(virtual, apks["app"], f"-r --user {user}") == "Success"
        first = int(virtual.shell(f"run-as {APP} id -u").text)
        own = virtual.shell(f"run-as {APP} --user {user} sh -c 'id -u; id -un; pwd; echo mine > files/x'").text
        assert own == f"{user * 100_000 + first}\nu{user}_a{first - 10_000}\n/data/user/{user}/{APP}\n"
        assert virtual.shell(f"run-as {APP} ls files").text == ""
        refused = virtual.shell(f"run-as {APP} cat /data/user/{user}/{APP}/files/x")
        assert refused.exit_code == 1 and b"Permission denied" in refused.stderr
        found = virtual.shell(f"cmd package resolve-activity --brief --user {user} {APP}").text
        assert found.splitlines()[-1] == f"{APP}/.Main"
        assert f"User {user}: " in virtual.shell(f"dumpsys package {APP}").text
        assert virtual.shell(f"pm uninstall --user {user} {APP}").text == "Success\n"
        assert virtual.shell(f"pm path {APP}").exit_code == 0, "the first user keeps it"
        assert b"Invalid user: 99" in virtual.shell(f"pm path --user 99 {APP}").stderr
    finally:
        assert virtual.shell(f"pm remove-user {user}").text == "Success: removed user\n"
    assert virtual.shell("pm remove-user 0").exit_code == 1


def test_instrumentation_that_cannot_start_reports_the_cause(virtual: AdbDevice, apks: dict[str, Path]) -> None:
    virtual.install([apks["tests"]])
    without = virtual.shell(f"am instrument -w -r {RUNNER}")
    assert f"Error=Unable to find instrumentation target package: {APP}\n" in without.text
    virtual.install([apks["app"]])
    unpushed = virtual.shell(f"am instrument -w -r {RUNNER}").text
    assert f"push its jvm.zip to /data/local/tmp/navitas/{TESTS}.jvm.zip" in unpushed
    assert unpushed.endswith("INSTRUMENTATION_CODE: 0\n")
    virtual.uninstall(TESTS)
    virtual.install([apks["tests-other-key"]])
    denied = virtual.shell(f"am instrument -w -r {RUNNER}")
    assert f"package {TESTS} does not have a signature matching the target {APP}\n" in denied.text
    assert b"java.lang.SecurityException: Permission Denial: " in denied.stderr
    assert virtual.shell(f"am start -n {APP}/.None").stderr.startswith(b"Error type 3\nError: Activity class {")
    assert virtual.shell("monkey -p org.navitas.none 5").exit_code == 251
