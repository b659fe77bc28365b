"""An Android app that answers questions about the phone by Android's API, and changes the phone's state by it.

`am broadcast -a ASK --es what 'WORDS'` asks; the answer is in the log, as `Answers: ANSWER`. What the app hears of the phone is
there as `Heard: ACTION EXTRAS`, the changes of its network as `Network: CALLBACK`, those of settings as `Setting: URI`.
"""

from __future__ import annotations

PERMISSIONS = (
    "ACCESS_NETWORK_STATE", "ACCESS_WIFI_STATE", "CHANGE_WIFI_STATE", "WRITE_SETTINGS", "BLUETOOTH", "BLUETOOTH_ADMIN",
)  # fmt: skip
TARGET_SDK = 28
"""The last one whose apps can switch Wi-Fi."""
SOURCES = {
    "Answers": """
import android.app.Application;
import android.bluetooth.BluetoothAdapter;
import android.content.*;
import android.net.*;
import android.net.wifi.WifiManager;
import android.os.*;
import android.os.Process;
import android.provider.Settings;
import android.util.Log;
import java.util.concurrent.TimeUnit;
public class Answers extends Application {
    private static final String[] HEARD = {
        Intent.ACTION_BATTERY_CHANGED, Intent.ACTION_BATTERY_LOW, Intent.ACTION_BATTERY_OKAY, Intent.ACTION_POWER_CONNECTED,
        Intent.ACTION_POWER_DISCONNECTED, Intent.ACTION_SCREEN_OFF, Intent.ACTION_SCREEN_ON,
        PowerManager.ACTION_POWER_SAVE_MODE_CHANGED, WifiManager.WIFI_STATE_CHANGED_ACTION,
        ConnectivityManager.CONNECTIVITY_ACTION, Intent.ACTION_AIRPLANE_MODE_CHANGED, BluetoothAdapter.ACTION_STATE_CHANGED,
        BatteryManager.ACTION_CHARGING, BatteryManager.ACTION_DISCHARGING,
    };
    private static volatile long sum;
    @Override public void onCreate() {
        super.onCreate();
        IntentFilter heard = new IntentFilter();
        for (String action : HEARD) heard.addAction(action);
        registerReceiver(new BroadcastReceiver() {
            @Override public void onReceive(Context context, Intent intent) {
                String action = intent.getAction();
                int level = intent.getIntExtra(BatteryManager.EXTRA_LEVEL, -1);
                String kind = isInitialStickyBroadcast() ? " sticky" : "";
                Log.i("Heard", action.substring(action.lastIndexOf('.') + 1) + (level < 0 ? "" : " " + level) + kind);
            }
        }, heard);
        registerReceiver(new BroadcastReceiver() {
            @Override public void onReceive(Context context, Intent intent) {
                String answer;
                try {
                    answer = answer(intent.getStringExtra("what").split(" "));
                } catch (Exception e) {
                    answer = e.getClass().getSimpleName() + ": " + e.getMessage();
                }
                Log.i("Answers", answer);
            }
        }, new IntentFilter("ASK"));
        getSystemService(ConnectivityManager.class).registerDefaultNetworkCallback(new ConnectivityManager.NetworkCallback() {
            @Override public void onAvailable(Network network) { Log.i("Network", "available " + network); }
            @Override public void onLost(Network network) { Log.i("Network", "lost " + network); }
        });
        getSystemService(PowerManager.class).addThermalStatusListener(
            status -> Log.i("Thermal", Thread.currentThread().getName() + " " + status));
        getContentResolver().registerContentObserver(Settings.System.CONTENT_URI, true,
            new android.database.ContentObserver(new Handler(Looper.getMainLooper())) {
                @Override public void onChange(boolean self, Uri uri) { Log.i("Setting", uri.toString()); }
            });
    }
    private String answer(String[] words) throws Exception {
        BatteryManager battery = getSystemService(BatteryManager.class);
        PowerManager power = getSystemService(PowerManager.class);
        ConnectivityManager connectivity = getSystemService(ConnectivityManager.class);
        WifiManager wifi = getSystemService(WifiManager.class);
        BluetoothAdapter bluetooth = BluetoothAdapter.getDefaultAdapter();
        ContentResolver resolver = getContentResolver();
        Network network = connectivity.getActiveNetwork();
        NetworkInfo info = connectivity.getActiveNetworkInfo();
        NetworkCapabilities capabilities = connectivity.getNetworkCapabilities(network);
        Intent sticky = registerReceiver(null, new IntentFilter(Intent.ACTION_BATTERY_CHANGED));
        switch (words[0]) {
            case "capacity": return "" + battery.getIntProperty(BatteryManager.BATTERY_PROPERTY_CAPACITY);
            case "charge": return "" + battery.getIntProperty(BatteryManager.BATTERY_PROPERTY_CHARGE_COUNTER);
            case "energy": return "" + battery.getLongProperty(BatteryManager.BATTERY_PROPERTY_ENERGY_COUNTER);
            case "current": return "" + battery.getIntProperty(BatteryManager.BATTERY_PROPERTY_CURRENT_NOW);
            case "status": return "" + battery.getIntProperty(BatteryManager.BATTERY_PROPERTY_STATUS);
            case "unknown": return battery.getIntProperty(77) + " " + battery.getLongProperty(77);
            case "charging": return "" + battery.isCharging();
            case "extra": return "" + sticky.getExtras().get(words[1]);
            case "share": return "" + sticky.getIntExtra("level", -1) / (float) sticky.getIntExtra("scale", -1);
            case "interactive": return "" + power.isInteractive();
            case "saving": return "" + power.isPowerSaveMode();
            case "idle": return power.isDeviceIdleMode() + " " + power.isDeviceLightIdleMode();
            case "exempt": return "" + power.isIgnoringBatteryOptimizations(getPackageName());
            case "thermal": return "" + power.getCurrentThermalStatus();
            case "hearThermal":
                StringBuilder calls = new StringBuilder();
                PowerManager.OnThermalStatusChangedListener listener = calls::append;
                power.addThermalStatusListener(Runnable::run, listener);
                power.removeThermalStatusListener(listener);
                return calls.toString();
            case "putLong":
                return "" + Settings.System.putString(resolver, "long", new String(new char[5000]).replace((char) 0, 'x'));
            case "lock": power.newWakeLock(PowerManager.PARTIAL_WAKE_LOCK, "answers:lock").acquire(); return "acquired";
            case "wifi": return wifi.isWifiEnabled() + " " + wifi.getWifiState();
            case "setWifi": return "" + wifi.setWifiEnabled(words[1].equals("true"));
            case "bluetooth": return bluetooth.isEnabled() + " " + bluetooth.getState();
            case "setBluetooth": return "" + (words[1].equals("true") ? bluetooth.enable() : bluetooth.disable());
            case "network": return "" + network;
            case "transport":
                return network == null ? info + " " + capabilities : info.getTypeName() + " " + info.isConnected() + " "
                    + capabilities.hasTransport(NetworkCapabilities.TRANSPORT_WIFI) + " "
                    + capabilities.hasCapability(NetworkCapabilities.NET_CAPABILITY_VALIDATED) + " "
                    + connectivity.getLinkProperties(network).getInterfaceName();
            case "metered": return "" + connectivity.isActiveNetworkMetered();
            case "request": case "listen": case "unregister": case "unregisterOther":
                java.util.concurrent.BlockingQueue<String> heard = new java.util.concurrent.LinkedBlockingQueue<>();
                ConnectivityManager.NetworkCallback callback = new ConnectivityManager.NetworkCallback() {
                    @Override public void onAvailable(Network available) { heard.add("available " + available); }
                    @Override public void onUnavailable() { heard.add("unavailable"); }
                };
                if (words[0].equals("request")) {
                    int transport = words[1].equals("WIFI")
                        ? NetworkCapabilities.TRANSPORT_WIFI : NetworkCapabilities.TRANSPORT_CELLULAR;
                    NetworkRequest request = new NetworkRequest.Builder().addTransportType(transport).build();
                    connectivity.requestNetwork(request, callback, Integer.parseInt(words[2]));
                } else if (!words[0].equals("unregisterOther")) {
                    connectivity.registerNetworkCallback(new NetworkRequest.Builder().build(), callback);
                }
                String first = words[0].startsWith("unregister") ? "twice" : heard.poll(20, TimeUnit.SECONDS);
                connectivity.unregisterNetworkCallback(callback);
                connectivity.unregisterNetworkCallback(callback);
                return first;
            case "setting": return Settings.System.getString(resolver, words[1]);
            case "global": return Settings.Global.getString(resolver, words[1]);
            case "int": return "" + Settings.System.getInt(resolver, words[1]);
            case "put": return Settings.System.canWrite(this) + " " + Settings.System.putString(resolver, words[1], words[2]);
            case "putGlobal": return "" + Settings.Global.putInt(resolver, words[1], 1);
            case "traffic": return TrafficStats.getTotalRxBytes() + " " + TrafficStats.getTotalTxBytes();
            case "uidTraffic": return "" + TrafficStats.getUidTxBytes(Process.myUid());
            case "mobileTraffic": return "" + TrafficStats.getMobileTxBytes();
            case "otherTraffic": return "" + TrafficStats.getUidTxBytes(1000);
            case "send":
                try (java.net.Socket socket = new java.net.Socket("127.0.0.1", Integer.parseInt(words[1]))) {
                    socket.getOutputStream().write(new byte[20_000]);
                    return "" + socket.getInputStream().read();
                }
            case "priority":
                Process.setThreadPriority(Integer.parseInt(words[1]));
                return Process.myTid() + " " + Process.getThreadPriority(Process.myTid()) + " " + Process.getThreadPriority(0);
            case "clocks":
                long start = Debug.threadCpuTimeNanos(), process = Process.getElapsedCpuTime();
                long thread = SystemClock.currentThreadTimeMillis();
                while (SystemClock.currentThreadTimeMillis() < thread + 40) sum++;
                long spentMs = (Debug.threadCpuTimeNanos() - start) / 1_000_000;
                return (spentMs >= 39) + " " + (Process.getElapsedCpuTime() - process >= 20) + " " + Process.getElapsedCpuTime();
            case "cost":
                long from = System.nanoTime();
                for (int i = 0; i < 500; i++) battery.getIntProperty(BatteryManager.BATTERY_PROPERTY_CAPACITY);
                return "" + (System.nanoTime() - from) / 500;
            default: return "?";
        }
    }
}""",
    "HearsTest": """
import android.content.*;
import android.os.BatteryManager;
import android.util.Log;
import androidx.test.platform.app.InstrumentationRegistry;
import java.util.concurrent.*;
import org.junit.*;
public class HearsTest {
    @Test public void hears() throws Exception {
        Context app = InstrumentationRegistry.getInstrumentation().getTargetContext();
        CountDownLatch heard = new CountDownLatch(1);
        app.registerReceiver(new BroadcastReceiver() {
            @Override public void onReceive(Context context, Intent intent) {
                Log.i("Hears", "level " + intent.getIntExtra(BatteryManager.EXTRA_LEVEL, -1));
                if (intent.getIntExtra(BatteryManager.EXTRA_LEVEL, -1) == 42) heard.countDown();
            }
        }, new IntentFilter(Intent.ACTION_BATTERY_CHANGED));
        app.getContentResolver().registerContentObserver(android.provider.Settings.System.CONTENT_URI, true,
            new android.database.ContentObserver(null) {
                @Override public void onChange(boolean self) { throw new IllegalStateException("as it must"); }
            });
        Assert.assertEquals(-1, System.in.read());
        Assert.assertTrue(heard.await(120, TimeUnit.SECONDS));
    }
}""",
}
