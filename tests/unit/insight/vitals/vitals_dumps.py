"""Dumps of batterystats and bug reports in the forms of Android 8 to 16, made for tests."""

from __future__ import annotations

import io
import zipfile

HOUR = 3_600_000
DAY = 24 * HOUR
APP, OTHER, SYSTEM = 10_123, 10_124, 1000
TEXT_13 = """Battery History (0% used, 2784 used of 4096KB, 22 strings using 1902):
                    0 (14) RESET:TIME: 2023-11-13-09-54-20
                    0 (1) 096 status=discharging plug=none volt=4354 +running
          +1m00s000ms (2) 096 -running

Statistics since last charge:
  System starts: 0, currently on battery: true
  Time on battery: 1d 0h 0m 0s 0ms (99.9%) realtime, 9h 0m 0s 0ms (37.5%) uptime
  Time on battery screen off: 20h 0m 0s 0ms (83.3%) realtime, 5h 0m 0s 0ms (20.8%) uptime
  Time on battery screen doze: 0ms (0.0%)
  Total run time: 1d 1h 0m 0s 0ms realtime, 9h 0m 0s 0ms uptime

  u0a123:
    Mobile network: 61.00MB received, 2.50MB sent (packets 50000 received, 9000 sent)
    Wi-Fi network: 1.08MB received, 137.05KB sent (packets 1234 received, 987 sent)
    Wifi Running: 0ms (0.0%)
    Full Wifi Lock: 0ms (0.0%)
    Wifi Scan (blamed): 40s 0ms (0.0%) 120x
    Wifi Scan (actual): 1m 30s 0ms (0.1%) 120x
    Background Wifi Scan: 1m 20s 0ms (0.1%) 108x
    Wake lock *alarm*:org.example/.Receiver: 30m 0s 0ms partial (240 times) max=9000 actual=2400000, 20m 0s 0ms background partial (200 times) realtime
    Wake lock org.example:sync: 3h 0m 0s 0ms partial (12 times) max=7200000, 2h 30m 0s 0ms background partial (9 times) realtime
    Wake lock screen lock: 5s 0ms full (1 times) realtime
    TOTAL wake: 5s 0ms full, 3h 30m 0s 0ms blamed partial, 3h 15m 0s 0ms actual partial, 2h 45m 0s 0ms actual background partial realtime
    Apk org.example.app:
      Wakeup alarm *walarm*:org.example.ACTION: with: colons: 250 times
      Wakeup alarm *walarm*:org.example.OTHER: 20 times
      Service org.example.SyncService:
        Created for: 5s 0ms uptime
        Starts: 3, launches: 3
  u0a124:
    Wake lock quiet: 10m 0s 0ms partial (2 times) realtime
    Apk org.other:
      (nothing executed)
  1000:
    Wake lock *telephony-radio*: 9h 0m 0s 0ms partial (900 times) realtime
"""  # noqa: E501
UNPLUGGED = """
Statistics since last unplugged:
  Time on battery: 1h 0m 0s 0ms (99.9%) realtime, 1h 0m 0s 0ms (99.9%) uptime
  u0a123:
    Wake lock org.example:sync: 1h 0m 0s 0ms partial (3 times) realtime
    Apk org.example.app:
      Wakeup alarm *walarm*:org.example.OTHER: 7 times
"""
CHECKIN_16 = f"""9,0,i,vers,36,214,BP2A,BP2A
9,hsp,0,10123,"org.example:sync"
9,h,0:RESET:TIME:1732816430344
9,h,0,Bl=100,Bs=d,Bp=n,+r,+w=0
9,h,60000,-r,-w
9,0,i,uid,10123,org.example.app
9,0,i,uid,10124,org.other
9,0,i,uid,10124,org.other.shared
9,0,l,bt,0,{DAY},{9 * HOUR},{DAY + HOUR},{9 * HOUR},1732816430344,{20 * HOUR},{5 * HOUR},4000,0,0,0
9,10123,l,nt,70000000,2500000,1100000,140000,50000,9000,1234,987,9000,10,0,0,3,4,60000000,1000000,900000,90000,1,2,3,4
9,10123,l,wfl,0,40000000,0,120,0,0,0,108,90000,80000
9,10123,l,wl,*alarm*:org.example/.Receiver,0,f,0,0,0,0,1800000,p,240,0,9000,2400000,1200000,bp,200,0,9000,1200000,0,w,0,0,0,0
9,10123,l,wl,org.example:sync,0,f,0,0,0,0,10800000,p,12,0,7200000,10800000,9000000,bp,9,0,7200000,9000000,0,w,0,0,0,0
9,10123,l,awl,11700000,9900000
9,10123,l,wua,*walarm*:org.example.ACTION: with: colons,250
9,10123,l,wua,*walarm*:org.example.OTHER,20
9,10124,l,wl,quiet,0,f,0,0,0,0,600000,p,2,0,400000,600000,0,bp,0,0,0,0,0,w,0,0,0,0
9,10124,l,awl,600000,0
9,1000,l,wl,*telephony-radio*,0,f,0,0,0,0,32400000,p,900,0,40000,32400000,0,bp,0,0,0,0,0,w,0,0,0,0
"""
RULE = "-" * 79
HEAD = f"{'=' * 56}\n== dumpstate: 2024-11-28 19:33:50\n{'=' * 56}\n\nBuild: BP2A\nUptime: up 0 weeks\n"
OTHER_SERVICE = f"{RULE}\nDUMP OF SERVICE HIGH meminfo:\n  u0a123:\n    Wake lock fake: 9h 0m 0s 0ms partial (9 times) realtime\n"
END = f"{'=' * 56}\n== dumpstate: done (id 1)\n{'=' * 56}\n"


def text_section(dump: str = TEXT_13) -> str:
    """A section with a text dump."""
    ending = "--------- 0.123s was the duration of dumpsys batterystats, ending at: 2024-11-28 19:34:00\n"
    return f"{RULE}\nDUMP OF SERVICE batterystats:\n{dump}{ending}"


def checkin_section(dump: str = CHECKIN_16) -> str:
    """A section with a dump in checkin form."""
    command = "CHECKIN BATTERYSTATS (/system/bin/dumpsys -T 30000 batterystats -c)"
    return f"------ {command} ------\n{dump}------ 0.456s was the duration of 'CHECKIN BATTERYSTATS' ------\n"


def bugreport(*sections: str, end: str = END) -> str:
    """A bug report with these sections between those of other services."""
    return HEAD + OTHER_SERVICE + "".join(sections) + OTHER_SERVICE + end


def zipped(text: str, name: str = "bugreport-panther-BP2A-2024-11-28-19-33-50.txt") -> bytes:
    """A zip file as `adb bugreport` writes it."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("version.txt", "2.0")
        archive.writestr("main_entry.txt", name)
        archive.writestr("dumpstate_log.txt", "log" * 100_000)
        archive.writestr(name, text)
    return data.getvalue()
