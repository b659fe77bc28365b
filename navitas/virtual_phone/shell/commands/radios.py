"""cmd wifi, cmd bluetooth_manager and cmd connectivity (WifiShellCommand, BluetoothShellCommand, ConnectivityService)."""

from __future__ import annotations

from navitas.virtual_phone.shell.context import Context
from navitas.virtual_phone.system_state import AIRPLANE


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


RADIOS = {"wifi": wifi, "bluetooth_manager": bluetooth, "connectivity": connectivity}
"""The commands by service."""
