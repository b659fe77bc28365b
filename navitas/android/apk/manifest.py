"""Read an APK's manifest: package, versions, flags, instrumentations, components."""

from __future__ import annotations

import re
import stat
import zipfile
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from navitas.android import binary_xml
from navitas.android.binary_xml import Element, MalformedXml
from navitas.base.regular_files import open_regular
from navitas.base.zip_errors import UNREADABLE_ZIP

MAX_MANIFEST_BYTES = 4 << 20
MAX_ENTRIES = 200_000
_MANIFEST = "AndroidManifest.xml"
_PACKAGE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)
_CLASS = re.compile(r"[\w$.]+")
_PROCESS = re.compile(r"[^/\s]{0,255}")
_LIBRARY = re.compile(r"lib/([\w-]+)/[^/]+\.so", re.ASCII)
_LAUNCHER = ("android.intent.action.MAIN", "android.intent.category.LAUNCHER")
_MAX_NAME = 255
_MAX_PACKAGE = 223
"""FrameworkParsingPackageUtils.MAX_FILE_NAME_SIZE."""


class InvalidApk(Exception):
    """The file is not a readable APK. `code` is the package manager's error code, such as INSTALL_PARSE_FAILED_NOT_APK."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


@dataclass(frozen=True, slots=True)
class Instrumentation:
    """A test runner in a manifest: its class, its target package, and its process (empty: the target's)."""

    name: str
    target_package: str
    target_processes: str


@dataclass(frozen=True, slots=True)
class AppComponent:
    """An activity or service. `is_launcher` means that a launcher shows it."""

    name: str
    is_launcher: bool = False


@dataclass(frozen=True, slots=True)
class ApkManifest:
    """One APK. `abis` lists the ABIs of its native libraries; `text` is its manifest as ordinary XML."""

    package: str
    version_code: int
    version_name: str
    min_sdk: int
    target_sdk: int
    debuggable: bool
    profileable: bool
    """Whether the shell may sample its stacks, though it is not debuggable (`<profileable android:shell="true"/>`)."""
    test_only: bool
    split: str
    instrumentations: tuple[Instrumentation, ...]
    activities: tuple[AppComponent, ...]
    services: tuple[AppComponent, ...]
    permissions: tuple[str, ...]
    abis: tuple[str, ...]
    text: str

    @property
    def launchers(self) -> tuple[AppComponent, ...]:
        """The activities that a launcher shows."""
        return tuple(activity for activity in self.activities if activity.is_launcher)

    @property
    def launcher(self) -> AppComponent | None:
        """The first activity that a launcher shows."""
        return next(iter(self.launchers), None)


def read_apk(file: Path | BinaryIO) -> ApkManifest:
    """Read an APK's manifest and the names of its native libraries. Raises `InvalidApk`."""
    try:
        with open_regular(file) if isinstance(file, Path) else nullcontext(file) as stream, zipfile.ZipFile(stream) as archive:
            entries = archive.infolist()
            if len(entries) > MAX_ENTRIES:
                raise InvalidApk("INSTALL_PARSE_FAILED_NOT_APK", f"it has {len(entries):,} entries, more than {MAX_ENTRIES:,}")
            found = [entry for entry in entries if entry.filename == _MANIFEST and not stat.S_ISDIR(entry.external_attr >> 16)]
            if not found:
                raise InvalidApk("INSTALL_PARSE_FAILED_BAD_MANIFEST", f"{_MANIFEST} is missing")
            data = _read(archive, found[0])
            abis = sorted({match.group(1) for entry in entries if (match := _LIBRARY.fullmatch(entry.filename))})
    except (OSError, *UNREADABLE_ZIP) as error:
        raise InvalidApk("INSTALL_PARSE_FAILED_NOT_APK", f"not a readable zip file ({error})") from error
    try:
        return _manifest(binary_xml.parse(data), tuple(abis))
    except MalformedXml as error:
        raise InvalidApk("INSTALL_PARSE_FAILED_BAD_MANIFEST", f"{_MANIFEST}: {error}") from error


def _read(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """Unpack at most the limit, because the size in the entry's header may be wrong."""
    with archive.open(entry) as stream:
        data = stream.read(MAX_MANIFEST_BYTES + 1)
    if len(data) > MAX_MANIFEST_BYTES:
        raise InvalidApk("INSTALL_PARSE_FAILED_BAD_MANIFEST", f"{_MANIFEST} has more than {MAX_MANIFEST_BYTES:,} bytes")
    return data


def _manifest(root: Element, abis: tuple[str, ...]) -> ApkManifest:
    package = root.get("package", namespace="")
    if root.tag != "manifest":
        raise MalformedXml(f"the root is <{root.tag[:_MAX_NAME]}>")
    if not _PACKAGE.fullmatch(package) or len(package) > _MAX_PACKAGE:
        raise InvalidApk("INSTALL_PARSE_FAILED_BAD_PACKAGE_NAME", f"{_MANIFEST}: package {package[:_MAX_NAME]!r}")
    sdk = next(iter(root.all("uses-sdk")), Element("uses-sdk"))
    applications = root.all("application")
    app = applications[0] if applications else Element("application")
    _check_process(app, package)
    min_sdk = _number(sdk.get("minSdkVersion", "1"))
    return ApkManifest(
        package=package,
        version_code=_number(root.get("versionCode", "0")) + (_number(root.get("versionCodeMajor", "0")) << 32),
        version_name=root.get("versionName")[:_MAX_NAME],
        min_sdk=min_sdk,
        target_sdk=_number(sdk.get("targetSdkVersion", str(min_sdk))),
        debuggable=app.get("debuggable") == "true",
        profileable=any(element.get("shell") == "true" for element in app.all("profileable")),
        test_only=app.get("testOnly") == "true",
        split=root.get("split", namespace=""),
        instrumentations=tuple(
            Instrumentation(_class(one.get("name"), package), one.get("targetPackage"), one.get("targetProcesses"))
            for one in root.all("instrumentation")
            if _PACKAGE.fullmatch(one.get("targetPackage"))
        ),
        activities=tuple(_component(one, package) for one in (*app.all("activity"), *app.all("activity-alias"))),
        services=tuple(_component(one, package) for one in app.all("service")),
        permissions=tuple(one.get("name") for one in root.all("uses-permission") if one.get("name")),
        abis=abis,
        text=binary_xml.to_text(root),
    )


def _component(element: Element, package: str) -> AppComponent:
    _check_process(element, package)
    filters = [
        {one.get("name") for one in (*intent.all("action"), *intent.all("category"))} for intent in element.all("intent-filter")
    ]
    return AppComponent(
        _class(element.get("targetActivity") or element.get("name"), package),
        is_launcher=any(names.issuperset(_LAUNCHER) for names in filters),
    )


def _check_process(element: Element, package: str) -> None:
    """Raise `MalformedXml` if the element's process has no valid name. `:remote` belongs to the package."""
    name = element.get("process")
    if not _PROCESS.fullmatch(package + name if name.startswith(":") else name):
        raise MalformedXml(f"process {name[:_MAX_NAME]!r}")


def _class(name: str, package: str) -> str:
    """Return the full name of a class. `.Main` and `Main` belong to the package."""
    full = package + name if name.startswith(".") else name if "." in name else f"{package}.{name}"
    if not _CLASS.fullmatch(full) or len(full) > _MAX_NAME:
        raise MalformedXml(f"class name {full[:_MAX_NAME]!r}")
    return full


def _number(text: str) -> int:
    """Return the number; 10,000 for the codename of a preview, and 0 for a reference."""
    try:
        return max(0, int(text))
    except ValueError:
        return 0 if text.startswith("@") else 10_000
