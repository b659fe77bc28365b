package org.navitas.android;

import android.hardware.Sensor;
import android.hardware.SensorEventListener;
import android.os.Handler;
import org.navitas.phone.ComponentUse;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowSensorManager;

/** A sensor runs while it has a listener, with the current that its driver states. */
@Implements(className = "android.hardware.SensorManager")
public class SensorShadow extends ShadowSensorManager {
    private static final String SENSOR = "sensor";

    @Implementation
    @Override
    protected boolean registerListener(SensorEventListener listener, Sensor sensor, int rate) {
        return started(super.registerListener(listener, sensor, rate), listener, sensor);
    }

    @Implementation
    @Override
    protected boolean registerListener(SensorEventListener listener, Sensor sensor, int rate, int latency) {
        return started(super.registerListener(listener, sensor, rate, latency), listener, sensor);
    }

    @Implementation
    @Override
    protected boolean registerListener(SensorEventListener listener, Sensor sensor, int rate, Handler handler) {
        return started(super.registerListener(listener, sensor, rate, handler), listener, sensor);
    }

    @Implementation
    @Override
    protected boolean registerListener(
            SensorEventListener listener, Sensor sensor, int rate, int latency, Handler handler) {
        return started(super.registerListener(listener, sensor, rate, latency, handler), listener, sensor);
    }

    @Implementation
    @Override
    protected void unregisterListener(SensorEventListener listener, Sensor sensor) {
        super.unregisterListener(listener, sensor);
        ComponentUse.stop(SENSOR, listener, part(sensor));
    }

    @Implementation
    @Override
    protected void unregisterListener(SensorEventListener listener) {
        super.unregisterListener(listener);
        ComponentUse.stop(SENSOR, listener);
    }

    private static boolean started(boolean success, SensorEventListener listener, Sensor sensor) {
        if (success && sensor != null) {
            ComponentUse.start(SENSOR, listener, part(sensor), sensor.getPower());
        }
        return success;
    }

    private static String part(Sensor sensor) {
        return "type " + sensor.getType();
    }
}
