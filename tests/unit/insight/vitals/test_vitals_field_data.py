"""Sums of wake locks and alarms are those of an independent reader, in every dump of real phones and in made ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from plain_reader import history_sums, statistics_sums
from support.field_data import FIELD_DATA, NO_FIELD_DATA
from vitals_dumps import CHECKIN_16, TEXT_13, UNPLUGGED

from navitas.insight.vitals.device_use import DeviceUse
from navitas.insight.vitals.dump_use import read_dump_use

FILES = sorted(FIELD_DATA.glob("batterystats/*")) + sorted(FIELD_DATA.glob("monsoon/series/*_history.txt"))


def _check_history(use: DeviceUse, text: str) -> None:
    ms, counts = history_sums(text)
    state = "wake_lock_in" if any(key[0] == "wake_lock_in" for key in counts) else "wake_lock"
    found = {(lock.uid, lock.tag): (lock.all_ms, lock.count) for one in use.uids for lock in one.locks}
    assert found == {key[1:]: (ms[key], count) for key, count in counts.items() if key[0] == state}
    alarms = {(alarm.uid, alarm.tag): alarm.all_count for one in use.uids for alarm in one.alarms}
    assert alarms == {key[1:]: count for key, count in counts.items() if key[0] == "alarm" and key[2].startswith("*walarm*")}


@pytest.mark.skipif(not FILES, reason=NO_FIELD_DATA)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_history_of_a_real_phone(path: Path) -> None:
    use, _ = read_dump_use(path)
    assert use.source == "history"
    _check_history(use, path.read_text("utf-8"))


@pytest.mark.skipif(not FILES, reason=NO_FIELD_DATA)
def test_real_phones_have_wake_locks_and_alarms() -> None:
    """Otherwise, equal sums mean nothing."""
    use, warnings = read_dump_use(FIELD_DATA / "batterystats/text_pixel_bats.log")
    assert sum(len(one.locks) for one in use.uids) == 45 and sum(len(one.alarms) for one in use.uids) == 5
    assert {one.code for one in warnings} >= {"no_statistics"}
    use, _ = read_dump_use(FIELD_DATA / "batterystats/TestWakeupReasonParsing.checkin.txt")
    assert {lock.tag for one in use.uids for lock in one.locks} >= {"bluetooth_timer", "GCM_READ"}


@pytest.mark.parametrize("text", [TEXT_13, TEXT_13 + UNPLUGGED, CHECKIN_16], ids=["text", "text-9", "checkin"])
def test_the_statistics_of_a_made_dump(text: str, tmp_path: Path) -> None:
    path = tmp_path / "dump"
    path.write_text(text)
    use, _ = read_dump_use(path)
    locks, alarms = statistics_sums(text)
    assert use.source == "statistics" and len(locks) == 4 and len(alarms) == 2
    found = {(lock.uid, lock.tag): lock.held_ms for one in use.uids for lock in one.locks}
    assert found == {**locks, (10_123, "*alarm*:org.example/.Receiver"): 2_400_000}  # its whole time
    assert {(alarm.uid, alarm.tag): alarm.count for one in use.uids for alarm in one.alarms} == alarms
