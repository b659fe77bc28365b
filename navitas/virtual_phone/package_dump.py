"""`dumpsys package PACKAGE` and `dumpsys package packages`: lines that tools read (Android 14's Settings.dumpPackageLPr)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType

from navitas.virtual_phone.identity import FIRST_USER
from navitas.virtual_phone.package import Package

_STATE = "ceDataInode=0 installed=true hidden=false suspended=false stopped=false notLaunched=false enabled=0"
_NOTHING: Mapping[int, Collection[str]] = MappingProxyType({})


def dump_package(
    package: Package | None, name: str, granted: Mapping[int, Collection[str]] = _NOTHING, users: Collection[int] = (FIRST_USER,)
) -> str:
    """Return the text for one package, or Android's message if there is none with this name.

    `granted` are the permissions that `pm grant` gave it by user, `users` those for whom it is installed.
    """
    if package is None:
        return f"Unable to find package: {name}\n"
    return "Packages:\n" + "".join(f"{line}\n" for line in _lines(package, granted, users))


def dump_packages(packages: Iterable[tuple[Package, Mapping[int, Collection[str]]]]) -> str:
    """Return the text of `dumpsys package packages`, with all packages and their granted permissions."""
    return "Packages:\n" + "".join(f"{line}\n" for package, granted in packages for line in _lines(package, granted))


def _lines(package: Package, granted: Mapping[int, Collection[str]], users: Collection[int] = (FIRST_USER,)) -> list[str]:
    apk = package.apk
    manifest = apk.manifest if apk else None
    debuggable = "DEBUGGABLE " if package.debuggable else ""
    test_only = "TEST_ONLY " if manifest and manifest.test_only else ""
    flags = f"[ {debuggable}HAS_CODE {test_only}ALLOW_CLEAR_USER_DATA ]"
    sdks = f" minSdk={manifest.min_sdk} targetSdk={manifest.target_sdk}" if manifest else ""
    signers = ", ".join(signer[:8] for signer in apk.signing.signers) if apk else ""
    lines = [
        f"  Package [{package.name}] ({package.uid:x}):",
        f"    userId={package.uid}",
        f"    appId={package.uid}",
        f"    pkg=Package{{{package.uid:x} {package.name}}}",
        f"    codePath=/data/app/{package.name}",
        f"    resourcePath=/data/app/{package.name}",
        f"    primaryCpuAbi={manifest.abis[0] if manifest and manifest.abis else 'null'}",
        f"    versionCode={package.version_code}{sdks}",
        f"    versionName={(manifest.version_name if manifest else '') or 'null'}",
        "    splits=[base]",
        f"    apkSigningVersion={apk.signing.scheme if apk else 0}",
        f"    flags={flags}",
        f"    pkgFlags={flags}",
        f"    dataDir=/data/user/0/{package.name}",
        f"    signatures=PackageSignatures{{{package.uid:x} version:{apk.signing.scheme if apk else 0}, "
        f"signatures:[{signers}], past signatures:[]}}",
    ]
    if manifest and manifest.permissions:
        lines += ["    requested permissions:", *(f"      {permission}" for permission in manifest.permissions)]
    permissions = list(_permissions(granted, users))
    return [
        *lines,
        *(["    install permissions:"] if permissions else []),
        *permissions,
        *(f"    User {user}: {_STATE}" for user in users),
    ]


def _permissions(granted: Mapping[int, Collection[str]], users: Collection[int]) -> Iterator[str]:
    """Yield each permission for the first user, and for others if they differ (Settings.dumpInstallPermissionsLPr)."""
    for name in sorted({name for names in granted.values() for name in names}):
        first = name in granted.get(FIRST_USER, ())
        yield f"      {name}: granted={str(first).lower()}"
        for user in users:
            if (own := name in granted.get(user, ())) != first:
                yield f"      {name}: granted={str(own).lower()}, userId={user}"
