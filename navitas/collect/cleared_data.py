"""Apps that were installed before a measurement, and lose their data by it."""

from __future__ import annotations

from collections.abc import Sequence

from navitas.bundle.manifest import AndroidManifest
from navitas.bundle.reader import Bundle
from navitas.collect.packages import installed_packages
from navitas.collect.progress import Progress
from navitas.collect.target import target_of
from navitas.device.base import Device
from navitas.recording.codes import WarningCode


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
