"""Installing bundles: what is taken, what is refused, what an app may see."""

from __future__ import annotations

import io
import shutil
import zipfile
from pathlib import Path

import pytest
from bundle_maker import bundle
from phone_harness import Output, on_phone, run

from navitas.capture.bundle import archive
from navitas.virtual_phone.package import InstrumentationRunner
from navitas.virtual_phone.phone import Phone

PACKAGE = "org.example.app"


async def install(phone: Phone, data: bytes) -> Output:
    (phone.files.root / "data/local/tmp/x.apk").write_bytes(data)
    return await run(phone, "pm install -r -t /data/local/tmp/x.apk")


def test_install_list_and_uninstall(tmp_path: Path) -> None:
    async def action(phone: Phone) -> None:
        assert await install(phone, bundle()) == Output(0, b"Success\n", b"")
        assert (await run(phone, "pm list packages -U")).stdout == b"package:org.example.app uid:10100\n"
        assert (await run(phone, "cmd package list packages nothing")).stdout == b""
        instrumentation = b"instrumentation:org.example.app/org.navitas.phone.InstrumentMain (target=org.example.app)\n"
        assert (await run(phone, "pm list instrumentation")).stdout == instrumentation
        assert (phone.files.root / "data/app/org.example.app/test-classes/T.class").read_bytes() == b"class"
        assert (phone.files.root / "data/data/org.example.app/files").is_dir()
        assert (await run(phone, f"pm path {PACKAGE}")).status == 0
        assert (await run(phone, f"cmd deviceidle whitelist +{PACKAGE}")).stdout == b"Added: org.example.app\n"
        assert (await run(phone, f"pm uninstall {PACKAGE}")).stdout == b"Success\n"
        assert (await run(phone, "cmd deviceidle whitelist")).stdout == b""
        assert (await run(phone, "pm list packages")).stdout == b""
        assert not (phone.files.root / "data/app/org.example.app").exists()
        assert not (phone.files.root / "data/data/org.example.app").exists()
        assert await run(phone, f"pm uninstall {PACKAGE}") == Output(1, b"Failure [DELETE_FAILED_INTERNAL_ERROR]\n", b"")

    on_phone(tmp_path, action)


def test_an_installation_never_has_the_uid_and_counters_of_a_removed_app(tmp_path: Path) -> None:
    async def action(phone: Phone) -> None:
        await install(phone, bundle())
        await run(phone, f"pm uninstall {PACKAGE}")
        await install(phone, bundle())
        assert (await run(phone, "pm list packages -U")).stdout == b"package:org.example.app uid:10101\n"

    on_phone(tmp_path, action)


def test_kept_data_are_listed_until_they_are_removed(tmp_path: Path) -> None:
    async def action(phone: Phone) -> None:
        await install(phone, bundle())
        data = phone.files.root / "data/data/org.example.app"
        assert (await run(phone, f"pm uninstall -k {PACKAGE}")).stdout == b"Success\n"
        assert (await run(phone, "pm list packages")).stdout == b"" and data.is_dir()
        assert (await run(phone, "pm list packages -u")).stdout == b"package:org.example.app\n"
        assert (await run(phone, "pm list packages -u --user 10")).stdout == b""
        assert (await run(phone, f"pm path {PACKAGE}")).status == 1
        assert (await run(phone, f"pm uninstall -k {PACKAGE}")).stdout == b"Success\n" and data.is_dir()
        await install(phone, bundle())
        assert (await run(phone, "pm list packages -u -U")).stdout == b"package:org.example.app uid:10100\n"
        await run(phone, f"pm uninstall -k {PACKAGE}; pm uninstall {PACKAGE}")
        assert (await run(phone, "pm list packages -u")).stdout == b"" and not data.exists()

    on_phone(tmp_path, action)


def test_streamed_install_takes_as_many_bytes_as_announced(tmp_path: Path) -> None:
    data = bundle()

    async def action(phone: Phone) -> None:
        found = await run(phone, f"cmd package 'install' '-r' -S {len(data)}; cat", data + b"rest")
        assert found.stdout.startswith(b"Success\n")

    on_phone(tmp_path, action)


def test_a_new_version_replaces_code_and_keeps_data(tmp_path: Path) -> None:
    async def action(phone: Phone) -> None:
        await install(phone, bundle({"classes/Old.class": b"1"}))
        await run(phone, f"run-as {PACKAGE} sh -c 'echo kept > files/state'")
        await install(phone, bundle({"classes/New.class": b"2"}))
        assert {path.name for path in (phone.files.root / "data/app/org.example.app/classes").iterdir()} == {"New.class"}
        assert (await run(phone, f"run-as {PACKAGE} cat files/state")).stdout == b"kept\n"
        assert (await run(phone, f"pm clear {PACKAGE}")).stdout == b"Success\n"
        assert (await run(phone, f"run-as {PACKAGE} ls files")).stdout == b""

    on_phone(tmp_path, action)


def test_a_phone_remembers_packages_of_a_kept_folder(tmp_path: Path) -> None:
    on_phone(tmp_path, lambda phone: install(phone, bundle()))
    found = on_phone(tmp_path, lambda phone: run(phone, "pm list packages"))
    assert found.stdout == b"package:org.example.app\n"


def _lzma() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("classes/A.class", b"A" * 100)
    return data.getvalue()


def _liar() -> bytes:
    """An entry that says it is ten bytes long, and inflates to a million."""
    data = bytearray(bundle({"classes/bomb": bytes(1_000_000)}))
    at = data.rindex(b"classes/bomb") - 46  # its record in the central directory
    assert data[at : at + 4] == b"PK\1\2"
    data[at + 24 : at + 28] = (10).to_bytes(4, "little")
    return bytes(data)


def _without_manifest() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("classes/A.class", b"")
    return data.getvalue()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not a readable zip"),
        (b"PK\x03\x04garbage", "not a readable zip"),
        (bundle()[:-30], "not a readable zip"),
        (_without_manifest(), "bundle.json is missing"),
        (_lzma(), "neither stored nor deflated"),
        (bundle({"../evil": b""}), "leaves the bundle"),
        (bundle({"n" * 4096: b""}), "File name too long"),
        (bundle({"classes/a": b"", "classes/a/b": b""}), "Not a directory"),
        (_liar(), "Bad CRC-32"),
        (bundle(schema_version=2), "schema_version"),
    ],
)
def test_what_is_unsafe_or_broken_is_refused(data: bytes, reason: str, tmp_path: Path) -> None:
    async def action(phone: Phone) -> Output:
        found = await install(phone, data)
        assert list((phone.files.root / "data/app").iterdir()) == []
        assert (await run(phone, "pm list packages")).stdout == b""
        return found

    found = on_phone(tmp_path / "phone", action)
    assert found.status == 1
    assert found.stdout.startswith(b"Failure [INSTALL_FAILED_INVALID_APK: ") and reason.encode() in found.stdout
    assert {path.name for path in tmp_path.iterdir()} == {"phone"}


def test_a_bundle_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_UNPACKED_BYTES", 100)
    found = on_phone(tmp_path, lambda phone: install(phone, bundle({"classes/big": bytes(1000)})))
    assert b"bytes, more than 100" in found.stdout


def test_a_bundle_for_which_there_is_no_room_is_refused_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)._replace(free=10_000)
    monkeypatch.setattr("navitas.virtual_phone.package_manager.shutil.disk_usage", lambda _: usage)
    found = on_phone(tmp_path, lambda phone: install(phone, bundle({"classes/big": bytes(100_000)})))
    assert b"INSTALL_FAILED_INSUFFICIENT_STORAGE: No space left on device: it needs 100," in found.stdout


def test_a_broken_update_leaves_the_old_package(tmp_path: Path) -> None:
    async def action(phone: Phone) -> None:
        await install(phone, bundle())
        assert (await install(phone, bundle({"../evil": b""}))).status == 1
        assert (await run(phone, "pm list packages")).stdout == b"package:org.example.app\n"
        assert (phone.files.root / "data/app/org.example.app/bundle.json").exists()

    on_phone(tmp_path, action)


def test_run_as_sees_its_own_data_only(tmp_path: Path) -> None:
    async def action(phone: Phone) -> None:
        await install(phone, bundle())
        await install(phone, bundle(package="org.example.other"))
        assert (await run(phone, f"run-as {PACKAGE} pwd")).status == 1  # a builtin is no program
        assert (await run(phone, f"run-as {PACKAGE} sh -c pwd")).stdout == b"/data/data/org.example.app\n"
        assert (await run(phone, f"run-as {PACKAGE} id -un")).stdout == b"u0_a100\n"
        assert (await run(phone, f"run-as {PACKAGE} mkdir -p files/deep/er")).status == 0
        assert (await run(phone, f"run-as {PACKAGE} ls -l files")).stdout.split()[4:6] == [b"u0_a100", b"u0_a100"]
        for command in ("ls /data/data/org.example.other", "cat /data/data/org.example.other/x", "touch /data/local/tmp/x"):
            found = await run(phone, f"run-as {PACKAGE} {command}")
            assert found.status == 1 and b"Permission denied" in found.stderr
        for command in (f"ls /data/data/{PACKAGE}", f"cat /data/user/0/{PACKAGE}/files/x", f"echo > /data/data/{PACKAGE}/x"):
            found = await run(phone, command)
            assert found.status == 1 and b"Permission denied" in found.stderr
        assert (await run(phone, f"run-as {PACKAGE} run-as org.example.other ls")).status == 1

    on_phone(tmp_path, action)


@pytest.mark.parametrize(("name", "shown"), [("a.b.Run", ".Run"), ("a.b.c.Run", ".c.Run"), ("a.bc.Run", "a.bc.Run"), ("R", "R")])
def test_a_class_of_the_package_is_shown_without_its_name(name: str, shown: str) -> None:
    """ComponentName.flattenToShortString."""
    assert InstrumentationRunner(f"a.b/{name}", "a.b", "").short == f"a.b/{shown}"
