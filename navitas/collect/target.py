"""What a bundle's tests are on a device: whose process runs them, which instrumentation starts them, and with what arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from navitas.bundle.manifest import AndroidManifest, Framework
from navitas.bundle.reader import Bundle
from navitas.device.base import Device
from navitas.errors import DeviceError

_LISTENERS: dict[Framework, str] = {
    "junit4": "org.navitas.runtime.junit.NavitasListener",
    "junit-platform": "org.navitas.runtime.junit.NavitasPlatformListener",
}
# What a build may set for its runner but is ours to say, or is the orchestrator's.
_OURS = ("class", "log", "clearPackageData")


@dataclass(frozen=True, slots=True)
class Target:
    """A bundle on a device: `package`'s process runs the tests, and its data hold the events; `test_package` holds them.

    `component` is the instrumentation, None where the device knows it; `arguments` go to each `am instrument`.
    """

    package: str
    test_package: str
    component: str | None
    listener: str
    arguments: Mapping[str, str]

    def find_component(self, device: Device) -> str:
        """The instrumentation as `am instrument` takes it, known to be installed. Raises `DeviceError`."""
        installed = device.shell("pm list instrumentation").text.splitlines()
        lines = [line.removeprefix("instrumentation:").strip().partition(" (target=") for line in installed]
        for name, _, target in lines:
            if _full(name) == self.component if self.component else self.package in (target.rstrip(")"), name.partition("/")[0]):
                return name
        others = ", ".join(name for name, _, _ in lines if name.startswith(f"{self.test_package}/"))
        raise DeviceError(
            f"device {device.info.serial}: no instrumentation {self.component or 'for ' + self.package} is installed"
            + (f"; of {self.test_package} there is {others}" if others else ""),
            "build the bundle again, so that it names its own test APK's runner",
        )

    def run_arguments(self) -> dict[str, str]:
        """Those of a run: with the listener that marks tests, beside the build's own."""
        own = self.arguments.get("listener")
        return {**self.arguments, "listener": f"{own},{self.listener}" if own else self.listener}


def _full(component: str) -> str:
    """`a.b/.Runner`, as Android prints a class within the package, with the class's whole name."""
    package, _, name = component.partition("/")
    return f"{package}/{package if name.startswith('.') else ''}{name}"


def target_of(bundle: Bundle) -> Target:
    """The target that a bundle becomes when it is installed."""
    manifest = bundle.manifest
    if isinstance(manifest, AndroidManifest):
        arguments = {key: value for key, value in manifest.runner_arguments.items() if key not in _OURS}
        component = f"{manifest.test_package}/{manifest.runner}"
        return Target(manifest.package, manifest.test_package, component, _LISTENERS["junit4"], arguments)
    # The virtual phone starts the tests there; Android's runner ignores keys that it does not know.
    folder = {"workingDir": str(bundle.working_dir)}
    framework = manifest.test_task.framework
    return Target(manifest.package, manifest.package, None, _LISTENERS.get(framework, ""), folder)
