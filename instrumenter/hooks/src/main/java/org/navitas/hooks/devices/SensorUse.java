package org.navitas.hooks.devices;

import android.hardware.Sensor;
import android.hardware.SensorEventListener;
import org.navitas.hooks.base.Api;
import org.navitas.runtime.Hook;

/**
 * Sensors: a listener uses the current that the sensor's driver declares. Sensors that declare none have calls without
 * records.
 */
final class SensorUse {
    private static final float MICROAMPERES_PER_MA = 1000;

    private SensorUse() {}

    /** Returns the microamperes that a sensor begins to use. */
    static long started(boolean isStarted, Sensor sensor) {
        return isStarted ? currentOf(sensor) : 0;
    }

    /** Returns the microamperes that a listener no longer uses. */
    static long stopped(SensorEventListener listener, Sensor sensor) {
        return DeviceTables.get().sensorListeners.contains(listener) ? currentOf(sensor) : 0;
    }

    private static long currentOf(Sensor sensor) {
        return sensor == null ? 0 : Math.round(sensor.getPower() * MICROAMPERES_PER_MA);
    }

    static void started(long start, long current, SensorEventListener listener) {
        if (current > 0) {
            DeviceTables.get().sensorListeners.add(listener);
        }
        end(Api.SENSOR, start, 0, current, listener);
    }

    static void end(int api, long start, int flags, long current, SensorEventListener listener) {
        if (current == 0) {
            Hook.leave(api);
        } else {
            Hook.end(api, start, Hook.SENSOR, flags, current, System.identityHashCode(listener));
        }
    }
}
