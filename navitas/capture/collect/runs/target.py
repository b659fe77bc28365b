"""How a bundle's tests run on a device: in which process, by which instrumentation, and with which arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from navitas.base.errors import DeviceError
from navitas.capture.bundle.manifest import AndroidManifest, Framework
from navitas.capture.bundle.reader import Bundle
from navitas.capture.device.base import Device

_LISTENERS: dict[Framework, str] = {
    "junit4": "org.navitas.runtime.junit.NavitasListener",
    "junit-platform": "org.navitas.runtime.junit.NavitasPlatformListener",
}
# Runner arguments that Navitas sets itself, or that only the orchestrator uses.
_OURS = ("class", "log", "clearPackageData")


class RunnerError(DeviceError):
    """The runner of a bundle's tests is not installed, or cannot list them."""


@dataclass(frozen=True, slots=True)
class Target:
    """A bundle on a device. The process of `package` runs the tests and stores the events; `test_package` contains the tests.

    `component` is the instrumentation, or None if the device knows it. `arguments` go to each `am instrument`. Plain Java runs in
    a JVM of a virtual phone (`is_jvm`).
    """

    package: str
    test_package: str
    component: str | None
    listener: str
    arguments: Mapping[str, str]
    is_jvm: bool = False

    def find_component(self, device: Device) -> str:
        """Return the installed instrumentation as `am instrument` takes it. Raises `RunnerError`."""
        installed = device.shell("pm list instrumentation").text.splitlines()
        lines = [line.removeprefix("instrumentation:").strip().partition(" (target=") for line in installed]
        for name, _, target in lines:
            if _full(name) == self.component if self.component else self.package in (target.rstrip(")"), name.partition("/")[0]):
                return name
        others = ", ".join(name for name, _, _ in lines if name.startswith(f"{self.test_package}/"))
        raise RunnerError(
            f"device {device.info.serial}: no instrumentation {self.component or 'for ' + self.package} is installed"
            + (f"; {self.test_package} has {others}" if others else ""),
            "build the bundle again, so that it names the runner of its test APK",
        )

    def run_arguments(self) -> dict[str, str]:
        """Return the arguments of a run, with the listener that marks tests in addition to the build's own."""
        own = self.arguments.get("listener")
        return {**self.arguments, "listener": f"{own},{self.listener}" if own else self.listener}


def _full(component: str) -> str:
    """Return a component such as `a.b/.Runner`, as Android prints it, with the full name of the class."""
    package, _, name = component.partition("/")
    return f"{package}/{package if name.startswith('.') else ''}{name}"


def target_of(bundle: Bundle) -> Target:
    """Return the target of an installed bundle."""
    manifest = bundle.manifest
    if isinstance(manifest, AndroidManifest):
        arguments = {key: value for key, value in manifest.runner_arguments.items() if key not in _OURS}
        component = f"{manifest.test_package}/{manifest.runner}"
        return Target(manifest.package, manifest.test_package, component, _LISTENERS["junit4"], arguments)
    # The virtual phone starts the tests in this folder; Android's runner ignores unknown keys.
    folder = {"workingDir": str(bundle.working_dir)}
    framework = manifest.test_task.framework
    return Target(manifest.package, manifest.package, None, _LISTENERS.get(framework, ""), folder, is_jvm=True)
