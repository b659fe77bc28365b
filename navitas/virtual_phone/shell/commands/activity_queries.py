"""pm resolve-activity and query-activities: the app's activities that a launcher shows, as AOSP's PackageManagerShellCommand."""

from __future__ import annotations

from navitas.virtual_phone.package import short_name
from navitas.virtual_phone.shell.commands.app_start import running_users_package
from navitas.virtual_phone.shell.commands.intent_arguments import parse_intent
from navitas.virtual_phone.shell.context import Context

_MATCH = "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true"
_CHOOSER = (
    "priority=0 preferredOrder=0 match=0x0 specificIndex=-1 isDefault=false\nandroid/com.android.internal.app.ResolverActivity\n"
)


async def resolve_activity(context: Context) -> int:
    """`--brief [--user USER] -a MAIN -c LAUNCHER PACKAGE`: the activity, or Android's chooser if there are several."""
    found = _launchers(context)
    await context.out("No activity found\n" if not found else f"{_MATCH}\n{found[0]}\n" if len(found) == 1 else _CHOOSER)
    return 0


async def query_activities(context: Context) -> int:
    """`--brief [--user USER] -a MAIN -c LAUNCHER PACKAGE`: all of them."""
    found = _launchers(context)
    lines = [f"  Activity #{number}:\n    {_MATCH}\n    {name}\n" for number, name in enumerate(found)]
    await context.out(f"{len(found)} activities found:\n{''.join(lines)}" if found else "No activities found\n")
    return 0


def _launchers(context: Context) -> list[str]:
    intent = parse_intent([word for word in context.args if word != "--brief"])
    package = running_users_package(context, intent.package, intent.user)
    if package is None or package.apk is None:
        return []
    return [f"{package.name}/{short_name(one.name, package.name)}" for one in package.apk.manifest.launchers]
