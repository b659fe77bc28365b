"""Histories of batterystats → samples."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.field_data import FIELD_DATA, needs_field_data
from support.fleet_samples import stored

from navitas.base.line_blocks import LineBlock, LineSequence
from navitas.fleet.ingest.checkin import CheckinReader
from navitas.fleet.ingest.ingest_files import ingest
from navitas.fleet.ingest.raw import RowBatch
from navitas.fleet.ingest.source import SourceFile
from navitas.fleet.regression.pairs import ClientSamples, pairs_of

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
        (1700000241, 98, "charging"), (1700000242, 98, None), (1700000405, 97, "discharging"),
    ]  # fmt: skip
    chrome, mail, jobs = "com.android.chrome", "org.example.mail", "org.example.jobs"
    # The job begins in the next second: only the first sample's own second counts for it.
    assert [row["apps"] for row in rows] == [[chrome], [chrome, mail], [mail], [jobs, mail], [], []]
    assert [row["foreground"] for row in rows] == [chrome, chrome, None, None, None, None]
    assert [row["screen"] for row in rows] == [True, False, False, False, None, False]
    assert [row["network"] for row in rows] == ["wifi", "mobile", "mobile", "mobile", None, None]
    assert [row["voltage_mv"] for row in rows] == [4395, 4395, 4300, 4300, None, None]
    assert [row["temperature_c"] for row in rows] == [25.1, 26, 26, 26, None, None]
    assert [row["uptime_s"] for row in rows] == [None, None, None, None, None, 5]
    assert sum((batch.ignored for batch in batches), start=type(batches[0].ignored)()) == {"apps: a number without a name": 1}
    assert "somebody" not in str(rows)


@pytest.mark.parametrize("end", ["10:SHUTDOWN\n9,h,20000:START", "20000:START"])
def test_hours_off_are_no_discharge(end: str, tmp_path: Path) -> None:
    """A history that begins with RESET does not have the uptime before its first restart. Here, the drain is 6 %/h."""
    before, after = ("".join(f"9,h,600000,Bl={level - i}\n" for i in range(6)) for level in (99, 93))
    off = f"9,h,{end}\n9,h,0:TIME:1700018000000\n9,h,9000,Bl=94,Bs=d\n"
    (file := tmp_path / "phone.txt").write_text(f"9,h,0:RESET:TIME:1700000000000\n9,h,0,Bl=100,Bs=d\n{before}{off}{after}")
    list(ingest(tmp_path / "fleet", [file], client="me", now_s=1.79e9))
    rows = stored(tmp_path / "fleet")
    names = "client", "time_s", "level_ppm", "state", "screen", "uptime_s"
    columns = [np.array([-1 if row[name] is None else row[name] for row in rows]) for name in names]
    pairs = pairs_of(ClientSamples(*columns))
    assert pairs.counts.sum() == 12 and pairs.drop_ppm.sum() / pairs.seconds.sum() * 3600 == pytest.approx(60_000)


COUNTED = """9,hsp,0,10216,"com.android.chrome"
9,hsp,1,10110,"org.example.mail:remote"
9,h,0:RESET:TIME:1700000000000
9,h,0,Bl=90,Bs=d,Wsp=compl,Sb=1,-ps,+S,+Epr=1,+Etp=0
9,h,60000,Bl=89
9,h,1500,-S,Wsp=dsc,Pcn=lte,-Etp=0
9,h,58500,Bl=88,Sb=4,+ps
9,h,10000,-Epr=1,+Etp=0
9,h,50000,Bl=87
9,h,1000:*OVERFLOW*
9,h,59000,Bl=86
9,h,60000,+S,Bl=85
9,h,60000,Bl=84
"""


def test_samples_have_exact_times_in_states() -> None:
    """Counters begin with the second sample after the history was cleared."""
    rows, _ = _read(COUNTED)
    assert [row["level"] for row in rows] == [90, 89, 88, 87, 86, 85, 84]
    assert [row["screen_on_s"] for row in rows] == [None, 60, 61.5, 61.5, None, 0, 60]
    assert [row["wifi_s"] for row in rows] == [None, 60, 61.5, 61.5, None, None, None]
    assert [row["mobile_s"] for row in rows] == [None, 0, 58.5, 118.5, None, None, None]
    chrome, mail = "com.android.chrome", "org.example.mail"
    assert [row["foreground_s"] for row in rows[1:4]] == [[f"{chrome}=60.000"], [f"{chrome}=61.500"], [f"{chrome}=111.500"]]
    assert rows[3]["running_s"] == [f"{mail}=130.000", f"{chrome}=111.500"]
    assert [row["running_s"] for row in rows[4:]] == [None, None, None]
    assert [row["brightness"] for row in rows[:4]] == [0.3, 0.3, 0.9, 0.9] and [row["saver"] for row in rows[:3]] == [
        False,
        False,
        True,
    ]


def test_without_processes_running_times_are_unknown() -> None:
    """Most phones record foreground apps and jobs, but no processes."""
    rows, _ = _read(COUNTED.replace("+Epr=1,", "").replace("-Epr=1,", ""))
    assert {row["running_s"] is None for row in rows} == {True} and rows[1]["foreground_s"] == ["com.android.chrome=60.000"]


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
