"""`dumpsys power`, `display`, `settings`, `connectivity` and `netstats`, abridged: the lines that show the state; and
`dumpsys package`: lines that tools read (Android 14's Settings.dumpPackageLPr).
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping

from navitas.virtual_phone.components.device_state import UseKind
from navitas.virtual_phone.components.network import AirTraffic
from navitas.virtual_phone.identity import FIRST_USER
from navitas.virtual_phone.package import Package
from navitas.virtual_phone.package_manager import PackageManager
from navitas.virtual_phone.system_state import SystemState

NETWORKS = {"wlan0": (100, "WIFI"), "rmnet0": (101, "CELLULAR")}
"""Number and transport of each interface's network. The app's process knows the same numbers (ConnectivityShadow.java)."""
_DARKEST, _BRIGHTEST = 1, 255
_IDENTITIES = {"wlan0": "{type=1, metered=false, defaultNetwork=true}", "rmnet0": "{type=0, metered=true, defaultNetwork=true}"}
_BUCKET_S = 7200
_USER_STATE = "ceDataInode=0 installed=true hidden=false suspended=false stopped=false notLaunched=false enabled=0"


def dump_power(system: SystemState) -> str:
    """Return the text of PowerManagerService."""
    settings, battery = system.settings, system.battery
    locks = system.devices.of(UseKind.WAKE_LOCK)
    lines = [
        "POWER MANAGER (dumpsys power)",
        "",
        "Power Manager State:",
        "  mDirty=0x0",
        f"  mWakefulness={'Awake' if system.screen.awake else 'Asleep'}",
        "  mWakefulnessChanging=false",
        f"  mIsPowered={str(battery.is_plugged).lower()}",
        f"  mPlugType={battery.plug}",
        f"  mBatteryLevel={battery.shown['level']}",
        "  mDeviceIdleMode=false",
        "  mLightDeviceIdleMode=false",
        "",
        "Settings and Configuration:",
        f"  mScreenOffTimeoutSetting={settings['system'].get('screen_off_timeout', '')}",
        f"  mStayOnWhilePluggedInSetting={settings['global'].get('stay_on_while_plugged_in', '0')}",
        "",
        f"Wake Locks: size={len(locks)}",
        *(f"  PARTIAL_WAKE_LOCK              '{lock.name}' (uid={lock.uid} pid={lock.pid})" for lock in locks),
        "",
        "Battery saving stats:",
        f"  Battery Saver is currently: {'ON' if system.is_power_save else 'OFF'}",
    ]
    return "\n".join(lines) + "\n"


def dump_display(system: SystemState) -> str:
    """Return the text of DisplayManagerService. Brightness is from 0 to 1 there (BrightnessSynchronizer)."""
    switches = system.devices.switches
    brightness = max(switches.brightness * _BRIGHTEST - _DARKEST, 0) / (_BRIGHTEST - _DARKEST)
    return (
        f"DISPLAY MANAGER (dumpsys display)\n  mGlobalDisplayState={'ON' if switches.screen_on else 'OFF'}\n"
        f"  mCurrentScreenBrightnessSetting={brightness:.7g}\n"
    )


def dump_settings(system: SystemState) -> str:
    """Return the text of SettingsProvider."""
    text = ""
    number = 0
    for namespace in ("global", "secure", "system"):
        text += f"{namespace.upper()} SETTINGS (user 0)\n"
        for name, value in sorted(system.settings[namespace].items()):
            number += 1
            text += f"_id:{number} name:{name} pkg:android value:{value} default:{value} defaultSystemSet:true\n"
        text += "\n"
    return text


def dump_connectivity(system: SystemState) -> str:
    """Return the networks of ConnectivityService. The phone has no other network than its default one."""
    route = system.devices.switches.route
    if route is None:
        return "Active default network: none\n\nCurrent Networks:\n"
    number, transport = NETWORKS[route]
    return (
        f"Active default network: {number}\n\nCurrent Networks:\n"
        f"  NetworkAgentInfo{{network{{{number}}} lp{{{{InterfaceName: {route}}}}} nc{{[ Transports: {transport}]}}}}\n"
    )


def dump_netstats(traffic_by_uid: Mapping[tuple[int, str], AirTraffic]) -> str:
    """Return the traffic of uids without `lo`, as NetworkStatsService prints it, in one bucket."""
    start_s = int(time.time()) // _BUCKET_S * _BUCKET_S
    lines = ["UID stats:", "  Pending bytes: 0", "  Complete history:"]
    for (uid, interface), traffic in sorted(traffic_by_uid.items()):
        lines.append(f"  ident=[{_IDENTITIES[interface]}] uid={uid} set=DEFAULT tag=0x0")
        lines.append(f"    NetworkStatsHistory: bucketDuration={_BUCKET_S}")
        counts = f"rb={traffic.rx_bytes} rp={traffic.rx_packets} tb={traffic.tx_bytes} tp={traffic.tx_packets} op=0"
        lines.append(f"      st={start_s} {counts}")
    return "\n".join(lines) + "\n"


def dump_packages(packages: PackageManager, name: str) -> str:
    """Return the text of `dumpsys package NAME`, of all packages of the first user, or Android's message for a missing one."""
    if name == "packages":
        chosen = [(package, [FIRST_USER]) for package in packages.all()]
    elif (installed := packages.get_installed(name)) is None:
        return f"Unable to find package: {name}\n"
    else:
        chosen = [(installed, packages.users_of(name))]
    lines = (line for package, users in chosen for line in _package_lines(package, packages.granted(package.name), users))
    return "Packages:\n" + "".join(f"{line}\n" for line in lines)


def _package_lines(package: Package, granted: Mapping[int, Collection[str]], users: Collection[int]) -> list[str]:
    apk = package.apk
    manifest = apk.manifest if apk else None
    debuggable = "DEBUGGABLE " if package.debuggable else ""
    test_only = "TEST_ONLY " if manifest and manifest.test_only else ""
    flags = f"[ {debuggable}HAS_CODE {test_only}ALLOW_CLEAR_USER_DATA ]"
    sdks = f" minSdk={manifest.min_sdk} targetSdk={manifest.target_sdk}" if manifest else ""
    signers = ", ".join(signer[:8] for signer in apk.signing.signers) if apk else ""
    lines = [
        f"  Package [{package.name}] ({package.uid:x}):",
        f"    userId={package.uid}",
        f"    appId={package.uid}",
        f"    pkg=Package{{{package.uid:x} {package.name}}}",
        f"    codePath=/data/app/{package.name}",
        f"    resourcePath=/data/app/{package.name}",
        f"    primaryCpuAbi={manifest.abis[0] if manifest and manifest.abis else 'null'}",
        f"    versionCode={package.version_code}{sdks}",
        f"    versionName={(manifest.version_name if manifest else '') or 'null'}",
        "    splits=[base]",
        f"    apkSigningVersion={apk.signing.scheme if apk else 0}",
        f"    flags={flags}",
        f"    pkgFlags={flags}",
        *(["    privatePkgFlags=[ PROFILEABLE_BY_SHELL ]"] if manifest and manifest.profileable else []),
        f"    dataDir=/data/user/0/{package.name}",
        f"    signatures=PackageSignatures{{{package.uid:x} version:{apk.signing.scheme if apk else 0}, "
        f"signatures:[{signers}], past signatures:[]}}",
    ]
    if manifest and manifest.permissions:
        lines += ["    requested permissions:", *(f"      {permission}" for permission in manifest.permissions)]
    permissions = list(_permissions(granted, users))
    return [
        *lines,
        *(["    install permissions:"] if permissions else []),
        *permissions,
        *(f"    User {user}: {_USER_STATE}" for user in users),
    ]


def _permissions(granted: Mapping[int, Collection[str]], users: Collection[int]) -> Iterator[str]:
    """Yield each permission for the first user, and for others if they differ (Settings.dumpInstallPermissionsLPr)."""
    for name in sorted({name for names in granted.values() for name in names}):
        first = name in granted.get(FIRST_USER, ())
        yield f"      {name}: granted={str(first).lower()}"
        for user in users:
            if (own := name in granted.get(user, ())) != first:
                yield f"      {name}: granted={str(own).lower()}, userId={user}"
