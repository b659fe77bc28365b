"""Install bundles on a device for a profiling, and afterwards remove what was not there before."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from navitas.base.errors import DeviceError, NavitasError, UsageError
from navitas.base.owned_folder import owned_folder
from navitas.capture.bundle.manifest import AndroidManifest
from navitas.capture.bundle.reader import Bundle
from navitas.capture.collect.apps.packages import installed_packages, packages_of
from navitas.capture.collect.progress import Progress
from navitas.capture.collect.runs import runtime_config
from navitas.capture.collect.runs.target import target_of
from navitas.capture.collect.state.guard import Warn
from navitas.capture.device.base import Device
from navitas.recording.codes import WarningCode

_RECONNECT_S = 5.0


@contextmanager
def installed(
    device: Device, bundles: Sequence[Bundle], progress: Progress, warn: Warn | None = None
) -> Iterator[Sequence[Bundle]]:
    """Install the bundles while the context is open, and yield those that are installed.

    Packages that were on the device before stay there, with their data. If only their data were there, only these stay.
    With `warn`, a bundle that cannot be installed is left out with a warning, unless it is the only one or the device is lost.
    Raises `DeviceError` with the device's reason if it refuses a bundle, `UsageError` if it cannot run one.
    """
    progress.stage("installing")
    present = _present(device, bundles, with_kept_data=False)
    kept = _present(device, bundles, with_kept_data=True)
    reachable = True
    try:
        yield _install_all(device, bundles, warn)
    except BaseException as error:
        reachable = device.wait_until_back(_RECONNECT_S)
        if not reachable and isinstance(error, DeviceError):
            _add_uninstall_remedy(error, device, bundles, present)
        raise
    finally:
        for bundle in bundles if reachable else ():
            # The user must see the first error, not that cleaning a lost device fails.
            with suppress(DeviceError):
                _remove(device, bundle, present, kept)


def _add_uninstall_remedy(error: DeviceError, device: Device, bundles: Sequence[Bundle], present: set[str]) -> None:
    """Add to the error's remedy how to remove the installed apps, which otherwise stay until the next measurement."""
    if left := [name for name in packages_of(bundles) if name not in present]:
        info = device.info
        commands = "; ".join(f"adb -s {info.shell_serial} uninstall{info.user_flag} {name}" for name in left)
        error.remedy += f"; the installed packages may still be there: {commands}"


def _install_all(device: Device, bundles: Sequence[Bundle], warn: Warn | None) -> Sequence[Bundle]:
    """Install the bundles, and return those for which this succeeded. Raises the first error if it did for none."""
    done: list[Bundle] = []
    failures: list[tuple[str, NavitasError]] = []
    for bundle in bundles:
        try:
            _install(device, bundle)
            done.append(bundle)
        except NavitasError as error:
            if warn is None or not device.wait_until_back(_RECONNECT_S):
                raise
            failures.append((bundle.manifest.module, error))
    if failures and not done:
        raise failures[0][1]
    for module, failure in failures:
        assert warn is not None
        warn("not_installed", f"{module} is left out: {failure.message}", failure.remedy)
    return done


def _install(device: Device, bundle: Bundle) -> None:
    """Install a bundle: its APKs and, on a virtual phone, the classes that it runs instead."""
    manifest = bundle.manifest
    if not isinstance(manifest, AndroidManifest):
        device.install([bundle.path])
        return
    classes = manifest.jvm if device.info.kind == "virtual" else None
    if device.info.kind == "virtual" and classes is None:
        raise UsageError(
            f"the bundle {bundle.path.name} is for physical phones only: it lacks the classes that a virtual phone runs",
            "build it without -Pnavitas.jvm=false",
        )
    with owned_folder("navitas-apks-") as folder:
        apks = []
        if manifest.apks.app:
            apks.append(bundle.extract(_app_apk(device, manifest), folder / f"{manifest.package}.apk"))
        if manifest.apks.test is not None:
            apks.append(bundle.extract(manifest.apks.test, folder / f"{manifest.test_package}.apk"))
        device.install(apks)
        if classes is not None:
            device.push(bundle.extract(classes, folder / "jvm.zip"), _jvm_path(manifest))


def _present(device: Device, bundles: Sequence[Bundle], *, with_kept_data: bool) -> set[str]:
    """Return the packages on the device; empty if it can have none of the user. Raises `DeviceError` if they are unknown."""
    if device.info.kind == "virtual" and not packages_of(bundles):
        return set()
    return installed_packages(device, device.info.named_user, with_kept_data=with_kept_data)


def _remove(device: Device, bundle: Bundle, present: set[str], kept: set[str]) -> None:
    manifest = bundle.manifest
    if not isinstance(manifest, AndroidManifest):
        device.uninstall(manifest.package)
        return
    for package in packages_of([bundle]):
        if package not in present:
            device.uninstall(package, keep_data=package in kept)
    if device.info.kind == "virtual" and manifest.test_package not in present:
        device.shell(f"rm -f {shlex.quote(_jvm_path(manifest))}")


def _jvm_path(manifest: AndroidManifest) -> str:
    return f"{runtime_config.FOLDER}/{manifest.test_package}.jvm.zip"


def _app_apk(device: Device, manifest: AndroidManifest) -> str:
    """Return the name of the app's APK for the device's preferred ABI, or of the APK for all ABIs."""
    apks = {apk.abi: apk.file for apk in manifest.apks.app}
    if set(apks) == {None}:
        return apks[None]
    abis = device.shell("getprop ro.product.cpu.abilist").text.strip().split(",")
    chosen = next((apks[abi] for abi in (*abis, None) if abi in apks), None)
    if chosen is None:
        built = ", ".join(str(abi) for abi in apks)
        raise DeviceError(
            f"device {device.info.serial} runs {', '.join(abis)}; {manifest.module} is built for {built}",
            "add the device's ABI to the build's splits, or use another device",
        )
    return chosen


def clears_data(bundle: Bundle) -> bool:
    """Whether the build clears the data of its packages after each test, as AndroidX Test Orchestrator does."""
    manifest = bundle.manifest
    return isinstance(manifest, AndroidManifest) and manifest.orchestrator and manifest.clear_package_data


def warn_of_cleared_data(device: Device, bundles: Sequence[Bundle], progress: Progress) -> list[tuple[WarningCode, str, str]]:
    """Warn of installed packages whose data the tests will clear. Returns the warnings for the recordings."""
    targets = [target_of(bundle) for bundle in bundles if clears_data(bundle)]
    if not targets:
        return []
    installed = installed_packages(device, device.info.named_user)
    packages = dict.fromkeys(name for target in targets for name in (target.package, target.test_package))
    if not (names := ", ".join(name for name in packages if name in installed)):
        return []
    message = f"{names}: installed before, and loses its data: the build has clearPackageData"
    remedy = "to keep them, stop now, and remove clearPackageData from testInstrumentationRunnerArguments"
    progress.warning(message, remedy)
    return [("cleanup", message, remedy)]
