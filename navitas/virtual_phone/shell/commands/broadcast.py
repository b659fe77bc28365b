"""am broadcast. It reaches running apps: all others are stopped, as after `am force-stop`."""

from __future__ import annotations

from navitas.virtual_phone.apps import AppProcess
from navitas.virtual_phone.shell.commands.intent_arguments import IntentArguments, parse_intent
from navitas.virtual_phone.shell.context import Context

_FROM_SHELL = 0x400000
_LONGEST_S = 60.0
"""ActivityManagerConstants: the time that a receiver in the background has."""


async def broadcast(context: Context, args: list[str]) -> int:
    """`am broadcast INTENT`: returns when all receivers have handled it. It may have actions that only the system sends."""
    intent = parse_intent(args)
    intent.flags |= _FROM_SHELL
    await context.out(f"Broadcasting: {intent}\n")
    for app in _receivers(context, intent):
        await context.phone.apps.tell(app, f"broadcast {intent.uri()}", _LONGEST_S)
    await context.out("Broadcast completed: result=0\n")
    return 0


def _receivers(context: Context, intent: IntentArguments) -> list[AppProcess]:
    """The running apps; only the one that the intent names, if it names one."""
    name = intent.component.partition("/")[0] or intent.package
    if not name:
        return context.phone.apps.all()
    package = context.phone.packages.get(name)
    app = context.phone.apps.get(package) if package else None
    return [app] if app else []
