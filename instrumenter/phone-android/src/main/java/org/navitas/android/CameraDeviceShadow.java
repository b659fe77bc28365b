package org.navitas.android;

import android.hardware.camera2.CameraDevice;
import org.navitas.phone.ComponentUse;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadows.ShadowCameraDeviceImpl;

/** Reports that a camera is closed. */
@Implements(className = "android.hardware.camera2.impl.CameraDeviceImpl", isInAndroidSdk = false)
public class CameraDeviceShadow extends ShadowCameraDeviceImpl {
    @RealObject
    private CameraDevice device;

    @Implementation
    @Override
    protected void close() {
        super.close();
        ComponentUse.stop("camera", device);
    }
}
