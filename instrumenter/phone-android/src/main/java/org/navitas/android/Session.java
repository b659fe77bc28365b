package org.navitas.android;

import org.junit.Test;
import org.navitas.phone.android.shared.FrameworkTask;
import org.robolectric.annotation.Config;
import org.robolectric.annotation.GraphicsMode;
import org.robolectric.annotation.LooperMode;

/** The only test that Robolectric runs: the app's whole life. */
@Config(
        sdk = 33,
        shadows = {
            ActivityShadow.class,
            AlarmShadow.class,
            AudioTrackShadow.class,
            BatteryShadow.class,
            BleScannerShadow.class,
            BluetoothDeviceShadow.class,
            BluetoothGattShadow.class,
            BluetoothShadow.class,
            CameraDeviceShadow.class,
            CameraManagerShadow.class,
            ClockShadow.class,
            ConnectivityShadow.class,
            ContextShadow.class,
            DebugShadow.class,
            IntentServiceShadow.class,
            JobSchedulerShadow.class,
            JobServiceShadow.class,
            KeyCharacterMapShadow.class,
            LocationShadow.class,
            LogShadow.class,
            MediaPlayerShadow.class,
            MessageQueueShadow.class,
            PendingIntentShadow.class,
            PowerManagerShadow.class,
            ProcessShadow.class,
            ReceiverShadow.class,
            SensorShadow.class,
            ServiceShadow.class,
            SettingsShadow.class,
            SettingsShadow.OfGlobal.class,
            SettingsShadow.OfSecure.class,
            SettingsShadow.OfSystem.class,
            TrafficShadow.class,
            VsyncShadow.class,
            WakeLockShadow.class,
            WifiLockShadow.class,
            WifiManagerShadow.class,
            XmlShadow.class,
        })
@LooperMode(LooperMode.Mode.INSTRUMENTATION_TEST)
@GraphicsMode(GraphicsMode.Mode.LEGACY)
public class Session {
    @Test
    public void run() {
        FrameworkTask.run(Session.class.getClassLoader());
    }
}
