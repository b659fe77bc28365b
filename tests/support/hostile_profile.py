"""A small profile in which every name contains code that tries to break out of a page."""

from __future__ import annotations

from navitas.energy.analyze.profile import About, Profile
from navitas.energy.analyze.records import Notice
from navitas.recording.parse.tables import Method, MethodTable
from support.ledger_maker import NodeSpec, TestSpec, ThreadSpec, made_ledger

HOSTILE = (
    "</script><script>document.title='taken'</script>",
    '"><img src=x onerror="document.title=1">',
    "</template></style><iframe src=//example.org></iframe><!--<script>",
    "\u202egro.live & <b>bo\u2028ld</b>\x00 &lt;i&gt;]]>",
)


def hostile_profile() -> Profile:
    """Return a profile with such names of tests, threads, methods, files, warnings, the project and the device."""
    methods = MethodTable(
        tuple(
            Method(i, ":", f"a.{HOSTILE[i % 4]}", f"m{i}{HOSTILE[(i + 1) % 4]}", "()V", i, "main", False, HOSTILE[2])
            for i in range(8)
        ),
        {},
    )
    tests = [
        TestSpec(
            class_name=f"a.B{HOSTILE[number]}",
            method=HOSTILE[(number + 1) % 4],
            repeat=0,
            threads=(
                ThreadSpec(
                    1,
                    HOSTILE[number],
                    5.0 + number,
                    cpu_ns=9,
                    nodes=(NodeSpec(-1, number, 1, 1.0), NodeSpec(0, number + 4, 10, 2.0 + number)),
                ),
                ThreadSpec(2, f"worker {HOSTILE[0]}", 1.0, role=HOSTILE[1], count=3, cpu_ns=4),
            ),
            status=HOSTILE[3] if number == 3 else "passed",
            base_j=1.0,
        )
        for number in range(4)
    ]
    about = About(
        project=HOSTILE[0],
        device={"kind": "phone", "model": HOSTILE[1]},
        settings={"repeat": 1},
        power_profile={"name": HOSTILE[2], "voltage_source": HOSTILE[3]},
        battery_mah=3000.0,
        voltage_v=4.0,
        created_utc=HOSTILE[0],
        provenance={"navitas_version": HOSTILE[1]},
    )
    notices = [Notice("lost", f"lost {text}", f"remedy {text}") for text in HOSTILE]
    return Profile(made_ledger(tests, methods), about, notices)
