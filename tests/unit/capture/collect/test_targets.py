"""What Android 8 to 16 and their vendors answer, replayed: instrumentations, run-as, install reasons, and what follows."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from fake_device import FakeDevice

from navitas.base.errors import DeviceError
from navitas.capture.bundle.manifest import AndroidManifest
from navitas.capture.bundle.reader import Bundle
from navitas.capture.collect.apps import map_cache
from navitas.capture.collect.apps.app_files import AppFolder
from navitas.capture.collect.runs.instrument import command
from navitas.capture.collect.runs.target import Target, target_of
from navitas.capture.device.adb import install_remedy
from navitas.capture.device.base import ShellResult

RUNNER = "androidx.test.runner.AndroidJUnitRunner"
# Order and endings differ between releases; some vendors print \r\n.
LISTINGS = {
    "8": f"instrumentation:com.android.shell/.Probe (target=com.android.shell)\ninstrumentation:a.b.test/{RUNNER} (target=a.b)\n",
    "13": f"instrumentation:a.b.test/{RUNNER} (target=a.b)\n",
    "16, \\r\\n": f"instrumentation:a.b.test/{RUNNER} (target=a.b)\r\ninstrumentation:c/.R (target=c)\r\n",
}


def android(**fields: object) -> Bundle:
    manifest = {
        "schema_version": 1, "kind": "android", "package": "a.b", "module": ":app", "project": "p", "map_id": "2" * 16,
        "warnings": [], "variant": "debug", "test_package": "a.b.test", "runner": RUNNER, "runner_arguments": {},
        "orchestrator": False, "clear_package_data": False, "debuggable": True, "minified": False, "min_sdk": 21,
        "agp_version": "8.4.2", "includes_map_ids": ["1" * 16], "apks": {"app": [], "test": "test.apk"}, "mapping": None,
        "jvm": None,
    }  # fmt: skip
    return Bundle(Path("a.bundle.zip"), AndroidManifest.model_validate(manifest | fields), b"{}", Path())


@pytest.mark.parametrize("release", LISTINGS)
def test_the_bundles_runner_is_found_in_every_listing(release: str) -> None:
    device = FakeDevice({"pm list instrumentation": LISTINGS[release]})
    assert target_of(android()).find_component(device) == f"a.b.test/{RUNNER}"


def test_a_runner_in_the_tests_own_package_is_found_by_its_short_name() -> None:
    """ComponentName.flattenToShortString."""
    device = FakeDevice({"pm list instrumentation": "instrumentation:a.b.test/.Runner (target=a.b)\n"})
    assert target_of(android(runner="a.b.test.Runner")).find_component(device) == "a.b.test/.Runner"


def test_what_a_bundle_names_stays_one_word_each() -> None:
    assert (
        command(FakeDevice(), "a.b/a.b.Outer$Runner", {"x; reboot": "$(y)"})
        == "am instrument -w -r -e 'x; reboot' '$(y)' 'a.b/a.b.Outer$Runner'"
    )


def test_another_runner_than_the_bundles_is_named() -> None:
    device = FakeDevice({"pm list instrumentation": "instrumentation:a.b.test/x.Other (target=a.b)\n"})
    with pytest.raises(DeviceError, match=r"a\.b\.test has a\.b\.test/x\.Other"):
        target_of(android()).find_component(device)


def test_the_builds_arguments_are_kept_and_its_listener_stays() -> None:
    arguments = {"size": "small", "listener": "x.L", "clearPackageData": "true", "class": "x.C"}
    assert target_of(android(runner_arguments=arguments)).run_arguments() == {
        "size": "small",
        "listener": "x.L,org.navitas.runtime.junit.NavitasListener",
    }


@dataclass
class RunAs(FakeDevice):
    """Answers `run-as` with words and an exit code."""

    said: str = ""
    code: int = 0
    commands: list[str] = field(default_factory=list)

    def shell(self, command: str, *, timeout_s: float = 30.0) -> ShellResult:
        self.commands.append(command)
        return ShellResult(self.code, b"", self.said.encode())


@pytest.mark.parametrize(
    "said",
    [
        "run-as: package not debuggable: a.b",
        "run-as: Package 'a.b' is not debuggable",
        "run-as: package has corrupt installation: a.b",
        "run-as: couldn't stat /data/user/0/a.b: Permission denied",
    ],
)
def test_a_refused_run_as_is_reported_and_no_error(said: str) -> None:
    assert AppFolder(RunAs(said=said, code=1), "a.b").prepare("/c") == said


@pytest.mark.parametrize("said", ["run-as: unknown package: a.b", "run-as: Package 'a.b' is unknown"])
def test_a_missing_app_is_an_error(said: str) -> None:
    with pytest.raises(DeviceError, match="not installed"):
        AppFolder(RunAs(said=said, code=1), "a.b").prepare("/c")


@pytest.mark.parametrize(
    ("reason", "remedy"),
    [
        (
            "Failure [INSTALL_FAILED_UPDATE_INCOMPATIBLE: Package a.b signatures do not match newer version; ignoring!]",
            "signature",
        ),
        ("Failure [INSTALL_FAILED_UPDATE_INCOMPATIBLE: Existing package a.b signatures do not match]", "uninstall"),
        ("Failure [INSTALL_FAILED_USER_RESTRICTED: Install canceled by user]", "Install via USB"),
        ("Failure [INSTALL_FAILED_INSUFFICIENT_STORAGE: Failed to override installation location]", "free space"),
        ("Failure [INSTALL_FAILED_TEST_ONLY: installPackageLI]", "testOnly"),
        ("Failure [INSTALL_FAILED_OLDER_SDK: Requires newer sdk version #34 (current version is #28)]", "minSdk"),
        ("Failure [INSTALL_FAILED_VERSION_DOWNGRADE: Downgrade detected: Update version code 1 is older]", "newer version"),
        ("Failure [INSTALL_FAILED_DEPRECATED_SDK_VERSION: App package must target at least SDK version 24]", "targetSdk"),
        ("Failure [INSTALL_FAILED_NO_MATCHING_ABIS: Failed to extract native libraries, res=-113]", "ABI"),
        ("Failure [INSTALL_PARSE_FAILED_NO_CERTIFICATES: Failed to collect certificates]", "sign"),
        ("Failure [INSTALL_FAILED_VERIFICATION_FAILURE]", "Play Protect"),
        ("Failure [-99]", "see the reason above"),
    ],
)
def test_refused_installs_have_a_remedy(reason: str, remedy: str) -> None:
    assert remedy in install_remedy(reason)


def test_maps_of_android_builds_are_found_by_each_id(user_folder: Path) -> None:
    known = map_cache.map_of_bundle(android())
    assert known.includes == ("1" * 16,)
    assert map_cache.find("2" * 16) == map_cache.find("1" * 16) == known
    assert map_cache.find("3" * 16) is None
    (user_folder / "maps" / f"{'1' * 16}.json").write_text('{"map_id": "../x"}')
    assert map_cache.find("1" * 16) is None


def test_a_target_of_plain_java_is_whatever_targets_its_package() -> None:
    device = FakeDevice({"pm list instrumentation": "instrumentation:g.m/org.R (target=g.m)\n"})
    assert Target("g.m", "g.m", None, "L", {}).find_component(device) == "g.m/org.R"
