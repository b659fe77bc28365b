"""svc (radios, stay awake), cmd wifi, cmd bluetooth_manager, cmd connectivity, and input."""

from __future__ import annotations

import re
from urllib.parse import quote

from navitas.virtual_phone.shell.commands.command_options import to_int
from navitas.virtual_phone.shell.context import Context, command
from navitas.virtual_phone.shell.state import CommandError
from navitas.virtual_phone.system_state import AIRPLANE, RADIOS

_STAY_ON = {"true": "15", "false": "0", "ac": "1", "usb": "2", "wireless": "4", "dock": "8"}
_SVC_USAGE = "Available commands:\n    power stayon [true|false|usb|ac|wireless|dock]\n    wifi|data|bluetooth [enable|disable]\n"
_INPUT_USAGE = "Usage: input [<source>] [-d DISPLAY_ID] <command> [<arg>...]\n"
_KEY_S = 5.0
"""InputDispatcher's timeout, after which an app does not respond."""
_ENDS = 4
_SWIPE_MS = 300
_LONGEST_SWIPE_MS = 600_000
_NUMBER = re.compile(r"-?\d{1,6}(?:\.\d{1,6})?")
_SOURCES = ("keyboard", "dpad", "touchscreen", "gamepad", "touchpad", "mouse", "stylus", "trackball")


@command("svc")
async def svc(context: Context) -> None:
    """Switch radios on and off, and set whether it stays awake while plugged in, as global settings."""
    system = context.phone.system
    match context.args:
        case [radio, "enable" | "disable" as action] if radio in RADIOS:
            system.switch_radio(radio, action == "enable")
        case ["power", "stayon", kind] if kind in _STAY_ON:
            system.press("KEYCODE_WAKEUP")
            system.put_setting("global", "stay_on_while_plugged_in", _STAY_ON[kind])
        case _:
            raise CommandError(_SVC_USAGE, 1)


@command("input")
async def input_command(context: Context) -> None:
    """Send keys to the screen and the app in front, and taps, swipes and text to the app in front."""
    args = [argument for argument in context.args if argument not in _SOURCES]
    if not args:
        raise CommandError(_INPUT_USAGE, 255)
    match args:
        case ["keyevent", *keys]:
            for key in keys:
                if not key.startswith("--"):
                    context.phone.system.press(key)
                    await _request(context, f"key {key}")
        case ["tap", x, y]:
            await _swipe(context, [x, y, x, y], 0)
        case ["swipe", *ends] if len(ends) in (_ENDS, _ENDS + 1):
            await _swipe(context, ends[:_ENDS], to_int(ends[_ENDS]) if len(ends) > _ENDS else _SWIPE_MS)
        case ["text", text]:
            await _request(context, f"text {quote(text.replace('%s', ' '), errors='surrogateescape')}")
        case ["tap" | "swipe" | "text", *_]:
            raise CommandError(f"Error: Invalid arguments for command: {args[0]}", 255)


async def _swipe(context: Context, ends: list[str], duration_ms: int) -> None:
    if not 0 <= duration_ms <= _LONGEST_SWIPE_MS or not all(map(_NUMBER.fullmatch, ends)):
        raise CommandError(f"Error: Invalid arguments: {' '.join(ends)}", 255)
    await _request(context, f"swipe {' '.join(ends)} {duration_ms}", duration_ms / 1000)


async def _request(context: Context, request: str, more_s: float = 0.0) -> None:
    if (app := context.phone.apps.front) is not None:
        await context.phone.apps.tell(app, request, _KEY_S + more_s)


async def wifi(context: Context, args: list[str]) -> int:
    """Switch Wi-Fi, report its state, or scan (WifiShellCommand)."""
    phone = context.phone
    match args:
        case ["set-wifi-enabled", "enabled" | "disabled" as value]:
            phone.system.switch_radio("wifi", value == "enabled")
        case ["status"]:
            state = "enabled" if phone.state.switches.wifi_on else "disabled"
            await context.out(f"Wifi is {state}\n")
        case ["start-scan"]:
            phone.state.start_wifi_scan()
        case _:
            await context.out("No shell command implementation.\n" if not args else f"Unknown command: {args[0]}\n")
            return 255
    return 0


async def bluetooth(context: Context, args: list[str]) -> int:
    """Switch Bluetooth, or wait until it is switched (BluetoothShellCommand)."""
    phone = context.phone
    match args:
        case ["enable" | "disable" as action]:
            phone.system.switch_radio("bluetooth", action == "enable")
            await context.out(f"{action.title().removesuffix('e')}ing Bluetooth\n")
        case ["wait-for-state:STATE_ON" | "wait-for-state:STATE_OFF" as wait]:
            if phone.state.switches.bluetooth_on != wait.endswith("_ON"):
                await context.out(f"{wait}: Failed with status=-1\n")
                return 255
            await context.out(f"{wait}: Success\n")
        case _:
            await context.out(f"Unknown command: {args[0] if args else ''}\n")
            return 255
    return 0


async def connectivity(context: Context, args: list[str]) -> int:
    """Switch airplane mode, or report it (ConnectivityService.ShellCmd)."""
    system = context.phone.system
    match args:
        case ["airplane-mode", "enable" | "disable" as action]:
            system.put_setting("global", AIRPLANE, str(int(action == "enable")))
        case ["airplane-mode"]:
            await context.out("enabled\n" if system.settings["global"].get(AIRPLANE) == "1" else "disabled\n")
        case _:
            await context.out("Connectivity service commands:\n  airplane-mode [enable|disable]\n")
            return 255
    return 0


RADIO_SERVICES = {"wifi": wifi, "bluetooth_manager": bluetooth, "connectivity": connectivity}
"""The commands by service."""
