package org.navitas.hooks.devices;

import android.hardware.camera2.CameraDevice;
import org.navitas.hooks.base.Api;
import org.navitas.runtime.Hook;

/** Notes which camera opens, and that it is lost or closed; passes all on. The callback identifies the use. */
final class CameraCallback extends CameraDevice.StateCallback {
    private final CameraDevice.StateCallback callback;

    private CameraCallback(CameraDevice.StateCallback callback) {
        this.callback = callback;
    }

    /** Returns a callback that notes; without records, and for null, the callback itself. */
    static CameraDevice.StateCallback of(CameraDevice.StateCallback callback) {
        return callback == null || Hook.now() == 0 ? callback : new CameraCallback(callback);
    }

    @Override
    public void onOpened(CameraDevice camera) {
        CameraUse.put(camera, System.identityHashCode(this));
        callback.onOpened(camera);
    }

    @Override
    public void onClosed(CameraDevice camera) {
        stop(CameraUse.remove(camera));
        callback.onClosed(camera);
    }

    @Override
    public void onDisconnected(CameraDevice camera) {
        stop(System.identityHashCode(this));
        CameraUse.remove(camera);
        callback.onDisconnected(camera);
    }

    @Override
    public void onError(CameraDevice camera, int error) {
        stop(System.identityHashCode(this));
        CameraUse.remove(camera);
        callback.onError(camera, error);
    }

    private static void stop(long handle) {
        if (handle != 0) {
            CameraUse.end(Api.CAMERA_CLOSE, Hook.begin(Api.CAMERA_CLOSE), Hook.STOP, 0, handle);
        }
    }
}
