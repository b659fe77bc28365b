package org.navitas.android;

import android.Manifest;
import android.hardware.camera2.CameraDevice;
import java.util.concurrent.Executor;
import org.navitas.phone.ComponentUse;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowCameraManager;

/** Cameras run from their opening to {@link CameraDeviceShadow#close}; a torch while it is on. */
@Implements(className = "android.hardware.camera2.CameraManager")
public class CameraManagerShadow extends ShadowCameraManager {
    private static final Object TORCH = new Object();

    @Implementation
    @Override
    protected CameraDevice openCameraDeviceUserAsync(
            String camera, CameraDevice.StateCallback callback, Executor executor, int uid, int offset) {
        Permissions.enforce(Manifest.permission.CAMERA, null);
        CameraDevice device = super.openCameraDeviceUserAsync(camera, callback, executor, uid, offset);
        ComponentUse.start("camera", device, camera, 0);
        return device;
    }

    @Implementation
    @Override
    protected void setTorchMode(String camera, boolean enabled) {
        super.setTorchMode(camera, enabled);
        if (enabled) {
            ComponentUse.start("flashlight", TORCH, camera, 0);
        } else {
            ComponentUse.stop("flashlight", TORCH, camera);
        }
    }
}
