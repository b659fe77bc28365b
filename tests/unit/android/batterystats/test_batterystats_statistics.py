"""Statistics of batterystats: counters of users, in both forms."""

from __future__ import annotations

import pytest
from support.batterystats_dumps import Dump, read_dump

from navitas.android.batterystats.checkin_statistics import ControllerCounters, read_controller
from navitas.android.batterystats.numbers import parse_bytes, parse_duration_ms, parse_number, parse_uid
from navitas.android.batterystats.statistics import ANY_USE


def _counters(dump: Dump) -> dict[tuple[int, str, str], float]:
    return {(one.uid, one.name, one.tag): one.value for one in dump.reader.statistics.counters}


def test_counters_of_checkin() -> None:
    dump = read_dump(
        "9,0,i,uid,10216,com.android.chrome\n"
        "9,10216,l,nt,1,2,3,4,5,6,7,8,9000,10,11,12,x,14,15\n"
        "9,10217,l,nt,1,2,3\n"
        "9,10216,l,wl,a lock,5,f,1,0,0,0,120,p,3,0,50,120,7,bp,2,0,1,7,0,w,0\n"
        "9,10216,l,wfl,1000,2000,3000,4\n"
        "9,10218,l,cpu,12,1\n9,10216,l,awl,x,1\n9,10216,u,nt,1\n9,10219,l,jb,a,1,2\n9,u0z3,l,nt,1\n9,0,l,pwi,scrn,241,1,0,0\n"
    )
    found = _counters(dump)
    uid = 10216
    assert found[uid, "wifi_rx_bytes", ""] == 3 and found[uid, "mobile_background_rx_bytes", ""] == 15
    assert found[10217, "wifi_rx_bytes", ""] == 3 and (10217, "wifi_tx_bytes", "") not in found
    assert (found[uid, "wake_lock_partial_ms", "a lock"], found[uid, "wake_lock_partial_count", "a lock"]) == (120, 3)
    assert found[uid, "wake_lock_background_partial_ms", "a lock"] == 7 and found[uid, "wifi_scan_count", ""] == 4
    assert found[10218, ANY_USE, ""] and not any(user == 10219 for user, *_ in found)
    assert dump.reader.statistics.packages == [(10216, "com.android.chrome")]
    assert dump.reader.lines.reasons == {"awl: unreadable fields": 1, "unknown form of a user ID": 1}
    assert dump.reader.lines.unused == {
        "statistics of another period: u": 1, "checkin type cpu": 1, "checkin type jb": 1, "checkin type pwi": 1,
    }  # fmt: skip


def test_controller_times_of_checkin() -> None:
    """Android 10 added the charge of the power rails."""
    assert read_controller(["100", "20", "0.0", "0.5", "7"]) == ControllerCounters(100, 20, 7)
    assert read_controller(["1", "2", "0", "10", "20", "30", "0", "1"]) == ControllerCounters(1, 2, 61)
    assert read_controller(["5", "x", "0.0", "0.0", "1"]) == ControllerCounters(5, None, 1)
    assert read_controller(["4"]) == ControllerCounters(4, None, None)


def test_counters_of_text() -> None:
    dump = read_dump(
        "Statistics since last charge:\n"
        "  System starts: 0, currently on battery: false\n"
        "  u0a123:\n"
        "    Mobile network: 1,5KB received, 4B sent (packets 10 received, 8 sent)\n"
        "    Wi-Fi network: 1.08MB received, 137.05KB sent (packets 1234 received, 987 sent)\n"
        "    Mobile radio active: 1m 2s 3ms (20.0%) 3x @ 12 mspp\n"
        "    Wake lock *alarm*: with: colons: 1s 234ms partial (5 times) max=200 actual=900, "
        "30ms background partial (1 times) realtime\n"
        "  u0a124:\n"
        "    Sensor GPS: 3m 4s 5ms realtime (6 times)\n"
        "  u0a125:\n"
        "    Proc com.example:\n"
        "      CPU: 1s 10ms usr + 500ms krn ; 0ms fg\n"
        "  Estimated power use (mAh):\n"
        "    Capacity: 3500, Computed drain: 1987, actual drain: 3150-3185\n"
        "    Uid u0a192: 53.8 ( cpu=53.7 wifi=0.0960 )\n"
        "      (on battery, screen on)\n"
    )
    found, uid = _counters(dump), 10123
    assert found[uid, "mobile_rx_bytes", ""] == 1536 and found[uid, "mobile_tx_bytes", ""] == 4
    assert found[uid, "wifi_rx_bytes", ""] == pytest.approx(1.08 * 1024**2)
    assert found[uid, "wake_lock_partial_ms", "*alarm*: with: colons"] == 1234
    assert found[uid, "wake_lock_background_partial_count", "*alarm*: with: colons"] == 1
    assert found[10124, ANY_USE, ""] and {user for user, *_ in found} == {uid, 10124}
    assert dump.reader.lines.listed == 0


def test_wake_locks_alarms_scans_and_times_of_checkin() -> None:
    """Since Android 8, a wake lock has its whole time, apart from the app's share of the time that several apps held one."""
    dump = read_dump(
        "9,0,l,bt,0,86400000,3600000,90000000,4000000,1700000000000,72000000,1800000,4000,0,0,0\n"
        "9,10216,l,wl,new,5,f,1,0,0,0,120,p,3,0,50,150,7,bp,2,0,1,7,0,w,0,0,0,0\n"
        "9,10216,l,wl,p,0,f,0,10,p,2,w,0\n9,10216,l,wl,last,0,f,0,0,0,0,9,p,1,0,9,-1\n"
        "9,10216,l,wfl,1000,2000,3000,4,0,0,0,3,50,40\n9,10216,l,wua,*walarm*:a,12\n9,10216,l,wua,b\n"
    )
    found, uid = _counters(dump), 10216
    assert (found[-1, "on_battery_ms", ""], found[-1, "on_battery_screen_off_ms", ""]) == (86_400_000, 72_000_000)
    assert (found[uid, "wake_lock_partial_ms", "new"], found[uid, "wake_lock_partial_actual_ms", "new"]) == (120, 150)
    assert found[uid, "wake_lock_background_partial_actual_ms", "new"] == 7
    assert found[uid, "wake_lock_partial_ms", "p"] == 10 and (uid, "wake_lock_partial_actual_ms", "p") not in found
    assert found[uid, "wake_lock_partial_ms", "last"] == 9 and (uid, "wake_lock_partial_actual_ms", "last") not in found
    assert (found[uid, "wifi_scan_count", ""], found[uid, "wifi_scan_background_count", ""]) == (4, 3)
    assert found[uid, "wakeup_alarm_count", "*walarm*:a"] == 12
    assert dump.reader.lines.reasons == {"wua: unreadable fields": 1} and dump.reader.statistics.is_begun


def test_wake_locks_alarms_scans_and_times_of_text() -> None:
    dump = read_dump(
        "Statistics since last charge:\n"
        "  Time on battery: 1h 0m 0s 5ms (50.0%) realtime, 1m 0s 0ms (1.0%) uptime\n"
        "  Time on battery screen off: 30m 0s 0ms (25.0%) realtime, 5s 0ms (0.1%) uptime\n"
        "  Time on battery screen doze: 9ms (0.0%)\n"
        "On battery measured charge stats (microcoulombs) \n"
        ", SubsystemPowerState subsystem_1 name=wlan state_1 name=Active time=1000 count=2\n"
        "  u0a123:\n"
        "    Wifi Scan (blamed): 5s 0ms (0.1%) 12x\n"
        "    Wifi Scan (actual): 7s 0ms (0.1%) 12x\n"
        "    Background Wifi Scan: 3s 0ms (0.1%) 4x\n"
        "    Wake lock one: 1s 0ms partial (5 times) max=200, 30ms background partial (1 times) realtime\n"
        "    Wake lock two: 1s 0ms partial (5 times) max=200 actual=2500 realtime\n"
        "    TOTAL wake: 2s 0ms blamed partial, 3s 1ms actual partial, 20ms actual background partial realtime\n"
        "    Apk com.example:\n"
        "    Apk android:\n"
        "      Wakeup alarm *walarm*:a: b: 12 times\n"
        "Statistics since last unplugged:\n"
        "  Time on battery: 5m 0s 0ms (50.0%) realtime, 1m 0s 0ms (1.0%) uptime\n"
        "  u0a123:\n"
        "    Wake lock one: 9s 0ms partial (5 times) realtime\n"
    )
    found, uid = _counters(dump), 10123
    assert (found[-1, "on_battery_ms", ""], found[-1, "on_battery_screen_off_ms", ""]) == (3_600_005, 1_800_000)
    assert (found[uid, "wifi_scan_count", ""], found[uid, "wifi_scan_background_count", ""]) == (12, 4)
    assert (found[uid, "wake_lock_partial_ms", "one"], found[uid, "wake_lock_partial_actual_ms", "one"]) == (1000, 1000)
    assert found[uid, "wake_lock_partial_actual_ms", "two"] == 2500
    assert found[uid, "wake_lock_all_ms", ""] == 3001
    assert found[uid, "wakeup_alarm_count", "*walarm*:a: b"] == 12
    assert len(dump.reader.statistics.counters) == len(found), "nothing counts twice"
    assert dump.reader.statistics.packages == [(10123, "com.example")] and dump.reader.lines.listed == 0


def test_statistics_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("navitas.android.batterystats.statistics.MOST_ROWS", 2)
    statistics = read_dump("".join(f"9,1,l,wua,a{i},1\n9,0,i,uid,{i},p\n" for i in range(3))).reader.statistics
    assert (len(statistics.counters), len(statistics.packages), statistics.dropped) == (2, 2, 3)


@pytest.mark.parametrize(
    ("text", "uid"),
    [("u0a123", 10123), ("u10a1", 1010001), ("u0i5", 99005), ("u0ai5", 90005), ("u10s1000", 1001000), ("1000", 1000), ("-1", -1),
     ("u0b1", None), ("99999999999", None), ("-7", None), ("", None)],
)  # fmt: skip
def test_user_ids(text: str, uid: int | None) -> None:
    assert parse_uid(text) == uid


def test_numbers_of_any_locale() -> None:
    texts = ("96,6", "96.6", "1,234.5", "1,234,567", "5.", "-3", "1e3", "x", "", "1e999", "--1")
    assert [parse_number(text) for text in texts] == [
        96.6, 96.6, 1234.5, 1234567, 5, -3, 1000, None, None, None, None,
    ]  # fmt: skip
    assert [parse_duration_ms(text) for text in ("1h 2m 3s 4ms", "+1d02h03m04s005ms", "0", "5", "3s x")] == [
        3723004, 93784005, 0, None, None,
    ]  # fmt: skip
    assert [parse_bytes(text) for text in ("0B", "1.5KB", "2MB", "3 GB", "x")] == [0, 1536, 2 << 20, 3 << 30, None]
