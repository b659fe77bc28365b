"""A `navitas` that stops at one place, so that a signal meets it there."""

from __future__ import annotations

PROGRAM = """
import importlib, sys, time
from navitas.cli import main
module, names = sys.argv.pop(1).split(":")
owner = importlib.import_module(module)
*outer, name = names.split(".")
for part in outer:
    owner = getattr(owner, part)
original = getattr(owner, name)
def stopped(*arguments, **options):
    result = original(*arguments, **options)
    print("stopped here", file=sys.stderr, flush=True)
    time.sleep(600)
    return result
setattr(owner, name, stopped)
main.main()
"""
"""Arguments: a function, such as `navitas.device.adb:AdbDevice.install`, after which the command stops, and its own arguments."""
STOPPED = "stopped here"
