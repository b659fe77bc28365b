"""Determine a thread's role from its name and from whether it ran instrumented code."""

from __future__ import annotations

import re
from typing import Final

from navitas.recording.parse.tables import Role

NOT_THE_TESTS: Final[tuple[Role, ...]] = ("profiler", "jit")
"""Roles of threads that do not work for the test. The JIT compiler compiles other code when there are probes."""
PROFILER_PREFIX = "navitas-"
_SAMPLER = "Async-profiler"
"""The thread of async-profiler."""
# Names that HotSpot and ART use. The kernel keeps 15 characters.
_GC = re.compile(
    r"GC Thread#|GC task thread|Gang worker#|ParGC|CMS (Main )?Thread|G1 |Shenandoah |Safepoint Clean|RuntimeWorker#"
    # ZGC; JDK 21 to 23 have the one without generations under the letter X
    r"|[XZ](Director|Driver(Minor|Major)?|Stat|Unmapper)$|[XZ](Worker(Young|Old)?#|Uncommitter(#|$))"
    r"|HeapTaskDaemon|Heap thread poo|GCDaemon$|HeapTrimmerDae"
)
_JIT = re.compile(r"(C[12] CompilerThre|JVMCI(-native)? C|Jit thread pool|profile_saver|Profile Saver)", re.IGNORECASE)
_VM = "VM Thread"
"""HotSpot's thread of VM operations. The serial collector runs in it, and so do parts of each other collector's pauses."""


def role_of(name: str, has_probes: bool) -> Role:
    """Return a thread's role. A thread with probes is an app thread, whatever its name, unless it is the profiler's own."""
    if name.startswith((PROFILER_PREFIX, _SAMPLER)):
        return "profiler"
    if has_probes:
        return "app"
    if _GC.match(name):
        return "gc"
    if _JIT.match(name):
        return "jit"
    if name == _VM:
        return "vm"
    return "system"
