"""Install an APK: check its manifest and signature, and refuse it for AOSP's reasons.

Codes and messages: PackageManagerShellCommand, InstallPackageHelper, ApkSignatureVerifier and FrameworkParsingPackageUtils of
Android 14.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from navitas.android.apk.manifest import ApkManifest, InvalidApk, read_apk
from navitas.capture.build.java import find_java, jar
from navitas.virtual_phone.host_java import StartError, start_errors
from navitas.virtual_phone.package import InstalledApk, Package, Signing

_CHECK = "org.navitas.phone.install.SignatureCheck"
_CHECK_S = 120.0
_V2_FROM_TARGET = 30
_LOWEST_TARGET = {34: 23, 35: 24, 36: 24}
"""The lowest targetSdkVersion that a release installs."""


class InstallError(Exception):
    """The phone refuses a package. `code` is the package manager's, such as INSTALL_FAILED_INVALID_APK."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(f"{code}: {reason}")


@dataclass(frozen=True, slots=True)
class InstallOptions:
    """Options of `pm install`: -t, -d, not -R, --bypass-low-target-sdk-block."""

    test_only: bool = False
    downgrade: bool = False
    replace: bool = True
    low_target: bool = False


@dataclass(frozen=True, slots=True)
class Platform:
    """The phone's API level and its ABIs, best first."""

    sdk: int
    abis: tuple[str, ...]


async def read(path: Path, platform: Platform, options: InstallOptions) -> InstalledApk:
    """Read a staged APK and check it on its own. Raises `InstallError`."""
    try:
        manifest = await asyncio.to_thread(read_apk, path)
    except InvalidApk as error:
        raise InstallError(error.code, f"Failed to parse {path.name}: {error}") from None
    _check_manifest(manifest, platform, options)
    return InstalledApk(manifest, await _signing(path, manifest, platform.sdk))


def check_update(installed: Package, apk: InstalledApk, options: InstallOptions) -> None:
    """Check an APK against the installed package of the same name. Raises `InstallError`."""
    manifest = apk.manifest
    if not options.replace:
        reason = f"Attempt to re-install {manifest.package} without first uninstalling."
        raise InstallError("INSTALL_FAILED_ALREADY_EXISTS", reason)
    if installed.apk is None or installed.apk.signing.signers != apk.signing.signers:
        reason = f"Existing package {manifest.package} signatures do not match newer version; ignoring!"
        raise InstallError("INSTALL_FAILED_UPDATE_INCOMPATIBLE", reason)
    may_go_back = options.downgrade and installed.debuggable
    if manifest.version_code < installed.version_code and not may_go_back:
        reason = f"Downgrade detected: Update version code {manifest.version_code} is older than current {installed.version_code}"
        raise InstallError("INSTALL_FAILED_VERSION_DOWNGRADE", reason)


def _check_manifest(manifest: ApkManifest, platform: Platform, options: InstallOptions) -> None:
    if manifest.split:
        raise InstallError("INSTALL_FAILED_INVALID_APK", f"Full install must include a base package: {manifest.split}")
    if manifest.min_sdk > platform.sdk:
        reason = (
            f"Failed parse during installPackageLI: base.apk (at Binary XML file line #0): "
            f"Requires newer sdk version #{manifest.min_sdk} (current version is #{platform.sdk})"
        )
        raise InstallError("INSTALL_FAILED_OLDER_SDK", reason)
    if manifest.test_only and not options.test_only:
        raise InstallError("INSTALL_FAILED_TEST_ONLY", "Failed to install test-only apk. Did you forget to add -t?")
    lowest = _LOWEST_TARGET.get(platform.sdk, 0)
    if manifest.target_sdk < lowest and not options.low_target:
        reason = f"App package must target at least SDK version {lowest}, but found {manifest.target_sdk}"
        raise InstallError("INSTALL_FAILED_DEPRECATED_SDK_VERSION", reason)
    if manifest.abis and not set(manifest.abis) & set(platform.abis):
        raise InstallError("INSTALL_FAILED_NO_MATCHING_ABIS", "Failed to extract native libraries, res=-113")


async def _signing(path: Path, manifest: ApkManifest, sdk: int) -> Signing:
    try:
        results = await _run_check(path, sdk)
    except StartError as error:
        raise InstallError("INSTALL_FAILED_INTERNAL_ERROR", f"the signature cannot be checked: {error}") from None
    signers = tuple(sorted(text for word, text in results if word == "signer"))
    scheme = max((int(text) for word, text in results if word == "scheme"), default=0)
    refused = next((text for word, text in results if word == "refused"), "" if signers else "no certificate")
    code = "INSTALL_PARSE_FAILED_NO_CERTIFICATES"
    if scheme < 2 and min(manifest.target_sdk, sdk) >= _V2_FROM_TARGET:
        reason = f"Scanning Failed.: No signature found in package of version 2 or newer for package {manifest.package}"
        raise InstallError(code, reason)
    if refused:
        collecting = "Failed collecting certificates for base.apk: Failed to collect certificates from base.apk"
        raise InstallError(code, f"{collecting}: {refused}")
    return Signing(signers, scheme)


async def _run_check(path: Path, sdk: int) -> list[tuple[str, str]]:
    """Run SignatureCheck and return its output: pairs of a keyword and a text."""
    with start_errors():
        java, classes = find_java(), str(jar("navitas-phone-install.jar"))
    arguments = ["-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", classes, _CHECK]
    try:
        process = await asyncio.create_subprocess_exec(
            java, *arguments, str(path), str(sdk),
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
    except OSError as error:
        raise StartError(f"java: {error.strerror}") from None
    try:
        async with asyncio.timeout(_CHECK_S):
            printed, _ = await process.communicate()
    except TimeoutError:
        raise StartError(f"java took more than {_CHECK_S:.0f} s") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise StartError(f"java ended with status {process.returncode}")
    found = [line.partition(" ") for line in printed.decode("utf-8", "replace").splitlines()]
    return [(word, text) for word, _, text in found]
