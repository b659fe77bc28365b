package org.navitas.hooks.devices;

import android.hardware.Sensor;
import android.hardware.SensorEventListener;
import android.hardware.SensorManager;
import android.os.Handler;
import org.navitas.hooks.base.Api;
import org.navitas.runtime.Hook;

/**
 * Hooks of sensors: a listener uses the current that the sensor's driver declares. Sensors that declare none have calls
 * without records.
 */
public final class Sensors {
    private static final float MICROAMPERES_PER_MA = 1000;

    private Sensors() {}

    /** Hook of {@link SensorManager#registerListener(SensorEventListener, Sensor, int)}. */
    public static boolean registerListener(SensorManager manager, SensorEventListener listener, Sensor sensor,
            int periodUs) {
        long start = Hook.begin(Api.SENSOR);
        long current = Hook.FAILED;
        try {
            boolean result = manager.registerListener(listener, sensor, periodUs);
            current = result ? currentOf(sensor) : 0;
            return result;
        } finally {
            started(start, current, listener);
        }
    }

    /** Hook of {@link SensorManager#registerListener(SensorEventListener, Sensor, int, Handler)}. */
    public static boolean registerListener(SensorManager manager, SensorEventListener listener, Sensor sensor,
            int periodUs, Handler handler) {
        long start = Hook.begin(Api.SENSOR);
        long current = Hook.FAILED;
        try {
            boolean result = manager.registerListener(listener, sensor, periodUs, handler);
            current = result ? currentOf(sensor) : 0;
            return result;
        } finally {
            started(start, current, listener);
        }
    }

    /** Hook of {@link SensorManager#registerListener(SensorEventListener, Sensor, int, int)}. */
    public static boolean registerListener(SensorManager manager, SensorEventListener listener, Sensor sensor,
            int periodUs, int latencyUs) {
        long start = Hook.begin(Api.SENSOR);
        long current = Hook.FAILED;
        try {
            boolean result = manager.registerListener(listener, sensor, periodUs, latencyUs);
            current = result ? currentOf(sensor) : 0;
            return result;
        } finally {
            started(start, current, listener);
        }
    }

    /** Hook of {@link SensorManager#registerListener(SensorEventListener, Sensor, int, int, Handler)}. */
    public static boolean registerListener(SensorManager manager, SensorEventListener listener, Sensor sensor,
            int periodUs, int latencyUs, Handler handler) {
        long start = Hook.begin(Api.SENSOR);
        long current = Hook.FAILED;
        try {
            boolean result = manager.registerListener(listener, sensor, periodUs, latencyUs, handler);
            current = result ? currentOf(sensor) : 0;
            return result;
        } finally {
            started(start, current, listener);
        }
    }

    /** Hook of {@link SensorManager#unregisterListener(SensorEventListener)}: stops all of the listener's sensors. */
    public static void unregisterListener(SensorManager manager, SensorEventListener listener) {
        long start = Hook.begin(Api.SENSOR_STOP);
        long done = Hook.FAILED;
        try {
            manager.unregisterListener(listener);
            done = 0;
        } finally {
            DeviceTables.get().sensorListeners.end(Api.SENSOR_STOP, Hook.SENSOR, start, done, listener);
        }
    }

    /** Hook of {@link SensorManager#unregisterListener(SensorEventListener, Sensor)}. */
    public static void unregisterListener(SensorManager manager, SensorEventListener listener, Sensor sensor) {
        long start = Hook.begin(Api.SENSOR_STOP);
        long current = Hook.FAILED;
        try {
            manager.unregisterListener(listener, sensor);
            current = DeviceTables.get().sensorListeners.contains(listener) ? currentOf(sensor) : 0;
        } finally {
            end(Api.SENSOR_STOP, start, Hook.STOP, current, listener);
        }
    }

    private static long currentOf(Sensor sensor) {
        return sensor == null ? 0 : Math.round(sensor.getPower() * MICROAMPERES_PER_MA);
    }

    private static void started(long start, long current, SensorEventListener listener) {
        if (current > 0) {
            DeviceTables.get().sensorListeners.add(listener);
        }
        end(Api.SENSOR, start, 0, current, listener);
    }

    private static void end(int api, long start, int flags, long current, SensorEventListener listener) {
        if (current == 0) {
            Hook.leave(api);
        } else {
            Hook.end(api, start, Hook.SENSOR, flags, current, System.identityHashCode(listener));
        }
    }
}
