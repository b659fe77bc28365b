"""Sources of an app that uses devices, databases and handlers of Android, and of its tests."""

from __future__ import annotations

APP_SOURCES = {
    "Devices": """
import android.app.PendingIntent;
import android.content.*;
import android.database.Cursor;
import android.database.sqlite.*;
import android.hardware.*;
import android.hardware.camera2.*;
import android.location.*;
import android.media.*;
import android.os.*;
import android.bluetooth.*;
import android.bluetooth.le.*;
import android.graphics.SurfaceTexture;
import android.net.wifi.WifiManager;
import android.view.Surface;
import java.io.*;
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.*;
public class Devices {
    private final Context app;
    Devices(Context app) { this.app = app; }
    static void hold() { SystemClock.sleep(200); }
    void locates() {
        LocationManager locations = app.getSystemService(LocationManager.class);
        LocationListener listener = location -> { };
        locations.requestLocationUpdates("gps", 0L, 0f, listener, Looper.getMainLooper());
        hold();
        locations.removeUpdates(listener);
        locations.requestLocationUpdates("network", 0L, 0f, listener, Looper.getMainLooper());
        locations.removeUpdates(listener);
    }
    void replaces() {
        LocationManager locations = app.getSystemService(LocationManager.class);
        LocationListener listener = location -> { };
        locations.requestSingleUpdate("gps", listener, Looper.getMainLooper());
        locations.requestSingleUpdate("gps", listener, Looper.getMainLooper());
        hold();
        locations.removeUpdates(listener);
        locations.removeUpdates(listener);
    }
    void stopsWhatIsOff() {
        LocationManager locations = app.getSystemService(LocationManager.class);
        locations.requestLocationUpdates("network", 0L, 0f, intent());
        locations.removeUpdates(intent());
        locations.requestLocationUpdates("gps", 0L, 0f, intent());
        hold();
        locations.removeUpdates(intent());
        locations.removeUpdates(intent());
        app.getSystemService(BluetoothManager.class).getAdapter().getBluetoothLeScanner().stopScan(new ScanCallback() { });
    }
    private PendingIntent intent() {
        return PendingIntent.getBroadcast(app, 0, new Intent("here"), PendingIntent.FLAG_IMMUTABLE);
    }
    void photographs() throws Exception {
        CameraManager cameras = app.getSystemService(CameraManager.class);
        CountDownLatch closed = new CountDownLatch(1);
        CameraDevice[] opened = new CameraDevice[1];
        cameras.openCamera(cameras.getCameraIdList()[0], app.getMainExecutor(), new CameraDevice.StateCallback() {
            public void onOpened(CameraDevice camera) { opened[0] = camera; }
            public void onClosed(CameraDevice camera) { closed.countDown(); }
            public void onDisconnected(CameraDevice camera) { }
            public void onError(CameraDevice camera, int error) { }
        });
        hold();
        opened[0].close();
    }
    void shines() throws Exception { app.getSystemService(CameraManager.class).setTorchMode("0", true); hold(); }
    void darkens() throws Exception { app.getSystemService(CameraManager.class).setTorchMode("0", false); }
    void measures() {
        SensorManager sensors = app.getSystemService(SensorManager.class);
        Sensor gyroscope = sensors.getDefaultSensor(Sensor.TYPE_GYROSCOPE), light = sensors.getDefaultSensor(Sensor.TYPE_LIGHT);
        SensorEventListener events = new SensorEventListener() {
            public void onSensorChanged(SensorEvent event) { }
            public void onAccuracyChanged(Sensor sensor, int accuracy) { }
        };
        sensors.registerListener(events, gyroscope, SensorManager.SENSOR_DELAY_GAME);
        sensors.registerListener(events, light, SensorManager.SENSOR_DELAY_GAME, new Handler(Looper.getMainLooper()));
        hold();
        sensors.unregisterListener(events, light);
        hold();
        sensors.unregisterListener(events);
    }
    void staysAwake() {
        PowerManager.WakeLock lock = app.getSystemService(PowerManager.class).newWakeLock(1, "devices:sync");
        lock.acquire();
        lock.acquire();
        hold();
        lock.release();
        lock.release();
        lock.acquire(200);
        hold();
        hold();
        if (lock.isHeld()) throw new AssertionError("the lock's timeout has passed");
    }
    void plays() {
        AudioTrack track = new AudioTrack.Builder().setBufferSizeInBytes(4096).build();
        track.play();
        hold();
        track.stop();
        track.release();
    }
    void scans() {
        BluetoothLeScanner scanner = app.getSystemService(BluetoothManager.class).getAdapter().getBluetoothLeScanner();
        ScanCallback callback = new ScanCallback() { };
        scanner.startScan(callback);
        hold();
        scanner.stopScan(callback);
    }
    void playsVideo() throws Exception {
        MediaPlayer player = new MediaPlayer();
        player.setDataSource(new File(app.getFilesDir(), "clip.mp4").getPath());
        player.setSurface(new Surface(new SurfaceTexture(1)));
        player.prepare();
        player.start();
        hold();
        player.pause();
        player.start();
        hold();
        player.release();
    }
    void links() {
        BluetoothDevice sensor = app.getSystemService(BluetoothManager.class).getAdapter().getRemoteDevice("00:11:22:33:AA:BB");
        BluetoothGatt link = sensor.connectGatt(app, false, new BluetoothGattCallback() { });
        hold();
        link.disconnect();
        link.connect();
        hold();
        link.close();
        int transport = BluetoothDevice.TRANSPORT_LE, phy = BluetoothDevice.PHY_LE_1M;
        sensor.connectGatt(app, false, new BluetoothGattCallback() { }, transport, phy).close();
    }
    void locksWifi() {
        WifiManager wifi = app.getSystemService(WifiManager.class);
        WifiManager.WifiLock lock = wifi.createWifiLock(WifiManager.WIFI_MODE_FULL_HIGH_PERF, "devices:radio");
        lock.acquire();
        lock.acquire();
        hold();
        lock.release();
        if (!lock.isHeld()) throw new AssertionError("the lock counts");
        lock.release();
        wifi.startScan();
    }
    int talks() throws IOException {
        InetAddress here = InetAddress.getLoopbackAddress();
        try (ServerSocket server = new ServerSocket(0, 1, here); Socket client = new Socket(here, server.getLocalPort());
                Socket accepted = server.accept()) {
            client.getOutputStream().write(new byte[50]);
            if (accepted.getInputStream().read(new byte[60]) != 50) throw new AssertionError("one packet");
        }
        try (DatagramSocket socket = new DatagramSocket(0, here); DatagramChannel channel = DatagramChannel.open()) {
            channel.bind(new InetSocketAddress(here, 0));
            socket.send(new DatagramPacket(new byte[300], 300, channel.getLocalAddress()));
            ByteBuffer to = ByteBuffer.allocate(500);
            SocketAddress from = channel.receive(to);
            channel.connect(from);
            to.flip();
            channel.write(to);
            DatagramPacket answer = new DatagramPacket(new byte[500], 500);
            socket.receive(answer);
            return answer.getLength();
        }
    }
    int stores() throws Exception {
        SQLiteDatabase database = app.openOrCreateDatabase("devices.db", 0, null);
        database.execSQL("create table notes (name text)");
        database.beginTransaction();
        SQLiteStatement insert = database.compileStatement("insert into notes values ('one')");
        for (int i = 0; i < 3; i++) insert.executeInsert();
        database.setTransactionSuccessful();
        database.endTransaction();
        int rows = 0;
        try (Cursor cursor = database.rawQuery("select * from notes", null)) { while (cursor.moveToNext()) rows++; }
        database.close();
        app.getSharedPreferences("devices", 0).edit().putInt("rows", rows).commit();
        app.getSharedPreferences("devices", 0).edit().putInt("rows", rows).apply();
        return rows;
    }
    int writes() throws IOException {
        try (FileOutputStream out = app.openFileOutput("note.txt", 0)) { out.write(new byte[1000]); out.write(1); }
        try (FileInputStream in = app.openFileInput("note.txt")) { return in.read(new byte[2000]); }
    }
    int posts() throws Exception {
        Handler handler = new Handler(Looper.getMainLooper());
        CountDownLatch ran = new CountDownLatch(2);
        Runnable task = ran::countDown, never = () -> { throw new AssertionError("removed work ran"); };
        handler.post(task);
        handler.postDelayed(task, 20);
        handler.postDelayed(never, 600_000);
        handler.postDelayed(never, 600_000);
        if (!handler.hasCallbacks(never)) throw new AssertionError("posted work is not found");
        handler.removeCallbacks(never);
        if (handler.hasCallbacks(never)) throw new AssertionError("posted work is not removed");
        ran.await(120, TimeUnit.SECONDS);
        return (int) ran.getCount();
    }
}"""
}
TEST_SOURCES = {
    "DevicesTest": """
import androidx.test.platform.app.InstrumentationRegistry;
import org.junit.*;
import org.junit.runners.MethodSorters;
import static org.junit.Assert.*;
@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public class DevicesTest {
    private final Devices devices = new Devices(InstrumentationRegistry.getInstrumentation().getTargetContext());
    @Test public void stops() throws Exception {
        devices.locates();
        devices.photographs();
        devices.shines();
        devices.darkens();
        devices.measures();
        devices.staysAwake();
        devices.plays();
        devices.scans();
        assertEquals(3, devices.stores());
        assertEquals(1001, devices.writes());
        assertEquals(0, devices.posts());
    }
    @Test public void plays() throws Exception {
        devices.playsVideo();
        devices.links();
        devices.locksWifi();
        assertEquals(300, devices.talks());
    }
    @Test public void replaces() { devices.replaces(); }
    @Test public void stopsWhatIsOff() { devices.stopsWhatIsOff(); }
    @Test public void zForgets() throws Exception { devices.shines(); }
}""",
    "MonitorsTest": """
import android.os.SystemClock;
import androidx.test.platform.app.InstrumentationRegistry;
import org.junit.Test;
public class MonitorsTest {
    @Test public void shines() throws Exception {
        Devices devices = new Devices(InstrumentationRegistry.getInstrumentation().getTargetContext());
        devices.shines();
        SystemClock.sleep(1500);
        devices.darkens();
        SystemClock.sleep(1500);
    }
}""",
}
