"""am broadcast, and the phone's own broadcasts. They reach running apps: all others are stopped, as after `am force-stop`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from navitas.virtual_phone.apps import AppProcess
from navitas.virtual_phone.shell.commands.intent_arguments import IntentArguments, parse_intent
from navitas.virtual_phone.shell.context import Context
from navitas.virtual_phone.system_broadcasts import changes, condition_of

_FROM_SHELL = 0x400000
_LONGEST_S = 60.0
"""ActivityManagerConstants: the time that a receiver in the background has."""
_SHORT_S = 2.0
"""The phone does not wait for receivers of its own broadcasts. This wait keeps the order of a script's steps."""


async def broadcast(context: Context, args: list[str]) -> int:
    """`am broadcast INTENT`: returns when all receivers have handled it. It may have actions that only the system sends."""
    intent = parse_intent(args)
    intent.flags |= _FROM_SHELL
    await context.out(f"Broadcasting: {intent}\n")
    await _send(context, intent, _LONGEST_S)
    await context.out("Broadcast completed: result=0\n")
    return 0


async def announcing(context: Context, command: Callable[[], Awaitable[int]]) -> int:
    """Run a command that can change the phone's charger, battery level or network, and send the broadcasts of the change."""
    before = condition_of(context.phone)
    status = await command()
    for action in changes(before, condition_of(context.phone)):
        await _send(context, IntentArguments(action=action), _SHORT_S)
    return status


async def _send(context: Context, intent: IntentArguments, wait_s: float) -> None:
    for app in _receivers(context, intent):
        await context.phone.apps.tell(app, f"broadcast {intent.uri()}", wait_s)


def _receivers(context: Context, intent: IntentArguments) -> list[AppProcess]:
    """The running apps; only the one that the intent names, if it names one."""
    name = intent.component.partition("/")[0] or intent.package
    if not name:
        return context.phone.apps.all()
    package = context.phone.packages.get(name)
    app = context.phone.apps.get(package) if package else None
    return [app] if app else []
