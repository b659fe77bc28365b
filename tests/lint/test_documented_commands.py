"""All commands for a device that are literals in the source are in docs/device-commands.md.

tests/integration/test_device_commands.py compares the others, which are sent.
"""

from __future__ import annotations

import ast
import re

from source_tree import PACKAGE, files, nodes
from support.device_commands import documented, simple_commands, unlisted

_VALUE, _ANYTHING = "\0", "[^|;&]+"
ASKING = {"shell", "stream", "exec_out"}


def test_every_command_in_the_source_is_documented() -> None:
    found = set()
    for path in files(PACKAGE, ".py"):
        if "virtual_phone" not in path.relative_to(PACKAGE).parts:
            found |= {text for node in nodes(path) if (text := _sent(node))}
    assert {"pm list instrumentation", "dumpsys battery"} <= found
    # A placeholder matches any part of a documented command.
    written = {command: _ANYTHING.join(map(re.escape, command.split(_VALUE))) for command in simple_commands(list(found))}
    assert [one for one in unlisted(set(written)) if not any(re.fullmatch(written[one], listed) for listed in documented())] == []


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
