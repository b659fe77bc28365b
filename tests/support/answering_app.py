"""An Android app that answers questions about the phone by Android's API, and changes the phone's state by it.

`am broadcast -a ASK --es what 'WORDS'` asks; the answer is in the log, as `Answers: ANSWER`. What the app hears of the phone is
there as `Heard: ACTION EXTRAS`, the changes of its network as `Network: CALLBACK`, those of settings as `Setting: URI`.
"""

from __future__ import annotations

from support.java_sources import java_sources

PERMISSIONS = (
    "ACCESS_NETWORK_STATE", "ACCESS_WIFI_STATE", "CHANGE_WIFI_STATE", "WRITE_SETTINGS", "BLUETOOTH", "BLUETOOTH_ADMIN",
)  # fmt: skip
TARGET_SDK = 28
"""The last one whose apps can switch Wi-Fi."""
SOURCES = java_sources("answers")
