"""Several users of the phone: apps, permissions and activities of each."""

from __future__ import annotations

from pathlib import Path

import pytest
from phone_harness import on_phone, run
from support.apk_maker import Tag, activity, manifest, write

from navitas.android.apk.manifest import read_apk
from navitas.virtual_phone.package import InstalledApk, Signing
from navitas.virtual_phone.phone import Phone
from navitas.virtual_phone.releases import FINE_POWER_MONITORS

APP, TESTS = "org.app", "org.app.test"
LAUNCHER = f"-a android.intent.action.MAIN -c android.intent.category.LAUNCHER {APP}"


def register(phone: Phone, folder: Path, name: str, *children: Tag, outside: tuple[Tag, ...] = (), users: list[int]) -> None:
    """Install an app, without its signature."""
    apk = read_apk(write(folder / f"{name}.apk", manifest(name, *children, outside=outside)))
    phone.packages._register(InstalledApk(apk, Signing(("ab" * 32,), 2)), users)


async def second_user(phone: Phone) -> int:
    return int((await run(phone, "pm create-user --profileOf 0 --managed Work")).stdout.split()[-1])


@pytest.mark.parametrize("count", [0, 1, 2])
def test_launcher_activities_are_found_once_the_user_is_started(tmp_path: Path, count: int) -> None:
    names = [".Main", ".Other"][:count]

    async def act(phone: Phone) -> None:
        user = await second_user(phone)
        register(phone, tmp_path, APP, *(activity(name, launcher=True) for name in names), users=[user])
        query, resolve = (
            f"cmd package {name} --brief --user {user} {LAUNCHER}" for name in ("query-activities", "resolve-activity")
        )
        assert (await run(phone, query)).stdout == b"No activities found\n"
        assert (await run(phone, resolve)).stdout == b"No activity found\n"
        await run(phone, f"am start-user {user}")
        found, chosen = [(await run(phone, command)).stdout.decode().splitlines() for command in (query, resolve)]
        assert [line.strip() for line in found if "/" in line] == [f"{APP}/{name}" for name in names]
        assert found[0] == (f"{count} activities found:" if names else "No activities found")
        chooser = "android/com.android.internal.app.ResolverActivity"
        assert chosen[-1] == ("No activity found", f"{APP}/.Main", chooser)[count]

    on_phone(tmp_path / "phone", act)


def test_apps_of_a_user_that_is_not_started_do_not_start(tmp_path: Path) -> None:
    async def act(phone: Phone) -> None:
        user = await second_user(phone)
        service = Tag("service", {"name": ".Sync", "exported": True})
        register(phone, tmp_path, APP, activity(".Main", launcher=True), service, users=[0, user])
        started = await run(phone, f"am start --user {user} -n {APP}/.Main")
        assert (started.status, started.stderr) == (
            1,
            f"Error type 3\nError: Activity class {{{APP}/{APP}.Main}} does not exist.\n".encode(),
        )
        started = await run(phone, f"am startservice --user {user} -n {APP}/.Sync")
        assert (started.status, started.stderr) == (255, b"Error: Not found; no service started.\n")

    on_phone(tmp_path / "phone", act)


def test_a_package_alone_names_the_instrumentation_of_the_user(tmp_path: Path) -> None:
    async def act(phone: Phone) -> None:
        user = await second_user(phone)
        await run(phone, f"am start-user {user}")
        runner = Tag("instrumentation", {"name": "a.Runner", "targetPackage": "org.gone"})
        register(phone, tmp_path, TESTS, outside=(runner,), users=[user])
        found = await run(phone, f"am instrument -w -r --user {user} {TESTS}")
        assert b"Unable to find instrumentation target package: org.gone" in found.stdout
        assert b"No instrumentation found for: org.app.test" in (await run(phone, f"am instrument -w -r {TESTS}")).stdout

    on_phone(tmp_path / "phone", act)


def test_permissions_are_of_one_user(tmp_path: Path) -> None:
    async def act(phone: Phone) -> None:
        user = await second_user(phone)
        asks = Tag("uses-permission", {"name": FINE_POWER_MONITORS})
        register(phone, tmp_path, APP, outside=(asks,), users=[0, user])
        own = [phone.packages.get(APP, number) for number in (0, user)]

        async def states() -> tuple[list[bool], list[str]]:
            shown = (await run(phone, f"dumpsys package {APP} | grep -e granted= -e 'User '")).stdout.decode().splitlines()
            assert [line.split(":")[0].strip() for line in shown[-2:]] == ["User 0", f"User {user}"]
            lines = [line.rpartition(f"{FINE_POWER_MONITORS}: ")[2] for line in shown[:-2]]
            return [phone.packages.has_permission(one.uid, FINE_POWER_MONITORS) for one in own if one], lines

        assert await states() == ([False, False], [])
        await run(phone, f"pm grant --user {user} {APP} {FINE_POWER_MONITORS}")
        assert await states() == ([False, True], ["granted=false", f"granted=true, userId={user}"])
        await run(phone, f"pm grant {APP} {FINE_POWER_MONITORS}")
        assert await states() == ([True, True], ["granted=true"])
        await run(phone, f"pm revoke --user {user} {APP} {FINE_POWER_MONITORS}")
        assert await states() == ([True, False], ["granted=true", f"granted=false, userId={user}"])

    on_phone(tmp_path / "phone", act, sdk=37)
