"""Devices of an adb server."""

from __future__ import annotations

import io
import shlex
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Literal

from navitas.android.ids import user_flag
from navitas.base.errors import DeviceError
from navitas.base.new_files import new_file
from navitas.base.regular_files import open_regular
from navitas.capture.device import shell_v2, sync_client
from navitas.capture.device.adb_server import is_address, list_devices, quoted, reconnect, user_client
from navitas.capture.device.adb_transport import LOST, Stream, Transport, remedy_for
from navitas.capture.device.base import DeviceInfo, ShellResult
from navitas.capture.device.phone_user import named_user
from navitas.capture.device.server_client import ServerClient
from navitas.capture.device.sync_client import SyncError

_TRANSFER_S = 60.0
_INSTALL_S = 300.0
_UNINSTALL_S = 60.0
_PROBE_S = 2.0
_PROBE_PAUSE_S = 0.2
_MAX_OUTPUT_BYTES = 64 << 20
_PROPERTIES = (
    *("ro.navitas.virtual", "ro.product.model", "ro.build.fingerprint", "ro.build.version.sdk"),
    *("ro.serialno", "ro.boot.serialno", "ro.boot.qemu.avd_name", "ro.kernel.qemu.avd_name"),
)
_PLACEHOLDER_SERIALS = ("", "unknown", "0123456789ABCDEF")
"""Placeholders of devices without a serial number."""
_EMULATOR_SERIAL = "EMULATOR"
"""Serial numbers of emulators begin so. They are those of the emulator's version, the same for all its virtual devices."""
STAGED = "/data/local/tmp/navitas-"
"""The beginning of the paths at which files to install are on a phone until they are installed."""
_UNINSTALL = "uninstall it with adb uninstall PACKAGE, which also removes its data"
_REMEDIES = {
    "UPDATE_INCOMPATIBLE": f"the installed package of that name has another signature: {_UNINSTALL}",
    "VERSION_DOWNGRADE": f"a newer version is installed: {_UNINSTALL}",
    "SHARED_USER_INCOMPATIBLE": f"an installed package of the same sharedUserId has another signature: {_UNINSTALL}",
    "DUPLICATE_PERMISSION": "another installed app defines the same permission: uninstall that one",
    "CONFLICTING_PROVIDER": "another installed app has a content provider of the same authority: uninstall that one",
    "INSUFFICIENT_STORAGE": "free space on the device's /data",
    "MEDIA_UNAVAILABLE": "free space on the device's /data",
    "USER_RESTRICTED": "allow it on the phone: developer options, 'Install via USB' (Xiaomi phones need a SIM and an account)",
    "ABORTED": "allow it on the phone: confirm the question on its screen, or check whether Play Protect stopped it",
    "VERIFICATION_FAILURE": "allow it on the phone: Play Protect, or developer options, 'Verify apps over USB'",
    "VERIFICATION_TIMEOUT": "switch 'Verify apps over USB' off in the phone's developer options",
    "TEST_ONLY": "build it without android:testOnly, or install it with adb install -t",
    "OLDER_SDK": "the phone's Android is older than the build's minSdk: lower it, or use a newer phone",
    "NEWER_SDK": "the build's maxSdk is below the phone's Android: raise it",
    "DEPRECATED_SDK_VERSION": "the build's targetSdk is too old for this Android: raise it",
    "NO_MATCHING_ABIS": "the APK has native libraries for other processors: build it for the phone's ABI",
    "CPU_ABI_INCOMPATIBLE": "the APK has native libraries for other processors: build it for the phone's ABI",
    "MISSING_SHARED_LIBRARY": "the phone lacks a library that the manifest uses: use another phone",
    "MISSING_SPLIT": "the build makes split APKs: build a complete one",
    "NO_CERTIFICATES": "the APK's signature does not meet this Android's requirements: sign it with apksigner",
    "INCONSISTENT_CERTIFICATES": "the APK's signatures do not match: build it again",
    "INVALID_APK": "build it again",
    "NOT_APK": "build it again",
    "BAD_MANIFEST": "build it again",
    "MANIFEST_MALFORMED": "build it again",
    "DEXOPT": "free space on the device's /data",
    "DISALLOWED_BY_POLICY": "the phone's administrator forbids it: use another phone",
}


def select_device(serial: str | None = None, client: ServerClient | None = None) -> AdbDevice:
    """Return the named device, or the only one. Raises `DeviceError` that lists the connected ones."""
    client = client or user_client()
    listed = list_devices(client)
    lines = "".join(f"\n  {quoted(found.serial)}  {found.model or '-'}  {found.state}  {found.transport}" for found in listed)
    if serial is not None:
        listed = [found for found in listed if found.serial == serial]
        if not listed:
            raise DeviceError(f"device {quoted(serial)} is not connected; adb lists:{lines or ' none'}", LOST)
    if not listed:
        raise DeviceError("adb lists no device", "connect a phone with USB debugging on, or use --device virtual")
    if len(listed) > 1:
        raise DeviceError(f"several devices are connected:{lines}", "choose one with --device SERIAL")
    if listed[0].state != "device":
        raise DeviceError(f"device {quoted(listed[0].serial)} is {listed[0].state}", remedy_for(listed[0].state))
    return AdbDevice(client, listed[0].serial)


class AdbDevice:
    """A device of an adb server (base.Device)."""

    def __init__(self, client: ServerClient, serial: str) -> None:
        self.client = client
        """The client of its adb server (`adb -L SOCKET_SPEC -s SERIAL …` reaches the device)."""
        self.serial = serial
        """The device's name in adb."""
        self._info: DeviceInfo | None = None

    def measure_user(self, user: int | None) -> None:
        """Measure the apps of one of the phone's users, None for the one in the foreground. Raises `UsageError`."""
        named, users = named_user(self, user)
        self._info = replace(self.info, named_user=named, users=users)

    @property
    def info(self) -> DeviceInfo:
        if self._info is None:
            lines = self.shell("; ".join(f"getprop {name}" for name in _PROPERTIES)).text.split("\n")
            values = [line.strip() for line in (*lines, *[""] * len(_PROPERTIES))[: len(_PROPERTIES)]]
            virtual, model, fingerprint, sdk, *numbers, avd, old_avd = values
            kind: Literal["virtual", "phone"] = "virtual" if virtual == "1" else "phone"
            level = int(sdk) if sdk.isdecimal() and len(sdk) < 5 else 0
            self._info = DeviceInfo(kind, self.serial, model, fingerprint, level, self._identity(avd or old_avd, numbers))
        return self._info

    def _flag_of(self, user: int | None) -> str:
        measured = None if self._info is None else self._info.named_user
        return user_flag(measured if user is None else user)

    def _identity(self, avd: str, numbers: Sequence[str]) -> str:
        """Return an emulator's name, or the device's own serial number, else its name in adb unless that is an address."""
        own = [number for number in numbers if number not in _PLACEHOLDER_SERIALS and not number.startswith(_EMULATOR_SERIAL)]
        return (*([f"avd {avd}"] if avd else own), "" if is_address(self.serial) else self.serial)[0]

    def shell(self, command: str, *, timeout_s: float = 30.0) -> ShellResult:
        deadline = time.monotonic() + timeout_s
        outputs = {shell_v2.Id.STDOUT: bytearray(), shell_v2.Id.STDERR: bytearray()}
        decoder = shell_v2.Decoder()
        with self._open(f"shell,v2,raw:{command}", timeout_s, command) as transport:
            transport.send_all(shell_v2.encode(shell_v2.Id.CLOSE_STDIN))
            while sum(map(len, outputs.values())) <= _MAX_OUTPUT_BYTES:
                transport.set_timeout(max(0.001, deadline - time.monotonic()))
                for packet_id, content in transport.packets(decoder):
                    if packet_id == shell_v2.Id.EXIT:
                        return ShellResult(content[0] if content else 255, *(bytes(output) for output in outputs.values()))
                    if packet_id in outputs:
                        outputs[shell_v2.Id(packet_id)] += content
        raise DeviceError(
            f"device {self.serial}: '{command}' printed more than {_MAX_OUTPUT_BYTES >> 20} MiB", "find the cause with adb shell"
        )

    @contextmanager
    def stream(self, command: str) -> Iterator[Stream]:
        with self._open(f"shell,v2,raw:{command}", None, command) as transport, closing(Stream(transport)) as stream:
            yield stream

    def exec_out(self, command: str, *, timeout_s: float = 60.0) -> Iterator[bytes]:
        with self._open(f"exec:{command}", timeout_s, command) as transport:
            while data := transport.receive():
                yield data

    def push(self, local: Path | bytes, remote: str, *, mode: int = 0o644) -> None:
        source = io.BytesIO(local) if isinstance(local, bytes) else open_regular(local)
        with source, self._sync(f"push to {remote}") as transport:
            sync_client.send(transport, source, remote, mode)

    def pull(self, remote: str, local: Path) -> None:
        """Copy a file from the device. The local file appears only when it is complete."""
        with new_file(local) as file, self._sync(f"pull of {remote}") as transport:
            for piece in sync_client.receive(transport, remote):
                file.write(piece)

    def install(self, paths: Sequence[Path], *, downgrade: bool = False, user: int | None = None) -> None:
        flag = self._flag_of(user)
        for path in paths:
            staged = f"{STAGED}{path.name}"
            try:
                self.push(path, staged)
                result = self.shell(
                    f"pm install -r -t{' -d' if downgrade else ''}{flag} {shlex.quote(staged)}", timeout_s=_INSTALL_S
                )
            finally:
                with suppress(DeviceError):  # the user must see the first error
                    self.shell(f"rm -f {shlex.quote(staged)}")
            if "Success" not in result.text.split():
                reason = (result.stdout + result.stderr).decode("utf-8", "replace").strip()
                raise DeviceError(f"device {self.serial}: {path.name} cannot be installed: {reason}", install_remedy(reason))

    def uninstall(self, package: str, *, keep_data: bool = False, user: int | None = None) -> None:
        keep = " -k" if keep_data else ""
        self.shell(f"pm uninstall{keep}{self._flag_of(user)} {shlex.quote(package)}", timeout_s=_UNINSTALL_S)

    def wait_until_back(self, timeout_s: float) -> bool:
        deadline = time.monotonic() + timeout_s
        while True:
            with suppress(DeviceError):
                return self.shell(":", timeout_s=_PROBE_S).exit_code == 0
            if time.monotonic() > deadline:
                return False
            if is_address(self.serial):  # adb stops reconnecting to a network device after a while
                with suppress(DeviceError):
                    reconnect(self.client, self.serial, _PROBE_S)
            time.sleep(_PROBE_PAUSE_S)

    def _open(self, service: str, timeout_s: float | None, action: str) -> closing[Transport]:
        return closing(Transport(self.client, self.serial, service, action, timeout_s))

    @contextmanager
    def _sync(self, action: str) -> Iterator[Transport]:
        try:
            with self._open("sync:", _TRANSFER_S, action) as transport:
                yield transport
        except SyncError as error:
            full = "No space left" in str(error)
            remedy = "free space on the device" if full else "check the path and its permissions"
            raise DeviceError(f"device {self.serial}: {action} failed: {error}", remedy) from None


def install_remedy(reason: str) -> str:
    """Return a remedy for the package manager's reason (AOSP: PackageManager.java, and additions of vendors)."""
    return next((remedy for code, remedy in _REMEDIES.items() if code in reason), "see the reason above")
