"""Histories of batterystats → samples."""

from __future__ import annotations

from pathlib import Path

from support.field_data import FIELD_DATA, needs_field_data

from navitas.fleet.ingest.checkin import CheckinReader
from navitas.fleet.ingest.ingest_files import ingest
from navitas.fleet.ingest.raw import RowBatch
from navitas.fleet.ingest.source import SourceFile
from navitas.line_blocks import LineBlock, LineSequence

FIELD = FIELD_DATA / "batterystats"
HISTORY = """9,0,i,vers,36,214,AP1A,AP2A
9,hsp,0,10216,"com.android.chrome"
9,hsp,1,10110,"org.example.mail/.SyncJob"
9,hsp,2,10110,"org.example.mail:remote"
9,hsp,3,10054,"com.example/com.google/somebody@example.com"
9,hsp,4,1000,"@namespace@org.example.jobs/.Job"
9,hsp,5,1001,"*telephony-radio*"
9,h,0:RESET:TIME:1700000000900
9,h,0,Bl=100,Bs=d,Bh=g,Bp=n,Bt=251,Bv=4395,+r,+S,Pcn=lte,+W,Wsp=compl,Etp=0
9,h,50,+Esy=3,+w=5
9,h,100,+Ejb=1
9,h,60000,-S,Wsp=dsc
9,h,60000,Bl=99,Bt=260
9,h,1000,-Etp=0,+Epr=2,-Ejb=1
9,h,59000,Bl=98,Bv=4300
9,h,60000,Bs=c,Bp=u,Ejb=4,Ejb=77
9,h,10:SHUTDOWN
9,h,90000:START
9,h,0:TIME:1700000400000
9,h,5000,Bl=97,Bs=d
"""


def _read(text: str) -> tuple[list[dict[str, object]], list[RowBatch]]:
    lines = text.encode().splitlines()
    reader = CheckinReader("me")
    batches = [reader.read(LineBlock(range(1, len(lines) + 1), LineSequence.join(lines))), reader.end()]
    return [row for batch in batches for row in batch.table.to_pylist()], batches


def test_levels_become_samples() -> None:
    rows, batches = _read(HISTORY)
    assert [(row["time"], row["level"], row["state"]) for row in rows] == [
        (1700000000, 100, "discharging"), (1700000121, 99, "discharging"), (1700000181, 98, "discharging"),
        (1700000241, 98, "charging"), (1700000405, 97, "discharging"),
    ]  # fmt: skip
    chrome, mail, jobs = "com.android.chrome", "org.example.mail", "org.example.jobs"
    # The job begins in the next second: only the first sample's own second counts for it.
    assert [row["apps"] for row in rows] == [[chrome], [chrome, mail], [mail], [jobs, mail], []]
    assert [row["foreground"] for row in rows] == [chrome, chrome, None, None, None]
    assert [row["screen"] for row in rows] == [True, False, False, False, False]
    assert [row["network"] for row in rows] == ["wifi", "mobile", "mobile", "mobile", None]
    assert [row["voltage_mv"] for row in rows] == [4395, 4395, 4300, 4300, None]
    assert [row["temperature_c"] for row in rows] == [25.1, 26, 26, 26, None]
    assert [row["uptime_s"] for row in rows] == [None, None, None, None, 5]
    assert sum((batch.ignored for batch in batches), start=type(batches[0].ignored)()) == {"apps: a number without a name": 1}
    assert "somebody" not in str(rows)


def test_invalid_lines_are_refused() -> None:
    rows, (batch, _) = _read("9,h,5,Bl=50\n9,h,x,Bl=49\n9,h,0:TIME:1700000000000\n9,h,-5,Bl=48\n9,h,99,Bl=47\nother\n")
    assert [one.reason for one in batch.refused] == [
        "time: the history has not reported it yet", "is not a line of a history", "is not a line of a history",
    ]  # fmt: skip
    assert [(row["time"], row["level"]) for row in rows] == [(1700000000, 47)]


@needs_field_data
def test_field_histories(tmp_path: Path) -> None:
    outcomes = {
        one.name: one for one in ingest(tmp_path / "fleet", sorted(FIELD.glob("*checkin*")), client="{name}", now_s=1.79e9)
    }
    assert len(outcomes) == 6 and not any(one.error for one in outcomes.values())
    assert outcomes["batterystats_checkin_v36.txt"].accepted == 1
    # Its clock stands in 1974: the levels are read and refused.
    assert outcomes["TestFixDurationInBatteryLevel.checkin.txt"].refused == {"time: is before 2008": 10}
    assert sum(one.rows for one in outcomes.values()) == 11


@needs_field_data
def test_field_levels() -> None:
    file = SourceFile(FIELD / "TestFixDurationInBatteryLevel.checkin.txt").open()
    reader = CheckinReader("me")
    batches = [*(reader.read(block) for block in file.blocks()), reader.end()]
    assert [row["level"] for batch in batches for row in batch.table.to_pylist()] == [46, 45, 44, 43, 42] * 2
