"""Methods of the platform whose calls the runtime records under reserved method ids (docs/dev/formats.md).

instrumenter/hooks has the same table (Api.java).
"""

from __future__ import annotations

from navitas.recording.parse.hook_calls import HookKind
from navitas.recording.parse.tables import Method

FIRST_API = 0x3FFF00
"""The method id of `APIS[0]`; the others follow."""
API_SOURCE = "api"
"""The `source` of the methods."""

APIS = (
    ("java.io.FileInputStream#read", HookKind.FILE_READ),
    ("java.io.FileOutputStream#write", HookKind.FILE_WRITE),
    ("java.io.FileDescriptor#sync", HookKind.FILE_SYNC),
    ("java.io.RandomAccessFile#read", HookKind.FILE_READ),
    ("java.io.RandomAccessFile#write", HookKind.FILE_WRITE),
    ("java.nio.channels.FileChannel#read", HookKind.FILE_READ),
    ("java.nio.channels.FileChannel#write", HookKind.FILE_WRITE),
    ("java.nio.channels.FileChannel#transfer", HookKind.FILE_WRITE),
    ("java.nio.channels.FileChannel#force", HookKind.FILE_SYNC),
    ("java.nio.channels.FileChannel#map", HookKind.FILE_READ),
    ("java.nio.file.Files#read", HookKind.FILE_READ),
    ("java.nio.file.Files#write", HookKind.FILE_WRITE),
    ("java.nio.file.Files#copy", HookKind.FILE_WRITE),
    ("java.net.URL#read", HookKind.FILE_READ),
    ("java.net.Socket#connect", HookKind.NET_WRITE),
    ("java.net.Socket#read", HookKind.NET_READ),
    ("java.net.Socket#write", HookKind.NET_WRITE),
    ("java.nio.channels.SocketChannel#connect", HookKind.NET_WRITE),
    ("java.nio.channels.SocketChannel#read", HookKind.NET_READ),
    ("java.nio.channels.SocketChannel#write", HookKind.NET_WRITE),
    ("java.net.DatagramSocket#receive", HookKind.NET_READ),
    ("java.net.DatagramSocket#send", HookKind.NET_WRITE),
    ("java.nio.channels.DatagramChannel#receive", HookKind.NET_READ),
    ("java.nio.channels.DatagramChannel#send", HookKind.NET_WRITE),
    ("java.net.URLConnection#connect", HookKind.NET_WRITE),
    ("java.net.URLConnection#read", HookKind.NET_READ),
    ("java.net.URLConnection#write", HookKind.NET_WRITE),
    ("java.sql.Statement#execute", HookKind.DATABASE),
    ("android.database.sqlite.SQLiteDatabase#execute", HookKind.DATABASE),
    ("android.content.SharedPreferences.Editor#commit", HookKind.PREFERENCES),
    ("android.location.LocationManager#requestLocationUpdates", HookKind.GNSS),
    ("android.hardware.Camera#open", HookKind.CAMERA),
    ("android.hardware.camera2.CameraManager#setTorchMode", HookKind.FLASHLIGHT),
    ("android.bluetooth.BluetoothAdapter#startDiscovery", HookKind.BLUETOOTH_SCAN),
    ("android.bluetooth.BluetoothDevice#connectGatt", HookKind.BLUETOOTH_LINK),
    ("android.media.AudioTrack#play", HookKind.AUDIO),
    ("android.media.MediaPlayer#start", HookKind.AUDIO),
    ("android.hardware.SensorManager#registerListener", HookKind.SENSOR),
    ("android.os.PowerManager.WakeLock#acquire", HookKind.WAKE_LOCK),
    ("android.net.wifi.WifiManager.WifiLock#acquire", HookKind.WIFI_LOCK),
    ("android.net.wifi.WifiManager#startScan", HookKind.WIFI_SCAN),
    ("android.content.SharedPreferences.Editor#apply", HookKind.PREFERENCES),
    ("android.location.LocationManager#removeUpdates", HookKind.GNSS),
    ("android.hardware.Camera#release", HookKind.CAMERA),
    ("android.hardware.camera2.CameraManager#openCamera", HookKind.CAMERA),
    ("android.hardware.camera2.CameraDevice#close", HookKind.CAMERA),
    ("android.bluetooth.BluetoothAdapter#cancelDiscovery", HookKind.BLUETOOTH_SCAN),
    ("android.bluetooth.le.BluetoothLeScanner#startScan", HookKind.BLUETOOTH_SCAN),
    ("android.bluetooth.le.BluetoothLeScanner#stopScan", HookKind.BLUETOOTH_SCAN),
    ("android.bluetooth.BluetoothGatt#close", HookKind.BLUETOOTH_LINK),
    ("android.media.AudioTrack#stop", HookKind.AUDIO),
    ("android.media.MediaPlayer#stop", HookKind.AUDIO),
    ("android.hardware.SensorManager#unregisterListener", HookKind.SENSOR),
    ("android.os.PowerManager.WakeLock#release", HookKind.WAKE_LOCK),
    ("android.net.wifi.WifiManager.WifiLock#release", HookKind.WIFI_LOCK),
)
"""`class#method` of each number of an API call, and what it uses. A transfer counts as a write."""


def api_methods(base: int) -> list[Method]:
    """Return the methods, with ids from `base` on."""
    methods = []
    for number, (api, kind) in enumerate(APIS):
        class_name, _, name = api.partition("#")
        methods.append(
            Method(base + number, "", class_name, name, "", None, API_SOURCE, is_test_source=False, api_kind=int(kind))
        )
    return methods
