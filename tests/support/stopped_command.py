"""A `navitas` that stops at one place, so that a signal meets it there."""

from __future__ import annotations

PROGRAM = """
import importlib, sys, time
from navitas.cli import main
when, function = sys.argv.pop(1).split()
module, names = function.split(":")
owner = importlib.import_module(module)
*outer, name = names.split(".")
for part in outer:
    owner = getattr(owner, part)
original = getattr(owner, name)
def stopped(*arguments, **options):
    setattr(owner, name, original)
    if when == "after":
        original(*arguments, **options)
    print("stopped here", file=sys.stderr, flush=True)
    time.sleep(600)
setattr(owner, name, stopped)
main.main()
"""
"""Arguments: `before` or `after` with a function, such as `after navitas.capture.device.adb:AdbDevice.install`, where the
command stops once, and its own arguments."""
STOPPED = "stopped here"
