"""Remedies for a package manager's refusal of an APK (AOSP: PackageManager.java, and additions of vendors)."""

from __future__ import annotations

_UNINSTALL = "uninstall it with adb uninstall PACKAGE, which also removes its data"
_REMEDIES = {
    "UPDATE_INCOMPATIBLE": f"the installed package of that name has another signature: {_UNINSTALL}",
    "VERSION_DOWNGRADE": f"a newer version is installed: {_UNINSTALL}",
    "SHARED_USER_INCOMPATIBLE": f"an installed package of the same sharedUserId has another signature: {_UNINSTALL}",
    "DUPLICATE_PERMISSION": "another installed app defines the same permission: uninstall that one",
    "CONFLICTING_PROVIDER": "another installed app has a content provider of the same authority: uninstall that one",
    "INSUFFICIENT_STORAGE": "free space on the device's /data",
    "MEDIA_UNAVAILABLE": "free space on the device's /data",
    "USER_RESTRICTED": "allow it on the phone: developer options, 'Install via USB' (Xiaomi phones need a SIM and an account)",
    "ABORTED": "allow it on the phone: confirm the question on its screen, or check whether Play Protect stopped it",
    "VERIFICATION_FAILURE": "allow it on the phone: Play Protect, or developer options, 'Verify apps over USB'",
    "VERIFICATION_TIMEOUT": "switch 'Verify apps over USB' off in the phone's developer options",
    "TEST_ONLY": "build it without android:testOnly, or install it with adb install -t",
    "OLDER_SDK": "the phone's Android is older than the build's minSdk: lower it, or use a newer phone",
    "NEWER_SDK": "the build's maxSdk is below the phone's Android: raise it",
    "DEPRECATED_SDK_VERSION": "the build's targetSdk is too old for this Android: raise it",
    "NO_MATCHING_ABIS": "the APK has native libraries for other processors: build it for the phone's ABI",
    "CPU_ABI_INCOMPATIBLE": "the APK has native libraries for other processors: build it for the phone's ABI",
    "MISSING_SHARED_LIBRARY": "the phone lacks a library that the manifest uses: use another phone",
    "MISSING_SPLIT": "the build makes split APKs: build a complete one",
    "NO_CERTIFICATES": "the APK's signature does not meet this Android's requirements: sign it with apksigner",
    "INCONSISTENT_CERTIFICATES": "the APK's signatures do not match: build it again",
    "INVALID_APK": "build it again",
    "NOT_APK": "build it again",
    "BAD_MANIFEST": "build it again",
    "MANIFEST_MALFORMED": "build it again",
    "DEXOPT": "free space on the device's /data",
    "DISALLOWED_BY_POLICY": "the phone's administrator forbids it: use another phone",
}


def install_remedy(reason: str) -> str:
    """Return a remedy for the package manager's reason."""
    return next((remedy for code, remedy in _REMEDIES.items() if code in reason), "see the reason above")
