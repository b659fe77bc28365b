package org.navitas.hooks.devices;

import android.hardware.Camera;
import android.hardware.camera2.CameraAccessException;
import android.hardware.camera2.CameraDevice;
import android.hardware.camera2.CameraManager;
import android.os.Handler;
import org.navitas.hooks.base.Api;
import org.navitas.runtime.Hook;

/** Hooks of cameras: used from their opening, by the call that asks for it, to their closing. */
@SuppressWarnings("deprecation")
public final class Cameras {
    private Cameras() {}

    /** Hook of {@link Camera#open()}. */
    public static Camera open() {
        long start = Hook.begin(Api.CAMERA);
        long done = Hook.FAILED;
        Camera camera = null;
        try {
            camera = Camera.open();
            done = 0;
            return camera;
        } finally {
            opened(start, done, camera);
        }
    }

    /** Hook of {@link Camera#open(int)}. */
    public static Camera open(int number) {
        long start = Hook.begin(Api.CAMERA);
        long done = Hook.FAILED;
        Camera camera = null;
        try {
            camera = Camera.open(number);
            done = 0;
            return camera;
        } finally {
            opened(start, done, camera);
        }
    }

    /** Hook of {@link Camera#release}. */
    public static void release(Camera camera) {
        long start = Hook.begin(Api.CAMERA_STOP);
        long done = Hook.FAILED;
        try {
            camera.release();
            done = 0;
        } finally {
            end(Api.CAMERA_STOP, start, Hook.STOP, done, Opened.remove(camera));
        }
    }

    /** Hook of {@link CameraManager#openCamera(String, CameraDevice.StateCallback, Handler)}. */
    public static void openCamera(
            CameraManager manager, String camera, CameraDevice.StateCallback callback, Handler handler) throws CameraAccessException {
        CameraDevice.StateCallback noting = CameraCallback.of(callback);
        long start = Hook.begin(Api.CAMERA_OPEN);
        long done = Hook.FAILED;
        try {
            manager.openCamera(camera, noting, handler);
            done = 0;
        } finally {
            end(Api.CAMERA_OPEN, start, 0, done, System.identityHashCode(noting));
        }
    }

    /** Hook of {@link CameraDevice#close}. */
    public static void close(CameraDevice camera) {
        long start = Hook.begin(Api.CAMERA_CLOSE);
        long done = Hook.FAILED;
        try {
            camera.close();
            done = 0;
        } finally {
            end(Api.CAMERA_CLOSE, start, Hook.STOP, done, Opened.remove(camera));
        }
    }

    private static void opened(long start, long done, Camera camera) {
        long handle = System.identityHashCode(camera);
        if (camera != null) {
            Opened.put(camera, handle);
        }
        end(Api.CAMERA, start, 0, done, handle);
    }

    /** Ends a call; without a record if there is no handle. */
    static void end(int api, long start, int flags, long done, long handle) {
        if (handle == 0 && done != Hook.FAILED) {
            Hook.leave(api);
        } else {
            Hook.end(api, start, Hook.CAMERA, flags, done, handle);
        }
    }

    /** The handles of the open cameras. */
    static final class Opened {
        private Opened() {}

        static void put(Object camera, long handle) {
            if (Hook.now() != 0) {
                DeviceTables.get().cameras.put(camera, handle);
            }
        }

        /** Returns the handle of a camera that is closed, 0 if it was closed before or hooked code did not open it. */
        static long remove(Object camera) {
            Long handle = camera == null ? null : DeviceTables.get().cameras.remove(camera);
            return handle == null ? 0 : handle;
        }
    }
}
