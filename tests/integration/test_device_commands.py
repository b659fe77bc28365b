"""All commands sent to a device are in docs/device-commands.md."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from support.device_commands import ServiceRecorder, documented, simple_commands
from support.lab import Lab

from navitas.collect.battery_sample import pull_history, take_sample
from navitas.collect.doctor import examine

PACKAGE = Path(__file__).parents[2] / "navitas"
_VALUE, _ANYTHING = "\0", "[^|;&]+"
ASKING = {"shell", "stream", "exec_out"}


def _unlisted(commands: set[str]) -> list[str]:
    patterns = documented().values()
    return sorted(command for command in commands if not any(pattern.fullmatch(command) for pattern in patterns))


def test_all_sent_commands_are_documented(lab: Lab) -> None:
    recorder = ServiceRecorder(lab.phone)
    measured = Lab(recorder, lab.bundles, lab.folder)
    measured.profile("*#passes", name="files", prepare=True, radios_off=True, force=True, isolate=True)
    measured.profile("*#passes", name="logcat", transport="logcat", record="both")
    examine(recorder, None)
    take_sample(recorder, "")
    pull_history(recorder, lab.folder / "history.txt")
    sent = simple_commands(recorder.services)
    assert len(sent) > 50
    assert _unlisted(sent) == []


def test_every_command_in_the_source_is_documented() -> None:
    """Commands that are literals in the source. The test above covers the others."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        if "virtual_phone" not in path.relative_to(PACKAGE).parts:
            found |= {text for node in ast.walk(ast.parse(path.read_text())) if (text := _sent(node))}
    assert {"pm list instrumentation", "dumpsys battery"} <= found
    # A placeholder matches any part of a documented command.
    written = {command: _ANYTHING.join(map(re.escape, command.split(_VALUE))) for command in simple_commands(list(found))}
    assert [
        one for one in _unlisted(set(written)) if not any(re.fullmatch(written[one], listed) for listed in documented())
    ] == []


def _sent(node: ast.AST) -> str:
    """The command line of a call such as `device.shell(f"…")`, with placeholders for its values."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ASKING and node.args):
        return ""
    text = node.args[0]
    if isinstance(text, ast.Constant):
        return str(text.value)
    if not isinstance(text, ast.JoinedStr):
        return ""
    parts = [part.value if isinstance(part, ast.Constant) else _value(part) for part in text.values]
    return "".join(map(str, parts))


def _value(part: ast.expr) -> str:
    """The placeholder of a value in the source, or the value of a constant that shapes the command."""
    known = {"{FOLDER}": "files/navitas", "{_FORMAT}": "-v epoch -v usec", "{_ENTRY}": "res/xml/power_profile.xml"}
    known |= {"{CPUFREQ}": "/sys/devices/system/cpu/cpufreq"}
    known |= {"user_flag": ""}  # absent for the first user
    name = ast.unparse(part)
    return next((value for key, value in known.items() if key in name), _VALUE)
