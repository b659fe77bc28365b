"""Methods of the platform whose calls the runtime records under reserved method ids (docs/dev/formats.md).

instrumenter/hooks has the same table (Api.java).
"""

from __future__ import annotations

from navitas.parse.tables import Method

FIRST_API = 0x3FFF00
"""The method id of `API_NAMES[0]`; the others follow."""
API_SOURCE = "api"
"""The `source` of the methods."""

API_NAMES = (
    "java.io.FileInputStream#read",
    "java.io.FileOutputStream#write",
    "java.io.FileDescriptor#sync",
    "java.io.RandomAccessFile#read",
    "java.io.RandomAccessFile#write",
    "java.nio.channels.FileChannel#read",
    "java.nio.channels.FileChannel#write",
    "java.nio.channels.FileChannel#transfer",
    "java.nio.channels.FileChannel#force",
    "java.nio.channels.FileChannel#map",
    "java.nio.file.Files#read",
    "java.nio.file.Files#write",
    "java.nio.file.Files#copy",
    "java.net.URL#read",
    "java.net.Socket#connect",
    "java.net.Socket#read",
    "java.net.Socket#write",
    "java.nio.channels.SocketChannel#connect",
    "java.nio.channels.SocketChannel#read",
    "java.nio.channels.SocketChannel#write",
    "java.net.DatagramSocket#receive",
    "java.net.DatagramSocket#send",
    "java.nio.channels.DatagramChannel#receive",
    "java.nio.channels.DatagramChannel#send",
    "java.net.URLConnection#connect",
    "java.net.URLConnection#read",
    "java.net.URLConnection#write",
    "java.sql.Statement#execute",
    "android.database.sqlite.SQLiteDatabase#execute",
    "android.content.SharedPreferences.Editor#commit",
    "android.location.LocationManager#requestLocationUpdates",
    "android.hardware.Camera#open",
    "android.hardware.camera2.CameraManager#setTorchMode",
    "android.bluetooth.BluetoothAdapter#startDiscovery",
    "android.bluetooth.BluetoothDevice#connectGatt",
    "android.media.AudioTrack#play",
    "android.media.MediaPlayer#start",
    "android.hardware.SensorManager#registerListener",
    "android.os.PowerManager.WakeLock#acquire",
    "android.net.wifi.WifiManager.WifiLock#acquire",
    "android.net.wifi.WifiManager#startScan",
)
"""`class#method` of each number of an API call."""


def api_methods(base: int) -> list[Method]:
    """Return the methods, with ids from `base` on."""
    methods = []
    for number, api in enumerate(API_NAMES):
        class_name, _, name = api.partition("#")
        methods.append(Method(base + number, "", class_name, name, "", None, API_SOURCE, is_test_source=False))
    return methods
