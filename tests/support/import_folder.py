"""A folder with a power profile and logs, for tests of `navitas import`."""

from __future__ import annotations

from pathlib import Path

COUNTERS = "cpu0 300000 {0} 2266000 {1} ; cpu1 300000 {0} 2266000 {1} ;  EndOfData 0"
PROFILE = """<device name="Android"><item name="cpu.suspend">0</item><item name="cpu.idle">0</item>
<array name="cpu.clusters.cores"><value>2</value></array><item name="cpu.cluster_power.cluster0">0</item>
<array name="cpu.core_speeds.cluster0"><value>300000</value><value>2266000</value></array>
<array name="cpu.core_power.cluster0"><value>10</value><value>100</value></array></device>"""


def log_text(*pids: int) -> str:
    """Return a log of one method of processes with these ids."""
    return "".join(
        f"05-03 10:00:00.{ms} {pid:5d} {pid:5d} D TEST    : {kind} a.B.run TimeInStates {COUNTERS.format(100, ticks)}\n"
        for pid in pids
        for ms, kind, ticks in (("100", "Entry", 50), ("400", "Exit", 80))
    )


def fill_import_folder(folder: Path) -> None:
    """Write the profile and the logs of one process, and of two, into a folder."""
    (folder / "profile.xml").write_text(PROFILE)
    (folder / "SortTest.sort.txt").write_text(log_text(7))
    (folder / "leaky.txt").write_text(log_text(7, 8))


LINE = ["-o", "rec", "--power-profile", "profile.xml", "--year", "2021"]
"""Options to import a log of the folder."""
