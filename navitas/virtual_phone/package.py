"""An installed package: a bundle of plain Java, or an APK."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from navitas.android.apk.manifest import ApkManifest
from navitas.android.ids import UIDS_PER_USER
from navitas.capture.bundle.manifest import BundleManifest
from navitas.virtual_phone.identity import FIRST_USER, Identity, app_user_name

RUNNER = "org.navitas.phone.InstrumentMain"
APK, APK_TEXT, BUNDLE = "base.apk", "AndroidManifest.xml", "bundle.json"


def short_name(name: str, package: str) -> str:
    """Return a class name without its package if that is the app's (ComponentName.flattenToShortString)."""
    return name.removeprefix(package) if name.startswith(package + ".") else name


@dataclass(frozen=True, slots=True)
class Signing:
    """An APK's signature: the SHA-256 of each signer's certificate, and the newest valid scheme (1, 2, 3)."""

    signers: tuple[str, ...]
    scheme: int


@dataclass(frozen=True, slots=True)
class InstalledApk:
    """An installed APK's manifest and signature."""

    manifest: ApkManifest
    signing: Signing


@dataclass(frozen=True, slots=True)
class InstrumentationRunner:
    """One instrumentation. `component` has the full name of its class; `process` is the process in which it runs."""

    component: str
    target: str
    process: str

    @property
    def short(self) -> str:
        """Its component as Android prints it."""
        package, _, name = self.component.partition("/")
        return f"{package}/{short_name(name, package)}"


@dataclass(frozen=True, slots=True)
class Package:
    """An installed package. Its folders are on this machine."""

    content: BundleManifest | InstalledApk
    uid: int
    code: Path
    data: Path

    @property
    def name(self) -> str:
        return self.content.package if isinstance(self.content, BundleManifest) else self.content.manifest.package

    @property
    def apk(self) -> InstalledApk | None:
        """The APK; None for plain Java."""
        return None if isinstance(self.content, BundleManifest) else self.content

    @property
    def path(self) -> str:
        """Its path on the phone."""
        return f"/data/app/{self.name}/{APK if self.apk else BUNDLE}"

    @property
    def identity(self) -> Identity:
        """The user of its processes."""
        return Identity(self.uid, app_user_name(self.uid), self.name)

    @property
    def user(self) -> int:
        """The number of the user whose uid and data these are."""
        return self.uid // UIDS_PER_USER

    def for_user(self, user: int) -> Package:
        """Return the package of the first user as another one has it: with a uid and a data folder of its own."""
        if user == FIRST_USER:
            return self
        return replace(self, uid=user * UIDS_PER_USER + self.uid, data=self.data.parents[1] / "user" / str(user) / self.name)

    @property
    def debuggable(self) -> bool:
        """Whether `run-as` works for it."""
        return self.apk is None or self.apk.manifest.debuggable

    @property
    def profileable(self) -> bool:
        """Whether the shell may sample its stacks."""
        return self.debuggable or (self.apk is not None and self.apk.manifest.profileable)

    @property
    def version_code(self) -> int:
        return self.apk.manifest.version_code if self.apk else 1

    @property
    def runners(self) -> tuple[InstrumentationRunner, ...]:
        """Its instrumentations."""
        if self.apk is None:
            return (InstrumentationRunner(f"{self.name}/{RUNNER}", self.name, self.name),)
        return tuple(
            InstrumentationRunner(f"{self.name}/{one.name}", one.target_package, one.target_processes)
            for one in self.apk.manifest.instrumentations
        )

    def runner(self, component: str) -> InstrumentationRunner | None:
        """Return the instrumentation with this full component name."""
        return next((one for one in self.runners if one.component == component), None)
