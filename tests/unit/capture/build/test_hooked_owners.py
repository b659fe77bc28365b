"""The classes of Android through which an app's activities, services and fragments inherit what sends."""

from __future__ import annotations

from pathlib import Path

HOOKS = Path(__file__).parents[4] / "instrumenter/hooks/hooks.txt"


def owners_of(method: str) -> list[set[str]]:
    lines = (line.split() for line in HOOKS.read_text("utf-8").splitlines() if line.startswith("inherited "))
    return [set(owners.split(",")) for _, owners, name, *_ in lines if name == method]


def test_calls_of_contexts_have_the_same_owners() -> None:
    """An activity of settings and a service that listens to notifications inherit from a class below Activity and Service."""
    methods = ("startActivity", "startService", "sendBroadcast", "bindService", "registerReceiver")
    of_contexts = [owners for method in methods for owners in owners_of(method) if "android.content.Context" in owners]
    assert len(of_contexts) >= 10 and all(owners == of_contexts[0] for owners in of_contexts)
    assert {"android.preference.PreferenceActivity", "android.app.TabActivity"} <= of_contexts[0]
    assert "android.service.notification.NotificationListenerService" in of_contexts[0]
    assert all("android.preference.PreferenceActivity" in owners for owners in owners_of("setResult"))
