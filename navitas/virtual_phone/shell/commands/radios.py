"""cmd wifi and cmd bluetooth_manager (WifiShellCommand, BluetoothShellCommand)."""

from __future__ import annotations

from navitas.virtual_phone.shell.context import Context


async def wifi(context: Context, args: list[str]) -> int:
    """Switch Wi-Fi, report its state, or scan (WifiShellCommand)."""
    phone = context.phone
    match args:
        case ["set-wifi-enabled", "enabled" | "disabled" as value]:
            phone.put_setting("global", "wifi_on", str(int(value == "enabled")))
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
            phone.put_setting("global", "bluetooth_on", str(int(action == "enable")))
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


RADIOS = {"wifi": wifi, "bluetooth_manager": bluetooth}
"""The commands by service."""
