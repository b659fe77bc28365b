package org.navitas.android;

import android.content.Context;
import android.hardware.Sensor;
import android.hardware.camera2.CameraManager;
import java.lang.reflect.Field;
import java.util.Map;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowCameraCharacteristics;
import org.robolectric.shadows.ShadowCameraManager;
import org.robolectric.shadows.ShadowSensor;
import org.robolectric.shadows.ShadowSensorManager;

/** The phone's camera, sensors and media. The sensors deliver no events. */
final class Hardware {
    /** Currents in mA, in the range of data sheets of phones' sensors. */
    private static final Map<Integer, Float> SENSORS = Map.of(
            Sensor.TYPE_ACCELEROMETER,
            0.15f,
            Sensor.TYPE_GYROSCOPE,
            0.55f,
            Sensor.TYPE_MAGNETIC_FIELD,
            0.2f,
            Sensor.TYPE_LIGHT,
            0.15f,
            Sensor.TYPE_PROXIMITY,
            0.15f,
            Sensor.TYPE_PRESSURE,
            0.01f);

    private Hardware() {}

    /** Adds the hardware to the framework's services. */
    static void install() {
        MediaPlayerShadow.install();
        Context context = RuntimeEnvironment.getApplication();
        ShadowSensorManager sensors = Shadow.extract(context.getSystemService(Context.SENSOR_SERVICE));
        SENSORS.forEach((type, currentMa) -> sensors.addSensor(sensor(type, currentMa)));
        CameraManager cameras = (CameraManager) context.getSystemService(Context.CAMERA_SERVICE);
        ShadowCameraManager shadow = Shadow.extract(cameras);
        shadow.addCamera("0", ShadowCameraCharacteristics.newCameraCharacteristics());
    }

    private static Sensor sensor(int type, float currentMa) {
        Sensor sensor = ShadowSensor.newInstance(type);
        try {
            Field power = Sensor.class.getDeclaredField("mPower");
            power.setAccessible(true);
            power.setFloat(sensor, currentMa);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
        return sensor;
    }
}
