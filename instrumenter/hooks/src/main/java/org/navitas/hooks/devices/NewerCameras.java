package org.navitas.hooks.devices;

import android.hardware.camera2.CameraAccessException;
import android.hardware.camera2.CameraDevice;
import android.hardware.camera2.CameraManager;
import java.util.concurrent.Executor;
import org.navitas.hooks.base.Api;
import org.navitas.hooks.base.NewerPlatform;
import org.navitas.runtime.Hook;

/** Hooks of the methods of Android 6 to 13 for cameras and their flashlight. */
@NewerPlatform
public final class NewerCameras {
    private NewerCameras() {}

    /** Hook of {@link CameraManager#openCamera(String, Executor, CameraDevice.StateCallback)}. */
    public static void openCamera(CameraManager manager, String camera, Executor executor, CameraDevice.StateCallback callback)
            throws CameraAccessException {
        CameraDevice.StateCallback noting = CameraCallback.of(callback);
        long start = Hook.begin(Api.CAMERA_OPEN);
        long done = Hook.FAILED;
        try {
            manager.openCamera(camera, executor, noting);
            done = 0;
        } finally {
            Cameras.end(Api.CAMERA_OPEN, start, 0, done, System.identityHashCode(noting));
        }
    }

    /** Hook of {@link CameraManager#setTorchMode}. */
    public static void setTorchMode(CameraManager manager, String camera, boolean enabled) throws CameraAccessException {
        long start = Hook.begin(Api.FLASHLIGHT);
        long done = Hook.FAILED;
        try {
            manager.setTorchMode(camera, enabled);
            done = 0;
        } finally {
            Hook.end(Api.FLASHLIGHT, start, Hook.FLASHLIGHT, enabled ? 0 : Hook.STOP, done, handleOf(camera));
        }
    }

    /** Hook of {@link CameraManager#turnOnTorchWithStrengthLevel}. */
    public static void turnOnTorchWithStrengthLevel(CameraManager manager, String camera, int level) throws CameraAccessException {
        long start = Hook.begin(Api.FLASHLIGHT);
        long done = Hook.FAILED;
        try {
            manager.turnOnTorchWithStrengthLevel(camera, level);
            done = 0;
        } finally {
            Hook.end(Api.FLASHLIGHT, start, Hook.FLASHLIGHT, 0, done, handleOf(camera));
        }
    }

    private static long handleOf(String camera) {
        return camera == null ? 0 : camera.hashCode();
    }
}
