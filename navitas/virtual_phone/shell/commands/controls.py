"""svc (radios, stay awake) and input. Both print nothing on success."""

from __future__ import annotations

from navitas.virtual_phone.shell.commands.broadcast import announcing
from navitas.virtual_phone.shell.context import Context, command
from navitas.virtual_phone.shell.flow import CommandError

_RADIOS = {"wifi": "wifi_on", "data": "mobile_data", "bluetooth": "bluetooth_on"}
_STAY_ON = {"true": "15", "false": "0", "ac": "1", "usb": "2", "wireless": "4", "dock": "8"}
_SVC_USAGE = "Available commands:\n    power stayon [true|false|usb|ac|wireless|dock]\n    wifi|data|bluetooth [enable|disable]\n"
_INPUT_USAGE = "Usage: input [<source>] [-d DISPLAY_ID] <command> [<arg>...]\n"
_KEY_S = 5.0
"""InputDispatcher's timeout, after which an app does not respond."""
_SOURCES = ("keyboard", "dpad", "touchscreen", "gamepad", "touchpad", "mouse", "stylus", "trackball")


@command("svc")
async def svc(context: Context) -> int:
    """Switch radios on and off, and set whether it stays awake while plugged in, as global settings."""
    return await announcing(context, lambda: _svc(context))


async def _svc(context: Context) -> int:
    phone = context.phone
    match context.args:
        case [radio, "enable" | "disable" as action] if radio in _RADIOS:
            phone.put_setting("global", _RADIOS[radio], str(int(action == "enable")))
        case ["power", "stayon", kind] if kind in _STAY_ON:
            phone.press("KEYCODE_WAKEUP")
            phone.put_setting("global", "stay_on_while_plugged_in", _STAY_ON[kind])
        case _:
            raise CommandError(_SVC_USAGE, 1)
    return 0


@command("input")
async def input_command(context: Context) -> int:
    """Send key events to the screen and the app in front. Text, taps and swipes have no effect."""
    args = [argument for argument in context.args if argument not in _SOURCES]
    if not args:
        raise CommandError(_INPUT_USAGE, 255)
    if args[0] == "keyevent":
        for key in args[1:]:
            if not key.startswith("--"):
                context.phone.press(key)
                if (app := context.phone.apps.front) is not None:
                    await context.phone.apps.tell(app, f"key {key}", _KEY_S)
    return 0
