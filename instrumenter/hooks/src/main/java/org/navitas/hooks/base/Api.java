package org.navitas.hooks.base;

/**
 * The numbers of the methods that calls of the platform appear as in a recording. {@code navitas/recording/parse/apis.py}
 * has the same table. A number never changes its meaning. The compiler inlines them, so the jar does not contain this
 * class.
 */
public final class Api {
    public static final int FILE_READ = 0; // java.io.FileInputStream#read
    public static final int FILE_WRITE = 1; // java.io.FileOutputStream#write
    public static final int FILE_SYNC = 2; // java.io.FileDescriptor#sync
    public static final int RANDOM_READ = 3; // java.io.RandomAccessFile#read
    public static final int RANDOM_WRITE = 4; // java.io.RandomAccessFile#write
    public static final int CHANNEL_READ = 5; // java.nio.channels.FileChannel#read
    public static final int CHANNEL_WRITE = 6; // java.nio.channels.FileChannel#write
    public static final int CHANNEL_TRANSFER = 7; // java.nio.channels.FileChannel#transfer
    public static final int CHANNEL_FORCE = 8; // java.nio.channels.FileChannel#force
    public static final int CHANNEL_MAP = 9; // java.nio.channels.FileChannel#map
    public static final int FILES_READ = 10; // java.nio.file.Files#read
    public static final int FILES_WRITE = 11; // java.nio.file.Files#write
    public static final int FILES_COPY = 12; // java.nio.file.Files#copy
    public static final int URL_FILE_READ = 13; // java.net.URL#read
    public static final int SOCKET_CONNECT = 14; // java.net.Socket#connect
    public static final int SOCKET_READ = 15; // java.net.Socket#read
    public static final int SOCKET_WRITE = 16; // java.net.Socket#write
    public static final int NET_CHANNEL_CONNECT = 17; // java.nio.channels.SocketChannel#connect
    public static final int NET_CHANNEL_READ = 18; // java.nio.channels.SocketChannel#read
    public static final int NET_CHANNEL_WRITE = 19; // java.nio.channels.SocketChannel#write
    public static final int DATAGRAM_RECEIVE = 20; // java.net.DatagramSocket#receive
    public static final int DATAGRAM_SEND = 21; // java.net.DatagramSocket#send
    public static final int DATAGRAMS_RECEIVE = 22; // java.nio.channels.DatagramChannel#receive
    public static final int DATAGRAMS_SEND = 23; // java.nio.channels.DatagramChannel#send
    public static final int URL_CONNECT = 24; // java.net.URLConnection#connect
    public static final int URL_READ = 25; // java.net.URLConnection#read
    public static final int URL_WRITE = 26; // java.net.URLConnection#write
    public static final int STATEMENT = 27; // java.sql.Statement#execute
    public static final int SQLITE = 28; // android.database.sqlite.SQLiteDatabase#execute
    public static final int PREFERENCES = 29; // android.content.SharedPreferences.Editor#commit
    public static final int GNSS = 30; // android.location.LocationManager#requestLocationUpdates
    public static final int CAMERA = 31; // android.hardware.Camera#open
    public static final int FLASHLIGHT = 32; // android.hardware.camera2.CameraManager#setTorchMode
    public static final int BLUETOOTH_SCAN = 33; // android.bluetooth.BluetoothAdapter#startDiscovery
    public static final int BLUETOOTH_LINK = 34; // android.bluetooth.BluetoothDevice#connectGatt
    public static final int AUDIO = 35; // android.media.AudioTrack#play
    public static final int MEDIA = 36; // android.media.MediaPlayer#start
    public static final int SENSOR = 37; // android.hardware.SensorManager#registerListener
    public static final int WAKE_LOCK = 38; // android.os.PowerManager.WakeLock#acquire
    public static final int WIFI_LOCK = 39; // android.net.wifi.WifiManager.WifiLock#acquire
    public static final int WIFI_SCAN = 40; // android.net.wifi.WifiManager#startScan
    public static final int PREFERENCES_APPLY = 41; // android.content.SharedPreferences.Editor#apply
    public static final int GNSS_STOP = 42; // android.location.LocationManager#removeUpdates
    public static final int CAMERA_STOP = 43; // android.hardware.Camera#release
    public static final int CAMERA_OPEN = 44; // android.hardware.camera2.CameraManager#openCamera
    public static final int CAMERA_CLOSE = 45; // android.hardware.camera2.CameraDevice#close
    public static final int BLUETOOTH_SCAN_STOP = 46; // android.bluetooth.BluetoothAdapter#cancelDiscovery
    public static final int BLUETOOTH_LE_SCAN = 47; // android.bluetooth.le.BluetoothLeScanner#startScan
    public static final int BLUETOOTH_LE_STOP = 48; // android.bluetooth.le.BluetoothLeScanner#stopScan
    public static final int BLUETOOTH_LINK_STOP = 49; // android.bluetooth.BluetoothGatt#close
    public static final int AUDIO_STOP = 50; // android.media.AudioTrack#stop
    public static final int MEDIA_STOP = 51; // android.media.MediaPlayer#stop
    public static final int SENSOR_STOP = 52; // android.hardware.SensorManager#unregisterListener
    public static final int WAKE_LOCK_STOP = 53; // android.os.PowerManager.WakeLock#release
    public static final int WIFI_LOCK_STOP = 54; // android.net.wifi.WifiManager.WifiLock#release

    private Api() {}
}
